import CSQLite
import Dflat
import FlatBuffersCore

/// Writes the rows of one type: the object's row, and its entries in the index tables.
///
/// For the thread that has the writer, in a write transaction.
final class RowWriter {
  let record: RecordDescription
  let connection: SQLiteConnection
  private let tables: RecordTables
  let hasUniqueIndex: Bool
  /// What has been found out about each index; nil until the tables have been looked at in this state of the file.
  private var states: [IndexState]?
  /// The highest row number that the table has ever used, as far as this connection shows it.
  private(set) var lastRow: Int64 = 0
  private var statements: RowStatements
  /// What is to be written by few statements; see `merge`.
  private var merger = WriteMerger()
  /// What statements ask that update several rows.
  private let updateFunctions: UpdateFunctions

  private enum IndexState {
    /// Every row has its entry: new rows get theirs.
    case complete
    /// Some rows have no entry yet. New rows get none, or the index would look complete; existing entries are kept right.
    case behind
  }

  /// - Parameter updateFunctions: those of the connection.
  init(_ record: RecordDescription, on connection: SQLiteConnection, _ updateFunctions: UpdateFunctions) {
    self.record = record
    self.connection = connection
    self.updateFunctions = updateFunctions
    tables = RecordTables(record: record)
    hasUniqueIndex = record.hasUniqueIndex
    statements = RowStatements(record, on: connection)
  }

  // MARK: The tables

  /// Forgets what was found out: another connection has written, or tables were made in a transaction that is rolled back.
  func forgetTables() { states = nil }

  /// Whether some index is known to be behind.
  var hasIndexBehind: Bool { states?.contains { $0 == .behind } ?? false }

  /// Whether the tables have been made, and it is known which indexes are complete.
  var isPrepared: Bool { states != nil }

  /// Makes the tables that are missing, and finds out which indexes are complete, and which row number is the next.
  ///
  /// - Parameter fill: completes a unique index that is behind, and could not refuse a duplicate. That is rare: only another
  ///   process can have left it behind since `UniqueIndexCompletion` has completed it.
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

  /// Stores, replaces or deletes a row, perhaps later, together with others: by `finishMerging()` at the latest.
  ///
  /// - Parameters:
  ///   - rowid: that of a new object is above `lastMergedRow`.
  ///   - bytes: the encoded object, which stays as it is until then; empty if the row is deleted.
  func merge(_ kind: RowChange.Kind, _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, keepsKeys: Bool) throws {
    switch kind {
    case .inserted: try merger.insert(rowid, bytes, self)
    case .updated: try merger.update(rowid, bytes, keepsKeys: keepsKeys, self)
    case .deleted: try merger.delete(rowid, self)
    }
  }

  /// The highest row number that is used, also of rows that are not written yet.
  var lastMergedRow: Int64 { merger.lastRow ?? lastRow }

  /// Writes what is not written yet.
  func finishMerging() throws { try merger.finish(self) }

  /// Forgets what is not written yet: the transaction is rolled back.
  func dropMerged() { merger.removeAll() }

  // MARK: Rows

  /// Uses no number up to `row` for a new object.
  func skipRows(upTo row: Int64) { lastRow = max(lastRow, row) }

  /// Stores new rows, whose numbers rise, and are above all numbers that the table has used.
  ///
  /// - Throws: `SQLiteError`, a conflict if a primary key or a unique value is stored. Some rows may have been stored then, without
  ///   their index entries: the transaction is to be rolled back, unless the type has no indexes.
  func insert(_ rows: ContiguousArray<EncodedRow>) throws {
    guard rows.count == RowStatement.batchCount else {
      for row in rows { try insert(row.rowid, row.bytes) }
      return
    }
    let insert = try statements.prepared(.insertBatch)
    var parameter: Int32 = 1
    for row in rows { bind(row.rowid, row.bytes, to: insert, &parameter) }
    try insert.run()
    lastRow = rows[rows.count - 1].rowid
    for index in record.indexes.indices where states?[index] == .complete {
      let insert = try statements.prepared(.insertEntryBatch(index: index))
      var parameter: Int32 = 1
      for row in rows { bindEntry(row.rowid, index, FlatBufferTable(ofEncoded: row.bytes), to: insert, &parameter) }
      try insert.run()
    }
  }

