import Dflat

/// A subscriber to a key, with the values that it has not been told yet. Guarded by the engine's lock of rank `dictionary`.
///
/// The thread that changes the key tells it, with no lock held; while another thread does so, it leaves the value to
/// that thread.
package final class DictionarySubscriber: @unchecked Sendable {
  // Unchecked: the variables are guarded by the engine's lock of rank `dictionary`.

  /// Whom a subscriber tells.
  package struct Handler: Sendable {
    /// Tells the value; with no lock held, one call at a time.
    package let tell: @Sendable (StoredDictionaryValue?) -> Void
    /// Says that no more values will come.
    package let finish: @Sendable () -> Void
  }

  package let path: DictionaryPath
  /// nil once the subscriber has ended: what the handler has captured may own the subscription.
  private var handler: Handler?
  private var waiting = FIFO<StoredDictionaryValue?>()
  /// The value that was posted last; nil before the first one.
  private var latest: StoredDictionaryValue??
  private var isDelivering = false
  package var isEnded: Bool { handler == nil }

  /// How many values wait at most for a handler that takes long. Then the oldest are dropped.
  private static let limit = 1024

  package init(
    _ path: DictionaryPath, tell: @escaping @Sendable (StoredDictionaryValue?) -> Void,
    finish: @escaping @Sendable () -> Void
  ) {
    self.path = path
    handler = Handler(tell: tell, finish: finish)
  }

  /// Adds a value, unless it is the one before.
  ///
  /// - Returns: whether the subscriber has to be told.
  package func post(_ value: StoredDictionaryValue?) -> Bool {
    if isEnded { return false }
    if let latest, latest.isIdentical(to: value) { return false }
    latest = .some(value)
    if waiting.count >= DictionarySubscriber.limit { _ = waiting.popFirst() }
    waiting.append(value)
    return true
  }

  /// Lets nobody but the calling thread tell the values, until it has told all that wait.
  package func reserveDelivery() { isDelivering = true }

  /// The next value, and whom to tell it; nil if there is none, or another thread tells it.
  ///
  /// - Parameter isFirst: whether the thread begins to tell.
  private func take(isFirst: Bool) -> (handler: Handler, value: StoredDictionaryValue?)? {
    if isFirst {
      if isDelivering { return nil }
      isDelivering = true
    }
    guard let handler, let value = waiting.popFirst() else {
      isDelivering = false
      return nil
    }
    return (handler, value)
  }

  /// Tells the values that wait, unless another thread does so. With no lock held.
  ///
  /// - Parameters:
  ///   - state: has the lock that guards the subscriber.
  ///   - isReserved: whether the calling thread has reserved the delivery.
  package func deliver<State>(guardedBy state: Guarded<State>, isReserved: Bool = false) {
    var isFirst = !isReserved
    while let (handler, value) = state.withLock({ _ in take(isFirst: isFirst) }) {
      isFirst = false
      handler.tell(value)
    }
  }

  /// Accepts no more values, and drops those that wait.
  ///
  /// - Returns: the handler, to be let go when no lock is held, since it may own anything; nil if the subscriber had ended.
  package func end() -> Handler? {
    waiting = FIFO()
    latest = nil
    defer { handler = nil }
    return handler
  }

  /// Ends a subscriber that nobody else knows, after a last value.
  package func end(telling value: StoredDictionaryValue?) {
    guard let handler = end() else { return }
    handler.tell(value)
    handler.finish()
  }
}
