import Dflat

/// A transaction as its dictionary sees it; an engine implements it. It is used on the thread of the closure.
package protocol DictionaryTransaction: AnyObject {
  /// The values that the transaction has set; nil for each key that it has removed.
  var ownValues: [DictionaryPath: StoredDictionaryValue?] { get }

  /// Returns the element of `ownValues` for a key: nil if the transaction has neither set nor removed the key. The
  /// inner optional is nil if it has removed the key. A separate function, since it must not copy the dictionary.
  func ownValue(of path: DictionaryPath) -> StoredDictionaryValue??

  /// Returns the value that a key has without `ownValues`, pending or in the database; nil if it has none. If the value
  /// cannot be read, the transaction fails, and the result is nil.
  func otherValue(of path: DictionaryPath) -> StoredDictionaryValue?

  /// Returns the keys of a namespace that have a value without `ownValues`. If they cannot be read, the transaction
  /// fails.
  func otherKeys(of namespace: DictionaryKey) -> Set<DictionaryKey>

  /// Sets a key; a nil value removes it.
  func setValue(_ value: StoredDictionaryValue?, of path: DictionaryPath)

  /// Whether changes may still be stored: false after an abort or a failure. To use the dictionary after the closure
  /// has returned is a programming error, and traps.
  var isOpen: Bool { get }

  /// Fails the whole transaction, and returns the error that its closure is to get.
  func fail(_ error: any Error) -> TransactionError

  /// Tells the error handler that a value cannot be read, unless it was told before.
  func reportUnreadable(_ error: DictionaryError, of path: DictionaryPath)
}

/// The keys of a namespace as a transaction sees and changes them.
///
/// A value that is set is written with the changes that the transaction submits. The engine has to prevent that another
/// thread or process sets a key that the transaction has read.
package final class TransactionDictionary<Transaction: DictionaryTransaction>: DictionaryAccess {
  private let transaction: Transaction
  private let name: DictionaryKey

  package init(_ transaction: Transaction, _ name: String) {
    self.transaction = transaction
    self.name = DictionaryKey(name)
  }

  package func namespace(_ name: String) -> TransactionDictionary { TransactionDictionary(transaction, name) }

  // MARK: Reading

  package func _storedValue(forKey key: String) -> StoredDictionaryValue? {
    let path = DictionaryPath(key, in: name)
    if let own = transaction.ownValue(of: path) { return own }
    return transaction.otherValue(of: path)
  }

  /// Returns the value only if the transaction itself has set it, otherwise nil. Any other value would have to be read
  /// from the database, which takes SQLite's writer, or as much time as a write to PostgreSQL.
  package func _comparedValue(forKey key: String) -> StoredDictionaryValue? {
    transaction.ownValue(of: DictionaryPath(key, in: name)) ?? nil
  }

  package var keys: [String] { allKeys.map(\.text) }

  private var allKeys: Set<DictionaryKey> {
    // The other keys come first: if reading them fails, the transaction fails and loses its own values.
    var keys = transaction.otherKeys(of: name)
    transaction.ownValues.apply(to: &keys, of: name)
    return keys
  }

  // MARK: Setting

  package func _setStoredValue(_ value: StoredDictionaryValue?, forKey key: String) {
    transaction.setValue(value, of: DictionaryPath(key, in: name))
  }

  package func removeAll() {
    for key in allKeys { transaction.setValue(nil, of: DictionaryPath(namespace: name, key: key)) }
  }

  // MARK: Errors

  package func _report(_ reason: DictionaryError.Reason, forKey key: String) {
    let error = DictionaryError(key: key, namespace: name.text, reason)
    if case .notEncoded = reason {
      if transaction.isOpen { _ = transaction.fail(error) }
    } else {
      transaction.reportUnreadable(error, of: DictionaryPath(key, in: name))
    }
  }
}
