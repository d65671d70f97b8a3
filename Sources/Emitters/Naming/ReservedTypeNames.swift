import FBSSchema

/// The names that no type or namespace can have, since they mean something else in Swift or in generated code.
struct ReservedTypeNames {
  /// Names that are reserved everywhere.
  private let everywhere: Set<String>
  /// Names reserved as the first part of a name: a local variable of generated code, or a member of its types, would
  /// hide the type.
  private let inGlobalScope: Set<String>
  /// Names reserved as the first part of a namespace's name. The accessors' types have suffixes, but namespaces have
  /// none.
  private var ofNamespaces: Set<String> = []
  /// Names reserved for types outside of namespaces.
  private var ofGlobalTypes: Set<String> = []

  init(_ schema: Schema, output: SwiftOutput, imported: ImportedTypeNames) {
    // The name of a module means the module only if the schema has nothing of that name.
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

  /// Returns whether no type for an enum can have a name: a member of that name would hide the type in the enum's own
  /// code. The accessors' types of enums called `hash` and `raw` would have such names.
  func containsForEnums(_ name: String) -> Bool { name == "hashValue" || name == "rawValue" }

  /// Returns whether an option set cannot have a name: a member of every option set would hide it in its own code, or
  /// Swift would take it for an accessor at the start of a property's body.
  func contains(_ name: String, asOptionSetIn output: SwiftOutput) -> Bool {
    output.hasModel && (InheritedMembers.ofOptionSets.contains(name) || Self.accessors.contains(name))
  }

  private static let accessors: Set<String> = ["borrow", "mutate", "unsafeAddress", "unsafeMutableAddress"]

  func contains(_ name: String, isGlobal: Bool, isNamespace: Bool) -> Bool {
    if everywhere.contains(name) { return true }
    guard isGlobal else { return Self.inNamespaces.contains(name) }
    return inGlobalScope.contains(name) || (isNamespace ? ofNamespaces : ofGlobalTypes).contains(name)
  }

  /// Returns whether a type or namespace within a root class cannot have a name: the class has a member of that name,
  /// or would take the type for an associated type of a protocol.
  func containsInRootClass(_ name: String) -> Bool { inGlobalScope.contains(name) || Self.ofRootClasses.contains(name) }

  private static let ofRootClasses: Set<String> = ["ID", "hash", "rowBytes", "toData"]

  /// Names reserved within another type: in an expression, `A.Type` is the type of `A` itself, even in backticks.
  private static let inNamespaces: Set<String> = ["Protocol", "Type"]
}

extension ReservedTypeNames {
  /// Names that no type can ever have: those that are no names, and the default types of literals.
  private static let impossible: Set<String> = [
    "_", "self", "BooleanLiteralType", "ExtendedGraphemeClusterType", "FloatLiteralType", "IntegerLiteralType",
    "StringLiteralType", "UnicodeScalarType",
  ]

  /// The names of types nested in generated types of the data model, which would hide a schema's type.
  static let nested: Set<String> = [
    "CodingKeys", "Element", "Fields", "Union", "_Object", "_PrimaryKey", "_StructValue", "_TypeCode",
    "_UnionReader", "_Values",
  ]

  /// The names of local variables of generated functions, and of members of every type, that would hide a type.
  private static let locals: Set<String> = [
    "_change", "_commitVersion", "_differs", "_editor", "_fieldValues", "_fileIdentifier", "_hasSameKeys",
    "_isIdentical", "_object", "_path", "_primaryKey", "_primaryKeyUnits", "_record", "_rowid", "_structure", "_table",
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

/// The members that a definition's types inherit from their protocols, or from an extended type. They hide types and
/// namespaces that the code beside them uses.
private struct InheritedMembers {
  /// The names hidden in the code for bytes, which uses types with suffixes, and namespaces.
  private(set) var ofAccessors: Set<String> = []
  /// The names hidden in the code of the data model.
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

  /// The members of `OptionSet`, `Hashable` and `Codable`.
  static let ofOptionSets: Set<String> = [
    "ArrayLiteralElement", "Element", "RawValue", "contains", "encode", "formIntersection", "formSymmetricDifference",
    "formUnion", "hash", "hashValue", "insert", "intersection", "isDisjoint", "isEmpty", "isStrictSubset",
    "isStrictSuperset", "isSubset", "isSuperset", "rawValue", "remove", "subtract", "subtracting",
    "symmetricDifference", "union", "update",
  ]
}
