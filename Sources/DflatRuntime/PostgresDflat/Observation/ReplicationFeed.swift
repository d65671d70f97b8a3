import Dflat
import DflatEngine
import Foundation

/// The commits of all processes in their order, as the server sends them while somebody observes.
///
/// A thread receives them. When the stream breaks, it begins another one, and the listener is told that it does not know what has
/// changed. Where the server is not set up for streams, it is told so after each transaction of this workspace.
final class ReplicationFeed: ChangeFeed, ForeignCommitSource {
  private let state = Guarded(State(), rank: .sequence)
  private let options: PostgresOptions
  private let report: @Sendable (any Error) -> Void

  private struct State {
    /// It counts the commits that have changed something that is observed.
    var version: UInt64 = ReplicationFeed.firstVersion
    /// The last number that a transaction or a snapshot tells the objects by that it has read.
    var readNumber: UInt64 = 1
    var listener: (any ChangeFeedListener)?
    /// How many calls of `start` have not been followed by one of `stop`.
    var users = 0
    var isThreadRunning = false
    var stream = StreamState.none
    /// The position in the server's log up to which everything has been received.
    var position: UInt64 = 0
    /// Whether somebody waits for a later position.
    var isPositionWanted = false
    /// The latest commits, to be compared with what a snapshot shows.
    var recent: [Commit] = []
    var types: [String: ObservedRows] = [:]
    var keys: ObservedKeys?
  }

  private enum StreamState {
    /// There is none yet, or a new one is about to begin.
    case none
    case open
    /// The server refuses.
    case refused
  }

  /// A commit that was received.
  struct Commit {
    let version: UInt64
    /// The lower 32 bits of the transaction's number.
    let xid: UInt32
  }

  /// How rows of a table become objects.
  struct ObservedRows: Sendable {
    let record: RecordDescription
    /// The object of a row; that of a deleted row, which nobody looks at, if there are no bytes.
    let object: @Sendable (_ bytes: [UInt8]?, _ rowid: Int64, _ version: UInt64) throws -> any Atom
  }

  /// The table of the dictionary, and who is told of its changes.
  struct ObservedKeys: Sendable {
    let table: String
    /// Is called with the rows that a transaction has set, nil if it is not known which keys have changed; and with the lower half
    /// of its number, nil if that has ended long since. On the thread that receives.
    let tell: @Sendable (_ rows: [[UInt8]]?, _ xid: UInt32?) -> Void
  }

  /// Versions of feeds differ from those of SQLite's commit sequences, which count from the lowest numbers on, and from the
  /// numbers of transactions.
  private static let firstVersion: UInt64 = 1 << 62
  private static let recentLimit = 4_096
  /// How long a subscriber's fetch, or a transaction, waits for the stream, in seconds.
  private static let patience = 10.0

  init(_ options: PostgresOptions, report: @escaping @Sendable (any Error) -> Void) {
    self.options = options
    self.report = report
  }

  // MARK: The change feed

  var version: UInt64 { state.withLock { $0.version } }

  func setListener(_ listener: (any ChangeFeedListener)?) { state.withLock { $0.listener = listener } }

  /// A version that no commit has, and no other transaction or snapshot of the workspace: that of the objects that are read in one.
  func takeReadVersion() -> UInt64 {
    state.withLock { state in
      state.readNumber += 1
      return 1 << 63 | state.readNumber
    }
  }

  /// No object of a fetch has a version of the feed: what its snapshot has shown is known only for standing queries.
  func isOwn(_ version: UInt64) -> Bool { version >> 62 == 1 }

  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool { false }

  // MARK: The thread

  func start() {
    let isThreadNeeded = state.withLock { state in
      state.users += 1
      if case .refused = state.stream { return false }
      defer { state.isThreadRunning = true }
      return !state.isThreadRunning
    }
    if isThreadNeeded { Thread.detachNewThread { self.run() } }
  }

  func stop() {
    state.withLock { state in
      state.users -= 1
      // Who observes next asks the server anew.
      if state.users == 0, case .refused = state.stream { state.stream = .none }
    }
    state.notifyAll()
  }

  /// Waits until the thread has closed its connection. Nobody observes any more.
  func finish() {
    state.wait(atMost: ReplicationFeed.patience) { state -> Void? in state.isThreadRunning ? nil : () }
  }

