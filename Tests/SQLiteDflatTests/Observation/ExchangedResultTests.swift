import Dflat
import EngineTestSupport
import Foundation
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

  @Test(
    "Results that are fetched again while objects are exchanged follow later changes of single objects",
    arguments: 1...3)
  func fetchedAgain(seed: Int) throws {
    let store = try TestStore()
    var random = SeededGenerator(seed: 100 + seed)
    store.perform([Post.self]) { transaction in
      for number in 0..<Self.count {
        let post = Post(title: "\(number)", priority: Int32(number))
        transaction.try(submit: PostChangeRequest.creationRequest(post))
      }
    }
    let other = SQLiteWorkspace(filePath: store.path, fileProtectionLevel: .noProtection)
    let observers = (0..<30).map { number in
      let first = Int32(number * 3)
      let order = number % 2 == 0 ? [] : [Post.priority.ascending]
      return ResultObserver("\(first) and 90 more", in: store.workspace) {
        store.workspace.fetch(for: Post.self)
          .where(Post.priority >= first && Post.priority < first + 90, orderBy: order)
      }
    }
    for round in 0..<15 {
      // A commit of another workspace has every result fetched again, while those of this one go on.
      let pending = (0..<6).map { _ in
        PendingTransaction([Post.self], in: store.workspace) { transaction in
          for post in store.workspace.fetch(for: Post.self).where(Post.priority < 1000) {
            guard let request = PostChangeRequest.changeRequest(post) else { continue }
            request.priority = Int32(Self.count) - 1 - request.priority
            transaction.try(submit: request)
          }
        }
      }
      for number in 0..<3 {
        usleep(UInt32.random(in: 0..<4000, using: &random))
        let done = PendingTransaction([Post.self], in: other) { transaction in
          let post = Post(title: "other \(round).\(number)", priority: 1000)
          transaction.try(submit: PostChangeRequest.creationRequest(post))
        }
        #expect(done.outcome() == true)
      }
      for transaction in pending { #expect(transaction.outcome() == true) }
      for _ in 0..<5 {
        let number = Int32.random(in: 0..<Int32(Self.count), using: &random)
        store.perform([Post.self]) { transaction in
          let post = store.workspace.fetch(for: Post.self).first(where: Post.priority == number)
          guard let post, let request = PostChangeRequest.deletionRequest(post) else { return }
          transaction.try(submit: request)
        }
      }
      let isCurrent = eventually { observers.allSatisfy { $0.posts == Array($0.fetched) } }
      #expect(isCurrent, "seed \(seed), round \(round)")
      if !isCurrent { break }
    }
    #expect(store.errors.values.isEmpty)
    for observer in observers { observer.cancel() }
    other.shutdown()
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
