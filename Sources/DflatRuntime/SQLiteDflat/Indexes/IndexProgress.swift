import Dflat

/// How far indexes have been verified. The verification of an index may take several transactions.
///
/// Only this workspace knows this. A verification that is unfinished when the workspace is closed starts again with the
/// first row, since Dflat 0.6 may have filled the index further. Most entries are then found right, and are not
/// written.
struct IndexProgress {
  /// The number of the next row to verify, by the index's table.
  var next: [String: Int64] = [:]
  /// The rows before `next` that have no entry, since another row holds the value, by the index's table.
  var duplicates: [String: DuplicateRows] = [:]
  /// The version of the file's schema at the end of the last transaction. If it has changed, a table may have been
  /// dropped and created again, or the flag of a type has been cleared (see `ForeignWriteFlag.swift`).
  var schemaVersion: String?
  /// How often the verification of a type has started since it was last completed, by the type's table.
  private var restarts: [String: Int] = [:]
  /// The most restarts that are usual, when others have written a little.
  private static let restartLimit = 4

  /// Makes the verification of all indexes start again with the first row.
  mutating func beginAnew() {
    next = [:]
    duplicates = [:]
  }

  mutating func noteRestart(of record: RecordDescription) { restarts[record.table, default: 0] += 1 }

  mutating func forgetRestarts(of record: RecordDescription) { restarts[record.table] = nil }

  /// Returns whether others write to the type so often that small steps may never be completed.
  func isDisturbed(_ record: RecordDescription) -> Bool {
    restarts[record.table].map { $0 > IndexProgress.restartLimit } ?? false
  }
}
