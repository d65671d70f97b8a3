import CSQLite
import Dflat
import Dispatch
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Transactions that queue up are committed together")
struct SharedCommitTests {
  /// Counts the commits of a store, and makes them fail when told to.
  private final class Commits: @unchecked Sendable {
    // Unchecked because the variables are guarded by the lock.
    private let lock = NSLock()
    private var counted = 0
    private var failing = false

    init(_ store: TestStore) throws {
      let handle = try store.workspace.core.database.writer().connection.handle
      // Whoever makes this object keeps it until the store is closed.
      sqlite3_commit_hook(
        handle,
        { commits in
          guard let commits else { return 0 }
          return Unmanaged<Commits>.fromOpaque(commits).takeUnretainedValue().commit()
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func commit() -> Int32 {
      lock.withLock {
        counted += 1
        return failing ? 1 : 0
      }
    }

    var count: Int { lock.withLock { counted } }

    var isFailing: Bool {
      get { lock.withLock { failing } }
      set { lock.withLock { failing = newValue } }
    }
  }

  /// Asks for transactions while one before them keeps their type busy, so that they queue up, and waits for all.
  private func queueUp(
    _ store: TestStore, _ count: Int, types: [Any.Type] = [Post.self],
    _ change: @escaping @Sendable (Int, any TransactionContext) -> Void
  ) -> [(number: Int, success: Bool)] {
    let gate = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    let outcomes = Collected<(number: Int, success: Bool)>()
    store.workspace.performChanges(types) { _ in gate.wait() }
    for number in 0..<count {
      group.enter()
      store.workspace.performChanges(types) {
        change(number, $0)
      } completionHandler: {
        outcomes.append((number, $0))
        group.leave()
      }
    }
    gate.signal()
    #expect(group.wait(timeout: .now() + 60) == .success)
    return outcomes.values
  }

  private func create(_ title: String, _ context: any TransactionContext) {
    context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
  }

  private func titles(_ store: TestStore) -> [String] { store.workspace.fetch(for: Post.self).all().map(\.title) }

  @Test func manyShareFewCommits() throws {
    let store = try TestStore()
    let commits = try Commits(store)
    let outcomes = queueUp(store, 500) { number, context in
      // Each finds what those before it have submitted, whether that is committed yet or not.
      #expect((PostChangeRequest.changeRequest(Post(title: "\(number - 1)")) != nil) == (number > 0))
      create("\(number)", context)
    }
    #expect(outcomes.allSatisfy { $0.success })
    // Mostly in this order: but a handler that the system keeps waiting for a millisecond is not waited for.
    #expect(outcomes.map(\.number).sorted() == Array(0..<500))
    #expect(titles(store) == (0..<500).map { String($0) })
    // What has become pending in the time of a commit is committed together: a slow machine may be slow at either.
    #expect(commits.count < 250, "\(commits.count) commits")
    store.workspace.shutdown()
  }

  /// The first transaction of a group is no savepoint: what it has asked for must be done when the next one begins one.
  @Test func deletionsOfTheFirstOutliveTheAbortOfTheNext() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in for number in 0..<40 { create("\(number)", context) } }
    let posts = store.workspace.fetch(for: Post.self).all()
    for first in stride(from: 0, to: 40, by: 4) {
      let outcomes = queueUp(store, 4) { number, context in
        // Two rows that lie side by side are deleted, and one more by the transaction that is aborted.
        let range = [first..<first + 2, first + 2..<first + 3, first + 3..<first + 4, 0..<0][number]
        for post in posts[range] {
          if let request = PostChangeRequest.deletionRequest(post) { context.try(submit: request) }
        }
        if number == 1 { context.abort() }
      }
      #expect(outcomes.filter(\.success).map(\.number).sorted() == [0, 2, 3])
    }
    #expect(titles(store) == stride(from: 2, to: 40, by: 4).map { String($0) })
  }

