import CSQLite
import Dflat
import DflatEngine

// How subscribers are told of changes. Values are posted with the lock held, so that they come in the order of the
// changes. The handlers are called without it.

extension DictionaryCache {
  /// Whether there is a subscriber to any key.
  var hasSubscribers: Bool { state.withLock { $0.subscriberCount > 0 } }

  /// The keys that have subscribers.
  var subscribedPaths: [DictionaryPath] {
    state.withLock { state in
      state.namespaces.values.flatMap { namespace in
        namespace.subscribers.keys.map { DictionaryPath(namespace: namespace.name, key: $0) }
      }
    }
  }

  enum PostOutcome {
    case closed
    /// The value is unknown: the caller reads it from the disk and tries again.
    case outdated
    case posted([DictionarySubscriber])
  }

  /// The value of a key on disk, with the state of the cache before it was read.
  struct DiskRead {
    /// The value; nil if the key could not be read. The inner optional is nil if the key has no value.
    let value: StoredDictionaryValue??
    fileprivate let start: ReadStart
  }

  /// The state of the cache when a thread begins to read a key for its subscribers. If a value is posted meanwhile, the
  /// value that the thread reads may be older: two threads may read before and after a commit of another process that
  /// neither has noticed.
  struct ReadStart {
    fileprivate let ticket: Ticket
    fileprivate let lastPost: UInt64?

    func read(_ value: StoredDictionaryValue??) -> DiskRead { DiskRead(value: value, start: self) }
  }

  /// Begins to read a key for its subscribers. It has to be called before the disk is read.
  func beginRead(of path: DictionaryPath, _ sequence: CommitSequence) -> ReadStart {
    let ticket = update(sequence)
    return state.withLock { state in
      ReadStart(ticket: ticket, lastPost: state.namespace(path.namespace).lastPosts[path.key])
    }
  }

  /// Posts the value of a key to its subscribers, unless it was the last one posted. If the value could not be read, only
  /// a new subscriber is told anything: that there is none. Waits for the end of a transaction's commit, unless the
  /// value is known.
  ///
  /// - Parameters:
  ///   - new: a subscriber to add, which is told the value in any case. The calling thread has reserved the delivery, or
  ///     another thread might deliver the first value.
  ///   - read: what was read from the disk; used if the cache does not know the value.
  func post(_ path: DictionaryPath, adding new: DictionarySubscriber?, read: DiskRead?) -> PostOutcome {
    state.wait { state -> PostOutcome? in
      if state.isClosed { return .closed }
      let namespace = state.namespace(path.namespace)
      let value: StoredDictionaryValue??
      if case .some(let known) = state.known(path.key, of: namespace) {
        value = .some(known)
      } else if state.commit != nil {
        // Until the commit has ended, no value that is read can be trusted, and the caller would read again and again.
        return nil
      } else if let read, state.publications == read.start.ticket.publications,
        namespace.lastPosts[path.key] == read.start.lastPost
      {
        value = read.value
      } else {
        return .outdated
      }
      if let new {
        namespace.subscribers[path.key, default: []].append(new)
        state.subscriberCount += 1
      }
      guard case .some(let value) = value else {
        _ = new?.post(nil)
        return .posted(new.map { [$0] } ?? [])
      }
      var subscribers: [DictionarySubscriber] = []
      state.post(value, for: path.key, of: namespace, &subscribers)
      return .posted(subscribers)
    }
  }

  /// Ends and removes a subscriber.
  ///
  /// - Returns: false if it was already removed.
  func remove(_ subscriber: DictionarySubscriber) -> Bool {
    let handler = state.withLock { state -> DictionarySubscriber.Handler? in
      guard let handler = subscriber.end() else { return nil }
      state.subscriberCount -= 1
      let key = subscriber.path.key
      guard let namespace = state.namespaces[subscriber.path.namespace], var list = namespace.subscribers[key]
      else { return handler }
      list.removeAll { $0 === subscriber }
      namespace.subscribers[key] = list.isEmpty ? nil : list
      if list.isEmpty {
        namespace.lastPosts[key] = nil
        state.unread.remove(subscriber.path)
      }
      return handler
    }
    return handler != nil
  }
}
