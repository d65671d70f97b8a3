import CSQLite
import Dflat
import DflatEngine

/// The connection that writes, with what is known of the tables that it writes to: it begins SQLite transactions, applies write sets
/// to them, commits them, and rolls them back. For the thread that has the writer.
final class WriterConnection {
  let connection: SQLiteConnection
  let sequence: CommitSequence
  let encoder = RowEncoder()
  /// For the object that another is compared with.
  let comparisonEncoder = RowEncoder()
  /// Whether an object was ever stored under another row number than proposed.
  var hasMovedRows = false
  /// The rows that keep unique indexes from being built, by the index's table.
  var violatedIndexes: [String: DuplicateRows] = [:]
  /// Those that the error handler was told of last.
  var reportedDuplicates: [String: DuplicateRows] = [:]
  /// How far indexes have been verified, by transactions that are committed.
  var indexProgress = IndexProgress()
  /// The highest row number that was ever used for a key of the dictionary.
  var lastDictionaryRow: Int64 = 0
  var checkpoints = LogCheckpoints()
  private let dictionary: DictionaryCommits
  /// The keys of the dictionary that the transaction has changed.
  private var changedKeys: [DictionaryChange] = []
  /// It owns this connection.
  private unowned let database: Database
  private var rows: [ObjectIdentifier: RowWriter] = [:]
  /// Those of the types that the call of `apply` writes.
  var merging: [RowWriter] = []
  private let updateFunctions: UpdateFunctions
  /// The one of `rows` that was used last.
  private var latest: RowWriter?
  /// Changes when another connection has committed.
  private var dataVersion: Int64?
  /// How many rows the connection had written when the transaction began.
  private var changeCount: Int32 = 0
  /// Calls the error handler, later and on another thread: it may wait for the writer.
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

  /// Begins a write transaction, and notices whether another process, or another workspace, has committed since the last one.
  func begin() throws {
    // A transaction that could not be rolled back: nobody was told that it is stored.
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
  ///   - changes: what was changed, for the change feed.
  ///   - keyReads: the keys of the dictionary that were read in order to make the changes.
  /// - Throws: `SQLiteError`, or `SubmissionError` if a key was set since it was read; the transaction is rolled back then.
  func commit(
    publishing changes: CommitSequence.Changes, keyReads: DictionaryCache.TransactionReads? = nil
  ) throws {
    do {
      // What is written to a file that has no name any more, nobody will find.
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

  /// Changes keys of the dictionary. In the write transaction of a user's transaction.
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

  /// Rolls the transaction back.
  func rollBack() {
    // After some errors SQLite has already rolled back. If a rollback fails, the transaction goes on, and no other can begin:
    // it is tried again before that.
    if connection.isInTransaction { _ = Result { try rollBackStatement.run() } }
    sequence.endWriting()
    endDictionaryCommit(hasCommitted: false)
    // Tables may have been made and filled in what is undone, and a statement may have failed to be prepared.
    rows = [:]
    latest = nil
    connection.forgetStatements()
  }

  // MARK: Rows

  /// Writes the rows of `record`, whose tables are made if they are missing. In a write transaction.
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

  /// Calls `body` with the rows of each type that was written since the last rollback.
  func forEachRows(_ body: (RowWriter) -> Void) { for rows in rows.values { body(rows) } }

  /// Forgets what was found out about the tables of `record`, whose indexes have been filled.
  func forgetTables(of record: RecordDescription) { rows[ObjectIdentifier(record)]?.forgetTables() }

  /// The types of which an index is known to be behind.
  var recordsBehind: [RecordDescription] {
    rows.values.filter(\.hasIndexBehind).map(\.record)
  }

  /// Whether an index is known to be behind.
  var hasIndexBehind: Bool { rows.values.contains(where: \.hasIndexBehind) }
}
