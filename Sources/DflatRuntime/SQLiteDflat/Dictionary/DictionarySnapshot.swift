import Dflat
import DflatEngine

/// The dictionary in a snapshot: the state of the disk when the snapshot began, and the values that were pending then.
final class DictionarySnapshot {
  private let connection: Result<SQLiteConnection?, any Error>
  private let pending: DictionaryCache.Pending
  private let handle: (StoreError) -> Void

  /// Makes the dictionary of a snapshot.
  /// - Parameters:
  ///   - connection: the connection with the snapshot's read transaction; nil if nothing was stored; or the error if
  ///     the read transaction could not begin.
  ///   - handle: is told errors. A value that cannot be read counts as absent.
  init(
    _ connection: Result<SQLiteConnection?, any Error>, _ pending: DictionaryCache.Pending,
    handle: @escaping (StoreError) -> Void
  ) {
    self.connection = connection
    self.pending = pending
    self.handle = handle
  }

  func value(of key: DictionaryKey, in namespace: DictionaryKey) -> StoredDictionaryValue? {
    let path = DictionaryPath(namespace: namespace, key: key)
    if let value = pending.values[path] { return value }
    do {
      return try connection.get().flatMap { try DictionaryRows(connection: $0).value(of: path) }
    } catch {
      handle(.failed(DictionaryError(key: key.text, namespace: namespace.text, .notRead(error))))
      return nil
    }
  }

  func keys(of namespace: DictionaryKey) -> [DictionaryKey] {
    var keys: Set<DictionaryKey> = []
    do {
      if let connection = try connection.get() {
        keys = Set(try DictionaryRows(connection: connection).keys(of: namespace))
      }
    } catch {
      handle(.failed(DictionaryError(key: nil, namespace: namespace.text, .notRead(error))))
    }
    pending.values.apply(to: &keys, of: namespace)
    return Array(keys)
  }
}
