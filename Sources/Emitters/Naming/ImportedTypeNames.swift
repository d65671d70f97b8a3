import FBSSchema

/// Spells imported types in the code for one schema: `String`, or `Swift.String` where the schema has a `String` of its own.
struct ImportedTypeNames: Sendable {
  /// The types whose names the schema shadows. Almost always empty, which is tested first: emitters ask for a name hundreds of
  /// thousands of times.
  private let shadowed: Set<ImportedType>

  /// The modules in front of shadowed names. No type or namespace of the schema may shadow these as well.
  var qualifyingModules: Set<String> { Set(shadowed.map(\.module)) }

  /// The names of the types that the schema shadows.
  var shadowedNames: Set<String> { Set(shadowed.map(\.rawValue)) }

  /// Finds what the types and namespaces of `schema` shadow. `roots` are its root tables.
  ///
  /// A type shadows by its own name, and by the names of all types that an emitter may generate for it. Which emitters run does not
  /// matter, so that each of them writes the same code whatever runs beside it.
  init(_ schema: Schema, roots: Set<TableID>) {
    var search = ShadowSearch()
    for item in schema.enums { search.visit(item.name, item.declaration, Namer.Suffix.ofEnum) }
    for item in schema.structs { search.visit(item.name, item.declaration, Namer.Suffix.ofStruct) }
    for item in schema.unions { search.visit(item.name, item.declaration, Namer.Suffix.ofUnion) }
    for (index, item) in schema.tables.enumerated() {
      let isRoot = roots.contains(TableID(index))
      search.visit(item.name, item.declaration, isRoot ? Namer.Suffix.ofRoot : Namer.Suffix.ofTable)
    }
    shadowed = search.shadowed
  }

  /// The name of `type`, with its module in front if the schema shadows it.
  subscript(type: ImportedType) -> String { shadowed.isEmpty ? type.rawValue : qualified(type) }

  /// Returns the name of `type`, qualified if necessary.
  private func qualified(_ type: ImportedType) -> String {
    shadowed.contains(type) ? "\(type.module).\(type.rawValue)" : type.rawValue
  }

  /// Returns the names of several types, separated by commas, such as a list of protocols.
  subscript(first: ImportedType, second: ImportedType, others: ImportedType...) -> CodeText {
    others.reduce("\(self[first]), \(self[second])") { "\($0), \(self[$1])" }
  }
}

/// Looks for imported types among the names that generated code declares for a schema.
private struct ShadowSearch {
  private(set) var shadowed: Set<ImportedType> = []
  /// Most definitions have the namespace of the one before.
  private var lastNamespace: [String] = []

  mutating func visit(_ name: QualifiedName, _ declaration: Declaration, _ suffixes: [String]) {
    if name.namespace != lastNamespace {
      lastNamespace = name.namespace
      for part in name.namespace {
        if let type = ImportedType(rawValue: part) { shadowed.insert(type) }
      }
    }
    let simple = SwiftName.chosen(by: declaration)?.text ?? name.name
    for match in Self.matches[simple] ?? [] where match.suffix.isEmpty || suffixes.contains(match.suffix) {
      shadowed.insert(match.type)
    }
  }

  /// The imported types that a definition may shadow, by the definition's name, with the suffix of the generated type that shadows
  /// each. One look-up for each definition finds them.
  private static let matches: [String: [(suffix: String, type: ImportedType)]] = {
    var matches: [String: [(suffix: String, type: ImportedType)]] = [:]
    for type in ImportedType.allCases {
      for suffix in [""] + Namer.Suffix.all where type.rawValue.hasSuffix(suffix) {
        matches[String(type.rawValue.dropLast(suffix.count)), default: []].append((suffix, type))
      }
    }
    return matches
  }()
}