  /// The same of one row.
  func insert(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer) throws {
    let insert = try statements.prepared(.insert)
    var parameter: Int32 = 1
    bind(rowid, bytes, to: insert, &parameter)
    try insert.run()
    lastRow = rowid
    for index in record.indexes.indices where states?[index] == .complete {
      try writeEntry(statements.prepared(.insertEntry(index: index)), rowid, index, FlatBufferTable(ofEncoded: bytes))
    }
  }

  /// Replaces a row, of which nothing is known but its number.
  ///
  /// - Parameters:
  ///   - bytes: the encoded object.
  ///   - keepsKeys: whether the row's primary key and unique values are known to stay as they are.
  /// - Returns: false if there is no such row.
  /// - Throws: `SQLiteError`, a conflict if another row has the primary key or a unique value. The row may have been written then:
  ///   the transaction is to be rolled back.
  func update(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer, keepsKeys: Bool) throws -> Bool {
    let object = FlatBufferTable(ofEncoded: bytes)
    // SQLite rewrites the index of every column that it is told to set, so key columns are set only when they may differ.
    let update = try statements.prepared(keepsKeys ? .update : .updateWithKeys)
    update.bind(borrowing: bytes, at: 1)
    update.bind(rowid, at: 2)
    if !keepsKeys { bindKeys(of: object, to: update, from: 3) }
    try update.run()
    if connection.changes == 0 { return false }
    // An entry is compared with the entry that is there, not with the former object's value: the row may come from a newer
    // schema, with values that an object of this schema cannot show.
    for index in record.indexes.indices {
      try writeEntry(statements.prepared(.updateEntry(index: index)), rowid, index, object)
    }
    return true
  }

  /// Replaces a row, if it holds the primary key of the object. For a type without indexes.
  ///
  /// - Returns: false if it does not, or there is no such row.
  func updateIfKeyed(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer) throws -> Bool {
    let update = try statements.prepared(.updateIfKeyed)
    update.bind(borrowing: bytes, at: 1)
    update.bind(rowid, at: 2)
    bindKeys(of: FlatBufferTable(ofEncoded: bytes), to: update, from: 3)
    try update.run()
    return connection.changes == 1
  }

  /// Replaces rows, whose primary keys and unique values stay as they are.
  ///
  /// - Returns: the number of a row that is not there; nil if all are.
  func update(_ run: UpdateRun) throws -> Int64? {
    guard let first = run.rows.first, let last = run.rows.last else { return nil }
    // To begin with the range costs as much as two statements.
    if run.rows.count < 3 {
      return try run.rows.first { try !update($0.rowid, $0.bytes, keepsKeys: true) }?.rowid
    }
    return try updateFunctions.withRows(run.rows, of: record) {
      updateFunctions.begin()
      try write(first.rowid...last.rowid, by: statements.prepared(.updateRange))
      if connection.changes != run.rows.count {
        let reader = connection.reader(for: record)
        return try run.rows.first { row in try reader.withRow(row.rowid) { $0 == nil } }?.rowid
      }
      for index in record.indexes.indices {
        updateFunctions.begin(column: column(of: index))
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

  /// Deletes rows, and their index entries.
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

  private func column(of index: Int) -> Int { record.primaryKeys.count + index }

  /// Binds a new row, and moves `parameter` behind it.
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

  /// Binds an index entry, and moves `parameter` behind it.
  private func bindEntry(
    _ rowid: Int64, _ index: Int, _ object: FlatBufferTable, to statement: SQLiteStatement, _ parameter: inout Int32
  ) {
    statement.bind(rowid, at: parameter)
    statement.bind(borrowing: record.columns.value(at: column(of: index), in: object), at: parameter + 1)
    parameter += 2
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
