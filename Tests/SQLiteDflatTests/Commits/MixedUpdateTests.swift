import EngineTestSupport
import Dflat
import Dispatch
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("Rows are updated rightly in transactions that are committed together")
struct MixedUpdateTests {
  private static let count = 8

  private func store() throws -> TestStore {
    let store = try TestStore()
    store.perform([Post.self, Thing.self]) { context in
      for number in 1...MixedUpdateTests.count {
        let tag = String(repeating: "x", count: 900)
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: tag, priority: 1)))
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number), big: 1, note: "n\(number)")))
      }
    }
    return store
  }

  /// Gives all objects a number, `passes` times: those of one type after those of the other. The last one counts.
  private func update(
    _ number: Int, _ store: TestStore, _ context: any TransactionContext, passes: Int = 1,
    between: (Int) -> Void = { _ in }
  ) {
    let posts = store.workspace.fetch(for: Post.self).all()
    let things = store.workspace.fetch(for: Thing.self).all()
    #expect(posts.count == MixedUpdateTests.count && things.count == MixedUpdateTests.count)
    for pass in 0..<passes {
      let value = number + (passes - 1 - pass) * 1_000_000
      for (index, post) in posts.enumerated() {
        if index == 5 { between(2 * pass) }
        guard let request = PostChangeRequest.changeRequest(post) else { continue }
        request.priority = Int32(value)
        context.try(submit: request)
      }
      for (index, thing) in things.enumerated() {
        if index == 5 { between(2 * pass + 1) }
        guard let request = ThingChangeRequest.change(thing) else { continue }
        let old = request.thing
        request.thing = Thing(id: old.id, big: UInt64(value), note: old.note)
        context.try(submit: request)
      }
    }
  }

  private func numbers(_ store: TestStore) -> Set<Int> {
    Set(store.workspace.fetch(for: Post.self).all().map { Int($0.priority) })
      .union(store.workspace.fetch(for: Thing.self).all().map { Int($0.big) })
  }

  private func expect(_ number: Int, in store: TestStore) throws {
    #expect(numbers(store) == [number])
    let posts = store.workspace.fetch(for: Post.self).all()
    let things = store.workspace.fetch(for: Thing.self).all()
    store.workspace.shutdown()
    try StoredRows.expect(
      Dictionary(uniqueKeysWithValues: posts.map { ($0._rowid, $0) }), StoredRows.posts, in: store.path, "")
    try StoredRows.expect(
      Dictionary(uniqueKeysWithValues: things.map { ($0._rowid, $0) }), StoredRows.things, in: store.path, "")
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("The last of many small updates of a row counts, and aborted ones have no effect")
  func smallTransactions() throws {
    let store = try store()
    let posts = Array(store.workspace.fetch(for: Post.self).all())
    let gate = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    let outcomes = Collected<(number: Int, success: Bool)>()
    store.workspace.performChanges([Post.self]) { _ in gate.wait() }
    for number in 2...200 {
      group.enter()
      // Little to do, so that several are pending when a commit begins.
      store.workspace.performChanges([Post.self]) { context in
        for post in posts.prefix(4) {
          guard let request = PostChangeRequest.changeRequest(post) else { continue }
          request.priority = Int32(number)
          context.try(submit: request)
        }
        if number % 10 == 3 { context.abort() }
      } completionHandler: {
        outcomes.append((number, $0))
        group.leave()
      }
    }
    gate.signal()
    #expect(group.wait(timeout: .now() + patience) == .success)
    #expect(outcomes.values.filter(\.success).map(\.number).sorted() == (2...200).filter { $0 % 10 != 3 })
    #expect(store.workspace.fetch(for: Post.self).all().map(\.priority) == [200, 200, 200, 200, 1, 1, 1, 1])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("Each transaction finds what the one before it has stored, whether short, long, aborted or refused")
  func shortAndLongTransactions() throws {
    let store = try store()
    let gate = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    let outcomes = Collected<(number: Int, success: Bool)>()
    let last = Collected<Int>()
    last.append(1)
    store.workspace.performChanges([Post.self, Thing.self]) { _ in gate.wait() }
    for number in 2...60 {
      group.enter()
      store.workspace.performChanges([Post.self, Thing.self]) { context in
        #expect(numbers(store) == [last.values.last ?? 0])
        switch number % 10 {
        case 3, 8:
          update(number, store, context)
          #expect(context.abort())
          return
        // So many changes that the transaction takes the writer.
        case 5: update(number, store, context, passes: 7)
        // So long that those before are committed meanwhile.
        case 7: update(number, store, context, passes: 2) { if $0 > 0 { usleep(4000) } }
        case 9:
          update(number, store, context) { _ in
            // Refused, in the middle of a run.
            #expect(throws: TransactionError.objectAlreadyExists) {
              try context.submit(PostChangeRequest.creationRequest(Post(title: "1")))
            }
            #expect(throws: TransactionError.objectAlreadyExists) {
              try context.submit(ThingChangeRequest.creation(Thing(id: 100, note: "n1")))
            }
          }
        default: update(number, store, context)
        }
        last.append(number)
      } completionHandler: {
        outcomes.append((number, $0))
        group.leave()
      }
    }
    gate.signal()
    #expect(group.wait(timeout: .now() + patience) == .success)
    #expect(outcomes.values.filter(\.success).map(\.number).sorted() == (2...60).filter { $0 % 5 != 3 })
    #expect(outcomes.count == 59)
    try expect(60, in: store)
  }

  @Test("A transaction may wait for the completion of an earlier one in the middle of its updates", arguments: 0..<4)
  func waiting(point: Int) throws {
    let store = try store()
    let workspace = store.workspace
    let outcomes = Collected<Bool>()
    for round in 0..<5 {
      let gate = DispatchSemaphore(value: 0)
      let earlier = DispatchSemaphore(value: 0)
      let done = DispatchSemaphore(value: 0)
      workspace.performChanges([Post.self, Thing.self]) { _ in gate.wait() }
      workspace.performChanges([Post.self, Thing.self]) { context in
        update(10 + round, store, context)
      } completionHandler: {
        outcomes.append($0)
        earlier.signal()
      }
      workspace.performChanges([Post.self, Thing.self]) { context in
        update(20 + round, store, context, passes: 2) { reached in
          // The earlier one is committed while this closure runs, and nothing of this one with it.
          if reached == point { #expect(earlier.wait(timeout: .now() + patience) == .success) }
        }
        if round % 2 == 1 { #expect(context.abort()) }
      } completionHandler: {
        outcomes.append($0)
        done.signal()
      }
      gate.signal()
      #expect(done.wait(timeout: .now() + patience) == .success)
      #expect(numbers(store) == [round % 2 == 1 ? 10 + round : 20 + round])
    }
    #expect(outcomes.values == (0..<5).flatMap { [true, $0 % 2 == 0] })
    try expect(24, in: store)
  }
}
