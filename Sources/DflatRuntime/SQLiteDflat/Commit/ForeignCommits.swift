import Dispatch

/// Notices the commits of other processes, and of other workspaces, by the header of SQLite's WAL index. Guarded by the
/// commit sequence.
///
/// Every commit changes the header. So others have committed in two cases. While this workspace did not have SQLite's
/// write lock, the header has changed. Or, while it had the lock, the header has counted more commits than it made.
struct ForeignCommits {
  /// How many times commits of others have been noticed.
  private(set) var count = 0
  /// Whether the listeners have not been told of a commit of others: one that was noticed when this workspace released
  /// the write lock, or one that may have been made before the file was opened.
  private(set) var areUntold = false
  /// The header when it was last known that no others had committed; nil if it is unknown.
  private(set) var header: WALIndex.Header?
  /// The WAL index while the connection that writes is open; nil if none can be read.
  private var walIndex: WALIndex?
  /// The time at which a commit of others was last noticed; nil if none was.
  private var lastTime: DispatchTime?
  /// Whether this workspace has SQLite's write lock. Then no others can commit, and only this workspace changes the
  /// header.
  private var isWriting = false
  /// The header's count of commits when this workspace took the write lock.
  private var changeCounter: UInt32 = 0

  /// How long another process counts as writing to the file after each of its commits.
  private static let pause = DispatchTimeInterval.seconds(1)

  // MARK: Looking

  /// Whether there is a header to compare.
  var isWatching: Bool { walIndex != nil }

  /// Whether others have committed, or may have, since their commits were last recorded.
  var haveOccurred: Bool { !isWriting && !header.isSame(as: walIndex?.header) }

  /// How much a comparison of headers tells about commits of others.
  enum Visibility {
    /// The comparison tells nothing: no header can be read.
    case none
    /// The comparison does not tell everything: this workspace has committed and not published the commit yet, and
    /// others may have committed after it.
    case partial
    /// The comparison tells of every commit up to now.
    case complete
  }

  var visibility: Visibility {
    guard let header = walIndex?.header else { return .none }
    return isWriting && header.changeCounter != changeCounter ? .partial : .complete
  }

  /// Watches the header of a WAL index from now on. `walIndex` is nil if there is none, or if its connection is about
  /// to be closed.
  ///
  /// - Parameter mayHaveUntold: whether others may have committed before, which the listeners have not been told of.
  mutating func watch(_ walIndex: WALIndex?, mayHaveUntold: Bool) {
    self.walIndex = walIndex
    header = walIndex?.header
    areUntold = walIndex != nil && mayHaveUntold
  }

  /// Whether a commit of others was noticed within the last second.
  var areRecent: Bool { lastTime.map { DispatchTime.now() < $0 + ForeignCommits.pause } ?? false }

  // MARK: Noting

  /// Records that others have committed.
  mutating func note() {
    count += 1
    lastTime = .now()
    header = walIndex?.header
  }

  /// Records that others may have committed while the file was closed. The listeners are told at the next look.
  mutating func noteGap() {
    count += 1
    areUntold = true
  }

  /// Records that the listeners are being told of all that was recorded.
  mutating func tell() { areUntold = false }

  /// Records that this workspace has taken SQLite's write lock.
  mutating func beginWriting() {
    isWriting = true
    changeCounter = walIndex?.header?.changeCounter ?? 0
  }

  /// Records that this workspace has released SQLite's write lock.
  ///
  /// - Parameter ownCommits: how many commits it has made while it had the lock.
  /// - Returns: whether others have committed since the lock was released, just before this call. The listeners are
  ///   told at the next look.
  mutating func endWriting(ownCommits: UInt32) -> Bool {
    isWriting = false
    header = walIndex?.header
    // An own commit that changes no row also counts as one of others.
    guard let header, header.changeCounter &- changeCounter != ownCommits else { return false }
    areUntold = true
    return true
  }

  /// Records that this workspace has released SQLite's write lock without a commit, if it had the lock.
  ///
  /// - Returns: whether others have committed since.
  mutating func cancelWriting() -> Bool { isWriting && endWriting(ownCommits: 0) }
}
