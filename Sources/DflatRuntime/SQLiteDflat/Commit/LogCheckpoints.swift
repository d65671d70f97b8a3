import CSQLite

/// Checkpoints the write-ahead log, that is, copies it into the database file, when it has become long. It is used by
/// the thread that has the writer, between transactions.
///
/// SQLite would do so within COMMIT, when others see the commit already but this process does not yet know that it has
/// succeeded. On a slow disk that takes seconds. Here it happens after the commit has been published, so that only the
/// next transaction waits for it.
struct LogCheckpoints {
  /// The default of `limit`.
  static let defaultLimit: UInt32 = 1000

  /// The number of pages of the log at which it is checkpointed.
  var limit = LogCheckpoints.defaultLimit
  /// The number of pages of the log at which a checkpoint waits for readers, so that the log can begin anew; 0 before
  /// the first checkpoint.
  private var waitLimit: UInt32 = 0

  /// The multiple of `limit` to which the log may grow before a checkpoint waits for readers. It grows that far only
  /// while some reader always needs it.
  private static let growthFactor: UInt32 = 4
  /// How long a checkpoint waits for readers, in milliseconds. A log that is twice as long makes it wait twice as long,
  /// up to ten times.
  private static let waitTime: UInt32 = 100

  /// Checkpoints the log if it is too long.
  ///
  /// If it fails, it is tried again after a later commit. The commit has not failed: the log holds all that was
  /// committed.
  ///
  /// - Parameter waits: false if some reader reads for so long that it is useless to wait for it.
  mutating func checkpoint(_ connection: SQLiteConnection, waits: Bool) {
    guard let length = connection.walIndexHeader?.frameCount, length >= limit else {
      waitLimit = limit * LogCheckpoints.growthFactor
      return
    }
    sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    // The next commit begins the log anew if no reader needs it then. A reader does not need the log if the whole log
    // was in the database file when the reader began. So while there are always readers, a checkpoint has to wait for
    // those that began before.
    // The log may have been long when the file was opened.
    if waitLimit == 0 { waitLimit = limit * LogCheckpoints.growthFactor }
    guard waits, length >= waitLimit else { return }
    waitLimit = length + limit
    let waitTime = LogCheckpoints.waitTime * min(length / limit / LogCheckpoints.growthFactor, 10)
    connection.withLockTimeout(Int32(waitTime)) {
      _ = sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_RESTART, nil, nil)
    }
  }
}
