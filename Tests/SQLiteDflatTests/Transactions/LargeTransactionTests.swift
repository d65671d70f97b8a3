import CSQLite
import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

/// Of more changes than are collected at once, so that sets of them are written beside the closure.
@Suite("A large transaction, which is written while its closure goes on, does what a small one does")
struct LargeTransactionTests {
  /// What is to be stored, changed by the closure, while the test waits for that.
  private final class Model: @unchecked Sendable {
    // Unchecked: the closure has it until its transaction has completed.
    var posts: [String: Post] = [:]
    var titles: [String] = []
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// A title that is stored more often than not.
    func title() -> String { "title \(Int.random(in: 0..<3_000, using: &random))" }

    func known() -> Post? {
      for _ in 0..<20 where !titles.isEmpty {
        if let post = posts[titles[Int.random(in: titles.indices, using: &random)]] { return post }
      }
      return nil
    }
  }

  private func create(_ title: String, _ model: Model, _ context: any TransactionContext) throws {
    let request = PostChangeRequest.creationRequest(
      Post(title: title, tag: "new", priority: Int32.random(in: 0..<100, using: &model.random)))
    guard model.posts[title] == nil else {
      #expect(throws: TransactionError.objectAlreadyExists) { try context.submit(request) }
      return
    }
    guard case .inserted(let post) = try context.submit(request) else {
      Issue.record("\(title) was not inserted")
      return
    }
    model.posts[title] = post
    model.titles.append(title)
  }

  private func change(_ post: Post, _ model: Model, _ context: any TransactionContext) throws {
    guard let request = PostChangeRequest.changeRequest(post) else {
      Issue.record("\(post.title) is not there")
      return
    }
    var title = post.title
    switch Int.random(in: 0..<4, using: &model.random) {
    case 0: title = model.title()
    case 1: request.tag = String(repeating: "x", count: Int.random(in: 0..<40, using: &model.random))
    default: break
    }
    request.title = title
    request.priority += 1
    guard title == post.title || model.posts[title] == nil else {
      #expect(throws: TransactionError.objectAlreadyExists) { try context.submit(request) }
      return
    }
    guard case .updated(let changed) = try context.submit(request) else {
      Issue.record("\(title) was not updated")
      return
    }
    #expect(changed._rowid == post._rowid)
    model.posts[post.title] = nil
    model.posts[title] = changed
    model.titles.append(title)
  }

  /// Changes, mostly many between two fetches, and sometimes few.
  private func change(
    _ count: Int, _ model: Model, _ store: TestStore, fetchingEvery: Int, _ context: any TransactionContext
  ) {
    do {
      for _ in 0..<count {
        switch Int.random(in: 0..<10, using: &model.random) {
        case 0..<4: try create(model.title(), model, context)
        case 4..<8: if let post = model.known() { try change(post, model, context) }
        case 8:
          guard let post = model.known(), let request = PostChangeRequest.deletionRequest(post) else { break }
          try context.submit(request)
          model.posts[post.title] = nil
        default:
          guard Int.random(in: 0..<fetchingEvery, using: &model.random) == 0 else { break }
          let title = model.title()
          #expect(store.workspace.fetch(for: Post.self).where(Post.title == title).first == model.posts[title])
        }
      }
    } catch {
      Issue.record(error)
    }
  }

  private func expect(_ model: Model, in store: TestStore) throws {
    let stored = store.workspace.fetch(for: Post.self).all()
    #expect(Array(stored) == model.posts.values.sorted { $0._rowid < $1._rowid })
    let entries = try store.sql("SELECT f10 FROM post__f10 ORDER BY rowid")
    #expect(entries == stored.map { ["\($0.priority)"] })
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test(
    "A large transaction creates, changes, deletes and finds the objects that a model does",
    arguments: [1, 2, 3, 4, 5, 6] as [UInt64], [5, 1000])
  func model(seed: UInt64, fetchingEvery: Int) throws {
    let store = try TestStore()
    let model = Model(seed: seed)
    for _ in 0..<3 {
      store.perform([Post.self]) { change(3_000, model, store, fetchingEvery: fetchingEvery, $0) }
      try expect(model, in: store)
    }
    // Objects that the transaction has made lead to their rows.
    store.perform([Post.self]) { context in
      for post in model.posts.values {
        guard let request = PostChangeRequest.deletionRequest(post) else {
          Issue.record("\(post.title) is not there")
          continue
        }
        context.try(submit: request)
      }
    }
    #expect(store.workspace.fetch(for: Post.self).count() == 0)
  }

  @Test("An abort brings everything back, whatever is just being written")
  func abort() throws {
    let store = try TestStore()
    let model = Model(seed: 7)
    store.perform([Post.self]) { change(500, model, store, fetchingEvery: 1000, $0) }
    let former = model.posts
    for count in [330, 700, 1_500] {
      store.perform([Post.self], completing: false) { context in
        change(count, model, store, fetchingEvery: 1000, context)
        #expect(context.abort())
        #expect(throws: TransactionError.aborted) {
          try context.submit(PostChangeRequest.creationRequest(Post(title: "after")))
        }
      }
      model.posts = former
      try expect(model, in: store)
    }
    store.perform([Post.self]) { change(1_000, model, store, fetchingEvery: 1000, $0) }
    try expect(model, in: store)
  }

