import FlatBuffersCore

/// The value of a field or an expression for one row.
///
/// Texts and bytes are not copied: they point into the row, or to a constant of the program. They are valid only while
/// the row's bytes are, and while the `QueryProgram` or the `FieldReaders` that returned it is retained.
package enum RowValue: BitwiseCopyable {
  case null
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  /// An integer below `Int64.min` or above `UInt64.max`: the result of an arithmetic operator, never the value of a
  /// field.
  case wide(WideInteger)
  /// A floating-point number that is not NaN.
  case real(Double)
  case text(UnsafeRawBufferPointer)
  /// The bytes of a struct that is one fixed array of bytes.
  case bytes(UnsafeRawBufferPointer)

  init(_ value: UInt64) {
    self = value > UInt64(Int64.max) ? .unsigned(value) : .integer(Int64(truncatingIfNeeded: value))
  }

  init(_ value: Double) {
    self = value.isNaN ? .null : .real(value)
  }

  init(_ value: Bool) {
    self = .integer(value ? 1 : 0)
  }
}

extension RowValue {
  /// The value as text for a message; only the beginning of a long text.
  package var text: String {
    switch self {
    case .null: return "nil"
    case .integer(let value): return "\(value)"
    case .unsigned(let value): return "\(value)"
    case .wide: return "a number of more than 64 bits"
    case .real(let value): return "\(value)"
    case .text(let bytes):
      let text = String(decoding: bytes.prefix(200), as: UTF8.self)
      let isCut = bytes.count > 200 || text.count > 40
      return isCut ? String(text.prefix(40)).debugDescription + "..." : text.debugDescription
    case .bytes(let bytes):
      return FieldValue.hexadecimal(bytes.prefix(32)) + (bytes.count > 32 ? "..." : "")
    }
  }

  /// Returns whether the values have the same type and the same bits.
  package func isIdentical(to other: RowValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let lhs), .integer(let rhs)): lhs == rhs
    case (.unsigned(let lhs), .unsigned(let rhs)): lhs == rhs
    case (.wide(let lhs), .wide(let rhs)): lhs == rhs
    case (.real(let lhs), .real(let rhs)): lhs.bitPattern == rhs.bitPattern
    case (.text(let lhs), .text(let rhs)), (.bytes(let lhs), .bytes(let rhs)): lhs.isSame(as: rhs)
    default: false
    }
  }

  /// The content of a text, or the bytes; nil for other values. The value does not own their memory.
  package var content: UnsafeRawBufferPointer? {
    switch self {
    case .text(let content), .bytes(let content): content
    case .null, .integer, .unsigned, .wide, .real: nil
    }
  }
}

extension FieldValue {
  /// Calls `body` with the value as a `RowValue`, which is valid until `body` returns.
  package func withRowValue<Result>(_ body: (RowValue) throws -> Result) rethrows -> Result {
    switch self {
    case .null: return try body(.null)
    case .integer(let value): return try body(.integer(value))
    case .unsigned(let value): return try body(RowValue(value))
    case .real(let value): return try body(RowValue(value))
    case .text(var value): return try value.withUTF8 { try body(.text(UnsafeRawBufferPointer($0))) }
    case .bytes(let value): return try value.withUnsafeBytes { try body(.bytes($0)) }
    }
  }
}

/// An arena for the parts of a compiled query. It is filled during compilation and constant afterwards; its blocks are
/// freed when it is destroyed.
package struct ConstantMemory: ~Copyable {
  private var blocks: [UnsafeMutableRawPointer] = []

  package init() {}

  /// Copies `values` into the arena. The copy is valid as long as the arena.
  mutating func store<T: BitwiseCopyable>(_ values: some Collection<T>) -> UnsafeBufferPointer<T> {
    guard !values.isEmpty else { return UnsafeBufferPointer(start: nil, count: 0) }
    let copy = UnsafeMutableBufferPointer<T>.allocate(capacity: values.count)
    _ = copy.initialize(from: values)
    blocks.append(UnsafeMutableRawPointer(copy.baseAddress.unsafelyUnwrapped))  // Not nil: the capacity is not 0.
    return UnsafeBufferPointer(copy)
  }

  /// Converts `value`, and copies its text or bytes, if it has any, into the arena.
  package mutating func store(_ value: FieldValue) -> RowValue {
    switch value {
    case .null: .null
    case .integer(let value): .integer(value)
    case .unsigned(let value): RowValue(value)
    case .real(let value): RowValue(value)
    case .text(let value): store(bytes: Array(value.utf8))
    case .bytes(let value): .bytes(UnsafeRawBufferPointer(store(value)))
    }
  }

  /// Copies the bytes of a text into the arena.
  package mutating func store(bytes: [UInt8]) -> RowValue { .text(UnsafeRawBufferPointer(store(bytes))) }

  deinit {
    // The blocks hold trivial values only, so nothing needs to be deinitialized.
    for block in blocks { block.deallocate() }
  }
}

