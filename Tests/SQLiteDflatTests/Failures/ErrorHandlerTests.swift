import EngineTestSupport
import CSQLite
import Dflat
import Dispatch
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("An error handler may use the workspace that calls it")
struct ErrorHandlerTests {
  /// Where an error turns up.
  enum Source: CaseIterable {
    case fetch
    case closure
    case commit
    case index
    case closing
  }

  private static let refusal: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { _ in 1 }

  /// A workspace whose handler does `action`, once; and an error that is to turn up at `source`.
  private func run(_ source: Source, _ action: @escaping @Sendable (SQLiteWorkspace) -> Void) throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    store.workspace.shutdown()
    if source == .index { try store.sql("DROP TABLE post__f10") }
    let box = Collected<SQLiteWorkspace>()
    let handled = DispatchSemaphore(value: 0)
    let errors = Collected<any Error>()
    let workspace = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection,
      errorHandler: { error in
        errors.append(error)
        guard errors.count == 1 else { return }
        action(box.values[0])
        handled.signal()
      })
    box.append(workspace)
    switch source {
    case .fetch:
      try store.damage("UPDATE post SET p = x'FFFFFFFF00'")
      _ = workspace.fetch(for: Post.self).all()
    case .closure:
      try store.damage("UPDATE post SET p = x'FFFFFFFF00'")
      workspace.performChanges([Post.self]) { _ in _ = workspace.fetch(for: Post.self).all() }
    case .commit:
      sqlite3_commit_hook(try workspace.core.database.writer().connection.handle, Self.refusal, nil)
      workspace.performChanges([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "b"))) }
    case .index:
      sqlite3_commit_hook(try workspace.core.database.writer().connection.handle, Self.refusal, nil)
      _ = workspace.fetch(for: Post.self).where(Post.priority == 3)
    case .closing:
      let other = store.reopened()
      #expect(other.fetch(for: Post.self).count() == 1)
      workspace.shutdown(flags: .truncate)
      other.shutdown()
    }
    #expect(handled.wait(timeout: .now() + patience) == .success)
    workspace.shutdown()
    #expect(errors.count == 1, "\(errors.values)")
    box.removeAll()
  }

  @Test("An error handler can shut down the workspace", arguments: Source.allCases)
  func shutDown(at source: Source) throws {
    try run(source) { $0.shutdown() }
  }

  @Test("An error handler can fetch, and wait for a transaction and for another thread", arguments: Source.allCases)
  func use(at source: Source) throws {
    try run(source) { workspace in
      let done = DispatchGroup()
      _ = workspace.fetch(for: Thing.self).all()
      workspace.fetchWithinASnapshot { _ = workspace.fetch(for: Thing.self).all() }
      done.enter()
      workspace.performChanges([Thing.self]) { _ in
        _ = workspace.fetch(for: Thing.self).count()
      } completionHandler: { _ in
        done.leave()
      }
      if source == .closing {
        done.enter()
        Thread.detachNewThread {
          workspace.shutdown()
          done.leave()
        }
      }
      #expect(done.wait(timeout: .now() + patience) == .success)
    }
  }

  @Test(
    "An error handler can wait for a transaction that needs the writer of the closure in which a key cannot be read",
    arguments: [false, true])
  func closureWithWriter(readingByAnother isReadByAnother: Bool) throws {
    let store = try TestStore()
    store.workspace.dictionary["text"] = "no number"
    #expect(store.workspace.dictionary.synchronize())
    let held = Locked<SQLiteWorkspace?>(nil)
    let hasWaited = Gate()
    func open() -> SQLiteWorkspace {
      SQLiteWorkspace(
        filePath: store.path, fileProtectionLevel: .noProtection,
        errorHandler: { _ in
          guard let workspace = held.value else { return }
          let next = PendingTransaction([Post.self], in: workspace) {
            $0.try(submit: PostChangeRequest.creationRequest(Post(title: "an error")))
          }
          if next.outcome() == true { hasWaited.open() }
        })
    }
    let (workspace, another) = (open(), open())
    held.value = workspace
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { _ in }
    let transaction = PendingTransaction([Thing.self], in: workspace) { context in
      // Takes the writer.
      _ = context.dictionary["absent", Int.self]
      if isReadByAnother {
        _ = another.dictionary["text", Int.self]
      } else {
        workspace.dictionary["key"] = "no number"
      }
    }
    #expect(hasWaited.wait())
    #expect(transaction.outcome() == true)
    subscription.cancel()
    held.value = nil
    another.shutdown()
    workspace.shutdown()
  }

  @Test("A shutdown returns after the error handler was told of an error that was handed over before")
  func shutdownAfterError() throws {
    let (store, errors) = (try TestStore(), Collected<any Error>())
    let workspace = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection,
      errorHandler: {
        // Longer than a shutdown takes, as a rule.
        usleep(300_000)
        errors.append($0)
      })
    workspace.waitForCallbacks()
    workspace.core.reportLater(StoreError.shutDown)
    workspace.shutdown()
    #expect(errors.count == 1)
  }

  @Test("A shutdown returns after the error handler was told of a key that the background has dropped")
  func shutdownAfterDroppedKey() throws {
    let (store, errors) = (try TestStore(), Collected<any Error>())
    store.workspace.dictionary["key"] = 1
    #expect(store.workspace.dictionary.synchronize())
    store.workspace.shutdown()
    let workspace = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection, role: .reader,
      errorHandler: {
        usleep(300_000)
        errors.append($0)
      })
    workspace.waitForCallbacks()
    workspace.dictionary["key"] = 2
    // The background drops it, so that nothing is left for the shutdown to write.
    #expect(eventually { !workspace.core.dictionary.cache.hasPending })
    workspace.shutdown()
    #expect(errors.values.count { $0 is DictionaryError } == 1, "\(errors.values)")
  }

  @Test("An error that an error handler causes is reported to it once")
  func nestedErrors() throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    store.workspace.shutdown()
    try store.damage("UPDATE post SET p = x'FFFFFFFF00'")
    let box = Collected<SQLiteWorkspace>()
    let depths = Collected<Int>()
    let depth = Locked(0)
    let workspace = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection,
      errorHandler: { _ in
        depths.append(
          depth.change {
            $0 += 1; return $0
          })
        _ = box.values[0].fetch(for: Post.self).all()
        depth.change { $0 -= 1 }
      })
    box.append(workspace)
    for _ in 0..<2 { _ = workspace.fetch(for: Post.self).all() }
    // Each fetch in turn.
    #expect(depths.values == [1, 2, 1, 2])
    workspace.shutdown()
    box.removeAll()
  }

  /// What an error handler does with the workspace that has failed.
  enum Work: CaseIterable {
    case transaction
    case task

    func begin(in workspace: SQLiteWorkspace, _ completion: @escaping @Sendable (_ success: Bool) -> Void) {
      switch self {
      case .transaction:
        workspace.performChanges([Post.self], changesHandler: Work.change, completionHandler: completion)
      case .task:
        Task { completion(await workspace.performChanges([Post.self], changesHandler: Work.change)) }
      }
    }

    private static let change: @Sendable (any TransactionContext) -> Void = {
      $0.try(submit: PostChangeRequest.creationRequest(Post(title: "an error")))
    }
  }

  @Test("A handler that stores each error is not called for ever when nothing can be stored", arguments: Work.allCases)
  func storedErrors(by work: Work) async throws {
    let store = try TestStore()
    await store.workspace.shutdown()
    let (box, errors, outcomes) = (Collected<SQLiteWorkspace>(), Collected<any Error>(), Collected<Bool>())
    let ended = DispatchSemaphore(value: 0)
    let completion: @Sendable (Bool) -> Void = {
      outcomes.append($0)
      ended.signal()
    }
    let workspace = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection,
      errorHandler: { error in
        errors.append(error)
        // Without an end, the test would have none either.
        if errors.count < 20 { work.begin(in: box.values[0], completion) }
      })
    box.append(workspace)
    sqlite3_commit_hook(try workspace.core.database.writer().connection.handle, Self.refusal, nil)
    work.begin(in: workspace, completion)
    // The app's transaction, that of the handler, and that of the call for the handler's own error.
    let haveEnded = await onThread { (0..<3).allSatisfy { _ in ended.wait(timeout: .now() + patience) == .success } }
    #expect(haveEnded)
    await workspace.shutdown()
    #expect(outcomes.values == [false, false, false])
    #expect(errors.count == 2, "\(errors.values)")
    box.removeAll()
  }

  @Test("A handler that fetches from a file that cannot be opened is called once for its own fetch")
  func unopenedFile() throws {
    let (box, errors) = (Collected<SQLiteWorkspace>(), Collected<any Error>())
    let workspace = SQLiteWorkspace(
      filePath: "/no such folder/of a file", fileProtectionLevel: .noProtection,
      errorHandler: { error in
        errors.append(error)
        if errors.count < 20 { _ = box.values[0].fetch(for: Post.self).all() }
      })
    box.append(workspace)
    _ = workspace.fetch(for: Post.self).all()
    #expect(errors.count == 2)
    _ = workspace.fetch(for: Post.self).all()
    #expect(errors.count == 4, "each error of the app is told")
    workspace.shutdown()
    box.removeAll()
  }

  @Test("A handler that is called on a Dispatch queue, and fetches there, is called once for its own fetch")
  func onTargetQueue() {
    let (box, errors) = (Collected<SQLiteWorkspace>(), Collected<any Error>())
    let workspace = SQLiteWorkspace(
      filePath: "/no such folder/of a file", fileProtectionLevel: .noProtection,
      targetQueue: DispatchQueue(label: "target"),
      errorHandler: { error in
        errors.append(error)
        if errors.count < 20 { _ = box.values[0].fetch(for: Post.self).all() }
      })
    box.append(workspace)
    workspace.performChanges([Post.self]) { _ in _ = workspace.fetch(for: Post.self).all() }
    #expect(eventually { errors.count >= 2 })
    workspace.shutdown()
    #expect(errors.count == 2, "\(errors.values)")
    box.removeAll()
  }
}
