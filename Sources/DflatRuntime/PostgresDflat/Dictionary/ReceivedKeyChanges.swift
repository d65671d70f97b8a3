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

  /// Transactions that were received, and that reads may not show yet.
  struct Awaited: Sendable {
    /// The lower 32 bits of their numbers.
    let xids: [UInt32]
    fileprivate let serverCount: Int
    fileprivate let since: DispatchTime
  }

  private var commits: [Commit] = []
  /// How often another server has taken over.
  private var serverCount = 0

  /// The most commits that are kept. Older ones are assumed to be visible.
  private static let limit = 64
  /// The most keys that are kept for one commit. The keys of a commit that has set more count as unknown.
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
  mutating func remove(_ awaited: Awaited) {
    guard awaited.serverCount == serverCount else { return }
    commits.removeAll { awaited.xids.contains($0.xid) }
  }

  /// Forgets all commits, since another server has taken over. It may lack some of them, and give their numbers to other
  /// transactions.
  mutating func forgetServer() {
    commits = []
    serverCount += 1
  }

  /// Returns the transactions that may have set a key, and that reads may not show yet.
  func awaited(settingOf path: DictionaryPath) -> Awaited {
    let now = DispatchTime.now()
    let found = commits.filter {
      ($0.paths?.contains(path) ?? true) && now < $0.received + ServerSnapshot.longestDelay
    }
    return awaited(found.map(\.xid))
  }

  /// Returns transactions that were just received.
  ///
  /// - Parameter xids: the lower 32 bits of their numbers.
  func awaited(_ xids: [UInt32]) -> Awaited { Awaited(xids: xids, serverCount: serverCount, since: .now()) }

  /// Returns whether reads are to wait for transactions: they may become visible, unless another server has taken over
  /// since.
  ///
  /// - Parameter now: the current time. A test gives a later one.
  func isAwaited(_ awaited: Awaited, at now: DispatchTime = .now()) -> Bool {
    !awaited.xids.isEmpty && awaited.serverCount == serverCount && now < awaited.since + ServerSnapshot.longestDelay
  }
}
