#if compiler(>=6.3) && os(Linux)
  import Dflat
  import Dispatch
  import EngineTestSupport
  import Foundation
  import Golden_post
  import SQLiteDflat
  import TestSupport
  import Testing

  @Suite("Opening and closing leaves nothing over")
  struct ManyOpeningsTests {
    /// DFLAT_OPENINGS sets how often.
    private static let count = LongForm.openings.size

    @Test("Opening and closing many times leaves no open file, no thread and no memory")
    func neitherFilesNorThreadsNorMemory() async {
      // In a process of its own, where no other test opens files.
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        [count = ManyOpeningsTests.count as Int] in
        let folder = NSTemporaryDirectory() + "dflat-openings-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // What is made once, such as the threads of the queues, is made in the first rounds.
        for round in 0..<50 { try await ManyOpeningsTests.openAndClose(folder, round) }
        let before = try ManyOpeningsTests.Usage()
        for round in 0..<count { try await ManyOpeningsTests.openAndClose(folder, round) }
        // A thread that has nothing left to do needs a moment to end.
        var after = try ManyOpeningsTests.Usage()
        let isNothingOver = try eventually {
          after = try ManyOpeningsTests.Usage()
          return after.files <= before.files && after.threads <= before.threads + 8
        }
        FileHandle.standardError.write(Data("\(count) openings: \(before), then \(after)\n".utf8))
        #expect(isNothingOver, "\(before), then \(after)")
        // Of a connection, or a thread's stack, nothing like so little would be over.
        // A sanitizer keeps what is given back for a while.
        if ProcessInfo.processInfo.environment["DFLAT_SANITIZED"] != nil { return }
        #expect(after.memory < before.memory + 8_000_000 + 200 * count, "\(before), then \(after)")
      }
      // With more openings than usual the figures are of interest, also if they are good.
      if ManyOpeningsTests.count > 100, let result {
        print(String(decoding: result.standardErrorContent, as: UTF8.self))
      }
    }

    private static func openAndClose(_ folder: String, _ round: Int) async throws {
      let path = folder + "/\(round % 3).sqlite3"
      let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
      for _ in 0..<3 {
        workspace.performChanges([Post.self]) { context in
          context.try(submit: PostChangeRequest.upsertRequest(Post(title: "a", priority: Int32(round))))
        } completionHandler: { _ in
        }
      }
      let stored = await workspace.performChanges([Thing.self]) { context in
        context.try(submit: ThingChangeRequest.upsert(Thing(id: 1, big: UInt64(round))))
      }
      #expect(stored)
      workspace.fetchWithinASnapshot { #expect(workspace.fetch(for: Thing.self).all().count == 1) }
      let flags: WorkspaceShutdownFlag = round % 4 == 0 ? [.truncate] : []
      if round % 2 == 0 { shutDown(workspace, flags) } else { await workspace.shutdown(flags: flags) }
    }

    /// Waits on this thread.
    private static func shutDown(_ workspace: SQLiteWorkspace, _ flags: WorkspaceShutdownFlag) {
      workspace.shutdown(flags: flags)
    }

    private struct Usage: CustomStringConvertible {
      let files: Int
      let threads: Int
      /// Resident bytes.
      let memory: Int

      init() throws {
        files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        memory = (Int(pages[1]) ?? 0) * 4096
      }

      var description: String { "\(files) files, \(threads) threads, \(memory >> 10) KiB" }
    }
  }
#endif
