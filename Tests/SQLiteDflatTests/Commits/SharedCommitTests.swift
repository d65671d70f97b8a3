import EngineTestSupport
import Dflat
import Dispatch
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Transactions that queue up are committed together")
struct SharedCommitTests {
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
    #expect(group.wait(timeout: .now() + patience) == .success)
    return outcomes.values
  }

  private func create(_ title: String, _ context: any TransactionContext) {
    context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
  }

  private func change(_ title: String, _ context: any TransactionContext) {
    guard let request = PostChangeRequest.changeRequest(Post(title: title)) else {
      Issue.record("\(title) is not found")
      return
    }
    request.priority += 1
    context.try(submit: request)
  }

  private func titles(_ store: TestStore) -> [String] { store.workspace.fetch(for: Post.self).all().map(\.title) }

  @Test("Transactions that queue up behind a closure share commits, and each finds what those before it have submitted")
  func sharedCommits() throws {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self]) { create("first", $0) }
    let commits = try CommitHook(workspace)
    // Nothing is committed before half of the closures have run.
    let (isHeld, mayCommit) = (Gate(), Gate())
    let holder = BackgroundThreads { _ in
      workspace.whileCommitsWait {
        isHeld.open()
        mayCommit.wait()
      }
    }
    #expect(isHeld.wait())
    let outcomes = queueUp(store, 500) { number, context in
      if number == 250 { mayCommit.open() }
      // Each finds what those before it have submitted, whether that is committed yet or not.
      #expect((PostChangeRequest.changeRequest(Post(title: "\(number - 1)")) != nil) == (number > 0))
      create("\(number)", context)
    }
    #expect(outcomes.allSatisfy { $0.success })
    // Mostly in this order: but a handler that takes longer than a millisecond does not hold the next one up.
    #expect(outcomes.map(\.number).sorted() == Array(0..<500))
    #expect(holder.end())
    #expect(titles(store) == ["first"] + (0..<500).map { String($0) })
    // What was pending then is committed together, at least 31 at a time. How much of the others is depends on how fast the machine is
    // at closures and at commits, so that the next test says it exactly.
    #expect(commits.count < 300, "\(commits.count) commits")
    workspace.shutdown()
  }

  @Test("Transactions that become pending while nothing can be committed are then committed together")
  func pendingTransactions() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("first", $0) }
    let commits = try CommitHook(store.workspace)
    let transactions = store.workspace.whileCommitsWait {
      let transactions = (0..<200).map { number in
        PendingTransaction([Post.self], in: store.workspace) { create("\(number)", $0) }
      }
      #expect(eventually { store.workspace.core.committer.withState { $0.numbers.last(of: Post._record) } == 201 })
      #expect(titles(store) == ["first"] && !transactions.contains { $0.hasCompleted })
      return transactions
    }
    for each in transactions { #expect(each.outcome() == true) }
    #expect(titles(store) == ["first"] + (0..<200).map { String($0) })
    // One, unless the machine is so slow that a commit is not to be put off longer.
    #expect(commits.count < 20, "\(commits.count) commits")
    store.workspace.shutdown()
  }

  @Test("Deletions of a transaction are stored when one that is to be committed with it is aborted")
  func deletionsBesideAnAbort() throws {
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
  @Test("While another workspace writes, each transaction has a commit of its own")
  func besideAnotherWorkspace() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("first", $0) }
    let commits = try CommitHook(store.workspace)
    // The other one counts as writing for a second. A run that has taken longer shows nothing.
    var (round, isInTime) = (0, false)
    let end = Date() + patience
    while !isInTime, Date() < end {
      round += 1
      let before = commits.count
      let begin = DispatchTime.now()
      let other = store.reopened()
      store.perform([Post.self], in: other) { create("other \(round)", $0) }
      other.shutdown()
      let outcomes = queueUp(store, 50) { [round] number, context in create("\(round) \(number)", context) }
      #expect(outcomes.allSatisfy { $0.success })
      isInTime = DispatchTime.now() < begin + .seconds(1)
      if isInTime { #expect(commits.count - before == 50) }
    }
    #expect(isInTime)
    store.workspace.shutdown()
  }

  @Test("A large transaction is committed alone, and after those before it")
  func largeTransactions() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("first", $0) }
    let commits = try CommitHook(store.workspace)
    let outcomes = queueUp(store, 6) { number, context in
      #expect(commits.count == number)
      for part in 0..<1000 { create("\(number) \(part)", context) }
    }
    #expect(outcomes.allSatisfy { $0.success })
    #expect(commits.count == 6)
    store.workspace.shutdown()
  }

  @Test("An abort, or a request that is refused, undoes nothing of the other transactions")
  func undoneAlone() throws {
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

  @Test("If commits fail, no transaction is stored, and those that only read complete with true")
  func failingCommits() throws {
    let store = try TestStore()
    let commits = try CommitHook(store.workspace)
    store.perform([Post.self]) { create("kept", $0) }
    commits.remainingFailures = .max
    let seen = Collected<Int>()
    let outcomes = queueUp(store, 40) { number, context in
      // A fetch shows what is committed, and waits until it is known what of the earlier transactions is.
      seen.append(store.workspace.fetch(for: Post.self).all().count)
      if number % 4 != 3 { create("\(number)", context) }
    }
    #expect(seen.values == Array(repeating: 1, count: 40))
    #expect(outcomes.count == 40 && outcomes.allSatisfy { $0.success == ($0.number % 4 == 3) })
    #expect(titles(store) == ["kept"])
    #expect(eventually { store.errors.count > 0 })
    commits.remainingFailures = 0
    let later = queueUp(store, 10) { create("later \($0)", $1) }
    #expect(later.allSatisfy { $0.success })
    #expect(titles(store).count == 11)
    store.workspace.shutdown()
  }

  /// When a closure waits for the completion of an earlier transaction.
  enum WaitingPoint: CaseIterable {
    case first
    case afterFetching
    case afterSubmitting
    case afterSubmittingMuch
  }

  // A closure that submits much has the writer: it must not wait for a transaction of other types, which needs it, too.
  private static let waits: [(WaitingPoint, sharesType: Bool)] =
    WaitingPoint.allCases.map { ($0, true) } + [(.first, false), (.afterFetching, false), (.afterSubmitting, false)]

  @Test("A closure may wait for the completion of an earlier transaction", arguments: waits)
  func waitingForACompletion(point: WaitingPoint, sharesType: Bool) throws {
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
        // Or else this one could take the writer first, and the one that it waits for could not be committed.
        if !sharesType { written.wait() }
        if point != .first { #expect(workspace.fetch(for: Thing.self).where(Thing.id == -1).count == 1) }
        if point == .afterSubmitting || point == .afterSubmittingMuch {
          for number in 0..<(point == .afterSubmitting ? 3 : 300) {
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
        #expect(earlier.wait(timeout: .now() + patience) == .success)
        // What it has written is still there, and more can be.
        let count = [.first: 0, .afterFetching: 0, .afterSubmitting: 2, .afterSubmittingMuch: 299][point] ?? 0
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
      #expect(done.wait(timeout: .now() + patience) == .success)
      #expect(done.wait(timeout: .now() + patience) == .success)
    }
    #expect(outcomes.values == Array(repeating: true, count: 30))
    #expect(workspace.fetch(for: Post.self).all().count == 11)
    #expect(
      workspace.fetch(for: Thing.self).where(Thing.big == 7).count
        == (point == .first || point == .afterFetching ? 0 : 10))
    workspace.shutdown()
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    #expect(store.errors.values.isEmpty)
  }

  @Test("A transaction that has used what a pending one has submitted fails with it, and no other does")
  func dependencies() throws {
    let store = try TestStore()
    let commits = try CommitHook(store.workspace)
    let workspace = store.workspace
    store.perform([Post.self]) { create("kept", $0) }
    let transactions = workspace.whileCommitsWait {
      // That of all together, and that of the first one alone.
      commits.remainingFailures = 2
      let transactions = [
        PendingTransaction([Post.self], in: workspace) { create("a", $0) },
        // It changes nothing of the first one's, but has found it.
        PendingTransaction([Post.self], in: workspace) { context in
          if PostChangeRequest.changeRequest(Post(title: "a")) != nil { create("found", context) }
        },
        PendingTransaction([Post.self], in: workspace) { change("kept", $0) },
        // It depends on the one that depends on the first.
        PendingTransaction([Post.self], in: workspace) { change("found", $0) },
        PendingTransaction([Post.self], in: workspace) { create("b", $0) },
        PendingTransaction([Post.self], in: workspace) { context in
          #expect(throws: TransactionError.objectAlreadyExists) {
            try context.submit(PostChangeRequest.creationRequest(Post(title: "b")))
          }
          change("kept", context)
        },
      ]
      #expect(transactions.last?.starts() == true)
      return transactions
    }
    #expect(transactions.map { $0.outcome() } == [false, false, true, false, true, true])
    #expect(titles(store) == ["kept", "b"])
    #expect(workspace.fetch(for: Post.self).all().map(\.priority) == [2, 0])
    workspace.shutdown()
  }

  @Test("A completion handler may wait for that of a transaction that is committed together with its own")
  func waitingCompletions() throws {
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
          #expect(last.wait(timeout: .now() + patience) == .success)
        }
        all.leave()
      }
    }
    gate.signal()
    #expect(all.wait(timeout: .now() + patience) == .success)
  }

  @Test("A completion handler finds what its transaction has stored")
  func fetchesInCompletions() throws {
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
    #expect(group.wait(timeout: .now() + patience) == .success)
  }

  @Test("A lone transaction is committed at once")
  func loneTransactions() throws {
    let store = try TestStore()
    let commits = try CommitHook(store.workspace)
    var (count, fast) = (0, 0)
    let end = Date() + patience
    // Other tests may slow any of them down. But a hundred are quick only if no commit waits for further transactions.
    while fast < 100, Date() < end {
      let begin = DispatchTime.now()
      store.perform([Post.self]) { [count] in create("\(count)", $0) }
      if DispatchTime.now() < begin + .milliseconds(5) { fast += 1 }
      count += 1
    }
    #expect(commits.count == count)
    #expect(fast == 100, "\(fast) of \(count)")
    store.workspace.shutdown()
  }

  @Test("A snapshot in a transaction shows what the transactions before it have stored")
  func snapshots() throws {
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
