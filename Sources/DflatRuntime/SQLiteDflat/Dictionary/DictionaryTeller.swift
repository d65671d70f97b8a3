import Dflat
import DflatEngine
import Dispatch

/// Tells subscribers the current values of their keys, in order with completion handlers.
final class DictionaryTeller: Sendable {
  private let cache: DictionaryCache
  private let reader: DictionaryReader
  private let completions: Completions
  private let report: @Sendable (any Error) -> Void

  init(
    _ cache: DictionaryCache, _ reader: DictionaryReader, _ completions: Completions,
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.cache = cache
    self.reader = reader
    self.completions = completions
    self.report = report
  }

  /// Tells a new subscriber the current value.
  ///
  /// - Returns: false if the workspace has been shut down.
  func add(_ subscriber: DictionarySubscriber) -> Bool {
    var isAdded = false
    completions.tellSubscribers { callback in
      cache.state.withLock { _ in subscriber.reserveDelivery(as: callback) }
      let (outcome, failure) = reader.postCurrentValue(of: subscriber.path, adding: subscriber)
      guard case .posted(let subscribers) = outcome else { return }
      for each in subscribers {
        each.deliver(guardedBy: cache.state, before: completions, isReserved: each === subscriber)
      }
      note(failure, subscriber.path)
      isAdded = true
    }
    return isAdded
  }

  /// Calls subscribers with the values posted to them, on the calling thread.
  func tell(_ subscribers: [DictionarySubscriber]) {
    for each in subscribers { each.deliver(guardedBy: cache.state, before: completions) }
  }

  /// Tells the subscribers of keys, in the background.
  func tell(_ paths: [DictionaryPath]) {
    // A key whose call has not begun gets no second one: other processes may commit faster than the calls are made.
    let new = cache.state.withLock { state in paths.filter { state.toBeTold.insert($0).inserted } }
    completions.appendCallbacks(new.map { path in { self.tell(path) } })
    completions.makeCallsInBackground()
  }

  private func tell(_ path: DictionaryPath) {
    // Before the key is read: a later change needs another call.
    cache.state.withLock { _ = $0.toBeTold.remove(path) }
    let (outcome, failure) = reader.postCurrentValue(of: path)
    guard case .posted(let subscribers) = outcome else { return }
    completions.appendCallbacks(subscribers.map { each in { self.tell([each]) } })
    note(failure, path)
  }

  /// Records whether a key could be read. One that could not is reported once, and read again after a pause.
  private func note(_ failure: DictionaryError?, _ path: DictionaryPath) {
    guard let failure else { return cache.state.withLock { $0.unread.remove(path) } }
    let (isNew, pause) = cache.state.withLock { state -> (isNew: Bool, pause: Double?) in
      guard state.namespaces[path.namespace]?.subscribers[path.key] != nil else { return (false, nil) }
      return state.unread.insert(path)
    }
    if isNew { report(failure) }
    if let pause { retry(after: pause) }
  }

  /// Reads the unread keys after a pause, in seconds.
  private func retry(after pause: Double) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [weak self] in
      guard let self else { return }
      self.tell(Array(self.cache.state.withLock { $0.unread.beginRetry() }))
    }
  }
}
