import Dispatch
import Testing

@testable import DflatEngine

@Suite("The queue of completion handlers")
struct CompletionQueueTests {
  private struct SomeError: Error {}

  /// Stands still until a test advances it, however long the machine keeps the test waiting.
  private final class Clock {
    private(set) var time = DispatchTime.now()

    func advance(milliseconds: Int) { time = time + .milliseconds(milliseconds) }
  }

  // The macros of the tests call nothing that changes a variable.
  private var queue = CompletionQueue()
  private let clock = Clock()

  init() { queue.clock = { [clock] in clock.time } }

  private mutating func append(_ count: Int = 1) {
    for _ in 0..<count { _ = queue.append(.error(SomeError(), depth: 0)) }
  }

  private mutating func appendCompletion() {
    _ = queue.append(.completion(QueuedTransaction([], queues: [], changesHandler: { _ in }, completion: nil), nil))
  }

  /// Begins all calls that can be made.
  ///
  /// - Returns: the numbers of the callbacks, and 0 for other calls.
  private mutating func begin(as number: UInt64) -> [UInt64] {
    var begun: [UInt64] = []
    while let call = queue.next(for: number) {
      if case .callback(_, let number) = call { begun.append(number) } else { begun.append(0) }
    }
    return begun
  }

  /// Makes calls until there are none, or another thread makes them.
  ///
  /// - Returns: how many were made.
  private mutating func makeCalls(as number: UInt64) -> Int {
    var count = 0
    while queue.next(for: number) != nil { count += 1 }
    return count
  }

  @Test("The queue asks for one thread, however many calls come before that thread begins")
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

