import EngineTestSupport
import Dflat
import Dispatch
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("A shutdown finishes what has begun and closes everything")
struct ShutdownTests {
  @Test("Transactions that were accepted are stored, and later ones are not")
  func whatHasBegunIsStoredAndWhatComesLaterIsNot() throws {
    let store = try TestStore()
    let outcomes = Collected<(Int, Bool)>()
    for number in 0..<50 {
      store.workspace.performChanges([Post.self]) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
      } completionHandler: {
        outcomes.append((number, $0))
      }
    }
    store.workspace.shutdown()
    #expect(outcomes.count == 50)
    #expect(outcomes.values.allSatisfy { $0.1 })
    store.perform([Post.self], completing: false) { _ in Issue.record("ran after the shutdown") }
    #expect(store.workspace.fetch(for: Post.self).all().isEmpty)
    #expect(store.workspace.fetchWithinASnapshot { store.workspace.fetch(for: Post.self).all().isEmpty })
    store.workspace.shutdown()
    let other = store.reopened()
    #expect(other.fetch(for: Post.self).all().count == 50)
    other.shutdown()
    #expect(store.errors.values.isEmpty)
  }

  @Test("A transaction that has begun can still fetch and submit while the workspace shuts down")
  func aTransactionMayStillFetchWhileTheWorkspaceCloses() throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    let begun = DispatchSemaphore(value: 0)
    let closing = DispatchSemaphore(value: 0)
    let closed = DispatchSemaphore(value: 0)
    store.workspace.performChanges([Post.self]) { [workspace = store.workspace] context in
      begun.signal()
      closing.wait()
      #expect(workspace.fetch(for: Post.self).all().count == 1)
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
      #expect(workspace.fetch(for: Post.self).all().count == 2)
    }
    begun.wait()
    store.workspace.shutdown { closed.signal() }
    #expect(store.workspace.fetch(for: Post.self).all().isEmpty)
    closing.signal()
    #expect(closed.wait(timeout: .now() + patience) == .success)
    let other = store.reopened()
    #expect(other.fetch(for: Post.self).all().count == 2)
    other.shutdown()
  }

  @Test("A completion handler can shut down the workspace")
  func aCompletionHandlerMayShutTheWorkspaceDown() throws {
    let store = try TestStore()
    let done = DispatchSemaphore(value: 0)
    store.workspace.performChanges([Post.self]) { _ in
    } completionHandler: { [workspace = store.workspace] _ in
      workspace.shutdown()
      done.signal()
    }
    #expect(done.wait(timeout: .now() + patience) == .success)
  }

  @Test("Fetches beside a shutdown show all that is stored, or nothing once it has begun")
  func fetchesBesideAShutdown() throws {
    for _ in 0..<20 {
      let store = try TestStore()
      store.perform([Post.self]) { context in
        for number in 0..<10 { context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)"))) }
      }
      let workspace = store.workspace
      let (whole, empty, isShutDown) = (Locked(0), Locked(0), Gate())
      let fetching = BackgroundThreads(4) { _ in
        var last = 10
        while !isShutDown.isOpen {
          let count = workspace.fetch(for: Post.self).all().count
          #expect(count == last || count == 0 && last == 10)
          last = count
          (count == 0 ? empty : whole).change { $0 += 1 }
        }
        #expect(workspace.fetch(for: Post.self).all().isEmpty)
      }
      #expect(eventually { whole.value >= 8 })
      // The shutdown begins, and ends in the midst of fetches.
      let (mayEnd, closed) = (Gate(), Gate())
      let transaction = PendingTransaction([Post.self], in: workspace) { _ in mayEnd.wait() }
      workspace.shutdown { closed.open() }
      #expect(eventually { empty.value >= 8 })
      mayEnd.open()
      #expect(transaction.outcome() == true)
      #expect(closed.wait())
      isShutDown.open()
      #expect(fetching.end())
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    }
  }

  @Test("Several completion handlers may shut the workspace down at the same time, beside a thread that does so")
  func severalHandlersShutDown() throws {
    for _ in 0..<5 {
      let store = try TestStore()
      let workspace = store.workspace
      let (mayGoOn, entered) = (Gate(), Locked(0))
      // None waits for another, so that their handlers may run at once; each blocks, so that others are called elsewhere.
      let transactions = (0..<4).map { number in
        PendingTransaction([Post.self], in: workspace) { _ in
          entered.change { $0 += 1 }
          mayGoOn.wait()
          usleep(UInt32(number) * 2_000)
          workspace.shutdown()
        } _: {
          $0.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
        }
      }
      #expect(eventually { entered.value == 4 })
      mayGoOn.open()
      workspace.shutdown()
      for each in transactions { #expect(each.outcome() == true) }
      let other = store.reopened()
      #expect(other.fetch(for: Post.self).count() == 4)
      other.shutdown()
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    }
  }

  @Test("A handler of query events and one of transaction events may shut the workspace down at the same time")
  func eventHandlersShutDown() throws {
    let store = try TestStore()
    let workspace = store.workspace
    let (mayGoOn, entered, left) = (Gate(), Locked(0), Locked(0))
    let shutDown: @Sendable () -> Void = {
      entered.change { $0 += 1 }
      mayGoOn.wait()
      workspace.shutdown()
      left.change { $0 += 1 }
    }
    let subscriptions = [workspace.onQuery { _ in shutDown() }, workspace.onTransaction { _ in shutDown() }]
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    #expect(workspace.fetch(for: Post.self).count() == 1)
    #expect(eventually { entered.value == 2 })
    mayGoOn.open()
    #expect(eventually { left.value >= 2 })
    for subscription in subscriptions { subscription.cancel() }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A shutdown with .vacuum and .truncate leaves one compact file without a log")
  func truncatingLeavesOneFile() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<500 {
        context.try(
          submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: String(repeating: "x", count: 500))))
      }
    }
    store.perform([Post.self]) { context in
      for post in store.workspace.fetch(for: Post.self).where(Post.title > "1") {
        PostChangeRequest.deletionRequest(post).map { _ = context.try(submit: $0) }
      }
    }
    store.workspace.shutdown(flags: [.vacuum, .truncate])
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder) == ["store.sqlite3"])
    #expect(try store.sql("PRAGMA journal_mode") == [["delete"]])
    #expect(try store.sql("PRAGMA freelist_count") == [["0"]])
    #expect(store.errors.values.isEmpty)
    // The file is as good as before.
    let other = store.reopened()
    #expect(other.fetch(for: Post.self).all().map(\.title) == ["0", "1"])
    other.shutdown()
  }

  @Test("A second shutdown carries out its own flags, too")
  func whatALaterShutdownAsksForBesidesIsDoneToo() throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    let other = store.reopened()
    #expect(other.fetch(for: Post.self).count() == 1)
    store.workspace.shutdown()
    store.workspace.shutdown(flags: .truncate)
    // Not while another has the file open.
    #expect(store.errors.values.map { ($0 as? SQLiteError)?.code } == [5])
    store.workspace.shutdown()
    #expect(store.errors.count == 1)
    other.shutdown()
    store.workspace.shutdown(flags: .truncate)
    #expect(try store.sql("PRAGMA journal_mode") == [["delete"]])
    #expect(store.errors.count == 1)
  }

  @Test("A shutdown that removes the log ends although threads ask for snapshots and keys")
  func truncatingBesideReaders() throws {
    for round in 0..<10 {
      let store = try TestStore()
      store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
      store.workspace.dictionary["key", Int.self] = round
      store.workspace.dictionary.synchronize()
      let isOver = Gate()
      let readers = BackgroundThreads(3) { number in
        while !isOver.isOpen {
          if number == 0 {
            _ = store.workspace.dictionary["key", Int.self]
          } else {
            store.workspace.fetchWithinASnapshot { _ = store.workspace.fetch(for: Post.self).count() }
          }
        }
      }
      usleep(UInt32(round * 300))
      store.workspace.shutdown(flags: .truncate)
      // One that opens the file again to do what was not done yet.
      store.workspace.shutdown(flags: [.truncate, .vacuum])
      isOver.open()
      #expect(readers.end())
      #expect(store.errors.values.isEmpty)
      #expect(try store.sql("PRAGMA journal_mode") == [["delete"]])
    }
  }

  #if os(Linux)
    @Test("A workspace that is shut down keeps no file descriptor of its folder open")
    func noFileStaysOpen() throws {
      let store = try TestStore()
      store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
      DispatchQueue.concurrentPerform(iterations: 8) { _ in _ = store.workspace.fetch(for: Post.self).all() }
      func openFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
          // A descriptor of another test may be closed by now.
          try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }.filter { $0.hasPrefix(store.folder) }
      }
      #expect(try !openFiles().isEmpty)
      store.workspace.shutdown()
      #expect(try openFiles().isEmpty)
    }
  #endif
}
