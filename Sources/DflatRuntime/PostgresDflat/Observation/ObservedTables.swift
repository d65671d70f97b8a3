import Dflat
import DflatEngine
import Dispatch
import PostgresLayout

/// Keeps the tables of observed types in the publication, and tells the feed which of them the publication has.
///
/// It polls the catalog while somebody observes: the server sends no notice when somebody drops a table or the
/// publication, makes a table without adding it to the publication, or removes a table from it. A table whose changes
/// are not sent is reported to the error handler once, and again if it was sent in between.
final class ObservedTables: Sendable {
  private let options: PostgresOptions
  private let pool: ConnectionPool
  private let catalog: TableCatalog
  private let report: @Sendable (any Error) -> Void
  private let queue = DispatchQueue(label: "dflat.publication")
  private let state = Guarded(State(), rank: .catalog)

  private struct State {
    var records: [String: RecordDescription] = [:]
    /// The tables that are sent, as they were last found.
    var streamed: [String: Found] = [:]
    /// The tables that the error handler knows not to be sent.
    var reported: Set<String> = []
    /// How often in a row each table could not be locked.
    var lockFailures: [String: Int] = [:]
    weak var feed: ReplicationFeed?
    /// How many calls of `start` have not been followed by one of `stop`. Two threads may make theirs in any order.
    var users = 0
    var isStarted: Bool { users > 0 }
    var isLookScheduled = false
    var isLooking = false
    /// The number of the last start. A timer of an earlier start does nothing.
    var startCount = 0
  }

  /// The interval between looks into the catalog, in seconds.
  private static let interval = 2.0
  /// The number of consecutive failures to lock a table at which the failure is reported.
  private static let lockFailureLimit = 3
  /// The most seconds that a shutdown waits for a running look into the catalog.
  private static let shutdownTimeout = 10.0

  init(
    _ options: PostgresOptions, _ pool: ConnectionPool, _ catalog: TableCatalog,
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.options = options
    self.pool = pool
    self.catalog = catalog
    self.report = report
  }

  // MARK: Looking

  /// Keeps a table in the publication from now on. Waits for the first look, so that the table is mostly in the
  /// publication when this returns.
  func observe(_ record: RecordDescription, named name: String) {
    let isNew = state.withLock { state in state.records.updateValue(record, forKey: name) == nil }
    guard isNew else { return }
    let isDone = DispatchSemaphore(value: 0)
    queue.async {
      self.lookNow()
      isDone.signal()
    }
    _ = isDone.wait(timeout: .now() + ReplicationFeed.subscriptionTimeout)
  }

  func start(for feed: ReplicationFeed) {
    let number: Int? = state.withLock { state in
      state.feed = feed
      state.users += 1
      if state.users > 1 { return nil }
      state.startCount += 1
      return state.startCount
    }
    guard let number else { return }
    look()
    lookLater(number)
  }

  func stop() { state.withLock { $0.users -= 1 } }

  /// Waits until no look is running. Called after the last `stop()`.
  func finish() { state.wait(atMost: Self.shutdownTimeout) { state -> Void? in state.isLooking ? nil : () } }

