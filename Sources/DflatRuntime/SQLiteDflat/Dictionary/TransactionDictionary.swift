import Dflat
import DflatEngine

/// What a transaction has done to the dictionary, on the thread of its closure.
struct TransactionKeys {
  /// The values that it has set; nil for a key that it has removed.
  var values: [DictionaryPath: StoredDictionaryValue?] = [:]
  /// What it has read that nobody else may set before its end.
  var reads = DictionaryCache.TransactionReads()
}

/// The keys of a namespace as a transaction sees and changes them.
///
/// A value that is set is collected like a submitted change, in the same write set. To read, the transaction takes
/// the writer: then no other transaction can commit before its end. That nobody else has set what it has read is found
/// out when it is committed.
final class TransactionDictionary: DictionaryAccess {
  private let transaction: SQLiteTransaction
  private let name: DictionaryKey

  init(_ transaction: SQLiteTransaction, _ name: String) {
    self.transaction = transaction
    self.name = DictionaryKey(name)
  }

  func namespace(_ name: String) -> TransactionDictionary { TransactionDictionary(transaction, name) }

  // MARK: Reading

  func _storedValue(forKey key: String) -> StoredDictionaryValue? {
    let path = DictionaryPath(namespace: name, key: DictionaryKey(key))
    if let own = transaction.keys?.values[path] { return own }
    return transaction.reading { connection, cache in
      let pending = cache.pending(path.key, of: cache.namespace(path.namespace.text))
      transaction.noteReads { reads in if reads.keys[path] == nil { reads.keys[path] = pending.setCount } }
      if case .some(let value) = pending.value { return value }
      return try DictionaryRows(connection: connection).value(of: path)
    } ?? nil
  }

  /// The own value only: to find the other one, the transaction would have to take the writer. SQLite's side writes
  /// nothing where the row is the same.
  func _comparedValue(forKey key: String) -> StoredDictionaryValue? {
    transaction.keys?.values[DictionaryPath(namespace: name, key: DictionaryKey(key))] ?? nil
  }

  var keys: [String] { storedKeys.map(\.text) }

  private var storedKeys: [DictionaryKey] {
    let found = transaction.reading { connection, cache in
      let namespace = cache.namespace(name.text)
      let setCount = cache.pending(DictionaryKey(""), of: namespace).setCount
      transaction.noteReads { reads in if reads.namespaces[name] == nil { reads.namespaces[name] = setCount } }
      var keys = Set(try DictionaryRows(connection: connection).keys(of: name))
      cache.pendingKeys(of: namespace).apply(to: &keys)
      return keys
    }
    guard var keys = found else { return [] }
    for (path, value) in transaction.keys?.values ?? [:] where path.namespace == name {
      if value == nil { keys.remove(path.key) } else { keys.insert(path.key) }
    }
    return Array(keys)
  }

  // MARK: Setting

  func _setStoredValue(_ value: StoredDictionaryValue?, forKey key: String) { set(value, DictionaryKey(key)) }

  func removeAll() { for key in storedKeys { set(nil, key) } }

  private func set(_ value: StoredDictionaryValue?, _ key: DictionaryKey) {
    transaction.change(DictionaryChange(path: DictionaryPath(namespace: name, key: key), value: value))
  }

  // MARK: Errors

  func _report(_ reason: DictionaryError.Reason, forKey key: String) {
    let error = DictionaryError(key: key, namespace: name.text, reason)
    if case .notEncoded = reason {
      transaction.failUnlessEnded(error)
    } else {
      transaction.reportUnreadable(error, DictionaryPath(namespace: name, key: DictionaryKey(key)))
    }
  }
}

extension SQLiteTransaction {
  var dictionary: any DictionaryAccess { TransactionDictionary(self, "") }

  /// Whether the dictionary may be used: not after an abort or a failure, when nothing counts any more.
  private var isOpen: Bool {
    switch state {
    case .collecting, .writing: return true
    case .aborted, .failed: return false
    case .ended: preconditionFailure(SQLiteTransaction.endedMessage)
    }
  }

  /// Calls `body` with the connection that writes, and the cache; returns nil if that cannot be, which fails the
  /// transaction.
  fileprivate func reading<Result>(
    _ body: (SQLiteConnection, DictionaryCache) throws -> Result
  ) -> Result? {
    guard isOpen else { return nil }
    do {
      return try body(takeWriter().connection, core.dictionary.cache)
    } catch {
      _ = fail(error)
      return nil
    }
  }

  fileprivate func noteReads(_ note: (inout DictionaryCache.TransactionReads) -> Void) {
    var keys = self.keys ?? TransactionKeys()
    self.keys = nil
    note(&keys.reads)
    self.keys = keys
  }

  fileprivate func change(_ change: DictionaryChange) {
    guard isOpen else { return }
    do {
      if isToWriteAlone { try takeWriter() }
      set.append(change)
      var keys = self.keys ?? TransactionKeys()
      self.keys = nil
      keys.values[change.path] = .some(change.value)
      self.keys = keys
      if isToApply { try applyLarge() }
    } catch {
      _ = fail(error)
    }
  }

  fileprivate func failUnlessEnded(_ error: any Error) {
    if isOpen { _ = fail(error) }
  }

  fileprivate func reportUnreadable(_ error: any Error, _ path: DictionaryPath) {
    let cache = core.dictionary.cache
    if cache.noteReport(path.key, of: cache.namespace(path.namespace.text)) { report(error) }
  }
}
