import CSQLite
import Dflat
import DflatEngine

/// The sequence of the commits of one workspace: the version at which objects are read, the last-changed versions of
/// rows, and the change feed.
///
/// A commit version lasts from one commit to the next. No other workspace, and no other opening of a file, has the same
/// version. Version 0 stands for none.
final class CommitSequence: ChangeFeed {
  private let state: Guarded<State>
  /// The upper bits of all versions of this sequence.
  private let number: UInt64

  private struct State {
    var version: UInt64
    var rows: RowVersions
    var foreign = ForeignCommits()
    /// The version of the commit of which the listener is being notified; 0 if there is none.
    var versionBeingTold: UInt64 = 0
    var listener: (any ChangeFeedListener)?
    /// The dictionary, which is told only of the commits of others.
    weak var dictionary: DictionaryStore?

    /// Begins a new version, and forgets all earlier changes of rows.
    mutating func forgetChanges() {
      version += 1
      rows.forget(before: version)
    }

    mutating func noteForeignCommit() {
      foreign.note()
      forgetChanges()
    }
  }

  /// The lower bits of a version count commits: at a million a second, they last for 50 days.
  private static let counterBits: UInt64 = 42

  init() {
    let next = dflat_add_one(CommitSequence.lastNumber)
    // Once all numbers are used up, objects have no known version, and are read again before they are changed.
    number = next <= UInt64.max >> CommitSequence.counterBits ? next : 0
    let first = number << CommitSequence.counterBits | 1
    state = Guarded(State(version: first, rows: RowVersions(horizon: first)), rank: .sequence)
  }

  /// The number of the latest sequence of the process.
  // Unsafe to the compiler: only one atomic operation uses it. The memory is never freed.
  nonisolated(unsafe) private static let lastNumber: UnsafeMutablePointer<UInt64> = {
    let number = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
    number.initialize(to: 0)
    return number
  }()

  /// Returns whether `version` belongs to this sequence: an object with that version was read from this file.
  func isOwn(_ version: UInt64) -> Bool { version >> CommitSequence.counterBits == number && number != 0 }

  // MARK: Reading

  /// The version that lasts until the next commit.
  var version: UInt64 { state.withLock { $0.version } }

  /// The version of a commit that is being published; 0 if there is none. Fetches may show such a commit, since SQLite
  /// shows it before this workspace counts it.
  var versionBeingPublished: UInt64 {
    state.withLock { $0.foreign.visibility == .partial ? $0.version + 1 : $0.versionBeingTold }
  }

  /// The current version, and the header of the WAL index at its beginning; the header is nil if it is unknown.
  var versionAndHeader: (UInt64, WALIndex.Header?) { state.withLock { ($0.version, $0.foreign.header) } }

  /// Returns true if the row is known to be as it was when an object was read from it at `version`; false is
  /// inconclusive.
  ///
  /// Never inlined: in a generic function, the lock's closure would not be specialized. The benchmark row "update
  /// documents, one transaction" asks for each object.
  @inline(never)
  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool {
    guard isOwn(version) else { return false }
    return state.withLock { state in
      state.rows.isUnchanged(type, rowid, since: version) && !state.foreign.haveOccurred
    }
  }

  // MARK: Other processes

  /// How many times commits of another process, or of another workspace, have been noticed.
  var foreignCommits: Int { state.withLock { $0.foreign.count } }

  /// Looks whether another process, or another workspace, has committed, and tells the listeners.
  ///
  /// - Returns: how many times such commits have been noticed.
  func lookForForeignCommits() -> Int { lookForCommits().foreignCommits }

  /// Looks whether another process, or another workspace, has committed, and tells the listeners.
  ///
  /// - Returns: how many times such commits have been noticed, and whether that is certain. It is uncertain if the WAL
  ///   index cannot be read, or if this workspace has committed and not published the commit yet.
  func lookForCommits() -> (foreignCommits: Int, isCertain: Bool) {
    let (result, event): ((Int, Bool), ForeignCommit?) = state.withLock { state in
      let visibility = state.foreign.visibility
      let isCertain = visibility == .complete
      guard visibility != .none else { return ((state.foreign.count, false), nil) }
      if state.foreign.haveOccurred {
        state.noteForeignCommit()
      } else if !state.foreign.areUntold {
        return ((state.foreign.count, isCertain), nil)
      }
      state.foreign.tell()
      return ((state.foreign.count, isCertain), ForeignCommit(state))
    }
    event?.tell()
    return result
  }

  /// A commit of others, with those to be told of it.
  private struct ForeignCommit {
    let version: UInt64
    let listener: (any ChangeFeedListener)?
    let dictionary: DictionaryStore?

    init(_ state: State) {
      version = state.version
      listener = state.listener
      dictionary = state.dictionary
    }

