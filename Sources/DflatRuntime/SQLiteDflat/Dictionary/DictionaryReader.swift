import Dflat
import DflatEngine

/// Reads the keys of the dictionary that the cache does not know.
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

  /// The value of a key.
  ///
  /// - Parameter inTransaction: whether a transaction reads, which may still do so while the workspace is shut down.
  func value(
    of key: DictionaryKey, in namespace: DictionaryNamespace, inTransaction: Bool
  ) -> StoredDictionaryValue? {
    if case .some(let known) = cache.known(key, of: namespace) { return known }
    return read(key, in: namespace, inTransaction: inTransaction)
  }

  /// The value of a key that the cache did not know a moment ago.
  func read(
    _ key: DictionaryKey, in namespace: DictionaryNamespace, inTransaction: Bool
  ) -> StoredDictionaryValue? {
    let path = DictionaryPath(namespace: namespace.name, key: key)
    // The first time, the file may only be opened by that: what was read before cannot be kept.
    for isLast in [false, true] {
      let ticket = cache.update(sequence)
      // It may only not have been certain that nobody else had committed.
      if !ticket.wasCurrent, case .some(let known) = cache.known(key, of: namespace) { return known }
      guard let stored = read(path, inTransaction: inTransaction) else { return nil }
      if cache.keep(CollectionOfOne((key, stored)), of: namespace, ticket) || isLast || !cache.isFirstUse(ticket) {
        return stored.value
      }
    }
    return nil
  }

  /// What is on disk for a key; nil if that cannot be read, which is reported.
  private func read(_ path: DictionaryPath, inTransaction: Bool) -> DictionaryEntry.Stored? {
    do {
      return try database.withReader(inTransaction: inTransaction) { try DictionaryRows(connection: $0).stored(path) }
        ?? .absent
    } catch {
      report(DictionaryError(key: path.key.text, namespace: path.namespace.text, .notRead(error)))
      return nil
    }
  }

  /// The keys of a namespace that have a value.
  func keys(of namespace: DictionaryNamespace, inTransaction: Bool) -> [DictionaryKey] {
    // What is written while the disk is read was pending before, or shows on the disk.
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

  /// Reads all values of a namespace into the cache.
  func load(_ namespace: DictionaryNamespace, inTransaction: Bool) {
    do {
      // The first time, the file may only be opened by that; or somebody commits meanwhile.
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

  /// Posts the value of a key to its subscribers, if they do not know it. The caller has it delivered.
  func postCurrentValue(
    of path: DictionaryPath, adding subscriber: DictionarySubscriber? = nil
  ) -> DictionaryCache.PostOutcome {
    var read: DictionaryCache.DiskRead?
    while true {
      let outcome = cache.post(path, adding: subscriber, read: read)
      guard case .outdated = outcome else { return outcome }
      let start = cache.beginRead(of: path, sequence)
      // What cannot be read is told as absent, and read again at the next commit of another process.
      read = start.read(self.read(path, inTransaction: false)?.value)
    }
  }
}
