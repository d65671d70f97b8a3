import DflatEngine

/// What the connection that writes needs to commit keys of the dictionary.
struct DictionaryCommits: Sendable {
  let cache: DictionaryCache
  /// Tells subscribers what waits for them, before the completion handlers of the commit are called.
  let tell: @Sendable ([DictionarySubscriber]) -> Void

  init(_ cache: DictionaryCache, _ scheduler: TransactionScheduler) {
    self.cache = cache
    tell = { subscribers in
      scheduler.settle(
        all: subscribers.map { subscriber in .dictionary { subscriber.deliver(guardedBy: cache.state) } })
    }
  }
}