    /// Tells the listener and the dictionary. The caller holds no lock.
    func tell() {
      listener?.othersHaveCommitted(version: version)
      dictionary?.othersHaveCommitted()
    }
  }

  /// Whether another process, or another workspace, was noticed to commit within the last second.
  var hasForeignWriter: Bool { state.withLock { $0.foreign.areRecent } }

  /// Records that another process, or another workspace, has committed, and tells the listeners.
  func noteForeignCommit() {
    let event = state.withLock { state in
      state.noteForeignCommit()
      return ForeignCommit(state)
    }
    event.tell()
  }

  /// Records that others may have committed while the file was closed. The listeners are told at the next look. The
  /// caller has the writer.
  func noteGap() {
    state.withLock { state in
      state.foreign.noteGap()
      state.forgetChanges()
    }
  }

  /// Tells the listeners that others may have committed.
  func tellOfForeignCommits() {
    let event = state.withLock { state in
      state.foreign.tell()
      return ForeignCommit(state)
    }
    event.tell()
  }

  /// Whether commits of others can be noticed by the header of the WAL index.
  var isWatching: Bool { state.withLock { $0.foreign.isWatching } }

  /// Watches the header of this WAL index from now on. `walIndex` is nil if there is none, or if its connection is
  /// about to be closed.
  ///
  /// - Parameter isNew: whether this workspace has just made the file, so that nothing is stored in it.
  func watch(_ walIndex: WALIndex?, isNew: Bool = false) {
    state.withLock { state in
      // Also without a listener of the feed, since subscribers to keys of the dictionary are notified separately.
      state.foreign.watch(walIndex, mayHaveUntold: !isNew)
      // It is unknown what was committed until now.
      state.forgetChanges()
    }
  }

  // MARK: Committing. The caller has the writer.

  /// Records that this workspace has taken SQLite's write lock.
  func beginWriting() { state.withLock { $0.foreign.beginWriting() } }

  /// Records that this workspace has released SQLite's write lock without a commit.
  func endWriting() { state.withLock { if $0.foreign.cancelWriting() { $0.noteForeignCommit() } } }

  /// Calls `note` to record the rows that are about to be committed.
  func noteChanges(_ note: (_ rows: inout RowVersions, _ version: UInt64) -> Void) {
    state.withLock { note(&$0.rows, $0.version) }
  }

  /// Records the rows that a set changes, which are about to be committed. New rows are left out: no object was read
  /// from them.
  func noteChanges(of set: WriteSet) {
    noteChanges { rows, version in
      for index in set.writes.indices where set.writes[index].kind != .inserted {
        rows.noteChange(of: ObjectIdentifier(set.writes[index].record), set.actualRow(at: index), at: version)
      }
    }
  }

  /// Forgets which rows have changed. Needed after the rollback of a transaction that has read its own writes.
  func forgetChanges() { state.withLock { $0.forgetChanges() } }

  /// The changes of a commit, for the change feed.
  enum Changes {
    /// The changes of transactions that were written together after their closures had ended.
    case transactions([CommittedTransaction])
    /// The changes of a transaction that has taken the writer before its closure ended.
    case collected(CollectedChanges)
    /// The changes are unknown: they were not collected, since there was no listener when they were applied.
    case unknown
  }

  /// Publishes a commit: begins the next version, and tells the listener.
  ///
  /// - Parameter hasWritten: whether the commit has written any row.
  func publish(_ changes: Changes, hasWritten: Bool) {
    let (listener, version) = state.withLock { state in
      state.version += 1
      if state.foreign.endWriting(ownCommits: hasWritten ? 1 : 0) { state.noteForeignCommit() }
      if state.listener != nil { state.versionBeingTold = state.version }
      return (state.listener, state.version)
    }
    guard let listener else { return }
    defer { state.withLock { $0.versionBeingTold = 0 } }
    switch changes {
    case .transactions(let transactions): listener.transactionsHaveCommitted(transactions, version: version)
    case .collected(let collected): collected.tell(listener, version: version)
    case .unknown: listener.unknownTransactionsHaveCommitted(version: version)
    }
  }

  // MARK: The change feed

  /// Sets the dictionary that is told when others were noticed to have committed. It is held weakly.
  func setDictionary(_ dictionary: DictionaryStore) {
    state.withLock { $0.dictionary = dictionary }
  }

  /// Whether the feed has a listener. Without one, transactions need not keep what they have changed.
  var hasListener: Bool { state.withLock { $0.listener != nil } }

  /// Begins to collect the changes of a transaction that has taken the writer before its closure ended. Returns nil if
  /// the feed has no listener.
  func beginCollecting() -> CollectedChanges? { state.withLock { $0.listener }.map { CollectedChanges(for: $0) } }

  func setListener(_ listener: (any ChangeFeedListener)?) { state.withLock { $0.listener = listener } }
}
