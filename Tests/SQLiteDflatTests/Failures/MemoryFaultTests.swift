#if compiler(>=6.3) && os(Linux)
  import EngineTestSupport
  import CSQLite
  import Dflat
  import FaultVFS
  import Foundation
  import Golden_post
  import SQLiteDflat
  import TestSupport
  import Testing

  @Suite("When SQLite gets no memory, nothing is half-written and the store goes on")
  struct MemoryFaultTests {
    @Test("Whichever allocation fails, nothing is half-written and the store goes on", arguments: [false, true])
    func eachAllocation(isForever: Bool) async {
      // In a process of its own, where nobody has used SQLite before.
      await #expect(processExitsWith: .success) {
        [isForever = isForever as Bool, first = LongForm.allocations.size as Int] in
        try #require(fault_memory_install() == SQLITE_OK)
        try #require(FaultScenario.isInstalled)
        for isNew in [true, false] {
          var n = max(first, 1)
          while true {
            let scenario = FaultScenario(comment: "allocation \(n)\(isForever ? ", and all that follow" : "")") {
              fault_memory_arm(Int32(n), isForever ? 1 : 0)
            } disarm: {
              fault_memory_disarm()
            }
            if try !scenario.run(isNew: isNew) { break }
            LongForm.record(1, "allocations that fail")
            // The first ones are of the opening; later ones are much alike.
            n += first == 0 ? 1 + n / 12 : 1
          }
          // There are many, or else none has been made to fail.
          #expect(n > 300)
        }
      }
    }

    @Test("Whichever allocation of the first fetch fails, it fails or is right, and the next fetch is right")
    func eachAllocationOfAnOpening() async {
      await #expect(processExitsWith: .success) {
        try #require(fault_memory_install() == SQLITE_OK)
        let folder = NSTemporaryDirectory() + "dflat-opening-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func open() -> SQLiteWorkspace {
          SQLiteWorkspace(filePath: folder + "/store.sqlite3", fileProtectionLevel: .noProtection) { _ in }
        }
        let first = open()
        let isStored = await first.performChanges([Post.self]) { (context: any TransactionContext) -> Void in
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
        }
        #expect(isStored)
        await first.shutdown()
        var n: Int32 = 1
        while true {
          let workspace = open()
          fault_memory_arm(n, 0)
          let titles = try? workspace.fetch(for: Post.self).throwing.all().map(\.title)
          let failures = fault_memory_disarm()
          #expect(titles == ["a"] || titles == nil && failures > 0, "allocation \(n)")
          // In a thread of its own, so that one that never ends is a failure.
          let next = Locked<[String]?>(nil)
          let gate = Gate()
          Thread.detachNewThread {
            next.value = workspace.fetch(for: Post.self).all().map(\.title)
            gate.open()
          }
          try #require(gate.wait(), "allocation \(n): the next fetch does not end")
          #expect(next.value == ["a"], "allocation \(n)")
          await workspace.shutdown()
          if failures == 0 { break }
          n += 1
        }
        #expect(n > 50)
      }
    }

    @Test("Each allocation of a fetch by an index in turn: whatever fails, later fetches show what is stored later")
    func eachAllocationOfAFetchByAnIndex() async {
      await #expect(processExitsWith: .success) {
        try #require(fault_memory_install() == SQLITE_OK)
        let folder = NSTemporaryDirectory() + "dflat-stale-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        @Sendable func store(_ title: String, in workspace: SQLiteWorkspace) async -> Bool {
          await workspace.performChanges([Post.self]) { (context: any TransactionContext) -> Void in
            context.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: 7)))
          }
        }
        var n: Int32 = 1
        while true {
          let path = "\(folder)/\(n).sqlite3"
          let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection) { _ in }
          #expect(await store("a", in: workspace), "allocation \(n)")
          fault_memory_arm(n, 0)
          let found = try? workspace.fetch(for: Post.self).throwing.where(Post.priority == 7).map(\.title)
          let failures = fault_memory_disarm()
          #expect(found == ["a"] || found == nil && failures > 0, "allocation \(n)")
          #expect(await store("b", in: workspace), "allocation \(n)")
          #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["a", "b"], "allocation \(n)")
          await workspace.shutdown()
          if failures == 0 { break }
          n += 1
        }
        #expect(n > 20)
      }
    }
  }
#endif
