import EngineTestSupport
import Dflat
import Dispatch
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

/// What a transaction finds and does while earlier ones are pending, committed together, or undone.
@Suite("Transactions that queue up do one after another what a dictionary does")
struct QueuedModelTests {
  /// What is to be stored, changed by the closures themselves, which run one after another.
  private final class Model: @unchecked Sendable {
    // Unchecked: a transaction of things changes it, or the test when all have completed.
    var things: [Int64: Thing] = [:]
    /// Objects as they were handed out, current or not, but none of a transaction that has been undone.
    var handedOut: [Thing] = []
    /// Rows of objects that have been deleted.
    var deleted: Set<Int64> = []
    var generator: PostGenerator

    init(seed: Int) { generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed))) }

    func thing() -> Thing {
      Thing(
        id: Int64.random(in: 0..<40, using: &generator.random), name: generator.pick(["", "a", "a\0"]),
        big: generator.pick(EdgeValueTests.unsigned), ratio: generator.pick(EdgeValueTests.reals),
        flag: generator.chance(50),
        note: generator.chance(50) ? nil : "\(generator.chance(50) ? 1 : 100)\(generator.title())")
    }

    func row(withKeyOf thing: Thing) -> Thing? {
      things.values.first { $0.id == thing.id && $0.name.utf8.elementsEqual(thing.name.utf8) }
    }

    /// Whether another row has the note.
    func isTaken(_ thing: Thing, for rowid: Int64?) -> Bool {
      guard let note = thing.note else { return false }
      return things.values.contains { $0._rowid != rowid && $0.note.map { $0.utf8.elementsEqual(note.utf8) } == true }
    }
  }

  private func same(_ lhs: Thing, _ rhs: Thing) -> Bool {
    lhs == rhs && lhs.name.utf8.elementsEqual(rhs.name.utf8)
      && lhs.note.map { Array($0.utf8) } == rhs.note.map { Array($0.utf8) }
  }

  private func changeOne(_ context: any TransactionContext, _ model: Model, _ comment: Comment) {
    let thing = model.thing()
    let found = model.row(withKeyOf: thing)
    do {
      switch Int.random(in: 0..<10, using: &model.generator.random) {
      case 0..<3:
        let isRefused = found != nil || model.isTaken(thing, for: nil)
        guard case .inserted(let object) = try context.submit(ThingChangeRequest.creation(thing)) else {
          Issue.record(comment)
          return
        }
        #expect(!isRefused && model.things[object._rowid] == nil && !model.deleted.contains(object._rowid), comment)
        #expect(same(object, thing), comment)
        model.things[object._rowid] = object
        model.handedOut.append(object)
      case 3..<5:
        let isRefused = model.isTaken(thing, for: found?._rowid)
        switch try context.submit(ThingChangeRequest.upsert(thing)) {
        case .inserted(let object):
          #expect(found == nil && !isRefused, comment)
          model.things[object._rowid] = object
        case .updated(let object):
          #expect(found?._rowid == object._rowid && !isRefused, comment)
          model.things[object._rowid] = object
        case .identity(let object):
          #expect(found.map { same($0, object) } == true, comment)
        default: Issue.record(comment)
        }
      case 5..<8:
        guard let target = pick(model, comment), let current = model.things[target._rowid] else { return }
        guard let request = ThingChangeRequest.change(target) else {
          Issue.record(comment)
          return
        }
        // An object as it was handed out need not be as it is stored.
        guard case .update(let latest) = request._change, same(latest, current) else {
          Issue.record(comment)
          return
        }
        request.thing = model.generator.chance(20) ? current : thing
        let owner = model.row(withKeyOf: request.thing)
        let isRefused =
          owner.map { $0._rowid != current._rowid } ?? false || model.isTaken(request.thing, for: current._rowid)
        let isSame = same(request.thing, current)
        switch try context.submit(request) {
        case .updated(let object):
          #expect(!isRefused && !isSame && object._rowid == current._rowid, comment)
          model.things[object._rowid] = object
          model.handedOut.append(object)
        case .identity: #expect(isSame, comment)
        default: Issue.record(comment)
        }
      default:
        guard let target = pick(model, comment) else { return }
        guard let request = ThingChangeRequest.deletion(target) else {
          Issue.record(comment)
          return
        }
        guard case .deleted(target._rowid) = try context.submit(request) else {
          Issue.record(comment)
          return
        }
        model.things[target._rowid] = nil
        model.deleted.insert(target._rowid)
      }
    } catch {
      #expect(error as? TransactionError == .objectAlreadyExists, comment)
    }
  }

  /// An object that is stored, as it was at some time; and makes sure that a deleted one is not found.
  private func pick(_ model: Model, _ comment: Comment) -> Thing? {
    if !model.handedOut.isEmpty, model.generator.chance(70) {
      let target = model.generator.pick(model.handedOut)
      if model.things[target._rowid] != nil { return target }
      #expect(ThingChangeRequest.change(target) == nil && ThingChangeRequest.deletion(target) == nil, comment)
    }
    let rows = model.things.keys.sorted()
    return rows.isEmpty ? nil : model.things[model.generator.pick(rows)]
  }

  private func check(_ workspace: SQLiteWorkspace, _ model: Model, _ comment: Comment) {
    let things = workspace.fetch(for: Thing.self)
    let expected = model.things.values.sorted { $0._rowid < $1._rowid }
    let all = things.all()
    #expect(all.map(\._rowid) == expected.map(\._rowid), comment)
    #expect(zip(all, expected).allSatisfy { same($0, $1) }, comment)
    let big = model.generator.pick(EdgeValueTests.unsigned)
    #expect(things.where(Thing.big == big).map(\._rowid) == expected.filter { $0.big == big }.map(\._rowid), comment)
    #expect(things.count(where: Thing.flag) == expected.count { $0.flag }, comment)
  }

  @Test(
    "Random queued transactions, some long, aborted or refused, leave the store as a dictionary",
    arguments: LongForm.seeds(2))
  func randomTransactions(seed: Int) throws {
    let store = try TestStore()
    let workspace = store.workspace
    let model = Model(seed: seed)
    var plan = PostGenerator(random: SeededGenerator(seed: UInt64(seed) << 32))
    let outcomes = Collected<(Int, Bool)>()
    let done = DispatchGroup()
    let aborted = Collected<Int>()
    let count = 80
    let completed = (0..<count).map { _ in DispatchSemaphore(value: 0) }
    for number in 0..<count {
      let comment = Comment(rawValue: "seed \(seed), transaction \(number)")
      let changes = plan.pick([0, 1, 1, 2, 3, 10, 100])
      let pause = plan.pick([0, 0, 0, 0, 0, 2000, 8000])
      let isAborted = plan.chance(15)
      let waits = number > 5 && plan.chance(10)
      let withPosts = plan.chance(30)
      done.enter()
      workspace.performChanges(withPosts ? [Post.self, Thing.self] : [Thing.self]) { context in
        let before = (model.things, model.handedOut, model.deleted)
        if model.generator.chance(50) { check(workspace, model, comment) }
        for change in 0..<changes {
          changeOne(context, model, comment)
          if change == changes / 2 {
            if pause > 0 { usleep(UInt32(pause)) }
            if waits { #expect(completed[number - 3].wait(timeout: .now() + patience) == .success, comment) }
            if waits { completed[number - 3].signal() }
          }
        }
        if model.generator.chance(50) { check(workspace, model, comment) }
        if withPosts { context.try(submit: PostChangeRequest.creationRequest(Post(title: "both \(number)"))) }
        if isAborted {
          #expect(context.abort(), comment)
          (model.things, model.handedOut, model.deleted) = before
          check(workspace, model, comment)
          aborted.append(number)
        }
      } completionHandler: {
        outcomes.append((number, $0))
        completed[number].signal()
        done.leave()
      }
      if plan.chance(50) {
        done.enter()
        workspace.performChanges([Post.self]) { context in
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
        } completionHandler: {
          #expect($0)
          done.leave()
        }
      }
      if plan.chance(5) { usleep(5000) }
    }
    #expect(done.wait(timeout: .now() + patience) == .success)
    #expect(outcomes.values.map(\.0).sorted() == Array(0..<count))
    #expect(outcomes.values.filter { !$0.1 }.map(\.0).sorted() == aborted.values)
    check(workspace, model, "seed \(seed), at the end")
    workspace.shutdown()
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    for key in ["f8", "f10", "f12", "f14"] {
      let rows = try store.sql("SELECT rowid FROM test__thing_v1_1__\(key) ORDER BY rowid")
      #expect(rows == model.things.keys.sorted().map { ["\($0)"] })
    }
  }
}
