import Dflat
import DflatEngine
import Dispatch
import FlatBuffersCore
import PostgresLayout

/// The dictionary of a workspace. Keys that were set are pending until they have been written, in the background.
///
/// Keys that are not pending are read from the database each time, so that values of other processes are seen at once.
/// `DictionaryTable+Writing.swift` explains how the two ways of writing keys keep their order.
final class DictionaryTable: Sendable {
  let state = Guarded(State(), rank: .dictionary)
  let options: PostgresOptions
  let pool: ConnectionPool
  let settlement: CommitSettlement
  let numbering: RowNumbering
  let completions: Completions
  /// Calls the error handler on another thread: no subscriber and no call waits for the handler.
  let report: @Sendable (any Error) -> Void
  /// The queue that writes pending keys.
  let queue = DispatchQueue(label: "dflat.dictionary")
  /// The queue that reads the values that other processes have set.
  private let observationQueue = DispatchQueue(label: "dflat.dictionary.observation")

  /// Unwritten values, each with the number of its setting, and the `HandlerDepth` of the code that has set it.
  typealias PendingValues = [DictionaryPath: (value: StoredDictionaryValue?, number: UInt64, depth: Int)]

  struct State {
    var pending: PendingValues = [:]
    var setCount: UInt64 = 0
    /// How often any key was posted to its subscribers.
    var postCount: UInt64 = 0
    /// The number of the last post of each key that has subscribers.
    var lastPosts: [DictionaryPath: UInt64] = [:]
    /// The number of the background write that is going to run; nil if there is none. A write with another number has
    /// been replaced, and does nothing.
    var scheduledWrite: UInt64?
    var scheduleCount: UInt64 = 0
    /// The turns of background writes and transactions.
    var turns = DictionaryTurns()
    /// How many transactions that are committing have set each key.
    var committing: [DictionaryPath: Int] = [:]
    var subscribers: [DictionaryPath: [DictionarySubscriber]] = [:]
    /// The pending keys that other processes have set as well, maybe later.
    var skipped: Set<DictionaryPath> = []
    var received = ReceivedKeyChanges()
    var unread = UnreadKeys()
    /// The keys whose unreadable values were reported.
    var reported: Set<DictionaryPath> = []
    /// Whether the workspace is being shut down, so that no key is accepted any more.
    var isClosing = false
    var isClosed = false
  }

  static let record = DictionaryItem.record

  init(
    _ options: PostgresOptions, _ pool: ConnectionPool, _ settlement: CommitSettlement, _ numbering: RowNumbering,
    _ completions: Completions, report: @escaping @Sendable (any Error) -> Void
  ) {
    self.options = options
    self.pool = pool
    self.settlement = settlement
    self.numbering = numbering
    self.completions = completions
    self.report = report
  }

  var catalog: TableCatalog { settlement.catalog }

  // MARK: Reading

  /// How long a call waits for a transaction that is committing a value of its key, in seconds. A commit mostly takes
  /// longer only if its answer was lost.
  static let longestCommit = 1.0

  /// Returns the pending value of a key; nil if the key is not pending. The inner optional is nil if the key is to be
  /// removed.
  func pending(_ path: DictionaryPath) -> StoredDictionaryValue?? {
    func value(_ state: State) -> StoredDictionaryValue?? { state.pending[path].map { .some($0.value) } ?? nil }
    // A transaction may be replacing the pending value. A thread that has seen its objects must not read the older value.
    let settled = state.wait(atMost: Self.longestCommit) { state -> StoredDictionaryValue??? in
      state.pending[path] != nil && state.committing[path] != nil ? nil : .some(value(state))
    }
    return settled ?? state.withLock { value($0) }
  }

  /// Returns the pending values of a namespace. Keys that were set before are among them, or in the database that is read
  /// after this call.
  func pendingValues(of namespace: DictionaryKey) -> [DictionaryPath: StoredDictionaryValue?] {
    func values(_ state: State) -> [DictionaryPath: StoredDictionaryValue?] {
      state.pending.filter { $0.key.namespace == namespace }.mapValues(\.value)
    }
    let settled = state.wait(atMost: Self.longestCommit) { state in
      let values = values(state)
      return values.keys.contains { state.committing[$0] != nil } ? nil : values
    }
    return settled ?? state.withLock { values($0) }
  }

