import SchemaPlugins

/// A service of a schema, with its names in Swift.
struct Service {
  /// The file that defines it, as the request names files.
  let file: String
  /// The service's name in the paths of its methods, which is that of the schema: `Shop.Orders`.
  let path: String
  /// The namespace that the Swift stands in, as Swift spells it. Nil if it stands in none.
  let scope: String?
  /// What the names of the service's types begin with: `Orders`, as in `OrdersClient`.
  private let stem: String
  let access: PluginRequest.Access
  let documentation: [String]
  let methods: [Method]

  /// - Throws: `Refusal` if an attribute of the service means nothing.
  init(_ service: reflection.ServiceReader, _ names: inout SwiftNames, _ options: Options) throws {
    file = service.declarationFile ?? ""
    path = service.name ?? ""
    let parts = path.split(separator: ".").map(String.init)
    let namespace = parts.dropLast().joined(separator: ".")
    scope = names.scope(of: namespace)
    // A namespace that no type stands in is declared nowhere: its name becomes a part of the type's.
    let prefix = scope == nil ? parts.dropLast().map { $0 + "_" }.joined() : ""
    stem = names.claim(stem: prefix + (parts.last ?? ""), suffixes: Self.suffixes, in: scope)
    documentation = service.documentation.map { $0 }
    var taken = Method.reserved
    methods = try service.calls.map { [path, names] in try Method($0, of: path, names, &taken) }
    // No method can be more visible than the types in its signature.
    access = service.calls.flatMap { [$0.request, $0.response] }
      .reduce(options.access) { [names] access, message in min(access, names.access(of: message?.name ?? "")) }
  }

  private static let suffixes = ["Methods", "Service", "SimpleService", "Client"]

  /// The names of its types, where they are declared.
  var methodsName: String { stem + "Methods" }
  var serviceName: String { stem + "Service" }
  var simpleServiceName: String { stem + "SimpleService" }
  var clientName: String { stem + "Client" }

  /// A type of the service as code outside of all namespaces spells it.
  func qualified(_ name: String) -> String { scope.map { $0 + "." + name } ?? name }
}

/// A method of a service.
struct Method {
  let name: String
  /// Its name in Swift, where it is declared.
  let swiftName: String
  let request: String
  let response: String
  let streaming: Streaming
  let isIdempotent: Bool
  let documentation: [String]

  /// The names of members that generated types have besides the methods.
  static let reserved: Set<String> = ["_client", "all", "idempotent", "registerMethods", "service"]

  fileprivate init(
    _ call: reflection.RPCCallReader, of service: String, _ names: SwiftNames, _ taken: inout Set<String>
  ) throws {
    name = call.name ?? ""
    var swiftName = SwiftNames.lowerCamelCase(name)
    while SwiftNames.unusable.contains(swiftName) || !taken.insert(swiftName).inserted { swiftName += "_" }
    self.swiftName = SwiftNames.escape(swiftName)
    request = try names.model(of: call.request?.name ?? "")
    response = try names.model(of: call.response?.name ?? "")
    let value = call.attributes.value(of: "streaming") ?? Streaming.none.rawValue
    guard let streaming = Streaming(rawValue: value) else {
      let known = Streaming.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw Refusal("\(service).\(name): streaming is \"\(value)\". It can be: \(known)")
    }
    self.streaming = streaming
    isIdempotent = call.attributes.contains("idempotent")
    documentation = call.documentation.map { $0 }
  }
}

/// Which side of a method sends a stream of messages: the values of the attribute `streaming`.
enum Streaming: String, CaseIterable {
  case none, client, server, bidi

  var hasRequests: Bool { self == .client || self == .bidi }
  var hasResponses: Bool { self == .server || self == .bidi }

  /// The case of `MethodDescriptor.RPCType`.
  var rpcType: String {
    switch self {
    case .none: "unary"
    case .client: "clientStreaming"
    case .server: "serverStreaming"
    case .bidi: "bidirectionalStreaming"
    }
  }
}
