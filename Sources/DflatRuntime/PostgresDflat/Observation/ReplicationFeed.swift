import Dflat
import DflatEngine
import Foundation

/// The change feed of a database: the commits of all processes, in order, which the server sends while somebody
/// observes.
///
/// A thread receives the commits, and begins another stream when one breaks or cannot begin. The stream may not report
/// a table: there is no stream, it is far behind, or the table is not in the publication. Then the listener hears after
/// each commit of this workspace that unknown changes were made, and once more when the stream reports the table again.
final class ReplicationFeed: ChangeFeed, ForeignCommitSource {
  let state = Guarded(State(), rank: .sequence)
  private let options: PostgresOptions
  let tables: ObservedTables
  private let report: @Sendable (any Error) -> Void

  struct State {
    /// The number of commits, from `firstVersion` on, that have changed something observed.
    var version: UInt64 = ReplicationFeed.firstVersion
    /// The last number that `takeReadVersion()` has used.
    var readNumber: UInt64 = 1
    var listener: (any ChangeFeedListener)?
    /// How many calls of `start` have not been followed by one of `stop`.
    var users = 0
    var isThreadRunning = false
    /// Whether a stream is open.
    var isOpen = false
    /// Whether new subscribers wait for a stream that is not open yet. They do not wait once the stream has failed or
    /// is slow.
    var isAwaited = true
    /// The position in the server's log up to which everything has been received.
    var position: UInt64 = 0
    /// Whether a thread waits for a later position.
    var isPositionWanted = false
    /// The position that a stream which is far behind has to reach before threads wait for it again; nil if it is not
    /// far behind.
    var lagEnd: UInt64?
    /// The latest commits, which are compared with snapshots.
    var recent: [Commit] = []
    /// The version up to which commits are no longer among `recent`. A snapshot that may have been taken before it
    /// cannot be compared.
    var forgottenVersion: UInt64 = 0
    var unobserved = UnobservedCommits()
    var types: [String: ObservedRows] = [:]
    /// The tables that are in the publication.
    var streamed: Set<String> = []
    /// The tables of the publication whose subscribers were told of unknown changes after the stream began to report
    /// the table. Before that, a commit that the stream reports counts as unknown changes: the subscribers' results may
    /// lack earlier commits.
    var followed: Set<String> = []
    var keys: ObservedKeys?
    /// The server of the last stream, with its timeline; nil if there was none.
    var server: String?

    /// Returns whether the listener is told of a table's row changes, rather than of unknown changes.
    func tells(of table: String) -> Bool { isOpen && lagEnd == nil && streamed.contains(table) }
  }

  /// A commit that was received.
  struct Commit {
    let version: UInt64
    /// The lower 32 bits of the transaction's number.
    let xid: UInt32
    var received = DispatchTime.now()
  }

  /// The description of how rows of a table become objects.
  struct ObservedRows: Sendable {
    let record: RecordDescription
    /// Returns the object of a row. Without bytes, the row was deleted, and the object's content is not used.
    let object: @Sendable (_ bytes: [UInt8]?, _ rowid: Int64, _ version: UInt64) throws -> any Atom
  }

  /// The table of the dictionary, and the function that is told of its changes.
  struct ObservedKeys: Sendable {
    let table: String
    /// Called with the rows that a transaction has set, nil if the changed keys are unknown; and with the lower 32 bits
    /// of the transaction's number, nil if it ended long ago. Called on the receiving thread, or on the queue of
    /// `ObservedTables`.
    let tell: @Sendable (_ rows: [[UInt8]]?, _ xid: UInt32?) -> Void
    /// Called when a stream has begun on another server than the one before, after a standby has taken over. The server
    /// may lack the last commits that were received.
    var serverHasChanged: @Sendable () -> Void = {}
  }

  /// The first version of a feed. It differs from the versions of SQLite's commit sequences, which are low, and from
  /// `takeReadVersion()`, which sets the highest bit.
  private static let firstVersion: UInt64 = 1 << 62
  private static let recentLimit = 4_096
  /// How long a subscriber's fetch, or the completion of a transaction, waits for the stream, in seconds. The stream
  /// may have to read past changes to tables that nobody observes.
  static let maximumLag = 1.0
  /// How long a new subscriber waits for the stream, and for its table to be in the publication, in seconds. After
  /// that, the subscriber is told that there were commits, but not of each one. It hears of other processes' commits
  /// only once the stream reports them.
  static let subscriptionTimeout = 3.0
  /// The most seconds that a shutdown waits for the thread to close its connection.
  private static let shutdownTimeout = 10.0
  /// The pauses before another stream is begun, in seconds, each twice as long as the one before. They get longer if
  /// the server refuses until somebody changes its settings.
  private static let pauses = 0.05...2.0
  private static let longestPauseAfterRefusal = 10.0
  /// How long a good stream lasts at least, in seconds. The error that ends it is reported as a new failure.
  private static let goodStreamTime = 5.0
  /// The interval at which the feed confirms to the server which part of the log it has received, in seconds. The server
  /// keeps the log after that part.
  private static let reportInterval = 5.0
  /// How long the server may be silent, though it is asked, before it counts as lost; in seconds, as
  /// `wal_receiver_timeout` of its own standbys.
  private static let maximumSilence = 60.0

