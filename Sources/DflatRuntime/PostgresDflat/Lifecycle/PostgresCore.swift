import Dflat
import DflatEngine
import Dispatch

/// The state shared by a workspace and the work in flight. It outlives the workspace until that work has ended.
final class PostgresCore: Sendable {
  let options: PostgresOptions
  let pool: ConnectionPool
  let catalog: TableCatalog
  let settlement: CommitSettlement
  let numbering: RowNumbering
  let scheduler: TransactionScheduler
  let completions: Completions
  let reporter: ErrorReporter
  let events: StoreEvents
  let indexBuilder: IndexBuilder
  let dictionary: DictionaryTable
  let feed: ReplicationFeed
  let observation: Observation
  /// Calls the error handler on a thread that holds nothing, before the completion handlers that are appended later.
  /// For threads on whose work the handler may wait, such as those of transactions.
  let reportLater: @Sendable (any Error) -> Void
  /// Calls the error handler. For the closure of a transaction, of this workspace or another one, another thread does:
  /// the handler may wait for a transaction that shares a type with it.
  let reportFromAnyThread: @Sendable (any Error) -> Void

  init(
    _ options: PostgresOptions, order: TransactionScheduler.Order, errorHandler: @escaping @Sendable (any Error) -> Void
  ) {
    // Not shared with another workspace that is made of the same options: its `search_path` may have changed meanwhile.
    let options = options.forWorkspace
    self.options = options
    let reporter = ErrorReporter(errorHandler)
    let completions = Completions(targetQueue: nil, reporter: reporter)
    let reportLater: @Sendable (any Error) -> Void = { error in
      // A forked child of a thread that runs a closure has no other thread, and never gets one.
      if reporter.forks.isInChild { return reporter.report(error) }
      let (depth, isOfHandler) = (HandlerDepth.current, EventHandling.isActive)
      completions.appendCallbacks([
        { EventHandling.$isActive.withValue(isOfHandler) { reporter.report(error, at: depth) } }
      ])
      completions.makeCallsInBackground()
    }
    self.reporter = reporter
    self.completions = completions
    self.reportLater = reportLater
    reportFromAnyThread = { CurrentTransaction.running == nil ? reporter.report($0) : reportLater($0) }
    scheduler = TransactionScheduler(completions: completions, targetQueue: nil, order: order)
    events = StoreEvents(scheduler)
    pool = ConnectionPool(options)
    let catalog = TableCatalog()
    let settlement = CommitSettlement(options: options, catalog: catalog)
    let numbering = RowNumbering(options: options, catalog: catalog)
    self.catalog = catalog
    self.settlement = settlement
    self.numbering = numbering
    indexBuilder = IndexBuilder(options, catalog, report: reportLater)
    dictionary = DictionaryTable(options, pool, settlement, numbering, completions, report: reportLater)
    let tables = ObservedTables(options, pool, catalog, report: reportLater)
    feed = ReplicationFeed(options, tables, report: reportLater)
    observation = Observation(feed: feed, completions: completions, watcher: feed, report: reportLater)
  }

  /// Creates what a type needs to be written, on a new connection: that work must not wait for the calling transaction.
  ///
  /// - Parameter isCancelled: whether nobody waits for it any more. Asked while another process holds a lock.
  /// - Returns: the type's table.
  @discardableResult
  func prepareForWriting(
    _ record: RecordDescription, isCancelled: @escaping () -> Bool = { false }
  ) throws -> DatabaseTable {
    try options.findSchema()
    let connection = try PostgresConnection.withoutTimeout(options.direct)
    let wait = PostgresConnection.LockWait(isCancelled: isCancelled, onDelay: { self.reportLater($0) })
    let preparation = TablePreparation(catalog: catalog, connection: connection, wait: wait)
    let failures = try preparation.prepareForWriting(record)
    for failure in failures { reportLater(failure) }
    if catalog.knownTable(of: record)?.isComplete != true { indexBuilder.request(record) }
    return catalog.layout(of: record, on: connection)
  }

  func report(_ error: any Error) { reportFromAnyThread(error) }

  // MARK: The connection that a thread reads on

  /// The transaction of this workspace whose closure the calling thread runs; nil if there is none.
  var currentTransaction: PostgresTransaction? {
    guard let transaction = CurrentTransaction.running as? PostgresTransaction, transaction.core === self else {
      return nil
    }
    return transaction
  }

  private var currentSnapshot: PostgresSnapshot? { ThreadScope.innermost(of: self)?.content as? PostgresSnapshot }

  /// Whether the calling thread is in a transaction or a snapshot, for which a shutdown would wait.
  var isInUseByThread: Bool { currentTransaction != nil || currentSnapshot != nil }

  /// The properties of a read that depend on where it runs: in a transaction, in a snapshot, or by itself.
  struct ReadContext {
    /// The commit version of the objects that are read; 0 outside of transactions and snapshots, where nothing tells
    /// later whether they are still current.
    let commitVersion: UInt64
    /// Whether the statement may be cancelled: true only outside of transactions, which a cancellation would undo.
    let canCancel: Bool
  }

