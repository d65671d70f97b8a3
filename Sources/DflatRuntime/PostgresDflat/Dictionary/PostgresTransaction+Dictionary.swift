import Dflat
import DflatEngine
import FlatBuffersCore

/// The reading and setting of keys in a transaction.
///
/// As for objects, the server makes sure that no other transaction sets a key that this one has read: it undoes one of
/// the two. `DictionaryTurns` makes sure that the transaction sees keys that were set on the workspace before, and that
/// they are not written after its own keys.
extension PostgresTransaction: DictionaryTransaction {
  var dictionary: any DictionaryAccess { TransactionDictionary(self, "") }

  var isOpen: Bool {
    switch state {
    case .idle, .open: return true
    case .aborted, .failed, .retryNeeded: return false
    case .ended: stopProgram(PostgresTransaction.endedMessage)
    }
  }

  // MARK: Reading

  var ownValues: [DictionaryPath: StoredDictionaryValue?] { keys }

  func ownValue(of path: DictionaryPath) -> StoredDictionaryValue?? { keys[path] }

  func otherValue(of path: DictionaryPath) -> StoredDictionaryValue? {
    if case .some(let pending) = core.dictionary.pending(path) { return pending }
    let stored = reading { try core.dictionary.stored(path, on: $0) } ?? nil
    if isOpen, core.dictionary.mayHaveWritten(path, since: keyWriteCount) { undo(because: .olderSnapshot) }
    return stored
  }

  func otherKeys(of namespace: DictionaryKey) -> Set<DictionaryKey> {
    let stored = reading { try core.dictionary.storedKeys(of: namespace, on: $0) }
    var keys = Set(stored ?? [])
    // Keys that are written meanwhile make the snapshot too old.
    core.dictionary.pendingValues(of: namespace).apply(to: &keys, of: namespace)
    if isOpen, core.dictionary.mayHaveWritten(anyOf: namespace, since: keyWriteCount) { undo(because: .olderSnapshot) }
    return keys
  }

  /// Calls `body` with the transaction's connection; returns nil, after reporting the error, if that fails.
  private func reading<Result>(_ body: (PostgresConnection) throws -> Result) -> Result? {
    do {
      return try core.withConnection { connection, _ in try body(connection) }
    } catch {
      // The failed read has failed the transaction.
      report(error)
      return nil
    }
  }

  func reportUnreadable(_ error: DictionaryError, of path: DictionaryPath) {
    if core.dictionary.noteReport(path) { report(error) }
  }

  // MARK: Setting

  func setValue(_ value: StoredDictionaryValue?, of path: DictionaryPath) {
    if isOpen {
      do {
        _ = try prepare(DictionaryTable.record)
        _ = try openConnection()
      } catch {
        guard let reason = reasonToRunAgain(after: error) else {
          _ = fail(error)
          return
        }
        undo(because: reason)
      }
    }
    // Even in an undone attempt, the closure sees what it has set.
    switch state {
    case .idle, .open, .retryNeeded: keys[path] = .some(value)
    case .aborted, .failed, .ended: break
    }
  }
}
