import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Handlers are told of each transaction")
struct TransactionEventTests {
  private func create(_ titles: Range<Int>, in context: any TransactionContext) {
    for title in titles { context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(title)"))) }
  }

  @Test("The event of a transaction has its changes, whether they are collected or written while it runs")
  func changes() throws {
    let store = try TestStore()
    let events = Collected<TransactionEvent>()
    let subscription = store.workspace.onTransaction { events.append($0) }
    store.perform([Post.self]) { create(0..<3, in: $0) }
    store.perform([Post.self]) { context in
      guard let request = PostChangeRequest.changeRequest(Post(title: "0")) else { return }
      request.priority = 7
      context.try(submit: request)
      PostChangeRequest.deletionRequest(Post(title: "1")).map { _ = context.try(submit: $0) }
    }
    // So many changes are applied while the closure runs.
    store.perform([Post.self]) { create(100..<1_100, in: $0) }
    store.perform([Post.self]) { _ in }
    #expect(eventually { events.values.count == 4 })
    let values = events.values
    #expect(values.map(\.insertedCount) == [3, 0, 1_000, 0])
    #expect(values.map(\.updatedCount) == [0, 1, 0, 0])
    #expect(values.map(\.deletedCount) == [0, 1, 0, 0])
    #expect(values.allSatisfy { $0.outcome == .committed && $0.error == nil && $0.types == ["Post"] })
    #expect(values.allSatisfy { $0.closureRuns == 1 && $0.skippedCount == 0 })
    subscription.cancel()
  }

  @Test("The event of a transaction that stores nothing has the reason")
  func failures() async throws {
    let store = try TestStore()
    let workspace = store.workspace
    let events = Collected<TransactionEvent>()
    let subscription = workspace.onTransaction { events.append($0) }
    // So many changes have been written when it is aborted.
    store.perform([Post.self], completing: false) { context in
      create(0..<1_000, in: context)
      context.abort()
    }
    store.perform([Post.self], completing: false) { context in
      let request = PostChangeRequest.creationRequest(Post(title: "a"))
      context.try(submit: request)
      context.try(submit: request)
    }
    await workspace.shutdown()
    await workspace.performChanges([Post.self]) { _ in Issue.record("a closure runs after the shutdown") }
    #expect(eventually { events.values.count == 3 })
    let values = events.values
    #expect(values.map(\.outcome) == [.aborted, .failed, .failed])
    #expect(values.map(\.insertedCount) == [0, 0, 0])
    #expect(values.map(\.closureRuns) == [1, 1, 0])
    #expect(values[1].error?.cause != nil)
    subscription.cancel()
  }

  @Test("The event of a transaction has the times that it waited, its closure took, and the commit took")
  func times() throws {
    let store = try TestStore()
    let workspace = store.workspace
    let events = Collected<TransactionEvent>()
    let subscription = workspace.onTransaction { events.append($0) }
    let gate = Gate()
    let first = PendingTransaction([Post.self], in: workspace) { _ in
      gate.wait()
      Thread.sleep(forTimeInterval: 0.02)
    }
    let second = PendingTransaction([Post.self], in: workspace) { [self] in create(0..<1, in: $0) }
    #expect(first.starts())
    gate.open()
    #expect(second.outcome() == true)
    #expect(eventually { events.values.count == 2 })
    let values = events.values
    #expect(values[0].closureTime >= .milliseconds(20))
    #expect(values[1].waitTime >= .milliseconds(20))
    #expect(values[1].commitTime > .zero)
    for event in values { #expect(event.duration == event.waitTime + event.closureTime + event.commitTime) }
    subscription.cancel()
  }

  @Test("A transaction that has begun before the handler was added is not told")
  func earlierTransactions() throws {
    let store = try TestStore()
    let gate = Gate()
    let earlier = PendingTransaction([Post.self], in: store.workspace) { _ in gate.wait() }
    #expect(earlier.starts())
    let events = Collected<TransactionEvent>()
    let subscription = store.workspace.onTransaction { events.append($0) }
    gate.open()
    #expect(earlier.outcome() == true)
    store.perform([Post.self]) { create(0..<1, in: $0) }
    #expect(eventually { events.values.map(\.insertedCount) == [1] })
    subscription.cancel()
  }
}
