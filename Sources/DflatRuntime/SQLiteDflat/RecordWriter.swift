import CSQLite
import Dflat
import FlatBuffersCore

/// Writes the rows of one type: the object's row, and its entries in the index tables.
///
/// Used by the holder of the write lock, in a write transaction.
final class RecordWriter {
  let record: RecordDescription
  private let tables: RecordTables
  private unowned let connection: SQLiteConnection
  /// The same as SQLite knows it, for what is done for every object: an unowned reference is counted at each use.
  private let handle: OpaquePointer
  private let isUniqueAnywhere: Bool
  /// What has been found out about each index; nil until the tables have been looked at in this state of the file.
  private var states: [IndexState]?

  /// Where the next object is likely to be stored: behind the one that was stored last. 0 before the first one.
  private(set) var expectedRow: Int64 = 0

  /// How rows of the type are overwritten in place, one after the other; nil before the first one, and after anything else
  /// has been written.
  private var overwriter: RowOverwriter?
  /// How many rows have been updated since anything else was done: it does not pay to open `overwriter` for a few.
  private var updatesInARow = 0
  /// How many more updates it may fail to carry out in this transaction. Objects that change their size are not for it.
  private var patience = RecordWriter.patience
  private static let patience = 8

  /// Rows, one behind the other, that are to be deleted together.
  private var deferredRows: ClosedRange<Int64>?
  private static let mostDeferred = 256

  private enum IndexState {
    /// Every row has its entry: new rows get theirs.
    case complete
    /// Some rows have no entry yet. New rows get none, or the index would look complete; those there are kept right.
    case behind
  }

  // Prepared at their first use.
  private var insertStatement: SQLiteStatement?
  private var updateStatement: SQLiteStatement?
  private var updateKeyStatement: SQLiteStatement?
  private var deleteStatement: SQLiteStatement?
  private var deleteRowsStatement: SQLiteStatement?
  /// Those of the index tables, by the indexes.
  private var insertEntry: [SQLiteStatement?]
  private var updateEntry: [SQLiteStatement?]
  private var deleteEntry: [SQLiteStatement?]
  private var deleteEntries: [SQLiteStatement?]
  private var savepoint: SQLiteStatement?
  private var release: SQLiteStatement?
  private var rollBack: SQLiteStatement?

  init(_ record: RecordDescription, on connection: SQLiteConnection) {
    self.record = record
    self.connection = connection
    handle = connection.handle
    tables = RecordTables(record: record)
    isUniqueAnywhere = record.hasUniqueIndex
    let none: [SQLiteStatement?] = Array(repeating: nil, count: record.indexes.count)
    (insertEntry, updateEntry, deleteEntry, deleteEntries) = (none, none, none, none)
  }

  private var keyColumns: [String] { record.primaryKeys.indices.map { "__pk\($0)" } }

  // MARK: The tables

  /// Forgets what was found out: another connection has written, or tables were made in a transaction that is undone.
  func forgetTables() {
    endOverwriting()
    states = nil
  }

  /// Whether some index is known to be behind.
  var hasIndexBehind: Bool { states?.contains { $0 == .behind } ?? false }

  /// Whether the tables have been made, and it is known which indexes are complete.
  var isPrepared: Bool { states != nil }

  /// Makes what is missing, and finds out which indexes are complete.
  ///
  /// A unique index that is behind could not refuse a duplicate, so `fill` is asked to complete it first. That is rare:
  /// only another process can have left it behind since `Engine.completeUniqueIndexes(of:)` was called.
  ///
  /// - Parameter firstUnusedRow: the first row that may be used for a new object.
  func prepareTables(firstUnusedRow: Int64, fillingUnique fill: (_ index: Int) throws -> Void) throws {
    guard states == nil else { return }
    try carryOutDeletions()
    endOverwriting()
    try tables.create(on: connection)
    try tables.skipRows(before: firstUnusedRow, on: connection)
    let reader = connection.reader(for: record)
    states = try record.indexes.indices.map { index in
      if try isComplete(index, reader) { return .complete }
      guard record.indexes[index].isUnique else { return .behind }
      try fill(index)
      return try isComplete(index, reader) ? .complete : .behind
    }
  }