  init(_ options: PostgresOptions, _ tables: ObservedTables, report: @escaping @Sendable (any Error) -> Void) {
    self.options = options
    self.tables = tables
    self.report = report
  }

  // MARK: The change feed

  var version: UInt64 { state.withLock { $0.version } }

  func setListener(_ listener: (any ChangeFeedListener)?) { state.withLock { $0.listener = listener } }

  /// Returns a new version for the objects that a transaction or a snapshot reads. No commit has it, and no other
  /// transaction or snapshot of the workspace.
  func takeReadVersion() -> UInt64 {
    state.withLock { state in
      state.readNumber += 1
      return 1 << 63 | state.readNumber
    }
  }

  /// Returns whether the feed has made a version. Fetched objects never have such a version: what their snapshot shows
  /// is known only for standing queries.
  func isOwn(_ version: UInt64) -> Bool { version >> 62 == 1 }

  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool { false }

  // MARK: The thread

  func start() {
    let isThreadNeeded = state.withLock { state in
      state.users += 1
      if state.users == 1 {
        state.isAwaited = true
        // Without known types, each new subscriber waits for the stream.
        state.types = [:]
      }
      defer { state.isThreadRunning = true }
      return !state.isThreadRunning
    }
    tables.start(for: self)
    if isThreadNeeded { Thread.detachNewThread { self.run() } }
  }

  func stop() {
    state.withLock { $0.users -= 1 }
    tables.stop()
    state.notifyAll()
  }

  /// Waits until the thread has closed its connection. Called when nobody observes any more.
  func finish() {
    tables.finish()
    state.wait(atMost: ReplicationFeed.shutdownTimeout) { state -> Void? in state.isThreadRunning ? nil : () }
  }

  private var isNeeded: Bool { state.withLock { $0.users > 0 } }

  private func run() {
    var pause = ReplicationFeed.pauses.lowerBound
    // The failures that the error handler was told of since the last good stream.
    var told: Set<PostgresError.Cause> = []
    while isNeeded {
      let begun = DispatchTime.now()
      var error: PostgresError?
      do {
        try options.findSchema()
        let stream = try ReplicationStream(
          options.direct, isNeeded: { self.isNeeded },
          onDelay: {
            if told.isEmpty { self.report($0) }
            told.insert($0.cause)
          })
        begin(on: stream.server)
        try receive(from: stream)
      } catch let failure {
        error = failure as? PostgresError
      }
      let wasOpen = state.withLock { state in
        defer { (state.isOpen, state.isAwaited) = (false, false) }
        return state.isOpen
      }
      state.notifyAll()
      guard let error, isNeeded else { continue }
      if wasOpen, DispatchTime.now() > begun + ReplicationFeed.goodStreamTime {
        told = []
        pause = ReplicationFeed.pauses.lowerBound
      }
      // `ObservedTables` reports a publication that somebody has dropped, and makes it again.
      if error.isMissingObject {
        tables.look()
      } else if told.isEmpty || error.isRefusal && !told.contains(error.cause) {
        report(error)
        told.insert(error.cause)
      }
      state.wait(atMost: pause) { $0.users > 0 ? nil : () }
      let longest =
        error.isRefusal ? ReplicationFeed.longestPauseAfterRefusal : ReplicationFeed.pauses.upperBound
      pause = min(2 * pause, longest)
    }
    let isNeeded = state.withLock { state in
      // A new observer may have come just now.
      state.isThreadRunning = state.users > 0
      return state.isThreadRunning
    }
    state.notifyAll()
    if isNeeded { run() }
  }

  /// Records that a stream has begun. Commits before it are unknown.
  ///
  /// - Parameter server: the server, with its timeline.
  func begin(on server: String = "") {
    let keys = state.withLock { state -> ObservedKeys? in
      let hasChanged = state.server != nil && state.server != server
      state.server = server
      state.isOpen = true
      state.position = 0
      state.lagEnd = nil
      // A fetch that ends before `beginAnew` has told the listener must not pass for one that shows no commit.
      state.version += 1
      state.forgottenVersion = state.version
      state.recent = []
      state.unobserved.removeAll()
      return hasChanged ? state.keys : nil
    }
    keys?.serverHasChanged()
    state.notifyAll()
    beginAnew(of: nil)
  }

  /// Tells listeners that unknown changes were made, after which commits are reported again.
  ///
  /// - Parameter tables: the tables with unknown changes; nil for all.
  func beginAnew(of tables: Set<String>?) {
    let (listener, version, keys) = state.withLock { state in
      state.version += 1
      let areKeysConcerned = tables.map { tables in state.keys.map { tables.contains($0.table) } ?? false } ?? true
      return (state.listener, state.version, areKeysConcerned ? state.keys : nil)
    }
    keys?.tell(nil, nil)
    listener?.othersHaveCommitted(version: version)
  }

