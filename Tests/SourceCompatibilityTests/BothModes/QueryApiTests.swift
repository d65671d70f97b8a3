import Dflat
import FlatBuffersCore
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("Queries of Dflat 0.6")
struct QueryApiTests {
  private static let posts = [
    Post(title: "a", color: .red, tag: "a", priority: 2, content: .textContent(TextContent(text: "hello"))),
    Post(title: "b", color: .green, priority: 300),
    Post(title: "c", color: .blue, tag: "done", priority: 400, content: .imageContent(ImageContent(images: ["i"]))),
    Post(title: "d", color: .red, tag: "b", priority: -1, content: .textContent(TextContent(text: "bye"))),
  ]

  private func withQueries(_ body: (QueryApi) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("query-api-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("queries.sqlite3").path
    let queries = QueryApi(dflat: SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection))
    let isDone = await queries.dflat.performChanges([Post.self]) { context in
      for post in QueryApiTests.posts { context.try(submit: PostChangeRequest.creationRequest(post)) }
    }
    #expect(isDone)
    try await body(queries)
    await queries.dflat.shutdown()
  }

  @Test("Each operator selects what it selected, and so does its evaluation on the objects")
  func operators() async throws {
    try await withQueries { queries in
      let expected = [
        // The comparisons of the priority with 2 on either side, and of the title with the tag.
        "a", "a", "a", "bcd", "bcd", "cd", "d", "bc", "c", "ad", "abc", "ac", "bc", "d", "d", "abc", "ad", "ad",
        // `&&`, `||` and `!`.
        "a", "a", "a", "ad", "abcd", "abcd", "bcd",
        // `+`, `-` and `%`.
        "", "", "a", "a", "a", "abcd", "abc", "ad", "abcd",
        // `in`, `notIn`, `isNull` and `isNotNull`.
        "acd", "bc", "b", "acd",
      ]
      let compared = queries.compared(2, true)
      #expect(compared.count == expected.count)
      for (index, (query, titles)) in zip(compared, expected).enumerated() {
        let found = queries.dflat.fetch(for: Post.self).where(query, orderBy: [Post.title.ascending])
        #expect(found.map(\.title).joined() == titles, "query \(index)")
        let satisfying = QueryApiTests.posts.filter { query.evaluate($0) }
        #expect(satisfying.map(\.title).joined() == titles, "query \(index)")
      }
    }
  }

  @Test("The types of expressions can be written down")
  func types() async throws {
    try await withQueries { queries in
      let counts = [
        queries.count(QueryApi.equal), queries.count(QueryApi.different), queries.count(QueryApi.less),
        queries.count(QueryApi.atMost), queries.count(QueryApi.both), queries.count(QueryApi.either),
        queries.count(QueryApi.negated), queries.count(QueryApi.outside), queries.count(QueryApi.sum == 3),
        queries.count(QueryApi.difference == 1), queries.count(QueryApi.remainder == 0),
        queries.count(QueryApi.priority > 2),
      ]
      #expect(counts == [0, 4, 2, 2, 1, 3, 2, 2, 1, 1, 3, 2])
    }
  }

  @Test("Generic code combines expressions")
  func genericCode() async throws {
    try await withQueries { queries in
      #expect(queries.count(queries.negated(Post.color == .red, and: true)) == 4)
      #expect(queries.count(queries.negated(Post.color == .red, and: false)) == 0)
      #expect(queries.isEither(Post.tag.isNull, Post.color == .blue, of: QueryApiTests.posts[2]) == true)
      #expect(queries.count(queries.isMissing(Post.tag)) == 1 && queries.count(queries.isThere(Post.tag)) == 3)
      #expect(queries.count(queries.only(Post.color, [.red])) == 2)
      #expect(queries.count(queries.without(Post.color, [.red])) == 2)
      #expect(queries.posts(where: Post.color, is: .red).map(\.title) == ["a", "d"])
      #expect(QueryApi.rank(["b", "a", "b"]) == ["a": 0, "b": 1])
    }
  }

  @Test("An expression has its value for an object, and none where it is NULL")
  func evaluation() async throws {
    try await withQueries { queries in
      let posts = QueryApiTests.posts
      #expect(posts.map { queries.value(of: Post.tag, for: $0) } == ["a", nil, "done", "b"])
      #expect(posts.map { queries.value(of: Post.priority, for: $0) } == [2, 300, 400, -1])
      #expect(posts.map { queries.value(of: Post.color, for: $0) } == [.red, .green, .blue, .red])
      #expect(posts.map { queries.isUrgent($0) } == [false, nil, false, false])
      let bytes = ByteBuffer(Array(posts[2].toData()))
      #expect(queries.value(of: Post.title, in: bytes) == "c" && queries.value(of: Post.tag, in: bytes) == "done")
      #expect(queries.value(of: Post.title, in: ByteBuffer([1, 2])) == nil)
    }
  }

  @Test("Orders say what they order by, and order objects in hand")
  func orders() async throws {
    try await withQueries { queries in
      let orders = queries.orders(["c", "b", "c", "a", "d"])
      #expect(orders.map(queries.describe) == ["f10 up", "__pk0 down", "__pk0 up", "__pk0 up", "__pk0 up"])
      let sorted = orders.map { queries.sorted(QueryApiTests.posts, by: $0).map(\.title).joined() }
      #expect(sorted == ["dabc", "dcba", "cbad", "bcad", "bcad"])
      let fetched = orders.map { queries.dflat.fetch(for: Post.self).all(orderBy: [$0]).map(\.title).joined() }
      #expect(fetched == sorted)
      #expect(Post.tag.ascending.areInSortingOrder(QueryApiTests.posts[1], QueryApiTests.posts[0]) == .ascending)
      #expect(Post.color.ascending.areInSortingOrder(QueryApiTests.posts[3], QueryApiTests.posts[0]) == .same)
      #expect(queries.names() == ["f10", "__pk0", "f14__type"])
    }
  }

  @Test("Unions are queried by their member, its fields and its number")
  func unions() async throws {
    try await withQueries { queries in
      let found = queries.unions().map { query in
        queries.dflat.fetch(for: Post.self).where(query).map(\.title).joined()
      }
      #expect(found == ["ad", "a", "c", "b"])
    }
  }
}
