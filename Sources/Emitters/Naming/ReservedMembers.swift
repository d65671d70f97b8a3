import FBSSchema

/// The names of members that generated code or Swift reserves.
struct ReservedMembers {
  private let ofEnums: ReservedNames
  private let ofUnions: ReservedNames
  private let ofStructs: ReservedNames
  private let ofTables: ReservedNames
  private let ofMappedStructs: ReservedNames
  private let ofMappedTables: ReservedNames

  /// Collects the names that the code of `output` reserves.
  init(_ output: SwiftOutput, imported: ImportedTypeNames) {
    let editor: Set<String> = output.hasEditors ? ["_editor"] : []
    // A shadowed type is spelled with its module.
    let types = (output.hasModel ? Self.types : Self.typesOfAccessors).subtracting(imported.shadowedNames)
    let mapped =
      output.hasModel ? types.union(Self.typesOfMappings.subtracting(imported.shadowedNames)) : types
    func names(_ members: Set<String>, _ ofModels: Set<String>, types: Set<String> = []) -> ReservedNames {
      ReservedNames(members: Self.impossible.union(members).union(output.hasModel ? ofModels : []), types: types)
    }
    // A case begins with a lower-case letter or has none, so it is never the name of such a type.
    ofEnums = names(["rawValue"], ["allCases"])
    ofUnions = names(["unknown"], ["_typeCode"])
    ofStructs = names(editor.union(["_structure"]), Self.ofStructModels, types: types)
    ofTables = names(editor.union(["_table"]), Self.ofTableModels, types: types)
    ofMappedStructs = names(editor.union(["_structure"]), Self.ofStructModels, types: mapped)
    ofMappedTables = names(editor.union(["_table"]), Self.ofTableModels, types: mapped)
  }

  /// Returns the names that the code of a definition reserves.
  ///
  /// - Parameter hasMappings: whether that code names types that a field represents, such as `Date`.
  func of(_ definition: DefinitionID, hasMappings: Bool) -> ReservedNames {
    switch definition {
    case .enumeration: ofEnums
    case .union: ofUnions
    case .structure: hasMappings ? ofMappedStructs : ofStructs
    case .table: hasMappings ? ofMappedTables : ofTables
    }
  }

  /// The static property with the version of a table that has `(v: "...")`.
  static let schemaVersion = "flatBuffersSchemaVersion"

  /// Names that no member can have: `T.self`, `T.Type` and `T.Protocol` have a meaning in Swift.
  private static let impossible: Set<String> = ["_", "self", "Protocol", "Self", "Type"]
  private static let ofStructModels: Set<String> = [
    "_bytes", "_check", "_value", "_path", "byteSize", "byteAlignment", "Fields",
  ]
  private static let ofTableModels: Set<String> = [
    "_rowid", "_commitVersion", "_record", "_change", "_differs", "_fieldValues", "_fileIdentifier",
    "_hasSameKeys", "_isIdentical", "_makeRecord", "_path", "_primaryKey", "_primaryKeyUnits", "_state", "_taken",
    "_values", "Fields",
  ]

  /// Types and modules that generated code names in expressions, and types that are nested in generated types.
  private static let types = ReservedTypeNames.nested.union(imported.map(\.rawValue)).union(modules)
  private static let typesOfAccessors = Set(imported.filter { $0.module != "Dflat" }.map(\.rawValue)).union(modules)
  private static let typesOfMappings = Set(ImportedType.ofMappings.map(\.rawValue)).union(["Foundation"])
  private static let modules = Set(imported.map(\.module))
  private static let imported = Set(ImportedType.allCases).subtracting(ImportedType.ofMappings)
}

/// The names that no member of a definition can have.
struct ReservedNames {
  /// Names of members.
  let members: Set<String>
  /// Names of types, each of which begins with a capital or an underscore.
  let types: Set<String>

  func contains(_ name: String) -> Bool { members.contains(name) || types.contains(name) }

  /// The names of types alone, without the names of members.
  var ofTypes: ReservedNames { ReservedNames(members: [], types: types) }

  /// Returns these names, and the name of one more member.
  func adding(_ member: String) -> ReservedNames { ReservedNames(members: members.union([member]), types: types) }
}

/// The free names of a scope. Asking for a name takes it.
struct FreeNames {
  private let reserved: ReservedNames
  private let spelled: Set<String>
  private let output: SwiftOutput
  private var taken: Set<String> = []
  /// The first letters of all names that are taken from the start: most names begin with another one.
  private var firstLetters = ASCIISet()

  /// Creates the scope of a definition's members.
  ///
  /// - Parameters:
  ///   - reserved: names that no member can have.
  ///   - spelled: types and namespaces that code beside the members spells.
  init(reserved: ReservedNames, spelled: Set<String>, output: SwiftOutput) {
    self.reserved = reserved
    self.spelled = spelled
    self.output = output
    if !reserved.types.isEmpty { firstLetters.insertCapitals() }
    for name in reserved.members { firstLetters.insert(name.utf8.first) }
    for name in spelled { firstLetters.insert(name.utf8.first) }
  }

  /// Takes a name, and returns whether it was free.
  mutating func take(_ name: String) -> Bool {
    if firstLetters.mayContain(name.utf8.first) {
      guard NameObstacle(name, reserved: reserved, spelled: spelled, output) == nil else { return false }
    }
    return taken.insert(name).inserted
  }
}

extension NameObstacle {
  /// Finds the obstacle to a member's name, apart from other members; nil if there is none.
  init?(_ name: String, reserved: ReservedNames, spelled: Set<String>, _ output: SwiftOutput) {
    if reserved.contains(name) {
      self = .reserved
    } else if spelled.contains(name) || output.hasModel && spelled.contains(name + SwiftField.offsetSuffix) {
      // While a table is written, a local variable of that name holds the position of the field's object.
      self = .hides
    } else {
      return nil
    }
  }
}

/// A set of ASCII characters. For other characters, `mayContain` is always true.
private struct ASCIISet {
  private var bits: (UInt64, UInt64) = (0, 0)

  mutating func insert(_ byte: UInt8?) {
    guard let byte, byte < 128 else { return }
    if byte < 64 { bits.0 |= 1 << byte } else { bits.1 |= 1 << (byte - 64) }
  }

  mutating func insertCapitals() {
    bits.1 |= 0x07FF_FFFE
  }

  func mayContain(_ byte: UInt8?) -> Bool {
    guard let byte, byte < 128 else { return true }
    return (byte < 64 ? bits.0 >> byte : bits.1 >> (byte - 64)) & 1 == 1
  }
}

extension FieldType {
  /// Whether the type is a union, or a vector of unions.
  var isOrHasUnion: Bool {
    switch self {
    case .union, .vector(of: .union): true
    default: false
    }
  }
}
