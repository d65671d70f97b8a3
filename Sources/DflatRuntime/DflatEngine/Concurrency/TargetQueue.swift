import Dispatch

/// The queue on which an app has closures and handlers run, if it has named one. It knows which threads run on it.
package final class TargetQueue: Sendable {
  package let queue: DispatchQueue?
  private let mark = DispatchSpecificKey<Bool>()

  /// How long a queue may take to begin a block before it counts as one that has no thread for it.
  private static let patience = DispatchTimeInterval.milliseconds(500)

  package init(_ queue: DispatchQueue?) {
    self.queue = queue
    queue?.setSpecific(key: mark, value: true)
  }

  deinit { queue?.setSpecific(key: mark, value: nil) }

  /// Whether the calling thread runs on the queue, and the queue has no other thread: as long as it waits, nothing else runs there.
  var isKeptByCallingThread: Bool {
    guard let queue, DispatchQueue.getSpecific(key: mark) == true else { return false }
    let other = DispatchSemaphore(value: 0)
    queue.async { other.signal() }
    return other.wait(timeout: .now() + TargetQueue.patience) == .timedOut
  }
}
