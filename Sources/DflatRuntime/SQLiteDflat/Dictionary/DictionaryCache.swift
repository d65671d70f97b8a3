import CSQLite
import Dflat
import DflatEngine

/// The values of the dictionary that are known in memory: those that were read, and those that were set and may not be
/// on disk yet.
///
/// A value that was set **is pending** until it has been written, and is what the key has, whatever is on disk. Any
/// other is what a row held. It counts as long as nobody has committed since: each look-up compares two words of the
/// WAL index with those that were there when it was last certain that only this workspace had committed.
///
/// A transaction's keys change for all readers at one moment, that of its commit: see `DictionaryCache+Transactions`.
final class DictionaryCache: Sendable {
  let state = Guarded(State(), rank: .dictionary)

  struct State {
    var namespaces: [DictionaryKey: DictionaryNamespace] = [:]
    /// The WAL index, as long as the connection that writes is open; nil if there is none that can be read.
    var walIndex: WALIndex?
    /// What the WAL index said when no other process was known to have committed since.
    var knownMark: WALIndex.CommitMark?
    /// How many commits of others had been noticed by then, modulo 2^32.
    var foreignCommits: UInt32 = 0
    /// How often a key was set.
    var setCount: UInt64 = 0
    /// How often values that had been pending, or those of a transaction, have become those on disk.
    var publications = 0
    /// The keys whose values are pending, and some that no longer are.
    var pending: ContiguousArray<PendingKey> = []
    /// Whether somebody is about to write what is pending.
    var isWriteScheduled = false
    /// How many pending values a thread is just writing, and how many commits of others had been noticed before.
    var writingCount = 0
    var foreignCommitsBeforeWriting: UInt32 = 0
    /// How often a key had been set when the values were taken that are being written.
    var setCountBeforeWriting: UInt64 = 0
    /// What the WAL index said when the thread that writes them got SQLite's write lock; nil before that.
    var markBeforeWriting: WALIndex.CommitMark?
    var commit: TransactionCommit?
    /// How many subscribers there are.
    var subscriberCount = 0
    /// How often a value was posted to the subscribers of some key.
    var postCount: UInt64 = 0
    var isClosed = false

    mutating func namespace(_ name: DictionaryKey) -> DictionaryNamespace {
      if let namespace = namespaces[name] { return namespace }
      let namespace = DictionaryNamespace(name)
      namespaces[name] = namespace
      return namespace
    }

    var mark: WALIndex.CommitMark? { walIndex?.mark }

    /// Whether what was read from the disk is still there for sure.
    var isCurrent: Bool { mark.isSame(as: knownMark) }

    /// The value that is known of a key; nil if the disk has to be read.
    func known(_ key: DictionaryKey, of namespace: DictionaryNamespace) -> StoredDictionaryValue?? {
      if let commit, let change = commit.changes[DictionaryPath(namespace: namespace.name, key: key)],
        !mark.isSame(as: commit.mark)
      {
        // The commit shows already, though it has not returned.
        return .some(change)
      }
      guard let number = namespace.number(of: key), isKnown(number, of: namespace) else { return nil }
      return .some(namespace.entries[number].value)
    }

    /// Whether the value of an entry is what the key has. Without regard to a transaction that is just being committed.
    func isKnown(_ number: Int, of namespace: DictionaryNamespace) -> Bool {
      let entry = namespace.entries[number]
      if entry.isPending { return !isWritten(entry) || commitsSinceWriting < 2 }
      return entry.isKnown && entry.foreignCommits == foreignCommits && isCurrent
    }

    /// Whether a pending value is among those that are being written.
    func isWritten(_ entry: DictionaryEntry) -> Bool { writingCount > 0 && entry.setNumber <= setCountBeforeWriting }

    /// How many commits have been made since the thread that writes pending values got SQLite's write lock. The first is its own: what it
    /// writes is on disk, though COMMIT has not returned. If there are more, others may have replaced it.
    var commitsSinceWriting: UInt32 {
      guard let before = markBeforeWriting, let mark else { return 0 }
      return mark.changeCounter &- before.changeCounter
    }
  }

  /// A key whose value is pending.
  struct PendingKey {
    let namespace: DictionaryNamespace
    /// The place of its entry.
    let number: Int
  }

  /// The namespace of this name.
  func namespace(_ name: String) -> DictionaryNamespace { state.withLock { $0.namespace(DictionaryKey(name)) } }

  // MARK: Reading

  /// The value that is known of a key; nil if the disk has to be read.
  func known(_ key: DictionaryKey, of namespace: DictionaryNamespace) -> StoredDictionaryValue?? {
    state.withLock { $0.known(key, of: namespace) }
  }

  /// The value of a key that is pending; nil if none is. With the number of settings until now.
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

  /// What was certain when a thread began to read a key from the disk.
  struct Ticket {
    /// Nil if it was not certain that nobody else had committed.
    let mark: WALIndex.CommitMark?
    let foreignCommits: UInt32
    let publications: Int
    /// Whether the cache was up to date before.
    var wasCurrent = false
  }

