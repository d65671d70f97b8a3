import CSQLite
import Dflat
import FlatBuffersCore

/// Writes the rows of one type: the objects' rows, and their entries in the index tables.
///
/// It is used by the thread that has the writer, in a write transaction.
final class RowWriter {
  let record: RecordDescription
  let connection: SQLiteConnection
  private let tables: RecordTables
  let hasUniqueIndex: Bool
  /// The state of each index; nil until they are read from the file in its present state.
  private var states: [IndexState]?
  /// The highest row number that the table has ever used, as far as this connection knows.
  private(set) var lastRow: Int64 = 0
  private var statements: RowStatements
  /// The writes that `merge` has collected.
  private var merger = WriteMerger()
  /// The SQL functions of statements that update several rows.
  private let updateFunctions: UpdateFunctions

  private enum IndexState {
    /// Every row has its entry. New rows get one.
    case complete
    /// Some rows have no entry yet. New rows get none, or the index would look complete; existing entries are updated.
    case behind
  }

  /// Makes the writer of the rows of `record`.
  /// - Parameter updateFunctions: the functions of `connection`.
  init(_ record: RecordDescription, on connection: SQLiteConnection, _ updateFunctions: UpdateFunctions) {
    self.record = record
    self.connection = connection
    self.updateFunctions = updateFunctions
    tables = RecordTables(record: record)
    hasUniqueIndex = record.hasUniqueIndex
    statements = RowStatements(record, on: connection)
  }

  // MARK: The tables

  /// Forgets the state of the tables: another connection has written, or a transaction that created tables is rolled
  /// back.
  func forgetTables() { states = nil }

  /// Whether some index is known to be behind.
  var hasIndexBehind: Bool { states?.contains { $0 == .behind } ?? false }

  /// Whether the tables have been created, and the states of the indexes are known.
  var isPrepared: Bool { states != nil }

  /// Creates the missing tables, and finds out which indexes are complete and which row number is the highest.
  ///
  /// - Parameter fill: completes a unique index that is behind, since such an index could not refuse a duplicate. That
  ///   is rare: only another process can have left it behind since `UniqueIndexCompletion` completed it.
  func prepareTables(fillingUnique fill: (_ index: Int) throws -> Void) throws {
    guard states == nil else { return }
    try tables.create(on: connection)
    lastRow = try tables.lastRow(on: connection)
    let reader = connection.reader(for: record)
    states = try record.indexes.indices.map { index in
      if try reader.isComplete(index: index) { return .complete }
      guard record.indexes[index].isUnique else { return .behind }
      try fill(index)
      return try reader.isComplete(index: index) ? .complete : .behind
    }
  }

  // MARK: Merging

  /// Stores, replaces or deletes a row together with other writes, so that they share statements. The row is written
  /// when `finishMerging()` has returned at the latest.
  ///
  /// - Parameters:
  ///   - rowid: the number of the row; for a new object above `lastMergedRow`.
  ///   - bytes: the encoded object, which must not change until the row is written; empty if the row is deleted.
  func merge(_ kind: RowChange.Kind, _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, keepsKeys: Bool) throws {
    switch kind {
    case .inserted: try merger.insert(rowid, bytes, self)
    case .updated: try merger.update(rowid, bytes, keepsKeys: keepsKeys, self)
    case .deleted: try merger.delete(rowid, self)
    }
  }

  /// The highest row number that is used, including rows that are not written yet.
  var lastMergedRow: Int64 { merger.lastRow ?? lastRow }

  /// Writes the collected writes.
  func finishMerging() throws { try merger.finish(self) }

  /// Drops the collected writes, since the transaction is rolled back.
  func dropMerged() { merger.removeAll() }

  // MARK: Rows

  /// Marks the numbers up to `row` as used.
  func skipRows(upTo row: Int64) { lastRow = max(lastRow, row) }

