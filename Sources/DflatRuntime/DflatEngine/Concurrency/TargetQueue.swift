import Dispatch

/// The queue on which an app wants closures and handlers to run, if it has named one. It recognizes the threads of that
/// queue.
package final class TargetQueue: Sendable {
  package let queue: DispatchQueue?
  private let mark = DispatchSpecificKey<Bool>()

  /// How long the queue may take to begin a block after another queue has begun one. A queue that takes longer counts
  /// as a queue without a free thread.
  private static let beginTimeout = DispatchTimeInterval.milliseconds(500)
  /// How long to wait until the probe, another queue, has begun a block. It begins none while the process has no thread
  /// for any queue.
  private static let probeTimeout = DispatchTimeInterval.seconds(10)

  package init(_ queue: DispatchQueue?) {
    self.queue = queue
    queue?.setSpecific(key: mark, value: true)
  }

  deinit { queue?.setSpecific(key: mark, value: nil) }

  /// Whether the calling thread runs on the queue and is its only thread, so that nothing else runs there while the
  /// thread waits. If the result is true, finding out takes half a second.
  var isKeptByCallingThread: Bool {
    guard let queue, DispatchQueue.getSpecific(key: mark) == true else { return false }
    let (other, reference) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    queue.async { other.signal() }
    DispatchQueue(label: "dflat.probe", attributes: .concurrent).async { reference.signal() }
    _ = reference.wait(timeout: .now() + TargetQueue.probeTimeout)
    return other.wait(timeout: .now() + TargetQueue.beginTimeout) == .timedOut
  }
}
