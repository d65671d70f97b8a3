import FBSSchema

/// The names of members that are generated beside those of the schema, or that Swift keeps for itself.
struct ReservedMembers {
  private let ofEnums: Set<String>
  private let ofUnions: Set<String>
  private let ofStructs: Set<String>
  private let ofTables: Set<String>

  init(_ output: SwiftOutput) {
    let editor: Set<String> = output.hasEditors ? ["_editor"] : []
    ofEnums = Self.impossible.union(["rawValue"]).union(output.hasModel ? ["allCases"] : [])
    ofUnions = Self.impossible.union(["unknown"]).union(output.hasModel ? ["_typeCode"] : [])
    ofStructs = Self.impossible.union(["_structure"]).union(editor).union(output.hasModel ? Self.ofStructModels : [])
    ofTables = Self.impossible.union(["_table"]).union(editor).union(output.hasModel ? Self.ofTableModels : [])
  }

  func of(_ definition: DefinitionID) -> Set<String> {
    switch definition {
    case .enumeration: ofEnums
    case .union: ofUnions
    case .structure: ofStructs
    case .table: ofTables
    }
  }

  /// Names that no member can have: `T.self`, `T.Type` and `T.Protocol` mean something to Swift.
  private static let impossible: Set<String> = ["_", "self", "Protocol", "Self", "Type"]
  private static let ofStructModels: Set<String> = ["_value", "_path", "byteSize", "byteAlignment", "Fields"]
  private static let ofTableModels: Set<String> = [
    "_rowid", "_commitVersion", "_record", "_change", "_differs", "_fieldValues", "_fileIdentifier",
    "_hasSameKeys", "_isIdentical", "_makeRecord", "_path", "_primaryKey", "_state", "_taken", "_values", "Fields",
  ]
}

/// Tells whether names are free, each of which is taken by being asked for.
struct FreeNames {
  private let reserved: Set<String>
  private let spelled: Set<String>
  private let output: SwiftOutput
  private var taken: Set<String> = []
  /// The first letters of all names that are not free from the start: most names have another one.
  private var firstLetters = ASCIISet()

  /// - Parameters:
  ///   - reserved: Names of generated members.
  ///   - spelled: Types and namespaces that code beside the members spells.
  init(reserved: Set<String>, spelled: Set<String>, output: SwiftOutput) {
    self.reserved = reserved
    self.spelled = spelled
    self.output = output
    for name in reserved { firstLetters.insert(name.utf8.first) }
    for name in spelled { firstLetters.insert(name.utf8.first) }
  }

  /// Whether a name was free. Now it is not.
  mutating func take(_ name: String) -> Bool {
    if firstLetters.mayContain(name.utf8.first) {
      guard NameObstacle(name, reserved: reserved, spelled: spelled, output) == nil else { return false }
    }
    return taken.insert(name).inserted
  }
}

extension NameObstacle {
  /// What is in the way of a member's name but other members; nil if nothing is.
  init?(_ name: String, reserved: Set<String>, spelled: Set<String>, _ output: SwiftOutput) {
    if reserved.contains(name) {
      self = .reserved
    } else if spelled.contains(name) || output.hasModel && spelled.contains(name + SwiftField.offsetSuffix) {
      // While a table is written, a local called so has the position of the field's object.
      self = .hides
    } else {
      return nil
    }
  }
}

/// Some of the ASCII characters. Of all others it cannot tell.
private struct ASCIISet {
  private var bits: (UInt64, UInt64) = (0, 0)

  mutating func insert(_ byte: UInt8?) {
    guard let byte, byte < 128 else { return }
    if byte < 64 { bits.0 |= 1 << byte } else { bits.1 |= 1 << (byte - 64) }
  }

  func mayContain(_ byte: UInt8?) -> Bool {
    guard let byte, byte < 128 else { return true }
    return (byte < 64 ? bits.0 >> byte : bits.1 >> (byte - 64)) & 1 == 1
  }
}

extension FieldType {
  /// Whether it is a union, or a vector of them.
  var isOrHasUnion: Bool {
    switch self {
    case .union, .vector(of: .union): true
    default: false
    }
  }
}