  /// Reads the value of a key from the database; nil if it has none.
  func stored(_ path: DictionaryPath, on connection: PostgresConnection) throws -> StoredDictionaryValue? {
    let table = try catalog.table(of: DictionaryTable.record, on: connection)
    guard table.exists else { return nil }
    var value: StoredDictionaryValue?
    let key = DictionaryTable.keys(of: path)
    try connection.query(table.layout.lookUp(key), key, for: "Reading a key") { row in
      value = DictionaryItem.value(of: row.bytes(1))
      return true
    }
    return value
  }

  /// Reads the keys of a namespace from the database.
  func storedKeys(of namespace: DictionaryKey, on connection: PostgresConnection) throws -> [DictionaryKey] {
    let table = try catalog.table(of: DictionaryTable.record, on: connection)
    guard table.exists else { return [] }
    var keys: [DictionaryKey] = []
    var parameters = PostgresParameters()
    FieldValue.text(namespace.text).withRowValue { _ = parameters.append($0, as: .bytes) }
    // Reads the keys from the rows: the column cuts long ones off.
    try connection.query(
      "SELECT m.p FROM \(table.layout.table) m WHERE m.__pk1 = \(KeyForm.sql("$1::bytea"))", parameters,
      for: "Reading the keys"
    ) { row in
      if let item = FlatBufferTable(rootOf: ByteBuffer(Array(row.bytes(0)))), let key = item.string(at: 4) {
        keys.append(DictionaryKey(key))
      }
      return true
    }
    return keys
  }

  static func keys(of path: DictionaryPath) -> PostgresParameters {
    var parameters = PostgresParameters()
    for text in [path.key.text, path.namespace.text] {
      FieldValue.text(text).withRowValue { _ = parameters.append($0, as: .bytes) }
    }
    return parameters
  }

  // MARK: Errors

  /// Records that the unreadable value of a key was reported.
  ///
  /// - Returns: false if it has been reported before.
  func noteReport(_ path: DictionaryPath) -> Bool { state.withLock { $0.reported.insert(path).inserted } }

  // MARK: Subscribers

  /// Adds a subscriber. It is told `value` first, or the pending value if there is one.
  ///
  /// - Returns: whether it is the first subscriber; nil if the workspace has been shut down.
  func add(_ subscriber: DictionarySubscriber, from value: StoredDictionaryValue?) -> Bool? {
    var isFirst: Bool?
    completions.tellSubscribers { callback in
      isFirst = state.withLock { state in
        if state.isClosed { return nil }
        let isFirst = state.subscribers.isEmpty
        subscriber.reserveDelivery(as: callback)
        state.subscribers[subscriber.path, default: []].append(subscriber)
        state.notePost(of: subscriber.path)
        _ = subscriber.post(state.pending[subscriber.path].map(\.value) ?? value)
        return isFirst
      }
      if isFirst != nil { subscriber.deliver(guardedBy: state, before: completions, isReserved: true) }
    }
    return isFirst
  }

  /// Removes a subscriber.
  ///
  /// - Returns: whether it was the last one.
  func remove(_ subscriber: DictionarySubscriber) -> Bool {
    let (isLast, _) = state.withLock { state in
      // Returned, so that it is released outside of the lock.
      let handler = subscriber.end()
      guard let before = state.subscribers[subscriber.path] else { return (false, handler) }
      let rest = before.filter { $0 !== subscriber }
      state.subscribers[subscriber.path] = rest.isEmpty ? nil : rest
      if rest.isEmpty { state.lastPosts[subscriber.path] = nil }
      return (state.subscribers.isEmpty && rest.count < before.count, handler)
    }
    return isLast
  }

  // MARK: Other processes

