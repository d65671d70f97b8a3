import Dflat

/// A subscriber to a key, with the values that it has not been told yet. Guarded by the lock of the `DictionaryCache`.
///
/// The thread that changes the key tells it, with no lock held; while another thread does so, it leaves the value to
/// that thread.
package final class DictionarySubscriber: @unchecked Sendable {
  // Unchecked: the variables are guarded by the lock of the cache.

  package let path: DictionaryPath
  /// Tells the value; with no lock held, one call at a time.
  package let tell: @Sendable (StoredDictionaryValue?) -> Void
  /// Says that no more values will come.
  package let finish: @Sendable () -> Void
  private var waiting: [StoredDictionaryValue?] = []
  private var first = 0
  /// The value that was posted last; nil before the first one.
  private var latest: StoredDictionaryValue??
  private var isDelivering = false
  package private(set) var isEnded = false

  /// How many values wait at most for a handler that takes long. Then the oldest are dropped.
  private static let limit = 1024

  package init(
    _ path: DictionaryPath, tell: @escaping @Sendable (StoredDictionaryValue?) -> Void,
    finish: @escaping @Sendable () -> Void
  ) {
    self.path = path
    self.tell = tell
    self.finish = finish
  }

  /// Adds a value, unless it is the one before.
  ///
  /// - Returns: whether the subscriber has to be told.
  package func post(_ value: StoredDictionaryValue?) -> Bool {
    if isEnded { return false }
    if let latest, latest.isIdentical(to: value) { return false }
    latest = .some(value)
    if waiting.count - first >= DictionarySubscriber.limit { first += 1 }
    if first >= DictionarySubscriber.limit {
      waiting.removeFirst(first)
      first = 0
    }
    waiting.append(value)
    return true
  }

  /// Lets nobody but the calling thread tell the values, until it has told all that wait.
  package func reserveDelivery() { isDelivering = true }

  /// The next value; nil if there is none, or another thread tells it.
  ///
  /// - Parameter isFirst: whether the thread begins to tell.
  package func take(isFirst: Bool) -> StoredDictionaryValue?? {
    if isFirst {
      if isDelivering { return nil }
      isDelivering = true
    }
    guard first < waiting.count else {
      isDelivering = false
      waiting.removeAll(keepingCapacity: true)
      first = 0
      return nil
    }
    defer { first += 1 }
    return .some(waiting[first])
  }

  /// Accepts no more values, and drops those that wait.
  package func end() {
    isEnded = true
    waiting = []
    first = 0
  }
}