  private func isComplete(_ index: Int, _ reader: RecordReader) throws -> Bool {
    var holding: SQLiteStatement?
    defer { holding?.reset() }
    return try reader.isComplete(index: index, holding: &holding)
  }

  // MARK: Rows

  /// Stores a row and returns its place.
  ///
  /// - Parameter bytes: an object, as it is encoded.
  func insert(_ bytes: UnsafeRawBufferPointer) throws -> Int64 {
    try carryOutDeletions()
    endOverwriting()
    guard isUniqueAnywhere else { return try insertRow(bytes) }
    return try undoingOnFailure { try insertRow(bytes) }
  }

  private func insertRow(_ bytes: UnsafeRawBufferPointer) throws -> Int64 {
    let object = FlatBufferTable(ofEncoded: bytes)
    let insert = try insertStatement ?? prepareInsert()
    let keys = bindKeys(of: object, to: insert, from: 1)
    insert.bind(borrowing: bytes, at: keys)
    try insert.run()
    let rowid = sqlite3_last_insert_rowid(handle)
    expectedRow = rowid &+ 1
    for index in record.indexes.indices where states?[index] == .complete {
      try writeEntry(insertEntry[index] ?? prepareInsertEntry(index), rowid, index, object)
    }
    return rowid
  }

  /// Replaces a row.
  ///
  /// - Parameter bytes: an object, as it is encoded.
  /// - Returns: false when there is no such row.
  func update(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer) throws -> Bool {
    try carryOutDeletions()
    let object = FlatBufferTable(ofEncoded: bytes)
    if try overwrite(rowid, bytes, object) { return true }
    return try undoingOnFailure {
      // A key column is written only when it differs: SQLite rewrites the index of every column that it is told to set.
      let update = try updateStatement ?? prepareUpdate()
      update.bind(borrowing: bytes, at: 1)
      update.bind(rowid, at: 2)
      bindKeys(of: object, to: update, from: 3)
      try update.run()
      if sqlite3_changes(handle) == 0 {
        let update = try updateKeyStatement ?? prepareUpdateKey()
        update.bind(borrowing: bytes, at: 1)
        update.bind(rowid, at: bindKeys(of: object, to: update, from: 2))
        try update.run()
        if sqlite3_changes(handle) == 0 { return false }
      }
      // An entry is compared with what it holds, not with what it ought to: the row may come from a newer schema, with
      // values that the object cannot show.
      for index in record.indexes.indices {
        try writeEntry(updateEntry[index] ?? prepareUpdateEntry(index), rowid, index, object)
      }
      return true
    }
  }

  // MARK: Deleting rows

  /// Deletes a row and its index entries, if there are any: not at once, but with those that follow it, since to delete
  /// many rows by one statement costs half as much. `carryOutDeletions()` does it.
  func delete(_ rowid: Int64) throws {
    endOverwriting()
    if let rows = deferredRows, rows.upperBound < rowid, rows.upperBound + 1 == rowid,
      rows.count < RecordWriter.mostDeferred
    {
      deferredRows = rows.lowerBound...rowid
      return
    }
    try carryOutDeletions()
    deferredRows = rowid...rowid
  }

  /// Deletes the rows whose deletion is deferred. To be called before anything is read or written, and before a savepoint
  /// or the transaction ends.
  ///
  /// - Throws: when they are not deleted. They are deferred as before then.
  func carryOutDeletions() throws {
    guard let rows = deferredRows else { return }
    // Where SQLite has undone the transaction after an error, what is done now would be committed alone.
    guard connection.isInTransaction else { throw SubmissionError.undone }
    if rows.count == 1 {
      try delete(rows, by: deleteStatement ?? prepareDelete())
      for index in record.indexes.indices { try delete(rows, by: deleteEntry[index] ?? prepareDeleteEntry(index)) }
    } else {
      try delete(rows, by: deleteRowsStatement ?? prepareDeleteRows())
      for index in record.indexes.indices { try delete(rows, by: deleteEntries[index] ?? prepareDeleteEntries(index)) }
    }
    deferredRows = nil
  }

