import FBSSchema

/// The names that no type or namespace can have, since Swift or the generated code means something else by them.
struct ReservedTypeNames {
  /// Wherever it stands.
  private let everywhere: Set<String>
  /// As the first part of a name: what is local to generated code, or a member of its types, would hide it.
  private let inGlobalScope: Set<String>
  /// As the first part of the name of a namespace: the accessors' types have suffixes, but namespaces have none.
  private var ofNamespaces: Set<String> = []
  /// As the name of a type that stands in no namespace.
  private var ofGlobalTypes: Set<String> = []

  init(_ schema: Schema, output: SwiftOutput, imported: ImportedTypeNames) {
    // The name of a module means the module only where the schema has nothing of that name.
    everywhere = Self.impossible.union(imported.qualifyingModules)
    inGlobalScope = Self.locals.union(output.hasModel ? Self.nested : [])
    for definition in schema.files.flatMap(\.definitions) {
      let members = InheritedMembers(of: definition, in: schema, output)
      for used in [definition] + schema.contents(of: definition) {
        let name = schema.name(of: used)
        if let first = name.namespace.first {
          if members.ofAccessors.contains(first) || members.ofModel.contains(first) { ofNamespaces.insert(first) }
        } else if members.ofModel.contains(name.name) {
          ofGlobalTypes.insert(name.name)
        }
      }
    }
  }

  /// Whether an enum's type of that name would be hidden by a member in its own code, as the accessors' type of `hash` and `raw`.
  func containsForEnums(_ name: String) -> Bool { name == "hashValue" || name == "rawValue" }

  /// What an option set is called in its own code would be hidden by what each option set has, or be taken for an accessor
  /// where the body of a property begins with it.
  func contains(_ name: String, asOptionSetIn output: SwiftOutput) -> Bool {
    output.hasModel && (InheritedMembers.ofOptionSets.contains(name) || Self.accessors.contains(name))
  }

  private static let accessors: Set<String> = ["borrow", "mutate", "unsafeAddress", "unsafeMutableAddress"]

  func contains(_ name: String, isGlobal: Bool, isNamespace: Bool) -> Bool {
    if everywhere.contains(name) { return true }
    guard isGlobal else { return Self.inNamespaces.contains(name) }
    return inGlobalScope.contains(name) || (isNamespace ? ofNamespaces : ofGlobalTypes).contains(name)
  }

  /// Whether a type or namespace within a root class cannot have a name: the class has a member of that name, or would take
  /// the type for an associated type of a protocol.
  func containsInRootClass(_ name: String) -> Bool { inGlobalScope.contains(name) || Self.ofRootClasses.contains(name) }

  private static let ofRootClasses: Set<String> = ["ID", "hash", "rowBytes", "toData"]

  /// Within another type: in an expression, `A.Type` is the type of `A` itself, also in backticks.
  private static let inNamespaces: Set<String> = ["Protocol", "Type"]
}

extension ReservedTypeNames {
  /// Names that no type can have, whatever the code says: what is no name at all, and the default types of literals.
  private static let impossible: Set<String> = [
    "_", "self", "BooleanLiteralType", "ExtendedGraphemeClusterType", "FloatLiteralType", "IntegerLiteralType",
    "StringLiteralType", "UnicodeScalarType",
  ]

  /// Names of types within generated types of the data model, which would hide one of the schema.
  static let nested: Set<String> = [
    "CodingKeys", "Element", "Fields", "Union", "_Object", "_PrimaryKey", "_StructValue", "_TypeCode",
    "_UnionReader", "_Values",
  ]

  /// Names of what is local to generated functions, or a member of every type, where it would hide a type.
  private static let locals: Set<String> = [
    "_change", "_commitVersion", "_differs", "_editor", "_fieldValues", "_fileIdentifier", "_hasSameKeys",
    "_isIdentical", "_object", "_path", "_primaryKey", "_record", "_rowid", "_structure", "_table",
    "_state", "_taken", "_typeCode", "_value", "_values", "_write64BitObjects", "_writeTable", "allCases", "array",
    "borrow", "buffer", "build", "builder", "byteAlignment", "byteBuffer", "byteSize", "change", "changeRequest",
    "code", "container", "create", "creationRequest", "customMirror", "decoder",
    "deletionRequest", "editor", "element", "encode", "encoder", "fields", "fileExtension", "fileIdentifier", "finish",
    "flatBuffersSchemaVersion", "from", "get", "hasIdentifier", "hashValue", "index", "key", "keyHasOffset64",
    "keyLayout", "keySlot", "keyStructure", "lhs", "member", "modify", "mutate", "object", "path", "position", "read",
    "reader", "required", "rhs", "set", "slot",
    "structure", "table", "text", "to", "unsafeAddress", "unsafeMutableAddress", "upsertRequest", "values",
    "vectorElement", "vectorStride", "verifier", "verify", "write", "writer",
  ]
}

/// The members that the types for a definition have by their protocols, or that a type has which is extended for it. They
/// hide types and namespaces that the code beside them names.
private struct InheritedMembers {
  /// In the code for bytes, which names types with suffixes, and namespaces.
  private(set) var ofAccessors: Set<String> = []
  /// In the code of the data model.
  private(set) var ofModel: Set<String> = []

  init(of definition: DefinitionID, in schema: Schema, _ output: SwiftOutput) {
    switch definition {
    case .enumeration: break
    case .union:
      ofAccessors = ["Code", "unknown"]
      if output.hasModel { ofModel = Self.ofUnionFields }
    case .structure(let id):
      if schema[id].fields.contains(where: { $0.declaration.has("key") }) { ofAccessors = ["Key"] }
      if output.hasEditors { ofAccessors.formUnion(Self.ofStructEditors) }
      if output.hasModel { ofModel = Self.ofEncodables }
    case .table(let id):
      if schema[id].fields.contains(where: { $0.declaration.has("key") }) { ofAccessors = ["Key"] }
      if output.hasEditors { ofAccessors.formUnion(Self.ofTableEditors) }
      if output.hasModel { ofModel = Self.ofEncodables }
    }
  }

  private static let ofTableEditors: Set<String> = ["editorElement", "editorStride"]
  private static let ofStructEditors = ofTableEditors.union(["Value", "replace"])
  private static let ofEncodables: Set<String> = ["rowBytes", "toData"]
  private static let ofUnionFields: Set<String> = [
    "_type", "as", "isNotNull", "isNull", "match", "matches", "stringMember", "structureMember", "toData",
  ]

  /// Those of `OptionSet`, `Hashable` and `Codable`.
  static let ofOptionSets: Set<String> = [
    "ArrayLiteralElement", "Element", "RawValue", "contains", "encode", "formIntersection", "formSymmetricDifference",
    "formUnion", "hash", "hashValue", "insert", "intersection", "isDisjoint", "isEmpty", "isStrictSubset",
    "isStrictSuperset", "isSubset", "isSuperset", "rawValue", "remove", "subtract", "subtracting",
    "symmetricDifference", "union", "update",
  ]
}
