import FBSSchema

/// The names that no type or namespace can have, since Swift or the generated code means something else by them.
struct ReservedTypeNames {
  /// Wherever it stands.
  private let everywhere: Set<String>
  /// As the first part of a name: what is local to generated code, or a member of its types, would hide it.
  private let inGlobalScope: Set<String>
  /// As the first part of the name of a namespace: the accessors' types have suffixes, but namespaces have none.
  private let asNamespace: Set<String>

  /// `hidden` are the names from outside that have to be spelled with their module.
  init(_ schema: Schema, output: SwiftOutput, hidden: Set<String>) {
    // A module can be named only where the schema has nothing of that name.
    everywhere = OutsideNames.impossible.union(hidden.compactMap { OutsideNames.modules[$0] })
    inGlobalScope = OutsideNames.locals.union(output.hasModel ? OutsideNames.nested : [])
    asNamespace = Self.hiddenInAccessors(schema, output)
  }

  /// Within another type: in an expression, `A.Type` is the type of `A` itself, also in backticks.
  private static let inNamespaces: Set<String> = ["Protocol", "Type"]

  func contains(_ name: String, isGlobal: Bool, isNamespace: Bool) -> Bool {
    if everywhere.contains(name) { return true }
    guard isGlobal else { return Self.inNamespaces.contains(name) }
    return inGlobalScope.contains(name) || isNamespace && asNamespace.contains(name)
  }

  /// The types within those of the accessors and editors, where code beside them names a namespace that is called so.
  private static func hiddenInAccessors(_ schema: Schema, _ output: SwiftOutput) -> Set<String> {
    var found: Set<String> = []
    func find(_ name: String, _ definitions: [DefinitionID]) {
      let isNamed = definitions.contains { definition in
        ([definition] + schema.held(by: definition)).contains { schema.name(of: $0).namespace.first == name }
      }
      if isNamed { found.insert(name) }
    }
    find("Code", schema.unions.indices.map { .union(UnionID($0)) })
    if output.hasEditors { find("Value", schema.structs.indices.map { .structure(StructID($0)) }) }
    return found
  }
}
