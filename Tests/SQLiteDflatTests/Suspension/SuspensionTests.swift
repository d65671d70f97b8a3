import Dflat
import Dispatch
import EngineTestSupport
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

#if os(Linux)
  @Suite("A suspended workspace holds no lock, and goes on when it is resumed")
  struct SuspensionTests {
    private func insert(_ title: String, in workspace: SQLiteWorkspace) -> PendingTransaction {
      PendingTransaction([Post.self], in: workspace) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
      }
    }

    private func titles(_ workspace: SQLiteWorkspace) -> [String] {
      workspace.fetch(for: Post.self).all().map(\.title).sorted()
    }

    /// Why the workspace cannot be suspended in a short time; nil if it is.
    private func failure(toSuspend workspace: SQLiteWorkspace) -> SuspensionError? {
      do throws(SuspensionError) {
        try workspace.suspend(within: .milliseconds(30))
        return nil
      } catch {
        return error
      }
    }

    @Test("An open store holds locks, which this test can see; a suspended one holds none")
    func locks() throws {
      let posts = try PostStore()
      posts.insert("a")
      #expect(titles(posts.workspace) == ["a"])
      let locks = FileLocks(of: posts.store.path)
      #expect(!locks.held.isEmpty)
      try posts.workspace.suspend(within: .seconds(patience))
      #expect(locks.held.isEmpty && posts.workspace.isSuspended)
      try posts.workspace.suspend(within: .zero)
      #expect(locks.held.isEmpty)
      posts.workspace.resume()
      #expect(!posts.workspace.isSuspended && titles(posts.workspace) == ["a"])
      posts.workspace.resume()
      posts.insert("b")
      #expect(titles(posts.workspace) == ["a", "b"] && posts.store.errors.values.isEmpty)
    }

    @Test("A store that was never opened is suspended, and does not make its file")
    func unopened() throws {
      let store = try TestStore()
      try store.workspace.suspend(within: .seconds(patience))
      #expect(titles(store.workspace) == [])
      #expect(store.errors.values.map { "\($0)" } == ["\(SuspensionError.suspended)"])
      #expect(!FileManager.default.fileExists(atPath: store.path))
      store.workspace.resume()
      #expect(titles(store.workspace) == [] && store.errors.count == 1)
    }

    @Test("Transactions wait for the end of the suspension, and run once")
    func transactionsWait() throws {
      let posts = try PostStore()
      posts.insert("a")
      let (gate, runs) = (Gate(), Locked(0))
      // This one has begun, has collected, and returns while the store is suspended.
      let begun = PendingTransaction([Post.self], in: posts.workspace) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
        gate.wait()
      }
      // This one fetches while the store is suspended.
      let fetching = PendingTransaction([Thing.self], in: posts.workspace) { context in
        gate.wait()
        let count = posts.workspace.fetch(for: Post.self).count()
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(count))))
      }
      #expect(begun.starts() && fetching.starts())
      try posts.workspace.suspend(within: .seconds(patience))
      gate.open()
      let later = PendingTransaction([Post.self], in: posts.workspace) { context in
        runs.change { $0 += 1 }
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "c")))
      }
      #expect(begun.outcome(within: 0.05) == nil && later.outcome(within: 0.05) == nil)
      #expect(!later.hasStarted && !fetching.hasCompleted && FileLocks(of: posts.store.path).held.isEmpty)
      posts.workspace.resume()
      #expect(begun.outcome() == true && later.outcome() == true && fetching.outcome() == true)
      #expect(titles(posts.workspace) == ["a", "b", "c"] && runs.value == 1)
      let thing = try #require(posts.workspace.fetch(for: Thing.self).all().first)
      #expect((1...3).contains(thing.id) && posts.store.errors.values.isEmpty, "\(posts.store.errors.values)")
    }

    @Test("Changes of another process during a suspension are not overwritten")
    func foreignCommits() throws {
      let posts = try PostStore()
      posts.insert("a")
      let gate = Gate()
      let update = PendingTransaction([Post.self], in: posts.workspace) { context in
        guard let request = PostChangeRequest.changeRequest(Post(title: "a")) else { return }
        request.priority += 1
        context.try(submit: request)
        gate.wait()
      }
      #expect(update.starts() && eventually { titles(posts.workspace) == ["a"] })
      usleep(20_000)
      try posts.workspace.suspend(within: .seconds(patience))
      gate.open()
      let other = posts.store.reopened()
      posts.store.perform([Post.self], in: other) { context in
        guard let request = PostChangeRequest.changeRequest(Post(title: "a")) else { return }
        request.priority = 10
        context.try(submit: request)
      }
      other.shutdown()
      posts.workspace.resume()
      #expect(update.outcome() == false)
      #expect(try posts.post("a").priority == 10)
      #expect(eventually { posts.store.errors.count == 1 })
    }

    @Test("Subscribers, also new ones, get the changes that others made during a suspension after it, without an error")
    func subscribers() throws {
      let posts = try PostStore()
      posts.insert("a")
      let (results, lateResults) = (Collected<[String]>(), Collected<[String]>())
      let subscription = posts.workspace.subscribe(fetchedResult: posts.workspace.fetch(for: Post.self).all()) {
        results.append($0.map(\.title))
      }
      let ordered = posts.workspace.fetch(for: Post.self).all(orderBy: Post.title.descending)
      try posts.workspace.suspend(within: .seconds(patience))
      let lateSubscription = posts.workspace.subscribe(fetchedResult: ordered) { lateResults.append($0.map(\.title)) }
      let other = posts.store.reopened()
      posts.store.perform([Post.self], in: other) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
      }
      other.shutdown()
      usleep(100_000)
      #expect(FileLocks(of: posts.store.path).held.isEmpty && results.values.isEmpty)
      posts.workspace.resume()
      #expect(eventually { results.values.last == ["a", "b"] && lateResults.values.last == ["b", "a"] })
      #expect(posts.store.errors.values.isEmpty, "\(posts.store.errors.values)")
      subscription.cancel()
      lateSubscription.cancel()
    }

    @Test("Keys of the dictionary that are set meanwhile are written after it")
    func dictionary() throws {
      let store = try TestStore()
      store.workspace.dictionary["a"] = 1
      #expect(store.workspace.dictionary.synchronize())
      try store.workspace.suspend(within: .seconds(patience))
      store.workspace.dictionary["b"] = 2
      #expect(store.workspace.dictionary["b", Int.self] == 2)
      #expect(!store.workspace.dictionary.synchronize() && eventually { store.errors.count == 1 })
      usleep(50_000)
      #expect(FileLocks(of: store.path).held.isEmpty)
      store.workspace.resume()
      #expect(store.workspace.dictionary.synchronize())
      #expect(store.workspace.dictionary["a", Int.self] == 1)
      let other = store.reopened()
      #expect(other.dictionary["b", Int.self] == 2)
      other.shutdown()
    }

    @Test("A long log is put into the file before, a short one stays", arguments: [1, 3000])
    func log(count: Int) throws {
      let store = try TestStore()
      let text = String(repeating: "x", count: 2000)
      store.perform([Post.self]) { context in
        for number in 0..<count {
          context.try(submit: PostChangeRequest.creationRequest(Post(title: text + "\(number)")))
        }
      }
      try store.workspace.suspend(within: .seconds(patience))
      let attributes = try FileManager.default.attributesOfItem(atPath: store.path + "-wal")
      #expect((attributes[.size] as? Int64 == 0) == (count > 1))
      #expect(FileLocks(of: store.path).held.isEmpty)
      store.workspace.resume()
      #expect(titles(store.workspace).count == count && store.errors.values.isEmpty)
    }

    // MARK: What holds it up

    @Test("A transaction that has the writer may end in half the time")
    func writerEnds() throws {
      let posts = try PostStore()
      let (gate, isWriting) = (Gate(), Gate())
      let writing = PendingTransaction([Post.self], in: posts.workspace) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
        #expect(posts.workspace.fetch(for: Post.self).count() == 1)
        isWriting.open()
        gate.wait()
        #expect(posts.workspace.fetch(for: Post.self).count() == 1)
      }
      #expect(isWriting.wait())
      let core = posts.workspace.core
      let ending = BackgroundThreads { _ in
        #expect(eventually { core.committer.withState { $0.suspension.phase == .beginning } })
        gate.open()
      }
      try posts.workspace.suspend(within: .seconds(patience))
      #expect(ending.end() && writing.outcome() == true && FileLocks(of: posts.store.path).held.isEmpty)
      posts.workspace.resume()
      #expect(titles(posts.workspace) == ["a"] && posts.store.errors.values.isEmpty)
    }

    @Test(
      "A transaction that keeps the writer longer fails at its next use of the store, and may be tried again",
      arguments: [true, false])
    func writerFails(bySubmitting: Bool) throws {
      let posts = try PostStore()
      let isWriting = Gate()
      let error = Locked<TransactionError?>(nil)
      let writing = PendingTransaction([Post.self], in: posts.workspace) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
        #expect(posts.workspace.fetch(for: Post.self).count() == 1)
        isWriting.open()
        for number in 0... {
          usleep(1000)
          if !bySubmitting, posts.workspace.fetch(for: Post.self).count() != 1 { return }
          do {
            if bySubmitting { try context.submit(PostChangeRequest.creationRequest(Post(title: "\(number)"))) }
          } catch let failure as TransactionError {
            return error.value = failure
          } catch {
            Issue.record(error)
          }
        }
      }
      #expect(isWriting.wait())
      // The closure has half of the time to notice, which may be too little on a busy machine. Then all goes on, until it is enough.
      #expect(eventually { (try? posts.workspace.suspend(within: .milliseconds(500))) != nil })
      #expect(FileLocks(of: posts.store.path).held.isEmpty)
      #expect(writing.outcome() == false)
      if bySubmitting {
        #expect(error.value?.mayBeTriedAgain == true && error.value?.cause as? SuspensionError == .suspended)
      }
      posts.workspace.resume()
      #expect(titles(posts.workspace) == [])
      posts.insert("b")
      #expect(titles(posts.workspace) == ["b"])
    }

    @Test("A closure that has the writer and never ends makes it fail in time, and everything goes on")
    func endlessClosure() throws {
      let posts = try PostStore()
      let (gate, isWriting) = (Gate(), Gate())
      let writing = PendingTransaction([Post.self], in: posts.workspace) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
        _ = posts.workspace.fetch(for: Post.self).count()
        isWriting.open()
        gate.wait()
      }
      #expect(isWriting.wait())
      let waiting = insert("b", in: posts.workspace)
      #expect(throws: SuspensionError.transactionInProgress) { try posts.workspace.suspend(within: .milliseconds(30)) }
      #expect(!posts.workspace.isSuspended)
      gate.open()
      #expect(writing.outcome() == true && waiting.outcome() == true && titles(posts.workspace) == ["a", "b"])
    }

    @Test("A snapshot that stays open makes it fail in time, and everything goes on")
    func openSnapshot() throws {
      let posts = try PostStore()
      posts.insert("a")
      let (gate, isOpen) = (Gate(), Gate())
      let reading = BackgroundThreads { _ in
        posts.workspace.fetchWithinASnapshot {
          #expect(titles(posts.workspace) == ["a"])
          isOpen.open()
          gate.wait()
          #expect(titles(posts.workspace) == ["a"])
        }
      }
      #expect(isOpen.wait())
      // On a busy machine, the time may be over before the writer is free, which another error tells.
      #expect(eventually { failure(toSuspend: posts.workspace) == .readingInProgress })
      posts.insert("b")
      gate.open()
      #expect(reading.end() && titles(posts.workspace) == ["a", "b"] && posts.store.errors.values.isEmpty)
      try posts.workspace.suspend(within: .seconds(patience))
      #expect(FileLocks(of: posts.store.path).held.isEmpty)
    }

    @Test("A suspension inside of a transaction or a snapshot is refused")
    func inside() throws {
      let posts = try PostStore()
      posts.insert("a")
      _ = posts.workspace.fetchWithinASnapshot {
        #expect(throws: SuspensionError.calledInside) { try posts.workspace.suspend() }
      }
      posts.store.perform([Post.self]) { _ in
        #expect(throws: SuspensionError.calledInside) { try posts.workspace.suspend() }
      }
      #expect(titles(posts.workspace) == ["a"])
    }

    @Test("A fetch, a snapshot and a read of a key fail at once, and say why")
    func fetches() throws {
      let posts = try PostStore()
      posts.insert("a")
      try posts.workspace.suspend(within: .seconds(patience))
      #expect(throws: StoreError.self) { try posts.workspace.fetch(for: Post.self).throwing.all() }
      #expect(posts.store.errors.values.isEmpty)
      #expect(titles(posts.workspace) == [])
      #expect(posts.workspace.fetchWithinASnapshot { titles(posts.workspace) } == [])
      #expect(posts.workspace.dictionary["a", Int.self] == nil)
      #expect(posts.store.errors.count >= 3)
      posts.workspace.resume()
      #expect(titles(posts.workspace) == ["a"])
    }

    // MARK: Resuming and closing meanwhile

    @Test("A suspension that still waits throws when the workspace is resumed")
    func resumedMeanwhile() throws {
      let posts = try PostStore()
      posts.insert("a")
      let (gate, isOpen) = (Gate(), Gate())
      let reading = BackgroundThreads { _ in
        posts.workspace.fetchWithinASnapshot {
          isOpen.open()
          gate.wait()
        }
      }
      #expect(isOpen.wait())
      let core = posts.workspace.core
      let resuming = BackgroundThreads { _ in
        #expect(eventually { core.committer.withState { $0.suspension.phase == .beginning } })
        posts.workspace.resume()
      }
      #expect(throws: SuspensionError.resumed) { try posts.workspace.suspend(within: .seconds(patience)) }
      gate.open()
      posts.insert("b")
      #expect(resuming.end() && reading.end() && titles(posts.workspace) == ["a", "b"])
    }

    @Test("A shutdown carries out what has waited, and does not hang", arguments: [false, true])
    func shutdownWhileSuspended(waits: Bool) throws {
      let posts = try PostStore()
      posts.insert("a")
      try posts.workspace.suspend(within: .seconds(patience))
      let waiting = insert("b", in: posts.workspace)
      posts.workspace.dictionary["key"] = 1
      if waits {
        posts.workspace.shutdown()
      } else {
        let closed = Gate()
        posts.workspace.shutdown { closed.open() }
        #expect(closed.wait())
      }
      #expect(waiting.outcome() == true && FileLocks(of: posts.store.path).held.isEmpty)
      try posts.workspace.suspend(within: .seconds(patience))
      posts.workspace.resume()
      #expect(!posts.workspace.isSuspended && posts.store.errors.values.isEmpty)
      let other = posts.store.reopened()
      #expect(titles(other) == ["a", "b"] && other.dictionary["key", Int.self] == 1)
      other.shutdown()
    }

    @Test("A suspension during a shutdown waits until no lock is held, or fails in time")
    func shuttingDown() throws {
      let posts = try PostStore()
      posts.insert("a")
      let (gate, isOpen, closed) = (Gate(), Gate(), Gate())
      let reading = BackgroundThreads { _ in
        posts.workspace.fetchWithinASnapshot {
          isOpen.open()
          gate.wait()
        }
      }
      #expect(isOpen.wait())
      posts.workspace.shutdown { closed.open() }
      #expect(throws: SuspensionError.self) { try posts.workspace.suspend(within: .milliseconds(30)) }
      gate.open()
      try posts.workspace.suspend(within: .seconds(patience))
      #expect(FileLocks(of: posts.store.path).held.isEmpty && closed.wait() && reading.end())
    }

    @Test("On a serial target queue, transactions that wait begin after the suspension")
    func targetQueue() async throws {
      let store = try TestStore()
      let queue = DispatchQueue(label: "test")
      let workspace = SQLiteWorkspace(
        filePath: store.path, fileProtectionLevel: .noProtection, targetQueue: queue,
        errorHandler: { store.errors.append($0) })
      try await workspace.suspend(within: .seconds(patience))
      let waiting = insert("a", in: workspace)
      queue.sync { workspace.resume() }
      #expect(waiting.outcome() == true && store.errors.values.isEmpty)
      // A closure that goes on would keep the queue on which the store is resumed.
      let (gate, isOpen) = (Gate(), Gate())
      let open = PendingTransaction([Post.self], in: workspace) { context in
        isOpen.open()
        gate.wait()
        #expect(workspace.fetch(for: Post.self).count() == 0)
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
      }
      #expect(isOpen.wait())
      try await workspace.suspend(within: .seconds(patience))
      gate.open()
      queue.sync { workspace.resume() }
      #expect(open.outcome() == false && titles(workspace) == ["a"])
      #expect(eventually { store.errors.values.first is SuspensionError }, "\(store.errors.values)")
      await workspace.shutdown(flags: [])
    }
  }
#endif
