import CSQLite
import Dflat
import DflatEngine

/// The values of the dictionary in memory: values that were read, and values that were set and may not be on disk yet.
///
/// A value that was set is pending until it has been written. While it is pending, it is the value of its key, whatever
/// is on disk. A value that was read is valid while no others have committed since. Each look-up therefore compares two
/// words of the WAL index with their state when it was last certain that only this workspace had committed.
///
/// All keys of a transaction change for all readers at the moment of its commit: see `DictionaryCache+Transactions`.
final class DictionaryCache: Sendable {
  let state = Guarded(State(), rank: .dictionary)

  struct State {
    var namespaces: [DictionaryKey: DictionaryNamespace] = [:]
    /// The WAL index while the connection that writes is open; nil if none can be read.
    var walIndex: WALIndex?
    /// The mark of the WAL index when it was last certain that no others had committed; nil if it is unknown.
    var knownMark: WALIndex.CommitMark?
    /// How many commits of others had been noticed then, modulo 2^32.
    var foreignCommits: UInt32 = 0
    /// How often any key was set.
    var setCount: UInt64 = 0
    /// How often pending values, or those of a transaction, have got to the disk.
    var publications = 0
    /// The keys with a pending value. Some may no longer be pending.
    var pending: ContiguousArray<PendingKey> = []
    /// Whether a write of the pending values is scheduled.
    var isWriteScheduled = false
    /// How many pending values are being written, and how many commits of others had been noticed before.
    var writingCount = 0
    var foreignCommitsBeforeWriting: UInt32 = 0
    /// The value of `setCount` when the values that are being written were taken.
    var setCountBeforeWriting: UInt64 = 0
    /// The mark of the WAL index when the thread that writes the values took SQLite's write lock; nil before that.
    var markBeforeWriting: WALIndex.CommitMark?
    var commit: TransactionCommit?
    /// How many subscribers there are.
    var subscriberCount = 0
    /// How often a value was posted to the subscribers of a key.
    var postCount: UInt64 = 0
    var unread = UnreadKeys()
    /// The keys whose subscribers are about to be told the current value.
    var toBeTold: Set<DictionaryPath> = []
    /// Whether the workspace is being shut down, so that no value is accepted any more.
    var isClosing = false
    var isClosed = false

    mutating func namespace(_ name: DictionaryKey) -> DictionaryNamespace {
      if let namespace = namespaces[name] { return namespace }
      let namespace = DictionaryNamespace(name)
      namespaces[name] = namespace
      return namespace
    }

    var mark: WALIndex.CommitMark? { walIndex?.mark }

    /// Whether values that were read from the disk are certainly still there.
    var isCurrent: Bool { mark.isSame(as: knownMark) }

    /// Returns the known value of a key; nil if the disk has to be read. The inner optional is nil if the key has no
    /// value.
    func known(_ key: DictionaryKey, of namespace: DictionaryNamespace) -> StoredDictionaryValue?? {
      if let commit, let change = commit.changes[DictionaryPath(namespace: namespace.name, key: key)],
        !mark.isSame(as: commit.mark)
      {
        // The commit shows already, although COMMIT has not returned.
        return .some(change)
      }
      guard let number = namespace.number(of: key), isKnown(number, of: namespace) else { return nil }
      return .some(namespace.entries[number].value)
    }

    /// Returns whether the entry at index `number` of a namespace holds the current value of its key. Ignores a
    /// transaction that is being committed.
    func isKnown(_ number: Int, of namespace: DictionaryNamespace) -> Bool {
      let entry = namespace.entries[number]
      if entry.isPending { return !isWritten(entry) || commitsSinceWriting < 2 }
      return entry.isKnown && entry.foreignCommits == foreignCommits && isCurrent
    }

    /// Returns whether a pending value is among those that are being written.
    func isWritten(_ entry: DictionaryEntry) -> Bool { writingCount > 0 && entry.setNumber <= setCountBeforeWriting }

    /// How many commits were made since the thread that writes pending values took SQLite's write lock. The first is
    /// its own: its values are on disk, although COMMIT has not returned. If there are more, others may have replaced
    /// the values.
    var commitsSinceWriting: UInt32 {
      guard let before = markBeforeWriting, let mark else { return 0 }
      return mark.changeCounter &- before.changeCounter
    }
  }

  /// A key whose value is pending.
  struct PendingKey {
    let namespace: DictionaryNamespace
    /// The index of the key in `namespace.entries`.
    let number: Int
  }

  /// Returns the namespace with this name.
  func namespace(_ name: String) -> DictionaryNamespace { state.withLock { $0.namespace(DictionaryKey(name)) } }

  // MARK: Reading