  @Test("Any thread can empty the queue while a caller is coming, which then has nothing to do")
  mutating func earlierThread() throws {
    append()
    _ = queue.requestCaller()
    let earlier = queue.becomeCaller(wasRequested: false)
    let count = makeCalls(as: try #require(earlier))
    #expect(count == 1)
    let later = queue.becomeCaller(wasRequested: true)
    #expect(later == nil)
  }

  @Test("A completion waits for the callbacks before it, and not for those after it")
  mutating func waitingCompletion() throws {
    _ = queue.append([{}, {}])
    appendCompletion()
    _ = queue.append([{}])
    let number = queue.becomeCaller(wasRequested: false)
    let caller = try #require(number)
    var begun = begin(as: caller)
    #expect(begun == [1, 2, 3], "callbacks wait neither for each other nor for a completion")
    let isRequested = queue.requestCaller()
    #expect(!isRequested, "there is nothing to do but wait")
    queue.endWaiting(forCallback: 1)
    begun = begin(as: caller)
    #expect(begun == [])
    queue.endWaiting(forCallback: 2)
    begun = begin(as: caller)
    #expect(begun == [0])
  }

  @Test("A completion waits for callbacks that a callback before it appends")
  mutating func waitingForChildren() throws {
    _ = queue.append([{}])
    appendCompletion()
    _ = queue.append([{}])
    let number = queue.becomeCaller(wasRequested: false)
    let caller = try #require(number)
    _ = queue.next(for: caller)
    _ = queue.append([{}], of: 1)
    queue.endWaiting(forCallback: 1)
    var begun = begin(as: caller)
    #expect(begun == [2, 3])
    queue.endWaiting(forCallback: 2)
    begun = begin(as: caller)
    #expect(begun == [0])
  }

  @Test("A completion waits for a later callback that tells what one before it was to tell")
  mutating func waitingForAnother() throws {
    _ = queue.append([{}])
    appendCompletion()
    _ = queue.append([{}])
    let number = queue.becomeCaller(wasRequested: false)
    let caller = try #require(number)
    var begun = begin(as: caller)
    #expect(begun == [1, 2])
    queue.wait(forCallback: 2, asFor: 1)
    queue.endWaiting(forCallback: 1)
    begun = begin(as: caller)
    #expect(begun == [])
    queue.endWaiting(forCallback: 2)
    begun = begin(as: caller)
    #expect(begun == [0])
  }

  @Test("A completion waits for a thread that tells what a callback before it was to tell, until that has told it")
  mutating func waitingForADelivery() throws {
    let others = queue.beginDelivery()
    let delivery = queue.beginDelivery()
    let ended = queue.beginDelivery()
    var wasAwaited = queue.endDelivery(ended)
    #expect(!wasAwaited)
    _ = queue.append([{}])
    appendCompletion()
    let number = queue.becomeCaller(wasRequested: false)
    let caller = try #require(number)
    var begun = begin(as: caller)
    #expect(begun == [4])
    queue.wait(forCallback: ended, asFor: 4)
    queue.wait(forCallback: delivery, asFor: 4)
    queue.endWaiting(forCallback: 4)
    wasAwaited = queue.endDelivery(others)
    #expect(!wasAwaited)
    begun = begin(as: caller)
    #expect(begun == [])
    wasAwaited = queue.endDelivery(delivery)
    #expect(wasAwaited)
    begun = begin(as: caller)
    #expect(begun == [0])
  }

  @Test("A completion waits for no thread that has told a subscriber for a second, or that has requested a transaction")
  mutating func deliveriesWithoutWaiting() throws {
    let slow = queue.beginDelivery()
    let requesting = queue.beginDelivery()
    clock.advance(milliseconds: 1_000)
    _ = queue.append([{}])
    appendCompletion()
    let number = queue.becomeCaller(wasRequested: false)
    let caller = try #require(number)
    var begun = begin(as: caller)
    #expect(begun == [3])
    queue.endWaiting(forCallback: requesting)
    queue.wait(forCallback: slow, asFor: 3)
    queue.wait(forCallback: requesting, asFor: 3)
    queue.endWaiting(forCallback: 3)
    begun = begin(as: caller)
    #expect(begun == [0])
  }

  @Test("A completion waits a second in all, also for callbacks that have not begun")
  mutating func waitingASecond() throws {
    _ = queue.append([{}, {}, {}])
    appendCompletion()
    let number = queue.becomeCaller(wasRequested: false)
    let caller = try #require(number)
    // One that was quick, one that takes long, and one whose turn has not come.
    _ = queue.next(for: caller)
    queue.endWaiting(forCallback: 1)
    _ = queue.next(for: caller)
    clock.advance(milliseconds: 1_000)
    let call = queue.next(for: caller)
    guard case .completion = call else {
      Issue.record("The completion waits longer than a second")
      return
    }
    let begun = begin(as: caller)
    #expect(begun == [3], "the last callback is made after it")
  }

  @Test("A callback that takes longer than a second keeps later completions waiting no more")
  mutating func endlessCallback() throws {
    _ = queue.append([{}])
    let number = queue.becomeCaller(wasRequested: false)
    let caller = try #require(number)
    _ = queue.next(for: caller)
    clock.advance(milliseconds: 1_000)
    appendCompletion()
    let begun = begin(as: caller)
    #expect(begun == [0])
  }

  @Test("Errors are reported without waiting for callbacks")
  mutating func errors() throws {
    _ = queue.append([{}])
    append()
    let number = queue.becomeCaller(wasRequested: false)
    let caller = try #require(number)
    let begun = begin(as: caller)
    #expect(begun.sorted() == [0, 1])
  }

  @Test("Another thread takes over when a call takes long, and the first one makes no further call")
  mutating func longCall() throws {
    append(2)
    let first = queue.becomeCaller(wasRequested: false)
    let call = queue.next(for: try #require(first))
    #expect(call != nil)
    clock.advance(milliseconds: 1)
    var isRequested = queue.requestCaller()
    #expect(!isRequested, "the call has taken no longer than it may")
    clock.advance(milliseconds: 1)
    isRequested = queue.requestCaller()
    #expect(isRequested)
    let second = queue.becomeCaller(wasRequested: true)
    var count = makeCalls(as: try #require(first))
    #expect(count == 0)
    count = makeCalls(as: try #require(second))
    #expect(count == 1)
  }
}
