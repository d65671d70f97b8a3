import Dflat
import DflatEngine
import FlatBuffersCore

/// The copy of the rows of one table.
final class TableCopy {
  private let core: PostgresCore
  private let record: RecordDescription
  private let isCancelled: () -> Bool
  private let progress: ((CopyProgress) -> Void)?
  private let holdsObject: (UnsafeRawBufferPointer) -> Bool
  private(set) var summary: CopySummary.Table

  /// The most rows, and roughly the most bytes, that are sent in one statement.
  private static let batchLimit = (count: 200, byteCount: 4 << 20)

  init(
    _ core: PostgresCore, _ record: RecordDescription, _ isCancelled: @escaping () -> Bool,
    _ progress: ((CopyProgress) -> Void)?, holdsObject: @escaping (UnsafeRawBufferPointer) -> Bool
  ) {
    self.core = core
    self.record = record
    self.isCancelled = isCancelled
    self.progress = progress
    self.holdsObject = holdsObject
    summary = CopySummary.Table(name: record.table)
  }

  /// Returns whether the bytes of a row hold an object of a type.
  static func holdsObject<Element: Atom>(_ bytes: UnsafeRawBufferPointer, _: Element.Type) -> Bool {
    let budget = ReadingBudget()
    guard let row = FlatBufferTable(rootOf: bytes, within: budget) else { return false }
    _ = Element(row, _rowid: 0, _commitVersion: 0)
    return budget.end()
  }

  // MARK: Batches

  /// Rows that are sent together.
  private struct Batch {
    var bytes: [UInt8] = []
    var ranges: [Range<Int>] = []

    var isFull: Bool { ranges.count >= TableCopy.batchLimit.count || bytes.count >= TableCopy.batchLimit.byteCount }

    mutating func append(_ row: UnsafeRawBufferPointer) {
      let start = bytes.count
      bytes.append(contentsOf: row)
      ranges.append(start..<bytes.count)
    }

    /// Calls `body` with the bytes of each row.
    func forEach(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
      try bytes.withUnsafeBytes { bytes in
        for range in ranges { try body(UnsafeRawBufferPointer(rebasing: bytes[range])) }
      }
    }
  }

  /// Calls `body` with all rows of the source that hold objects, batch by batch.
  private func forEachBatch(
    of rows: any StoredRows, _ phase: CopyProgress.Phase, _ body: (Batch) throws -> Void
  ) throws {
    let total = try rows.count(of: record)
    var batch = Batch()
    var damagedRows: [Int64] = []
    var rowCount = 0
    func send() throws {
      if isCancelled() { throw CancellationError() }
      if !batch.ranges.isEmpty { try body(batch) }
      batch.bytes.removeAll(keepingCapacity: true)
      batch.ranges.removeAll(keepingCapacity: true)
      progress?(CopyProgress(phase: phase, table: record.table, rowCount: rowCount, totalRowCount: total))
    }
    try rows.forEach(of: record) { rowid, bytes in
      rowCount += 1
      guard holdsObject(bytes), hasKey(bytes) else { return damagedRows.append(rowid) }
      batch.append(bytes)
      if batch.isFull { try send() }
    }
    try send()
    summary.damagedRows = damagedRows
  }

  /// Returns whether a row has all columns of the primary key. With a NULL, it could not be found again.
  private func hasKey(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let object = FlatBufferTable(ofEncoded: bytes)
    return record.primaryKeys.indices.allSatisfy { column in
      if case .null = record.columns.value(at: column, in: object) { false } else { true }
    }
  }

  /// Returns the statements for the table in the schema of a connection.
  private func statements(on connection: PostgresConnection) -> CopyStatements {
    CopyStatements(layout: core.catalog.layout(of: record, on: connection))
  }

  /// Calls `body` with a connection. Calls it again if the server has undone the work, or the connection was lost.
  private func withConnection<Result>(
    for use: SessionDefaults.Access, _ body: (PostgresConnection) throws -> Result
  ) throws -> Result {
    var pauses = RetryPauses(core.options.retry)
    while true {
      do {
        let connection = try core.pool.acquire(for: use)
        defer { core.pool.release(connection) }
        return try body(connection)
      } catch let error as PostgresError where error.isRetryable {
        if error.cause == .connectionLost { core.pool.dropIdle() }
        guard pauses.wait() else { throw error }
      }
    }
  }

