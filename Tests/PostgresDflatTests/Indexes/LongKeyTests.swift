import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import Testing

@Suite("Keys of more than 1,000 bytes, of which an index holds a part and a hash, act like others")
struct LongKeyTests {
  /// They have their first 999 bytes in common, most of them 1,000. `é` takes two bytes.
  private static let keys =
    [999, 1_000, 1_001, 1_002, 10_000].map { String(repeating: "k", count: $0) }
    + ["l", "m", "é"].map { String(repeating: "k", count: 999) + $0 + String(repeating: "k", count: 100) }

  private func database() throws -> TestDatabase {
    let database = try TestDatabase()
    database.perform([Post.self]) { transaction in
      for (number, key) in Self.keys.enumerated() {
        let post = Post(title: key, priority: Int32(number))
        #expect(transaction.try(submit: PostChangeRequest.creationRequest(post)) != nil)
      }
    }
    return database
  }

  @Test("Each finds its own object, in a transaction and outside")
  func finding() throws {
    let database = try database()
    let posts = database.workspace.fetch(for: Post.self)
    for (number, key) in Self.keys.enumerated() {
      #expect(posts.where(Post.title == key).map(\.priority) == [Int32(number)])
      database.perform([Post.self]) { _ in #expect(posts.where(Post.title == key).map(\.priority) == [Int32(number)]) }
    }
    #expect(posts.where(Post.title == String(repeating: "k", count: 9_999)).isEmpty)
  }

  @Test("A long key of another process's object is refused, and an upsert replaces that object")
  func changing() throws {
    let database = try database()
    // Nothing is run again, so that `submit` is told of a key that is taken.
    let other = database.other { $0.retry = .never }
    defer { other.shutdown() }
    for (number, key) in Self.keys.enumerated() {
      database.perform([Post.self], in: other) { transaction in
        #expect(throws: TransactionError.objectAlreadyExists) {
          try transaction.submit(PostChangeRequest.creationRequest(Post(title: key)))
        }
        let post = Post(title: key, priority: Int32(100 + number))
        #expect(transaction.try(submit: PostChangeRequest.upsertRequest(post)) != nil)
      }
    }
    let found = database.workspace.fetch(for: Post.self).all()
    #expect(found.map(\.title) == Self.keys && found.map(\.priority) == Self.keys.indices.map { Int32(100 + $0) })
    for post in found.dropFirst(2) {
      database.perform([Post.self]) { transaction in
        guard let request = PostChangeRequest.deletionRequest(post) else { return }
        #expect(transaction.try(submit: request) != nil)
      }
    }
    #expect(other.fetch(for: Post.self).all().map(\.title) == Array(Self.keys.prefix(2)))
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Long keys of the dictionary are found by another workspace")
  func dictionary() throws {
    let database = try TestDatabase()
    let other = database.other()
    defer { other.shutdown() }
    for (number, key) in Self.keys.enumerated() { database.workspace.dictionary[key] = number }
    database.workspace.dictionary.synchronize()
    #expect(Self.keys.map { other.dictionary[$0, default: -1] } == Array(Self.keys.indices))
  }

  @Test("Subscribers hear of objects with keys of more than 1,000 bytes")
  func observing() throws {
    let database = try database()
    let other = database.other()
    defer { other.shutdown() }
    let priorities = Collected<Int32>()
    let subscriptions = Self.keys.compactMap { key in
      database.workspace.fetch(for: Post.self).first(where: Post.title == key).map { post in
        database.workspace.subscribe(object: post) { (state: SubscribedObject<Post>) in
          if case .updated(let post) = state { priorities.append(post.priority) }
        }
      }
    }
    #expect(subscriptions.count == Self.keys.count)
    for (number, key) in Self.keys.enumerated() {
      database.perform([Post.self], in: other) { transaction in
        transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: key, priority: Int32(100 + number))))
      }
    }
    #expect(eventually { priorities.count == Self.keys.count })
    #expect(priorities.values == Self.keys.indices.map { Int32(100 + $0) })
    for subscription in subscriptions { subscription.cancel() }
  }
}
