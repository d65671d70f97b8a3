import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("Closures and requests that an app of Dflat 0.6 passes on")
struct OldHandlersTests {
  @Test("Closures and requests that are passed on act as if they were written in the call")
  func handlers() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("old-handlers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("posts.sqlite3").path
    let posts = OldPosts(dflat: SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection))
    let isDone = await withCheckedContinuation { continuation in
      posts.change { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "a", priority: 7)))
      } done: {
        continuation.resume(returning: $0)
      }
    }
    #expect(isDone)
    #expect(await posts.save(PostChangeRequest.creationRequest(Post(title: "b"))))
    let first = try #require(posts.dflat.fetch(for: Post.self).where(Post.title == "a").first)
    let priority = await withCheckedContinuation { continuation in
      posts.priority(of: first) { continuation.resume(returning: $0) }
    }
    #expect(priority == 7)
    #expect(posts.dflat.fetch(for: Post.self).all().map(\.title) == ["a", "b"])
    #expect(posts.values(of: "count") == [.initial(10), .updated(12), .deleted])
    posts.close(nil)
    await withCheckedContinuation { continuation in
      posts.dflat.shutdown(completion: { continuation.resume() })
    }
  }
}
