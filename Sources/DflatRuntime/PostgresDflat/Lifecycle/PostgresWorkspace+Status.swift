import Dflat
import DflatEngine
import Dispatch

extension PostgresWorkspace {
  /// How the workspace uses its connections. Reading it needs no server, is cheap, and may be done on any thread.
  public var poolStatus: PoolStatus { core.pool.status }

  /// Checks that the server answers, on a connection of the pool, as a readiness probe does. Replaces an idle
  /// connection that the server has closed.
  ///
  /// ```swift
  /// do { try await workspace.ping() } catch { print("not ready: \(error)") }
  /// ```
  ///
  /// It waits for a connection and for the server, as a fetch does, without blocking a thread of Swift's pool.
  ///
  /// See also: Documentation/seeing-what-the-store-does.md (PostgreSQL), Documentation/postgres-watching.md.
  ///
  /// - Throws: `StoreError.failed` with a `PostgresError`, or `StoreError.shutDown`.
  public func ping() async throws(StoreError) {
    try await core.inBackground { connection, _ in
      try connection.query("SELECT 1", isPrepared: false, for: "Asking for an answer") { _ in true }
    }
  }

  /// Returns whether the server sends commits to this workspace, and how far the workspace is behind the server's log.
  /// It asks the server.
  ///
  /// - Throws: `StoreError.failed` with a `PostgresError`, or `StoreError.shutDown`.
  public func replicationStatus() async throws(StoreError) -> ReplicationStatus {
    let feed = core.feed
    let stream = feed.receivedPosition
    guard stream.position != nil else {
      return ReplicationStatus(isObserving: stream.isObserving, isStreaming: false, lagByteCount: nil)
    }
    let end = try await core.inBackground { connection, _ in
      var end: UInt64 = 0
      try connection.query(
        "SELECT (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint", for: "Asking for the end of the log"
      ) { row in
        end = UInt64(max(0, row.integer(0)))
        return true
      }
      return end
    }
    // The stream may have moved on, or have broken, since.
    let latest = feed.receivedPosition
    guard let position = latest.position else {
      return ReplicationStatus(isObserving: latest.isObserving, isStreaming: false, lagByteCount: nil)
    }
    return ReplicationStatus(
      isObserving: latest.isObserving, isStreaming: true, lagByteCount: position < end ? Int(end - position) : 0)
  }
}

extension PostgresCore {
  /// Reads on a background queue, so that no thread of Swift's pool waits for the server.
  func inBackground<Answer: Sendable>(
    _ read: @escaping @Sendable (PostgresConnection, ReadContext) throws -> Answer
  ) async throws(StoreError) -> Answer {
    let outcome: Result<Answer, StoreError> = await withCheckedContinuation { continuation in
      PostgresCore.background.async {
        do throws(StoreError) {
          continuation.resume(returning: .success(try self.reading(read)))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try outcome.get()
  }

  private static let background = DispatchQueue(label: "dflat.status", attributes: .concurrent)
}
