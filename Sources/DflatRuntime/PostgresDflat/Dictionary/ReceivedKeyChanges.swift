import DflatEngine
import Dispatch

/// The latest received commits that have set keys, until reads show them.
///
/// The server sends a commit before reads show it: with a synchronous standby, long before. Subscribers that come in
/// between read an older value, and are not told of the commit when it is received.
struct ReceivedKeyChanges {
  private struct Commit {
    /// The lower 32 bits of the transaction's number.
    let xid: UInt32
    /// The keys; nil if they are unknown.
    let paths: Set<DictionaryPath>?
    let received: DispatchTime
  }

  private var commits: [Commit] = []

  /// Older commits than these are assumed to be visible.
  private static let limit = 64
  /// The keys of a commit that has set more than these count as unknown.
  private static let mostPaths = 1_024

  /// Keeps a commit.
  ///
  /// - Parameters:
  ///   - xid: the lower 32 bits of the transaction's number.
  ///   - paths: the keys that it has set; nil if they are unknown.
  mutating func append(_ xid: UInt32, setting paths: Set<DictionaryPath>?) {
    if commits.count == Self.limit { commits.removeFirst(Self.limit / 2) }
    let isKnown = paths.map { $0.count <= Self.mostPaths } ?? false
    commits.append(Commit(xid: xid, paths: isKnown ? paths : nil, received: .now()))
  }

  /// Removes commits that reads show.
  mutating func remove(_ xids: [UInt32]) { commits.removeAll { xids.contains($0.xid) } }

  /// Returns the numbers of the transactions that may have set a key, and that reads may not show yet.
  func numbers(of path: DictionaryPath) -> [UInt32] {
    let now = DispatchTime.now()
    let found = commits.filter { ($0.paths?.contains(path) ?? true) && now < $0.received + ServerSnapshot.longestDelay }
    return found.map(\.xid)
  }
}