/// A field's path, compiled once into flat memory. Reading the field from a row allocates nothing and follows no
/// reference-counted object.
struct FieldReader: BitwiseCopyable {
  /// A step of the path from a table to a table that it refers to.
  enum Step: BitwiseCopyable {
    case table(VTableOffset)
    case unionTable(slot: VTableOffset, code: UnionCode)

    /// Returns the table to which the step leads from `table`; nil if it is absent, or the union holds another member.
    func next(from table: FlatBufferTable) -> FlatBufferTable? {
      switch self {
      case .table(let slot): table.table(at: slot)
      case .unionTable(let slot, let code): code.isCode(in: table, ofUnionAt: slot) ? table.table(at: slot) : nil
      }
    }
  }

  /// The location of the value in the last table of the path.
  enum Location: BitwiseCopyable {
    /// The value is in the field of the table itself.
    case slot
    /// The value is in the struct in the field at `slot`, `offset` bytes from the struct's start.
    case structure(slot: VTableOffset, offset: Int)
    /// The value is in the struct that is the member of the union at `slot`, `offset` bytes from the struct's start.
    case unionStructure(slot: VTableOffset, code: UnionCode, offset: Int)
    /// The value is the string that is the member of the union at `slot`.
    case unionString(slot: VTableOffset, code: UnionCode)
  }

  private let steps: UnsafeBufferPointer<Step>
  private let location: Location
  private let storage: FieldStorage
  private let slot: VTableOffset
  private let defaultValue: RowValue

  init(_ field: RecordField, in memory: inout ConstantMemory) {
    var tables: [Step] = []
    var location = Location.slot
    for step in field.path.steps {
      switch (step, location) {
      case (.table(let slot), _): tables.append(.table(slot))
      case (.unionTable(let slot, let code), _): tables.append(.unionTable(slot: slot, code: code))
      case (.unionString(let slot, let code), _): location = .unionString(slot: slot, code: code)
      // A string has no fields.
      case (.structure, .unionString): break
      // An element is read by an `ElementReader`, whose path goes on behind it.
      case (.element, _): break
      case (.structure(let slot), .slot): location = .structure(slot: slot, offset: 0)
      case (.unionStructure(let slot, let code), _): location = .unionStructure(slot: slot, code: code, offset: 0)
      // A nested struct is stored inline, so the offsets add up.
      case (.structure(let inner), .structure(let slot, let offset)):
        location = .structure(slot: slot, offset: offset + Int(inner))
      case (.structure(let inner), .unionStructure(let slot, let code, let offset)):
        location = .unionStructure(slot: slot, code: code, offset: offset + Int(inner))
      }
    }
    switch location {
    // A value of bytes is a struct, and starts where that does.
    case .slot where field.storage.isBytes: location = .structure(slot: field.slot, offset: 0)
    case .slot, .unionString: break
    case .structure(let slot, let offset): location = .structure(slot: slot, offset: offset + Int(field.slot))
    case .unionStructure(let slot, let code, let offset):
      location = .unionStructure(slot: slot, code: code, offset: offset + Int(field.slot))
    }
    steps = memory.store(tables)
    self.location = location
    storage = field.storage
    slot = field.slot
    defaultValue = field.defaultValue.map { memory.store($0) } ?? .null
  }

  // Inlined for the benchmark row "fetch a sixth by a number without index": the field of each row is read here.
  /// Returns the field's value in the row whose root is `root`.
  @inline(__always)
  func value(in root: FlatBufferTable) -> RowValue {
    if steps.isEmpty, case .slot = location { return value(inTable: root) }
    return nestedValue(in: root)
  }

  private func nestedValue(in root: FlatBufferTable) -> RowValue {
    var table = root
    for step in steps {
      guard let next = step.next(from: table) else { return .null }
      table = next
    }
    switch location {
    case .slot:
      return value(inTable: table)
    case .structure(let slot, let offset):
      guard let structure = table.structure(at: slot, size: offset &+ width) else { return .null }
      return value(in: structure, at: offset)
    case .unionStructure(let slot, let code, let offset):
      guard code.isCode(in: table, ofUnionAt: slot), let member = table.unionMember(at: slot),
        let structure = member.structure(size: offset &+ width)
      else { return .null }
      return value(in: structure, at: offset)
    case .unionString(let slot, let code):
      guard code.isCode(in: table, ofUnionAt: slot), let text = table.unionMember(at: slot)?.utf8 else { return .null }
      return .text(text)
    }
  }

  /// The size of the value in bytes; for a string, the size of its offset.
  private var width: Int { storage.width }

