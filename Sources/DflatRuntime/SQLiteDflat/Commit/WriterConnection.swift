import CSQLite
import Dflat
import DflatEngine

/// The connection that writes, with the known state of its tables. It begins SQLite transactions, applies write sets,
/// commits, and rolls back. It is used by the thread that has the writer.
final class WriterConnection {
  let connection: SQLiteConnection
  let sequence: CommitSequence
  let encoder = RowEncoder()
  /// Encodes the stored object when two are compared.
  let comparisonEncoder = RowEncoder()
  /// Whether an object was ever stored under another row number than proposed.
  var hasMovedRows = false
  /// The unique indexes that cannot be built, by their tables: the rows with the same value, and the error that names
  /// these rows.
  var violatedIndexes: [String: (duplicates: DuplicateRows, error: SQLiteError)] = [:]
  /// The duplicate rows that the error handler was told last, by the index's table.
  var reportedDuplicates: [String: DuplicateRows] = [:]
  /// How far indexes have been verified by committed transactions.
  var indexProgress = IndexProgress()
  /// The highest row number that the dictionary's table has ever used.
  var lastDictionaryRow: Int64 = 0
  var checkpoints = LogCheckpoints()
  private let dictionary: DictionaryCommits
  /// The changes of the dictionary in the current transaction.
  private var changedKeys: [DictionaryChange] = []
  /// The database, which owns this connection.
  private unowned let database: Database
  private var rows: [ObjectIdentifier: RowWriter] = [:]
  /// The writers of the types that the current call of `apply` writes.
  var merging: [RowWriter] = []
  private let updateFunctions: UpdateFunctions
  /// The element of `rows` that was used last.
  private var latest: RowWriter?
  /// SQLite's data version: it changes when another connection has committed.
  private var dataVersion: Int64?
  /// How many rows the connection had written when the transaction began.
  private var changeCount: Int32 = 0
  /// Calls the error handler later, on another thread, since the handler may wait for the writer.
  let report: @Sendable (any Error) -> Void
  private let beginStatement: SQLiteStatement
  private let commitStatement: SQLiteStatement
  private let rollBackStatement: SQLiteStatement
  private let dataVersionStatement: SQLiteStatement

  init(
    _ connection: SQLiteConnection, of database: Database, sequence: CommitSequence, dictionary: DictionaryCommits,
    report: @escaping @Sendable (any Error) -> Void
  ) throws {
    self.connection = connection
    self.sequence = sequence
    self.database = database
    self.dictionary = dictionary
    self.report = report
    updateFunctions = try UpdateFunctions(on: connection)
    beginStatement = try SQLiteStatement("BEGIN IMMEDIATE", for: "Beginning a transaction", on: connection)
    commitStatement = try SQLiteStatement("COMMIT", for: "Committing a transaction", on: connection)
    rollBackStatement = try SQLiteStatement("ROLLBACK", for: "Rolling a transaction back", on: connection)
    dataVersionStatement = try SQLiteStatement("PRAGMA data_version", for: "Beginning a transaction", on: connection)
    dataVersion = try readDataVersion()
  }

  private func readDataVersion() throws -> Int64? {
    defer { dataVersionStatement.reset() }
    return try dataVersionStatement.step() ? dataVersionStatement.integer(at: 0) : nil
  }

  // MARK: Transactions

  /// Begins a write transaction. Notices whether another process, or another workspace, has committed since the last
  /// one.
  func begin() throws {
    // A transaction whose rollback failed: nobody was told that it is stored.
    if connection.isInTransaction { rollBack() }
    try beginStatement.run()
    do {
      let version = try readDataVersion()
      if version != dataVersion {
        for rows in rows.values { rows.forgetTables() }
        sequence.noteForeignCommit()
      }
      dataVersion = version
      sequence.beginWriting()
      changeCount = connection.changeCount
      connection.commitVersion = sequence.version
    } catch {
      rollBack()
      throw error
    }
  }

  /// Commits the write transaction, and publishes it.
  ///
  /// - Parameters:
  ///   - changes: the changes, for the change feed.
  ///   - keyReads: the keys of the dictionary that the transaction has read; nil if none.
  /// - Throws: `SQLiteError`, or `SubmissionError` if a key was set since it was read. The transaction is rolled back
  ///   then.
  func commit(
    publishing changes: CommitSequence.Changes, keyReads: DictionaryCache.TransactionReads? = nil
  ) throws {
    do {
      // A file without a name would be written, and its contents lost.
      if let file = connection.movedFile { throw SQLiteError.moved(file, during: "Committing a transaction") }
      database.endIdleReading()
      if keyReads != nil || !changedKeys.isEmpty {
        try dictionary.cache.beginCommit(changedKeys, reads: keyReads ?? DictionaryCache.TransactionReads())
      }
      try commitStatement.run()
    } catch {
      rollBack()
      throw error
    }
    sequence.publish(changes, hasWritten: connection.changeCount != changeCount)
    endDictionaryCommit(hasCommitted: true)
  }

  /// Changes keys of the dictionary, in the write transaction of a user's transaction.
  func change(_ changes: [DictionaryChange]) throws {
    var rows = DictionaryRowWriter(self)
    for (change, row) in zip(changes, dictionary.cache.rows(of: changes)) { try rows.apply(change, at: row) }
    try rows.finish()
    changedKeys += changes
  }

  private func endDictionaryCommit(hasCommitted: Bool) {
    guard !changedKeys.isEmpty else { return }
    changedKeys = []
    let subscribers = dictionary.cache.endCommit(hasCommitted: hasCommitted)
    if !subscribers.isEmpty { dictionary.tell(subscribers) }
  }

  /// Rolls the transaction back, and forgets the state of the tables.
  func rollBack() {
    // After some errors SQLite has already rolled back. If a rollback fails, the transaction stays open, and no other
    // can begin: `begin()` tries the rollback again.
    if connection.isInTransaction { _ = Result { try rollBackStatement.run() } }
    sequence.endWriting()
    endDictionaryCommit(hasCommitted: false)
    // The transaction may have created and filled tables, and the preparation of a statement may have failed.
    rows = [:]
    latest = nil
    connection.forgetStatements()
  }

  // MARK: Rows

  /// Returns the writer of a type's rows. Creates the type's tables if they are missing. The caller has begun a write
  /// transaction.
  func preparedRows(of record: RecordDescription) throws -> RowWriter {
    if let latest, latest.record === record, latest.isPrepared { return latest }
    let key = ObjectIdentifier(record)
    let rows = rows[key] ?? RowWriter(record, on: connection, updateFunctions)
    self.rows[key] = rows
    latest = rows
    try rows.prepareTables { index in
      var duplicates = DuplicateRows()
      var next: Int64? = .min
      while let first = next { next = try fill(index, of: record, from: first, limit: .max, &duplicates) }
    }
    return rows
  }

  /// Calls `body` with the writer of each type that was written since the last rollback.
  func forEachRows(_ body: (RowWriter) -> Void) { for rows in rows.values { body(rows) } }

  /// Forgets the state of the tables of `record`, after its indexes have been filled.
  func forgetTables(of record: RecordDescription) { rows[ObjectIdentifier(record)]?.forgetTables() }

  /// The types that have an index known to be behind.
  var recordsBehind: [RecordDescription] {
    rows.values.filter(\.hasIndexBehind).map(\.record)
  }

  /// Whether an index is known to be behind.
  var hasIndexBehind: Bool { rows.values.contains(where: \.hasIndexBehind) }
}
