import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("The error of a request says what was refused, and why")
struct TransactionErrorTests {
  private func error(
    in store: TestStore, _ types: [Any.Type], completing: Bool = true,
    _ submit: @escaping (any TransactionContext) throws -> Void
  ) -> TransactionError? {
    var found: TransactionError?
    store.perform(types, completing: completing) { context in
      do { try submit(context) } catch { found = error as? TransactionError }
    }
    return found
  }

  @Test("The error for a primary key that is taken names the key and its fields", arguments: [false, true])
  func primaryKey(isLarge: Bool) throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a \"quoted\" title"))) }
    let error = error(in: store, [Post.self]) { context in
      if isLarge {
        for number in 0..<300 { context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)"))) }
      }
      try context.submit(PostChangeRequest.creationRequest(Post(title: "a \"quoted\" title")))
    }
    #expect(error == .objectAlreadyExists)
    guard case .objectAlreadyExists(let key) = error else { return }
    #expect(key.type == "Post" && key.isPrimaryKey)
    #expect(key.fields == [TakenKey.Field(name: "title", value: #""a \"quoted\" title""#)])
    #expect("\(key)" == #"Another Post has the primary key title "a \"quoted\" title"."#)
    #expect(error?.cause == nil && error?.mayBeTriedAgain == false)
  }

  @Test("The error for a unique value that is taken names the value, however it was found", arguments: [false, true])
  func uniqueValue(isLarge: Bool) throws {
    let store = try TestStore()
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 1, note: "n"))) }
    let error = error(in: store, [Thing.self]) { context in
      if isLarge {
        for number in 2..<300 { context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number)))) }
      }
      try context.submit(ThingChangeRequest.creation(Thing(id: 1_000, note: "n")))
    }
    guard case .objectAlreadyExists(let key) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(key.type == "Thing" && !key.isPrimaryKey)
    #expect(key.fields == [TakenKey.Field(name: "f14", value: #""n""#)])
  }

  @Test("A failure of the database has its cause, which is the error that the handler gets")
  func cause() throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    try store.limitPages()
    let error = error(in: store, [Post.self], completing: false) { context in
      let text = String(repeating: "x", count: 100_000)
      for number in 0..<300 {
        try context.submit(PostChangeRequest.creationRequest(Post(title: "\(number) \(text)")))
      }
    }
    #expect(error == .diskFull)
    #expect((error?.cause as? SQLiteError)?.code == 13)
    #expect(error?.mayBeTriedAgain == false)
    #expect(eventually { store.errors.values.contains { ($0 as? SQLiteError)?.code == 13 } })
    store.errors.removeAll()
  }

  @Test("A change of another process says that the transaction may be tried again")
  func changedByOthers() async throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    let other = store.reopened()
    let workspace = store.workspace
    do {
      try await workspace.performChanges([Post.self]) { context in
        let post = workspace.fetch(for: Post.self).first(where: Post.title == "a")
        // The other workspace is first.
        let isChanged = PendingTransaction([Post.self], in: other) { context in
          guard let request = PostChangeRequest.changeRequest(Post(title: "a")) else { return }
          request.priority = 1
          context.try(submit: request)
        }
        #expect(isChanged.outcome() == true)
        guard let post, let request = PostChangeRequest.changeRequest(post) else { return }
        request.priority = 2
        try context.submit(request)
      } as Void
      Issue.record("The transaction is stored.")
    } catch let error as TransactionError {
      #expect(error == .others && error.mayBeTriedAgain, "\(error)")
    }
    await other.shutdown()
    store.errors.removeAll()
  }

  @Test("The cause of a transaction's error after a shutdown says so")
  func shutDown() async throws {
    let store = try TestStore()
    await store.workspace.shutdown()
    await #expect(throws: TransactionError.others) {
      try await store.workspace.performChanges([Post.self]) { _ throws in }
    }
    do {
      try await store.workspace.performChanges([Post.self]) { _ throws in }
    } catch let error as TransactionError {
      #expect(error.cause is StoreError && "\(error)" == "The workspace has been shut down.")
    }
  }

  @Test("Errors are equal if they are of one case, and patterns without a value match")
  func patterns() {
    let taken = TransactionError.objectAlreadyExists(TakenKey())
    #expect(taken == .objectAlreadyExists && taken != .others)
    #expect(Set([.others, TransactionError.others(StoreError.shutDown)]).count == 1)
    let error: any Error = taken
    var matched: [String] = []
    do { throw error } catch TransactionError.objectAlreadyExists { matched.append("catch") } catch {}
    switch taken {
    case .objectAlreadyExists: matched.append("switch")
    case .aborted, .diskFull, .others: break
    }
    #expect(matched == ["catch", "switch"])
  }
}
