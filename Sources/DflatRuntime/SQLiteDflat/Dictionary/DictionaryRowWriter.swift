import Dflat
import DflatEngine
import FlatBuffersCore

/// Writes changes of the dictionary, in the SQLite transaction that is open on the writer. All is written when `finish()` has returned.
///
/// For the thread that has the writer.
struct DictionaryRowWriter {
  /// For each change, in their order, the number of the row that holds the key; 0 if there is none. Once all is written.
  private(set) var rowNumbers: [Int64] = []
  private let writer: WriterConnection
  private let reader: DictionaryRows
  /// Keys that seem to be new: several are stored by one statement.
  private var newKeys: [NewKey] = []
  /// Their encoded values, one behind the other.
  private var memory: [UInt8] = []
  /// Whether a key of which nothing is known is looked up before it is stored. Mostly either all are stored or none. At first it is:
  /// values that are stored already must not write anything.
  private var expectsRows = true

  private struct NewKey {
    let path: DictionaryPath
    let value: StoredDictionaryValue
    /// Its index in `rowNumbers`.
    let index: Int
    /// Where its row's bytes are in `memory`.
    let bytes: Range<Int>
  }

  /// The largest row, in bytes, that is stored together with others. Of storing a larger one, the statement is a small part. And what
  /// is too large for SQLite fails at once, so that the caller knows which value it was.
  private static let largestBatchedRow = 1 << 10

  init(_ writer: WriterConnection) {
    self.writer = writer
    reader = DictionaryRows(connection: writer.connection)
  }

  /// Makes a change, unless the row is already as it would be.
  ///
  /// - Parameter row: the row that may hold the key, the same for all changes of that key; 0 if none is known.
  /// - Throws: `SQLiteError`, or `FlatBufferError` if the value is too large for a row.
  mutating func apply(_ change: DictionaryChange, at row: Int64 = 0) throws {
    if row == 0, !expectsRows, let value = change.value {
      let bytes = try encode(value, change.path)
      if bytes.count <= DictionaryRowWriter.largestBatchedRow { return try append(value, change.path, bytes) }
    }
    try finish()
    rowNumbers.append(try write(change, at: row))
  }

  private mutating func append(
    _ value: StoredDictionaryValue, _ path: DictionaryPath, _ bytes: UnsafeRawBufferPointer
  ) throws {
    let range = memory.count..<memory.count + bytes.count
    memory.append(contentsOf: bytes)
    newKeys.append(NewKey(path: path, value: value, index: rowNumbers.count, bytes: range))
    rowNumbers.append(0)
    if newKeys.count == RowStatement.batchCount { try storeNewKeys() }
  }

  /// Writes what is left to be written. A statement for so few rows would have to be prepared first.
  mutating func finish() throws {
    for key in newKeys { rowNumbers[key.index] = try store(key.value, key.path) }
    removeNewKeys()
  }

  private mutating func removeNewKeys() {
    newKeys.removeAll(keepingCapacity: true)
    memory.removeAll(keepingCapacity: true)
  }

  /// - Returns: the number of the row that holds the key; 0 if the key is removed.
  private mutating func write(_ change: DictionaryChange, at row: Int64) throws -> Int64 {
    guard let value = change.value else {
      try remove(change.path)
      return 0
    }
    // Others may have stored another key under this number.
    if row != 0, try writer.preparedRows(of: DictionaryItem.record).updateIfKeyed(row, encode(value, change.path)) {
      return row
    }
    return try store(value, change.path)
  }

  private func encode(_ value: StoredDictionaryValue, _ path: DictionaryPath) throws -> UnsafeRawBufferPointer {
    try writer.encoder.encode(DictionaryItem(path: path, value: value))
  }

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
  private mutating func store(_ value: StoredDictionaryValue, _ path: DictionaryPath) throws -> Int64 {
    let bytes = try encode(value, path)
    let rows = try preparedRows()
    let former: (rowid: Int64, isSame: Bool)? = try reader.withRow(path) { row in
      // Dflat 0.6 writes the same value as other bytes.
      row.map { ($0.rowid, $0.bytes.isSame(as: bytes) || DictionaryItem.value(of: $0.bytes).isIdentical(to: value)) }
    }
    expectsRows = former != nil
    if let former {
      if !former.isSame { _ = try rows.update(former.rowid, bytes, keepsKeys: true) }
      return former.rowid
    }
    try rows.insert(rows.lastRow + 1, bytes)
    writer.lastDictionaryRow = rows.lastRow
    return rows.lastRow
  }

  /// Stores a full batch of keys that seem to be new by one statement; one by one if some are stored.
  private mutating func storeNewKeys() throws {
    let rows = try preparedRows()
    let first = rows.lastRow + 1
    writer.lastDictionaryRow = rows.lastRow + Int64(newKeys.count)
    do {
      try memory.withUnsafeBytes { memory in
        var batch: ContiguousArray<EncodedRow> = []
        for (rowid, key) in zip(first..., newKeys) {
          batch.append(EncodedRow(rowid: rowid, bytes: UnsafeRawBufferPointer(rebasing: memory[key.bytes])))
        }
        try rows.insert(batch)
      }
      for (rowid, key) in zip(first..., newKeys) { rowNumbers[key.index] = rowid }
      removeNewKeys()
    } catch let error as SQLiteError where error.isConflict {
      // The rows before the conflict are stored, and found one by one.
      try finish()
    }
  }

  /// The rows, whose numbers go on after all that were ever used.
  private func preparedRows() throws -> RowWriter {
    let rows = try writer.preparedRows(of: DictionaryItem.record)
    rows.skipRows(upTo: writer.lastDictionaryRow)
    return rows
  }
}
