import Dflat
import PostgresLayout

extension StoredField {
  /// Creates the description by which SQL reads a record's field.
  init(_ field: RecordField) {
    let steps = field.path.steps.compactMap { step -> Step? in
      switch step {
      case .table(let slot): .table(Int(slot))
      case .structure(let slot): .structure(Int(slot))
      case .unionTable(let slot, let code): .unionTable(slot: Int(slot), code: UnionCode(code))
      case .unionStructure(let slot, let code): .unionStructure(slot: Int(slot), code: UnionCode(code))
      case .unionString(let slot, let code): .unionString(slot: Int(slot), code: UnionCode(code))
      // A column is that of a row, never of an element.
      case .element: nil
      }
    }
    let defaultValue = field.defaultValue.map { value -> Value in
      switch value {
      case .null: .null
      case .integer(let value): .integer(value)
      case .unsigned(let value): .unsigned(value)
      case .real(let value): .real(value)
      case .text(let value): .text(value)
      }
    }
    self.init(steps, Storage(field.storage), at: Int(field.slot), default: defaultValue)
  }
}

extension StoredField.UnionCode {
  fileprivate init(_ code: Dflat.UnionCode) {
    let size =
      switch code.storage {
      case .unionType16: 2
      case .unionType32: 4
      case .unionType64: 8
      default: 1
      }
    self.init(code.number, size: size)
  }
}

extension StoredField.Storage {
  /// Converts the storage of a record's field.
  init(_ storage: FieldStorage) {
    self =
      switch storage {
      case .bool: .bool
      case .int8: .int8
      case .uint8: .uint8
      case .int16: .int16
      case .uint16: .uint16
      case .int32: .int32
      case .uint32: .uint32
      case .int64: .int64
      case .uint64: .uint64
      case .float: .float
      case .double: .double
      case .string: .string
      case .stringOffset64: .stringOffset64
      case .unionType: .unionType
      case .unionType16: .unionType16
      case .unionType32: .unionType32
      case .unionType64: .unionType64
      }
  }
}
