import SchemaPlugins

/// The names of the schema's types in Swift, and those that are free beside them.
struct SwiftNames {
  private let types: [String: PluginRequest.SwiftType]
  /// The namespaces that types stand in, as Swift spells them.
  private let scopes: [String: String]
  /// Every part of every name that dflatc gives.
  private let taken: Set<String>
  /// The types of services so far, with their namespaces.
  private var claimed: Set<String> = []

  /// - Throws: `Refusal` if the run writes no Swift, or a name hides the modules that generated code imports.
  init(_ request: PluginRequest) throws {
    types = request.swiftTypes
    var scopes: [String: String] = [:]
    var taken: Set<String> = []
    for (name, type) in types {
      let parts = type.model.split(separator: ".").map(String.init)
      let namespace = name.split(separator: ".").dropLast()
      for length in 0..<namespace.count {
        scopes[namespace.prefix(length + 1).joined(separator: ".")] = parts.prefix(length + 1).joined(separator: ".")
      }
      // What stands beside a type has its name with a suffix.
      let own = Self.plain(parts.last ?? "")
      taken.formUnion(parts.map(Self.plain))
      taken.formUnion(Self.suffixes.map { own + $0 })
    }
    (self.scopes, self.taken) = (scopes, taken)
    if !request.schema.services.isEmpty, types.isEmpty {
      throw Refusal(
        "the Swift of services needs that of their messages: have the emitters accessors, data-model and mutating beside it"
      )
    }
    for module in ["GRPCCore", "Dflat", "FlatBuffersCore"] where taken.contains(module) {
      throw Refusal(
        "the schema has a type or namespace `\(module)`, which hides the module that generated code imports")
    }
  }

  private static let suffixes = ["Reader", "Value", "Builder", "ChangeRequest", "Editor"]

  private static func plain(_ name: String) -> String { name.filter { $0 != "`" } }

  /// The data model's type for a table.
  /// - Throws: `Refusal` if dflatc gives it no name.
  func model(of table: String) throws -> String {
    guard let type = types[table] else { throw Refusal("dflatc has no Swift name for `\(table)`") }
    return type.model
  }

  /// The access level of the data model's type for a table.
  func access(of table: String) -> PluginRequest.Access { types[table]?.access ?? .public }

  /// A namespace as Swift spells it. Nil for the global one, and for one that no type stands in.
  func scope(of namespace: String) -> String? { scopes[namespace] }

  /// `name` if nothing of the schema is called so in Swift, or else with as many underscores as make it free.
  func free(_ name: String) -> String {
    var name = name
    while taken.contains(name) { name += "_" }
    return name
  }

  /// `stem`, with as many underscores as make it free with each of the suffixes. These names are then another service's no more.
  mutating func claim(stem: String, suffixes: [String], in scope: String?) -> String {
    let prefix = scope.map { $0 + "." } ?? ""
    var stem = stem
    while suffixes.contains(where: { taken.contains(stem + $0) || claimed.contains(prefix + stem + $0) }) {
      stem += "_"
    }
    claimed.formUnion(suffixes.map { prefix + stem + $0 })
    return stem
  }

  /// `GetPost` and `get_post` as `getPost`.
  static func lowerCamelCase(_ name: String) -> String {
    let leading = name.prefix { $0 == "_" }
    let words = name.split(separator: "_")
    guard let first = words.first else { return name }
    // An acronym in front is one word: `URLOf` becomes `urlOf`, `ID` becomes `id`.
    let capitals = first.prefix { $0.isUppercase }.count
    let lowered = capitals > 1 && capitals < first.count ? capitals - 1 : capitals
    let head = first.prefix(lowered).lowercased() + first.dropFirst(lowered)
    return leading + head + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// Words that no method can be called, not even in backticks.
  static let unusable: Set<String> = ["init", "self", "Self", "Type", "Protocol", "_"]

  /// A method's name, in backticks where Swift needs them.
  static func escape(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// The words that Swift reserves, and that may begin in lower case as methods do.
  private static let keywords: Set<String> = [
    "any", "as", "associatedtype", "await", "borrowing", "break", "case", "catch", "class", "consuming", "continue",
    "default", "defer", "deinit", "do", "each", "else", "enum", "extension", "fallthrough", "false", "fileprivate",
    "for", "func", "guard", "if", "import", "in", "inout", "internal", "is", "isolated", "let", "nil", "nonisolated",
    "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "sending", "some",
    "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where",
    "while",
  ]
}