  private func run() {
    var pause = 0.05
    while state.withLock({ $0.users > 0 }) {
      do {
        let stream = try ReplicationStream(options.direct)
        pause = 0.05
        begin()
        try receive(from: stream)
      } catch {
        let error = error as? PostgresError
        let isRefused = error?.isRefusal ?? false
        let wasOpen = state.withLock { state in
          defer { state.stream = isRefused ? .refused : .none }
          if case .none = state.stream { return false }
          return true
        }
        state.notifyAll()
        if let error, isRefused || wasOpen, !error.isMissingObject { report(error) }
        if isRefused { break }
        usleep(UInt32(pause * 1_000_000))
        pause = min(2 * pause, 2)
      }
    }
    let isNeeded = state.withLock { state in
      state.isThreadRunning = false
      if case .refused = state.stream { return false }
      state.stream = .none
      // Somebody may have begun to observe just now.
      state.isThreadRunning = state.users > 0
      return state.isThreadRunning
    }
    state.notifyAll()
    if isNeeded { run() }
  }

  /// Notes that a stream has begun. What was committed before is not known.
  private func begin() {
    let (listener, version, keys) = state.withLock { state in
      state.stream = .open
      state.position = 0
      state.recent = []
      state.version += 1
      return (state.listener, state.version, state.keys)
    }
    state.notifyAll()
    keys?.tell(nil, nil)
    listener?.othersHaveCommitted(version: version)
  }

  private func receive(from stream: ReplicationStream) throws {
    var relations: [UInt32: LogicalMessage.Relation] = [:]
    var transaction = ReceivedTransaction(schema: stream.schema)
    while state.withLock({ $0.users > 0 }) {
      let event = try stream.next(within: 20)
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
      let wanted: UInt64? = state.withLock { state in
        defer { state.isPositionWanted = false }
        return state.isPositionWanted ? state.position : nil
      }
      if let wanted { try stream.report(wanted, asksForPosition: true) }
    }
  }

  private func advance(to position: UInt64) {
    state.withLock { $0.position = max($0.position, position) }
    state.notifyAll()
  }

  /// A transaction as the stream sends it.
  private struct ReceivedTransaction {
    var xid: UInt32 = 0
    let schema: String
    var changes: [(kind: RowChange.Kind, table: String, rowid: Int64, bytes: [UInt8]?)] = []
    /// Whether it is not known what it has changed.
    var isUnknown = false

    mutating func append(_ kind: RowChange.Kind, _ relation: LogicalMessage.Relation?, _ tuple: LogicalMessage.Tuple) {
      // Somebody may have added a table of another schema to the publication, which has the same name.
      if let relation, relation.schema != schema { return }
      guard let relation, let rowidAt = relation.columns.firstIndex(of: "rowid"), rowidAt < tuple.count,
        let rowid = tuple[rowidAt].integer
      else {
        isUnknown = true
        return
      }
      guard kind != .deleted else {
        changes.append((kind, relation.name, rowid, nil))
        return
      }
      guard let bytesAt = relation.columns.firstIndex(of: "p"), bytesAt < tuple.count, let bytes = tuple[bytesAt].bytes
      else {
        isUnknown = true
        return
      }
      changes.append((kind, relation.name, rowid, bytes))
    }

    /// An update by another program may change the row number. Then it is a deletion, and an insertion.
    mutating func appendUpdate(
      _ relation: LogicalMessage.Relation?, from former: LogicalMessage.Tuple?, to tuple: LogicalMessage.Tuple
    ) {
      guard let relation, relation.schema == schema, let column = relation.columns.firstIndex(of: "rowid") else {
        return append(.updated, relation, tuple)
      }
      // Where the number is no part of the replica identity, a former one is not told.
      guard relation.identity.contains("rowid") else { return isUnknown = true }
      guard let former, column < former.count, column < tuple.count, former[column] != tuple[column] else {
        return append(.updated, relation, tuple)
      }
      append(.deleted, relation, former)
      append(.inserted, relation, tuple)
    }
  }

  /// Tells who has subscribed to keys of a commit.
  private func publishKeys(_ received: ReceivedTransaction) {
    guard let keys = state.withLock({ $0.keys }) else { return }
    let changes = received.changes.filter { $0.table == keys.table }
    guard received.isUnknown || !changes.isEmpty else { return }
    // Of a row that was deleted the server sends the number alone.
    let isKnown = !received.isUnknown && changes.allSatisfy { $0.bytes != nil }
    keys.tell(isKnown ? changes.compactMap(\.bytes) : nil, received.xid)
  }

