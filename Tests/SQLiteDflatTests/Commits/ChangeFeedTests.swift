import EngineTestSupport
import Dflat
@testable import DflatEngine
import Dispatch
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("The change feed tells every commit, in the order of the commits and before the completions")
struct ChangeFeedTests {
  private enum Event {
    case committed([CommittedTransaction], version: UInt64)
    case othersCommitted(version: UInt64)

    var version: UInt64 {
      switch self {
      case .committed(_, let version), .othersCommitted(let version): version
      }
    }
  }

  private final class Listener: CollectingListener {
    let told = Collected<Event>()

    init(_ workspace: SQLiteWorkspace) { workspace.core.sequence.setListener(self) }

    func transactionsHaveCommitted(_ transactions: [CommittedTransaction], version: UInt64) {
      told.append(.committed(transactions, version: version))
    }

    func othersHaveCommitted(version: UInt64) { told.append(.othersCommitted(version: version)) }

    var transactions: [CommittedTransaction] {
      told.values.flatMap { event -> [CommittedTransaction] in
        if case .committed(let transactions, _) = event { return transactions }
        return []
      }
    }

    var foreignCommitCount: Int {
      told.values.count { event in
        if case .othersCommitted = event { true } else { false }
      }
    }

    /// Each change of a post, as its kind, its row and its title.
    var changes: [[String]] { transactions.map { $0.changes.map(describe) } }

    private func describe(_ change: RowChange) -> String {
      let post = change.object as? Post
      return "\(change.kind) \(change.rowid) \(post?.title ?? "no post") \(post?.priority ?? -1)"
    }
  }

  private func create(_ title: String, _ context: any TransactionContext) {
    context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
  }

  @Test("The feed delivers queued transactions in their order, each before its completion")
  func order() throws {
    let store = try TestStore()
    let listener = Listener(store.workspace)
    let gate = Gate()
    _ = PendingTransaction([Post.self], in: store.workspace) { _ in gate.wait() }
    let transactions = (0..<100).map { number in
      PendingTransaction([Post.self], in: store.workspace) { success in
        let isTold = listener.changes.contains(["inserted \(number + 1) \(number) 0"])
        #expect(success && isTold, "\(number)")
      } _: { context in
        create("\(number)", context)
      }
    }
    gate.open()
    for each in transactions { #expect(each.outcome() == true) }
    #expect(listener.changes == (0..<100).map { ["inserted \($0 + 1) \($0) 0"] })
    let versions = listener.told.values.map(\.version)
    #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
    #expect(versions.last == store.workspace.core.sequence.version)
    store.workspace.shutdown()
  }

  @Test("The feed delivers inserted, updated and deleted rows with their objects", arguments: [false, true])
  func changes(writesAlone: Bool) throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in for title in ["a", "b"] { create(title, context) } }
    let listener = Listener(store.workspace)
    store.perform([Post.self]) { context in
      create("c", context)
      // A transaction that fetches what it has submitted writes alone from then on.
      if writesAlone { #expect(store.workspace.fetch(for: Post.self).count() == 3) }
      let request = PostChangeRequest.changeRequest(Post(title: "a"))
      request?.priority = 5
      request.map { _ = context.try(submit: $0) }
      create("d", context)
      if let request = PostChangeRequest.deletionRequest(Post(title: "b")) { context.try(submit: request) }
      let unchanged = PostChangeRequest.changeRequest(Post(title: "c"))
      unchanged.map { _ = context.try(submit: $0) }
    }
    #expect(listener.changes == [["inserted 3 c 0", "updated 1 a 5", "inserted 4 d 0", "deleted 2 b 0"]])
  }

