import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("Types that an app of Dflat 0.6 puts around its workspace")
struct OldDecoratorsTests {
  private struct Failure: Error {}

  private func withBase(_ body: (SQLiteWorkspace) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("old-decorators-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("posts.sqlite3").path
    let base = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    try await body(base)
    await base.shutdown()
  }

  @Test("A workspace type with the requirements of 0.6 has the new calls by default")
  func newCalls() async throws {
    try await withBase { base in
      let workspace: Workspace = PassingWorkspace(base)
      let title = try await workspace.performChanges([Post.self]) { context -> String in
        let post = Post(title: "a", priority: 1)
        guard case .inserted? = context.try(submit: PostChangeRequest.creationRequest(post)) else { return "" }
        return post.title
      }
      #expect(title == "a")
      await #expect(throws: Failure.self) {
        try await workspace.performChanges([Post.self]) { context -> String in
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
          throw Failure()
        }
      }
      #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["a"])
    }
  }

  @Test("A closure of a snapshot may throw, and sees one state")
  func snapshots() async throws {
    try await withBase { base in
      let workspace: Workspace = PassingWorkspace(base)
      let counts = try workspace.fetchWithinASnapshot { () throws -> [Int] in
        let before = workspace.fetch(for: Post.self).count()
        let isDone = DispatchSemaphore(value: 0)
        workspace.performChanges([Post.self]) { context in
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
        } completionHandler: { _ in
          isDone.signal()
        }
        isDone.wait()
        return [before, workspace.fetch(for: Post.self).count()]
      }
      #expect(counts == [0, 0])
      #expect(workspace.fetchWithinASnapshot { workspace.fetch(for: Post.self).count() } == 1)
      #expect(throws: Failure.self) { try workspace.fetchWithinASnapshot { throw Failure() } }
    }
  }

  @Test("A submission that is refused is nil, and fails the transaction")
  func refusals() async throws {
    try await withBase { base in
      let workspace: Workspace = PassingWorkspace(base, refuses: true)
      let isStored = await workspace.performChanges([Post.self]) { context in
        #expect(context.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) == nil)
        #expect(!context.abort())
      }
      #expect(!isStored)
    }
  }
}
