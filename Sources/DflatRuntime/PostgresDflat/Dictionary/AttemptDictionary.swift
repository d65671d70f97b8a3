import Dflat
import DflatEngine

/// The keys of a namespace as a transaction sees and changes them.
///
/// That nobody else sets a key which the transaction has read is the server's business, as for objects: one of the two
/// transactions is run again.
final class AttemptDictionary: DictionaryAccess {
  private let transaction: PostgresTransaction
  private let name: DictionaryKey

  init(_ transaction: PostgresTransaction, _ name: String) {
    self.transaction = transaction
    self.name = DictionaryKey(name)
  }

  func namespace(_ name: String) -> AttemptDictionary { AttemptDictionary(transaction, name) }

  private func path(_ key: String) -> DictionaryPath { DictionaryPath(namespace: name, key: DictionaryKey(key)) }

  // MARK: Reading

  func _storedValue(forKey key: String) -> StoredDictionaryValue? {
    let path = path(key)
    if let own = transaction.keys[path] { return own }
    if case .some(let pending) = transaction.core.dictionary.pending(path) { return pending }
    return transaction.reading { try transaction.core.dictionary.stored(path, on: $0) } ?? nil
  }

  func _comparedValue(forKey key: String) -> StoredDictionaryValue? { transaction.keys[path(key)] ?? nil }

  var keys: [String] { storedKeys.map(\.text) }

  private var storedKeys: [DictionaryKey] {
    let core = transaction.core
    let found = transaction.reading { try core.dictionary.storedKeys(of: name, on: $0) }
    var keys = Set(core.dictionary.keys(found ?? [], of: name))
    for (path, value) in transaction.keys where path.namespace == name {
      if value == nil { keys.remove(path.key) } else { keys.insert(path.key) }
    }
    return Array(keys)
  }

  // MARK: Setting

  func _setStoredValue(_ value: StoredDictionaryValue?, forKey key: String) { transaction.set(value, for: path(key)) }

  func removeAll() { for key in storedKeys { transaction.set(nil, for: path(key.text)) } }

  // MARK: Errors

  func _report(_ reason: DictionaryError.Reason, forKey key: String) {
    let error = DictionaryError(key: key, namespace: name.text, reason)
    if case .notEncoded = reason {
      transaction.failIfOpen(error)
    } else if transaction.core.dictionary.noteReport(path(key)) {
      transaction.core.report(error)
    }
  }
}

extension PostgresTransaction {
  var dictionary: any DictionaryAccess { AttemptDictionary(self, "") }

  /// Whether the dictionary may be used: not after an abort or a failure, when nothing counts any more.
  private var isOpen: Bool {
    switch state {
    case .idle, .open: return true
    case .aborted, .failed, .doomed: return false
    case .ended: preconditionFailure(PostgresTransaction.endedMessage)
    }
  }

  /// Calls `body` with the connection of the transaction; returns nil if that cannot be.
  fileprivate func reading<Result>(_ body: (PostgresConnection) throws -> Result) -> Result? {
    do {
      return try core.withConnection { connection, _ in try body(connection) }
    } catch {
      // The server may have failed the transaction with the read.
      if case .failed = state { core.report(error) } else if isOpen { _ = fail(error) }
      return nil
    }
  }

  fileprivate func set(_ value: StoredDictionaryValue?, for path: DictionaryPath) {
    if isOpen {
      do {
        _ = try prepare(DictionaryTable.record)
        _ = try openConnection()
      } catch {
        guard let reason = reasonToRunAgain(after: error) else {
          _ = fail(error)
          return
        }
        doom(reason)
      }
    }
    // Also where the attempt was undone: its closure, which goes on, sees what it has set.
    switch state {
    case .idle, .open, .doomed: keys[path] = .some(value)
    case .aborted, .failed, .ended: break
    }
  }

  fileprivate func failIfOpen(_ error: any Error) {
    if isOpen { _ = fail(error) }
  }
}
