import FBSSchema
import FlatBuffersCore

extension ReflectiveReader {
  /// The type of a number, with its enum.
  struct Number {
    let type: ScalarType
    var definition: EnumDefinition?

    init?(_ type: FieldType, _ schema: Schema) {
      switch type {
      case .scalar(let scalar): self.type = scalar
      case .enumeration(let id): (self.type, definition) = (schema[id].underlyingType, schema[id])
      default: return nil
      }
    }

    init?(_ type: StructDefinition.FieldType, _ schema: Schema) {
      switch type {
      case .scalar(let scalar): self.type = scalar
      case .enumeration(let id): (self.type, definition) = (schema[id].underlyingType, schema[id])
      default: return nil
      }
    }
  }

  /// A number as a reader has it.
  enum Value: Equatable {
    case nothing
    case whole(Int64, isHuge: Bool)
    case real(UInt64)

    init(_ presence: FieldDefinition.Presence) {
      switch presence {
      case .defaulted(.bool(let value)): self = .whole(value ? 1 : 0, isHuge: false)
      case .defaulted(.integer(let value)): self = .whole(value, isHuge: false)
      case .defaulted(.unsigned(let value)): self = .whole(Int64(bitPattern: value), isHuge: true)
      case .defaulted(.real(let value)): self = .real(value.bitPattern)
      case .optional, .required, .defaultedObject: self = .nothing
      }
    }

    init(_ type: ScalarType, _ table: FlatBufferTable, _ slot: VTableOffset) {
      switch type {
      case .bool: self = .whole(table.scalar(at: slot, default: false) ? 1 : 0, isHuge: false)
      case .int8: self = .whole(Int64(table.scalar(at: slot, default: Int8(0))), isHuge: false)
      case .uint8: self = .whole(Int64(table.scalar(at: slot, default: UInt8(0))), isHuge: false)
      case .int16: self = .whole(Int64(table.scalar(at: slot, default: Int16(0))), isHuge: false)
      case .uint16: self = .whole(Int64(table.scalar(at: slot, default: UInt16(0))), isHuge: false)
      case .int32: self = .whole(Int64(table.scalar(at: slot, default: Int32(0))), isHuge: false)
      case .uint32: self = .whole(Int64(table.scalar(at: slot, default: UInt32(0))), isHuge: false)
      case .int64: self = .whole(table.scalar(at: slot, default: Int64(0)), isHuge: false)
      case .uint64: self.init(unsigned: table.scalar(at: slot, default: UInt64(0)))
      case .float: self.init(real: Double(table.scalar(at: slot, default: Float(0))))
      case .double: self.init(real: table.scalar(at: slot, default: Double(0)))
      }
    }

    init(_ type: ScalarType, _ value: FlatBufferStruct, _ offset: Int) {
      switch type {
      case .bool: self = .whole(value.scalar(Bool.self, at: offset) ? 1 : 0, isHuge: false)
      case .int8: self = .whole(Int64(value.scalar(Int8.self, at: offset)), isHuge: false)
      case .uint8: self = .whole(Int64(value.scalar(UInt8.self, at: offset)), isHuge: false)
      case .int16: self = .whole(Int64(value.scalar(Int16.self, at: offset)), isHuge: false)
      case .uint16: self = .whole(Int64(value.scalar(UInt16.self, at: offset)), isHuge: false)
      case .int32: self = .whole(Int64(value.scalar(Int32.self, at: offset)), isHuge: false)
      case .uint32: self = .whole(Int64(value.scalar(UInt32.self, at: offset)), isHuge: false)
      case .int64: self = .whole(value.scalar(Int64.self, at: offset), isHuge: false)
      case .uint64: self.init(unsigned: value.scalar(UInt64.self, at: offset))
      case .float: self.init(real: Double(value.scalar(Float.self, at: offset)))
      case .double: self.init(real: value.scalar(Double.self, at: offset))
      }
    }

    private init(unsigned value: UInt64) { self = .whole(Int64(bitPattern: value), isHuge: value > Int64.max) }

    /// NaN is itself, and zero has a sign.
    private init(real value: Double) { self = .real(value.isNaN ? Double.nan.bitPattern : value.bitPattern) }
  }

  /// Whether a number means the same to both.
  mutating func same(_ number: Number, _ value: Value, _ other: Number, _ otherValue: Value, _ name: String) {
    guard value == otherValue else { return report("\(name): \(value) is \(otherValue)") }
    guard case .whole(let bits, _) = value, let after = other.definition else { return }
    let (names, isKnown) = Self.meaning(of: bits, after)
    guard let before = number.definition else {
      if !isKnown { report("\(name): \(bits) is no value") }
      return
    }
    let (oldNames, wasKnown) = Self.meaning(of: bits, before)
    let (oldAll, all) = (Set(before.values.map(\.name)), Set(after.values.map(\.name)))
    if !oldNames.intersection(all).isSubset(of: names) { return report("\(name): \(bits) means another value") }
    if isBackward, !isKnown, before.isBitFlags == after.isBitFlags { return }
    guard wasKnown else { return }
    if !isKnown || names.count != oldNames.count || !names.intersection(oldAll).isSubset(of: oldNames) {
      report("\(name): \(bits) means something else")
    }
  }

  /// The names of a number's values, and whether they are all of it.
  private static func meaning(of number: Int64, _ definition: EnumDefinition) -> (Set<String>, Bool) {
    guard definition.isBitFlags else {
      let value = definition.values.first { $0.number == number }
      return (Set([value?.name].compactMap { $0 }), value != nil)
    }
    let values = definition.values.filter { $0.number & number != 0 }
    return (Set(values.map(\.name)), values.reduce(number) { $0 & ~$1.number } == 0)
  }
}
