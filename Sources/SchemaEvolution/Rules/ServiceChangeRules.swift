extension EvolutionRule {
  /// The rules about services and their methods.
  static let serviceRules: [EvolutionRule] = [serviceRemoved, methodRemoved, methodType, methodStreaming]

  static let serviceRemoved = EvolutionRule(
    id: "service-removed", level: .rpc, severity: .error,
    summary: "a service is gone, or has another name",
    explanation: """
      Clients call the methods of a service by its name and its namespace. Those that are out fail when a server of the new \
      version answers.

      Keep the service as long as clients of it are in use. A service under a new name may stand beside it.
      """,
    reported: Example(
      old: "table A {}\nrpc_service Posts { get(A): A; }\n", new: "table A {}\nrpc_service Notes { get(A): A; }\n"),
    allowed: Example(
      old: "table A {}\nrpc_service Posts { get(A): A; }\n",
      new: "table A {}\nrpc_service Posts { get(A): A; }\nrpc_service Notes { get(A): A; }\n"))

  static let methodRemoved = EvolutionRule(
    id: "method-removed", level: .rpc, severity: .error,
    summary: "a method of a service is gone, or has another name",
    explanation: """
      Clients call a method by its name. Those that are out fail when a server of the new version answers, and new clients fail \
      where a server of the old version does.

      Keep the method, and add the new one beside it.
      """,
    reported: Example(
      old: "table A {}\nrpc_service Posts { get(A): A; }\n", new: "table A {}\nrpc_service Posts { fetch(A): A; }\n"),
    allowed: Example(
      old: "table A {}\nrpc_service Posts { get(A): A; }\n",
      new: "table A {}\nrpc_service Posts { get(A): A; fetch(A): A; }\n"))

  static let methodType = EvolutionRule(
    id: "method-type", level: .rpc, severity: .error,
    summary: "a method takes or gives another table",
    explanation: """
      What one side sends is read by the other as a table that it is not. A table that only has another name is the same table, \
      and may change as all tables do.

      Append fields to the table that the method takes or gives, or add a method with the other table.
      """,
    reported: Example(
      old: "table A { a: int; }\ntable B { b: string; }\nrpc_service Posts { get(A): A; }\n",
      new: "table A { a: int; }\ntable B { b: string; }\nrpc_service Posts { get(A): B; }\n"),
    allowed: Example(
      old: "table A { a: int; }\nrpc_service Posts { get(A): A; }\n",
      new: "table A { a: int; b: string; }\nrpc_service Posts { get(A): A; }\n"))

  static let methodStreaming = EvolutionRule(
    id: "method-streaming", level: .rpc, severity: .error,
    summary: "a method streams otherwise than before",
    explanation: """
      A side that sends one message waits for one, and a side that streams sends any number. Code of the two versions cannot \
      talk to each other.

      Add a method that streams beside the one that does not.
      """,
    reported: Example(
      old: "table A {}\nrpc_service Posts { get(A): A; }\n",
      new: "table A {}\nrpc_service Posts { get(A): A (streaming: \"server\"); }\n"),
    allowed: Example(
      old: "table A {}\nrpc_service Posts { get(A): A; }\n",
      new: "table A {}\nrpc_service Posts { get(A): A; watch(A): A (streaming: \"server\"); }\n"))
}
