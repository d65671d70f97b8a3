import Foundation
import Testing

@testable import DflatEngine

@Suite("Whether calls may be made before a transaction by its thread")
struct CompletionQueueTests {
  private struct SomeError: Error {}

  /// Has one caller make one call.
  private static func makeCall(_ queue: inout CompletionQueue, for seconds: Double = 0) throws {
    _ = queue.append(.error(SomeError()))
    let number = queue.becomeCaller()
    let caller = try #require(number)
    let call = queue.next(for: caller)
    #expect(call != nil)
    if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
    let nextCall = queue.next(for: caller)
    #expect(nextCall == nil)
  }

  @Test("One call that takes long changes nothing, since the system may have interrupted it; two in a row do")
  func longCalls() throws {
    var queue = CompletionQueue()
    #expect(!queue.areFewAndShort)
    // Any call may be interrupted; of a thousand, some are not.
    var count = 0
    while !queue.areFewAndShort, count < 1_000 {
      try Self.makeCall(&queue)
      count += 1
    }
    #expect(queue.areFewAndShort)
    try Self.makeCall(&queue, for: 0.002)
    #expect(queue.areFewAndShort)
    try Self.makeCall(&queue, for: 0.002)
    #expect(!queue.areFewAndShort)
  }
}