  /// Stores new rows. Their numbers must ascend, and lie above all numbers that the table has used.
  ///
  /// - Throws: `SQLiteError`, with a conflict if a primary key or a unique value is already stored. Some rows may then
  ///   have been stored without their index entries. The caller rolls the transaction back, unless the type has no
  ///   indexes.
  func insert(_ rows: ContiguousArray<EncodedRow>) throws {
    guard rows.count == RowStatement.batchCount else {
      for row in rows { try insert(row.rowid, row.bytes) }
      return
    }
    try tables.checkNumber(rows[rows.count - 1].rowid, on: connection)
    let insert = try statements.prepared(.insertBatch)
    var parameter: Int32 = 1
    for row in rows { bind(row.rowid, row.bytes, to: insert, &parameter) }
    try insert.run()
    lastRow = rows[rows.count - 1].rowid
    for index in record.indexes.indices where states?[index] == .complete {
      if record.indexes[index].vector != nil {
        for row in rows { try insertEntries(row.rowid, index, FlatBufferTable(ofEncoded: row.bytes)) }
        continue
      }
      let insert = try statements.prepared(.insertEntryBatch(index: index))
      var parameter: Int32 = 1
      for row in rows { bindEntry(row.rowid, index, FlatBufferTable(ofEncoded: row.bytes), to: insert, &parameter) }
      try insert.run()
    }
  }

  /// Stores one new row with its index entries. Its number must lie above all numbers that the table has used.
  ///
  /// - Throws: `SQLiteError`, with a conflict if a primary key or a unique value is already stored.
  func insert(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer) throws {
    try tables.checkNumber(rowid, on: connection)
    let insert = try statements.prepared(.insert)
    var parameter: Int32 = 1
    bind(rowid, bytes, to: insert, &parameter)
    try insert.run()
    lastRow = rowid
    let object = FlatBufferTable(ofEncoded: bytes)
    for index in record.indexes.indices where states?[index] == .complete { try insertEntries(rowid, index, object) }
  }

  /// Replaces a row, whatever it holds.
  ///
  /// - Parameters:
  ///   - bytes: the encoded object.
  ///   - keepsKeys: whether the row's primary key and unique values are known to stay the same.
  /// - Returns: false if there is no such row.
  /// - Throws: `SQLiteError`, with a conflict if another row has the primary key or a unique value. The row may have
  ///   been written then, and the caller rolls the transaction back.
  func update(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer, keepsKeys: Bool) throws -> Bool {
    let object = FlatBufferTable(ofEncoded: bytes)
    // SQLite rewrites the index of every column that it is told to set, so key columns are set only when they may differ.
    let update = try statements.prepared(keepsKeys ? .update : .updateWithKeys)
    update.bind(borrowing: bytes, at: 1)
    update.bind(rowid, at: 2)
    if !keepsKeys { bindKeys(of: object, to: update, from: 3) }
    try update.run()
    if connection.changes == 0 { return false }
    // An entry is compared with the stored entry, not with the former object's value: a newer schema may have written
    // the row, with values that an object of this schema cannot show.
    for index in record.indexes.indices { try updateEntries(rowid, index, object) }
    return true
  }

  /// Replaces a row if it holds the primary key of the object. The type must have no indexes.
  ///
  /// - Returns: false if the row holds another key, or does not exist.
  func updateIfKeyed(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer) throws -> Bool {
    let update = try statements.prepared(.updateIfKeyed)
    update.bind(borrowing: bytes, at: 1)
    update.bind(rowid, at: 2)
    bindKeys(of: FlatBufferTable(ofEncoded: bytes), to: update, from: 3)
    try update.run()
    return connection.changes == 1
  }

  /// Replaces rows whose primary keys and unique values stay the same, in ascending order of their numbers.
  ///
  /// - Returns: the number of a missing row; nil if there is none.
  func update(_ rows: ContiguousArray<EncodedRow>) throws -> Int64? {
    guard let first = rows.first, let last = rows.last else { return nil }
    // To begin a range costs as much as two statements.
    if rows.count < 3 {
      return try rows.first { try !update($0.rowid, $0.bytes, keepsKeys: true) }?.rowid
    }
    return try updateFunctions.withRows(rows, of: record) {
      updateFunctions.begin()
      try write(first.rowid...last.rowid, by: statements.prepared(.updateRange))
      if connection.changes != rows.count {
        let reader = connection.reader(for: record)
        return try rows.first { row in try reader.withRow(row.rowid) { $0 == nil } }?.rowid
      }
      for index in record.indexes.indices {
        if record.indexes[index].vector != nil {
          for row in rows { try updateEntries(row.rowid, index, FlatBufferTable(ofEncoded: row.bytes)) }
          continue
        }
        updateFunctions.begin(column: record.column(ofIndex: index))
        try write(first.rowid...last.rowid, by: statements.prepared(.updateEntryRange(index: index)))
      }
      return nil
    }
  }

