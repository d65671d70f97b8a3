import CSQLite
import Dflat
import EngineTestSupport
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Errors of what a handler of events does")
struct EventErrorTests {
  private static let refusal: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { _ in 1 }

  @Test("An error handler that is told of a handler's transaction, and fetches, causes no further event")
  func failedTransaction() throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    store.workspace.shutdown()
    let (errors, queries) = (Collected<any Error>(), Collected<QueryEvent>())
    let held = Locked<SQLiteWorkspace?>(nil)
    let workspace = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection,
      errorHandler: { error in
        _ = held.value?.fetch(for: Post.self).count()
        errors.append(error)
      })
    held.value = workspace
    // No commit succeeds from now on.
    sqlite3_commit_hook(try workspace.core.database.writer().connection.handle, Self.refusal, nil)
    let subscription = workspace.onQuery { event in
      queries.append(event)
      // Otherwise a failure of this test would have no end.
      guard queries.count < 10 else { return }
      workspace.performChanges([Post.self]) { context in
        _ = context.try(submit: PostChangeRequest.upsertRequest(Post(title: "log")))
      }
    }
    _ = workspace.fetch(for: Post.self).all()
    #expect(eventually { errors.count == 1 })
    // The event of this query comes after one of the error handler's query, if there were one.
    _ = workspace.fetch(for: Post.self).where(Post.title == "a")
    #expect(eventually { errors.count >= 2 })
    #expect(queries.values.map(\.plan.access) == [.scan, .key])
    subscription.cancel()
    held.value = nil
    workspace.shutdown()
  }
}
