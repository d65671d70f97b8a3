import Foundation

/// Calls `body` on so many threads at once, with the number of each, and returns when all calls have.
///
/// `DispatchQueue.concurrentPerform` would use no more threads than there are processors, whatever a row is called.
func performOnThreads(_ count: Int, _ body: @escaping (Int) -> Void) {
  // Each caller lets its threads use what they may use at the same time, and waits for them.
  nonisolated(unsafe) let body = body
  let group = DispatchGroup()
  for number in 0..<count {
    group.enter()
    Thread.detachNewThread {
      body(number)
      group.leave()
    }
  }
  group.wait()
}
