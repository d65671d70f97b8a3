import Dflat
import Dispatch
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("A change of an object that was fetched before starts from what is stored")
struct LatestStateTests {
  enum Deleter: CaseIterable {
    case sameWorkspace
    case workspaceOfTheSameFile
    case anotherProcess
  }

  @Test("A change request is nil after the object was deleted, whoever deleted it", arguments: Deleter.allCases)
  func deletedMeanwhile(by deleter: Deleter) throws {
    let store = try TestStore()
    let other = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection, errorHandler: { store.errors.append($0) })
    defer { other.shutdown() }
    for number in 0..<20 {
      let title = "number \(number)"
      store.perform([Post.self]) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
      }
      let post = try #require(store.workspace.fetch(for: Post.self).where(Post.title == title).first)
      // The store knows when it has read the object: or else this would show nothing.
      #expect(post._commitVersion != 0)
      switch deleter {
      case .sameWorkspace: store.perform([Post.self]) { delete(post, $0) }
      case .workspaceOfTheSameFile: store.perform([Post.self], in: other) { delete(post, $0) }
      case .anotherProcess: try store.sql("DELETE FROM post WHERE __pk0 = '\(title)'")
      }
      #expect(isGone(post, in: store))
    }
    #expect(store.errors.values.isEmpty)
  }

  private func delete(_ post: Post, _ context: any TransactionContext) {
    guard let request = PostChangeRequest.deletionRequest(post) else { return }
    context.try(submit: request)
  }

  /// Whether a transaction that writes already finds that the object is not stored.
  private func isGone(_ post: Post, in store: TestStore) -> Bool {
    let gone = Box(false)
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.upsertRequest(Post(title: "another", priority: post.priority + 1)))
      gone.value = PostChangeRequest.changeRequest(post) == nil && PostChangeRequest.deletionRequest(post) == nil
    }
    return gone.value
  }

  @Test("A change request returns nil for an object that a pending transaction has deleted")
  func deletedByATransactionThatIsNotCommittedYet() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<200 {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "number \(number)")))
      }
    }
    let posts = store.workspace.fetch(for: Post.self).all()
    let done = DispatchGroup()
    let found = Box(0)
    // They queue up, and are committed together.
    for post in posts {
      done.enter()
      store.workspace.performChanges([Post.self]) { delete(post, $0) }
      store.workspace.performChanges([Post.self]) { context in
        context.try(submit: PostChangeRequest.upsertRequest(Post(title: "another", priority: Int32(post._rowid))))
        if PostChangeRequest.changeRequest(post) != nil { found.value += 1 }
      } completionHandler: { _ in
        done.leave()
      }
    }
    done.wait()
    #expect(found.value == 0)
  }

  @Test("A change request starts with what the same transaction has submitted before")
  func changedBeforeInTheSameTransaction() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "a", priority: 1)))
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "b", priority: 1)))
    }
    let posts = store.workspace.fetch(for: Post.self).all()
    store.perform([Post.self]) { context in
      for step in 1...3 {
        guard let request = PostChangeRequest.changeRequest(posts[0]) else { continue }
        #expect(request.priority == Int32(step))
        request.priority += 1
        context.try(submit: request)
      }
      delete(posts[1], context)
      #expect(PostChangeRequest.changeRequest(posts[1]) == nil)
    }
    #expect(store.workspace.fetch(for: Post.self).all().map(\.priority) == [4])
  }

  @Test("A change request after an aborted deletion finds the stored object")
  func afterATransactionThatWasAborted() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "a", priority: 1)))
    }
    let post = try #require(store.workspace.fetch(for: Post.self).all().first)
    store.workspace.performChanges([Post.self]) { context in
      delete(post, context)
      context.abort()
      #expect(PostChangeRequest.changeRequest(post) != nil)
    }
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
      #expect(PostChangeRequest.changeRequest(post)?.priority == 1)
    }
  }

  @Test("A request from an earlier transaction does not undo later changes", arguments: [false, true])
  func aRequestOfAnEarlierTransaction(changes: Bool) throws {
    let store = try TestStore()
    let request = Box<PostChangeRequest?>(nil)
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "a", priority: 1)))
    }
    store.perform([Post.self]) { _ in request.value = PostChangeRequest.changeRequest(Post(title: "a")) }
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.upsertRequest(Post(title: "a", priority: 2))) }
    store.perform([Post.self], completing: !changes) { context in
      guard let request = request.value else { return }
      if changes {
        request.tag = "b"
        #expect(throws: TransactionError.others) { try context.submit(request) }
      } else {
        guard case .identity? = context.try(submit: request) else {
          Issue.record("written again")
          return
        }
      }
    }
    #expect(store.workspace.fetch(for: Post.self).all().map(\.priority) == [2])
  }

  @Test("An object that an aborted transaction created does not lead to another object of its row number")
  func anObjectOfATransactionThatWasAbortedLeadsToNoOther() throws {
    let store = try TestStore()
    let object = Box<Post?>(nil)
    store.perform([Post.self], completing: false) { context in
      let request = PostChangeRequest.creationRequest(Post(title: "aborted"))
      if case .inserted(let post)? = context.try(submit: request) { object.value = post }
      context.abort()
    }
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "another"))) }
    let aborted = try #require(object.value)
    store.perform([Post.self]) { _ in #expect(PostChangeRequest.deletionRequest(aborted) == nil) }
  }

  /// What a transaction's closure leaves behind.
  private final class Box<Value>: @unchecked Sendable {
    // Unchecked: transactions of one type run one after another, and the value is read when they have completed.
    var value: Value

    init(_ value: Value) { self.value = value }
  }
}