  /// Beside another process, what a transaction reads and writes is best done under SQLite's lock.
  @Test func nothingIsSharedWhileOthersWrite() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("first", $0) }
    let commits = try Commits(store)
    let other = store.reopened()
    store.perform([Post.self], in: other) { create("other", $0) }
    other.shutdown()
    let outcomes = queueUp(store, 50) { number, context in create("\(number)", context) }
    #expect(outcomes.allSatisfy { $0.success })
    #expect(commits.count == 50)
    store.workspace.shutdown()
  }

  @Test func aLargeTransactionIsCommittedAloneAndAfterThoseBeforeIt() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("first", $0) }
    let commits = try Commits(store)
    let outcomes = queueUp(store, 6) { number, context in
      #expect(commits.count == number)
      for part in 0..<100 { create("\(number) \(part)", context) }
    }
    #expect(outcomes.allSatisfy { $0.success })
    #expect(commits.count == 6)
    store.workspace.shutdown()
  }

  @Test func oneIsUndoneAlone() throws {
    let store = try TestStore()
    let outcomes = queueUp(store, 60, types: [Post.self, Thing.self]) { number, context in
      create("\(number)", context)
      context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number), note: "\(number)")))
      switch number % 5 {
      case 1: context.abort()
      case 2:
        #expect(throws: TransactionError.objectAlreadyExists) {
          try context.submit(PostChangeRequest.creationRequest(Post(title: "0")))
        }
        #expect(throws: TransactionError.objectAlreadyExists) {
          try context.submit(ThingChangeRequest.creation(Thing(id: 1000, note: "0")))
        }
      case 3:
        let request = PostChangeRequest.creationRequest(Post(title: "spent \(number)"))
        context.try(submit: request)
        #expect(throws: TransactionError.others) { try context.submit(request) }
      default: break
      }
    }
    let stored = (0..<60).filter { ![1, 3].contains($0 % 5) }
    #expect(outcomes.filter(\.success).map(\.number).sorted() == stored)
    #expect(titles(store) == stored.map { String($0) })
    #expect(store.workspace.fetch(for: Thing.self).all().map(\.id) == stored.map { Int64($0) })
    store.workspace.shutdown()
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    #expect(try store.sql("SELECT count(*) FROM test__thing_v1_1__f14") == [["\(stored.count)"]])
  }

  @Test func noneOfThoseWhoseCommitFailsIsStored() throws {
    let store = try TestStore()
    let commits = try Commits(store)
    store.perform([Post.self]) { create("kept", $0) }
    commits.isFailing = true
    let seen = Collected<Int>()
    let outcomes = queueUp(store, 40) { number, context in
      // Every fourth one only reads what is then undone.
      seen.append(store.workspace.fetch(for: Post.self).all().count)
      if number % 4 != 3 { create("\(number)", context) }
    }
    // One that saw only what was committed before has read, and nothing else.
    for (outcome, count) in zip(outcomes, seen.values) where outcome.success {
      #expect(outcome.number % 4 == 3 && count == 1)
    }
    #expect(outcomes.filter(\.success).count <= 10)
    #expect(titles(store) == ["kept"])
    #expect(!store.errors.values.isEmpty)
    commits.isFailing = false
    let later = queueUp(store, 10) { create("later \($0)", $1) }
    #expect(later.allSatisfy { $0.success })
    #expect(titles(store).count == 11)
    store.workspace.shutdown()
  }

  /// When a closure waits for the completion of an earlier transaction.
  enum Moment: CaseIterable {
    case first
    case afterFetching
    case afterSubmitting
    case afterSubmittingMuch
  }

  @Test("A closure may wait for the completion of an earlier transaction", arguments: Moment.allCases, [true, false])
  func waitingForACompletion(moment: Moment, sharesType: Bool) throws {
    // A closure that submits much has the writer: it must not wait for a transaction of other types, which needs it, too.
    if moment == .afterSubmittingMuch, !sharesType { return }
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self, Thing.self]) { context in
      create("first", context)
      context.try(submit: ThingChangeRequest.creation(Thing(id: -1)))
    }
    let outcomes = Collected<Bool>()
    for round in 0..<10 {
      let gate = DispatchSemaphore(value: 0)
      let earlier = DispatchSemaphore(value: 0)
      let written = DispatchSemaphore(value: 0)
      let done = DispatchSemaphore(value: 0)
      workspace.performChanges([Post.self]) { _ in gate.wait() }
      workspace.performChanges([Post.self]) { context in
        create("earlier \(round)", context)
        written.signal()
      } completionHandler: {
        outcomes.append($0)
        earlier.signal()
      }
      let types: [Any.Type] = sharesType ? [Post.self, Thing.self] : [Thing.self]
      workspace.performChanges(types) { context in
        // Of another type, one must not take the lock before the one that it waits for has done with it.
        if !sharesType { written.wait() }
        if moment != .first { #expect(workspace.fetch(for: Thing.self).where(Thing.id == -1).count == 1) }
        if moment == .afterSubmitting || moment == .afterSubmittingMuch {
          for number in 0..<(moment == .afterSubmitting ? 3 : 300) {
            context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(1000 * round + number))))
          }
          if let request = ThingChangeRequest.change(Thing(id: Int64(1000 * round))) {
            request.thing = Thing(id: request.thing.id, big: 7)
            context.try(submit: request)
          }
          if let request = ThingChangeRequest.deletion(Thing(id: Int64(1000 * round + 1))) {
            context.try(submit: request)
          }
        }
        #expect(earlier.wait(timeout: .now() + 30) == .success)
        // What it has written is still there, and more can be.
        let count = [.first: 0, .afterFetching: 0, .afterSubmitting: 2, .afterSubmittingMuch: 299][moment] ?? 0
        #expect(
          workspace.fetch(for: Thing.self).where(
            Thing.id >= Int64(1000 * round) && Thing.id < Int64(1000 * round + 900)
          )
          .count == count)
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(1000 * round + 900))))
      } completionHandler: {
        outcomes.append($0)
        done.signal()
      }
      workspace.performChanges(types) { context in
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(1000 * round + 901))))
      } completionHandler: {
        outcomes.append($0)
        done.signal()
      }
      gate.signal()
      #expect(done.wait(timeout: .now() + 60) == .success)
      #expect(done.wait(timeout: .now() + 60) == .success)
    }
    #expect(outcomes.values == Array(repeating: true, count: 30))
    #expect(workspace.fetch(for: Post.self).all().count == 11)
    #expect(
      workspace.fetch(for: Thing.self).where(Thing.big == 7).count
        == (moment == .first || moment == .afterFetching ? 0 : 10))
    workspace.shutdown()
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    #expect(store.errors.values.isEmpty)
  }

  @Test func oneThatWaitsFailsWithThoseBeforeIt() throws {
    let store = try TestStore()
    let commits = try Commits(store)
    let workspace = store.workspace
    store.perform([Post.self]) { create("kept", $0) }
    commits.isFailing = true
    let gate = DispatchSemaphore(value: 0)
    let earlier = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let outcomes = Collected<Bool>()
    workspace.performChanges([Post.self]) { _ in gate.wait() }
    workspace.performChanges([Post.self]) {
      create("earlier", $0)
    } completionHandler: {
      outcomes.append($0)
      earlier.signal()
    }
    workspace.performChanges([Post.self]) { context in
      let before = workspace.fetch(for: Post.self).all().count
      create("later", context)
      #expect(earlier.wait(timeout: .now() + 30) == .success)
      // It may have read what is undone now; or else it had not begun before.
      if before == 2 {
        #expect(throws: TransactionError.others) {
          try context.submit(PostChangeRequest.creationRequest(Post(title: "more")))
        }
      }
    } completionHandler: {
      outcomes.append($0)
      done.signal()
    }
    gate.signal()
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(outcomes.values == [false, false])
    #expect(titles(store) == ["kept"])
    commits.isFailing = false
    store.perform([Post.self]) { create("after", $0) }
    workspace.shutdown()
  }

  @Test func aCompletionMayWaitForAnotherOfItsGroup() throws {
    let store = try TestStore()
    let last = DispatchSemaphore(value: 0)
    let all = DispatchGroup()
    let gate = DispatchSemaphore(value: 0)
    store.workspace.performChanges([Post.self]) { _ in gate.wait() }
    for number in 0..<20 {
      all.enter()
      store.workspace.performChanges([Post.self]) {
        create("\(number)", $0)
      } completionHandler: { success in
        #expect(success)
        if number == 19 {
          for _ in 0..<19 { last.signal() }
        } else {
          #expect(last.wait(timeout: .now() + 30) == .success)
        }
        all.leave()
      }
    }
    gate.signal()
    #expect(all.wait(timeout: .now() + 60) == .success)
  }

  @Test func aCompletionFindsWhatItsTransactionHasStored() throws {
    let store = try TestStore()
    let group = DispatchGroup()
    for number in 0..<300 {
      group.enter()
      let isPost = number % 3 != 0
      store.workspace.performChanges([isPost ? Post.self : Thing.self]) { context in
        if isPost {
          create("\(number)", context)
        } else {
          context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number))))
        }
      } completionHandler: { [workspace = store.workspace] success in
        let count =
          isPost
          ? workspace.fetch(for: Post.self).where(Post.title == "\(number)").count
          : workspace.fetch(for: Thing.self).where(Thing.id == Int64(number)).count
        #expect(success && count == 1)
        group.leave()
      }
    }
    #expect(group.wait(timeout: .now() + 60) == .success)
  }

  @Test func aTransactionWithoutCompanyIsCommittedAtOnce() throws {
    let store = try TestStore()
    let commits = try Commits(store)
    var fast = 0
    for number in 0..<200 {
      let begin = DispatchTime.now()
      store.perform([Post.self]) { create("\(number)", $0) }
      if DispatchTime.now() < begin + .milliseconds(5) { fast += 1 }
    }
    #expect(commits.count == 200)
    // Other tests run at the same time: but the half of them suffices to show that none waits for the timer.
    #expect(fast > 100, "\(fast) of 200")
    store.workspace.shutdown()
  }

  @Test func aSnapshotInATransactionHasWhatWasBeforeIt() throws {
    let store = try TestStore()
    let workspace = store.workspace
    let outcomes = queueUp(store, 50) { number, context in
      let count = workspace.fetchWithinASnapshot { workspace.fetch(for: Post.self).all().count }
      #expect(count == number)
      create("\(number)", context)
    }
    #expect(outcomes.allSatisfy { $0.success })
  }
}
