#if compiler(>=6.3) && os(Linux)
  import EngineTestSupport
  import Dflat
  import Foundation
  import Golden_post
  import SQLiteDflat
  import Testing

  /// In processes of their own, where no other test needs memory.
  @Suite("The store takes many transactions at a time, and a large one")
  struct ManyTransactionsTests {
    private static func setting(_ name: String) -> Int? {
      ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// The sanitizers slow everything down, and keep what has been freed.
    private static let isSanitized = ProcessInfo.processInfo.environment["DFLAT_SANITIZED"] != nil

    // MARK: Many

    /// DFLAT_QUEUED_TRANSACTIONS sets how many transactions are queued.
    private static let queueLength = setting("DFLAT_QUEUED_TRANSACTIONS") ?? (isSanitized ? 5_000 : 200_000)
    private static let keys: Int64 = 50

    @Test("All transactions of a long queue are stored and completed, in order")
    func aLongQueue() async {
      await #expect(processExitsWith: .success) { [count = ManyTransactionsTests.queueLength as Int] in
        try await onThread { Result { try ManyTransactionsTests.queueUp(count) } }.get()
      }
    }

    private static func queueUp(_ count: Int) throws {
      let store = try TestStore()
      let workspace = store.workspace
      let registers = RegisterType.all[0]
      store.perform([registers.type]) { context in
        for key in 0..<keys { #expect(throws: Never.self) { try registers.create(context, key, 0) } }
      }
      let (gate, done) = (Gate(), Gate())
      let blocker = PendingTransaction([registers.type], in: workspace) { _ in gate.wait() }
      // What the closures have counted; each is the only one of its type that runs.
      let counters = Locked([Int64](repeating: 0, count: Int(keys)))
      let ran = Locked(0)
      let outOfOrder = Locked(0)
      let completed = Locked((successes: 0, all: 0))
      for number in 0..<count {
        workspace.performChanges([registers.type]) { context in
          let position = ran.change { (ran: inout Int) in
            defer { ran += 1 }
            return ran
          }
          if position != number { outOfOrder.change { $0 += 1 } }
          // Most are short, so that the test is, too: it is about their number.
          guard number % 8 == 0 else { return }
          let key = number / 8 % Int(keys)
          let value = counters.change { counters in
            counters[key] += 1
            return counters[key]
          }
          _ = try? registers.write(context, Int64(key), value)
        } completionHandler: { success in
          let all = completed.change { completed in
            completed.all += 1
            if success { completed.successes += 1 }
            return completed.all
          }
          if all == count { done.open() }
        }
      }
      gate.open()
      #expect(blocker.outcome() == true)
      #expect(done.wait(), "\(completed.value.all) of \(count) transactions have completed")
      #expect(completed.value.successes == count && outOfOrder.value == 0)
      let expected = Dictionary(
        uniqueKeysWithValues: counters.value.enumerated().map { (Int64($0.offset), $0.element) })
      #expect(registers.readAll(workspace) == expected)
      #expect(expected.values.reduce(0, +) == Int64((count + 7) / 8))
      workspace.shutdown()
      #expect(store.errors.values.isEmpty, "\(store.errors.values.prefix(3))")
    }

    // MARK: Large

    /// DFLAT_TRANSACTION_CHANGES sets how many objects a transaction changes: 1,000,000 take some minutes.
    private static let changeCount = setting("DFLAT_TRANSACTION_CHANGES") ?? (isSanitized ? 5_000 : 40_000)
    /// In bytes: each object has that much, so that a copy of all would be seen.
    private static let objectSize = 1000
    /// In bytes: what a transaction may need, however many changes it makes. SQLite's page caches take a part of it. A copy of
    /// the smallest number of objects would take 40 MB.
    private static let bound = 24_000_000

    enum Kind: Int, CaseIterable {
      case creations
      case updates
      case deletions
    }

    @Test(
      "A transaction of many changes needs bounded memory, also beside subscribers to other objects",
      arguments: Kind.allCases, [false, true])
    func aLargeTransaction(kind: Kind, isObserved: Bool) async {
      await #expect(processExitsWith: .success) {
        [
          kind = kind.rawValue as Int, isObserved = isObserved as Bool,
          count = ManyTransactionsTests.changeCount as Int
        ] in
        try await onThread {
          Result { try ManyTransactionsTests.change(count, Kind(rawValue: kind) ?? .creations, isObserved: isObserved) }
        }.get()
      }
    }

    private static func change(_ count: Int, _ kind: Kind, isObserved: Bool) throws {
      let store = try TestStore()
      let tag = String(repeating: "x", count: objectSize)
      if kind != .creations {
        let created = PendingTransaction([Post.self], in: store.workspace) { context in
          for number in 0..<count {
            context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: tag, priority: 1)))
          }
        }
        #expect(created.outcome(within: 1800) == true)
        store.workspace.shutdown()
      }
      let workspace = store.reopened()
      let others = workspace.fetch(for: Post.self).where(Post.priority == 3)
      let told = Locked(0)
      let subscription =
        isObserved ? workspace.subscribe(fetchedResult: others) { _ in told.change { $0 += 1 } } : nil
      defer { subscription?.cancel() }
      let othersCount = isObserved ? 1 : 0
      if isObserved {
        // Until the subscriber's list has been fetched, in the background, all changes are kept for it.
        let first = PendingTransaction([Post.self], in: workspace) { context in
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "other", priority: 3)))
        }
        #expect(first.outcome() == true)
        #expect(eventually { told.value == 1 })
      }
      let growth = Locked(0)
      let transaction = PendingTransaction([Post.self], in: workspace) { context in
        var before: Int?
        for number in 0..<count {
          // What is made once, and SQLite's caches, are there after some changes.
          if number == count / 10 { before = residentMemory() }
          if number % 1000 == 999, let before { growth.change { $0 = max($0, residentMemory() - before) } }
          submit(number, kind, tag, context)
        }
      }
      #expect(transaction.outcome(within: 1800) == true)
      if !isSanitized { #expect(growth.value < bound, "\(growth.value) bytes for \(count) changes") }
      #expect(workspace.fetch(for: Post.self).count() == (kind == .deletions ? 0 : count) + othersCount)
      #expect(told.value == othersCount, "nothing else of the result has changed")
      #expect(workspace.fetch(for: Post.self).count(where: Post.priority == 2) == (kind == .updates ? count : 0))
      workspace.shutdown()
      #expect(store.errors.values.isEmpty, "\(store.errors.values.prefix(3))")
      #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    }

    private static func submit(_ number: Int, _ kind: Kind, _ tag: String, _ context: any TransactionContext) {
      let object = Post(title: "\(number)", tag: tag, priority: 1)
      switch kind {
      case .creations: context.try(submit: PostChangeRequest.creationRequest(object))
      case .updates:
        guard let request = PostChangeRequest.changeRequest(object) else { return }
        request.priority = 2
        context.try(submit: request)
      case .deletions:
        guard let request = PostChangeRequest.deletionRequest(object) else { return }
        context.try(submit: request)
      }
    }

    /// In bytes, without what the system keeps of files for all processes.
    private static func residentMemory() -> Int {
      let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
      let pages = text.split(separator: " ").compactMap { Int($0) }
      guard pages.count > 2 else { return 0 }
      return (pages[1] - pages[2]) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
  }
#endif
