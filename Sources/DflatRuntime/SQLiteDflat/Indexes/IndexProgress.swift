/// How far the indexes have been verified that are verified in several transactions.
///
/// Only this workspace knows: what it has left unfinished when it is closed is verified from the first row on, since a version
/// of Dflat 0.6 may have gone on with it. Then most entries are found right, and nothing is written for them.
struct IndexProgress {
  /// The number of the row to go on with, by the index's table.
  var next: [String: Int64] = [:]
  /// The version of the file's schema at the end of the last transaction. If it is another one now, somebody may have dropped a
  /// table, and made it anew.
  var schemaVersion: String?
}