  @Test("An aborted transaction is not told", arguments: [false, true])
  func abortedTransaction(writesAlone: Bool) throws {
    let store = try TestStore()
    let listener = Listener(store.workspace)
    store.perform([Post.self], completing: false) { context in
      create("a", context)
      if writesAlone { #expect(store.workspace.fetch(for: Post.self).count() == 1) }
      context.abort()
    }
    store.perform([Post.self]) { _ in }
    #expect(listener.told.values.isEmpty)
    store.perform([Post.self]) { create("b", $0) }
    #expect(listener.changes.map { $0.count } == [1])
  }

  @Test("If a commit fails, the feed delivers the transactions that are stored when they are tried alone")
  func failedCommit() throws {
    let store = try TestStore()
    let hook = try CommitHook(store.workspace)
    store.perform([Post.self]) { create("first", $0) }
    let listener = Listener(store.workspace)
    // That of all together, and that of the first one alone.
    hook.remainingFailures = 2
    let transactions = store.workspace.whileCommitsWait {
      let transactions = (0..<5).map { number in
        PendingTransaction([Post.self], in: store.workspace) { create("\(number)", $0) }
      }
      #expect(eventually { store.workspace.core.committer.withState { $0.numbers.last(of: Post._record) } == 6 })
      return transactions
    }
    #expect(transactions.map { $0.outcome() } == [false, true, true, true, true])
    #expect(listener.changes == (1..<5).map { ["inserted \($0 + 2) \($0) 0"] })
    hook.remainingFailures = 1
    store.perform([Post.self], completing: false) { context in
      create("alone", context)
      #expect(store.workspace.fetch(for: Post.self).count() == 6)
    }
    #expect(listener.transactions.count == 4)
    store.workspace.shutdown()
  }

  @Test("A listener that another one has replaced is not called again")
  func replacement() throws {
    let store = try TestStore()
    let first = Listener(store.workspace)
    store.perform([Post.self]) { create("a", $0) }
    let second = Listener(store.workspace)
    store.perform([Post.self]) { create("b", $0) }
    #expect(first.changes == [["inserted 1 a 0"]])
    #expect(second.changes == [["inserted 2 b 0"]])
    store.workspace.core.sequence.setListener(nil)
    #expect(!store.workspace.core.sequence.hasListener)
  }

  @Test("The feed reports a commit of another workspace before the next commit of this one")
  func foreignCommit() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("a", $0) }
    let listener = Listener(store.workspace)
    let other = store.reopened()
    store.perform([Post.self], in: other) { create("other", $0) }
    other.shutdown()
    store.perform([Post.self]) { create("b", $0) }
    let told = listener.told.values
    guard case .othersCommitted(let foreign)? = told.first, case .committed(_, let own)? = told.last else {
      Issue.record("\(told)")
      return
    }
    #expect(foreign < own)
    #expect(listener.changes == [["inserted 3 b 0"]])
  }

  @Test("The feed reports a commit of another workspace even if this one writes nothing, or has begun to write")
  func foreignCommitNoticed() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("a", $0) }
    let listener = Listener(store.workspace)
    let other = store.reopened()
    store.perform([Post.self], in: other) { create("other", $0) }
    store.perform([Post.self]) { _ in }
    #expect(listener.foreignCommitCount > 0 && listener.changes.isEmpty)
    let before = listener.foreignCommitCount
    store.perform([Post.self]) { context in
      // The transaction has looked for foreign commits when it began. The next one is noticed when it is committed.
      #expect(PostChangeRequest.changeRequest(Post(title: "other")) != nil)
      store.perform([Post.self], in: other) { create("later", $0) }
      create("b", context)
    }
    #expect(listener.foreignCommitCount > before)
    other.shutdown()
  }

  @Test("A listener that is added while a transaction writes alone is told that something has changed")
  func addedDuringATransaction() throws {
    let store = try TestStore()
    let added = Collected<Listener>()
    store.perform([Post.self]) { context in
      create("a", context)
      #expect(store.workspace.fetch(for: Post.self).count() == 1)
      added.append(Listener(store.workspace))
    }
    // What that is was not collected, since nobody listened.
    let told = try #require(added.values.first).told.values
    guard case .othersCommitted? = told.last, told.count == 1 else {
      Issue.record("\(told)")
      return
    }
  }

  @Test("The feed delivers an object that had to be stored in another row with that row", arguments: [false, true])
  func movedRow(writesAlone: Bool) throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("a", $0) }
    let listener = Listener(store.workspace)
    let other = store.reopened()
    store.perform([Post.self]) { context in
      create("b", context)
      store.perform([Post.self], in: other) { create("other", $0) }
      if writesAlone { #expect(store.workspace.fetch(for: Post.self).count() == 3) }
    }
    other.shutdown()
    #expect(try store.sql("SELECT rowid FROM post WHERE __pk0 = 'b'") == [["3"]])
    #expect(listener.changes == [["inserted 3 b 0"]])
  }
}
