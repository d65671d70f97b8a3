import DflatEngine

/// The keys that rows had before this workspace changed them, so that an object with an old key still leads to its row.
/// Guarded by the committer.
struct FormerKeys {
  private var keys: [RowID: [RowKey]] = [:]
  private var count = 0

  /// The most keys that are remembered, some megabytes. If there are more, all are forgotten: old objects whose primary
  /// keys were changed then count as not stored.
  private static let limit = 1 << 15

  /// Returns whether a row is known to have had a key.
  func contains(_ key: RowKey, of row: RowID) -> Bool { keys[row]?.contains(key) ?? false }

  mutating func append(contentsOf formerKeys: [(key: RowKey, rowid: Int64)]) {
    for (key, rowid) in formerKeys {
      if count >= FormerKeys.limit {
        keys = [:]
        count = 0
      }
      keys[RowID(key.record, rowid), default: []].append(key)
      count += 1
    }
  }
}
