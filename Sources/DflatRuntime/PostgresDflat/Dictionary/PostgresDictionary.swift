import Dflat
import DflatEngine

/// A namespace of the dictionary of a workspace; see `WorkspaceDictionary`.
final class PostgresDictionary: WorkspaceDictionary {
  private let core: PostgresCore
  private let name: DictionaryKey

  init(_ core: PostgresCore, _ name: String) {
    self.core = core
    self.name = DictionaryKey(name)
  }

  func namespace(_ name: String) -> PostgresDictionary { PostgresDictionary(core, name) }

  private func path(_ key: String) -> DictionaryPath { DictionaryPath(namespace: name, key: DictionaryKey(key)) }

  // MARK: Reading

  func _storedValue(forKey key: String) -> StoredDictionaryValue? {
    let path = path(key)
    if case .some(let pending) = core.dictionary.pending(path) { return pending }
    return read(key) { connection in try self.core.dictionary.stored(path, on: connection) } ?? nil
  }

  /// What is pending only: to ask the server whether a value is another one takes as long as to write it.
  func _comparedValue(forKey key: String) -> StoredDictionaryValue? {
    core.dictionary.pending(path(key)) ?? nil
  }

  var keys: [String] {
    let stored = read(nil) { connection in try self.core.dictionary.storedKeys(of: self.name, on: connection) }
    return core.dictionary.keys(stored ?? [], of: name).map(\.text)
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
    core.dictionary.set(value, for: path(key))
  }

  func removeAll() { for key in keys { core.dictionary.set(nil, for: path(key)) } }

  func synchronize() -> Bool {
    if let transaction = core.currentTransaction, transaction.hasWritten {
      core.report(DictionaryError(key: nil, namespace: name.text, .synchronizedInTransaction))
      return false
    }
    return core.dictionary.synchronize()
  }

  // MARK: Subscribers and errors

  func _subscribe(
    _ key: String, changeHandler: @escaping @Sendable (_ value: StoredDictionaryValue?) -> DictionaryError.Reason?,
    endHandler: @escaping @Sendable () -> Void
  ) -> any WorkspaceSubscription {
    let path = path(key)
    // It must not refer to the workspace, which refers to it.
    let (dictionary, reporter) = (core.dictionary, core.reporter)
    let subscriber = DictionarySubscriber(path) { [weak dictionary] value in
      guard let reason = changeHandler(value), dictionary?.noteReport(path) ?? false else { return }
      reporter.report(DictionaryError(key: path.key.text, namespace: path.namespace.text, reason))
    } finish: {
      endHandler()
    }
    switch dictionary.add(subscriber, from: _storedValue(forKey: key)) {
    case true?: core.observeKeys()
    case false?: break
    case nil:
      subscriber.end(telling: nil)
    }
    return DictionaryTableSubscription(core, subscriber)
  }

  func _report(_ reason: DictionaryError.Reason, forKey key: String) {
    if case .unreadable = reason, !core.dictionary.noteReport(path(key)) { return }
    core.report(DictionaryError(key: key, namespace: name.text, reason))
  }
}

/// The subscription of a subscriber; cancelled with its last reference.
private final class DictionaryTableSubscription: WorkspaceSubscription {
  private let core: PostgresCore
  private let subscriber: DictionarySubscriber

  init(_ core: PostgresCore, _ subscriber: DictionarySubscriber) {
    self.core = core
    self.subscriber = subscriber
  }

  deinit { cancel() }

  func cancel() { if core.dictionary.remove(subscriber) { core.feed.stop() } }
}
