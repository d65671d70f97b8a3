import Dflat
import Foundation
import Golden_post
import Testing

@Suite("An app written for Dflat 0.6 works unchanged")
struct OldAppTests {
  private func withApp(_ body: (OldApp) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("old-app-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let app = OldApp(filePath: folder.appendingPathComponent("app.sqlite3").path)
    try await body(app)
    app.stop()
    // Closed twice, as apps do, and with every argument of the initializer.
    await withCheckedContinuation { continuation in app.stop { continuation.resume() } }
    let again = OldApp(allArgumentsWith: folder.appendingPathComponent("app.sqlite3").path)
    #expect(again.dflat.fetch(for: Post.self).all().count == 2)
    again.stop()
  }

  @Test("An app for Dflat 0.6 builds unchanged, and does what it did")
  func works() async throws {
    try await withApp { app in
      let isCreated = await withCheckedContinuation { continuation in app.create { continuation.resume(returning: $0) }
      }
      #expect(isCreated)
      let created = try #require(app.createdPost)
      #expect(created.title == "first post")
      #expect(app.createTwice() == .objectAlreadyExists)
      #expect(await app.change(created))
      #expect(await !app.giveUp())

      let found = app.read()
      #expect(found[0] == ["first post", "second post", "third post"])
      #expect(found[1] == ["third post", "second post"])
      #expect(found[2] == ["first post"])
      #expect(Set(found[3]) == ["second post", "third post"])
      #expect(Set(found[4]) == ["first post", "third post"])
      #expect(found[5] == ["second post", "third post"])
      #expect(found[6] == ["first post"])

      let moment = app.readAtOneMoment()
      #expect(moment.all.count == 3)
      let post = try #require(moment.first.first)
      #expect(post.color == .green && post.priority == 1)
      #expect(app.copyThroughBytes(post) == post)
      #expect(app.build(post).tag == "built")
      #expect(await app.remove(post))
      #expect(app.read()[2].isEmpty)
    }
  }
}
