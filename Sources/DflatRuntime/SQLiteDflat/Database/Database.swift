import CSQLite
import Dflat
import DflatEngine
import Dispatch
import Foundation

/// The database file of a workspace: opened at its first use, and closed by a shutdown. Keeps the connection that writes.
final class Database: Sendable {
  let path: DatabasePath
  let readers: ReaderPool
  private let sequence: CommitSequence
  private let dictionary: DictionaryCommits
  private let synchronous: SQLiteWorkspace.Synchronous
  private let flags: Int32
  /// Held while the file is opened or closed, which may take long.
  private let state = Guarded(State(), rank: .database)
  /// Calls the error handler, later and on another thread.
  private let report: @Sendable (any Error) -> Void

  private struct State {
    /// Nil until the file has been opened. It is used by the thread that has the writer.
    var writer: WriterConnection?
    /// What shutdowns have asked for and has not been tried, and what has been done.
    var flags: WorkspaceShutdownFlag = []
    var done: WorkspaceShutdownFlag = []
    var isClosed = false
  }

  init(
    path: String, fileProtection: SQLiteWorkspace.FileProtectionLevel, synchronous: SQLiteWorkspace.Synchronous,
    sequence: CommitSequence, dictionary: DictionaryCommits, report: @escaping @Sendable (any Error) -> Void
  ) {
    self.dictionary = dictionary
    self.path = DatabasePath(path)
    self.synchronous = synchronous
    self.sequence = sequence
    self.report = report
    flags = SQLITE_OPEN_READWRITE | fileProtection.openFlags
    readers = ReaderPool(path: self.path, sequence: sequence, flags: flags)
  }

  // MARK: Opening

  /// The connection that writes; the file is created if it is missing. For the thread that has the writer.
  func writer() throws -> WriterConnection {
    try state.withLock { state in
      if let writer = state.writer, !writer.connection.isReadOnly { return writer }
      // A file that could only be read when it was opened may have become writable. SQLite shares among connections how it has
      // opened the WAL index, so none that only reads may be left.
      if state.writer != nil { readers.setAccess(nil) }
      closeWriter(&state)
      let writer = try open(&state, creating: true)
      guard let writer else { throw error(SQLITE_MISUSE, "the workspace has been shut down") }
      if writer.connection.isReadOnly { throw error(SQLITE_READONLY, "the file cannot be written") }
      return writer
    }
  }

  private func error(_ code: Int32, _ message: String) -> SQLiteError {
    SQLiteError(extendedCode: code, message: message, purpose: "Opening the database", path: path.text)
  }

  /// Lends a reader: see `ReaderPool`.
  func acquireReader(_ purpose: ReaderPool.Purpose, inTransaction: Bool) throws -> SQLiteConnection? {
    try readers.acquire(purpose, inTransaction: inTransaction, opening: openForReading)
  }

  /// Looks whether somebody else has committed, and opens the file if it has not been: or else that would not show.
  func lookForForeignCommits() throws {
    if !sequence.isWatching {
      guard !path.isMissing, let reader = try acquireReader(.fetch, inTransaction: false) else { return }
      readers.release(reader, .fetch)
      // A file that this process cannot take part in writing does not tell whether it was written.
      guard sequence.isWatching else { return sequence.noteForeignCommit() }
    }
    _ = sequence.lookForForeignCommits()
  }

  /// Opens the file for readers, if it is still `outdated` for them.
  ///
  /// - Returns: false if there is no file, so that nothing is stored.
  private func openForReading(_ outdated: ReadAccess?) throws -> Bool {
    try state.withLock { state in
      if let outdated, readers.access === outdated {
        readers.setAccess(nil)
        closeWriter(&state)
      }
      if state.writer != nil { return true }
      return try open(&state, creating: false) != nil
    }
  }

