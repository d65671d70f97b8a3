import EngineTestSupport
import Dflat
import Dispatch
import Foundation
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

@Suite("Transactions run in the order of their calls, as far as they share a type")
struct SchedulingTests {
  /// Types that are only named, not stored.
  static let types: [Any.Type] = [Int.self, String.self, Double.self, Bool.self]

  @Test("Random type lists neither hang nor swap", arguments: [false, true])
  func order(isSerial: Bool) throws {
    let store = try TestStore(writeConcurrency: isSerial ? .serial : .concurrent)
    var random = SeededGenerator(seed: 4)
    let group = DispatchGroup()
    let started = Collected<(number: Int, types: [Int])>()
    let running = Collected<Int>()
    let overlap = Collected<Bool>()
    for number in 0..<400 {
      let types = (0..<4).shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)).map { $0 }
      group.enter()
      store.workspace.performChanges(types.map { SchedulingTests.types[$0] }) { _ in
        started.append((number, types))
        running.append(1)
        if running.values.reduce(0, +) > 1 { overlap.append(true) }
        if number % 16 == 0 { usleep(500) }
        running.append(-1)
      } completionHandler: { success in
        #expect(success)
        group.leave()
      }
    }
    #expect(group.wait(timeout: .now() + patience) == .success)
    let all = started.values
    #expect(all.count == 400)
    for type in 0..<4 {
      let numbers = all.filter { $0.types.contains(type) }.map(\.number)
      #expect(numbers == numbers.sorted())
    }
    if isSerial {
      #expect(all.map(\.number) == Array(0..<400))
      #expect(overlap.values.isEmpty)
    }
  }

  @Test("A closure is released, with all that it refers to, although its completion handler has not returned")
  func releasedClosure() throws {
    final class Resource: Sendable {
      let isReleased = Gate()
      deinit { isReleased.open() }
    }
    let store = try TestStore()
    let isComplete = Gate()
    func perform(with resource: Resource) {
      let isReleased = resource.isReleased
      store.workspace.performChanges([Post.self]) { _ in
        #expect(!resource.isReleased.isOpen)
      } completionHandler: { _ in
        #expect(isReleased.wait())
        isComplete.open()
      }
    }
    perform(with: Resource())
    #expect(isComplete.wait())
  }

  @Test("Closures of transactions without a common type run at the same time")
  func closuresOfDisjointTypesMayWaitForEachOther() throws {
    let store = try TestStore()
    let semaphores = (0..<4).map { _ in DispatchSemaphore(value: 0) }
    let group = DispatchGroup()
    for index in 0..<4 {
      group.enter()
      store.workspace.performChanges([SchedulingTests.types[index]]) { _ in
        semaphores[index].signal()
        // Waits until the next one has begun.
        #expect(semaphores[(index + 1) % 4].wait(timeout: .now() + patience) == .success)
      } completionHandler: { _ in
        group.leave()
      }
    }
    #expect(group.wait(timeout: .now() + patience) == .success)
  }

  @Test("A closure can call performChanges, and that transaction runs after it")
  func aClosureMayAskForAnotherTransaction() throws {
    let store = try TestStore()
    let done = DispatchSemaphore(value: 0)
    let workspace = store.workspace
    workspace.performChanges([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "outer")))
      workspace.performChanges([Post.self]) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "inner")))
      } completionHandler: { _ in
        done.signal()
      }
    }
    #expect(done.wait(timeout: .now() + patience) == .success)
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["outer", "inner"])
  }

  @Test("A completion handler can wait for a later transaction of the same type")
  func aCompletionHandlerMayWaitForALaterTransaction() throws {
    let store = try TestStore()
    let workspace = store.workspace
    let done = DispatchSemaphore(value: 0)
    workspace.performChanges([Post.self]) { _ in
    } completionHandler: { _ in
      let later = DispatchSemaphore(value: 0)
      workspace.performChanges([Post.self]) { _ in
      } completionHandler: { _ in
        later.signal()
      }
      #expect(later.wait(timeout: .now() + patience) == .success)
      done.signal()
    }
    #expect(done.wait(timeout: .now() + patience) == .success)
  }

  @Test("The async performChanges returns true for a commit and false for an abort or after a shutdown")
  func theAsyncFormReturnsTheOutcome() async throws {
    let store = try TestStore()
    let success = await store.workspace.performChanges([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
    }
    #expect(success)
    let failure = await store.workspace.performChanges([Post.self]) { $0.abort() }
    #expect(!failure)
    await store.workspace.shutdown()
    #expect(await !store.workspace.performChanges([Post.self]) { _ in Issue.record("ran after the shutdown") })
  }

  private static func creation(_ title: String) -> PostChangeRequest { .creationRequest(Post(title: title)) }

  @Test("The throwing performChanges returns the closure's value, or throws and stores nothing")
  func theThrowingFormReturnsTheValueOrTheError() async throws {
    struct Refusal: Error {}
    let store = try TestStore()
    let inserted = try await store.workspace.performChanges([Post.self]) {
      try $0.submit(SchedulingTests.creation("a"))
    }
    guard case .inserted(let post) = inserted else {
      Issue.record("not inserted")
      return
    }
    #expect(post._rowid == 1)
    let count: Int = try await store.workspace.performChanges([Post.self]) { [workspace = store.workspace] _ in
      workspace.fetch(for: Post.self).all().count
    }
    #expect(count == 1)
    await #expect(throws: TransactionError.objectAlreadyExists) {
      try await store.workspace.performChanges([Post.self]) { context in
        try context.submit(SchedulingTests.creation("undone"))
        try context.submit(SchedulingTests.creation("a"))
      }
    }
    await #expect(throws: Refusal.self) {
      try await store.workspace.performChanges([Post.self]) { context in
        try context.submit(SchedulingTests.creation("undone"))
        throw Refusal()
      }
    }
    await #expect(throws: TransactionError.aborted) {
      try await store.workspace.performChanges([Post.self]) { context in
        try context.submit(SchedulingTests.creation("undone"))
        context.abort()
      }
    }
    #expect(store.workspace.fetch(for: Post.self).all().map(\.title) == ["a"])
    await store.workspace.shutdown()
    let workspace: any Workspace = store.workspace
    await #expect(throws: TransactionError.others) {
      try await workspace.performChanges([Post.self]) { try $0.submit(SchedulingTests.creation("late")) }
    }
    #expect(store.errors.values.isEmpty)
  }

  @Test("A closure runs on another thread than its caller's")
  func theClosureRunsOnAnotherThread() throws {
    let store = try TestStore()
    let caller = pthread_self()
    store.perform([Post.self]) { _ in #expect(pthread_equal(pthread_self(), caller) == 0) }
  }

  @Test("Closures run on the target queue")
  func theTargetQueueIsRespected() throws {
    let folder = NSTemporaryDirectory() + "dflat-tests-" + UUID().uuidString
    let key = DispatchSpecificKey<Int>()
    let queue = DispatchQueue(label: "target")
    queue.setSpecific(key: key, value: 7)
    let workspace = SQLiteWorkspace(
      filePath: folder, fileProtectionLevel: .noProtection, targetQueue: queue, errorHandler: { _ in })
    let seen = Collected<Int?>()
    let group = DispatchGroup()
    for type in SchedulingTests.types {
      group.enter()
      workspace.performChanges([type]) { _ in
        seen.append(DispatchQueue.getSpecific(key: key))
      } completionHandler: { _ in
        group.leave()
      }
    }
    #expect(group.wait(timeout: .now() + patience) == .success)
    #expect(seen.values == [7, 7, 7, 7])
    workspace.shutdown()
  }

  @Test("Two hundred transactions of two types lose no object")
  func writersOfDisjointTypesLoseNothing() throws {
    let store = try TestStore()
    let group = DispatchGroup()
    for number in 0..<200 {
      group.enter()
      let isPost = number % 2 == 0
      store.workspace.performChanges([isPost ? Post.self : Thing.self]) { context in
        if isPost {
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
        } else {
          context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number))))
        }
      } completionHandler: { success in
        #expect(success)
        group.leave()
      }
    }
    #expect(group.wait(timeout: .now() + patience) == .success)
    let titles = store.workspace.fetch(for: Post.self).all().map(\.title)
    let ids = store.workspace.fetch(for: Thing.self).all().map(\.id)
    #expect(titles == stride(from: 0, to: 200, by: 2).map { String($0) })
    #expect(ids == Array(stride(from: 1, to: 200, by: 2)))
    #expect(store.errors.values.isEmpty)
  }
}
