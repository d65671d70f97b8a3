import Dflat
import DflatEngine

/// Reads the keys of the dictionary that are not in the cache.
final class DictionaryReader: Sendable {
  private let cache: DictionaryCache
  private let database: Database
  let sequence: CommitSequence
  private let report: @Sendable (any Error) -> Void

  init(
    _ cache: DictionaryCache, database: Database, sequence: CommitSequence,
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.cache = cache
    self.database = database
    self.sequence = sequence
    self.report = report
  }

  /// Returns the value of a key, from the cache or the disk; nil if it has none, or cannot be read, which is reported.
  ///
  /// - Parameter inTransaction: whether the caller is a transaction, which may read while the workspace is shut down.
  func value(
    of key: DictionaryKey, in namespace: DictionaryNamespace, inTransaction: Bool
  ) -> StoredDictionaryValue? {
    if case .some(let known) = cache.known(key, of: namespace) { return known }
    return read(key, in: namespace, inTransaction: inTransaction)
  }

  /// Returns the value of a key that was not in the cache just now; nil if it has none, or cannot be read, which is
  /// reported.
  func read(
    _ key: DictionaryKey, in namespace: DictionaryNamespace, inTransaction: Bool
  ) -> StoredDictionaryValue? {
    let path = DictionaryPath(namespace: namespace.name, key: key)
    // Twice, since the first read may open the file: the value could not be kept then.
    for isLast in [false, true] {
      let ticket = cache.update(sequence)
      // Perhaps it was only uncertain whether others had committed.
      if !ticket.wasCurrent, case .some(let known) = cache.known(key, of: namespace) { return known }
      let stored: DictionaryEntry.Stored
      do {
        // After a shutdown nothing is read, and the cache must not keep that as the value on disk.
        guard let found = try read(path, inTransaction: inTransaction) else { return nil }
        stored = found
      } catch {
        report(notRead(path, error))
        return nil
      }
      if cache.keep(CollectionOfOne((key, stored)), of: namespace, ticket) || isLast || !cache.isFirstUse(ticket) {
        return stored.value
      }
    }
    return nil
  }

  /// Returns the state of a key on disk; nil if nothing is stored and the workspace is being shut down, or has been.
  ///
  /// - Parameter forSubscribers: whether subscribers are to be told what is read, also during a shutdown.
  private func read(
    _ path: DictionaryPath, inTransaction: Bool, forSubscribers: Bool = false
  ) throws -> DictionaryEntry.Stored? {
    let stored = try database.withReader(inTransaction: inTransaction, forSubscribers: forSubscribers) { connection in
      try DictionaryRows(connection: connection).stored(path)
    }
    if let stored { return stored }
    if database.isShutDown { return nil }
    return .absent
  }

  private func notRead(_ path: DictionaryPath, _ error: any Error) -> DictionaryError {
    DictionaryError(key: path.key.text, namespace: path.namespace.text, .notRead(error))
  }

  /// Returns the keys of a namespace that have a value. If they cannot be read, the error is reported, and only pending
  /// keys are returned.
  func keys(of namespace: DictionaryNamespace, inTransaction: Bool) -> [DictionaryKey] {
    // A key that is written during the read was pending before it, or shows on the disk.
    let before = cache.pendingKeys(of: namespace)
    var keys: Set<DictionaryKey> = []
    do {
      if let stored = try database.withReader(
        inTransaction: inTransaction, { try DictionaryRows(connection: $0).keys(of: namespace.name) })
      {
        keys = Set(stored)
      }
    } catch {
      report(DictionaryError(key: nil, namespace: namespace.name.text, .notRead(error)))
    }
    before.apply(to: &keys)
    cache.pendingKeys(of: namespace).apply(to: &keys)
    return Array(keys)
  }

  /// Reads all values of a namespace into the cache. Errors are reported.
  ///
  /// - Parameter inTransaction: whether the caller is a transaction, which may read while the workspace is shut down.
  func load(_ namespace: DictionaryNamespace, inTransaction: Bool) {
    do {
      // Repeated, since the first read may open the file, and others may commit meanwhile.
      for _ in 0..<3 {
        let ticket = cache.update(sequence)
        var values: [(DictionaryKey, DictionaryEntry.Stored)] = []
        try database.withReader(inTransaction: inTransaction) { connection in
          try DictionaryRows(connection: connection).forEachValue(of: namespace.name) { values.append(($0, $1)) }
        }
        if cache.keep(values, of: namespace, ticket) { return }
      }
    } catch {
      report(DictionaryError(key: nil, namespace: namespace.name.text, .notRead(error)))
    }
  }

  // MARK: Subscribers

  /// Posts the current value of a key to its subscribers, unless it was the last one posted. The caller delivers it.
  ///
  /// - Returns: also why the value cannot be read; nil if it can. Then only `subscriber` is told anything.
  func postCurrentValue(
    of path: DictionaryPath, adding subscriber: DictionarySubscriber? = nil
  ) -> (outcome: DictionaryCache.PostOutcome, failure: DictionaryError?) {
    var read: DictionaryCache.DiskRead?
    var failure: DictionaryError?
    while true {
      let outcome = cache.post(path, adding: subscriber, read: read)
      guard case .outdated = outcome else { return (outcome, failure) }
      let start = cache.beginRead(of: path, sequence)
      do {
        let stored = try self.read(path, inTransaction: false, forSubscribers: true)
        read = start.read(.some(stored?.value))
        failure = nil
      } catch {
        read = start.read(nil)
        failure = notRead(path, error)
      }
    }
  }
}
