import Dflat
import Dispatch
import Foundation
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

/// An object need not be read again while its row is known not to have changed: that must never be a mistake.
@Suite("A change starts from what is stored, however old the object is")
struct OldObjectTests {
  /// What is stored, as the transactions of one workspace see it, which run one after another.
  private final class Model: @unchecked Sendable {
    // Unchecked: a transaction of the type runs at a time, and what is read outside of one is read when all are completed.
    var priorities: [Int64: Int32] = [:]
    var wrong: [String] = []
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }
  }

  private struct Step {
    let object: Post
    let times: Int
    let isDeletion: Bool
  }

  @Test("No increment is lost", arguments: 1...12)
  func increments(seed: Int) throws {
    let store = try TestStore()
    let other = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection, errorHandler: { store.errors.append($0) })
    defer { other.shutdown() }
    let count = 24
    store.perform([Post.self]) { context in
      for number in 0..<count { context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)"))) }
    }
    let model = Model(seed: UInt64(seed))
    var random = SeededGenerator(seed: UInt64(seed) &+ 1000)
    var pool = Array(store.workspace.fetch(for: Post.self).all())
    for post in pool { model.priorities[post._rowid] = 0 }
    for round in 0..<40 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: pool += store.workspace.fetch(for: Post.self).all()
      case 1:
        pool += store.workspace.fetch(for: Post.self).where(Post.priority > Int32.random(in: 0...9, using: &random))
      case 2:
        // Many at a time: they are committed together.
        let done = DispatchGroup()
        for _ in 0..<Int.random(in: 2...40, using: &random) {
          done.enter()
          let steps = steps(pool, &random, most: 3)
          let isAborted = Int.random(in: 0..<8, using: &random) == 0
          store.workspace.performChanges([Post.self]) { context in
            run(steps, model, context, isAborted: isAborted)
          } completionHandler: { _ in
            done.leave()
          }
          if Int.random(in: 0..<10, using: &random) == 0 { pool += store.workspace.fetch(for: Post.self).all() }
        }
        done.wait()
      case 3:
        // More changes than a transaction remembers the objects of.
        let steps = steps(pool, &random, most: round % 4 == 0 ? 800 : 60)
        store.perform([Post.self]) { context in
          run(steps, model, context, isAborted: false)
          // What has been changed is read again.
          #expect(store.workspace.fetch(for: Post.self).all().count == model.priorities.count)
        }
      case 4:
        let steps = steps(pool, &random, most: 5)
        store.perform([Post.self], in: other) { run(steps, model, $0, isAborted: false) }
      default:
        guard let rowid = model.priorities.keys.sorted().first, round % 5 == 0 else { break }
        try store.sql("DELETE FROM post WHERE rowid = \(rowid)")
        try store.sql("DELETE FROM post__f10 WHERE rowid = \(rowid)")
        model.priorities[rowid] = nil
      }
      if pool.count > 200 { pool.removeFirst(pool.count / 2) }
    }
    #expect(model.wrong.isEmpty)
    let stored = store.workspace.fetch(for: Post.self).all()
    #expect(Dictionary(uniqueKeysWithValues: stored.map { ($0._rowid, $0.priority) }) == model.priorities)
    #expect(store.errors.values.isEmpty)
  }

  private func steps(_ pool: [Post], _ random: inout SeededGenerator, most: Int) -> [Step] {
    (0..<Int.random(in: 1...most, using: &random)).compactMap { _ in
      pool.randomElement(using: &random).map { object in
        Step(
          object: object, times: Int.random(in: 1...2, using: &random),
          isDeletion: Int.random(in: 0..<80, using: &random) == 0)
      }
    }
  }

  private func run(_ steps: [Step], _ model: Model, _ context: any TransactionContext, isAborted: Bool) {
    let before = model.priorities
    for step in steps {
      let rowid = step.object._rowid
      let wanted = model.priorities[rowid]
      if step.isDeletion {
        let request = PostChangeRequest.deletionRequest(step.object)
        if request?.priority != wanted {
          model.wrong.append("deletes \(request?.priority as Any), not \(wanted as Any)")
        }
        if let request { context.try(submit: request) }
        model.priorities[rowid] = nil
        continue
      }
      for _ in 0..<step.times {
        let request = PostChangeRequest.changeRequest(step.object)
        let wanted = model.priorities[rowid]
        if request?.priority != wanted {
          model.wrong.append("starts from \(request?.priority as Any), not \(wanted as Any)")
        }
        guard let request else { continue }
        request.priority += 1
        context.try(submit: request)
        model.priorities[rowid] = request.priority
      }
    }
    if isAborted {
      context.abort()
      model.priorities = before
    }
  }

  @Test("An object of another file does not lead to the object with its row number")
  func anObjectOfAnotherFileLeadsToNoObjectOfThisOne() throws {
    let first = try TestStore()
    let second = try TestStore()
    for (store, title) in [(first, "first"), (second, "second")] {
      store.perform([Post.self]) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
      }
    }
    // The one that is read last has the larger commit version.
    let fetched = [first, second, first].compactMap { $0.workspace.fetch(for: Post.self).all().first }
    try #require(fetched.count == 3 && fetched[0]._rowid == fetched[1]._rowid)
    for (store, object) in [(first, fetched[1]), (second, fetched[2])] {
      store.perform([Post.self]) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "another")))
        #expect(PostChangeRequest.changeRequest(object) == nil)
        #expect(PostChangeRequest.deletionRequest(object) == nil)
      }
    }
  }
}
