import Dflat
import DflatEngine

/// A namespace of the dictionary of a workspace; see `WorkspaceDictionary`.
final class SQLiteWorkspaceDictionary: WorkspaceDictionary {
  private let core: WorkspaceCore
  private let cache: DictionaryCache
  private let namespace: DictionaryNamespace

  init(_ core: WorkspaceCore, _ name: String) {
    self.core = core
    cache = core.dictionary.cache
    namespace = cache.namespace(name)
  }

  func namespace(_ name: String) -> SQLiteWorkspaceDictionary { SQLiteWorkspaceDictionary(core, name) }

  private var isInTransaction: Bool { core.currentTransaction != nil }

  // MARK: Reading

  func _storedValue(forKey key: String) -> StoredDictionaryValue? {
    let key = DictionaryKey(key)
    if let snapshot = core.dictionarySnapshot { return snapshot.value(of: key, in: namespace.name) }
    if case .some(let known) = cache.known(key, of: namespace) { return known }
    return core.dictionary.reader.read(key, in: namespace, inTransaction: isInTransaction)
  }

  /// What is committed and pending, also in a snapshot.
  func _comparedValue(forKey key: String) -> StoredDictionaryValue? {
    core.dictionary.reader.value(of: DictionaryKey(key), in: namespace, inTransaction: isInTransaction)
  }

  var keys: [String] {
    let keys =
      core.dictionarySnapshot?.keys(of: namespace.name)
      ?? core.dictionary.reader.keys(of: namespace, inTransaction: isInTransaction)
    return keys.map(\.text)
  }

  func load() { core.dictionary.reader.load(namespace, inTransaction: isInTransaction) }

  // MARK: Setting

  func _setStoredValue(_ value: StoredDictionaryValue?, forKey key: String) {
    core.dictionary.set(value, for: DictionaryKey(key), in: namespace)
  }

  func removeAll() { core.dictionary.removeAll(of: namespace, inTransaction: isInTransaction) }

  func synchronize() -> Bool {
    if let transaction = core.currentTransaction, case .writing = transaction.state {
      transaction.report(DictionaryError(key: nil, namespace: namespace.name.text, .synchronizedInTransaction))
      return false
    }
    return core.dictionary.synchronize()
  }

  // MARK: Subscribers and errors

  func _subscribe(
    _ key: String, changeHandler: @escaping @Sendable (_ value: StoredDictionaryValue?) -> DictionaryError.Reason?,
    endHandler: @escaping @Sendable () -> Void
  ) -> any WorkspaceSubscription {
    let path = DictionaryPath(namespace: namespace.name, key: DictionaryKey(key))
    // It must not refer to the workspace, which refers to it.
    let (cache, reporter) = (cache, core.reporter)
    let subscriber = DictionarySubscriber(path) { value in
      guard let reason = changeHandler(value), cache.noteReport(path) else { return }
      reporter.report(DictionaryError(key: path.key.text, namespace: path.namespace.text, reason))
    } finish: {
      endHandler()
    }
    return core.dictionary.subscribe(subscriber)
  }

  func _report(_ reason: DictionaryError.Reason, forKey key: String) {
    if case .unreadable = reason, !cache.noteReport(DictionaryPath(namespace: namespace.name, key: DictionaryKey(key)))
    {
      return
    }
    let error = DictionaryError(key: key, namespace: namespace.name.text, reason)
    if let transaction = core.currentTransaction { transaction.report(error) } else { core.report(error) }
  }
}