  /// Returns the known value of a key; nil if the disk has to be read. The inner optional is nil if the key has no
  /// value.
  func known(_ key: DictionaryKey, of namespace: DictionaryNamespace) -> StoredDictionaryValue?? {
    state.withLock { $0.known(key, of: namespace) }
  }

  /// Returns the pending value of a key, and the number of times that keys were set so far. The outer optional is nil
  /// if no value is pending.
  func pending(_ key: DictionaryKey, of namespace: DictionaryNamespace) -> (
    value: StoredDictionaryValue??, setCount: UInt64
  ) {
    state.withLock { state in
      guard let number = namespace.number(of: key), namespace.entries[number].isPending,
        state.isKnown(number, of: namespace)
      else { return (nil, state.setCount) }
      return (.some(namespace.entries[number].value), state.setCount)
    }
  }

  /// The state of the cache when a thread begins to read from the disk.
  struct Ticket {
    /// The mark of the WAL index; nil if it was uncertain whether others had committed.
    let mark: WALIndex.CommitMark?
    let foreignCommits: UInt32
    let publications: Int
    /// Whether the cache was already up to date.
    var wasCurrent = false
  }

  /// Updates the cache with the commits of others. It has to be called before the disk is read.
  func update(_ sequence: CommitSequence) -> Ticket {
    let (mark, current): (WALIndex.CommitMark?, Ticket?) = state.withLock { state in
      let mark = state.mark
      guard mark.isSame(as: state.knownMark) else { return (mark, nil) }
      return (
        mark,
        Ticket(
          mark: mark, foreignCommits: state.foreignCommits, publications: state.publications, wasCurrent: true)
      )
    }
    if let current { return current }
    let (count, isCertain) = sequence.lookForCommits()
    let foreignCommits = UInt32(truncatingIfNeeded: count)
    return state.withLock { state in
      // The later of the two counts, even after an overflow.
      if foreignCommits &- state.foreignCommits < UInt32.max / 2 { state.foreignCommits = foreignCommits }
      // While this workspace is committing, it is uncertain whether the WAL index counts only its own commit.
      if isCertain { state.knownMark = mark }
      return Ticket(
        mark: isCertain ? mark : nil, foreignCommits: foreignCommits, publications: state.publications)
    }
  }

  /// Returns whether the file may have been opened since the ticket was made: values that were read could not be kept
  /// then.
  func isFirstUse(_ ticket: Ticket) -> Bool { ticket.mark == nil && state.withLock { $0.walIndex != nil } }

  /// Keeps values that were read from the disk, unless they may have changed since the ticket was made.
  ///
  /// - Returns: whether they are kept.
  @discardableResult
  func keep(
    _ values: some Sequence<(DictionaryKey, DictionaryEntry.Stored)>, of namespace: DictionaryNamespace,
    _ ticket: Ticket
  ) -> Bool {
    state.withLock { state in
      guard state.publications == ticket.publications, state.foreignCommits == ticket.foreignCommits,
        state.commit == nil, state.mark.isSame(as: ticket.mark), !state.isClosed
      else { return false }
      for (key, stored) in values {
        let number = namespace.makeNumber(of: key)
        if namespace.entries[number].isPending { continue }
        namespace.entries[number].noteStored(stored, foreignCommits: state.foreignCommits)
      }
      return true
    }
  }

  /// The keys whose pending value is set, and those whose removal is pending.
  struct PendingKeys {
    var set: [DictionaryKey] = []
    var removed: [DictionaryKey] = []

    /// Applies the pending changes to the keys that are on disk.
    func apply(to keys: inout Set<DictionaryKey>) {
      keys.formUnion(set)
      keys.subtract(removed)
    }
  }

  /// Returns the pending keys of a namespace.
  func pendingKeys(of namespace: DictionaryNamespace) -> PendingKeys {
    state.withLock { _ in
      var keys = PendingKeys()
      for entry in namespace.entries where entry.isPending {
        if entry.value == nil { keys.removed.append(entry.key) } else { keys.set.append(entry.key) }
      }
      return keys
    }
  }

  /// Records that the value of a key was reported as unreadable.
  ///
  /// - Returns: false if it was reported before.
  func noteReport(_ path: DictionaryPath) -> Bool {
    state.withLock { $0.namespace(path.namespace).reported.insert(path.key).inserted }
  }

  // MARK: Setting

  enum SetOutcome {
    case closed
    case unchanged
    /// It is unknown whether the key already has this value: update the cache and try again.
    case outdated
    /// The value was set.
    ///
    /// - Parameters:
    ///   - subscribers: the subscribers to be told.
    ///   - isWriteNeeded: whether the caller has to start a write of the pending values.
    case set(subscribers: [DictionarySubscriber], isWriteNeeded: Bool)
  }

