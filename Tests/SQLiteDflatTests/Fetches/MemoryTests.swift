#if compiler(>=6.3) && os(Linux)
  import Dflat
  import Foundation
  import Golden_post
  import SQLiteDflat
  import Testing

  @Suite("Memory grows with what is returned, not with what is stored or passed by")
  struct MemoryTests {
    private static let count = 50_000
    private static let batch = 1_000
    /// Until then SQLite's page caches, and all that is made once, may grow.
    private static let warm = 10_000
    /// The objects that come after would take more than 12 MB.
    private static let bound = 6_000_000

    /// The sanitizers keep what has been freed.
    @Test(
      "Inserting objects and reading them page by page needs bounded memory",
      .enabled(if: ProcessInfo.processInfo.environment["DFLAT_SANITIZED"] == nil))
    func ofInsertingAndOfReadingPageByPage() async {
      // In a process of its own, where no other test needs memory.
      await #expect(processExitsWith: .success) {
        let folder = NSTemporaryDirectory() + "dflat-memory-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let workspace = SQLiteWorkspace(filePath: folder + "/store.sqlite3", fileProtectionLevel: .noProtection)
        var before = 0
        for first in stride(from: 0, to: MemoryTests.count, by: MemoryTests.batch) {
          if first == MemoryTests.warm { before = try MemoryTests.residentMemory() }
          let stored = await MemoryTests.insert(first..<first + MemoryTests.batch, workspace)
          #expect(stored)
        }
        let inserted = try MemoryTests.residentMemory()
        #expect(inserted < before + MemoryTests.bound, "\(before), then \(inserted)")

        var seen = 0
        var last: Post?
        repeat {
          if seen == MemoryTests.warm { before = try MemoryTests.residentMemory() }
          let page = workspace.fetch(for: Post.self)
            .all(limit: .limit(MemoryTests.batch), orderBy: [Post.priority.ascending], after: last)
          seen += page.count
          last = page.last
        } while last != nil
        #expect(seen == MemoryTests.count)
        let read = try MemoryTests.residentMemory()
        #expect(read < before + MemoryTests.bound, "\(before), then \(read)")
        await workspace.shutdown(flags: [])
      }
    }

    private static func insert(_ numbers: Range<Int>, _ workspace: SQLiteWorkspace) async -> Bool {
      await workspace.performChanges([Post.self]) { context in
        let tag = String(repeating: "x", count: 200)
        for number in numbers {
          let post = Post(title: "post number \(number)", tag: tag + "\(number)", priority: Int32(number))
          context.try(submit: PostChangeRequest.creationRequest(post))
        }
      }
    }

    private static func residentMemory() throws -> Int {
      let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
      return try #require(numbers.count > 1 ? Int(numbers[1]) : nil) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
  }
#endif
