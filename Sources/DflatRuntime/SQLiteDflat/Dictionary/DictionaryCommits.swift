import DflatEngine

/// What the connection that writes needs to commit keys of the dictionary.
struct DictionaryCommits: Sendable {
  let cache: DictionaryCache
  /// Tells subscribers what waits for them, before the completion handlers of the commit are called.
  let tell: @Sendable ([DictionarySubscriber]) -> Void

  init(_ cache: DictionaryCache, _ completions: Completions) {
    self.cache = cache
    tell = { subscribers in
      completions.appendCallbacks(subscribers.map { subscriber in { subscriber.deliver(guardedBy: cache.state) } })
    }
  }
}