  /// Tells subscribers, in the background, what other processes have set.
  ///
  /// - Parameters:
  ///   - rows: the rows that were set; nil if the changed keys are unknown.
  ///   - xid: the lower 32 bits of the number of the transaction that has set them; nil if it ended long ago.
  func noteForeignChange(_ rows: [[UInt8]]?, by xid: UInt32? = nil) {
    let paths = rows.map { rows in Set(rows.compactMap { $0.withUnsafeBytes { DictionaryItem.path(of: $0) } }) }
    let (subscribed, awaited) = state.withLock { state -> (Set<DictionaryPath>, ReceivedKeyChanges.Awaited?) in
      if let xid { state.received.append(xid, setting: paths) }
      let subscribed = paths?.filter { state.subscribers[$0] != nil } ?? Set(state.subscribers.keys)
      return (subscribed, xid.map { state.received.awaited([$0]) })
    }
    refresh(subscribed, setBy: awaited)
  }

  /// Ends the waiting for received commits, since another server has taken over, which may lack them.
  func noteOtherServer() { state.withLock { $0.received.forgetServer() } }

  /// Reads a key again, in the background, for a subscriber that was told the value of an earlier read. Commits that were
  /// received before the subscriber came may not have been visible then.
  func refreshForNewSubscriber(_ path: DictionaryPath) {
    refresh([path], setBy: state.withLock { $0.received.awaited(settingOf: path) })
  }

  /// Reads keys again, in the background, and tells their subscribers.
  ///
  /// - Parameter awaited: the transactions that have set them; nil if reads show them.
  func refresh(_ paths: Set<DictionaryPath>, setBy awaited: ReceivedKeyChanges.Awaited? = nil) {
    guard !paths.isEmpty else { return }
    observationQueue.async { self.refreshNow(paths, setBy: awaited) }
  }

  /// Reads keys and tells their subscribers, once reads show the transactions that have set them. Runs on the observation
  /// queue.
  private func refreshNow(_ paths: Set<DictionaryPath>, setBy awaited: ReceivedKeyChanges.Awaited?) {
    do {
      if let awaited { try waitUntilReadsShow(awaited) }
    } catch StoreError.shutDown {
      return
    } catch {
      // Otherwise each attempt could wait in vain for another connection to the same server that is gone.
      if (error as? PostgresError)?.cause == .connectionLost { pool.dropIdle() }
      for path in paths where refreshLater(path) {
        report(DictionaryError(key: path.key.text, namespace: path.namespace.text, .notRead(error)))
      }
      // A key that is read before reads show the transaction would keep its old value for the subscribers.
      observationQueue.asyncAfter(deadline: .now() + Self.pauseAfterFailure) { [weak self] in
        self?.refreshNow(paths, setBy: awaited)
      }
      return
    }
    refreshNow(paths)
  }

  /// Reads keys and tells their subscribers. Those that cannot be read are read again after a pause. Runs on the
  /// observation queue.
  private func refreshNow(_ paths: Set<DictionaryPath>) {
    for path in paths {
      do {
        try refresh(path)
        state.withLock { $0.unread.remove(path) }
      } catch StoreError.shutDown {
        return
      } catch {
        if refreshLater(path) {
          report(DictionaryError(key: path.key.text, namespace: path.namespace.text, .notRead(error)))
        }
      }
    }
  }

  /// Has a key that could not be read for its subscribers read again after a pause.
  ///
  /// - Returns: whether the key could be read before.
  @discardableResult
  func refreshLater(_ path: DictionaryPath) -> Bool {
    let (isNew, pause) = state.withLock { $0.unread.insert(path) }
    if let pause { retry(after: pause) }
    return isNew
  }

  /// Reads the unread keys after a pause, in seconds.
  private func retry(after pause: Double) {
    observationQueue.asyncAfter(deadline: .now() + pause) { [weak self] in
      guard let self else { return }
      self.refreshNow(self.state.withLock { $0.isClosed ? [] : $0.unread.beginRetry() })
    }
  }

  /// The pause, in seconds, before the server is asked again whether reads show a transaction, if it could not be asked.
  private static let pauseAfterFailure = 1.0

