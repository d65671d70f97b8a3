import Dflat
import DflatEngine

/// A namespace of the dictionary of a workspace; see `WorkspaceDictionary`.
final class PostgresDictionary: EngineDictionary {
  private let core: PostgresCore
  let name: DictionaryKey

  init(_ core: PostgresCore, _ name: String) {
    self.core = core
    self.name = DictionaryKey(name)
  }

  func namespace(_ name: String) -> PostgresDictionary { PostgresDictionary(core, name) }

  // MARK: Reading

  func _storedValue(forKey key: String) -> StoredDictionaryValue? { value(forKey: key) ?? nil }

  /// Returns the pending or stored value of a key; nil if the key cannot be read, which is reported. The inner optional is
  /// nil if the key has no value.
  private func value(forKey key: String) -> StoredDictionaryValue?? {
    let path = DictionaryPath(key, in: name)
    if case .some(let pending) = core.dictionary.pending(path) { return .some(pending) }
    return read(key) { connection in try self.core.dictionary.stored(path, on: connection) }
  }

  /// Returns the pending value; nil if the key is not pending, or its removal is. The stored value is not read: asking
  /// the server whether a value differs takes as long as writing it.
  func _comparedValue(forKey key: String) -> StoredDictionaryValue? {
    core.dictionary.pending(DictionaryPath(key, in: name)) ?? nil
  }

  var keys: [String] {
    let pending = core.dictionary.pendingValues(of: name)
    let stored = read(nil) { connection in try self.core.dictionary.storedKeys(of: self.name, on: connection) }
    var keys = Set(stored ?? [])
    pending.apply(to: &keys, of: name)
    return keys.map(\.text)
  }

  func load() {}

  private func read<Result>(_ key: String?, _ body: (PostgresConnection) throws -> Result) -> Result? {
    do {
      return try core.withConnection { connection, _ in try body(connection) }
    } catch StoreError.shutDown {
      return nil
    } catch {
      core.report(DictionaryError(key: key, namespace: name.text, .notRead(error)))
      return nil
    }
  }

  // MARK: Setting

  func _setStoredValue(_ value: StoredDictionaryValue?, forKey key: String) {
    if let error = core.dictionary.set(value, for: DictionaryPath(key, in: name)) { core.report(error) }
  }

  func removeAll() { for key in keys { _setStoredValue(nil, forKey: key) } }

  func synchronize() -> Bool {
    if core.reporter.forks.isInChild {
      core.report(ForkedProcessError())
      return false
    }
    if let transaction = core.currentTransaction, transaction.hasWritten {
      core.report(DictionaryError(key: nil, namespace: name.text, .synchronizedInTransaction))
      return false
    }
    let errors = core.dictionary.synchronize()
    for error in errors { error.report { core.report($0) } }
    return errors.isEmpty
  }

  // MARK: Subscribers and errors

  var noteReport: @Sendable (DictionaryPath) -> Bool { core.dictionary.noteReport }

  var reportForSubscriber: @Sendable (any Error) -> Void { core.reportFromAnyThread }

  func report(_ error: DictionaryError) { core.report(error) }

  func add(_ subscriber: DictionarySubscriber) -> DictionarySubscription {
    let path = subscriber.path
    let value = value(forKey: path.key.text)
    switch core.dictionary.add(subscriber, from: value ?? nil) {
    case true?: core.observeKeys()
    case false?: break
    case nil: subscriber.end(telling: nil)
    }
    if value != nil {
      // The value may have changed between the read, which may show an older snapshot, and the subscription.
      core.dictionary.refreshForNewSubscriber(path)
    } else {
      // The key could not be read, and the subscriber was notified of no value. The key is read again after a pause.
      core.dictionary.refreshLater(path)
    }
    return DictionarySubscription { [core] in if core.dictionary.remove(subscriber) { core.feed.stop() } }
  }
}
