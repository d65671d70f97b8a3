import CSQLite
import Dflat
import Foundation

extension SQLiteWorkspace {
  /// Copies the store to another file, while it is in use.
  ///
  /// ```swift
  /// try await workspace.backup(to: "Backup.sqlite3", replacing: true) { print($0.fraction) }
  /// ```
  ///
  /// The copy shows what had been committed at one moment. It is made under another name, the path and
  /// `.dflat-partial`. It gets its own name when it is complete, verified, and on the disk; so there is never half a
  /// file at `path`. It is one file without a log, which a workspace can open. If the process ends before, the next
  /// backup to the path begins anew, and overwrites what was left.
  ///
  /// Transactions and fetches go on meanwhile. The write-ahead log grows with what is written until everything is
  /// copied. A backup ends with an error when the workspace is shut down or suspended, or the task is cancelled.
  ///
  /// A thread of its own copies. The time grows with the size of the store, and the copy is read once more to verify
  /// it.
  ///
  /// See also: ``BackupError``, ``BackupProgress``, Documentation/backup.md.
  ///
  /// - Parameters:
  ///   - path: the path of the copy. Its folder must exist.
  ///   - replacing: whether a store at the path is replaced. A store that is open somewhere is not.
  ///   - progress: called after each megabyte, on another thread. It delays only the backup.
  /// - Throws: `BackupError`; `SQLiteError`, with `SQLITE_FULL` (13) for example; `StoreError.shutDown`; `SuspensionError`;
  ///   `CancellationError`. The destination is then unchanged.
  public func backup(
    to path: String, replacing: Bool = false, progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) async throws {
    let (core, destination) = (core, DatabasePath(path).text)
    try await SQLiteWorkspace.onThread { isCancelled in
      let copy = StoreCopy(
        destination: destination, replacing: replacing, isCancelled: isCancelled, progress: progress)
      try core.backUp(copy)
    }
  }

  /// Replaces a store that nobody has open by a backup, or by another store.
  ///
  /// ```swift
  /// await workspace.shutdown()
  /// try await SQLiteWorkspace.restore(from: "Backup.sqlite3", to: "posts.sqlite3", replacing: true)
  /// ```
  ///
  /// The backup stays as it is. The store is copied as `backup(to:replacing:progress:)` copies it; the path may be one
  /// where there is no store yet. First shut down all workspaces of the store, in all processes: if SQLite finds that
  /// it is open, it is not replaced.
  ///
  /// See also: ``BackupError``, Documentation/backup.md.
  ///
  /// - Parameters:
  ///   - backup: the path of the backup.
  ///   - path: the path of the store.
  ///   - replacing: whether a store at the path is replaced.
  ///   - progress: called after each megabyte, on another thread.
  /// - Throws: `BackupError`, `SQLiteError` or `CancellationError`. The store is then unchanged.
  public static func restore(
    from backup: String, to path: String, replacing: Bool = false,
    progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) async throws {
    let destination = DatabasePath(path).text
    let opener = DatabaseOpener(path: backup, role: .reader, fileProtection: .noProtection, synchronous: .normal)
    try await onThread { isCancelled in
      let copy = StoreCopy(
        destination: destination, replacing: replacing, isCancelled: isCancelled, progress: progress)
      guard let (source, access) = try opener.openWriter(creating: false) else {
        throw BackupError.nothingStored(path: opener.path.text)
      }
      defer { source.close() }
      source.access = access
      try source.beginReading()
      try source.takeSnapshot()
      try copy.run(from: source, at: opener.path) {
        guard access.isTorn else { return }
        throw BackupError.sourceChanged(path: opener.path.text)
      }
    }
  }

  /// Runs blocking work on a thread of its own. The flag is set when the task is cancelled.
  private static func onThread(_ body: @escaping @Sendable (SharedFlag) throws -> Void) async throws {
    let isCancelled = SharedFlag()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body(isCancelled) }) }
      }
    } onCancel: {
      isCancelled.set(true)
    }
  }
}

extension SQLiteCore {
  /// Copies the state that is committed when the copy begins.
  fileprivate func backUp(_ copy: StoreCopy) throws {
    database.noteBackup(begins: true)
    defer { database.noteBackup(begins: false) }
    guard let reader = try database.acquireReader(.snapshot, inTransaction: false) else {
      if database.isShutDown { throw StoreError.shutDown }
      throw BackupError.nothingStored(path: database.opener.path.text)
    }
    // The copy releases its locks before the reader is released, since a suspension waits for the reader.
    defer { database.release(reader, .snapshot, hasFailed: true) }
    try reader.takeSnapshot()
    try copy.run(from: reader, at: database.opener.path) { [database, committer, access = reader.access] in
      if database.isShutDown { throw StoreError.shutDown }
      if committer.withState({ $0.suspension.phase != .none }) { throw SuspensionError.suspended }
      try database.checkIsIntact(access)
    }
  }
}
