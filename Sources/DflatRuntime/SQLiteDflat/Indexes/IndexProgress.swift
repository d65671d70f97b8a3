import Dflat

/// How far the indexes have been verified that are verified in several transactions.
///
/// Only this workspace knows: what it has left unfinished when it is closed is verified from the first row on, since a version
/// of Dflat 0.6 may have gone on with it. Then most entries are found right, and nothing is written for them.
struct IndexProgress {
  /// The number of the row to go on with, by the index's table.
  var next: [String: Int64] = [:]
  /// The rows before that without an entry, since another row holds the value, by the index's table.
  var duplicates: [String: DuplicateRows] = [:]
  /// The version of the file's schema at the end of the last transaction. If it is another one now, somebody may have dropped a
  /// table, and made it anew; or the flag of a type has been cleared (see `ForeignWriteFlag`).
  var schemaVersion: String?
  /// How often the verification of a type has begun since it last came to an end, by the type's table.
  private var restarts: [String: Int] = [:]
  /// A few are usual: somebody else has written a little.
  private static let restartLimit = 4

  /// Has all indexes verified from the first row on.
  mutating func beginAnew() {
    next = [:]
    duplicates = [:]
  }

  mutating func noteRestart(of record: RecordDescription) { restarts[record.table, default: 0] += 1 }

  mutating func forgetRestarts(of record: RecordDescription) { restarts[record.table] = nil }

  /// Whether somebody else writes to the type so often that small steps may never come to an end.
  func isDisturbed(_ record: RecordDescription) -> Bool {
    restarts[record.table].map { $0 > IndexProgress.restartLimit } ?? false
  }
}
