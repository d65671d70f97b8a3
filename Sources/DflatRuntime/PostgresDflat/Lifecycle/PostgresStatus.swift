/// The connections of a workspace, as they are used at one moment, and since it was made.
public struct PoolStatus: Hashable, Sendable {
  /// How many connections there may be: `PostgresOptions.connectionLimit`. One more may observe, and one build indexes.
  public let connectionLimit: Int
  /// How many there are, or are being made.
  public let openCount: Int
  /// How many of them nobody uses.
  public let idleCount: Int
  /// How many are in use by fetches, snapshots and transactions.
  public var usedCount: Int { openCount - idleCount }
  /// How many threads wait for one.
  public let waitingCount: Int
  /// How often a thread has waited for one since the workspace was made.
  public let waitCount: Int
  /// How long threads have waited in all.
  public let waitTime: Duration
  /// How often a thread has waited for `PostgresOptions.poolTimeout` in vain, so that its fetch or transaction failed.
  public let timeoutCount: Int
}

/// The stream on which the server sends commits to a workspace that observes.
public struct ReplicationStatus: Hashable, Sendable {
  /// Whether somebody observes.
  public let isObserving: Bool
  /// Whether the server sends commits. If it does not while somebody observes, subscribers hear of the commits of their own workspace
  /// alone, and the error handler was told why.
  public let isStreaming: Bool
  /// How many bytes of the server's log have not been received yet; nil if the server sends nothing. The log is that of all databases
  /// of the server, and how far it has been read is said every 5 seconds at least, or with a commit.
  public let lagByteCount: Int?
}