  private func readsShow(_ xids: [UInt32]) throws -> Bool {
    let connection = try pool.acquire(for: .readOnly)
    defer { pool.release(connection) }
    var isShown = false
    try connection.query("SELECT pg_current_snapshot()::text", for: "Reading a key") { row in
      isShown = ServerSnapshot(row.text(0)).map { snapshot in xids.allSatisfy { snapshot.shows($0) } } ?? true
      return true
    }
    return isShown
  }

  /// Waits until reads show transactions whose changes were received. The server sends changes once they are in its log.
  /// They become visible a moment later, or much later if the commit waits for a standby.
  private func waitUntilReadsShow(_ awaited: ReceivedKeyChanges.Awaited) throws {
    var pause = 0.000_5
    while state.withLock({ $0.received.isAwaited(awaited) }), try !readsShow(awaited.xids) {
      usleepRandomly(upTo: pause)
      pause = min(2 * pause, 0.1)
    }
    state.withLock { $0.received.remove(awaited) }
  }

  private func refresh(_ path: DictionaryPath) throws {
    var pauses = RetryPauses(.limited(20))
    while true {
      // The received value may be older than a value set here since. So the key is read, and read again if a key is set
      // here meanwhile.
      let lastPost: UInt64? = state.withLock { state in
        guard state.subscribers[path] != nil else { return nil }
        if state.pending[path] == nil { return state.lastPosts[path, default: 0] }
        state.skipped.insert(path)
        return nil
      }
      guard let lastPost else { return }
      let value: StoredDictionaryValue?
      do {
        let connection = try pool.acquire(for: .readOnly)
        defer { pool.release(connection) }
        value = try stored(path, on: connection)
      } catch let error as PostgresError where error.isRetryable {
        if error.cause == .connectionLost { pool.dropIdle() }
        guard pauses.wait() else { throw error }
        continue
      }
      let subscribers: [DictionarySubscriber]? = state.withLock { state in
        state.lastPosts[path, default: 0] == lastPost ? state.post(value, path) : nil
      }
      guard let subscribers else { continue }
      // Not on this queue: a slow callback would keep the subscribers of other keys waiting.
      tellLater(subscribers)
      return completions.makeCallsInBackground()
    }
  }

  // MARK: Closing

  /// Writes pending keys, ends all subscriptions, and accepts no more keys.
  ///
  /// - Returns: whether there were subscribers; and the errors because of which keys are not written, which the caller
  ///   has to report.
  func close() -> (hadSubscribers: Bool, errors: [WriteFailure]) {
    // Before the last keys are written: one that was set later would be neither stored nor reported.
    state.withLock { $0.isClosing = true }
    let errors = synchronize()
    let handlers = state.withLock { state in
      state.isClosed = true
      defer { (state.subscribers, state.lastPosts) = ([:], [:]) }
      return state.subscribers.values.joined().compactMap { $0.end() }
    }
    for handler in handlers { handler.finish() }
    return (!handlers.isEmpty, errors)
  }
}

extension DictionaryTable.State {
  /// Replaces the scheduled background write, which may be in the pause after a failure, by one that runs at once.
  ///
  /// - Returns: the number of the write, which the caller has to begin; nil if no key is pending.
  mutating func scheduleWrite() -> UInt64? {
    scheduledWrite = nil
    guard !pending.isEmpty else { return nil }
    scheduleCount += 1
    scheduledWrite = scheduleCount
    return scheduledWrite
  }

  /// Posts the value of a key to its subscribers.
  ///
  /// - Returns: the subscribers that the caller has to deliver to.
  mutating func post(_ value: StoredDictionaryValue?, _ path: DictionaryPath) -> [DictionarySubscriber] {
    guard let subscribers = self.subscribers[path] else { return [] }
    notePost(of: path)
    return subscribers.filter { $0.post(value) }
  }

  /// Numbers a post. The numbers of a key's posts never repeat, also after the key had no subscribers for a while.
  fileprivate mutating func notePost(of path: DictionaryPath) {
    postCount += 1
    lastPosts[path] = postCount
  }
}