  /// Brings the cache up to date with what others have committed. Call it before the disk is read.
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
      // The later count, also once it has begun anew.
      if foreignCommits &- state.foreignCommits < UInt32.max / 2 { state.foreignCommits = foreignCommits }
      // If this workspace is just committing, it is not certain whether what the WAL index counts is its own commit
      // alone.
      if isCertain { state.knownMark = mark }
      return Ticket(
        mark: isCertain ? mark : nil, foreignCommits: foreignCommits, publications: state.publications)
    }
  }

  /// Whether the file has been opened since the ticket was given.
  func isFirstUse(_ ticket: Ticket) -> Bool { ticket.mark == nil && state.withLock { $0.walIndex != nil } }

  /// Keeps values that were read from the disk, unless they may have changed since the ticket was given.
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

  /// Keys that are pending: they have a value, or are to be removed.
  struct PendingKeys {
    var set: [DictionaryKey] = []
    var removed: [DictionaryKey] = []

    /// Makes of the keys that are on disk those that have a value.
    func apply(to keys: inout Set<DictionaryKey>) {
      keys.formUnion(set)
      keys.subtract(removed)
    }
  }

  /// The keys of a namespace that are pending.
  func pendingKeys(of namespace: DictionaryNamespace) -> PendingKeys {
    state.withLock { _ in
      var keys = PendingKeys()
      for entry in namespace.entries where entry.isPending {
        if entry.value == nil { keys.removed.append(entry.key) } else { keys.set.append(entry.key) }
      }
      return keys
    }
  }

  /// Notes that a value was reported as one that cannot be read.
  ///
  /// - Returns: false if it has been reported before.
  func noteReport(_ path: DictionaryPath) -> Bool {
    state.withLock { $0.namespace(path.namespace).reported.insert(path.key).inserted }
  }

  // MARK: Setting

  enum SetOutcome {
    case closed
    case unchanged
    /// Whether the key has this value already shows after an update.
    case outdated
    /// - Parameters:
    ///   - subscribers: are to be told.
    ///   - isWriteNeeded: whether the caller has to start a write of the pending values.
    case set(subscribers: [DictionarySubscriber], isWriteNeeded: Bool)
  }

  /// Sets a key of a namespace; nil removes it. It is pending then.
  ///
  /// - Parameter isUpdated: whether the cache was just brought up to date.
  func set(
    _ value: StoredDictionaryValue?, for key: DictionaryKey, of namespace: DictionaryNamespace, isUpdated: Bool
  ) -> SetOutcome {
    // A key of a transaction that is just being committed is set after that. No code of users runs meanwhile.
    state.wait { state in
      guard state.commit == nil || state.commit?.changes[DictionaryPath(namespace: namespace.name, key: key)] == nil
      else { return nil }
      if state.isClosed { return .closed }
      let number = namespace.makeNumber(of: key)
      if namespace.entries[number].isKnown, namespace.entries[number].value.isIdentical(to: value) {
        if state.isKnown(number, of: namespace) { return .unchanged }
        if !isUpdated { return .outdated }
      }
      var subscribers: [DictionarySubscriber] = []
      state.set(value, for: number, of: namespace, &subscribers)
      return .set(subscribers: subscribers, isWriteNeeded: state.scheduleWrite())
    }
  }

  /// Removes the keys of a namespace that are on disk, and all that are pending.
  func removeAll(_ keys: [DictionaryKey], of namespace: DictionaryNamespace) -> SetOutcome {
    state.wait { state in
      guard state.commit == nil else { return nil }
      if state.isClosed { return .closed }
      var keys = Set(keys)
      for entry in namespace.entries where entry.value != nil { keys.insert(entry.key) }
      var subscribers: [DictionarySubscriber] = []
      for key in keys { state.set(nil, for: namespace.makeNumber(of: key), of: namespace, &subscribers) }
      return .set(subscribers: subscribers, isWriteNeeded: state.scheduleWrite())
    }
  }

  // MARK: The WAL index

  /// Looks at the WAL index from now on; nil if there is none, or its connection is about to be closed.
  func watch(_ walIndex: WALIndex?) {
    state.withLock { state in
      state.walIndex = walIndex
      state.knownMark = nil
    }
  }

  /// Accepts no more values, and forgets all.
  ///
  /// - Returns: the handlers of the subscribers, which are told nothing more.
  func close() -> [DictionarySubscriber.Handler] {
    state.withLock { state in
      state.isClosed = true
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
  /// Sets the key of an entry, and posts its value to its subscribers.
  fileprivate mutating func set(
    _ value: StoredDictionaryValue?, for number: Int, of namespace: DictionaryNamespace,
    _ subscribers: inout [DictionarySubscriber]
  ) {
    setCount += 1
    namespace.lastSet = setCount
    if !namespace.entries[number].isPending {
      pending.append(DictionaryCache.PendingKey(namespace: namespace, number: number))
    }
    namespace.entries[number].set(value, setCount)
    if !namespace.reported.isEmpty { namespace.reported.remove(namespace.entries[number].key) }
    if !namespace.subscribers.isEmpty { post(value, for: namespace.entries[number].key, of: namespace, &subscribers) }
  }

  /// Posts the value of a key to its subscribers.
  mutating func post(
    _ value: StoredDictionaryValue?, for key: DictionaryKey, of namespace: DictionaryNamespace,
    _ subscribers: inout [DictionarySubscriber]
  ) {
    guard !namespace.subscribers.isEmpty, let list = namespace.subscribers[key] else { return }
    postCount += 1
    namespace.lastPosts[key] = postCount
    for subscriber in list where subscriber.post(value) { subscribers.append(subscriber) }
  }

  /// - Returns: whether the caller has to start a write of the pending values.
  mutating func scheduleWrite() -> Bool {
    if isWriteScheduled || pending.isEmpty { return false }
    isWriteScheduled = true
    return true
  }
}
