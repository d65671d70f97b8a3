import DflatEngine

/// Keys that rows had before this workspace gave them others, so that an object that has the old key leads to its row. Guarded by
/// the committer.
struct FormerKeys {
  private var keys: [RowID: [RowKey]] = [:]
  private var count = 0

  /// How many keys are remembered at most, some megabytes. An app that changes so many primary keys and keeps the old objects
  /// finds that they are not stored.
  private static let limit = 1 << 15

  /// Whether a row has had a key.
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
