import FlatBuffersCore

/// A queue that releases long chains of values with bounded recursion, so that they cannot overflow the stack.
///
/// The first `maximumDepth` values of a chain are released recursively, each by the one before. Deeper values are
/// deferred: the outermost call releases them in a loop.
final class ReleaseQueue {
  private var depth = 0
  private var deferred: [Any] = []

  /// The maximum depth of recursive releases.
  private static let maximumDepth = 32

  /// Releases `value`, or defers its release. Its owner calls this in `deinit`.
  func release<Value>(_ value: inout Value?) {
    guard depth < Self.maximumDepth else {
      if let value { deferred.append(value) }
      return
    }
    depth += 1
    value = nil
    if depth == 1 {
      // Releasing a value may defer others.
      while deferred.popLast() != nil {}
    }
    depth -= 1
  }

  /// The queue of the calling thread. It lives as long as the thread.
  static var ofThisThread: ReleaseQueue { local.ownedObject { ReleaseQueue() } }

  private static let local = ThreadLocal(destructor: ThreadLocal.releasingObject)
}
