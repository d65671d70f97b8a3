import Dflat

/// A subscriber to a key, with the values that it has not been told yet. Guarded by the engine's lock of rank
/// `dictionary`.
///
/// The thread that changes the key tells the subscriber, with no lock held. If another thread is telling it already,
/// that thread also delivers the new value.
package final class DictionarySubscriber: @unchecked Sendable {
  // Unchecked: the variables are guarded by the engine's lock of rank `dictionary`.

  /// The functions that a subscriber calls.
  package struct Handler: Sendable {
    /// Tells a value; nil if the key has none. It is called with no lock held, one call at a time.
    package let tell: @Sendable (StoredDictionaryValue?) -> Void
    /// Says that no more values will come. It is called with no lock held.
    package let finish: @Sendable () -> Void
  }

  package let path: DictionaryPath
  /// The subscriber's functions; nil once the subscriber has ended. They must be released then, since their captures
  /// may own the subscription.
  private var handler: Handler?
  private var waiting = FIFO<StoredDictionaryValue?>()
  /// The value that was posted last; nil before the first one.
  private var latest: StoredDictionaryValue??
  /// The number of the callback or delivery that tells the values now, or has reserved to do so: see
  /// `Completions.tellSubscribers(_:)`. Nil while no thread tells them.
  private var deliverer: UInt64?
  package var isEnded: Bool { handler == nil }

  /// The most values that wait for a slow handler: as many as for subscribers of results. If there are more, the oldest
  /// are dropped.
  private static let limit = 1024

  package init(
    _ path: DictionaryPath, tell: @escaping @Sendable (StoredDictionaryValue?) -> Void,
    finish: @escaping @Sendable () -> Void
  ) {
    self.path = path
    handler = Handler(tell: tell, finish: finish)
  }

  /// Appends a value to those that wait, unless it equals the last one.
  ///
  /// - Returns: true if the value was appended, so that `deliver` has to be called; false if it was not, or the
  ///   subscriber has ended.
  package func post(_ value: StoredDictionaryValue?) -> Bool {
    if isEnded { return false }
    if let latest, latest.isIdentical(to: value) { return false }
    latest = .some(value)
    if waiting.count >= DictionarySubscriber.limit { _ = waiting.popFirst() }
    waiting.append(value)
    return true
  }

  /// Reserves the delivery for the calling thread until it has told all waiting values. The caller then calls `deliver`
  /// with `isReserved`, within the same call of `Completions.tellSubscribers(_:)`.
  ///
  /// - Parameter callback: the number with which that has called the caller.
  package func reserveDelivery(as callback: UInt64) { deliverer = callback }

  /// Takes the next value to tell.
  ///
  /// - Parameters:
  ///   - caller: the number of the callback that the thread is in.
  ///   - isFirst: whether the thread begins to tell, and has not reserved that.
  /// - Returns: the handler and the value; nil if no value waits, or if another thread delivers: `deliverer` is set then.
  private func take(as caller: UInt64, isFirst: Bool) -> (handler: Handler, value: StoredDictionaryValue?)? {
    if isFirst, deliverer != nil { return nil }
    deliverer = caller
    guard let handler, let value = waiting.popFirst() else {
      deliverer = nil
      return nil
    }
    return (handler, value)
  }

  /// Tells the waiting values, unless another thread does so. The caller holds no lock.
  ///
  /// - Parameters:
  ///   - state: the state whose lock guards the subscriber.
  ///   - completions: the completions that wait for what a callback delivers.
  ///   - isReserved: whether the calling thread has called `reserveDelivery(as:)`.
  package func deliver<State>(
    guardedBy state: Guarded<State>, before completions: Completions, isReserved: Bool = false
  ) {
    completions.tellSubscribers { caller in
      var isFirst = !isReserved
      while let (handler, value) = state.withLock({ _ in take(as: caller, isFirst: isFirst) }) {
        isFirst = false
        handler.tell(value)
      }
      if isFirst, let deliverer = state.withLock({ _ in deliverer }) { completions.wait(forCallback: deliverer) }
    }
  }

  /// Ends the subscriber: it accepts no more values, and drops those that wait.
  ///
  /// - Returns: the handler, which the caller releases when it holds no lock, since it may own anything; nil if the
  ///   subscriber had already ended.
  package func end() -> Handler? {
    waiting = FIFO()
    latest = nil
    defer { handler = nil }
    return handler
  }

  /// Ends a subscriber after telling it a last value. No other thread may know the subscriber.
  package func end(telling value: StoredDictionaryValue?) {
    guard let handler = end() else { return }
    handler.tell(value)
    handler.finish()
  }
}
