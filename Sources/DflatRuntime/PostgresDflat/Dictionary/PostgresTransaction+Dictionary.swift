import Dflat
import DflatEngine
import FlatBuffersCore

/// How a transaction reads and sets keys.
///
/// That nobody else sets a key which the transaction has read is the server's business, as for objects: one of the two
/// transactions is run again. That what was set on the workspace before is seen and not written later is this one's:
/// `DictionaryTurns`.
extension PostgresTransaction: DictionaryTransaction {
  var dictionary: any DictionaryAccess { TransactionDictionary(self, "") }

  var isOpen: Bool {
    switch state {
    case .idle, .open: return true
    case .aborted, .failed, .doomed: return false
    case .ended: stopProgram(PostgresTransaction.endedMessage)
    }
  }

  // MARK: Reading

  var ownValues: [DictionaryPath: StoredDictionaryValue?] { keys }

  func ownValue(of path: DictionaryPath) -> StoredDictionaryValue?? { keys[path] }

  func otherValue(of path: DictionaryPath) -> StoredDictionaryValue? {
    if case .some(let pending) = core.dictionary.pending(path) { return pending }
    let stored = reading { try core.dictionary.stored(path, on: $0) } ?? nil
    if isOpen, core.dictionary.mayHaveWritten(path, since: keyWriteCount) { doom(.olderSnapshot) }
    return stored
  }

  func otherKeys(of namespace: DictionaryKey) -> Set<DictionaryKey> {
    let stored = reading { try core.dictionary.storedKeys(of: namespace, on: $0) }
    let keys = core.dictionary.keys(stored ?? [], of: namespace)
    if isOpen, core.dictionary.mayHaveWritten(anyOf: namespace, since: keyWriteCount) { doom(.olderSnapshot) }
    return keys
  }

  /// Calls `body` with the connection of the transaction; returns nil if that cannot be.
  private func reading<Result>(_ body: (PostgresConnection) throws -> Result) -> Result? {
    do {
      return try core.withConnection { connection, _ in try body(connection) }
    } catch {
      // The failed read has failed the transaction.
      core.report(error)
      return nil
    }
  }

  func reportUnreadable(_ error: DictionaryError, of path: DictionaryPath) {
    if core.dictionary.noteReport(path) { core.report(error) }
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
        doom(reason)
      }
    }
    // Also where the attempt was undone: its closure, which goes on, sees what it has set.
    switch state {
    case .idle, .open, .doomed: keys[path] = .some(value)
    case .aborted, .failed, .ended: break
    }
  }
}