  /// Tells the listener of a commit.
  private func publish(_ received: ReceivedTransaction) {
    publishKeys(received)
    let (types, version, listener) = state.withLock {
      state -> ([String: ObservedRows], UInt64, (any ChangeFeedListener)?)
      in
      guard received.isUnknown || received.changes.contains(where: { state.types[$0.table] != nil }) else {
        return ([:], state.version, nil)
      }
      state.version += 1
      state.recent.append(Commit(version: state.version, xid: received.xid))
      if state.recent.count > ReplicationFeed.recentLimit { state.recent.removeFirst(ReplicationFeed.recentLimit / 2) }
      return (state.types, state.version, state.listener)
    }
    guard let listener else { return }
    var isUnknown = received.isUnknown
    let transaction = CommittedTransaction()
    for change in received.changes {
      guard let type = types[change.table] else { continue }
      do {
        let object = try type.object(change.bytes, change.rowid, version)
        let kept = (change.bytes ?? []).withUnsafeBytes { transaction.keep($0) }
        transaction.append(change.kind, type.record, change.rowid, object, keptBytes: kept)
      } catch {
        // A fetch leaves the damaged row out, and reports it.
        isUnknown = true
      }
    }
    if isUnknown || transaction.isTooLarge {
      listener.othersHaveCommitted(version: version)
    } else {
      listener.transactionsHaveCommitted([transaction], version: version)
    }
  }

  // MARK: Observing

  /// Has rows of a table become objects from now on.
  func observe(_ table: String, _ rows: ObservedRows) { state.withLock { $0.types[table] = rows } }

  /// Has changes of the dictionary told from now on.
  func observe(_ keys: ObservedKeys) { state.withLock { $0.keys = keys } }

  /// Waits until there is a stream.
  ///
  /// - Returns: false if there will be none.
  func waitUntilOpen() -> Bool {
    state.wait(atMost: ReplicationFeed.patience) { state -> Bool? in
      switch state.stream {
      case .open: true
      case .refused: false
      case .none: state.users > 0 ? nil : false
      }
    } ?? false
  }

  /// Waits until everything up to a position of the server's log has been received.
  func wait(for position: UInt64) -> Bool {
    let isOpen: Bool? = state.wait(atMost: ReplicationFeed.patience) { state -> Bool? in
      guard case .open = state.stream, state.users > 0 else { return false }
      if state.position >= position { return true }
      state.isPositionWanted = true
      return nil
    }
    return isOpen ?? false
  }

  /// Whether somebody observes.
  var isObserved: Bool { state.withLock { $0.listener != nil } }

  /// Tells the listener of a commit of this workspace, where no stream tells of it.
  func noteUnstreamedCommit() {
    let (listener, version) = state.withLock { state -> ((any ChangeFeedListener)?, UInt64) in
      guard case .refused = state.stream, state.listener != nil else { return (nil, 0) }
      state.version += 1
      return (state.listener, state.version)
    }
    listener?.othersHaveCommitted(version: version)
  }

  /// The version of the commits that a snapshot shows; nil if it shows some, and not an earlier one.
  ///
  /// - Parameter first: the version before the snapshot was taken: all commits up to it have to show.
  func version(of snapshot: ServerSnapshot, since first: UInt64) -> UInt64? {
    state.withLock { state in
      var version = first
      for commit in state.recent {
        let isVisible = snapshot.shows(commit.xid)
        if commit.version <= first {
          if !isVisible { return nil }
        } else if isVisible {
          // One before it did not show.
          if commit.version != version + 1 { return nil }
          version = commit.version
        }
      }
      return version
    }
  }
}

/// The transactions that a snapshot shows, as `pg_current_snapshot()` tells.
/// https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
struct ServerSnapshot {
  /// All transactions below have ended.
  private let lowest: UInt64
  /// All from this one on have not ended.
  private let end: UInt64
  /// Those between that have not ended.
  private let running: Set<UInt64>

  /// - Parameter text: such as `10:20:10,14,15`.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let lowest = UInt64(parts[0]), let end = UInt64(parts[1]) else { return nil }
    self.lowest = lowest
    self.end = end
    running = Set(parts[2].split(separator: ",").compactMap { UInt64($0) })
  }

  /// Whether the changes of a transaction that has committed show.
  ///
  /// - Parameter xid: the lower 32 bits of its number.
  func shows(_ xid: UInt32) -> Bool {
    // Numbers of transactions that are known at one time differ by less than 2^31.
    var number = end & ~0xffff_ffff | UInt64(xid)
    if number > end + 1 << 31, number >= 1 << 32 { number -= 1 << 32 }
    if number + 1 << 31 < end { number += 1 << 32 }
    return number < lowest || number < end && !running.contains(number)
  }
}