  private func lookLater(_ number: Int) {
    queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
      guard let self, self.state.withLock({ $0.isStarted && $0.startCount == number }) else { return }
      self.lookNow()
      self.lookLater(number)
    }
  }

  /// Schedules a look, since something may have changed.
  func look() {
    let isNew = state.withLock { state in
      defer { state.isLookScheduled = true }
      return !state.isLookScheduled
    }
    if isNew { queue.async { self.lookNow() } }
  }

  /// A table's entry in the catalog.
  private struct Found: Equatable {
    /// The OID of the table.
    let number: Int64
    /// The OID of the publication that has the table; nil if it does not have it.
    let publication: Int64?
    /// The OID of the table's entry in the publication, which changes if the table is out of the publication between
    /// two looks; nil if there is none, as in a publication of all tables.
    let entry: Int64?

    var isPublished: Bool { publication != nil }

    /// Returns whether the table may have been in the publication all the time since an earlier look.
    ///
    /// An entry that the earlier look lacks is no sign that it has not. The server's list of published tables is newer
    /// than the snapshot of the query, so that a look may find a table that has just been added without its entry.
    func continues(_ former: Found) -> Bool {
      number == former.number && publication == former.publication && (former.entry == nil || entry == former.entry)
    }
  }

  /// Looks into the catalog and updates publication and feed. Runs on the queue.
  private func lookNow() {
    let (records, feed) = state.withLock { state in
      state.isLookScheduled = false
      state.isLooking = state.isStarted && !state.records.isEmpty
      return (state.isLooking ? state.records : [:], state.feed)
    }
    guard let feed, !records.isEmpty else { return endLook() }
    defer { endLook() }
    do {
      var (found, hasPublication) = try lookIntoCatalog(Array(records.keys))
      noteMissing(found, records, feed)
      // The process that makes a missing table adds it to the publication, if there is one.
      let unpublished = records.filter { found[$0.key].map { !$0.isPublished } ?? !hasPublication }
      var isAdded = false
      for (name, record) in unpublished where publish(record, named: name) { isAdded = true }
      if isAdded { (found, hasPublication) = try lookIntoCatalog(Array(records.keys)) }
      noteStreamed(found, records, feed)
    } catch {
      // The stream uses the same server, and reports why it cannot be reached.
    }
  }

  private func endLook() {
    state.withLock { $0.isLooking = false }
    state.notifyAll()
  }

  private func lookIntoCatalog(_ names: [String]) throws -> (tables: [String: Found], hasPublication: Bool) {
    let connection = try pool.acquire(for: .readOnly)
    defer { pool.release(connection) }
    var array = PostgresArray(of: .text)
    for name in names { array.append(text: name) }
    var parameters = PostgresParameters()
    parameters.append(text: connection.schema)
    parameters.append(text: PostgresName.publication(of: connection.schema))
    parameters.append(array)
    var found: [String: Found] = [:]
    var hasPublication = false
    try connection.query(
      """
      SELECT NULL, 0, 0, 0, EXISTS (SELECT FROM pg_publication WHERE pubname = $2)
      UNION ALL SELECT c.relname::text, c.oid::bigint, b.oid::bigint, r.oid::bigint, p.tablename IS NOT NULL
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_publication_tables p ON p.pubname = $2 AND p.schemaname = n.nspname AND p.tablename = c.relname
      LEFT JOIN pg_publication b ON b.pubname = $2
      LEFT JOIN pg_publication_rel r ON r.prpubid = b.oid AND r.prrelid = c.oid
      WHERE n.nspname = $1 AND c.relname = ANY($3::text[])
      """, parameters, for: "Looking after the publication"
    ) { row in
      if row.isNull(0) {
        hasPublication = row.bool(4)
      } else {
        let isPublished = row.bool(4)
        found[row.text(0)] = Found(
          number: row.integer(1), publication: isPublished ? row.integer(2) : nil,
          entry: isPublished && !row.isNull(3) ? row.integer(3) : nil)
      }
      return true
    }
    return (found, hasPublication)
  }

  // MARK: Changes

  /// Tells the feed which tables are no longer sent, and reports them.
  private func noteMissing(_ found: [String: Found], _ records: [String: RecordDescription], _ feed: ReplicationFeed) {
    let (missing, dropped) = state.withLock { state -> (Set<String>, Set<String>) in
      let missing = state.streamed.filter { name, former in found[name].map { !$0.continues(former) } ?? true }
      let dropped = missing.filter { name, former in found[name]?.number != former.number }
      for name in missing.keys {
        state.streamed[name] = nil
        state.reported.insert(name)
      }
      return (Set(missing.keys), Set(dropped.keys))
    }
    if missing.isEmpty { return }
    for name in dropped { if let record = records[name] { catalog.forget(record) } }
    feed.setStreamed(missing, false)
    for name in missing.sorted() {
      report(
        PostgresError(
          cause: .missingSetting,
          message: dropped.contains(name)
            ? "somebody has dropped the table \(name)" : "somebody has taken the table \(name) out of the publication",
          purpose: "Observing \(name)"))
    }
  }

  /// Tells the feed which tables are sent from now on.
  private func noteStreamed(_ found: [String: Found], _ records: [String: RecordDescription], _ feed: ReplicationFeed) {
    let streamed = state.withLock { state in
      var streamed: Set<String> = []
      for (name, table) in found where table.isPublished && state.streamed[name] != table {
        state.streamed[name] = table
        state.reported.remove(name)
        state.lockFailures[name] = nil
        streamed.insert(name)
      }
      return streamed
    }
    if !streamed.isEmpty { feed.setStreamed(streamed, true) }
  }

  /// Adds a table to the publication.
  ///
  /// - Returns: false if the caller has to try again later.
  private func publish(_ record: RecordDescription, named name: String) -> Bool {
    // The stream reports that a standby sends no changes.
    if options.readsStandby { return false }
    do {
      let connection = try PostgresConnection(options.direct)
      let layout = catalog.layout(of: record, on: connection)
      return try TablePreparation(catalog: catalog, connection: connection).publish(layout)
    } catch {
      if isToBeReported(error, name) { report(reason(error, name)) }
      return false
    }
  }

  private func isToBeReported(_ error: any Error, _ name: String) -> Bool {
    state.withLock { state in
      if let error = error as? PostgresError {
        if error.isLockTimeout {
          state.lockFailures[name, default: 0] += 1
          if state.lockFailures[name, default: 0] < Self.lockFailureLimit { return false }
        }
        // The next look tries again. If the reason lasts, the stream reports it.
        if error.isRetryable || error.cause == .unreachable { return false }
      }
      return state.reported.insert(name).inserted
    }
  }

  /// Returns the error for a table that cannot be observed, with advice.
  private func reason(_ error: any Error, _ name: String) -> any Error {
    guard let error = error as? PostgresError, error.cause == .missingPermission else { return error }
    let table = PostgresName.qualified(name, in: options.workspaceSchema?.name)
    return PostgresError(
      cause: error.cause, sqlState: error.sqlState,
      message: """
        \(error.message); until the table \(name) is in the publication, subscribers hear of the commits of this workspace alone. \
        A superuser, or a role that owns both the publication and the table, can add it: ALTER PUBLICATION ... ADD TABLE \(table)
        """, purpose: error.purpose)
  }
}
