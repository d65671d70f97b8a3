import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("A closure that blocks keeps only transactions of its own types waiting")
struct BlockedClosureTests {
  /// When the closure blocks.
  enum Stage: CaseIterable {
    case atOnce
    case afterFetching
    case afterSubmitting
    case afterFetchingAndSubmitting
  }

  /// In seconds: long for a small transaction on a loaded machine.
  private static let waitingLimit = 300.0

  private static func create(_ title: String, _ context: any TransactionContext) {
    context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
  }

  /// A transaction that blocks until the gate opens.
  private func block(_ workspace: SQLiteWorkspace, _ stage: Stage, until gate: Gate, reached: Gate)
    -> PendingTransaction
  {
    PendingTransaction([Post.self], in: workspace) { context in
      if stage == .afterFetching || stage == .afterFetchingAndSubmitting {
        _ = workspace.fetch(for: Post.self).all().count
      }
      if stage == .afterSubmitting || stage == .afterFetchingAndSubmitting { Self.create("blocked", context) }
      reached.open()
      gate.wait()
      // Its own change is still there, and more can be made.
      if stage == .afterSubmitting || stage == .afterFetchingAndSubmitting {
        #expect(workspace.fetch(for: Post.self).where(Post.title == "blocked").count == 1)
      }
      Self.create("last", context)
    }
  }

  @Test("Transactions of other types run, commit and complete", arguments: Stage.allCases)
  func otherTypes(stage: Stage) throws {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self, Thing.self]) { context in
      Self.create("first", context)
      context.try(submit: ThingChangeRequest.creation(Thing(id: -1)))
    }
    let (gate, reached) = (Gate(), Gate())
    let blocked = block(workspace, stage, until: gate, reached: reached)
    #expect(reached.wait())
    let sameType = PendingTransaction([Post.self], in: workspace) { Self.create("same type", $0) }
    // Small and large ones, one after the other and many at a time.
    var others = [
      PendingTransaction([Thing.self], in: workspace) { context in
        context.try(submit: ThingChangeRequest.creation(Thing(id: 0)))
        #expect(workspace.fetch(for: Thing.self).count() == 2)
      }
    ]
    #expect(others[0].outcome(within: Self.waitingLimit) == true)
    others += (1...40).map { number in
      PendingTransaction([Thing.self], in: workspace) { context in
        for part in 0..<(number % 10 == 0 ? 200 : 1) {
          context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number * 1000 + part))))
        }
      }
    }
    others += RegisterType.all.map { type in
      PendingTransaction([type.type], in: workspace) { context in
        #expect(throws: Never.self) { try type.create(context, 1, 1) }
      }
    }
    for each in others where each.outcome(within: Self.waitingLimit) != true {
      Issue.record("a transaction of another type waits")
      break
    }
    // What was committed is there for everybody, and what was not is not.
    #expect(workspace.fetch(for: Thing.self).count() == 2 + 36 + 4 * 200)
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["first"])
    #expect(!sameType.hasStarted && !blocked.hasCompleted)
    gate.open()
    #expect(blocked.outcome() == true && sameType.outcome() == true)
    #expect(others.allSatisfy { $0.outcome() == true })
    #expect(workspace.fetch(for: Post.self).all().map(\.title).suffix(2) == ["last", "same type"])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("Earlier transactions of its own type complete", arguments: Stage.allCases)
  func earlierTransactions(stage: Stage) throws {
    let store = try TestStore()
    let workspace = store.workspace
    let (start, gate, reached) = (Gate(), Gate(), Gate())
    // They queue up, so that they may be committed together.
    let first = PendingTransaction([Post.self], in: workspace) { _ in start.wait() }
    let earlier = (0..<5).map { number in
      PendingTransaction([Post.self], in: workspace) { Self.create("earlier \(number)", $0) }
    }
    let blocked = block(workspace, stage, until: gate, reached: reached)
    start.open()
    #expect(reached.wait(Self.waitingLimit))
    for each in [first] + earlier { #expect(each.outcome(within: Self.waitingLimit) == true) }
    #expect(workspace.fetch(for: Post.self).count() == 5)
    let other = PendingTransaction([Thing.self], in: workspace) { context in
      context.try(submit: ThingChangeRequest.creation(Thing(id: 1)))
    }
    #expect(other.outcome(within: Self.waitingLimit) == true)
    #expect(!blocked.hasCompleted)
    gate.open()
    #expect(blocked.outcome() == true)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("Several closures that block delay only transactions of their own types")
  func severalBlockedClosures() throws {
    let store = try TestStore()
    let workspace = store.workspace
    let gate = Gate()
    let blocked = RegisterType.all.map { type in
      let reached = Gate()
      let transaction = PendingTransaction([type.type], in: workspace) { context in
        #expect(type.read(workspace, 1) == nil)
        #expect(throws: Never.self) { try type.create(context, 1, 1) }
        reached.open()
        gate.wait()
      }
      return (reached, transaction)
    }
    for (reached, _) in blocked { #expect(reached.wait(Self.waitingLimit)) }
    for number in 0..<20 {
      let other = PendingTransaction([Post.self, Thing.self], in: workspace) { context in
        Self.create("\(number)", context)
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number))))
      }
      guard other.outcome(within: Self.waitingLimit) == true else {
        Issue.record("a transaction of other types waits")
        break
      }
    }
    for type in RegisterType.all { #expect(type.readAll(workspace).isEmpty) }
    gate.open()
    for (_, transaction) in blocked { #expect(transaction.outcome() == true) }
    for type in RegisterType.all { #expect(type.readAll(workspace) == [1: 1]) }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
