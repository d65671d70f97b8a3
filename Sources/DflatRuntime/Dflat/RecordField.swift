import FlatBuffersCore

/// The way from the root table to the table or struct that holds a field.
public struct FieldPath: Hashable, Sendable {
  enum Step: Hashable, BitwiseCopyable, Sendable {
    /// The table in the slot.
    case table(VTableOffset)
    /// The struct in the slot of a table, or at the offset in a struct.
    case structure(VTableOffset)
    /// The table that is the union's value, when its type code is `code`; `slot` is that of the value.
    case unionTable(slot: VTableOffset, code: UInt8)
    /// The struct that is the union's value, when its type code is `code`.
    case unionStructure(slot: VTableOffset, code: UInt8)
    /// The string that is the union's value, when its type code is `code`.
    case unionString(slot: VTableOffset, code: UInt8)

    var key: String {
      switch self {
      case .table(let slot), .structure(let slot): "f\(slot)"
      case .unionTable(let slot, let code), .unionStructure(let slot, let code), .unionString(let slot, let code):
        "f\(slot)__u\(code)"
      }
    }
  }

  let steps: [Step]

  /// The root table itself.
  public static let root = FieldPath(steps: [])

  private init(steps: [Step]) {
    self.steps = steps
  }

  /// The table in `slot` of the table that this path leads to.
  public func table(at slot: VTableOffset) -> FieldPath { FieldPath(steps: steps + [.table(slot)]) }

  /// The struct in `slot` of the table, or at the byte offset `slot` of the struct, that this path leads to.
  public func structure(at slot: VTableOffset) -> FieldPath { FieldPath(steps: steps + [.structure(slot)]) }

  /// The table that is the value of the union at `slot`, while its type code is `code`.
  public func unionTable(at slot: VTableOffset, code: UInt8) -> FieldPath {
    FieldPath(steps: steps + [.unionTable(slot: slot, code: code)])
  }

  /// The struct that is the value of the union at `slot`, while its type code is `code`.
  public func unionStructure(at slot: VTableOffset, code: UInt8) -> FieldPath {
    FieldPath(steps: steps + [.unionStructure(slot: slot, code: code)])
  }

  /// The string that is the value of the union at `slot`, while its type code is `code`.
  func unionString(at slot: VTableOffset, code: UInt8) -> FieldPath {
    FieldPath(steps: steps + [.unionString(slot: slot, code: code)])
  }

  /// Whether the path leads to a struct, in which a field's place is a byte offset.
  var endsInStructure: Bool {
    switch steps.last {
    case .structure, .unionStructure: true
    case .table, .unionTable, .unionString, nil: false
    }
  }
}

/// How a field is stored in a FlatBuffer.
public enum FieldStorage: UInt8, Hashable, Sendable, BitwiseCopyable {
  case bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float, double
  case string
  /// The type code of a union, at the slot of the union's value; NULL while the union is absent.
  case unionType

  /// The type of a column that holds such values.
  package var columnType: String {
    switch self {
    case .float, .double: "REAL"
    case .string: "TEXT"
    default: "INTEGER"
    }
  }
}

/// A field of a stored object that has one value: where it is in the object's bytes, and how to read it there.
public struct RecordField: Hashable, Sendable {
  let path: FieldPath
  package let storage: FieldStorage
  let slot: VTableOffset
  /// The value of the field while its table does not hold it; nil when it is NULL then.
  let defaultValue: FieldValue?

  /// - Parameters:
  ///   - path: the way to the table or struct that holds the field.
  ///   - storage: how the field is stored.
  ///   - slot: the field's vtable offset in a table (that of the value for a union), its byte offset in a struct.
  ///   - defaultValue: its value when the table does not hold it; nil for what is absent then.
  public init(
    _ path: FieldPath, _ storage: FieldStorage, at slot: VTableOffset, default defaultValue: FieldValue? = nil
  ) {
    self.path = path
    self.storage = storage
    self.slot = slot
    self.defaultValue = defaultValue
  }

  /// Whether every row has a value of the field: a number that has a default, in the root table. A real number may be NaN.
  package var isNeverNull: Bool {
    switch storage {
    case .float, .double, .string, .unionType: false
    default: path.steps.isEmpty && defaultValue != nil
    }
  }

  /// The field's name on disk: a column of an index table, and a part of that table's name.
  public var key: String {
    let steps = path.steps.map(\.key) + [storage == .unionType ? "f\(slot)__type" : "f\(slot)"]
    return steps.joined(separator: "__")
  }
}
