import FlatBuffersCore

/// The value of a field or an expression for one row. A text is the row's own bytes, or a constant of what was evaluated,
/// not a copy: it is good only as long as the row's bytes stay where they are, and the program or readers are kept.
package enum RowValue: BitwiseCopyable {
  case null
  case integer(Int64)
  /// Above `Int64.max`.
  case unsigned(UInt64)
  /// Not NaN.
  case real(Double)
  case text(UnsafeRawBufferPointer)

  @inline(__always)
  init(_ value: UInt64) {
    self = value > UInt64(Int64.max) ? .unsigned(value) : .integer(Int64(truncatingIfNeeded: value))
  }

  @inline(__always)
  init(_ value: Double) {
    self = value.isNaN ? .null : .real(value)
  }

  @inline(__always)
  init(_ value: Bool) {
    self = .integer(value ? 1 : 0)
  }
}

extension RowValue {
  /// Whether the values are one, to the last bit.
  package func isIdentical(to other: RowValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let lhs), .integer(let rhs)): lhs == rhs
    case (.unsigned(let lhs), .unsigned(let rhs)): lhs == rhs
    case (.real(let lhs), .real(let rhs)): lhs.bitPattern == rhs.bitPattern
    case (.text(let lhs), .text(let rhs)): lhs.isSame(as: rhs)
    default: false
    }
  }
}

extension FieldValue {
  /// Calls `body` with the value, which is good until it returns.
  package func withRowValue<Result>(_ body: (RowValue) throws -> Result) rethrows -> Result {
    switch self {
    case .null: return try body(.null)
    case .integer(let value): return try body(.integer(value))
    case .unsigned(let value): return try body(RowValue(value))
    case .real(let value): return try body(RowValue(value))
    case .text(var value): return try value.withUTF8 { try body(.text(UnsafeRawBufferPointer($0))) }
    }
  }
}

/// Memory that holds the parts of a compiled query for as long as it is used. Filled while it is made, then constant.
package struct ConstantMemory: ~Copyable {
  private var blocks: [UnsafeMutableRawPointer] = []

  package init() {}

  /// A copy of `values` that stays in place as long as this memory.
  mutating func store<T: BitwiseCopyable>(_ values: some Collection<T>) -> UnsafeBufferPointer<T> {
    guard !values.isEmpty else { return UnsafeBufferPointer(start: nil, count: 0) }
    let copy = UnsafeMutableBufferPointer<T>.allocate(capacity: values.count)
    _ = copy.initialize(from: values)
    blocks.append(UnsafeMutableRawPointer(copy.baseAddress.unsafelyUnwrapped))  // Not nil: the capacity is not 0.
    return UnsafeBufferPointer(copy)
  }

  /// `value` with its text, if it is one, in this memory.
  package mutating func store(_ value: FieldValue) -> RowValue {
    switch value {
    case .null: .null
    case .integer(let value): .integer(value)
    case .unsigned(let value): RowValue(value)
    case .real(let value): RowValue(value)
    case .text(let value): .text(UnsafeRawBufferPointer(store(Array(value.utf8))))
    }
  }

  deinit {
    // Every block is allocated above as trivial values.
    for block in blocks { block.deallocate() }
  }
}

/// A field's place, resolved once, so that reading it from a row walks no array of objects and allocates nothing.
struct FieldReader: BitwiseCopyable {
  /// A step from a table to a table.
  enum Step: BitwiseCopyable {
    case table(VTableOffset)
    case unionTable(slot: VTableOffset, code: UInt8)
  }

  /// Where the value is in the last table.
  enum Place: BitwiseCopyable {
    case slot
    /// In the struct in `slot`, which starts `offset` bytes before the value.
    case structure(slot: VTableOffset, offset: Int)
    /// In the struct that is the value of the union in `slot`.
    case unionStructure(slot: VTableOffset, code: UInt8, offset: Int)
    /// The string that is the value of the union in `slot`.
    case unionString(slot: VTableOffset, code: UInt8)
  }

  private let steps: UnsafeBufferPointer<Step>
  private let place: Place
  private let storage: FieldStorage
  private let slot: VTableOffset
  private let defaultValue: RowValue

