import EngineTestSupport
import Dflat
import FlatBuffersCore
import Golden_post
import Golden_recursive
import SQLiteDflat
import TestSupport
import Testing

@Suite("A query evaluated on an object answers as a fetch does")
struct QueryEvaluationTests {
  private func storeOfPosts(_ generator: inout PostGenerator) throws -> TestStore {
    let store = try TestStore()
    let posts = (0..<60).map { generator.post(title: "\($0)" + generator.title()) }
    store.perform([Post.self]) { context in
      for post in posts { context.try(submit: PostChangeRequest.creationRequest(post)) }
    }
    return store
  }

  @Test("Random queries are true for the objects that they find, and for no others", arguments: 1...5)
  func randomQueries(seed: Int) throws {
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    let store = try storeOfPosts(&generator)
    let all = store.workspace.fetch(for: Post.self).all()
    for _ in 0..<40 {
      let condition = generator.condition(depth: 3)
      let found = store.workspace.fetch(for: Post.self).where(condition.query)
      let satisfying = all.filter { condition.query.evaluate($0) }
      #expect(found.map(\._rowid) == satisfying.map(\._rowid), "seed \(seed): \(condition)")
      #expect(
        all.map { condition.query.evaluate(object: $0) } == all.map(condition.truth), "seed \(seed): \(condition)")
    }
  }

  @Test("Random orders compare objects as a fetch orders them", arguments: 1...5)
  func randomOrders(seed: Int) throws {
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    let store = try storeOfPosts(&generator)
    for key in (0..<20).flatMap({ _ in generator.keys() }) {
      let fetched = store.workspace.fetch(for: Post.self).all(orderBy: [key.orderBy])
      for (lhs, rhs) in zip(fetched, fetched.dropFirst()) {
        let order = key.orderBy.areInSortingOrder(lhs, rhs)
        #expect(order == (key.order(lhs, rhs) == 0 ? .same : key.orderBy.sortingOrder), "seed \(seed): \(key)")
      }
    }
  }

  @Test("NULL counts as false, and so does what is not NULL")
  func nulls() {
    let post = Post(title: "t")
    let isText = Post.content.match(TextContent.self)
    #expect(isText.evaluate(object: post) == nil && !isText.evaluate(post) && !(!isText).evaluate(post))
    #expect((isText || Post.tag.isNull).evaluate(post) && !(isText && Post.tag.isNull).evaluate(post))
    #expect(Post.tag.evaluate(object: post) == nil && Post.content._type.evaluate(object: post) == nil)
  }

  @Test("A value has the type of its expression, or there is none")
  func values() {
    let post = Post(title: "e\u{301}", color: .blue, tag: "a\0b", priority: .max)
    #expect(Post.title.evaluate(object: post)?.utf8.elementsEqual("e\u{301}".utf8) == true)
    #expect(Post.tag.evaluate(object: post) == "a\0b" && Post.color.evaluate(object: post) == .blue)
    #expect(Post.priority.evaluate(object: post) == .max && (Post.priority - 1).evaluate(object: post) == .max - 1)
    #expect((Post.priority + 1).evaluate(object: post) == nil && (Post.priority % 0).evaluate(object: post) == nil)
    // The sum is there in a comparison.
    #expect((Post.priority + 1 > Post.priority).evaluate(post))
  }

  @Test("A query is evaluated on bytes without an object, whatever they are")
  func bytes() {
    let bytes = Array(Post(title: "t", priority: 7).toData())
    let query = Post.priority == 7 && Post.title == "t"
    #expect(query.evaluate(byteBuffer: ByteBuffer(bytes)) == true)
    for count in 0..<bytes.count {
      // It must not trap; what it answers is of no interest.
      _ = query.evaluate(byteBuffer: ByteBuffer(Array(bytes[..<count])))
    }
    #expect(query.evaluate(byteBuffer: .empty) == false && Post.priority.evaluate(byteBuffer: .empty) == 0)
    #expect(Post.title.evaluate(byteBuffer: .empty) == nil)
  }

  @Test("An object nested too deep to be stored satisfies no query")
  func tooDeep() {
    var node = Node(name: "last")
    for _ in 0..<200 { node = Node(next: node) }
    let query = Outline.id == 1
    #expect(query.evaluate(Outline(id: 1)) && !query.evaluate(Outline(id: 1, first: node)))
    #expect(!(!query).evaluate(Outline(id: 1, first: node)))
    #expect(Outline.id.evaluate(object: Outline(id: 1, first: node)) == nil)
    #expect(Outline.id.ascending.areInSortingOrder(Outline(id: 1, first: node), Outline(id: -1)) == .ascending)
  }
}