  @Test("An abort waits for what is just being written")
  func abortBesideASlowSet() throws {
    let store = try TestStore()
    let ends = Collected<Bool>()
    let pointer = Unmanaged.passUnretained(ends).toOpaque()
    let connection = try store.workspace.core.database.writer().connection
    let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS
    sqlite3_create_function_v2(
      connection.handle, "be_slow", 0, flags, pointer,
      { context, _, _ in
        usleep(100_000)
        guard let pointer = sqlite3_user_data(context) else { return }
        Unmanaged<Collected<Bool>>.fromOpaque(pointer).takeUnretainedValue().append(true)
      }, nil, nil, nil)
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first"))) }
    try store.workspace.addTrigger(
      "slowness AFTER INSERT ON post WHEN NEW.__pk0 = 'post 200' BEGIN SELECT be_slow(); END")
    store.perform([Post.self], completing: false) { context in
      for number in 0..<400 { context.try(submit: PostChangeRequest.creationRequest(Post(title: "post \(number)"))) }
      context.abort()
      #expect(ends.values == [true])
    }
    #expect(store.workspace.fetch(for: Post.self).all().map(\.title) == ["first"])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    withExtendedLifetime(ends) { store.workspace.shutdown() }
  }

  @Test("An object that was fetched before leads to what the transaction has made of it")
  func objectsFetchedBefore() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<1_000 { context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)"))) }
    }
    let posts = store.workspace.fetch(for: Post.self).all()
    store.perform([Post.self]) { context in
      for _ in 1...3 {
        for post in posts {
          guard let request = PostChangeRequest.changeRequest(post) else {
            Issue.record("\(post.title) is not there")
            continue
          }
          request.priority += 1
          context.try(submit: request)
        }
      }
    }
    #expect(store.workspace.fetch(for: Post.self).all().allSatisfy { $0.priority == 3 })
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test(
    "If a row cannot be written, the whole transaction fails, and the error is reported once",
    arguments: [10, 300, 500, 1_100, 2_999])
  func failure(number: Int) throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first"))) }
    try store.workspace.addTrigger(
      "refusal BEFORE INSERT ON post WHEN NEW.__pk0 = 'post \(number)' BEGIN SELECT RAISE(ABORT, 'refused'); END")
    store.perform([Post.self], completing: false) { context in
      for number in 0..<3_000 {
        // Once the failure is known, it is told again and again.
        _ = context.try(submit: PostChangeRequest.creationRequest(Post(title: "post \(number)")))
      }
    }
    #expect(eventually { store.errors.count > 0 })
    #expect(store.errors.values.count == 1 && "\(store.errors.values)".contains("refused"), "\(store.errors.values)")
    #expect(store.workspace.fetch(for: Post.self).all().map(\.title) == ["first"])
    try store.workspace.removeTrigger("refusal")
    store.perform([Post.self]) { context in
      for number in 0..<3_000 { context.try(submit: PostChangeRequest.creationRequest(Post(title: "post \(number)"))) }
    }
    #expect(store.workspace.fetch(for: Post.self).count() == 3_001)
  }

  @Test("The listener gets all changes of a large transaction in their order")
  func changeFeed() throws {
    let store = try TestStore()
    let model = Model(seed: 8)
    store.perform([Post.self]) { change(1_000, model, store, fetchingEvery: 1000, $0) }
    let results = Collected<[Post]>()
    let subscription = store.workspace.subscribe(fetchedResult: store.workspace.fetch(for: Post.self).all()) {
      results.append(Array($0))
    }
    store.perform([Post.self]) { change(2_000, model, store, fetchingEvery: 1000, $0) }
    // Callbacks come before completions.
    #expect(results.values.last == model.posts.values.sorted { $0._rowid < $1._rowid })
    #expect(results.values.count == 1)
    subscription.cancel()
  }
}
