import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("Queries, objects and results as they were written for Dflat 0.6")
struct OldPostsTests {
  private func withPosts(_ body: (OldPosts) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("old-posts-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("posts.sqlite3").path
    let posts = OldPosts(dflat: SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection))
    let isDone = await posts.dflat.performChanges([Post.self]) { context in
      for (title, color, priority) in [("a", Color.red, 7), ("b", .green, 200), ("c", .blue, 300), ("d", .red, 400)] {
        let post = posts.post(title, color: color, priority: Int32(priority), text: "text of \(title)")
        context.try(submit: PostChangeRequest.creationRequest(post))
      }
    }
    #expect(isDone)
    try await body(posts)
    await posts.dflat.shutdown()
  }

  @Test("A value that is nil is the schema's default")
  func missingValues() async throws {
    try await withPosts { posts in
      let post = posts.post("x", color: nil, priority: nil, text: nil)
      #expect(post == Post(title: "x"))
      #expect(post.color == .red && post.priority == 0 && post.content == nil)
      #expect(posts.post("x", color: .blue, priority: 3, text: "t").priority == 3)
      #expect(TextContent(text: nil) == TextContent() && ImageContent(images: nil).images == [])
    }
  }

  @Test("Queries are assembled, also from values")
  func assembledQueries() async throws {
    try await withPosts { posts in
      #expect(posts.count(posts.query(color: nil, isUrgent: false, showsAll: false)) == 4)
      #expect(posts.count(posts.query(color: .red, isUrgent: false, showsAll: false)) == 2)
      #expect(posts.count(posts.query(color: .red, isUrgent: true, showsAll: false)) == 1)
      #expect(posts.count(posts.query(color: .red, isUrgent: true, showsAll: true)) == 4)
      #expect(posts.count(Post.color == .red && true) == 2)
      #expect(posts.count(Post.color == .red && false) == 0)
      #expect(posts.count(true && Post.color == .red) == 2)
      #expect(posts.count(Post.color == .red || true) == 4)
      #expect(posts.titles(of: Post.title, is: "b", orIf: false) == ["b"])
      #expect(posts.titles(of: Post.title, is: "b", orIf: true) == ["a", "b", "c", "d"])
    }
  }

  @Test("Objects are ordered by where their value is in a list, or in a slice of one")
  func orders() async throws {
    try await withPosts { posts in
      let colors: [Color] = [.blue, .red, .green, .blue]
      #expect(posts.byColor(colors.firstIndex(of: Post.color)) == [.blue, .red, .red, .green])
      #expect(posts.byColor(colors.lastIndex(of: Post.color)) == [.red, .red, .green, .blue])
      #expect(posts.byColor(colors[1...].firstIndex(of: Post.color)) == [.red, .red, .green, .blue])
      #expect(posts.byColor(colors[..<2].lastIndex(of: Post.color).descending) == [.red, .red, .blue, .green])
      #expect(Post.priority.ascending.name == "f10" && Post.title.descending.name == "__pk0")
    }
  }

  @Test("A result is an array, and its slices are slices of that")
  func results() async throws {
    try await withPosts { posts in
      let second = posts.page(1, of: 3)
      #expect(second.map(\.title) == ["d"] && second.startIndex == 3)
      #expect(posts.page(7, of: 3).isEmpty)
      let result = posts.dflat.fetch(for: Post.self).all()
      #expect(FetchedResult(result.underlyingArray) == result)
      var array = result.underlyingArray
      array.append(Post(title: "e"))
      array.removeFirst()
      #expect(array.map(\.title) == ["b", "c", "d", "e"] && result.map(\.title) == ["a", "b", "c", "d"])
      #expect(FetchedResult<Post>().underlyingArray.isEmpty)
      // The array is not a copy.
      let places = (
        result.withContiguousStorageIfAvailable { $0.baseAddress },
        result.underlyingArray.withContiguousStorageIfAvailable { $0.baseAddress }
      )
      #expect(places.0 == places.1)
    }
  }

  @Test("A builder is a value")
  func builders() async throws {
    try await withPosts { posts in
      #expect(posts.renamed(Post(title: "x", tag: "t")) == Post(title: "renamed x", tag: "t"))
      #expect(posts.protectionLevels == [4, 1, 2, 3])
    }
  }
}
