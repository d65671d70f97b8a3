import FlatBuffersCore

/// The path from the root table to the table or struct that holds a field.
public struct FieldPath: Hashable, Sendable {
  package enum Step: Hashable, BitwiseCopyable, Sendable {
    /// A step to the table in the field at the slot.
    case table(VTableOffset)
    /// A step to the struct in a table's field at the slot, or at the byte offset in a struct.
    case structure(VTableOffset)
    /// A step to the table that is the member of a union, if the type code is `code`. `slot` is the slot of the member.
    case unionTable(slot: VTableOffset, code: UnionCode)
    /// A step to the struct that is the member of a union, if the type code is `code`. `slot` is the slot of the
    /// member.
    case unionStructure(slot: VTableOffset, code: UnionCode)
    /// A step to the string that is the member of a union, if the type code is `code`. `slot` is the slot of the
    /// member.
    case unionString(slot: VTableOffset, code: UnionCode)
    /// A step from the root to an element of a vector: the first step of the fields in a condition on an element.
    /// `level` is the number of conditions on elements around that condition. After it, a union's type code and member
    /// have the slot 0.
    case element(level: Int)

    /// The step's part of a field's name on disk.
    var key: String {
      switch self {
      case .table(let slot), .structure(let slot): "f\(slot)"
      case .unionTable(let slot, let code), .unionStructure(let slot, let code), .unionString(let slot, let code):
        "f\(slot)__u\(code.number)"
      case .element(let level): "e\(level)"
      }
    }
  }

  package let steps: [Step]

  /// The empty path, which leads to the root table.
  public static let root = FieldPath(steps: [])

  init(steps: [Step]) {
    self.steps = steps
  }

  /// Returns this path extended to the table in the field at `slot`.
  public func table(at slot: VTableOffset) -> FieldPath { FieldPath(steps: steps + [.table(slot)]) }

  /// Returns this path extended to the struct in the field at `slot`. If this path leads to a struct, `slot` is the
  /// inner struct's byte offset.
  public func structure(at slot: VTableOffset) -> FieldPath { FieldPath(steps: steps + [.structure(slot)]) }

  /// Returns this path extended to the table that is the member of the union at `slot`, if its type code, of
  /// `codeSize` bytes, is `code`.
  public func unionTable(at slot: VTableOffset, code: UInt64, codeSize: Int = 1) -> FieldPath {
    FieldPath(steps: steps + [.unionTable(slot: slot, code: UnionCode(code, size: codeSize))])
  }

  /// Returns this path extended to the struct that is the member of the union at `slot`, if its type code, of
  /// `codeSize` bytes, is `code`.
  public func unionStructure(at slot: VTableOffset, code: UInt64, codeSize: Int = 1) -> FieldPath {
    FieldPath(steps: steps + [.unionStructure(slot: slot, code: UnionCode(code, size: codeSize))])
  }

  /// Returns this path extended to the string that is the member of the union at `slot`, if its type code, of
  /// `codeSize` bytes, is `code`.
  func unionString(at slot: VTableOffset, code: UInt64, codeSize: Int) -> FieldPath {
    FieldPath(steps: steps + [.unionString(slot: slot, code: UnionCode(code, size: codeSize))])
  }
}

/// The type of a field's value in a FlatBuffer.
public enum FieldStorage: Hashable, Sendable, BitwiseCopyable {
  /// A number of the type with this name.
  case bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float, double
  /// A string; NULL if it is absent.
  case string
  /// An `(offset64)` string; NULL if it is absent.
  case stringOffset64
  /// The type code of a union, identified by the slot of the union's member; NULL if the union is absent.
  case unionType
  /// The type code of a union whose schema names a type of 16, 32 or 64 bits for its codes.
  case unionType16, unionType32, unionType64
  /// A struct that is one fixed array with this number of bytes; NULL if it is absent.
  case bytes(UInt16)

  /// The storage of a union's type code that takes `size` bytes.
  init(unionTypeOfSize size: Int) {
    self =
      switch size {
      case 2: .unionType16
      case 4: .unionType32
      case 8: .unionType64
      default: .unionType
      }
  }

  /// Whether the value is a text.
  package var isText: Bool { self == .string || self == .stringOffset64 }

  /// Whether the value is the bytes of a struct.
  package var isBytes: Bool { if case .bytes = self { true } else { false } }

  /// Whether the value is a union's type code.
  var isUnionType: Bool {
    switch self {
    case .unionType, .unionType16, .unionType32, .unionType64: true
    default: false
    }
  }

  /// The SQL type of a column for these values.
  package var columnType: String {
    switch self {
    case .float, .double: "REAL"
    case .string, .stringOffset64: "TEXT"
    case .bytes: "BLOB"
    default: "INTEGER"
    }
  }
}

/// A single-valued field of a stored object: its path, its slot and its type in the object's bytes.
public struct RecordField: Hashable, Sendable {
  package let path: FieldPath
  package let storage: FieldStorage
  /// In a table, the vtable offset of the field, or of the union's member; in a struct, the field's offset in bytes.
  package let slot: VTableOffset
  /// The value of the field if it is absent from its table; nil for NULL.
  package let defaultValue: FieldValue?

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - path: the path to the table or struct that holds the field.
  ///   - storage: the type of the field's value.
  ///   - slot: in a table, the field's slot, or the slot of a union's member; in a struct, the field's byte offset.
  ///   - defaultValue: the value if the field is absent from its table; nil for NULL.
  public init(
    _ path: FieldPath, _ storage: FieldStorage, at slot: VTableOffset, default defaultValue: FieldValue? = nil
  ) {
    self.path = path
    self.storage = storage
    self.slot = slot
    // A NaN is NULL, as in rows. It would also make the field unequal to itself.
    if case .real(let number)? = defaultValue, number.isNaN {
      self.defaultValue = FieldValue.null
    } else {
      self.defaultValue = defaultValue
    }
  }

  /// Whether the field is a floating-point number, which may be NaN.
  package var isReal: Bool { storage == .float || storage == .double }

  /// Whether the field has a value in every row: it is an integer or bool in the root table and has a default. Real
  /// numbers do not qualify, because NaN is NULL.
  package var isNeverNull: Bool {
    switch storage {
    case .float, .double, .string, .stringOffset64, .unionType, .unionType16, .unionType32, .unionType64, .bytes: false
    default: path.steps.isEmpty && defaultValue != nil
    }
  }

  /// The field's name on disk: the name of a column of an index table, and a part of that table's name.
  public var key: String {
    let steps = path.steps.map(\.key) + [storage.isUnionType ? "f\(slot)__type" : "f\(slot)"]
    return steps.joined(separator: "__")
  }
}
