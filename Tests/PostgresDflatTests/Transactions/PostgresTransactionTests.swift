import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresDflat
import SQLiteDflat
import TestSupport
import Testing

@Suite("Transactions on PostgreSQL")
struct PostgresTransactionTests {
  @Test("After abort(), a request for an object is made as on SQLite, from what is committed, and is not stored")
  func requestsAfterAbort() throws {
    let database = try TestDatabase()
    let path = NSTemporaryDirectory() + "dflat-abort-\(UUID().uuidString)"
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
    let file = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    for workspace: any Workspace in [database.workspace, file] {
      let isMade = TestDatabase.perform([Post.self], in: workspace) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a", priority: 1)))
      }
      #expect(isMade)
      let before = workspace.fetch(for: Post.self).first(where: Post.title == "a")
      let priorities = Collected<Int32?>()
      let isStored = TestDatabase.perform([Post.self], in: workspace) { transaction in
        if let before, let request = PostChangeRequest.changeRequest(before) {
          request.priority = 2
          _ = transaction.try(submit: request)
        }
        #expect(transaction.abort())
        let fetched = workspace.fetch(for: Post.self).first(where: Post.title == "a")
        for post in [before, fetched, Post(title: "a"), Post(title: "missing")] {
          priorities.append(post.flatMap { PostChangeRequest.changeRequest($0) }?.priority)
        }
        if let before, let request = PostChangeRequest.changeRequest(before) {
          let error = #expect(throws: TransactionError.self) { try transaction.submit(request) }
          if case .aborted? = error {} else { Issue.record("\(String(describing: error))") }
        }
      }
      #expect(!isStored)
      #expect(priorities.values == [1, 1, 1, nil])
      #expect(workspace.fetch(for: Post.self).all().map(\.priority) == [1])
    }
    file.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A conflict undoes one submission, which throws")
  func conflict() throws {
    let database = try TestDatabase()
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a", priority: 1))) }
    let refused = Locked(0)
    database.perform([Post.self]) { transaction in
      refused.value = 0
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
      do {
        try transaction.submit(PostChangeRequest.creationRequest(Post(title: "a", priority: 2)))
      } catch TransactionError.objectAlreadyExists {
        refused.change { $0 += 1 }
      } catch {
        Issue.record(error)
      }
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "c")))
    }
    #expect(refused.value == 1)
    let posts = database.workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending])
    #expect(posts.map(\.title) == ["a", "b", "c"] && posts[0].priority == 1)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A new title that is taken is refused, and the rest of the transaction is stored")
  func conflictOfAnUpdate() throws {
    let database = try TestDatabase()
    database.perform([Post.self]) { transaction in
      for title in ["a", "b"] { transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
    let workspace = database.workspace
    database.perform([Post.self]) { transaction in
      guard let first = workspace.fetch(for: Post.self).first(where: Post.title == "a"),
        let request = PostChangeRequest.changeRequest(first)
      else {
        Issue.record("nothing found")
        return
      }
      request.title = "b"
      #expect(throws: TransactionError.objectAlreadyExists) { try transaction.submit(request) }
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "c")))
    }
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["a", "b", "c"])
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A transaction sees its own changes, and nobody else does before its end")
  func ownChanges() throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    database.perform([Post.self]) { transaction in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "a", tag: "x")))
      let other = Locked(-1)
      _ = BackgroundThreads { _ in other.value = workspace.fetch(for: Post.self).count() }.end()
      #expect(other.value == 0)
      guard let post = workspace.fetch(for: Post.self).first(where: Post.tag == "x") else {
        Issue.record("its own object is not there")
        return
      }
      let request = PostChangeRequest.changeRequest(post)
      request?.priority = 7
      if let request { transaction.try(submit: request) }
      #expect(workspace.fetch(for: Post.self).count(where: Post.priority == 7) == 1)
    }
    #expect(workspace.fetch(for: Post.self).all().map(\.priority) == [7])
  }

  @Test("A transaction that submits nothing, and a fetch, make no table")
  func nothingIsMade() throws {
    let database = try TestDatabase()
    #expect(database.workspace.fetch(for: Post.self).all().isEmpty)
    database.perform([Post.self]) { [workspace = database.workspace] _ in _ = workspace.fetch(for: Post.self).count() }
    #expect(try database.sql("SELECT count(*) FROM pg_class WHERE relname LIKE 'post%'") == "0")
  }

  @Test("Counters that many workspaces raise at the same time lose no update")
  func counters() throws {
    let database = try TestDatabase()
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "counter"))) }
    let workspaces = [database.workspace, database.other(), database.other()]
    let count = LongForm.sharedUpdates.size
    let threads = BackgroundThreads(6) { number in
      let workspace = workspaces[number % workspaces.count]
      for _ in 0..<count {
        let isStored = TestDatabase.perform([Post.self], in: workspace) { transaction in
          guard let post = workspace.fetch(for: Post.self).first(where: Post.title == "counter"),
            let request = PostChangeRequest.changeRequest(post)
          else { return }
          request.priority = post.priority + 1
          transaction.try(submit: request)
        }
        #expect(isStored)
      }
    }
    #expect(threads.end())
    #expect(database.workspace.fetch(for: Post.self).all().map(\.priority) == [Int32(6 * count)])
    for each in workspaces.dropFirst() { each.shutdown() }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Two workspaces that each write what the other reads act as if one came first")
  func writeSkew() throws {
    let database = try TestDatabase()
    // Each transaction may take away one of the last two; only a serializable order keeps one.
    for round in 0..<10 {
      database.perform([Post.self]) { transaction in
        for title in ["a", "b"] {
          transaction.try(
            submit: PostChangeRequest.creationRequest(Post(title: "\(round)\(title)", priority: Int32(round))))
        }
      }
      let workspaces = [database.workspace, database.other()]
      let readers = Locked(0)
      let threads = BackgroundThreads(2) { number in
        let workspace = workspaces[number]
        _ = TestDatabase.perform([Post.self], in: workspace) { transaction in
          let posts = workspace.fetch(for: Post.self).where(Post.priority == Int32(round))
          // Both have read before either changes anything.
          readers.change { $0 += 1 }
          #expect(eventually { readers.value >= 2 })
          guard posts.count == 2, let request = PostChangeRequest.deletionRequest(posts[number]) else { return }
          transaction.try(submit: request)
        }
      }
      #expect(threads.end())
      #expect(database.workspace.fetch(for: Post.self).count(where: Post.priority == Int32(round)) == 1)
      workspaces[1].shutdown()
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("With retry: .never, a conflict fails the transaction, and the error handler gets the cause")
  func noRetry() throws {
    let database = try TestDatabase { $0.retry = .never }
    let other = database.other { $0.retry = .never }
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    let isRead = Gate()
    let isChanged = Gate()
    let workspace = database.workspace
    let calls = Locked(0)
    let first = PendingTransaction([Post.self], in: workspace) { transaction in
      calls.change { $0 += 1 }
      let post = workspace.fetch(for: Post.self).first()
      isRead.open()
      isChanged.wait()
      guard let post, let request = PostChangeRequest.changeRequest(post) else { return }
      request.priority = 1
      transaction.try(submit: request)
    }
    #expect(isRead.wait())
    database.perform([Post.self], in: other) { transaction in
      guard let post = other.fetch(for: Post.self).first(), let request = PostChangeRequest.changeRequest(post) else {
        return
      }
      request.priority = 2
      transaction.try(submit: request)
    }
    isChanged.open()
    #expect(first.outcome() == false)
    #expect(calls.value == 1)
    #expect(database.errors.values.compactMap { ($0 as? PostgresError)?.cause } == [.serializationFailure])
    #expect(workspace.fetch(for: Post.self).first()?.priority == 2)
    other.shutdown()
  }

  @Test("A debug option runs each closure twice, and stores what the second has submitted")
  func closuresRunTwice() throws {
    let database = try TestDatabase { $0.runsClosuresTwice = true }
    let calls = Locked(0)
    database.perform([Post.self]) { transaction in
      let number = calls.change { count in
        count += 1
        return count
      }
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
    }
    #expect(database.workspace.fetch(for: Post.self).all().map(\.title) == ["2"])
  }

  @Test("Aborted transactions, and those whose closure throws, store nothing")
  func aborting() async throws {
    let database = try TestDatabase()
    database.perform([Post.self], completing: false) { transaction in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
      #expect(transaction.abort())
      #expect(throws: TransactionError.aborted) {
        try transaction.submit(PostChangeRequest.creationRequest(Post(title: "b")))
      }
    }
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await database.workspace.performChanges([Post.self]) { transaction -> Int in
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "c")))
        throw Failure()
      }
    }
    let value = try await database.workspace.performChanges([Post.self]) { transaction -> Int in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "d")))
      return 7
    }
    #expect(value == 7)
    #expect(database.workspace.fetch(for: Post.self).all().map(\.title) == ["d"])
  }

  @Test("A snapshot shows one state, whatever is committed meanwhile")
  func snapshots() throws {
    let database = try TestDatabase()
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    let workspace = database.workspace
    workspace.fetchWithinASnapshot {
      #expect(workspace.fetch(for: Post.self).count() == 1)
      database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "b"))) }
      #expect(workspace.fetch(for: Post.self).count() == 1)
      workspace.fetchWithinASnapshot { #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["a"]) }
    }
    #expect(workspace.fetch(for: Post.self).count() == 2)
  }

  @Test("A fetch that fails within a snapshot is reported once")
  func failedSnapshot() throws {
    let database = try TestDatabase()
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    let workspace = database.workspace
    #expect(workspace.fetch(for: Post.self).count() == 1)
    try database.sql("ALTER TABLE post RENAME COLUMN p TO q")
    workspace.fetchWithinASnapshot { #expect(workspace.fetch(for: Post.self).all().isEmpty) }
    #expect(database.errors.values.count == 1, "\(database.errors.values)")
  }

  @Test("Snapshots of two workspaces nest, also if one is of SQLite")
  func nestedSnapshots() throws {
    let (one, two, three) = (try TestDatabase(), try TestDatabase(), try TestDatabase())
    checkNestedSnapshots(of: one.workspace, two.workspace)
    try withTemporaryFolder { folder in
      let file = SQLiteWorkspace(
        filePath: folder.appendingPathComponent("posts.sqlite3").path, fileProtectionLevel: .noProtection)
      checkNestedSnapshots(of: file, three.workspace)
      file.shutdown()
    }
  }

  @Test("An object of another database is simply not stored")
  func objectsOfOthers() throws {
    let database = try TestDatabase()
    let other = try TestDatabase()
    other.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "other"))) }
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "mine"))) }
    let post = try #require(other.workspace.fetch(for: Post.self).first())
    #expect(post._rowid == database.workspace.fetch(for: Post.self).first()?._rowid)
    database.perform([Post.self]) { _ in
      #expect(PostChangeRequest.changeRequest(post) == nil)
      #expect(PostChangeRequest.deletionRequest(post) == nil)
    }
    #expect(database.workspace.fetch(for: Post.self).count() == 1)
  }

  @Test("Keys of the dictionary are stored with a transaction, or not at all")
  func dictionaryOfATransaction() throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    database.perform([Post.self]) { transaction in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
      let count: Int = transaction.dictionary["count", default: 0]
      transaction.dictionary["count"] = count + 1
      #expect(transaction.dictionary["count", Int.self] == 1)
    }
    #expect(workspace.dictionary["count", Int.self] == 1)
    database.perform([Post.self], completing: false) { transaction in
      transaction.dictionary["count"] = 5
      transaction.abort()
    }
    #expect(database.other().dictionary["count", Int.self] == 1)
    workspace.dictionary["name"] = "x"
    #expect(workspace.dictionary["name", String.self] == "x")
    #expect(workspace.dictionary.synchronize())
    let other = database.other()
    #expect(other.dictionary["name", String.self] == "x" && Set(other.dictionary.keys) == ["count", "name"])
    other.dictionary.removeAll()
    other.shutdown()
    #expect(workspace.dictionary.keys == [])
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}

@Suite("Fetches of tasks from PostgreSQL")
struct PostgresAsyncFetchTests {
  @Test("Async fetches find what other fetches find, and throw after a shutdown")
  func fetches() async throws {
    let database = try TestDatabase()
    try await checkAsyncFetches(in: database.workspace)
  }
}