  /// Calls `body` with the connection on which the calling thread reads: its transaction's, its snapshot's, or one of
  /// the pool.
  ///
  /// With a connection of the pool, `body` is called again after an error that is worth a retry, and once after one
  /// that reports a missing table or function. After an error for which a transaction has to run again, the transaction
  /// is undone, and `body` is called again with a connection of the pool.
  ///
  /// - Throws: the last error of `body`, or the error for a connection that cannot be had.
  func withConnection<Result>(_ body: (PostgresConnection, ReadContext) throws -> Result) throws -> Result {
    try reporter.forks.check()
    if let transaction = currentTransaction {
      do {
        if let connection = try transaction.connectionForReading() {
          return try body(connection, ReadContext(commitVersion: transaction.version, canCancel: false))
        }
      } catch {
        guard let reason = transaction.reasonToRunAgain(after: error) else {
          transaction.noteFailedRead(error)
          throw error
        }
        // The closure goes on with what is committed, and is run again.
        transaction.undo(because: reason)
      }
    } else if let snapshot = currentSnapshot {
      return try snapshot.read(body)
    }
    return try withPooledConnection(body)
  }

  private func withPooledConnection<Result>(
    _ body: (PostgresConnection, ReadContext) throws -> Result
  ) throws -> Result {
    var pauses = RetryPauses(options.retry)
    var hasForgottenTables = false
    while true {
      let connection = try pool.acquire(for: .readOnly)
      do {
        defer { pool.release(connection) }
        return try body(connection, ReadContext(commitVersion: 0, canCancel: true))
      } catch let error as PostgresError where error.isMissingRelation && !hasForgottenTables {
        // Another session has dropped a table or a function: look for it once more.
        catalog.forgetAll()
        hasForgottenTables = true
      } catch let error as PostgresError where error.isRetryable {
        // The server may have closed an idle connection since its last use, or may have undone this read because of the
        // transactions of others.
        if error.cause == .connectionLost { pool.dropIdle() }
        guard pauses.wait() else { throw error }
      }
    }
  }

  /// Runs `body`. All its fetches on this thread show one state of the database. If the snapshot cannot begin, each of
  /// these fetches fails.
  func withSnapshot<Result>(_ body: () throws -> Result) rethrows -> Result {
    // A transaction is a snapshot.
    if currentTransaction != nil || currentSnapshot != nil { return try body() }
    let snapshot = PostgresSnapshot(self)
    defer { snapshot.end() }
    return try ThreadScope(of: self, holding: snapshot).run(body)
  }
}

extension PostgresCore {
  /// Waits until the feed knows the transaction that has just committed on the connection, so that subscribers hear of
  /// it before its completion handler is called.
  ///
  /// - Parameter records: the types that the transaction has changed.
  func waitUntilObserved(_ records: Set<ObjectIdentifier>, on connection: PostgresConnection) {
    switch feed.telling(of: records) {
    case .needless: return
    case .byStream: if isReceived(on: connection) { return }
    case .byWorkspace: break
    }
    feed.noteUnstreamedCommit()
  }

  /// Waits until the feed has received what earlier fetches may show, for at most a second, if it tells of the type.
  ///
  /// It does not wait in a transaction, whose results show its own changes, and which may have the last connection. Nor
  /// does it in a snapshot that has the last connection: it would wait for `PostgresOptions.poolTimeout`.
  func waitUntilTold<Element: Atom>(of type: Element.Type) {
    guard currentTransaction == nil, feed.tells(of: type._record.tableName) else { return }
    if currentSnapshot != nil {
      let connections = pool.status
      if connections.usedCount >= connections.connectionLimit { return }
    }
    // If no connection can be had, the wait is left out. A fetch that follows reports the error, and a subscriber is
    // told the present result when the stream of commits comes back.
    guard let connection = try? pool.acquire(for: .readOnly) else { return }
    defer { pool.release(connection) }
    _ = isReceived(on: connection)
  }

  /// Waits until the feed has received what was committed before, as far as the connection shows it.
  ///
  /// - Returns: false if the feed does not receive it in time, or the server does not tell its position.
  private func isReceived(on connection: PostgresConnection) -> Bool {
    var position: UInt64?
    do {
      try connection.query(
        "SELECT (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint", for: "Waiting for subscribers"
      ) { row in
        position = UInt64(max(0, row.integer(0)))
        return true
      }
    } catch {
      // The transaction is stored all the same, and the workspace itself tells its subscribers.
    }
    return position.map { feed.wait(for: $0) } ?? false
  }
}

extension PostgresCore: StoreEngine {
  /// Does nothing: the flags are about files, and the server keeps the database in order.
  func prepareToClose(_ flags: WorkspaceShutdownFlag) {}

  func close() {
    scheduler.waitUntilIdle()
    let (hadSubscribers, errors) = dictionary.close()
    if hadSubscribers { feed.stop() }
    observation.close()
    feed.finish()
    indexBuilder.stop()
    pool.close()
    // The program may end when this method returns. Before that, the error handler has to learn what is not stored.
    completions.waitForCallbacks()
    // Reported last, when this thread holds nothing that others wait for: the handler may wait for another thread that
    // shuts the workspace down.
    for error in errors { error.report { self.report($0) } }
  }
}

/// The pauses between the attempts of a transaction: random, so that two conflicting transactions do not meet again,
/// and longer each time.
struct RetryPauses {
  private var left: Int
  private var limit = 0.002

  init(_ retry: PostgresOptions.Retry) {
    left =
      switch retry {
      case .limited(let count): max(0, count)
      case .never: 0
      }
  }

  /// Sleeps before the next attempt.
  ///
  /// - Returns: false, without a pause, if no attempt is left.
  mutating func wait() -> Bool {
    guard left > 0 else { return false }
    left -= 1
    usleepRandomly(upTo: limit)
    limit = min(2 * limit, 0.5)
    return true
  }
}
