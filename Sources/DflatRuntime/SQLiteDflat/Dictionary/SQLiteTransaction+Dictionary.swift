import Dflat
import DflatEngine
import FlatBuffersCore

/// The keys that a transaction has set and read, on the thread of its closure.
struct TransactionKeys {
  /// The values that the transaction has set; nil for each removed key.
  var values: [DictionaryPath: StoredDictionaryValue?] = [:]
  /// The keys that the transaction has read, and that must not be set before its end.
  var reads = DictionaryCache.TransactionReads()
}

/// The way in which a transaction reads and sets keys.
///
/// A value that is set is collected in the write set, like a submitted change. To read, the transaction takes the
/// writer, so that no other transaction can commit before its end. Its commit checks that the keys it has read were not
/// set outside of transactions.
extension SQLiteTransaction: DictionaryTransaction {
  var dictionary: any DictionaryAccess { TransactionDictionary(self, "") }

  var isOpen: Bool {
    switch state {
    case .collecting, .writing: return true
    case .aborted, .failed: return false
    case .ended: stopProgram(SQLiteTransaction.endedMessage)
    }
  }

  // MARK: Reading

  var ownValues: [DictionaryPath: StoredDictionaryValue?] { keys?.values ?? [:] }

  func ownValue(of path: DictionaryPath) -> StoredDictionaryValue?? {
    if let value = keys?.values[path] { return .some(value) }
    return nil
  }

  func otherValue(of path: DictionaryPath) -> StoredDictionaryValue? {
    reading { connection, cache in
      let pending = cache.pending(path.key, of: cache.namespace(path.namespace.text))
      noteReads { reads in if reads.keys[path] == nil { reads.keys[path] = pending.setCount } }
      if case .some(let value) = pending.value { return value }
      return try DictionaryRows(connection: connection).value(of: path)
    } ?? nil
  }

  func otherKeys(of name: DictionaryKey) -> Set<DictionaryKey> {
    reading { connection, cache in
      let namespace = cache.namespace(name.text)
      let setCount = cache.pending(DictionaryKey(""), of: namespace).setCount
      noteReads { reads in if reads.namespaces[name] == nil { reads.namespaces[name] = setCount } }
      var keys = Set(try DictionaryRows(connection: connection).keys(of: name))
      cache.pendingKeys(of: namespace).apply(to: &keys)
      return keys
    } ?? []
  }

  /// Calls `body` with the connection that writes, and the cache. If that fails, the transaction fails, and the result
  /// is nil.
  private func reading<Result>(_ body: (SQLiteConnection, DictionaryCache) throws -> Result) -> Result? {
    guard isOpen else { return nil }
    do {
      return try body(takeWriter().connection, core.dictionary.cache)
    } catch {
      _ = fail(error)
      return nil
    }
  }

  private func noteReads(_ note: (inout DictionaryCache.TransactionReads) -> Void) {
    var keys = self.keys ?? TransactionKeys()
    self.keys = nil
    note(&keys.reads)
    self.keys = keys
  }

  func reportUnreadable(_ error: DictionaryError, of path: DictionaryPath) {
    if core.dictionary.cache.noteReport(path) { report(error) }
  }

  // MARK: Setting

  func setValue(_ value: StoredDictionaryValue?, of path: DictionaryPath) {
    guard isOpen else { return }
    do {
      if isToWriteAlone { try takeWriter() }
      set.append(DictionaryChange(path: path, value: value))
      var keys = self.keys ?? TransactionKeys()
      self.keys = nil
      keys.values[path] = .some(value)
      self.keys = keys
      if isToApply { try takeWriter() }
    } catch {
      _ = fail(error)
    }
  }
}
