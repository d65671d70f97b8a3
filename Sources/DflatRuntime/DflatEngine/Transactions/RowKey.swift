import Dflat
import FlatBuffersCore

/// The primary key of a row, or its value in a unique index. Two rows of a table with an equal key are in conflict.
package struct RowKey: Hashable {
  package let record: ObjectIdentifier
  /// The unique index; nil for the primary key.
  package let index: Int?
  /// The values, each as a byte for its kind, then its bytes.
  private let bytes: [UInt8]

  package func hash(into hasher: inout Hasher) {
    // All bytes at once, since an array would hash them one by one. The type is left out: most keys of a dictionary
    // have the same.
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  /// Returns the primary key of an encoded object; nil if a column is NULL, since NULLs are never in conflict.
  package static func primaryKey(of object: FlatBufferTable, _ record: RecordDescription) -> RowKey? {
    RowKey(record, index: nil, columns: 0..<record.primaryKeys.count, of: object)
  }

  /// Returns the primary key of an encoded object, in which a NULL equals a NULL: it tells whether two objects of one row
  /// are states of one object. It equals the result of `primaryKey(of:_:)` if that is not nil.
  package static func identity(of object: FlatBufferTable, _ record: RecordDescription) -> RowKey? {
    RowKey(record, index: nil, columns: 0..<record.primaryKeys.count, of: object, takesNull: true)
  }

  /// Returns the primary key and the unique values of an encoded object, without those that are NULL.
  package static func all(of object: FlatBufferTable, _ record: RecordDescription) -> [RowKey] {
    var keys: [RowKey] = []
    if let key = primaryKey(of: object, record) { keys.append(key) }
    for index in record.indexes.indices where record.indexes[index].isUnique {
      let column = record.primaryKeys.count + index
      if let key = RowKey(record, index: index, columns: column..<column + 1, of: object) { keys.append(key) }
    }
    return keys
  }

  private init?(
    _ record: RecordDescription, index: Int?, columns: Range<Int>, of object: FlatBufferTable, takesNull: Bool = false
  ) {
    self.record = ObjectIdentifier(record)
    self.index = index
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    for column in columns {
      if record.withValue(ofColumn: column, in: object, { RowKey.append($0, to: &bytes) }) { continue }
      guard takesNull else { return nil }
      bytes.append(5)
    }
    self.bytes = bytes
  }

  /// Appends a value; returns false if it is NULL.
  private static func append(_ value: RowValue, to bytes: inout [UInt8]) -> Bool {
    switch value {
    // A wide integer never is a value of a column.
    case .null, .wide: return false
    case .integer(let value): append(0, UInt64(bitPattern: value), to: &bytes)
    case .unsigned(let value): append(1, value, to: &bytes)
    // To SQLite -0.0 is 0.0.
    case .real(let value): append(2, (value == 0 ? 0 : value).bitPattern, to: &bytes)
    case .text(let text):
      append(3, UInt64(text.count), to: &bytes)
      bytes.append(contentsOf: text)
    case .bytes(let content):
      append(4, UInt64(content.count), to: &bytes)
      bytes.append(contentsOf: content)
    }
    return true
  }

  private static func append(_ kind: UInt8, _ value: UInt64, to bytes: inout [UInt8]) {
    bytes.append(kind)
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }
}
