import Dflat
import DflatEngine
import FlatBuffersCore

/// The rows of the dictionary that one connection reads.
struct DictionaryRows {
  let connection: SQLiteConnection

  private var table: String { DictionaryItem.record.table }

  /// Returns the value of a key; nil if it has none.
  func value(of path: DictionaryPath) throws -> StoredDictionaryValue? { try stored(path).value }

  /// Returns the state of a key on disk.
  func stored(_ path: DictionaryPath) throws -> DictionaryEntry.Stored {
    try withRow(path) { row in
      guard let row else { return .absent }
      return DictionaryEntry.Stored(value: DictionaryItem.value(of: row.bytes), row: row.rowid)
    }
  }

  /// Calls `body` with the number and the bytes of a key's row; with nil if there is none.
  func withRow<Result>(
    _ path: DictionaryPath, _ body: ((rowid: Int64, bytes: UnsafeRawBufferPointer)?) throws -> Result
  ) throws -> Result {
    try FieldValue.text(path.key.text).withRowValue { key in
      try FieldValue.text(path.namespace.text).withRowValue { namespace in
        try connection.reader(for: DictionaryItem.record).withRow(havingPrimaryKey: key, namespace, body)
      }
    }
  }

  /// Returns the keys of a namespace.
  func keys(of namespace: DictionaryKey) throws -> [DictionaryKey] {
    var keys: [DictionaryKey] = []
    try forEachRow("__pk0", of: namespace) { keys.append(DictionaryKey($0.string(at: 0))) }
    return keys
  }

  /// Calls `body` with each key of a namespace and its value.
  func forEachValue(of namespace: DictionaryKey, _ body: (DictionaryKey, DictionaryEntry.Stored) -> Void) throws {
    try forEachRow("__pk0, p, rowid", of: namespace) { row in
      let value = DictionaryItem.value(of: row.bytes(at: 1))
      body(DictionaryKey(row.string(at: 0)), DictionaryEntry.Stored(value: value, row: row.integer(at: 2)))
    }
  }

  private func forEachRow(
    _ columns: String, of namespace: DictionaryKey, _ body: (SQLiteStatement) throws -> Void
  ) throws {
    let sql = "SELECT \(columns) FROM \(table.quoted) WHERE __pk1 = ?"
    guard let statement = try connection.query(sql, ifHasTable: table) else { return }
    try FieldValue.text(namespace.text).withRowValue { namespace in
      defer { statement.reset() }
      statement.bind(borrowing: namespace, at: 1)
      while try statement.step() { try body(statement) }
    }
  }
}
