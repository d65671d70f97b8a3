import CSQLite
import Dispatch
import Foundation

/// Opens connections to a database file, depending on what the permissions of the file and its folder allow.
struct DatabaseOpener {
  let path: DatabasePath
  let synchronous: SQLiteWorkspace.Synchronous
  let role: SQLiteWorkspace.Role
  /// SQLite's flags to open the file for reading and writing.
  private let flags: Int32

  init(
    path: String, role: SQLiteWorkspace.Role, fileProtection: SQLiteWorkspace.FileProtectionLevel,
    synchronous: SQLiteWorkspace.Synchronous
  ) {
    self.path = DatabasePath(path)
    self.role = role
    self.synchronous = synchronous
    flags = SQLITE_OPEN_READWRITE | fileProtection.openFlags
  }

  /// Opens the writer's connection, and finds out how readers have to open the file. The connection is read-only for a
  /// workspace in the reader role, and may be for a file that cannot be written.
  ///
  /// - Returns: nil if there is no file, and none is to be created.
  func openWriter(creating: Bool) throws -> (connection: SQLiteConnection, access: ReadAccess)? {
    do {
      return try openConnection(creating: creating)
    } catch let failure as SQLiteError {
      guard let reason = path.reason(for: failure, isReader: role == .reader) else { throw failure }
      throw error(failure.extendedCode, "\(failure.message): \(reason)")
    }
  }

  private func openConnection(creating: Bool) throws -> (connection: SQLiteConnection, access: ReadAccess)? {
    guard !path.isMisleading else {
      throw error(SQLITE_CANTOPEN, "a path has at least one byte, and no byte that is 0")
    }
    if !creating, path.isMissing { return nil }
    var connection = try openConnection(creating ? flags | SQLITE_OPEN_CREATE : flags)
    let mode: ReadAccess.Mode
    do {
      try configure(connection)
      // The log exists now, if there will be one.
      if connection.isReadOnly {
        mode = .readOnly(path.logFile)
      } else {
        let files = path.openLogFiles
        connection.logFiles = files
        mode = .readWrite(files)
      }
    } catch let error as SQLiteError
      where !creating && (role == .reader ? path.lacksLog(error) : path.isUnwritable(error))
    {
      let file = path.immutableFile
      connection = try openImmutable()
      mode = .immutable(file)
      try configure(connection)
    }
    return (connection, ReadAccess(mode, of: path.identity))
  }

  /// Opens a connection according to the workspace's role.
  ///
  /// - Parameter flags: SQLite's flags if the workspace is a writer.
  private func openConnection(_ flags: Int32) throws -> SQLiteConnection {
    guard role == .reader else { return try SQLiteConnection(path: path.text, name: path.name, flags: flags) }
    guard let fileSystem = ReaderFileSystem.name else { throw error(SQLITE_NOMEM, "out of memory") }
    return try SQLiteConnection(
      path: path.text, name: path.readerURI, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, fileSystem: fileSystem)
  }

  private func openImmutable() throws -> SQLiteConnection {
    try SQLiteConnection(
      path: path.text, name: path.immutableURI, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
      fileSystem: role == .reader ? ReaderFileSystem.name : nil)
  }

  /// Checks that the workspace may write.
  ///
  /// - Throws: `SQLiteError` with `SQLITE_READONLY` if the workspace is a reader.
  func checkMayWrite() throws {
    guard role == .reader else { return }
    throw SQLiteError(
      extendedCode: SQLITE_READONLY, message: "the workspace was made with role: .reader, and writes nothing",
      purpose: "Writing", path: path.text)
  }

  /// Opens another reader of the file that was opened.
  func openReader(_ access: ReadAccess) throws -> SQLiteConnection {
    // If the log was removed, SQLite would create a new one, and show only what is in the database file.
    if let file = access.logFiles?.movedFile { throw SQLiteError.moved(file, during: "Opening the database") }
    let reader: SQLiteConnection
    if case .immutable = access.mode {
      reader = try openImmutable()
    } else {
      reader = try openConnection(flags)
    }
    guard path.identity == access.file else { throw SQLiteError.moved(path.text, during: "Opening the database") }
    try reader.run("PRAGMA trusted_schema = OFF", for: "Opening the database")
    try reader.run("PRAGMA query_only = ON", for: "Opening the database")
    // If this process cannot write the log, another log may replace it, whose index is not the mapped one.
    if case .readWrite = access.mode { try reader.findWALIndex() }
    reader.access = access
    return reader
  }

  func error(_ code: Int32, _ message: String) -> SQLiteError {
    SQLiteError(extendedCode: code, message: message, purpose: "Opening the database", path: path.text)
  }

  private func configure(_ connection: SQLiteConnection) throws {
    try connection.run("PRAGMA trusted_schema = OFF", for: "Opening the database")
    // Before anything is changed. SQL would order strings of another encoding differently from this code, which knows
    // only UTF-8.
    if let encoding = try connection.run("PRAGMA encoding", for: "Opening the database"), encoding != "UTF-8" {
      throw error(
        SQLITE_MISMATCH,
        "its strings are stored as \(encoding), and only UTF-8 can be used: dump it, and read it into a new database")
    }
    if !connection.isReadOnly {
      // The triggers record writes of other programs; see `ForeignWriteFlag`.
      guard connection.disableTriggers() else { throw error(SQLITE_ERROR, "SQLite cannot switch triggers off") }
      try enterLogMode(connection)
      try connection.run(
        synchronous == .full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
        for: "Opening the database")
      // A log that a large transaction or a long snapshot has made longer is cut to 4 MiB. These are 1,000 pages, the
      // length at which the log is checkpointed.
      try connection.run("PRAGMA journal_size_limit = 4194304", for: "Opening the database")
    }
    // This reads the file for the first time, and fails if it is no database.
    try connection.run("PRAGMA schema_version", for: "Opening the database")
  }

  /// Switches the file to a write-ahead log, if it has none. If two processes do so at once, both lock the file. SQLite
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
}

extension SQLiteWorkspace.FileProtectionLevel {
  /// SQLite's flag for opening a file, `SQLITE_OPEN_FILEPROTECTION_...` of Apple's SQLite: the protection class,
  /// shifted by 20 bits.
  fileprivate var openFlags: Int32 {
    // All of Apple's systems but macOS have file protection.
    #if canImport(Darwin) && !os(macOS)
      rawValue << 20
    #else
      0
    #endif
  }
}
