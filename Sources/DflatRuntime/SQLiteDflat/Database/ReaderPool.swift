import Foundation

/// The readers of a database: those that are idle, and how many are lent. Guarded by the lock of `Database`.
struct ReaderPool {
  /// What a reader is lent for.
  enum Purpose {
    /// For one fetch: it comes back without a call of the user's code.
    case fetch
    /// For a snapshot, which user code may keep as long as it likes.
    case snapshot
  }

  private(set) var idle: [SQLiteConnection] = []
  /// The readers that are lent, and those of them that are lent to single fetches, which give them back soon.
  private(set) var lentCount = 0
  private var fetchingCount = 0
  /// Whether the read transactions of idle readers are about to be ended.
  var isEndScheduled = false

  /// How many readers single fetches use at a time, and how many idle ones are kept: each costs two file descriptors and a page
  /// cache. Fetches need no more threads than the machine has processors, and some more for those that wait for the disk.
  static let limit = min(16, max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

  /// Whether another reader may be lent now. A fetch waits for others if many fetch at a time, but never for snapshots.
  func mayLend(for purpose: Purpose) -> Bool { purpose == .snapshot || fetchingCount < ReaderPool.limit }

  /// Lends a reader.
  ///
  /// - Returns: an idle one; nil if one has to be opened.
  mutating func lend(for purpose: Purpose) -> SQLiteConnection? {
    lentCount += 1
    if purpose == .fetch { fetchingCount += 1 }
    return idle.popLast()
  }

  /// A reader that was lent is closed, or could not be opened.
  mutating func endLending(for purpose: Purpose) {
    lentCount -= 1
    if purpose == .fetch { fetchingCount -= 1 }
  }

  /// Takes a reader back.
  ///
  /// - Returns: false if there are enough idle ones, and it has to be closed.
  mutating func takeBack(_ reader: SQLiteConnection, lentFor purpose: Purpose) -> Bool {
    guard idle.count < ReaderPool.limit else { return false }
    endLending(for: purpose)
    idle.append(reader)
    return true
  }

  /// Removes the idle readers for which `isToGo` holds. Close them when no lock is held: that may take long.
  mutating func removeIdle(where isToGo: (SQLiteConnection) -> Bool) -> [SQLiteConnection] {
    let gone = idle.filter(isToGo)
    if !gone.isEmpty { idle.removeAll { reader in gone.contains { $0 === reader } } }
    return gone
  }
}
