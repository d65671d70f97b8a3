import DflatEngine

/// The parts of the dictionary that the writing connection needs to commit keys.
struct DictionaryCommits: Sendable {
  let cache: DictionaryCache
  /// Appends calls that deliver the waiting values, before the completion handlers of the commit.
  let tell: @Sendable ([DictionarySubscriber]) -> Void

  init(_ cache: DictionaryCache, _ completions: Completions) {
    self.cache = cache
    tell = { subscribers in
      completions.appendCallbacks(
        subscribers.map { subscriber in { subscriber.deliver(guardedBy: cache.state, before: completions) } })
    }
  }
}
