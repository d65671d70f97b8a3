import CSQLite

/// Puts the write-ahead log into the database file when it has become long. For the thread that has the writer, between transactions.
///
/// SQLite does so within COMMIT, when others see the commit already and this process does not know that it has succeeded; on a slow disk
/// that takes seconds. Here it is done after the commit has been published, so that nobody waits for it but the next transaction.
struct LogCheckpoints {
  /// After how many pages the log is put into the file, if no other number is set.
  static let defaultLimit: UInt32 = 1000

  /// After how many pages the log is put into the file.
  var limit = LogCheckpoints.defaultLimit
  /// From how many pages on the next commit waits for readers, so that the log can begin anew.
  private var waitLimit: UInt32 = 0

  /// How many times the limit the log grows while there are always readers, before a commit waits for them.
  private static let patience: UInt32 = 4
  /// How long a commit waits for readers, in milliseconds; twice as long when the log has become twice as long, and so on.
  private static let waitTime: UInt32 = 100

  /// Looks how long the log is, and puts it into the file if it is too long.
  ///
  /// What fails is tried again after a later commit, and is no failure of this one: the log has all that was committed.
  ///
  /// - Parameter waits: false if there is a reader that reads for so long that to wait for it is of no use.
  mutating func checkpoint(_ connection: SQLiteConnection, waits: Bool) {
    guard let length = connection.walIndexHeader?.frameCount, length >= limit else {
      waitLimit = limit * LogCheckpoints.patience
      return
    }
    sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    // The next commit begins the log anew if no reader needs it then. Where there are always some, that never happens, unless new ones
    // read the file alone for a moment: they do when all of the log is in the file, and the old ones are waited for.
    // The log may have been long when the file was opened.
    if waitLimit == 0 { waitLimit = limit * LogCheckpoints.patience }
    guard waits, length >= waitLimit else { return }
    waitLimit = length + limit
    let waitTime = LogCheckpoints.waitTime * min(length / limit / LogCheckpoints.patience, 10)
    connection.withLockTimeout(Int32(waitTime)) {
      _ = sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_RESTART, nil, nil)
    }
  }
}
