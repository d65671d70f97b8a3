import Dflat
import DflatEngine
import FlatBuffersCore

/// Writes changes of the dictionary, in the SQLite transaction that is open on the writer.
///
/// As it sees many changes, it stores new rows several at once, and overwrites rows in place where values keep their size.
/// All is written when `finish()` has returned.
///
/// For the thread that has the writer.
struct DictionaryRowWriter {
  /// For each change, in their order, the number of the row that holds the key; 0 if there is none. Once all is written.
  private(set) var rowNumbers: [Int64] = []
  private let writer: WriterConnection
  private let reader: DictionaryRows
  private var overwriting = OverwritingRun()
  private var insertions = InsertionBatch()
  /// The changes whose objects `insertions` holds, each with its index in `rowNumbers`.
  private var inserted: [(index: Int, path: DictionaryPath, value: StoredDictionaryValue)] = []
  /// Whether a key of which nothing is known is looked up before it is stored. Mostly either all are stored or none.
  private var expectsRows = false

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
      try finish()
      try remove(change.path)
      return rowNumbers.append(0)
    }
    var bytes = try writer.encoder.encode(DictionaryItem(path: change.path, value: value))
    let rows = try writer.preparedRows(of: DictionaryItem.record)
    // Others may have stored another key under this number: the key of the row is compared.
    if row != 0, try overwriting.overwrite(row, bytes, keepsKeys: false, rows) { return rowNumbers.append(row) }
    guard row == 0, !expectsRows, bytes.count <= InsertionBatch.largestObject else {
      if !insertions.isEmpty {
        try storeInsertions()
        bytes = try writer.encoder.encode(DictionaryItem(path: change.path, value: value))
      }
      return rowNumbers.append(try store(value, change.path, bytes, rows))
    }
    insertions.append(bytes)
    inserted.append((rowNumbers.count, change.path, value))
    rowNumbers.append(0)
    if insertions.isFull { try storeInsertions() }
  }

  /// Writes what is left to be written.
  mutating func finish() throws {
    try storeInsertions()
    overwriting.end()
  }

  // MARK: One row

  private func remove(_ path: DictionaryPath) throws {
    // To remove a key is no reason to make the table.
    guard try writer.connection.hasTable(DictionaryItem.record.table),
      let rowid = try reader.withRow(path, { $0?.rowid })
    else { return }
    try writer.preparedRows(of: DictionaryItem.record).delete(rowid...rowid)
  }

  /// Updates the row of a key if there is one, and stores a new one if not.
  ///
  /// - Returns: the row's number.
  private mutating func store(
    _ value: StoredDictionaryValue, _ path: DictionaryPath, _ bytes: UnsafeRawBufferPointer, _ rows: RowWriter
  ) throws -> Int64 {
    let former: (rowid: Int64, isSame: Bool)? = try reader.withRow(path) { row in
      // Dflat 0.6 writes the same value as other bytes.
      row.map { ($0.rowid, $0.bytes.isSame(as: bytes) || DictionaryItem.value(of: $0.bytes).isIdentical(to: value)) }
    }
    expectsRows = former != nil
    if let former {
      if !former.isSame { _ = try rows.update(former.rowid, bytes, keepsKeys: true) }
      return former.rowid
    }
    overwriting.end()
    rows.skipRows(upTo: writer.lastDictionaryRow)
    try rows.insert(rows.lastRow + 1, bytes)
    writer.lastDictionaryRow = rows.lastRow
    return rows.lastRow
  }

  // MARK: Several rows

  /// Stores what waits to be stored as new rows.
  private mutating func storeInsertions() throws {
    guard !insertions.isEmpty else { return }
    overwriting.end()
    let rows = try writer.preparedRows(of: DictionaryItem.record)
    var remaining = inserted[...]
    // A statement for fewer rows would have to be prepared first.
    if insertions.isFull {
      rows.skipRows(upTo: writer.lastDictionaryRow)
      let stored = try rows.insert(insertions)
      writer.lastDictionaryRow = rows.lastRow
      for (row, item) in zip(stored, inserted) { rowNumbers[item.index] = row }
      remaining = inserted[stored.count...]
    }
    for (index, path, value) in remaining {
      let bytes = try writer.encoder.encode(DictionaryItem(path: path, value: value))
      rowNumbers[index] = try store(value, path, bytes, rows)
    }
    insertions.removeAll()
    inserted.removeAll(keepingCapacity: true)
  }
}
