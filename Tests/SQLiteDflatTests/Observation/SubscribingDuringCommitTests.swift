import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A subscriber that comes while a commit is published gets no older state than it has")
struct SubscribingDuringCommitTests {
  private enum Told: Equatable {
    case priority(Int32)
    case deleted
  }

  private static func setPriority(_ priority: Int32, _ context: any TransactionContext) {
    guard let request = PostChangeRequest.changeRequest(Post(title: "a")) else { return }
    request.priority = priority
    context.try(submit: request)
  }

  /// Transactions 1 to 8 set the priority, and are committed together; what SQLite shows of that, before the workspace has published
  /// it, is handed to `subscribe`.
  private func run(
    _ store: TestStore, deletesInTheEnd: Bool = false, _ subscribe: @escaping @Sendable (FetchedResult<Post>) -> Void
  ) throws {
    let workspace = store.workspace
    let start = Gate()
    let first = PendingTransaction([Post.self], in: workspace) { _ in start.wait() }
    let hook = try AfterCommit(workspace) { subscribe(workspace.fetch(for: Post.self).where(Post.title == "a")) }
    var transactions = (1...8).map { priority in
      PendingTransaction([Post.self], in: workspace) { Self.setPriority(Int32(priority), $0) }
    }
    if deletesInTheEnd {
      transactions.append(
        PendingTransaction([Post.self], in: workspace) { context in
          guard let request = PostChangeRequest.deletionRequest(Post(title: "a")) else { return }
          context.try(submit: request)
        })
    }
    start.open()
    #expect(first.outcome() == true)
    #expect(transactions.allSatisfy { $0.outcome() == true })
    let last = PendingTransaction([Post.self], in: workspace) { context in
      if deletesInTheEnd {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "a", priority: 9)))
      } else {
        Self.setPriority(9, context)
      }
    }
    #expect(last.outcome() == true)
    withExtendedLifetime(hook) { workspace.shutdown() }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  private func storeWithAPost() throws -> TestStore {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    return store
  }

  @Test(
    "A result's subscriber that comes during a commit is told no older state, alone or beside another",
    arguments: [false, true])
  func result(hasOther: Bool) throws {
    let store = try storeWithAPost()
    let workspace = store.workspace
    let other = Collected<Int32>()
    let query = workspace.fetch(for: Post.self).where(Post.title == "a")
    let subscription =
      hasOther ? workspace.subscribe(fetchedResult: query) { other.append($0.first?.priority ?? -1) } : nil
    let (fetched, told) = (Collected<Int32>(), Collected<Int32>())
    let own = Locked<(any WorkspaceSubscription)?>(nil)
    try run(store) { result in
      fetched.append(result.first?.priority ?? -1)
      own.value = workspace.subscribe(fetchedResult: result) { told.append($0.first?.priority ?? -1) }
    }
    let known = try #require(fetched.values.first)
    #expect(told.values.last == 9)
    #expect(told.values.allSatisfy { $0 > known }, "fetched \(known), told \(told.values)")
    if hasOther { #expect(other.values == Array(1...9)) }
    subscription?.cancel()
  }

  @Test(
    "An object's subscriber that comes during a commit is told no older state, alone or beside another",
    arguments: [false, true])
  func object(hasOther: Bool) throws {
    let store = try storeWithAPost()
    let workspace = store.workspace
    let post = try #require(workspace.fetch(for: Post.self).first())
    let other = Collected<Int32>()
    let subscription =
      hasOther
      ? workspace.subscribe(object: post) { if case .updated(let post) = $0 { other.append(post.priority) } } : nil
    let (fetched, told) = (Collected<Int32>(), Collected<Int32>())
    let own = Locked<(any WorkspaceSubscription)?>(nil)
    try run(store) { result in
      guard let post = result.first else { return }
      fetched.append(post.priority)
      own.value = workspace.subscribe(object: post) { if case .updated(let post) = $0 { told.append(post.priority) } }
    }
    let known = try #require(fetched.values.first)
    #expect(told.values.last == 9)
    #expect(told.values.allSatisfy { $0 > known }, "fetched \(known), told \(told.values)")
    if hasOther { #expect(other.values == Array(1...9)) }
    subscription?.cancel()
  }

  @Test("An object's subscriber that comes during a commit is told that the object was deleted")
  func deletion() throws {
    let store = try storeWithAPost()
    let workspace = store.workspace
    let post = try #require(workspace.fetch(for: Post.self).first())
    let told = Collected<Told>()
    let own = Locked<(any WorkspaceSubscription)?>(nil)
    try run(store, deletesInTheEnd: true) { _ in
      own.value = workspace.subscribe(object: post) { change in
        switch change {
        case .updated(let post): told.append(.priority(post.priority))
        case .deleted: told.append(.deleted)
        }
      }
    }
    #expect(told.values.last == .deleted)
  }
}
