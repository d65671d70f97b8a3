import EngineTestSupport
import Dflat
@testable import DflatEngine
import Dispatch
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A transaction is all or nothing")
struct TransactionTests {
  private func titles(_ store: TestStore) -> [String] { store.workspace.fetch(for: Post.self).all().map(\.title) }

  private func create(_ title: String, _ context: any TransactionContext) {
    context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
  }

  @Test("An abort drops what was submitted before it, and each later submission throws")
  func anAbortDropsWhatWasBeforeAndRefusesWhatComesAfter() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("kept", $0) }
    store.perform([Post.self], completing: false) { context in
      create("dropped", context)
      #expect(context.abort())
      #expect(!context.abort())
      #expect(throws: TransactionError.aborted) {
        try context.submit(PostChangeRequest.creationRequest(Post(title: "late")))
      }
      #expect(titles(store) == ["kept"])
    }
    store.perform([Post.self], completing: false) { #expect($0.abort()) }
    #expect(titles(store) == ["kept"])
    // The tables of a first transaction go with it.
    store.perform([Thing.self], completing: false) { context in
      context.try(submit: ThingChangeRequest.creation(Thing(id: 1)))
      context.abort()
    }
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 2))) }
    #expect(store.workspace.fetch(for: Thing.self).all().map(\.id) == [2])
  }

  @Test("A table whose creation was aborted is missing in later transactions without an error")
  func tablesThatAreUndoneAreMissed() throws {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self], completing: false) { context in
      create("a", context)
      // Statements for the table are prepared on the connection that writes.
      #expect(workspace.fetch(for: Post.self).all().count == 1)
      #expect(PostChangeRequest.changeRequest(Post(title: "a")) != nil)
      context.abort()
    }
    store.perform([Thing.self, Post.self]) { context in
      context.try(submit: ThingChangeRequest.creation(Thing(id: 1)))
      #expect(workspace.fetch(for: Post.self).all().isEmpty)
      #expect(PostChangeRequest.changeRequest(Post(title: "a")) == nil)
    }
    #expect(store.errors.values.isEmpty)
  }

  @Test("A submission that throws objectAlreadyExists leaves the others of its transaction in place")
  func aConflictUndoesOneSubmissionAlone() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("taken", $0) }
    store.perform([Post.self]) { context in
      create("before", context)
      let request = PostChangeRequest.creationRequest(Post(title: "taken", priority: 9))
      #expect(throws: TransactionError.objectAlreadyExists) { try context.submit(request) }
      let rename = PostChangeRequest.changeRequest(Post(title: "before"))
      rename?.title = "taken"
      if let rename { #expect(throws: TransactionError.objectAlreadyExists) { try context.submit(rename) } }
      // The request that was refused can be put right.
      request.title = "free"
      context.try(submit: request)
      create("after", context)
    }
    #expect(titles(store) == ["taken", "before", "free", "after"])
    #expect(try store.sql("SELECT count(*), max(f10) FROM post__f10") == [["4", "9"]])
  }

  @Test("A submission that a unique field refuses leaves neither a row nor index entries")
  func aConflictOfAUniqueFieldUndoesTheRowToo() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      context.try(submit: ThingChangeRequest.creation(Thing(id: 1, note: "one")))
      context.try(submit: ThingChangeRequest.creation(Thing(id: 2)))
      context.try(submit: ThingChangeRequest.creation(Thing(id: 3)))
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(ThingChangeRequest.creation(Thing(id: 4, big: 44, note: "one")))
      }
      let change = ThingChangeRequest.change(Thing(id: 2))
      change?.thing = Thing(id: 20, big: 44, note: "one")
      if let change { #expect(throws: TransactionError.objectAlreadyExists) { try context.submit(change) } }
    }
    #expect(store.workspace.fetch(for: Thing.self).all().map(\.id) == [1, 2, 3])
    #expect(store.workspace.fetch(for: Thing.self).where(Thing.big == 44).isEmpty)
    #expect(try store.sql("SELECT group_concat(__pk0) FROM test__thing_v1_1") == [["1,2,3"]])
    for key in ["f8", "f10", "f12", "f14"] {
      #expect(try store.sql("SELECT count(*) FROM test__thing_v1_1__\(key)") == [["3"]])
    }
  }

  @Test("An update with equal values returns .identity and writes nothing")
  func anUpdateThatChangesNothingWritesNothing() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("a", $0) }
    let before = try FileManager.default.attributesOfItem(atPath: store.path + "-wal")[.size] as? Int
    store.perform([Post.self]) { context in
      for request in [PostChangeRequest.changeRequest(Post(title: "a")), .upsertRequest(Post(title: "a"))] {
        guard let request, case .identity(let object)? = context.try(submit: request) else {
          Issue.record("not the same")
          return
        }
        #expect(object._rowid == 1)
      }
    }
    let after = try FileManager.default.attributesOfItem(atPath: store.path + "-wal")[.size] as? Int
    #expect(before == after && before != nil)
  }

  @Test("An update of a field without an index does not write to the index")
  func anUpdateOfAnotherFieldLeavesTheIndexAlone() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("a", $0) }
    try store.sql("CREATE TABLE log (x)")
    try store.workspace.addTrigger("t AFTER UPDATE ON post__f10 BEGIN INSERT INTO log VALUES (1); END")
    func change(_ body: @escaping (PostChangeRequest) -> Void) {
      store.perform([Post.self]) { context in
        guard let request = PostChangeRequest.changeRequest(Post(title: "a")) else { return }
        body(request)
        context.try(submit: request)
      }
    }
    change { $0.tag = "b" }
    #expect(try store.sql("SELECT count(*) FROM log") == [["0"]])
    change { $0.priority = 1 }
    #expect(try store.sql("SELECT count(*) FROM log") == [["1"]])
  }

  @Test("A request that is submitted a second time fails the transaction")
  func aRequestIsSpentOnceItIsSubmitted() throws {
    let store = try TestStore()
    store.perform([Post.self], completing: false) { context in
      let request = PostChangeRequest.creationRequest(Post(title: "a"))
      context.try(submit: request)
      #expect(throws: TransactionError.others) { try context.submit(request) }
      #expect(throws: TransactionError.others) {
        try context.submit(PostChangeRequest.creationRequest(Post(title: "b")))
      }
      #expect(!context.abort())
    }
    #expect(titles(store).isEmpty)
    #expect(store.errors.count == 1)
  }

  @Test("An update of an object that the transaction has deleted throws and fails the transaction")
  func anObjectDeletedMeanwhileCannotBeUpdated() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("a", $0) }
    store.perform([Post.self], completing: false) { context in
      let update = PostChangeRequest.changeRequest(Post(title: "a"))
      let deletion = PostChangeRequest.deletionRequest(Post(title: "a"))
      guard let update, let deletion else {
        Issue.record("gone")
        return
      }
      context.try(submit: deletion)
      update.priority = 3
      #expect(throws: TransactionError.others) { try context.submit(update) }
    }
    #expect(titles(store) == ["a"])
  }

  @Test("A full disk fails the whole transaction with diskFull, and a later one succeeds")
  func aFullDiskFailsTheWholeTransaction() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("a", $0) }
    // The limit holds for a connection: the file is made to look full by its own page count.
    store.perform([Post.self], completing: false) { context in
      create("b", context)
      try? store.limitPages()
      var thrown: TransactionError?
      for index in 0..<1000 where thrown == nil {
        do throws(TransactionError) {
          try context.typedSubmit(
            PostChangeRequest.creationRequest(Post(title: "\(index)", tag: String(repeating: "x", count: 4000))))
        } catch {
          thrown = error
        }
      }
      #expect(thrown == .diskFull)
      #expect(throws: TransactionError.diskFull) {
        try context.submit(PostChangeRequest.creationRequest(Post(title: "c")))
      }
    }
    #expect(titles(store) == ["a"])
    #expect(eventually { (store.errors.values.first as? SQLiteError)?.code == 13 })
    try store.limitPages(nil)
    store.perform([Post.self]) { create("d", $0) }
    #expect(titles(store) == ["a", "d"])
  }

  @Test("A change request starts with the values that another workspace has committed")
  func changesOfAnotherProcessAreSeen() throws {
    let store = try TestStore()
    let other = store.reopened()
    defer { other.shutdown() }
    store.perform([Post.self]) { create("a", $0) }
    let object = try #require(store.workspace.fetch(for: Post.self).all().first)
    store.perform([Post.self], in: other) { context in
      let request = PostChangeRequest.changeRequest(Post(title: "a"))
      request?.priority = 5
      request.map { _ = context.try(submit: $0) }
      create("b", context)
    }
    store.perform([Post.self]) { context in
      let request = PostChangeRequest.changeRequest(object)
      #expect(request?.priority == 5)
      request?.tag = "t"
      request.map { _ = context.try(submit: $0) }
    }
    #expect(other.fetch(for: Post.self).where(Post.priority == 5).map(\.tag) == ["t"])
    #expect(store.workspace.fetch(for: Post.self).all().count == 2)
  }

  @Test(
    "A change of an object that another workspace has replaced meanwhile fails the transaction",
    arguments: [false, true], [false, true])
  func foreignChangesInTheMiddle(isFirstWrite: Bool, submitsBefore: Bool) throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("a", $0) }
    let workspace = isFirstWrite ? store.reopened() : store.workspace
    let other = store.reopened()
    store.perform([Post.self], in: workspace, completing: false) { context in
      let object = workspace.fetch(for: Post.self).all().first
      let stale = PostChangeRequest.changeRequest(Post(title: "a"))
      if submitsBefore { create("b", context) }
      if !submitsBefore {
        store.perform([Post.self], in: other) { context in
          let request = PostChangeRequest.changeRequest(Post(title: "a"))
          request?.priority = 5
          request.map { _ = context.try(submit: $0) }
        }
        // A request that is made now starts from what is stored now.
        #expect(object.flatMap { PostChangeRequest.changeRequest($0) }?.priority == 5)
      }
      stale?.tag = "stale"
      if submitsBefore {
        if let stale { context.try(submit: stale) }
        // What is submitted is checked again when it is written.
        store.perform([Post.self], in: other) { context in
          let request = PostChangeRequest.changeRequest(Post(title: "a"))
          request?.priority = 5
          request.map { _ = context.try(submit: $0) }
        }
      } else {
        #expect(throws: TransactionError.others) { try stale.map { try context.submit($0) } }
      }
    }
    #expect(other.fetch(for: Post.self).all().map(\.priority) == [5])
    #expect(other.fetch(for: Post.self).all().map(\.tag) == [nil])
    #expect(eventually { store.errors.values.contains { $0 is SubmissionError } })
    other.shutdown()
    workspace.shutdown()
  }

  @Test("An error handler can wait for a transaction of another type")
  func anErrorHandlerMayWaitForAnotherTransaction() throws {
    let store = try TestStore()
    let workspaces = Collected<SQLiteWorkspace>()
    let handled = Collected<Bool>()
    let workspace = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection,
      errorHandler: { _ in
        let done = DispatchSemaphore(value: 0)
        workspaces.values[0].performChanges([Thing.self]) { context in
          context.try(submit: ThingChangeRequest.creation(Thing(id: 1)))
        } completionHandler: { success in
          handled.append(success)
          done.signal()
        }
        #expect(done.wait(timeout: .now() + patience) == .success)
      })
    workspaces.append(workspace)
    store.perform([Post.self], in: workspace, completing: false) { context in
      let request = PostChangeRequest.creationRequest(Post(title: "a"))
      context.try(submit: request)
      context.try(submit: request)
    }
    #expect(handled.values == [true])
    workspace.shutdown()
    // The handler holds the workspace, which holds the handler.
    workspaces.removeAll()
  }
}
