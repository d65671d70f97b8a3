import Dflat
import EngineTestSupport
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

@Suite("Transactions that exchange most objects of many ordered results")
struct ExchangedResultTests {
  private static let count = 200

  /// What a transaction does to all objects.
  private enum Change: CaseIterable {
    /// Each has the priority that another had, the last one that of the first.
    case reversal
    /// Each has any other priority.
    case shuffle
    /// Every third is deleted, or there again.
    case deletion
    /// A few have another priority, so that parts of the lists stay.
    case few
  }

  @Test("Each result is what a fetch gives, after every transaction", arguments: 1...8)
  func everyResult(seed: Int) throws {
    let store = try TestStore()
    var random = SeededGenerator(seed: seed)
    store.perform([Post.self]) { transaction in
      for number in 0..<Self.count {
        let post = Post(title: "\(number)", priority: Int32(number))
        transaction.try(submit: PostChangeRequest.creationRequest(post))
      }
    }
    let observers = (0..<40).map { number in
      let first = Int32(number * 4)
      let order = number % 3 == 0 ? [Post.priority.descending] : [Post.priority.ascending]
      let limit: Limit = number % 5 == 0 ? .limit(30) : .noLimit
      return ResultObserver("\(first) and 60 more", in: store.workspace) {
        store.workspace.fetch(for: Post.self)
          .where(Post.priority >= first && Post.priority < first + 60, limit: limit, orderBy: order)
      }
    }
    for round in 0..<20 {
      perform(Change.allCases[Int.random(in: 0..<4, using: &random)], in: store, &random)
      for observer in observers { observer.check("seed \(seed), round \(round)") }
    }
    #expect(store.errors.values.isEmpty)
    for observer in observers { observer.cancel() }
  }

  @Test("Results that are subscribed to while objects are exchanged follow later changes", arguments: 1...4)
  func subscribing(seed: Int) throws {
    let store = try TestStore()
    var random = SeededGenerator(seed: 100 + seed)
    store.perform([Post.self]) { transaction in
      for number in 0..<Self.count {
        let post = Post(title: "\(number)", priority: Int32(number))
        transaction.try(submit: PostChangeRequest.creationRequest(post))
      }
    }
    var observers: [ResultObserver] = []
    for round in 0..<30 {
      let pending = PendingTransaction([Post.self], in: store.workspace) { transaction in
        for post in store.workspace.fetch(for: Post.self).all() {
          guard let request = PostChangeRequest.changeRequest(post) else { continue }
          request.priority = Int32(Self.count) - 1 - request.priority
          transaction.try(submit: request)
        }
      }
      let first = Int32.random(in: 0..<100, using: &random)
      observers.append(
        ResultObserver("\(first) and 90 more", in: store.workspace) {
          store.workspace.fetch(for: Post.self)
            .where(Post.priority >= first && Post.priority < first + 90, orderBy: [Post.priority.ascending])
        })
      #expect(pending.outcome() == true)
      let number = Int32.random(in: 0..<Int32(Self.count), using: &random)
      store.perform([Post.self]) { transaction in
        let post = store.workspace.fetch(for: Post.self).first(where: Post.priority == number)
        guard let post, let request = PostChangeRequest.deletionRequest(post) else { return }
        transaction.try(submit: request)
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: post.title, priority: number)))
      }
      for observer in observers { observer.check("seed \(seed), round \(round)") }
    }
    #expect(store.errors.values.isEmpty)
    for observer in observers { observer.cancel() }
  }

  private func perform(_ change: Change, in store: TestStore, _ random: inout SeededGenerator) {
    let posts = store.workspace.fetch(for: Post.self).all()
    var priorities = (0..<Int32(Self.count)).shuffled(using: &random)
    if case .reversal = change { priorities = posts.map { Int32(Self.count) - 1 - $0.priority } }
    let few = Int.random(in: 1...20, using: &random)
    let titles = Set(posts.map(\.title))
    store.perform([Post.self]) { transaction in
      for (number, post) in posts.enumerated() {
        if case .few = change, number % few != 0 { continue }
        if case .deletion = change, number % 3 == 0 {
          if let request = PostChangeRequest.deletionRequest(post) { transaction.try(submit: request) }
          continue
        }
        guard let request = PostChangeRequest.changeRequest(post) else { continue }
        request.priority = priorities[number % priorities.count]
        transaction.try(submit: request)
      }
      guard case .deletion = change else { return }
      for number in 0..<Self.count where !titles.contains("\(number)") {
        let post = Post(title: "\(number)", priority: Int32(number))
        transaction.try(submit: PostChangeRequest.creationRequest(post))
      }
    }
  }
}
