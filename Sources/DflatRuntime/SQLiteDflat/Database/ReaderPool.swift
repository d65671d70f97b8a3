import Foundation

/// The readers of a database: the idle ones, and the number of lent ones. Guarded by the lock of `Database`.
struct ReaderPool {
  /// The purpose for which a reader is lent.
  enum Purpose {
    /// A fetch. No user code runs before the reader is returned.
    case fetch
    /// A snapshot, which user code may keep for as long as it likes.
    case snapshot
  }

  private(set) var idle: [SQLiteConnection] = []
  /// How many readers are lent. `fetchingCount` of them are lent to single fetches, which return them soon.
  private(set) var lentCount = 0
  private var fetchingCount = 0
  /// Whether the end of the cached read transactions is scheduled.
  var isEndScheduled = false

  /// How many readers single fetches use at a time, and how many idle ones are kept: each costs two file descriptors
  /// and a page cache. Fetches need as many threads as the machine has processors, and some more for those that wait
  /// for the disk.
  static let limit = min(16, max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

  /// Returns whether another reader may be lent now. A fetch waits if many fetches run, but never for snapshots.
  func mayLend(for purpose: Purpose) -> Bool { purpose == .snapshot || fetchingCount < ReaderPool.limit }

  /// Counts a reader as lent.
  ///
  /// - Returns: an idle reader; nil if the caller has to open one.
  mutating func lend(for purpose: Purpose) -> SQLiteConnection? {
    lentCount += 1
    if purpose == .fetch { fetchingCount += 1 }
    return idle.popLast()
  }

  /// Counts a reader as returned that was closed, or could not be opened.
  mutating func endLending(for purpose: Purpose) {
    lentCount -= 1
    if purpose == .fetch { fetchingCount -= 1 }
  }

  /// Takes a reader back.
  ///
  /// - Returns: false if there are enough idle readers. The caller then closes this one, and calls `endLending(for:)`.
  mutating func takeBack(_ reader: SQLiteConnection, lentFor purpose: Purpose) -> Bool {
    guard idle.count < ReaderPool.limit else { return false }
    endLending(for: purpose)
    idle.append(reader)
    return true
  }

  /// Removes and returns the idle readers for which `isToGo` returns true. The caller closes them without the lock,
  /// since closing may take long.
  mutating func removeIdle(where isToGo: (SQLiteConnection) -> Bool) -> [SQLiteConnection] {
    let gone = idle.filter(isToGo)
    if !gone.isEmpty { idle.removeAll { reader in gone.contains { $0 === reader } } }
    return gone
  }
}
