import EngineTestSupport
import CSQLite
import Foundation

@testable import SQLiteDflat

/// Counts the commits of a workspace, and makes some of them fail. Keep it until the workspace is closed.
final class CommitHook: @unchecked Sendable {
  // Unchecked because the variables are guarded by the lock.
  private let lock = NSLock()
  private var counted = 0
  private var failures = 0

  init(_ workspace: SQLiteWorkspace) throws {
    let handle = try workspace.core.database.writer().connection.handle
    sqlite3_commit_hook(
      handle,
      { hook in
        guard let hook else { return 0 }
        return Unmanaged<CommitHook>.fromOpaque(hook).takeUnretainedValue().isFailing() ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func isFailing() -> Bool {
    lock.withLock {
      counted += 1
      guard failures > 0 else { return false }
      failures -= 1
      return true
    }
  }

  /// How many commits have been tried.
  var count: Int { lock.withLock { counted } }

  /// How many of the next commits fail.
  var remainingFailures: Int {
    get { lock.withLock { failures } }
    set { lock.withLock { failures = newValue } }
  }
}

/// Stops a commit of a workspace in its middle: SQLite has all changes, and has not committed them. Keep it until the workspace
/// is closed.
final class BlockingCommitHook: Sendable {
  let hasBlocked = Gate()
  let mayGoOn = Gate()
  private let isBlocking = Locked(false)

  init(_ workspace: SQLiteWorkspace) throws {
    sqlite3_commit_hook(
      try workspace.core.database.writer().connection.handle,
      { hook in
        guard let hook else { return 0 }
        Unmanaged<BlockingCommitHook>.fromOpaque(hook).takeUnretainedValue().commitBegins()
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Has the next commit wait for `mayGoOn`.
  func blockNextCommit() { isBlocking.value = true }

  private func commitBegins() {
    guard isBlocking.value, !hasBlocked.isOpen else { return }
    hasBlocked.open()
    mayGoOn.wait()
  }
}

extension SQLiteWorkspace {
  /// Calls `body` while nothing can be committed: transactions whose closures have returned stay pending.
  func whileCommitsWait<Result>(_ body: () throws -> Result) rethrows -> Result {
    core.committer.acquireWriter(.background)
    defer { core.committer.releaseWriter() }
    return try body()
  }
}
