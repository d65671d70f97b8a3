import Dispatch

/// Notices the commits of other processes, and of other workspaces of the file, by the header of SQLite's WAL index. Guarded by the
/// commit sequence.
///
/// A commit changes the header. So somebody else has committed if the header has changed while this workspace did not have SQLite's
/// write lock, or more often than this workspace has committed while it had.
struct ForeignCommits {
  /// How many times it was noticed that somebody else had committed.
  private(set) var count = 0
  /// Whether somebody else has committed of which nobody was told: just after a commit of this workspace; or before the file was
  /// opened, while somebody listened.
  private(set) var areUntold = false
  /// The header when it was known last that nobody else had committed; nil if that is not known.
  private(set) var header: WALIndex.Header?
  /// The WAL index, as long as the connection that writes is open; nil if there is none that can be read.
  private var walIndex: WALIndex?
  /// When somebody was last noticed to have committed; nil if nobody was.
  private var lastTime: DispatchTime?
  /// Whether this workspace has SQLite's write lock: nobody else can commit then, and the header is its own.
  private var isWriting = false
  /// How many commits the header had counted when this workspace got the write lock.
  private var changeCounter: UInt32 = 0

  /// How long another process counts as one that writes to the file, too.
  private static let pause = DispatchTimeInterval.seconds(1)

  // MARK: Looking

  /// Whether the header is looked at.
  var isWatching: Bool { walIndex != nil }

  /// Whether somebody has committed since that was last noted, or may have.
  var haveOccurred: Bool { !isWriting && !header.isSame(as: walIndex?.header) }

  /// What a look at the header tells.
  enum Visibility {
    /// Nothing: there is no header that can be read.
    case none
    /// Not everything: this workspace has committed, and not published that yet, and somebody else may have committed after it.
    case partial
    /// Every commit that has been made by now.
    case complete
  }

  var visibility: Visibility {
    guard let header = walIndex?.header else { return .none }
    return isWriting && header.changeCounter != changeCounter ? .partial : .complete
  }

  /// Looks at the header of a WAL index from now on; nil if there is none, or its connection is about to be closed.
  ///
  /// - Parameter mayHaveUntold: whether somebody may have committed before of whom those who listen now do not know.
  mutating func watch(_ walIndex: WALIndex?, mayHaveUntold: Bool) {
    self.walIndex = walIndex
    header = walIndex?.header
    areUntold = walIndex != nil && mayHaveUntold
  }

  /// Whether somebody was noticed to have committed within the last second.
  var areRecent: Bool { lastTime.map { DispatchTime.now() < $0 + ForeignCommits.pause } ?? false }

  // MARK: Noting

  /// Notes that somebody else has committed.
  mutating func note() {
    count += 1
    lastTime = .now()
    header = walIndex?.header
  }

  /// Notes that somebody else may have committed while the file was closed. Those who listen are told at the next look.
  mutating func noteGap() {
    count += 1
    areUntold = true
  }

  /// Notes that those who listen are being told of all that was noted.
  mutating func tell() { areUntold = false }

  /// Notes that this workspace has SQLite's write lock.
  mutating func beginWriting() {
    isWriting = true
    changeCounter = walIndex?.header?.changeCounter ?? 0
  }

  /// Notes that this workspace has given SQLite's write lock back.
  ///
  /// - Parameter ownCommits: how many commits it has made meanwhile.
  /// - Returns: whether somebody else has committed since the lock was given back, a moment ago. Those who listen are told at the
  ///   next look.
  mutating func endWriting(ownCommits: UInt32) -> Bool {
    isWriting = false
    header = walIndex?.header
    // A commit that changes no row counts as one of somebody else, too.
    guard let header, header.changeCounter &- changeCounter != ownCommits else { return false }
    areUntold = true
    return true
  }

  /// Notes that this workspace has given SQLite's write lock back without a commit, if it had the lock.
  ///
  /// - Returns: whether somebody else has committed since.
  mutating func cancelWriting() -> Bool { isWriting && endWriting(ownCommits: 0) }
}