  /// Calls `body` in a transaction, which is committed, or rolled back if `body` throws.
  private func withTransaction<Result>(
    tellsSubscribers: Bool = false, _ body: (PostgresConnection) throws -> Result
  ) throws -> Result {
    try withConnection(for: .readWrite) { connection in
      let purpose = "Copying \(record.table)"
      do {
        try connection.begin(.writing, for: purpose)
        let result = try body(connection)
        try connection.commit(for: purpose)
        if tellsSubscribers { self.tellSubscribers(on: connection) }
        return result
      } catch {
        connection.rollBack()
        throw error
      }
    }
  }

  /// Makes sure that the workspace's subscribers learn of the last commit on a connection: the server may send them
  /// nothing.
  private func tellSubscribers(on connection: PostgresConnection) {
    if record === DictionaryItem.record {
      core.dictionary.noteForeignChange(nil)
    } else {
      core.waitUntilObserved([ObjectIdentifier(record)], on: connection)
    }
  }

  // MARK: Storing

  /// Stores the rows that the database lacks, or has with other content.
  func store(_ rows: any StoredRows) throws {
    try forEachBatch(of: rows, .copying) { batch in
      if core.catalog.knownTable(of: record)?.isWritable != true {
        try core.prepareForWriting(record, isCancelled: isCancelled)
      }
      let (inserted, replaced) = try storeOnFreeNumbers(batch)
      summary.insertedCount += inserted
      summary.replacedCount += replaced
      summary.unchangedCount += batch.ranges.count - inserted - replaced
    }
    guard summary.copiedCount > 0 else { return }
    // The planner needs to know how many values there are. The copy is complete without it.
    do {
      try withTransaction { connection in
        let table = core.catalog.layout(of: record, on: connection).table
        try connection.send("ANALYZE \(table)", isPrepared: false, for: "Analyzing \(record.table)")
      }
    } catch {
      core.report(error)
    }
  }

  private func storeOnFreeNumbers(_ batch: Batch) throws -> (inserted: Int, replaced: Int) {
    var pauses = RowNumbering.pauses
    while true {
      do {
        return try withTransaction(tellsSubscribers: true) { try store(batch, on: $0) }
      } catch let error as PostgresError where error.isConflict {
        guard try core.numbering.recover(from: error, in: record), pauses.wait() else { throw error }
      }
    }
  }

  private func store(_ batch: Batch, on connection: PostgresConnection) throws -> (inserted: Int, replaced: Int) {
    let statements = self.statements(on: connection)
    var parameters = PostgresParameters()
    try batch.forEach { bytes in
      parameters.append(try core.catalog.takeNumber(of: record, afterMany: batch.ranges.count, on: connection))
      parameters.append(keyOf: FlatBufferTable(ofEncoded: bytes), statements.layout)
      parameters.append(bytes: bytes)
    }
    var (inserted, replaced) = (0, 0)
    let count = batch.ranges.count
    try connection.query(
      statements.store(count), parameters, isPrepared: count == TableCopy.batchLimit.count,
      for: "Copying \(record.table)"
    ) { row in
      if row.bool(0) { inserted += 1 } else { replaced += 1 }
      return true
    }
    return (inserted, replaced)
  }

  // MARK: Verifying

  /// Compares the source with the database.
  func verify(_ rows: any StoredRows) throws {
    var missing = 0
    try forEachBatch(of: rows, .verifying) { batch in
      let count = batch.ranges.count
      let same = try withConnection(for: .readOnly) { connection -> Int in
        let statements = self.statements(on: connection)
        var parameters = PostgresParameters()
        batch.forEach { bytes in
          parameters.append(keyOf: FlatBufferTable(ofEncoded: bytes), statements.layout)
          parameters.append(bytes: bytes)
        }
        return try self.count(
          statements.countSame(count), parameters, isPrepared: count == TableCopy.batchLimit.count, on: connection)
      }
      missing += count - same
    }
    guard missing == 0 else { throw CopyError.differs(table: record.table, rowCount: missing) }
    let stored = try withConnection(for: .readOnly) { connection in
      guard try core.catalog.table(of: record, on: connection).exists else { return 0 }
      return try count(statements(on: connection).countAll, on: connection)
    }
    summary.additionalCount = stored - summary.copiedCount
  }

  private func count(
    _ sql: String, _ parameters: PostgresParameters = PostgresParameters(), isPrepared: Bool = true,
    on connection: PostgresConnection
  ) throws -> Int {
    var count = 0
    try connection.query(sql, parameters, isPrepared: isPrepared, for: "Verifying \(record.table)") { row in
      count = Int(row.integer(0))
      return true
    }
    return count
  }
}
