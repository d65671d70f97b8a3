import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Golden_scalars
import TestSupport
import Testing

@testable import SQLiteDflat

/// Of a large transaction, only what concerns subscribers is kept while it is applied.
@Suite("Subscribers are told of a large transaction as of a small one")
struct LargeTransactionObservationTests {
  /// What the test and the closure use in turn.
  private final class Model: @unchecked Sendable {
    // Unchecked: the closure has it until its transaction has completed.
    var generator: PostGenerator
    var observers: [ResultObserver] = []
    var subscriptions: [any Workspace.Subscription] = []
    /// For each subscribed object, by its row, what was told last.
    let objects = Locked<[Int64: Post?]>([:])

    init(seed: Int) { generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed))) }
  }

  /// Calls `body` on a thread that has no transaction.
  private func outside(_ body: @escaping @Sendable () -> Void) { #expect(BackgroundThreads { _ in body() }.end()) }

  private func title(_ model: Model) -> String { "\(Int.random(in: 0..<2_000, using: &model.generator.random))" }

  /// Subscribes to a result: mostly to a few objects, sometimes to many.
  private func observe(_ workspace: SQLiteWorkspace, _ model: Model) {
    let title = title(model)
    let query: QueryExpression<Bool, Post>
    switch Int.random(in: 0..<5, using: &model.generator.random) {
    case 0: query = Post.title == title
    case 1: query = Post.title >= title && Post.title < title + "5"
    case 2: query = Post.priority == model.generator.pick(PostGenerator.numbers)
    case 3: query = Post.title == title || Post.tag.isNull && Post.color == model.generator.pick(PostGenerator.colors)
    default: query = model.generator.condition(depth: 1).query
    }
    let limit: Limit = model.generator.chance(70) ? .noLimit : .limit(5)
    let orderBy = model.generator.chance(70) ? [] : [Post.priority.descending]
    model.observers.append(
      ResultObserver("\(query._node), \(limit), \(orderBy.count)", in: workspace) {
        workspace.fetch(for: Post.self).where(query, limit: limit, orderBy: orderBy)
      })
  }

  private func observeObject(_ workspace: SQLiteWorkspace, _ model: Model) {
    guard let post = workspace.fetch(for: Post.self).where(Post.title == title(model)).first else { return }
    let (rowid, objects) = (post._rowid, model.objects)
    objects.change { $0[rowid] = .some(post) }
    model.subscriptions.append(
      workspace.subscribe(object: post) { change in
        objects.change {
          switch change {
          case .updated(let post): $0[rowid] = .some(post)
          case .deleted: $0[rowid] = .some(nil)
          }
        }
      })
  }

  private func change(_ model: Model, _ context: any TransactionContext) {
    let post = model.generator.post(title: title(model))
    guard model.generator.chance(20) else {
      context.try(submit: PostChangeRequest.upsertRequest(post))
      return
    }
    if let request = PostChangeRequest.deletionRequest(post) { context.try(submit: request) }
  }

  @Test(
    "Random large transactions are told as a model says, while subscribers come and go between changes",
    arguments: LongForm.seeds(6))
  func randomHistory(seed: Int) throws {
    let store = try TestStore()
    let model = Model(seed: 7_000 + seed)
    for round in 0..<8 {
      for _ in 0..<4 {
        observe(store.workspace, model)
        observeObject(store.workspace, model)
      }
      let isAborted = round % 4 == 3
      store.perform([Post.self], completing: !isAborted) { context in
        for number in 0..<1_500 {
          change(model, context)
          guard number % 400 == 399 else { continue }
          let workspace = store.workspace
          outside {
            // All at once, so that now and then nobody is left.
            if model.generator.chance(20) {
              for observer in model.observers { observer.cancel() }
              for subscription in model.subscriptions { subscription.cancel() }
              (model.observers, model.subscriptions) = ([], [])
              model.objects.value = [:]
            }
            observe(workspace, model)
            observeObject(workspace, model)
          }
        }
        if isAborted { #expect(context.abort()) }
      }
      for observer in model.observers { observer.check("seed \(seed), round \(round)") }
      for (rowid, told) in model.objects.value {
        let stored = try store.sql("SELECT __pk0 FROM post WHERE rowid = \(rowid)").first?.first ?? nil
        let current = stored.flatMap { store.workspace.fetch(for: Post.self).where(Post.title == $0).first }
        #expect(told == current, "seed \(seed), round \(round), row \(rowid)")
      }
    }
    store.workspace.shutdown()
    #expect(store.errors.values.isEmpty, "\(store.errors.values.prefix(3))")
  }

  @Test("A subscriber is not told of an object that a transaction changes into its result and out of it again")
  func changedTwice() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<600 { context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)"))) }
    }
    let observer = ResultObserver("priority 1", in: store.workspace) {
      store.workspace.fetch(for: Post.self).where(Post.priority == 1)
    }
    store.perform([Post.self]) { context in
      for priority: Int32 in [1, 2] {
        for number in 0..<600 {
          let post = Post(title: "\(number)", priority: number == 300 ? 1 : priority)
          context.try(submit: PostChangeRequest.upsertRequest(post))
        }
      }
    }
    #expect(observer.posts.map(\.title) == ["300"])
    #expect(observer.updateCount == 1)
    store.workspace.shutdown()
  }

  @Test("A subscriber that comes while a transaction is applied gets no changes noted for an earlier one")
  func subscribedMeanwhile() throws {
    let store = try TestStore()
    let workspace = store.workspace
    // It keeps the type observed all the time.
    let staying = ResultObserver("other", in: workspace) {
      workspace.fetch(for: Post.self).where(Post.priority == 3)
    }
    let first = Locked<ResultObserver?>(
      ResultObserver("all", in: workspace) { workspace.fetch(for: Post.self).all() })
    let second = Locked<ResultObserver?>(nil)
    store.perform([Post.self]) { context in
      for number in 0..<1_000 {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: 1)))
        guard number == 600 else { continue }
        outside {
          // It takes the place of the first one.
          first.change { $0?.cancel() }
          second.value = ResultObserver("none", in: workspace) {
            workspace.fetch(for: Post.self).where(Post.priority == 2)
          }
        }
      }
    }
    #expect(second.value?.updateCount == 0 && staying.updateCount == 0)
    workspace.shutdown()
  }

  @Test("The first subscriber to a type that comes while a transaction is applied gets its changes")
  func unobservedType() throws {
    let store = try TestStore()
    let workspace = store.workspace
    let other = workspace.subscribe(fetchedResult: workspace.fetch(for: Thing.self).all()) { _ in
      Issue.record("no thing has changed")
    }
    let observer = Locked<ResultObserver?>(nil)
    store.perform([Post.self]) { context in
      for number in 0..<1_000 {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: 1)))
        guard number == 600 else { continue }
        outside {
          observer.value = ResultObserver("all", in: workspace) { workspace.fetch(for: Post.self).all() }
        }
      }
    }
    #expect(observer.value?.posts.count == 1_000)
    other.cancel()
    workspace.shutdown()
  }

  @Test("When more objects of results have changed than are kept, the results are fetched again")
  func tooManyBytes() throws {
    let store = try TestStore()
    let text = String(repeating: "x", count: 1 << 20)
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "0"))) }
    let observer = ResultObserver("all", in: store.workspace) { store.workspace.fetch(for: Post.self).all() }
    let (post, told) = (try #require(observer.posts.first), Collected<Int?>())
    let subscription = store.workspace.subscribe(object: post) { change in
      if case .updated(let post) = change { told.append(post.tag?.count) }
    }
    for count in [60, 70] {
      store.perform([Post.self]) { context in
        for number in 0..<count {
          let post = Post(title: "\(number)", tag: text + "\(count)", priority: Int32(count))
          context.try(submit: PostChangeRequest.upsertRequest(post))
        }
      }
      #expect(observer.posts.count == count && observer.posts.allSatisfy { $0.priority == count })
    }
    #expect(told.values == [text.count + 2, text.count + 2])
    subscription.cancel()
    observer.cancel()
    store.workspace.shutdown()
  }
}
