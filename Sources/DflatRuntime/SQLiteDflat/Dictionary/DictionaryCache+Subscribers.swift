import CSQLite
import Dflat
import DflatEngine

// Who is told of changes. All values are posted with the lock held, so that they come in the order of the changes; the
// handlers are called without it.

extension DictionaryCache {
  /// Whether anybody subscribes.
  var hasSubscribers: Bool { state.withLock { $0.subscriberCount > 0 } }

  /// The keys that are subscribed to.
  var subscribedPaths: [DictionaryPath] {
    state.withLock { state in
      state.namespaces.values.flatMap { namespace in
        namespace.subscribers.keys.map { DictionaryPath(namespace: namespace.name, key: $0) }
      }
    }
  }

  enum PostOutcome {
    case closed
    /// The value is not known any more: read it again.
    case outdated
    case posted([DictionarySubscriber])
  }

  /// Posts the value of a key to its subscribers, unless it is the one that was posted before.
  ///
  /// - Parameters:
  ///   - new: a subscriber that is added, and told the value in any case, by the calling thread: it has to call
  ///     `DictionarySubscriber.deliver(guardedBy:isReserved:)`.
  ///   - read: what was read from the disk, and the ticket for that; used unless the cache knows better.
  func post(
    _ path: DictionaryPath, adding new: DictionarySubscriber?, read: (value: StoredDictionaryValue?, ticket: Ticket)?
  ) -> PostOutcome {
    state.withLock { state in
      if state.isClosed { return .closed }
      let namespace = state.namespace(path.namespace)
      let value: StoredDictionaryValue?
      if case .some(let known) = state.known(path.key, of: namespace) {
        value = known
      } else if let read, state.commit == nil, state.publications == read.ticket.publications {
        value = read.value
      } else {
        return .outdated
      }
      if let new {
        // Or else another thread might tell it the first value.
        new.reserveDelivery()
        namespace.subscribers[path.key, default: []].append(new)
        state.subscriberCount += 1
      }
      var subscribers: [DictionarySubscriber] = []
      state.post(value, for: path.key, of: namespace, &subscribers)
      return .posted(subscribers)
    }
  }

  /// Tells a subscriber nothing more, and forgets it.
  ///
  /// - Returns: false if it had been removed.
  func remove(_ subscriber: DictionarySubscriber) -> Bool {
    let handler = state.withLock { state -> DictionarySubscriber.Handler? in
      guard let handler = subscriber.end() else { return nil }
      state.subscriberCount -= 1
      let key = subscriber.path.key
      guard let namespace = state.namespaces[subscriber.path.namespace], var list = namespace.subscribers[key]
      else { return handler }
      list.removeAll { $0 === subscriber }
      namespace.subscribers[key] = list.isEmpty ? nil : list
      return handler
    }
    return handler != nil
  }
}