  @inline(__always)
  private func value(inTable table: FlatBufferTable) -> RowValue {
    switch storage {
    case .bool: integer(table.optionalScalar(UInt8.self, at: slot).map { $0 == 0 ? 0 : 1 })
    case .int8: integer(table.optionalScalar(Int8.self, at: slot))
    case .uint8: integer(table.optionalScalar(UInt8.self, at: slot))
    case .int16: integer(table.optionalScalar(Int16.self, at: slot))
    case .uint16: integer(table.optionalScalar(UInt16.self, at: slot))
    case .int32: integer(table.optionalScalar(Int32.self, at: slot))
    case .uint32: integer(table.optionalScalar(UInt32.self, at: slot))
    case .int64: integer(table.optionalScalar(Int64.self, at: slot))
    case .uint64: table.optionalScalar(UInt64.self, at: slot).map { RowValue($0) } ?? defaultValue
    case .float: table.optionalScalar(Float.self, at: slot).map { RowValue(Double($0)) } ?? defaultValue
    case .double: table.optionalScalar(Double.self, at: slot).map { RowValue($0) } ?? defaultValue
    case .string: table.utf8(at: slot).map { .text($0) } ?? defaultValue
    case .stringOffset64: table.utf8(offset64At: slot).map { .text($0) } ?? defaultValue
    case .unionType: unionType(UInt8.self, in: table)
    case .unionType16: unionType(UInt16.self, in: table)
    case .unionType32: unionType(UInt32.self, in: table)
    case .unionType64: unionType(UInt64.self, in: table)
    // Their location is a struct.
    case .bytes: .null
    }
  }

  @inline(__always)
  private func integer(_ value: (some FixedWidthInteger)?) -> RowValue {
    guard let value else { return defaultValue }
    return .integer(Int64(truncatingIfNeeded: value))
  }

  /// Returns the type code of a union; NULL if the union lacks its type code or its member.
  ///
  /// The code is read as an unsigned number even if the schema's type is signed. Both read alike, since the codes that
  /// a schema can name are not negative.
  private func unionType<Code: FlatBufferScalar & UnsignedInteger>(_: Code.Type, in table: FlatBufferTable) -> RowValue
  {
    let code = table.scalar(at: slot &- 2, default: 0 as Code)
    return code != 0 && table.hasField(at: slot) ? RowValue(UInt64(code)) : .null
  }

  private func value(in structure: FlatBufferStruct, at offset: Int) -> RowValue {
    storage.value(in: structure, at: offset)
  }
}

extension FieldStorage {
  /// The size of the value in bytes; for a string, the size of its offset.
  var width: Int {
    switch self {
    case .bool, .int8, .uint8, .unionType: 1
    case .int16, .uint16, .unionType16: 2
    case .int32, .uint32, .float, .unionType32: 4
    case .int64, .uint64, .double, .unionType64: 8
    case .string: 4
    case .stringOffset64: 8
    case .bytes(let count): Int(count)
    }
  }

  /// Returns the value in a struct at `offset`, in bytes from the struct's start. Bytes are valid while the row's bytes
  /// are.
  func value(in structure: FlatBufferStruct, at offset: Int) -> RowValue {
    switch self {
    case .bool: .integer(structure.scalar(UInt8.self, at: offset) == 0 ? 0 : 1)
    case .int8: .integer(Int64(structure.scalar(Int8.self, at: offset)))
    case .uint8: .integer(Int64(structure.scalar(UInt8.self, at: offset)))
    case .int16: .integer(Int64(structure.scalar(Int16.self, at: offset)))
    case .uint16: .integer(Int64(structure.scalar(UInt16.self, at: offset)))
    case .int32: .integer(Int64(structure.scalar(Int32.self, at: offset)))
    case .uint32: .integer(Int64(structure.scalar(UInt32.self, at: offset)))
    case .int64: .integer(structure.scalar(Int64.self, at: offset))
    case .uint64: RowValue(structure.scalar(UInt64.self, at: offset))
    case .float: RowValue(Double(structure.scalar(Float.self, at: offset)))
    case .double: RowValue(structure.scalar(Double.self, at: offset))
    case .bytes(let count): structure.bytes(at: offset, count: Int(count)).map { .bytes($0) } ?? .null
    // A struct holds neither strings nor unions.
    case .string, .stringOffset64, .unionType, .unionType16, .unionType32, .unionType64: .null
    }
  }
}

/// The readers of several fields, which share their memory.
package final class FieldReaders: @unchecked Sendable {
  // Unchecked because of the pointers: they point into `memory`, which is constant after the initializer.
  private let memory: ConstantMemory
  private let readers: UnsafeBufferPointer<FieldReader>

  init(_ fields: [RecordField]) {
    var memory = ConstantMemory()
    var readers: [FieldReader] = []
    for field in fields { readers.append(FieldReader(field, in: &memory)) }
    self.readers = memory.store(readers)
    self.memory = memory
  }

  /// Returns the value of the field at `index` in the row whose root is `root`; see `RowValue` for the lifetime of a
  /// text.
  package func value(at index: Int, in root: FlatBufferTable) -> RowValue {
    readers[index].value(in: root)
  }

  /// Returns whether `comparison` holds between the field at `index` and `constant`, in the row whose root is `root`;
  /// false if either is NULL.
  package func compares(
    _ comparison: QueryNode.Comparison, _ constant: RowValue, at index: Int, in root: FlatBufferTable
  ) -> Bool {
    comparison.holds(readers[index].value(in: root), constant)
  }
}
