import Testing

/// Swift warns of a public import that nothing public uses, where imports are not public by default.
@Suite("Modules that generated files import")
struct ImportedModulesTests {
  private static let nothing = "attribute \"color\";"
  private static let enumeration = "enum Kind: byte { A }"
  private static let structure = "struct Point { x: float; }"
  private static let table = "table Note { stars: int; }"
  private static let union = "union Either { text: string }"

  /// A schema of one definition, and what each emitter imports for it.
  private static let cases: [(schema: String, emitter: String, modules: [String])] = [
    (nothing, "accessors", []), (nothing, "editors", []), (nothing, "data-model", []), (nothing, "mutating", []),
    (nothing, "query", []),
    (enumeration, "accessors", ["FlatBuffersCore"]), (enumeration, "editors", ["FlatBuffersCore"]),
    (enumeration, "data-model", ["Dflat"]), (enumeration, "mutating", []), (enumeration, "query", []),
    (structure, "accessors", ["FlatBuffersCore"]), (structure, "editors", ["FlatBuffersCore"]),
    (structure, "data-model", ["Dflat", "FlatBuffersCore"]), (structure, "mutating", ["Dflat"]),
    (structure, "query", ["Dflat"]),
    (table, "accessors", ["FlatBuffersCore"]), (table, "editors", ["FlatBuffersCore"]),
    (table, "data-model", ["Dflat", "FlatBuffersCore"]), (table, "mutating", ["Dflat", "FlatBuffersCore"]),
    (table, "query", ["Dflat"]),
    (union, "accessors", ["FlatBuffersCore"]), (union, "editors", ["FlatBuffersCore"]),
    (union, "data-model", ["Dflat"]), (union, "mutating", ["Dflat", "FlatBuffersCore"]), (union, "query", ["Dflat"]),
  ]

  @Test("A file imports what its definitions need, publicly", arguments: cases)
  func imports(schema: String, emitter: String, modules: [String]) throws {
    let lines = try emit(emitter, schema).split(separator: "\n")
    #expect(lines.filter { $0.contains("import ") } == modules.map { "public import \($0)" })
  }

  @Test("A file with several definitions imports what any of them needs")
  func severalDefinitions() throws {
    let text = try emit("mutating", [Self.enumeration, Self.structure, Self.union].joined(separator: "\n"))
    #expect(text.contains("public import Dflat\npublic import FlatBuffersCore\n"))
  }
}
