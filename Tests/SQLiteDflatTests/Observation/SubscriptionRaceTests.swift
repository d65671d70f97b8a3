import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Subscriptions come and go while others write")
struct SubscriptionRaceTests {
  @Test("A subscriber that comes at any time misses nothing, and thousands leave nothing behind")
  func subscribingWhileWriting() async throws {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self]) { context in
      for number in 0..<50 { context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)"))) }
    }
    let isWriting = Locked(true)
    let writers = BackgroundThreads(2) { writer in
      var random = SeededGenerator(seed: UInt64(writer))
      while isWriting.value {
        let title = "\(Int.random(in: 0..<60, using: &random))"
        let priority = Int32.random(in: 0..<10, using: &random)
        let isDeleted = Int.random(in: 0..<8, using: &random) == 0
        store.perform([Post.self]) { context in
          if isDeleted {
            guard let request = PostChangeRequest.deletionRequest(Post(title: title)) else { return }
            context.try(submit: request)
          } else {
            context.try(submit: PostChangeRequest.upsertRequest(Post(title: title, priority: priority)))
          }
        }
      }
    }
    let kept = Collected<ResultObserver>()
    let subscribers = BackgroundThreads(3) { subscriber in
      for round in 0..<400 {
        let priority = Int32(round % 10)
        let observer = ResultObserver("priority \(priority), \(subscriber)", in: workspace) {
          workspace.fetch(for: Post.self).where(
            Post.priority == priority, limit: subscriber == 2 ? .limit(3) : .noLimit,
            orderBy: subscriber == 1 ? [Post.title.descending] : [])
        }
        if round % 40 == 0 { kept.append(observer) } else { observer.cancel() }
        if let post = workspace.fetch(for: Post.self).first() {
          workspace.subscribe(object: post) { _ in }.cancel()
        }
      }
    }
    #expect(await onThread { subscribers.end() })
    isWriting.value = false
    #expect(await onThread { writers.end() })
    // The last transaction tells what the ones before it have left to be told.
    store.perform([Post.self]) { _ in }
    for observer in kept.values {
      let isTold = await onThread { eventually { observer.posts == Array(observer.fetched) } }
      #expect(isTold)
      observer.check("")
      observer.cancel()
    }
    #expect(!workspace.core.sequence.hasListener)
    #expect(store.errors.values.isEmpty)
  }

  @Test("A result that is fetched again is delivered before the completion handler, however fast others commit")
  func refilling() throws {
    let store = try TestStore()
    let workspace = store.workspace
    let count: Int32 = 400
    store.perform([Post.self]) { context in
      for number in 0..<count {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: number)))
      }
    }
    let first = Locked<Int32>(0)
    let subscription = workspace.subscribe(
      fetchedResult: workspace.fetch(for: Post.self).all(limit: .limit(1), orderBy: [Post.priority.ascending])
    ) { first.value = $0.first?.priority ?? count }
    let late = Collected<Int32>()
    let deletions = (0..<count).map { number in
      PendingTransaction([Post.self], in: workspace) { _ in
        // The object that is deleted is the first one until then.
        if first.value <= number { late.append(number) }
      } _: { context in
        guard let request = PostChangeRequest.deletionRequest(Post(title: "\(number)")) else { return }
        context.try(submit: request)
      }
    }
    for deletion in deletions { #expect(deletion.outcome() == true) }
    #expect(late.values.isEmpty)
    #expect(eventually { first.value == count })
    subscription.cancel()
  }
}
