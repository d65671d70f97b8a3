import Dflat
import PostgresLayout

extension StoredField {
  /// Creates the description by which SQL reads a record's field.
  init(_ field: RecordField) {
    let defaultValue = field.defaultValue.map { value -> Value in
      switch value {
      // A struct has no default.
      case .null, .bytes: .null
      case .integer(let value): .integer(value)
      case .unsigned(let value): .unsigned(value)
      case .real(let value): .real(value)
      case .text(let value): .text(value)
      }
    }
    self.init(Self.steps(field.path), Storage(field.storage), at: Int(field.slot), default: defaultValue)
  }

  fileprivate static func steps(_ path: FieldPath) -> [Step] {
    path.steps.compactMap { step in
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
  }
}

extension StoredIndex {
  /// Creates the description by which SQL makes the index of a record.
  init(_ index: RecordIndex) {
    let source: Source =
      if let vector = index.vector {
        // The index's field is the element.
        .elements(StoredVector(vector, of: StoredField.Storage(index.field.storage)))
      } else {
        .field(StoredField(index.field))
      }
    self.init(source, isFolded: index.isFolded, isUnique: index.isUnique)
  }
}

extension StoredVector {
  fileprivate init(_ vector: RecordVector, of element: StoredField.Storage) {
    let reference: Reference =
      switch vector.reference {
      case .offset: .offset
      case .offset64: .offset64
      case .vector64: .vector64
      }
    self.init(StoredField.steps(vector.path), of: element, at: Int(vector.slot), reference)
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
      case .bytes(let count): .bytes(Int(count))
      }
  }
}
