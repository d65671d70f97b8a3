import CSQLite
import Dflat
import DflatEngine
import EngineTestSupport
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A read that fails in a transaction never counts as an empty result")
struct UnansweredReadTests {
  /// A way to read the priority of the account; it is 0 if the account is not found.
  enum Read: CaseIterable {
    case objects
    case count
    case request
    case throwing

    func callAsFunction(_ workspace: SQLiteWorkspace) -> Int32 {
      let posts = workspace.fetch(for: Post.self)
      switch self {
      case .objects: return posts.all().first?.priority ?? 0
      case .count: return Int32(posts.count(where: Post.priority > 50) * 100)
      case .request: return PostChangeRequest.changeRequest(Post(title: "account"))?.priority ?? 0
      // An error that the closure catches, and makes nothing of.
      case .throwing: return (try? posts.throwing.first(where: Post.title == "account"))?.priority ?? 0
      }
    }
  }

  private func storeWithAccount() throws -> TestStore {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "account", priority: 100)))
    }
    #expect(store.workspace.fetch(for: Post.self).count() == 1)
    return store
  }

  private func idleReaders(of workspace: SQLiteWorkspace) -> [SQLiteConnection] {
    workspace.core.database.state.withLock { $0.readers.idle }
  }

  @Test("It makes its transaction fail, so that no closure decides by an empty result", arguments: Read.allCases)
  func beforeSubmission(read: Read) throws {
    let store = try storeWithAccount()
    let workspace = store.workspace
    // So that no timer uses the idle readers, which the next fetch takes.
    workspace.core.database.endIdleReading()
    try #require(!idleReaders(of: workspace).isEmpty)
    for reader in idleReaders(of: workspace) { reader.interruptStatements(true) }
    let balances = Collected<Int32>()
    let transaction = PendingTransaction([Post.self], in: workspace) { context in
      let balance = read(workspace)
      balances.append(balance)
      _ = context.try(submit: PostChangeRequest.upsertRequest(Post(title: "account", priority: balance + 1)))
      context.dictionary["balance"] = balance + 1
    }
    #expect(transaction.outcome() == false)
    #expect(balances.values == [0])
    #expect(store.errors.count == (read == .throwing ? 0 : 1), "\(store.errors.values)")
    for reader in idleReaders(of: workspace) { reader.interruptStatements(false) }
    #expect(workspace.fetch(for: Post.self).all().map(\.priority) == [100])
    #expect(workspace.dictionary.keys.isEmpty)
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.upsertRequest(Post(title: "account", priority: read(workspace) + 1)))
    }
    #expect(workspace.fetch(for: Post.self).all().map(\.priority) == [101])
  }

  @Test("A fetch that fails after a submission takes the submission back, too")
  func afterSubmission() throws {
    let store = try storeWithAccount()
    let workspace = store.workspace
    let transaction = PendingTransaction([Post.self], in: workspace) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "other")))
      // The transaction has the writer from now on.
      #expect(workspace.fetch(for: Post.self).count() == 2)
      do {
        let writer = try workspace.core.database.writer().connection
        writer.interruptStatements(true)
        defer { writer.interruptStatements(false) }
        #expect(workspace.fetch(for: Post.self).count() == 0)
      } catch {
        Issue.record(error)
      }
      _ = context.try(submit: PostChangeRequest.creationRequest(Post(title: "another")))
    }
    #expect(transaction.outcome() == false)
    #expect(store.errors.count == 1, "\(store.errors.values)")
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["account"])
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "next"))) }
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["account", "next"])
  }
}

extension SQLiteConnection {
  /// Makes the statements of the connection fail, as a disk that cannot be read does, or lets them succeed again.
  fileprivate func interruptStatements(_ isOn: Bool) {
    if isOn {
      sqlite3_progress_handler(handle, 1, { _ in 1 }, nil)
    } else {
      sqlite3_progress_handler(handle, 0, nil, nil)
    }
  }
}