  private func receive(from stream: ReplicationStream) throws {
    var relations: [UInt32: LogicalMessage.Relation] = [:]
    var transaction = ReceivedTransaction(schema: stream.schema)
    var (reported, heard) = (DispatchTime.now(), DispatchTime.now())
    while isNeeded {
      let event = try stream.next(within: 20)
      if event != nil {
        heard = .now()
      } else if DispatchTime.now() > heard + ReplicationFeed.maximumSilence {
        throw PostgresError(
          cause: .connectionLost, message: "the server has said nothing for \(ReplicationFeed.maximumSilence) seconds",
          purpose: "Observing the database")
      }
      switch event {
      case .message(.begin(let xid))?: transaction = ReceivedTransaction(xid: xid, schema: stream.schema)
      case .message(.relation(let relation))?: relations[relation.id] = relation
      case .message(.insert(let id, let tuple))?: transaction.append(.inserted, relations[id], tuple)
      case .message(.update(let id, let former, let tuple))?:
        transaction.appendUpdate(relations[id], from: former, to: tuple)
      case .message(.delete(let id, let tuple))?: transaction.append(.deleted, relations[id], tuple)
      case .message(.truncate)?: transaction.isUnknown = true
      case .message(.commit(let end))?:
        publish(transaction)
        advance(to: end)
      case .message(.other)?: break
      case .position(let position, let isAnswerWanted)?:
        advance(to: position)
        if isAnswerWanted { try stream.report(position, asksForPosition: false) }
      case nil: break
      }
      if stream.takeWarning() { tables.look() }
      let wanted: UInt64? = state.withLock { state in
        defer { state.isPositionWanted = false }
        return state.isPositionWanted ? state.position : nil
      }
      // Unless asked, the server may never tell how far it has read its log: it sends nothing of tables that nobody
      // observes.
      if let wanted {
        try stream.report(wanted, asksForPosition: true)
      } else if DispatchTime.now() > reported + ReplicationFeed.reportInterval {
        reported = .now()
        try stream.report(state.withLock { $0.position }, asksForPosition: true)
      }
    }
  }

  private func advance(to position: UInt64) {
    let hasCaughtUp = state.withLock { state in
      state.position = max(state.position, position)
      guard let lagEnd = state.lagEnd, state.position >= lagEnd else { return false }
      state.lagEnd = nil
      return true
    }
    state.notifyAll()
    if hasCaughtUp { beginAnew(of: nil) }
  }

  /// Tells the dictionary of the keys that a commit has changed.
  private func publishKeys(_ received: ReceivedTransaction) {
    guard let keys = state.withLock({ $0.keys }) else { return }
    let changes = received.changes.filter { $0.table == keys.table }
    guard received.isUnknown || !changes.isEmpty else { return }
    // For a deleted row, the server sends only the number.
    let isKnown = !received.isUnknown && changes.allSatisfy { $0.bytes != nil }
    keys.tell(isKnown ? changes.compactMap(\.bytes) : nil, received.xid)
  }

  /// Tells the listener of a commit.
  func publish(_ received: ReceivedTransaction) {
    publishKeys(received)
    let (types, version, listener, isTold) = state.withLock {
      state -> ([String: ObservedRows], UInt64, (any ChangeFeedListener)?, Bool)
      in
      let tables = Set(received.changes.lazy.map(\.table))
      let observed = tables.filter { state.types[$0] != nil }
      state.unobserved.append(
        received.xid, to: tables.filter { state.types[$0] == nil && state.keys?.table != $0 })
      guard received.isUnknown || !observed.isEmpty else { return ([:], state.version, nil, true) }
      state.version += 1
      state.recent.append(Commit(version: state.version, xid: received.xid))
      if state.recent.count > ReplicationFeed.recentLimit {
        let count = ReplicationFeed.recentLimit / 2
        state.forgottenVersion = state.recent[count - 1].version
        state.recent.removeFirst(count)
      }
      let isTold = observed.allSatisfy { state.tells(of: $0) && state.followed.contains($0) }
      return (state.types, state.version, state.listener, isTold)
    }
    // The changes of this commit are not reported row by row: results that were fetched meanwhile may show this commit,
    // and later ones.
    if !isTold { tables.look() }
    guard let listener else { return }
    var isUnknown = received.isUnknown || !isTold
    let transaction = CommittedTransaction()
    for change in received.changes where !isUnknown {
      guard let type = types[change.table] else { continue }
      do {
        let object = try type.object(change.bytes, change.rowid, version)
        let kept = (change.bytes ?? []).withUnsafeBytes { transaction.keep($0) }
        transaction.append(change.kind, type.record, change.rowid, object, keptBytes: kept)
      } catch {
        // The row is damaged. A fetch leaves it out and reports it.
        isUnknown = true
      }
    }
    if isUnknown || transaction.isTooLarge {
      listener.othersHaveCommitted(version: version)
    } else {
      listener.transactionsHaveCommitted([transaction], version: version)
    }
  }
}