  /// Sets a key of a namespace, which is then pending; nil removes the key.
  ///
  /// - Parameter isUpdated: whether the cache was just updated, so that `.outdated` is not returned.
  func set(
    _ value: StoredDictionaryValue?, for key: DictionaryKey, of namespace: DictionaryNamespace, isUpdated: Bool
  ) -> SetOutcome {
    let depth = UInt8(clamping: HandlerDepth.current)
    // A key of a transaction that is being committed is set after the commit. No user code runs during the wait.
    return state.wait { state in
      guard state.commit == nil || state.commit?.changes[DictionaryPath(namespace: namespace.name, key: key)] == nil
      else { return nil }
      if state.isClosing { return .closed }
      let number = namespace.makeNumber(of: key)
      if namespace.entries[number].isKnown, namespace.entries[number].value.isIdentical(to: value) {
        if state.isKnown(number, of: namespace) { return .unchanged }
        if !isUpdated { return .outdated }
      }
      var subscribers: [DictionarySubscriber] = []
      state.set(value, for: number, of: namespace, depth, &subscribers)
      return .set(subscribers: subscribers, isWriteNeeded: state.scheduleWrite())
    }
  }

  /// Removes keys of a namespace, and all its keys that have a value in memory.
  ///
  /// - Parameter keys: the keys that are on disk.
  func removeAll(_ keys: [DictionaryKey], of namespace: DictionaryNamespace) -> SetOutcome {
    let depth = UInt8(clamping: HandlerDepth.current)
    return state.wait { state in
      guard state.commit == nil else { return nil }
      if state.isClosing { return .closed }
      var keys = Set(keys)
      for entry in namespace.entries where entry.value != nil { keys.insert(entry.key) }
      var subscribers: [DictionarySubscriber] = []
      for key in keys { state.set(nil, for: namespace.makeNumber(of: key), of: namespace, depth, &subscribers) }
      return .set(subscribers: subscribers, isWriteNeeded: state.scheduleWrite())
    }
  }

  // MARK: The WAL index

  /// Watches this WAL index from now on. `walIndex` is nil if there is none, or if its connection is about to be
  /// closed.
  func watch(_ walIndex: WALIndex?) {
    state.withLock { state in
      state.walIndex = walIndex
      state.knownMark = nil
    }
  }

  /// Closes the cache: it forgets everything and accepts no more values.
  ///
  /// - Returns: the handlers of the subscribers, which are told nothing more. The caller finishes them.
  func close() -> [DictionarySubscriber.Handler] {
    state.withLock { state in
      (state.isClosing, state.isClosed) = (true, true)
      var handlers: [DictionarySubscriber.Handler] = []
      for namespace in state.namespaces.values {
        for list in namespace.subscribers.values { handlers += list.compactMap { $0.end() } }
        namespace.removeAll()
      }
      state.pending = []
      state.subscriberCount = 0
      return handlers
    }
  }
}

extension DictionaryCache.State {
  /// Sets the key of an entry, and posts the value to the key's subscribers.
  ///
  /// - Parameters:
  ///   - handlerDepth: the `HandlerDepth` of the call that sets it.
  ///   - subscribers: gets the subscribers to be told.
  fileprivate mutating func set(
    _ value: StoredDictionaryValue?, for number: Int, of namespace: DictionaryNamespace, _ handlerDepth: UInt8,
    _ subscribers: inout [DictionarySubscriber]
  ) {
    setCount += 1
    namespace.lastSet = setCount
    if !namespace.entries[number].isPending {
      pending.append(DictionaryCache.PendingKey(namespace: namespace, number: number))
    }
    namespace.entries[number].set(value, setCount, handlerDepth: handlerDepth)
    if !namespace.reported.isEmpty { namespace.reported.remove(namespace.entries[number].key) }
    if !namespace.subscribers.isEmpty { post(value, for: namespace.entries[number].key, of: namespace, &subscribers) }
  }

  /// Posts the value of a key to its subscribers.
  ///
  /// - Parameter subscribers: gets the subscribers to be told.
  mutating func post(
    _ value: StoredDictionaryValue?, for key: DictionaryKey, of namespace: DictionaryNamespace,
    _ subscribers: inout [DictionarySubscriber]
  ) {
    guard !namespace.subscribers.isEmpty, let list = namespace.subscribers[key] else { return }
    postCount += 1
    namespace.lastPosts[key] = postCount
    for subscriber in list where subscriber.post(value) { subscribers.append(subscriber) }
  }

  /// Schedules a write of the pending values.
  ///
  /// - Returns: whether the caller has to start it.
  mutating func scheduleWrite() -> Bool {
    if isWriteScheduled || pending.isEmpty { return false }
    isWriteScheduled = true
    return true
  }
}
