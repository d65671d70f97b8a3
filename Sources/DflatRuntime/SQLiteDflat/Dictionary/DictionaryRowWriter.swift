import Dflat
import DflatEngine
import FlatBuffersCore

/// Writes changes of the dictionary, in the SQLite transaction that is open on the writer.
///
/// For the thread that has the writer.
struct DictionaryRowWriter {
  /// For each change, in their order, the number of the row that holds the key; 0 if there is none.
  private(set) var rowNumbers: [Int64] = []
  private let writer: WriterConnection
  private let reader: DictionaryRows
  /// Whether a key of which nothing is known is looked up before it is stored. Mostly either all are stored or none. At first it is:
  /// values that are stored already must not write anything.
  private var expectsRows = true

  init(_ writer: WriterConnection) {
    self.writer = writer
    reader = DictionaryRows(connection: writer.connection)
  }

  /// Makes a change, unless the row is already as it would be.
  ///
  /// - Parameter row: the row that may hold the key, the same for all changes of that key; 0 if none is known.
  /// - Throws: `SQLiteError`, or `FlatBufferError` if the value is too large for a row.
  mutating func apply(_ change: DictionaryChange, at row: Int64 = 0) throws {
    guard let value = change.value else {
      try remove(change.path)
      return rowNumbers.append(0)
    }
    let bytes = try writer.encoder.encode(DictionaryItem(path: change.path, value: value))
    let rows = try writer.preparedRows(of: DictionaryItem.record)
    // Others may have stored another key under this number.
    if row != 0, try rows.updateIfKeyed(row, bytes) { return rowNumbers.append(row) }
    rowNumbers.append(try store(value, change.path, bytes, isUnknown: row == 0, rows))
  }

  private func remove(_ path: DictionaryPath) throws {
    // To remove a key is no reason to make the table.
    guard try writer.connection.hasTable(DictionaryItem.record.table),
      let rowid = try reader.withRow(path, { $0?.rowid })
    else { return }
    try writer.preparedRows(of: DictionaryItem.record).delete(rowid...rowid)
  }

  /// Stores a row for a key, or updates the one that it has.
  ///
  /// - Parameter isUnknown: whether nothing is known of the key.
  /// - Returns: the row's number.
  private mutating func store(
    _ value: StoredDictionaryValue, _ path: DictionaryPath, _ bytes: UnsafeRawBufferPointer, isUnknown: Bool,
    _ rows: RowWriter
  ) throws -> Int64 {
    rows.skipRows(upTo: writer.lastDictionaryRow)
    defer { writer.lastDictionaryRow = rows.lastRow }
    if isUnknown, !expectsRows, let rowid = try rows.insertIfAbsent(bytes) { return rowid }
    let former: (rowid: Int64, isSame: Bool)? = try reader.withRow(path) { row in
      // Dflat 0.6 writes the same value as other bytes.
      row.map { ($0.rowid, $0.bytes.isSame(as: bytes) || DictionaryItem.value(of: $0.bytes).isIdentical(to: value)) }
    }
    expectsRows = former != nil
    guard let former else {
      try rows.insert(rows.lastRow + 1, bytes)
      return rows.lastRow
    }
    if !former.isSame { _ = try rows.update(former.rowid, bytes, keepsKeys: true) }
    return former.rowid
  }
}
