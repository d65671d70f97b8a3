import Dflat
import DflatEngine

/// The dictionary of a workspace: its cache, its reader and writer, and its subscribers.
final class DictionaryStore: Sendable {
  let cache: DictionaryCache
  let reader: DictionaryReader
  private let writer: DictionaryWriter
  private let watcher: ForeignCommitWatcher
  private let teller: DictionaryTeller
  private let completions: Completions
  private let report: @Sendable (any Error) -> Void

  /// Makes the dictionary of a workspace.
  /// - Parameter watcher: looks for commits of other processes while there are subscribers.
  init(
    _ cache: DictionaryCache, database: Database, committer: Committer, sequence: CommitSequence,
    completions: Completions, watcher: ForeignCommitWatcher, report: @escaping @Sendable (any Error) -> Void
  ) {
    self.cache = cache
    self.watcher = watcher
    self.completions = completions
    self.report = report
    let reader = DictionaryReader(cache, database: database, sequence: sequence, report: report)
    let teller = DictionaryTeller(cache, reader, completions, report: report)
    self.reader = reader
    self.teller = teller
    writer = DictionaryWriter(
      cache, database: database, committer: committer, tellAgain: { teller.tell($0) }, report: report)
  }

  // MARK: Setting

  /// Sets a key; nil removes it. The calling thread tells subscribers.
  func set(_ value: StoredDictionaryValue?, for key: DictionaryKey, in namespace: DictionaryNamespace) {
    var outcome = cache.set(value, for: key, of: namespace, isUpdated: false)
    if case .outdated = outcome {
      _ = cache.update(reader.sequence)
      outcome = cache.set(value, for: key, of: namespace, isUpdated: true)
    }
    finish(outcome, key, namespace)
  }

  /// Removes all keys of a namespace.
  func removeAll(of namespace: DictionaryNamespace, inTransaction: Bool) {
    finish(cache.removeAll(reader.keys(of: namespace, inTransaction: inTransaction), of: namespace), nil, namespace)
  }

  private func finish(
    _ outcome: DictionaryCache.SetOutcome, _ key: DictionaryKey?, _ namespace: DictionaryNamespace
  ) {
    switch outcome {
    case .unchanged, .outdated: break
    case .closed: report(DictionaryError(key: key?.text, namespace: namespace.name.text, .shutDown))
    case .set(let subscribers, let isWriteNeeded):
      if isWriteNeeded { writer.writeInBackground() }
      teller.tell(subscribers)
    }
  }

  /// Writes the pending values on the calling thread.
  ///
  /// - Returns: whether all values that were set before are on disk.
  func synchronize() -> Bool { writer.synchronize() }

  // MARK: Subscribers

  func subscribe(_ subscriber: DictionarySubscriber) -> DictionarySubscription {
    watcher.start()
    let subscription = DictionarySubscription { [cache, watcher] in
      if cache.remove(subscriber) { watcher.stop() }
    }
    if !teller.add(subscriber) {
      watcher.stop()
      subscriber.end(telling: nil)
    }
    return subscription
  }

  /// Has subscribers told what others may have committed. The caller, any thread, holds no lock.
  func othersHaveCommitted() {
    if cache.hasSubscribers { teller.tell(cache.subscribedPaths) }
  }

  // MARK: Closing

  /// Writes the pending values, accepts no more values, and ends all subscriptions.
  func close() {
    // Before the last values are written: one that was set later would be neither stored nor reported.
    cache.state.withLock { $0.isClosing = true }
    writer.close(waitingAtMost: completions.longestWait)
    for handler in cache.close() {
      watcher.stop()
      handler.finish()
    }
  }
}
