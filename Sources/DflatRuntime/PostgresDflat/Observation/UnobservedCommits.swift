import Dispatch

/// The latest received commits to tables that nobody observed at that time.
///
/// The server sends a commit before reads show it: with a synchronous standby, long before. A subscriber that comes in
/// between is not told of the commit, so that its first snapshot has to show it.
struct UnobservedCommits {
  private var commits: [(xid: UInt32, tables: Set<String>, received: DispatchTime)] = []

  /// The most commits that are kept. Older ones are dropped: snapshots are assumed to show them.
  private static let limit = 64

  /// Keeps a commit.
  ///
  /// - Parameters:
  ///   - xid: the lower 32 bits of the transaction's number.
  ///   - tables: the changed tables that nobody observes.
  mutating func append(_ xid: UInt32, to tables: Set<String>) {
    if tables.isEmpty { return }
    if commits.count == Self.limit { commits.removeFirst(Self.limit / 2) }
    commits.append((xid, tables, .now()))
  }

  mutating func removeAll() { commits = [] }

  /// Returns the transactions that have changed a table, and that snapshots may not show yet.
  ///
  /// - Parameter now: the current time. A test gives a later one.
  func commits(
    to table: String, at now: DispatchTime = .now()
  ) -> [(xid: UInt32, tables: Set<String>, received: DispatchTime)] {
    commits.filter { $0.tables.contains(table) && now < $0.received + ServerSnapshot.longestDelay }
  }
}
