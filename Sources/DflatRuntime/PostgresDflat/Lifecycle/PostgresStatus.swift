/// How a workspace uses its connections: now, and in total since it was made.
///
/// ```swift
/// let pool = workspace.poolStatus
/// print("\(pool.usedCount) of \(pool.connectionLimit) in use, \(pool.timeoutCount) waited in vain")
/// ```
///
/// See also: ``PostgresWorkspace/poolStatus``, Documentation/postgres-watching.md.
public struct PoolStatus: Hashable, Sendable {
  /// How many connections the pool may have: `PostgresOptions.connectionLimit`. Observing and building indexes take one
  /// more each.
  public let connectionLimit: Int
  /// How many connections are open or being opened.
  public let openCount: Int
  /// How many open connections are idle.
  public let idleCount: Int
  /// How many connections are in use by fetches, snapshots and transactions.
  public var usedCount: Int { openCount - idleCount }
  /// How many threads wait for a connection.
  public let waitingCount: Int
  /// How often a thread has waited for a connection since the workspace was made.
  public let waitCount: Int
  /// How long threads have waited for connections in all.
  public let waitTime: Duration
  /// How often a thread has waited for `PostgresOptions.poolTimeout` in vain, so that its fetch or transaction failed.
  public let timeoutCount: Int
}

/// The stream on which the server sends commits to a workspace that observes.
///
/// ```swift
/// let status = try await workspace.replicationStatus()
/// if status.isObserving, !status.isStreaming { print("subscribers miss the commits of other processes") }
/// ```
///
/// See also: ``PostgresWorkspace/replicationStatus()``, Documentation/postgres-running.md (Observing).
public struct ReplicationStatus: Hashable, Sendable {
  /// Whether the workspace has subscribers.
  public let isObserving: Bool
  /// Whether the server sends commits. If it does not while there are subscribers, they hear only of the commits of
  /// their own workspace, and the error handler was told why.
  public let isStreaming: Bool
  /// How many bytes of the server's log have not been received yet; nil if the server sends nothing. The log is shared
  /// by all databases of the server. The position in it is updated with each commit, and every 5 seconds at least.
  public let lagByteCount: Int?
}
