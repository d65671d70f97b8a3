import CSQLite
import Dflat
import Foundation

/// Copies a store to another file, page by page, by SQLite's backup interface.
///
/// The source is in a read transaction, so that all pages show one state while writers go on. The copy is made under
/// another name. It gets its own name after it is verified and written to the disk.
struct StoreCopy {
  /// The absolute path of the copy.
  let destination: String
  let replacing: Bool
  /// The flag that is set when the task is cancelled.
  let isCancelled: SharedFlag
  let progress: (@Sendable (BackupProgress) -> Void)?

  /// The number of pages, a megabyte, that are copied between two checks whether the copy has to end.
  private static let step: Int32 = 256

  /// Copies the store that a connection reads. The connection is in a read transaction, which is ended when all pages
  /// are copied.
  ///
  /// - Parameters:
  ///   - path: the path of the source.
  ///   - checkSource: throws if the copy has to end before it is complete. It is called on any thread.
  /// - Throws: `BackupError`, `SQLiteError`, `CancellationError`, or the error of `checkSource`. The destination is then
  ///   unchanged.
  func run(
    from source: SQLiteConnection, at path: DatabasePath, _ checkSource: @escaping @Sendable () throws -> Void
  ) throws {
    let check: @Sendable () throws -> Void = { [isCancelled] in
      try checkSource()
      if isCancelled.isSet { throw CancellationError() }
    }
    try checkDestination(source: path)
    let file = try PartialFile(for: destination)
    try copy(source, to: file.path, check)
    try source.endReading()
    try verify(file.path, source: path.text, check)
    try makeReplaceable()
    try check()
    try file.finish(replacing: replacing)
  }

  // MARK: The destination

  private func checkDestination(source: DatabasePath) throws {
    guard !destination.isEmpty, !destination.utf8.contains(0) else {
      throw SQLiteError(
        extendedCode: SQLITE_CANTOPEN, message: "a path has at least one byte, and no byte that is 0",
        purpose: "Making the copy", path: destination)
    }
    // The copy writes the destination and the file in which it is made, and removes the logs of both.
    let written = [destination, PartialFile.path(for: destination)].flatMap(DatabasePath.storeFiles(of:))
    if source.storeFiles.contains(where: { file in written.contains { DatabasePath.leadToOneFile(file, $0) } }) {
      throw BackupError.destinationIsSource(path: destination)
    }
    guard FileIdentity(at: destination) != nil else { return }
    if !replacing { throw BackupError.destinationExists(path: destination) }
    try makeReplaceable()
  }

  /// Removes the log at the destination, which would be taken for the log of the copy.
  ///
  /// - Throws: `BackupError` if the file at the destination is open somewhere, or is no store.
  private func makeReplaceable() throws {
    guard FileIdentity(at: destination) != nil else {
      // Somebody has removed a store without its log. SQLite removes such a log, too, when it makes a new file.
      for file in DatabasePath.storeFiles(of: destination).dropFirst() { unlink(file) }
      return
    }
    guard replacing else { return }
    do {
      let connection = try SQLiteConnection(
        path: destination, name: DatabasePath(destination).name, flags: SQLITE_OPEN_READWRITE)
      defer { connection.close() }
      try connection.withoutWaiting {
        try connection.run("PRAGMA schema_version", for: "Replacing a store")
        try connection.run("PRAGMA journal_mode = DELETE", for: "Replacing a store")
        try connection.run("BEGIN EXCLUSIVE", for: "Replacing a store")
        try connection.run("ROLLBACK", for: "Replacing a store")
      }
    } catch let error as SQLiteError where error.code == SQLITE_NOTADB {
      throw BackupError.destinationIsNoStore(path: destination)
    } catch let error as SQLiteError where error.code == SQLITE_BUSY || error.code == SQLITE_LOCKED {
      throw BackupError.destinationInUse(path: destination)
    }
  }

  // MARK: Copying

  private func copy(_ source: SQLiteConnection, to path: String, _ check: () throws -> Void) throws {
    let copy = try SQLiteConnection(path: path, name: path, flags: SQLITE_OPEN_READWRITE)
    defer { copy.close() }
    // Nothing is synced here: the file is written to the disk at the end, and removed if that fails.
    try copy.run("PRAGMA journal_mode = OFF", for: "Making the copy")
    try copy.run("PRAGMA synchronous = OFF", for: "Making the copy")
    let pageSize = Int64(try source.run("PRAGMA page_size", for: "Making the copy") ?? "") ?? 4096
    guard let backup = sqlite3_backup_init(copy.handle, "main", source.handle, "main") else {
      throw copy.error(sqlite3_errcode(copy.handle), during: "Making the copy")
    }
    var status = SQLITE_OK
    do {
      defer { status = max(status, sqlite3_backup_finish(backup)) }
      while true {
        try check()
        status = sqlite3_backup_step(backup, StoreCopy.step)
        let total = Int64(sqlite3_backup_pagecount(backup))
        progress?(
          BackupProgress(
            copiedBytes: (total - Int64(sqlite3_backup_remaining(backup))) * pageSize, totalBytes: total * pageSize))
        if status != SQLITE_OK { break }
      }
    }
    guard status == SQLITE_DONE else { throw copy.error(status & 0xff, during: "Making the copy") }
  }

  private func verify(
    _ path: String, source: String, _ check: @escaping @Sendable () throws -> Void
  ) throws {
    let copy = try SQLiteConnection(path: path, name: path, flags: SQLITE_OPEN_READWRITE)
    // To verify a large store takes longer than a suspension waits.
    let interrupter = ConnectionInterrupter(copy, check)
    defer {
      interrupter.stop()
      copy.close()
    }
    do {
      // One file, without a log beside it.
      try copy.run("PRAGMA journal_mode = DELETE", for: "Verifying the copy")
      let finding = try copy.run("PRAGMA integrity_check(1)", for: "Verifying the copy") ?? ""
      guard finding == "ok" else { throw BackupError.damaged(path: source, finding: finding) }
    } catch let error as SQLiteError where error.code == SQLITE_CORRUPT || error.code == SQLITE_NOTADB {
      throw BackupError.damaged(path: source, finding: error.message)
    } catch let error as SQLiteError where error.code == SQLITE_INTERRUPT {
      throw interrupter.reason ?? error
    }
    try check()
  }
}

extension SQLiteConnection {
  /// Calls `body`. In it, the connection does not wait for locks.
  fileprivate func withoutWaiting(_ body: () throws -> Void) throws {
    var outcome = Result<Void, any Error>.success(())
    withLockTimeout(0) { outcome = Result { try body() } }
    try outcome.get()
  }
}
