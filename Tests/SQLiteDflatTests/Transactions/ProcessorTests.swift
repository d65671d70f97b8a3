#if os(Linux)
  import DflatEngine
  import Foundation
  import Testing

  @Suite("A thread that leaves a processor")
  struct ProcessorTests {
    /// The processors that the calling thread may use, such as `0-3`.
    private static func allowed() throws -> Substring {
      let status = try String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") })
      return try #require(line.split(separator: "\t").last)
    }

    @Test("goes on on another one, if it may, and may use as many as before")
    func leaving() throws {
      let allowed = try Self.allowed()
      let isOnly = allowed.allSatisfy(\.isNumber)
      // The system may move the thread back at any time, and does so seldom.
      let count = try (0..<100).count { _ in
        let processor = try #require(Processor.current)
        processor.leave()
        return Processor.current != processor
      }
      #expect(isOnly ? count == 0 : count > 50, "\(count) of 100")
      #expect(try Self.allowed() == allowed)
    }
  }
#endif
