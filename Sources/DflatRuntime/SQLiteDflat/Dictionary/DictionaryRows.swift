import Dflat
import FlatBuffersCore

/// The rows of the dictionary, as one connection reads and writes them.
struct DictionaryRows {
  let connection: SQLiteConnection

  private var table: String { DictionaryItem.record.table }

  // MARK: Reading

  /// The value of a key; nil if it has none.
  func value(of path: DictionaryPath) throws -> StoredDictionaryValue? {
    try withRow(path) { $0.map { DictionaryItem.value(of: $0.bytes) } }
  }

  private func withRow<Result>(
    _ path: DictionaryPath, _ body: ((rowid: Int64, bytes: UnsafeRawBufferPointer)?) throws -> Result
  ) throws -> Result {
    try FieldValue.text(path.key.text).withRowValue { key in
      try FieldValue.text(path.namespace.text).withRowValue { namespace in
        try connection.reader(for: DictionaryItem.record).withRow(havingPrimaryKey: key, namespace, body)
      }
    }
  }

  /// The keys of a namespace.
  func keys(of namespace: DictionaryKey) throws -> [DictionaryKey] {
    var keys: [DictionaryKey] = []
    try forEachRow("__pk0", of: namespace) { keys.append(DictionaryKey($0.string(at: 0))) }
    return keys
  }

  /// Calls `body` with each key of a namespace and its value.
  func forEachValue(of namespace: DictionaryKey, _ body: (DictionaryKey, StoredDictionaryValue) -> Void) throws {
    try forEachRow("__pk0, p", of: namespace) { row in
      body(DictionaryKey(row.string(at: 0)), DictionaryItem.value(of: row.bytes(at: 1)))
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

  // MARK: Writing, in a write transaction

  /// Makes a change, unless the row is already as it would be.
  ///
  /// - Throws: `SQLiteError`, or `FlatBufferError` if the value is too large for a row.
  func apply(_ change: DictionaryChange, on writer: WriterConnection) throws {
    let record = DictionaryItem.record
    // To remove a key is no reason to make the table.
    if change.value == nil, try !writer.connection.hasTable(table) { return }
    let rows = try writer.preparedRows(of: record)
    guard let value = change.value else {
      if let rowid = try withRow(change.path, { $0?.rowid }) { try rows.delete(rowid...rowid) }
      return
    }
    let bytes = try writer.encoder.encode(try DictionaryItem(path: change.path, value: value))
    let former: (rowid: Int64, isSame: Bool)? = try withRow(change.path) { row in
      // Dflat 0.6 writes the same value as other bytes.
      row.map { ($0.rowid, $0.bytes.isSame(as: bytes) || DictionaryItem.value(of: $0.bytes).isIdentical(to: value)) }
    }
    guard let former else {
      rows.skipRows(upTo: writer.lastDictionaryRow)
      try rows.insert(rows.lastRow + 1, bytes)
      writer.lastDictionaryRow = rows.lastRow
      return
    }
    if !former.isSame { _ = try rows.update(former.rowid, bytes, keepsKeys: true) }
  }
}
