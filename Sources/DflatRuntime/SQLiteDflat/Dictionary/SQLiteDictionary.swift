import Dflat
import DflatEngine

/// A namespace of the dictionary of a workspace; see `WorkspaceDictionary`.
final class SQLiteDictionary: EngineDictionary {
  private let core: SQLiteCore
  private let cache: DictionaryCache
  private let namespace: DictionaryNamespace

  init(_ core: SQLiteCore, _ name: String) {
    self.core = core
    cache = core.dictionary.cache
    namespace = cache.namespace(name)
  }

  func namespace(_ name: String) -> SQLiteDictionary { SQLiteDictionary(core, name) }

  var name: DictionaryKey { namespace.name }
  private var isInTransaction: Bool { core.currentTransaction != nil }

  // MARK: Reading

  func _storedValue(forKey key: String) -> StoredDictionaryValue? {
    let key = DictionaryKey(key)
    if let snapshot = core.dictionarySnapshot { return snapshot.value(of: key, in: name) }
    if case .some(let known) = cache.known(key, of: namespace) { return known }
    return core.dictionary.reader.read(key, in: namespace, inTransaction: isInTransaction)
  }

  /// Returns the committed or pending value, even in a snapshot; nil if the key has none, or it cannot be read, which
  /// is reported.
  func _comparedValue(forKey key: String) -> StoredDictionaryValue? {
    core.dictionary.reader.value(of: DictionaryKey(key), in: namespace, inTransaction: isInTransaction)
  }

  var keys: [String] {
    let keys =
      core.dictionarySnapshot?.keys(of: name)
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
    if core.reporter.forks.isInChild {
      core.report(ForkedProcessError())
      return false
    }
    if let transaction = core.currentTransaction, case .writing = transaction.state {
      transaction.report(DictionaryError(key: nil, namespace: name.text, .synchronizedInTransaction))
      return false
    }
    return core.dictionary.synchronize()
  }

  // MARK: Subscribers and errors

  var noteReport: @Sendable (DictionaryPath) -> Bool { cache.noteReport }

  var reportForSubscriber: @Sendable (any Error) -> Void { core.reportFromAnyThread }

  func report(_ error: DictionaryError) { core.report(error) }

  func add(_ subscriber: DictionarySubscriber) -> DictionarySubscription { core.dictionary.subscribe(subscriber) }
}
