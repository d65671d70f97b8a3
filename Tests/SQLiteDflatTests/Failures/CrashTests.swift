#if compiler(>=6.3) && os(Linux)
  import Dflat
  import Dispatch
  import EngineTestSupport
  import Foundation
  import Golden_post
  import SQLiteDflat
  import TestSupport
  import Testing

  @Suite("A process that is killed loses nothing that it was told is stored")
  struct CrashTests {
    @Test("Processes that are killed at random times, one after another, leave every acknowledged transaction")
    func killedAtRandomTimes() async throws {
      let folder = NSTemporaryDirectory() + "dflat-crash-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let path = folder + "/store.sqlite3"
      let acknowledged = folder + "/acknowledged"
      // One file is written by one process after the other: each finds what those before it have left.
      var random = SeededGenerator(seed: LongForm.seed)
      for round in 0..<LongForm.crashes.size {
        let delay = UInt32.random(in: 1000...150_000, using: &random)
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = path as String, acknowledged = acknowledged as String, round = round as Int, delay = delay as UInt32]
          in
          CrashTests.write(path, acknowledged, first: round * 1_000_000, killedAfter: delay)
        }
        try CrashTests.check(path, acknowledged, "round \(round), killed after \(delay) µs")
        LongForm.record(1, "kills while transactions are written")
      }
    }

    /// Writes until it is killed, and notes in a file which transactions were completed with true.
    private static func write(_ path: String, _ acknowledged: String, first: Int, killedAfter delay: UInt32) {
      let notes = Acknowledgements(path: acknowledged).open()
      let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
      Thread.detachNewThread {
        usleep(delay)
        kill(getpid(), SIGKILL)
      }
      for number in first... {
        workspace.performChanges([Post.self, Thing.self]) { context in
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: 1)))
          context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number), note: "\(number)")))
          if number % 7 == 3 { context.abort() }
        } completionHandler: { success in
          if success { notes.note(number) }
        }
        if number % 50 == 0 { usleep(500) }
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
      let posts = Set(workspace.fetch(for: Post.self).all().compactMap { Int64($0.title) })
      let things = Set(workspace.fetch(for: Thing.self).all().map(\.id))
      workspace.shutdown()
      #expect(posts == things, comment)
      #expect(posts.isSuperset(of: numbers), comment)
      #expect(!posts.contains { $0 % 7 == 3 }, comment)
      guard !things.isEmpty else { return }
      try Acknowledgements.expectEntries(path, comment)
      let wrong = "SELECT count(*) FROM test__thing_v1_1 JOIN test__thing_v1_1__f14 USING (rowid) WHERE __pk0 <> f14"
      #expect(try PlainSQL.run(wrong, in: path) == [["0"]], comment)
    }
  }
#endif
