import Dflat
import DflatEngine
import FlatBuffersCore

/// Writes changes of the dictionary in the writer's open SQLite transaction. When `finish()` has returned, all of them
/// are written.
///
/// It is used by the thread that has the writer.
struct DictionaryRowWriter {
  /// The row that holds the key of each change, in their order; 0 if there is none. Valid after `finish()`.
  private(set) var rowNumbers: [Int64] = []
  private let writer: WriterConnection
  private let reader: DictionaryRows
  /// Keys that seem to be new. One statement stores a batch of them.
  private var newKeys: [NewKey] = []
  /// The encoded rows of the new keys, one after another.
  private var memory: [UInt8] = []
  /// Whether a key without a known row is looked up before it is stored. Usually either all keys are stored already or
  /// none is. True at first, since values that are already stored must not be written again.
  private var expectsRows = true

  private struct NewKey {
    let path: DictionaryPath
    let value: StoredDictionaryValue
    /// The key's index in `rowNumbers`.
    let index: Int
    /// The range of the row's bytes in `memory`.
    let bytes: Range<Int>
  }

  /// The largest row, in bytes, that is stored in a batch. For a larger row, the statement is a small part of the work.
  /// Besides, a row that is too large for SQLite then fails in a statement of its own, so that the caller knows which
  /// value is at fault.
  private static let largestBatchedRow = 1 << 10

  init(_ writer: WriterConnection) {
    self.writer = writer
    reader = DictionaryRows(connection: writer.connection)
  }

  /// Makes a change, unless the row already has the value.
  ///
  /// - Parameter row: the row that may hold the key, the same for all changes of one key; 0 if none is known.
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

  /// Writes the keys that are left, one by one: a statement for exactly so many rows would have to be prepared first.
  mutating func finish() throws {
    for key in newKeys { rowNumbers[key.index] = try store(key.value, key.path) }
    removeNewKeys()
  }

  private mutating func removeNewKeys() {
    newKeys.removeAll(keepingCapacity: true)
    memory.removeAll(keepingCapacity: true)
  }

  /// Writes a change at once.
  ///
  /// - Returns: the row that holds the key; 0 if the key is removed.
  private mutating func write(_ change: DictionaryChange, at row: Int64) throws -> Int64 {
    guard let value = change.value else {
      try remove(change.path)
      return 0
    }
    // Others may have stored another key in this row.
    if row != 0, try writer.preparedRows(of: DictionaryItem.record).updateIfKeyed(row, encode(value, change.path)) {
      return row
    }
    return try store(value, change.path)
  }

  private func encode(_ value: StoredDictionaryValue, _ path: DictionaryPath) throws -> UnsafeRawBufferPointer {
    try writer.encoder.encode(DictionaryItem(path: path, value: value))
  }

  private func remove(_ path: DictionaryPath) throws {
    // The removal of a key does not create the table.
    guard try writer.connection.hasTable(DictionaryItem.record.table),
      let rowid = try reader.withRow(path, { $0?.rowid })
    else { return }
    try writer.preparedRows(of: DictionaryItem.record).delete(rowid...rowid)
  }

  /// Updates the row of a key, or stores a new one if there is none.
  ///
  /// - Returns: the number of the row.
  private mutating func store(_ value: StoredDictionaryValue, _ path: DictionaryPath) throws -> Int64 {
    let bytes = try encode(value, path)
    let rows = try preparedRows()
    let former: (rowid: Int64, isSame: Bool)? = try reader.withRow(path) { row in
      // Dflat 0.6 writes the same value as different bytes.
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

  /// Stores a full batch of keys that seem to be new by one statement. If some are already stored, it stores them one
  /// by one.
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
      // The rows before the conflict are stored; `finish()` finds them one by one.
      try finish()
    }
  }

  /// Returns the writer of the rows. The next row number is above all that were ever used.
  private func preparedRows() throws -> RowWriter {
    let rows = try writer.preparedRows(of: DictionaryItem.record)
    rows.skipRows(upTo: writer.lastDictionaryRow)
    return rows
  }
}
