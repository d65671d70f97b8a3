import CSQLite
import Dflat
import DflatEngine

/// The sequence of the commits of one workspace: the version that objects are read at, the last-changed versions of rows, and the
/// change feed, which tells what a commit has changed.
///
/// A commit version lasts from one commit to the next. No other workspace, and no other opening of a file, has the same
/// version; 0 is none.
final class CommitSequence: ChangeFeed {
  private let state: Guarded<State>
  /// The upper bits of all versions of this sequence.
  private let number: UInt64

  private struct State {
    var version: UInt64
    var rows: RowVersions
    var foreign = ForeignCommits()
    /// The version that the listener is being told of; 0 if it is told of none.
    var versionBeingTold: UInt64 = 0
    var listener: (any ChangeFeedListener)?
    /// Hears of the commits of others only.
    weak var foreignCommitListener: (any ForeignCommitListener)?

    /// Begins the next version, without telling what has changed.
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
    // Once all numbers are used up, objects are of no known version, and are read again before they are changed.
    number = next <= UInt64.max >> CommitSequence.counterBits ? next : 0
    let first = number << CommitSequence.counterBits | 1
    state = Guarded(State(version: first, rows: RowVersions(horizon: first)), rank: .sequence)
  }

  /// The number of the last workspace of the process.
  // Unsafe to the compiler: one atomic operation alone uses it. The memory is never freed.
  nonisolated(unsafe) private static let lastNumber: UnsafeMutablePointer<UInt64> = {
    let number = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
    number.initialize(to: 0)
    return number
  }()

  /// Whether `version` is of this sequence, and so an object that was read at it was read from this file.
  func isOwn(_ version: UInt64) -> Bool { version >> CommitSequence.counterBits == number && number != 0 }

  // MARK: Reading

  /// The version that lasts until the next commit.
  var version: UInt64 { state.withLock { $0.version } }

  /// The version of a commit that is being published; 0 if there is none. SQLite shows a commit before this workspace counts it.
  var versionBeingPublished: UInt64 {
    state.withLock { $0.foreign.visibility == .partial ? $0.version + 1 : $0.versionBeingTold }
  }

  /// The version, and the header of the WAL index that it began with; nil if that is not known.
  var versionAndHeader: (UInt64, WALIndex.Header?) { state.withLock { ($0.version, $0.foreign.header) } }

  /// Whether the row is sure to be as it was when an object was read from it at `version`; false is inconclusive.
  ///
  /// Never inlined: in a generic function, the lock's closure would not be specialized.
  @inline(never)
  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool {
    guard isOwn(version) else { return false }
    return state.withLock { state in
      state.rows.isUnchanged(type, rowid, since: version) && !state.foreign.haveOccurred
    }
  }

  // MARK: Other processes

  /// How many times it was noticed that another process, or another workspace, had committed.
  var foreignCommits: Int { state.withLock { $0.foreign.count } }

  /// Looks whether another process, or another workspace, has committed, and tells those who listen.
  ///
  /// - Returns: how many times that was noticed.
  func lookForForeignCommits() -> Int { lookForCommits().foreignCommits }

  /// Looks whether another process, or another workspace, has committed, and tells those who listen.
  ///
  /// - Returns: how many times that was noticed; and whether that is certain: not if nothing can be read, or this workspace has just
  ///   committed and not published it yet.
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

  /// Who is to be told of a commit of others.
  private struct ForeignCommit {
    let version: UInt64
    let listener: (any ChangeFeedListener)?
    let foreignCommitListener: (any ForeignCommitListener)?

    init(_ state: State) {
      version = state.version
      listener = state.listener
      foreignCommitListener = state.foreignCommitListener
    }

    /// With no lock held.
    func tell() {
      listener?.othersHaveCommitted(version: version)
      foreignCommitListener?.othersHaveCommitted()
    }
  }

  /// Whether another process, or another workspace, was noticed to write to the file within the last second.
  var hasForeignWriter: Bool { state.withLock { $0.foreign.areRecent } }

  /// Notes that another process, or another workspace, has committed.
  func noteForeignCommit() {
    let event = state.withLock { state in
      state.noteForeignCommit()
      return ForeignCommit(state)
    }
    event.tell()
  }

  /// Notes that others may have committed while the file was closed. For the thread that has the writer.
  func noteGap() {
    state.withLock { state in
      state.foreign.noteGap()
      state.forgetChanges()
    }
  }

  /// Tells those who listen that others may have committed.
  func tellOfForeignCommits() {
    let event = state.withLock { state in
      state.foreign.tell()
      return ForeignCommit(state)
    }
    event.tell()
  }

  /// Whether the header of the WAL index is looked at.
  var isWatching: Bool { state.withLock { $0.foreign.isWatching } }

  /// Looks at the header of the WAL index from now on; nil if there is none, or its connection is about to be closed.
  ///
  /// - Parameter isNew: whether this workspace has just made the file, so that nothing is stored in it.
  func watch(_ walIndex: WALIndex?, isNew: Bool = false) {
    state.withLock { state in
      state.foreign.watch(walIndex, mayHaveUntold: !isNew && state.listener != nil)
      // What was committed until now is not known.
      state.forgetChanges()
    }
  }

  // MARK: Committing. For the thread that has the writer.

  /// Notes that this workspace has SQLite's write lock.
  func beginWriting() { state.withLock { $0.foreign.beginWriting() } }

  /// Notes that this workspace has given SQLite's write lock back without a commit.
  func endWriting() { state.withLock { if $0.foreign.cancelWriting() { $0.noteForeignCommit() } } }

  /// Notes rows that are about to be committed.
  func noteChanges(_ note: (_ rows: inout RowVersions, _ version: UInt64) -> Void) {
    state.withLock { note(&$0.rows, $0.version) }
  }

  /// Notes the rows that a set changes, and that are about to be committed.
  func noteChanges(of set: WriteSet) {
    noteChanges { rows, version in
      for index in set.writes.indices where set.writes[index].kind != .inserted {
        rows.noteChange(of: ObjectIdentifier(set.writes[index].record), set.actualRow(at: index), at: version)
      }
    }
  }

  /// Forgets which rows have changed, after a transaction that has read what it wrote was rolled back.
  func forgetChanges() { state.withLock { $0.forgetChanges() } }

  /// What a commit has changed, for the change feed.
  enum Changes {
    /// Those of small transactions.
    case transactions([CommittedTransaction])
    /// Those of a large transaction.
    case collected(CollectedChanges)
    /// Nobody listened when they were applied.
    case unknown
  }

  /// Publishes a commit: the next version begins, and the listener is told.
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
    case .unknown: listener.othersHaveCommitted(version: version)
    }
  }

  // MARK: The change feed

  /// Tells `listener` whenever somebody else was noticed to have committed. There is one.
  func setForeignCommitListener(_ listener: any ForeignCommitListener) {
    state.withLock { $0.foreignCommitListener = listener }
  }

  /// Whether anybody listens: or else nobody has to remember what a transaction has changed.
  var hasListener: Bool { state.withLock { $0.listener != nil } }

  /// Begins to collect what a large transaction changes; nil if nobody listens.
  func beginCollecting() -> CollectedChanges? { state.withLock { $0.listener }.map { CollectedChanges(for: $0) } }

  func setListener(_ listener: (any ChangeFeedListener)?) { state.withLock { $0.listener = listener } }
}
