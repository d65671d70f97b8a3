import Dflat
import FlatBuffersCore
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("New spellings of code of Dflat 0.6")
struct NewSpellingsTests {
  @Test("The new spellings do what the page on migrating says")
  func spellings() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("new-spellings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("posts.sqlite3").path
    let new = NewSpellings(dflat: SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection))

    let post = Post(title: "t", color: .blue, tag: "done", priority: 101)
    let bytes = try new.bytes(post)
    #expect(new.color(in: bytes) == .blue && Post.from(byteBuffer: bytes) == post)
    #expect(try new.size(post) == bytes.count && new.sizeOfAny(post) == bytes.count && new.tableName() == "post")

    #expect(new.isHigh(Post.priority + 0).evaluate(post) && !new.isHigh(Post.priority - 1).evaluate(post))
    #expect(
      new.evaluate(Post.tag == "done", on: post) == true && new.evaluate(Post.tag == "", on: Post(title: "")) == nil)
    #expect(new.isSatisfied(Post.tag == "done", by: post) && !new.isSatisfied(Post.tag == "", by: Post(title: "")))
    #expect(
      new.isNoText().evaluate(post) && !new.isNoText().evaluate(Post(title: "", content: .textContent(TextContent()))))
    #expect(new.isBefore(false, true) && !new.isBefore(true, false) && !new.isBefore(true, true))

    #expect(await withCheckedContinuation { continuation in new.touch { continuation.resume(returning: $0) } })
    #expect(await new.save(post))
    #expect(try await new.count() == 1)
    await new.dflat.shutdown()
  }
}
