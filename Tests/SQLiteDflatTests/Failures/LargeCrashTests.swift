#if compiler(>=6.3) && os(Linux)
  import Dflat
  import EngineTestSupport
  import Foundation
  import Golden_post
  import Golden_scalars
  import SQLiteDflat
  import TestSupport
  import Testing

  /// Of 200 to 3,000 changes of two types, with indexes and a unique field, and a key of the dictionary: such a transaction has the
  /// writer, and applies its changes in parts.
  @Suite("A process that is killed leaves each large transaction whole, or nothing of it")
  struct LargeCrashTests {
    @Test("At random times, beside small transactions")
    func killedAtRandomTimes() async throws {
      let folder = NSTemporaryDirectory() + "dflat-crash-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let path = folder + "/store.sqlite3"
      let acknowledged = folder + "/acknowledged"
      var random = SeededGenerator(seed: LongForm.seed)
      // The file is begun anew now and then, or reading it would take longer than writing.
      for round in 0..<LongForm.crashes.size {
        if round % 20 == 0 {
          for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
          try? FileManager.default.removeItem(atPath: acknowledged)
        }
        let delay = UInt32.random(in: 20_000...300_000, using: &random)
        let seed = UInt64.random(in: .min ... .max, using: &random)
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [
            path = path as String, acknowledged = acknowledged as String, round = round as Int, delay = delay as UInt32,
            seed = seed as UInt64
          ] in
          LargeCrashTests.write(path, acknowledged, first: round * 1_000_000, seed: seed, killedAfter: delay)
        }
        try LargeCrashTests.check(path, acknowledged, "round \(round), killed after \(delay) µs")
        LongForm.record(1, "kills while large transactions are written")
      }
    }

    /// Writes until it is killed, and notes in a file which transactions were completed with true.
    private static func write(
      _ path: String, _ acknowledged: String, first: Int, seed: UInt64, killedAfter delay: UInt32
    ) {
      let notes = Acknowledgements(path: acknowledged).open()
      let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
      Thread.detachNewThread {
        usleep(delay)
        kill(getpid(), SIGKILL)
      }
      Thread.detachNewThread {
        for number in first... {
          workspace.performChanges([Sample.self]) { $0.dictionary["small"] = number }
          usleep(300)
        }
      }
      var random = SeededGenerator(seed: seed)
      for number in first... {
        let size = Int.random(in: 100...1500, using: &random)
        let (aborts, fetches) = (Int.random(in: 0..<4, using: &random) == 0, Int.random(in: 0..<2, using: &random) == 0)
        let done = DispatchSemaphore(value: 0)
        workspace.performChanges([Post.self, Thing.self]) { context in
          for index in 0..<size {
            let name = "\(number).\(index)"
            context.try(
              submit: PostChangeRequest.creationRequest(
                Post(title: name, tag: "\(number)/\(size)", priority: Int32(index % 100))))
            context.try(
              submit: ThingChangeRequest.creation(Thing(id: Int64(number) * 10_000 + Int64(index), note: name)))
            guard index == size / 2 else { continue }
            // What is refused undoes nothing else, and a fetch shows what was submitted.
            let twice = ThingChangeRequest.creation(Thing(id: -1 - Int64(number), note: name))
            let isRefused = (try? context.submit(twice)) == nil
            precondition(isRefused)
            if fetches {
              let own = workspace.fetch(for: Post.self).where(Post.priority == Int32(index % 100)).filter {
                $0.tag == "\(number)/\(size)"
              }
              precondition(!own.isEmpty)
            }
          }
          context.dictionary["large \(number)"] = size
          if aborts { context.abort() }
        } completionHandler: { success in
          precondition(success != aborts)
          if success { notes.note(number) }
          done.signal()
        }
        // Some follow each other at once.
        if number % 3 > 0 { done.wait() }
      }
    }

    private static func check(_ path: String, _ acknowledged: String, _ comment: String) throws {
      let comment = Comment(rawValue: comment)
      let numbers = Acknowledgements(path: acknowledged).numbers
      guard FileManager.default.fileExists(atPath: path) else {
        #expect(numbers.isEmpty, comment)
        return
      }
      #expect(try PlainSQL.run("PRAGMA integrity_check", in: path) == [["ok"]], comment)
      let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
      defer { workspace.shutdown() }
      let posts = Dictionary(grouping: workspace.fetch(for: Post.self).all()) { $0.tag ?? "" }
      let things = Dictionary(grouping: workspace.fetch(for: Thing.self).all()) { $0.id / 10_000 }
      var stored: Set<Int64> = []
      for (tag, group) in posts {
        let parts = tag.split(separator: "/").compactMap { Int64($0) }
        guard parts.count == 2 else {
          Issue.record("\(tag) is no tag of a transaction")
          continue
        }
        stored.insert(parts[0])
        #expect(group.count == Int(parts[1]), comment)
        #expect(things[parts[0]]?.count == group.count, comment)
        #expect(workspace.dictionary["large \(parts[0])", Int.self] == group.count, comment)
      }
      #expect(Set(things.keys) == stored && stored.isSuperset(of: numbers), comment)
      #expect(workspace.dictionary.keys.filter { $0.hasPrefix("large ") }.count == stored.count, comment)
      if !things.isEmpty { try Acknowledgements.expectEntries(path, comment) }
    }
  }
#endif
