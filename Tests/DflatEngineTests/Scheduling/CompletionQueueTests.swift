import Foundation
import Testing

@testable import DflatEngine

@Suite("The queue of completion handlers")
struct CompletionQueueTests {
  private struct SomeError: Error {}

  // The macros of the tests call nothing that changes a variable.
  private var queue = CompletionQueue()

  private mutating func append(_ count: Int = 1) {
    for _ in 0..<count { _ = queue.append(.error(SomeError())) }
  }

  /// Makes calls until there are none, or another thread makes them.
  ///
  /// - Returns: how many were made.
  private mutating func makeCalls(as number: UInt64) -> Int {
    var count = 0
    while queue.next(for: number) != nil { count += 1 }
    return count
  }

  @Test("asks for one thread, however many calls come before that has begun")
  mutating func oneThread() throws {
    var isRequested = queue.requestCaller()
    #expect(!isRequested, "there is nothing to call")
    append()
    isRequested = queue.requestCaller()
    #expect(isRequested)
    append(10)
    isRequested = queue.requestCaller()
    #expect(!isRequested, "a thread is coming")
    let number = queue.becomeCaller(wasRequested: true)
    isRequested = queue.requestCaller()
    #expect(!isRequested, "a thread makes the calls")
    let count = makeCalls(as: try #require(number))
    #expect(count == 11)
    append()
    isRequested = queue.requestCaller()
    #expect(isRequested, "the thread has ended")
  }

  @Test("is emptied by any thread while one is coming, which then has nothing to do")
  mutating func earlierThread() throws {
    append()
    _ = queue.requestCaller()
    let earlier = queue.becomeCaller(wasRequested: false)
    let count = makeCalls(as: try #require(earlier))
    #expect(count == 1)
    let later = queue.becomeCaller(wasRequested: true)
    #expect(later == nil)
  }

  @Test("goes to another thread when a call takes long, and the first one makes no further call")
  mutating func longCall() throws {
    append(2)
    let first = queue.becomeCaller(wasRequested: false)
    let call = queue.next(for: try #require(first))
    #expect(call != nil)
    Thread.sleep(forTimeInterval: 0.002)
    let isRequested = queue.requestCaller()
    #expect(isRequested)
    let second = queue.becomeCaller(wasRequested: true)
    var count = makeCalls(as: try #require(first))
    #expect(count == 0)
    count = makeCalls(as: try #require(second))
    #expect(count == 1)
  }
}