  private func delete(_ rows: ClosedRange<Int64>, by statement: SQLiteStatement) throws {
    statement.bind(rows.lowerBound, at: 1)
    if rows.count > 1 { statement.bind(rows.upperBound, at: 2) }
    try statement.run()
  }

  // MARK: Overwriting rows in place

  /// Replaces a row by writing over its bytes, when the object takes as many as before, and neither its primary key nor a
  /// unique value changes.
  ///
  /// - Returns: false when nothing has been done.
  private func overwrite(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ object: FlatBufferTable
  ) throws -> Bool {
    guard patience > 0, bytes.count <= RowOverwriter.largestRow, let row = try overwriter(at: rowid) else {
      return false
    }
    // The columns are compared as the row's bytes have them, which may be more than the former object could show.
    guard row.count == bytes.count, let former = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: try row.read())),
      record.primaryKeys.indices.allSatisfy({ isSame($0, former, object) }),
      !isUniqueAnywhere
        || record.indexes.indices.allSatisfy({ !record.indexes[$0].isUnique || isSame(column(of: $0), former, object) })
    else {
      losePatience()
      return false
    }
    patience = RecordWriter.patience
    try row.write(bytes)
    for index in record.indexes.indices where !isSame(column(of: index), former, object) {
      try writeEntry(updateEntry[index] ?? prepareUpdateEntry(index), rowid, index, object)
    }
    return true
  }

  /// What overwrites the row; nil when it does not pay yet, or cannot be done.
  private func overwriter(at rowid: Int64) throws -> RowOverwriter? {
    if let overwriter {
      if try overwriter.move(to: rowid) { return overwriter }
      endOverwriting()
    } else {
      updatesInARow += 1
      guard updatesInARow > 2 else { return nil }
      overwriter = try RowOverwriter(record.table, rowid, on: connection)
      if overwriter == nil { losePatience() }
    }
    return overwriter
  }

  private func losePatience() {
    patience -= 1
    if patience == 0 { overwriter = nil }
  }

  private func column(of index: Int) -> Int { record.primaryKeys.count + index }

  private func isSame(_ column: Int, _ lhs: FlatBufferTable, _ rhs: FlatBufferTable) -> Bool {
    record.columns.value(at: column, in: lhs).isIdentical(to: record.columns.value(at: column, in: rhs))
  }

  /// Ends the overwriting of rows, as has to be done before anything else is written, and before a savepoint begins or ends.
  func endOverwriting() {
    updatesInARow = 0
    overwriter = nil
  }

  /// Ends the overwriting of rows before the transaction begins or ends, or goes on with another type.
  func endTransaction() {
    endOverwriting()
    patience = RecordWriter.patience
  }

  // MARK: Statements

  @discardableResult
  private func bindKeys(of object: FlatBufferTable, to statement: SQLiteStatement, from first: Int32) -> Int32 {
    for index in record.primaryKeys.indices {
      statement.bind(borrowing: record.columns.value(at: index, in: object), at: first + Int32(index))
    }
    return first + Int32(record.primaryKeys.count)
  }

  private func writeEntry(
    _ statement: SQLiteStatement, _ rowid: Int64, _ index: Int, _ object: FlatBufferTable
  ) throws {
    statement.bind(rowid, at: 1)
    statement.bind(borrowing: record.columns.value(at: column(of: index), in: object), at: 2)
    try statement.run()
  }

  /// Undoes what `body` has written when a unique index refuses it. Without one, nothing is written before the refusal.
  private func undoingOnFailure<T>(_ body: () throws -> T) throws -> T {
    guard isUniqueAnywhere else { return try body() }
    // No more than that is ended: an update by a statement is one more in a row.
    overwriter = nil
    try run(&savepoint, "SAVEPOINT submission", "Beginning a submission")
    do {
      let result = try body()
      try run(&release, "RELEASE submission", "Ending a submission")
      return result
    } catch let error as SQLiteError where error.isConflict {
      try run(&rollBack, "ROLLBACK TO submission", "Undoing a submission")
      try run(&release, "RELEASE submission", "Ending a submission")
      throw error
    }
  }

  private func run(_ place: inout SQLiteStatement?, _ sql: String, _ purpose: StaticString) throws {
    let statement = try place ?? prepare(sql, purpose)
    place = statement
    try statement.run()
  }

  private func prepare(_ sql: String, _ purpose: StaticString) throws -> SQLiteStatement {
    try SQLiteStatement(sql, for: purpose, on: connection)
  }

  private func prepareInsert() throws -> SQLiteStatement {
    let columns = keyColumns.map { "\($0), " }.joined()
    let values = keyColumns.map { _ in "?, " }.joined()
    let statement = try prepare(
      "INSERT INTO \(tables.main.quoted) (\(columns)p) VALUES (\(values)?)", "Storing an object")
    insertStatement = statement
    return statement
  }

  private func prepareUpdate() throws -> SQLiteStatement {
    let isSameKey = keyColumns.map { "\($0) IS ?" }.joined(separator: " AND ")
    let statement = try prepare(
      "UPDATE \(tables.main.quoted) SET p = ? WHERE rowid = ? AND \(isSameKey)", "Updating an object")
    updateStatement = statement
    return statement
  }

  private func prepareUpdateKey() throws -> SQLiteStatement {
    let keys = keyColumns.map { "\($0) = ?" }.joined(separator: ", ")
    let statement = try prepare("UPDATE \(tables.main.quoted) SET p = ?, \(keys) WHERE rowid = ?", "Updating an object")
    updateKeyStatement = statement
    return statement
  }

  private func prepareDelete() throws -> SQLiteStatement {
    let statement = try prepare("DELETE FROM \(tables.main.quoted) WHERE rowid = ?", "Deleting an object")
    deleteStatement = statement
    return statement
  }

  private func prepareDeleteRows() throws -> SQLiteStatement {
    let statement = try prepare(
      "DELETE FROM \(tables.main.quoted) WHERE rowid BETWEEN ? AND ?", "Deleting objects")
    deleteRowsStatement = statement
    return statement
  }

  private func prepareInsertEntry(_ index: Int) throws -> SQLiteStatement {
    let (table, key) = entryNames(index)
    let statement = try prepare("INSERT INTO \(table) (rowid, \(key)) VALUES (?1, ?2)", "Storing an index entry")
    insertEntry[index] = statement
    return statement
  }

  private func prepareUpdateEntry(_ index: Int) throws -> SQLiteStatement {
    let (table, key) = entryNames(index)
    let statement = try prepare(
      "UPDATE \(table) SET \(key) = ?2 WHERE rowid = ?1 AND \(key) IS NOT ?2", "Updating an index entry")
    updateEntry[index] = statement
    return statement
  }

  private func prepareDeleteEntry(_ index: Int) throws -> SQLiteStatement {
    let statement = try prepare(
      "DELETE FROM \(entryNames(index).table) WHERE rowid = ?1", "Deleting an index entry")
    deleteEntry[index] = statement
    return statement
  }

  private func prepareDeleteEntries(_ index: Int) throws -> SQLiteStatement {
    let statement = try prepare(
      "DELETE FROM \(entryNames(index).table) WHERE rowid BETWEEN ?1 AND ?2", "Deleting index entries")
    deleteEntries[index] = statement
    return statement
  }

  private func entryNames(_ index: Int) -> (table: String, key: String) {
    (tables.indexTable(index).quoted, record.indexes[index].key.quoted)
  }
}

extension RecordDescription {
  var hasUniqueIndex: Bool { indexes.contains(where: \.isUnique) }
}
