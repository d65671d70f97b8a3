import CSQLite
import Dflat
import DflatEngine
import Dispatch

/// The sequence of the commits of one workspace, from which everything is fed that has to know what a commit has changed:
/// the last-changed versions of rows, the versions that objects are read at, and the change feed.
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
    /// How often it was noticed that another process, or another workspace, had committed.
    var foreignCommits = 0
    /// When the latest of them was noticed; nil once that is more than a second ago.
    var lastForeignCommit: DispatchTime?
    var listener: (any ChangeFeedListener)?
    /// Hears of the commits of others only.
    weak var foreignCommitListener: (any ForeignCommitListener)?
    /// The WAL index, as long as the connection that writes is open; nil if there is none that can be read.
    var walIndex: WALIndex?
    /// The header of the WAL index when it was known last that nobody else had committed.
    var header: WALIndex.Header?
    /// Whether somebody else has committed of which nobody was told: just after a commit of this workspace; or before the file
    /// was opened, while somebody listened.
    var hasUnknownCommits = false
    /// Whether this workspace has SQLite's write lock: nobody else can commit then, and the header is its own.
    var isWriting = false
    /// How many commits the header had counted when this workspace got the write lock.
    var changeCounter: UInt32 = 0

    /// The header as it is now.
    var currentHeader: WALIndex.Header? { walIndex?.header }

    /// Whether somebody else has committed since that was last looked at.
    func hasForeignCommit() -> Bool {
      if isWriting { return false }
      return !header.isSame(as: currentHeader)
    }

    /// - Parameter ownCommits: how many commits this workspace has made since it got the write lock.
    mutating func endWriting(ownCommits: UInt32) {
      isWriting = false
      header = currentHeader
      // Another process may have committed since the lock was given back, a moment ago. An own commit of tables without rows
      // counts as one, too.
      if let header, header.changeCounter &- changeCounter != ownCommits {
        noteForeignCommit()
        // Who listens is told at the next look.
        hasUnknownCommits = true
      }
    }

    mutating func noteForeignCommit() {
      version += 1
      rows.forget(before: version)
      foreignCommits += 1
      lastForeignCommit = .now()
      header = currentHeader
    }
  }

  /// The lower bits of a version count commits: at a million a second, they last for 50 days.
  private static let counterBits: UInt64 = 42

  /// How long another process counts as one that writes to the file, too.
  private static let foreignPause = DispatchTimeInterval.seconds(1)

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

  /// The same, with the header of the WAL index that the version began with; nil if it is not known.
  var versionAndHeader: (UInt64, WALIndex.Header?) { state.withLock { ($0.version, $0.header) } }

  /// Whether the row is sure to be as it was when an object was read from it at `version`; false is inconclusive.
  ///
  /// Never inlined: in a generic function, the lock's closure would not be specialized.
  @inline(never)
  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool {
    guard isOwn(version) else { return false }
    return state.withLock { state in
      state.rows.isUnchanged(type, rowid, since: version) && !state.hasForeignCommit()
    }
  }

  // MARK: Other processes

  /// How often it was noticed that another process, or another workspace, had committed.
  var foreignCommits: Int { state.withLock { $0.foreignCommits } }

  /// The same, after a look whether somebody has committed just now.
  func lookForForeignCommits() -> Int { lookForCommits().foreignCommits }

  /// The same, with whether it is certain: false if this workspace has just committed, and not said so yet. Then somebody else may
  /// have done so, too.
  func lookForCommits() -> (foreignCommits: Int, isCertain: Bool) {
    let (result, event): ((Int, Bool), ForeignCommit?) = state.withLock { state in
      // Without an index, or while a commit is just being written, nothing can be said.
      guard let header = state.currentHeader else { return ((state.foreignCommits, false), nil) }
      let isCertain = !state.isWriting || header.changeCounter == state.changeCounter
      if state.hasForeignCommit() {
        state.noteForeignCommit()
      } else if !state.hasUnknownCommits {
        return ((state.foreignCommits, isCertain), nil)
      }
      state.hasUnknownCommits = false
      return ((state.foreignCommits, isCertain), ForeignCommit(state))
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
  var hasForeignWriter: Bool {
    state.withLock { state in
      guard let last = state.lastForeignCommit else { return false }
      if DispatchTime.now() < last + CommitSequence.foreignPause { return true }
      state.lastForeignCommit = nil
      return false
    }
  }

  /// Notes that another process, or another workspace, has committed.
  func noteForeignCommit() {
    let event = state.withLock { state in
      state.noteForeignCommit()
      return ForeignCommit(state)
    }
    event.tell()
  }

  /// Whether the header of the WAL index is looked at.
  var isWatching: Bool { state.withLock { $0.walIndex != nil } }

  /// Looks at the header of the WAL index from now on; nil if there is none, or its connection is about to be closed.
  ///
  /// - Parameter isNew: whether this workspace has just made the file, so that nothing is stored in it.
  func watch(_ walIndex: WALIndex?, isNew: Bool = false) {
    state.withLock { state in
      state.walIndex = walIndex
      state.header = state.currentHeader
      // What was committed until now is not known.
      state.hasUnknownCommits = walIndex != nil && !isNew && state.listener != nil
      state.version += 1
      state.rows.forget(before: state.version)
    }
  }

  // MARK: Committing. For the thread that has the writer.

  /// Notes that this workspace has SQLite's write lock.
  func beginWriting() {
    state.withLock { state in
      state.isWriting = true
      state.changeCounter = state.currentHeader?.changeCounter ?? 0
    }
  }

  /// Notes that this workspace has given SQLite's write lock back without a commit.
  func endWriting() {
    state.withLock { state in
      guard state.isWriting else { return }
      state.endWriting(ownCommits: 0)
    }
  }

  /// Notes rows that are about to be committed.
  func noteChanges(_ note: (_ rows: inout RowVersions, _ version: UInt64) -> Void) {
    state.withLock { note(&$0.rows, $0.version) }
  }

  /// The same of the rows that a set changes.
  func noteChanges(of set: WriteSet) {
    noteChanges { rows, version in
      for index in set.writes.indices where set.writes[index].kind != .inserted {
        rows.noteChange(of: ObjectIdentifier(set.writes[index].record), set.actualRow(at: index), at: version)
      }
    }
  }

  /// Forgets which rows have changed, after a transaction that has read what it wrote was rolled back.
  func forgetChanges() {
    state.withLock { state in
      state.version += 1
      state.rows.forget(before: state.version)
    }
  }

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
      state.endWriting(ownCommits: hasWritten ? 1 : 0)
      return (state.listener, state.version)
    }
    guard let listener else { return }
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