  init(_ field: RecordField, in memory: inout ConstantMemory) {
    var tables: [Step] = []
    var place = Place.slot
    for step in field.path.steps {
      switch (step, place) {
      case (.table(let slot), _): tables.append(.table(slot))
      case (.unionTable(let slot, let code), _): tables.append(.unionTable(slot: slot, code: code))
      case (.unionString(let slot, let code), _): place = .unionString(slot: slot, code: code)
      // A string has no fields.
      case (.structure, .unionString): break
      case (.structure(let slot), .slot): place = .structure(slot: slot, offset: 0)
      case (.unionStructure(let slot, let code), _): place = .unionStructure(slot: slot, code: code, offset: 0)
      // A struct in a struct: one block of bytes.
      case (.structure(let inner), .structure(let slot, let offset)):
        place = .structure(slot: slot, offset: offset + Int(inner))
      case (.structure(let inner), .unionStructure(let slot, let code, let offset)):
        place = .unionStructure(slot: slot, code: code, offset: offset + Int(inner))
      }
    }
    switch place {
    case .slot, .unionString: break
    case .structure(let slot, let offset): place = .structure(slot: slot, offset: offset + Int(field.slot))
    case .unionStructure(let slot, let code, let offset):
      place = .unionStructure(slot: slot, code: code, offset: offset + Int(field.slot))
    }
    steps = memory.store(tables)
    self.place = place
    storage = field.storage
    slot = field.slot
    defaultValue = field.defaultValue.map { memory.store($0) } ?? .null
  }

  /// The field's value in the row whose root is `root`.
  @inline(__always)
  func value(in root: FlatBufferTable) -> RowValue {
    if steps.isEmpty, case .slot = place { return value(inTable: root) }
    return nestedValue(in: root)
  }

  private func nestedValue(in root: FlatBufferTable) -> RowValue {
    var table = root
    for step in steps {
      let next: FlatBufferTable?
      switch step {
      case .table(let slot): next = table.table(at: slot)
      case .unionTable(let slot, let code):
        next = table.scalar(at: slot &- 2, default: 0 as UInt8) == code ? table.table(at: slot) : nil
      }
      guard let next else { return .null }
      table = next
    }
    switch place {
    case .slot:
      return value(inTable: table)
    case .structure(let slot, let offset):
      guard let structure = table.structure(at: slot, size: offset &+ width) else { return .null }
      return value(in: structure, at: offset)
    case .unionStructure(let slot, let code, let offset):
      guard table.scalar(at: slot &- 2, default: 0 as UInt8) == code, let member = table.unionMember(at: slot),
        let structure = member.structure(size: offset &+ width)
      else { return .null }
      return value(in: structure, at: offset)
    case .unionString(let slot, let code):
      guard table.scalar(at: slot &- 2, default: 0 as UInt8) == code, let text = table.unionMember(at: slot)?.utf8
      else { return .null }
      return .text(text)
    }
  }

  /// The bytes that the scalar takes.
  private var width: Int {
    switch storage {
    case .bool, .int8, .uint8, .unionType: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float: 4
    case .int64, .uint64, .double: 8
    case .string: 4
    }
  }

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
    case .unionType: unionType(in: table)
    }
  }

  @inline(__always)
  private func integer(_ value: (some FixedWidthInteger)?) -> RowValue {
    guard let value else { return defaultValue }
    return .integer(Int64(truncatingIfNeeded: value))
  }

  /// A union is present when it has both a type and a value.
  private func unionType(in table: FlatBufferTable) -> RowValue {
    let code = table.scalar(at: slot &- 2, default: 0 as UInt8)
    return code != 0 && table.hasField(at: slot) ? .integer(Int64(code)) : .null
  }

  private func value(in structure: FlatBufferStruct, at offset: Int) -> RowValue {
    switch storage {
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
    // A struct holds neither strings nor unions.
    case .string, .unionType: .null
    }
  }
}

/// Reads several fields from rows.
package final class FieldReaders: @unchecked Sendable {
  // Unchecked because of the pointers: they lead to `memory`, which does not change after the initializer.
  private let memory: ConstantMemory
  private let readers: UnsafeBufferPointer<FieldReader>

  init(_ fields: [RecordField]) {
    var memory = ConstantMemory()
    var readers: [FieldReader] = []
    for field in fields { readers.append(FieldReader(field, in: &memory)) }
    self.readers = memory.store(readers)
    self.memory = memory
  }

  /// The value of the field at `index` in the row whose root is `root`; see `RowValue` for how long a text is good.
  package func value(at index: Int, in root: FlatBufferTable) -> RowValue {
    readers[index].value(in: root)
  }
}
