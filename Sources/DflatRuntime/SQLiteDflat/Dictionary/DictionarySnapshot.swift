import Dflat
import DflatEngine

/// The dictionary as a snapshot shows it: what was on disk when it began, and the values that were pending then.
final class DictionarySnapshot {
  private let connection: SQLiteConnection?
  private let pending: DictionaryCache.Pending
  private let report: @Sendable (any Error) -> Void

  /// - Parameter connection: has the snapshot's read transaction; nil if nothing was stored.
  init(
    _ connection: SQLiteConnection?, _ pending: DictionaryCache.Pending, report: @escaping @Sendable (any Error) -> Void
  ) {
    self.connection = connection
    self.pending = pending
    self.report = report
  }

  func value(of key: DictionaryKey, in namespace: DictionaryKey) -> StoredDictionaryValue? {
    let path = DictionaryPath(namespace: namespace, key: key)
    if let value = pending.values[path] { return value }
    do {
      return try connection.flatMap { try DictionaryRows(connection: $0).value(of: path) }
    } catch {
      report(DictionaryError(key: key.text, namespace: namespace.text, .notRead(error)))
      return nil
    }
  }

  func keys(of namespace: DictionaryKey) -> [DictionaryKey] {
    var keys: Set<DictionaryKey> = []
    do {
      if let connection { keys = Set(try DictionaryRows(connection: connection).keys(of: namespace)) }
    } catch {
      report(DictionaryError(key: nil, namespace: namespace.text, .notRead(error)))
    }
    pending.values.apply(to: &keys, of: namespace)
    return Array(keys)
  }
}
