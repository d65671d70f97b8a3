#if compiler(>=6.3) && os(Linux)
  import Dflat
  import Foundation
  import Golden_post
  import SQLiteDflat
  import TestSupport
  import Testing

  @Suite("A process that is killed loses no value that was synchronized, and no half of a transaction")
  struct DictionaryCrashTests {
    @Test("Processes that are killed at random times, one after another, leave every synchronized value")
    func killedAtRandomTimes() async throws {
      let folder = NSTemporaryDirectory() + "dflat-dictionary-crash-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let (path, notes) = (folder + "/store.sqlite3", folder + "/notes")
      var random = SeededGenerator(seed: LongForm.seed)
      for round in 0..<LongForm.crashes.size {
        let delay = UInt32.random(in: 1000...150_000, using: &random)
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = path as String, notes = notes as String, round = round as Int, delay = delay as UInt32] in
          DictionaryCrashTests.write(path, notes, first: (round + 1) * 1_000_000, killedAfter: delay)
        }
        try DictionaryCrashTests.check(path, notes, "round \(round), killed after \(delay) µs")
        LongForm.record(1, "kills while the dictionary is written")
      }
    }

    /// Sets keys until it is killed, on one thread by themselves and on another in transactions, and notes what is on disk.
    private static func write(_ path: String, _ notes: String, first: Int, killedAfter delay: UInt32) {
      let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
      @Sendable func note(_ number: Int, in file: String) {
        // What is written survives the process: it is with the system.
        let descriptor = open(notes + file, O_WRONLY | O_CREAT, 0o600)
        var number = Int64(number)
        precondition(pwrite(descriptor, &number, 8, 0) == 8)
        close(descriptor)
      }
      Thread.detachNewThread {
        usleep(delay)
        kill(getpid(), SIGKILL)
      }
      Thread.detachNewThread {
        for number in first... {
          let done = DispatchSemaphore(value: 0)
          workspace.performChanges([Post.self]) { context in
            let request = PostChangeRequest.upsertRequest(Post(title: "\(number)", priority: 1))
            context.try(submit: request)
            context.dictionary["number"] = number
            context.dictionary["profile"] = Profile(name: "\(number)")
            if number % 5 == 4 { context.abort() }
          } completionHandler: {
            if $0 { note(number, in: "transactions") }
            done.signal()
          }
          done.wait()
        }
      }
      for number in first... {
        workspace.dictionary["first"] = number
        workspace.dictionary["second"] = number
        if number % 20 == 0, workspace.dictionary.synchronize() { note(number, in: "keys") }
      }
    }

    private static func check(_ path: String, _ notes: String, _ comment: String) throws {
      let comment = Comment(rawValue: comment)
      func noted(_ file: String) -> Int {
        let bytes = FileManager.default.contents(atPath: notes + file) ?? Data()
        return bytes.count == 8 ? Int(bytes.withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }) : 0
      }
      guard FileManager.default.fileExists(atPath: path) else {
        #expect(noted("keys") == 0 && noted("transactions") == 0, comment)
        return
      }
      let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
      let (first, second) = (workspace.dictionary["first", default: 0], workspace.dictionary["second", default: 0])
      #expect(first >= noted("keys") && second >= noted("keys"), comment)
      // Each commit has what was set at some moment.
      #expect(first == second || first == second + 1 || second == 0 || first / 1_000_000 > second / 1_000_000, comment)
      let number = workspace.dictionary["number", default: 0]
      #expect(number >= noted("transactions") && (number == 0 || number % 5 != 4), comment)
      #expect(number == 0 || workspace.dictionary["profile", Profile.self]?.name == "\(number)", comment)
      let posts = workspace.fetch(for: Post.self).all().compactMap { Int($0.title) }
      #expect(posts.max() ?? 0 == number, comment)
      workspace.shutdown()
      #expect(try PlainSQL.run("PRAGMA integrity_check", in: path) == [["ok"]], comment)
    }
  }
#endif
