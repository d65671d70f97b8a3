import CSQLite
import EngineTestSupport

@testable import SQLiteDflat

/// Calls a function once, when a commit has given SQLite's lock back, and the workspace does not know yet. Keep it until the workspace is
/// closed.
final class AfterCommit: Sendable {
  private let isDone = Locked(false)
  private let body: @Sendable () -> Void

  init(_ workspace: SQLiteWorkspace, _ body: @escaping @Sendable () -> Void) throws {
    self.body = body
    sqlite3_wal_hook(
      try workspace.core.database.writer().connection.handle,
      { hook, _, _, _ in
        guard let hook else { return SQLITE_OK }
        Unmanaged<AfterCommit>.fromOpaque(hook).takeUnretainedValue().call()
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func call() {
    let isFirst = isDone.change { isDone in
      defer { isDone = true }
      return !isDone
    }
    if isFirst { body() }
  }
}