  /// Makes the connection that writes, and with it says how readers open the file.
  private func open(_ state: inout State, creating: Bool) throws -> WriterConnection? {
    guard !path.isMisleading else {
      throw error(SQLITE_CANTOPEN, "a path has at least one byte, and no byte that is 0")
    }
    let isNew = path.isMissing
    if !creating, isNew { return nil }
    var connection = try SQLiteConnection(
      path: path.text, name: path.name, flags: creating ? flags | SQLITE_OPEN_CREATE : flags)
    let mode: ReadAccess.Mode
    do {
      try configure(connection)
      // Now the log is there, if it is to be.
      mode = connection.isReadOnly ? .readOnly(path.logFile) : .readWrite
    } catch let error as SQLiteError where path.isUnwritable(error) && !creating {
      let file = path.immutableFile
      connection = try SQLiteConnection(
        path: path.text, name: path.immutableURI, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      mode = .immutable(file)
      try configure(connection)
    }
    let identity = path.identity
    let writer = try WriterConnection(
      connection, sequence: sequence, readers: readers, dictionary: dictionary, report: report)
    if case .readWrite = mode { try connection.findWALIndex() }
    // Nothing fails from here on: with a writer and without access, whoever reads would try to open the file for ever.
    state.writer = writer
    sequence.watch(connection.walIndex, isNew: isNew)
    dictionary.cache.watch(connection.walIndex)
    readers.setAccess(ReadAccess(mode, of: identity))
    return writer
  }

  private func closeWriter(_ state: inout State) {
    // The WAL index is mapped no longer than the connection is open.
    sequence.watch(nil)
    dictionary.cache.watch(nil)
    state.writer = nil
  }

  private func configure(_ connection: SQLiteConnection) throws {
    try connection.run("PRAGMA trusted_schema = OFF", for: "Opening the database")
    if !connection.isReadOnly {
      try enterLogMode(connection)
      try connection.run(
        synchronous == .full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
        for: "Opening the database")
      // After a large transaction, or beside a long snapshot, the log is longer than that. 1,000 pages, after which SQLite
      // puts the log into the file, are 4 MiB.
      try connection.run("PRAGMA journal_size_limit = 4194304", for: "Opening the database")
    }
    // The file is read for the first time: now it turns out whether it is a database.
    try connection.run("PRAGMA schema_version", for: "Opening the database")
  }

  /// Has the file use a write-ahead log, if it does not. Where two processes do so at once, SQLite lets both lock the file and
  /// then refuses one of them without the usual wait for a lock, since they would wait for each other.
  private func enterLogMode(_ connection: SQLiteConnection) throws {
    let end = DispatchTime.now() + .milliseconds(Int(SQLiteConnection.busyTimeout))
    while true {
      do {
        try connection.run("PRAGMA journal_mode = WAL", for: "Opening the database")
        return
      } catch let error as SQLiteError where error.code == SQLITE_BUSY && DispatchTime.now() < end {
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
  }

  // MARK: Closing

  /// Lends readers to transactions only from now on, and notes what the shutdown is to do besides.
  func beginClosing(_ flags: WorkspaceShutdownFlag) {
    state.withLock { state in
      state.flags.formUnion(flags)
      readers.beginClosing()
    }
  }

  /// Closes all connections, and does what shutdowns have asked for. For the thread that has the writer.
  ///
  /// - Throws: `SQLiteError`, if what was asked for cannot be done. All is closed then, too.
  func close() throws {
    readers.close()
    try state.withLock { state in
      let flags = state.flags.subtracting(state.done)
      state.flags = []
      if state.isClosed, flags.isEmpty { return }
      state.isClosed = true
      defer { closeWriter(&state) }
      guard !flags.isEmpty, let writer = try state.writer ?? open(&state, creating: false) else { return }
      try writer.connection.finish(flags)
      state.done.formUnion(flags)
    }
  }
}

extension SQLiteWorkspace.FileProtectionLevel {
  /// SQLite's flag for opening a file, `SQLITE_OPEN_FILEPROTECTION_...` of Apple's SQLite: the class, 20 bits up.
  fileprivate var openFlags: Int32 {
    #if os(iOS) || os(tvOS) || os(watchOS)
      rawValue << 20
    #else
      0
    #endif
  }
}

extension SQLiteConnection {
  /// What a shutdown does with the last connection.
  fileprivate func finish(_ flags: WorkspaceShutdownFlag) throws {
    // Another file may have the name now, and its log beside it.
    if hasMoved { throw SQLiteError.moved(path, during: "Closing the database") }
    if flags.contains(.vacuum) { try run("VACUUM", for: "Vacuuming the database") }
    guard flags.contains(.truncate) else { return }
    try run("PRAGMA wal_checkpoint(TRUNCATE)", for: "Truncating the log")
    // Leaving WAL mode removes the files beside the database's own.
    try run("PRAGMA journal_mode = DELETE", for: "Leaving the log")
  }
}