  private func write(_ rows: ClosedRange<Int64>, by statement: SQLiteStatement) throws {
    statement.bind(rows.lowerBound, at: 1)
    statement.bind(rows.upperBound, at: 2)
    try statement.run()
  }

  /// Deletes the rows of a range, and their index entries.
  func delete(_ rows: ClosedRange<Int64>) throws {
    try delete(rows, by: statements.prepared(rows.count > 1 ? .deleteRange : .delete))
    for index in record.indexes.indices {
      try delete(
        rows, by: statements.prepared(rows.count > 1 ? .deleteEntryRange(index: index) : .deleteEntry(index: index)))
    }
  }

  private func delete(_ rows: ClosedRange<Int64>, by statement: SQLiteStatement) throws {
    statement.bind(rows.lowerBound, at: 1)
    if rows.count > 1 { statement.bind(rows.upperBound, at: 2) }
    try statement.run()
  }

  // MARK: Columns

  /// Binds a new row, and advances `parameter`.
  private func bind(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, to insert: SQLiteStatement, _ parameter: inout Int32
  ) {
    insert.bind(rowid, at: parameter)
    parameter = bindKeys(of: FlatBufferTable(ofEncoded: bytes), to: insert, from: parameter + 1)
    insert.bind(borrowing: bytes, at: parameter)
    parameter += 1
  }

  @discardableResult
  private func bindKeys(of object: FlatBufferTable, to statement: SQLiteStatement, from first: Int32) -> Int32 {
    for index in record.primaryKeys.indices {
      statement.bind(borrowing: record.columns.value(at: index, in: object), at: first + Int32(index))
    }
    return first + Int32(record.primaryKeys.count)
  }

  /// Binds an index entry, and advances `parameter`.
  private func bindEntry(
    _ rowid: Int64, _ index: Int, _ object: FlatBufferTable, to statement: SQLiteStatement, _ parameter: inout Int32
  ) {
    statement.bind(rowid, at: parameter)
    let column = record.column(ofIndex: index)
    if record.isFolded(column: column) {
      record.withValue(ofColumn: column, in: object) { statement.bind(copying: $0, at: parameter + 1) }
    } else {
      statement.bind(borrowing: record.columns.value(at: column, in: object), at: parameter + 1)
    }
    parameter += 2
  }

  /// Stores the entry of a new row in an index, or its entries in an index over elements.
  private func insertEntries(_ rowid: Int64, _ index: Int, _ object: FlatBufferTable) throws {
    guard record.indexes[index].vector == nil else {
      return try statements.insertElements(rowid, index, of: object)
    }
    try writeEntry(statements.prepared(.insertEntry(index: index)), rowid, index, object)
  }

  /// Corrects the entries of a replaced row in an index. A row without entries gets none.
  private func updateEntries(_ rowid: Int64, _ index: Int, _ object: FlatBufferTable) throws {
    guard record.indexes[index].vector == nil else {
      return try statements.updateElements(rowid, index, of: object, insertsMissing: false)
    }
    try writeEntry(statements.prepared(.updateEntry(index: index)), rowid, index, object)
  }

  private func writeEntry(
    _ statement: SQLiteStatement, _ rowid: Int64, _ index: Int, _ object: FlatBufferTable
  ) throws {
    var parameter: Int32 = 1
    bindEntry(rowid, index, object, to: statement, &parameter)
    try statement.run()
  }
}

extension RecordDescription {
  var hasUniqueIndex: Bool { indexes.contains(where: \.isUnique) }
}
