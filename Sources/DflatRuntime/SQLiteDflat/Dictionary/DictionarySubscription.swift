import Dflat
import DflatEngine

/// The subscription of a subscriber; cancelled with its last reference.
final class DictionarySubscription: WorkspaceSubscription {
  private let cache: DictionaryCache
  private let subscriber: DictionarySubscriber
  private let watcher: ForeignCommitWatcher

  init(_ cache: DictionaryCache, _ subscriber: DictionarySubscriber, _ watcher: ForeignCommitWatcher) {
    self.cache = cache
    self.subscriber = subscriber
    self.watcher = watcher
  }

  deinit { cancel() }

  func cancel() { if cache.remove(subscriber) { watcher.stop() } }
}
