import Foundation

/// Releases values that hold each other in a long chain, without a call within a call for each of them.
///
/// The first few are released as usual, each while the one that held it is. Deeper ones wait until those have returned.
final class ReleaseQueue {
  private var depth = 0
  private var waiting: [Any] = []

  /// How deep values are released as usual.
  private static let maximumDepth = 32

  /// Releases a value, or puts it off. Called while its owner is released.
  func release<Value>(_ value: inout Value?) {
    guard depth < Self.maximumDepth else {
      if let value { waiting.append(value) }
      return
    }
    depth += 1
    value = nil
    if depth == 1 {
      // A value that is released here may make others wait.
      while waiting.popLast() != nil {}
    }
    depth -= 1
  }

  /// The queue of the thread that asks, which lives as long as the thread does.
  static var ofThisThread: ReleaseQueue {
    if let known = pthread_getspecific(key) {
      return Unmanaged<ReleaseQueue>.fromOpaque(known).takeUnretainedValue()
    }
    let queue = ReleaseQueue()
    // The thread owns it: the key's destructor releases it.
    pthread_setspecific(key, Unmanaged.passRetained(queue).toOpaque())
    return queue
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key) { queue in
      // Darwin says that there is one, Linux that there may be.
      let queue: UnsafeMutableRawPointer? = queue
      if let queue { Unmanaged<ReleaseQueue>.fromOpaque(queue).release() }
    }
    precondition(failure == 0, "The process has used up its thread-specific keys.")
    return key
  }()
}
