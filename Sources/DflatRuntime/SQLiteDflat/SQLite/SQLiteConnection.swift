import CSQLite
import Dflat
import Foundation

/// A connection to a database file, with the statements that were prepared on it. One thread at a time uses it.
final class SQLiteConnection {
  let handle: OpaquePointer
  let path: String
  /// Whether the file could only be opened for reading.
  let isReadOnly: Bool
  /// How the file was opened, if the connection is a reader; otherwise nil.
  var access: ReadAccess?
  /// The cached statements of queries, by their text.
  private var queries: [String: SQLiteStatement] = [:]
  private var useCount: UInt64 = 0
  /// A version up to which the connection shows every commit; it may also show later ones. 0 while it is unknown. See
  /// `CommitSequence`.
  var commitVersion: UInt64 = 0
  /// Whether the read transaction shows no commit after `commitVersion`. It is certain only after the first read: see
  /// `noteRead()`.
  var isExact = false
  /// The header of the WAL index when the open read transaction began; nil if the transaction cannot be kept open.
  var readHeader: WALIndex.Header?
  /// The WAL index, valid while the connection is open; nil if none can be read.
  private(set) var walIndex: WALIndex?
  private var beginStatement: SQLiteStatement?
  private var endStatement: SQLiteStatement?
  /// The prepared statements of each type.
  private var records: [ObjectIdentifier: RecordReader] = [:]
  /// The element of `records` that was used last.
  private var latest: RecordReader?
  /// The most statements that are cached: an app has some dozens of queries. The least recently used one is dropped
  /// first.
  private static let queryLimit = 64

  /// How long a connection waits for a lock that another process holds, in milliseconds.
  static let busyTimeout: Int32 = 10_000

  /// Waits before SQLite tries again to take a lock; `attempts` is the number of earlier waits. SQLite's own handler
  /// would end up trying ten times a second, and would hardly ever meet the gap between two transactions of a process
  /// that writes all the time.
  private static let waitForLock: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { _, attempts in
    guard attempts < busyTimeout else { return 0 }
    usleep(1000)  // A millisecond each, so that `attempts` counts milliseconds.
    return 1
  }

  /// Opens the file at `path`.
  ///
  /// - Parameters:
  ///   - name: the path, or a URI if `SQLITE_OPEN_URI` is among the flags.
  ///   - flags: SQLite's flags for opening.
  ///   - fileSystem: the name of a VFS; nil for the system's own.
  init(path: String, name: String, flags: Int32, fileSystem: String? = nil) throws {
    var handle: OpaquePointer?
    let status = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, fileSystem)
    guard status == SQLITE_OK, let handle else {
      let error = SQLiteError(
        extendedCode: handle.map { sqlite3_extended_errcode($0) } ?? status,
        message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(status)),
        purpose: "Opening the database", path: path)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    self.path = path
    isReadOnly = sqlite3_db_readonly(handle, "main") == 1
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_handler(handle, SQLiteConnection.waitForLock, nil)
  }

  /// Calls `body`. While it runs, the connection waits at most `milliseconds` for a lock.
  func withLockTimeout(_ milliseconds: Int32, _ body: () -> Void) {
    sqlite3_busy_timeout(handle, milliseconds)
    body()
    sqlite3_busy_handler(handle, SQLiteConnection.waitForLock, nil)
  }

  deinit { close() }

  /// Whether the connection is open. Its statements share this object, since they may outlive the connection.
  final class OpenState {
    fileprivate(set) var isOpen = true
  }

  let openState = OpenState()

  /// Closes the connection at once, even while there are references to it and its statements. They must not be used
  /// afterwards.
  func close() {
    guard openState.isOpen else { return }
    // Finalized first, since the statements keep the connection open. Then closing cannot fail.
    queries = [:]
    records = [:]
    latest = nil
    beginStatement = nil
    endStatement = nil
    openState.isOpen = false
    while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
    // So that closing neither overwrites nor removes another file's log.
    if logFiles?.areReplaced == true { dflat_leave_log(handle) }
    sqlite3_close_v2(handle)
  }

  func error(_ status: Int32, during purpose: StaticString) -> SQLiteError {
    let code = sqlite3_extended_errcode(handle)
    // A misuse of SQLite leaves no message.
    let matches = code & 0xff == status & 0xff
    return SQLiteError(
      extendedCode: matches ? code : status,
      message: matches ? String(cString: sqlite3_errmsg(handle)) : String(cString: sqlite3_errstr(status)),
      purpose: "\(purpose)", path: path)
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// How many rows the last completed statement has written.
  var changes: Int32 { sqlite3_changes(handle) }

  /// How many rows the connection has written, modulo 2^32.
  var changeCount: Int32 { sqlite3_total_changes(handle) }

  /// Runs a statement that is not cached. Returns the first column of its first row as a text; nil if there is no row.
  @discardableResult
  func run(_ sql: String, for purpose: StaticString) throws -> String? {
    let statement = try SQLiteStatement(sql, for: purpose, on: self, persistent: false)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let value = statement.text(at: 0)
    while try statement.step() {}
    return value
  }

  /// Begins a read transaction. SQLite takes its snapshot at the first read.
  func beginReading() throws {
    let begin = try beginStatement ?? SQLiteStatement("BEGIN", for: "Beginning to read", on: self)
    beginStatement = begin
    try begin.run()
  }

  /// Records the first read of the read transaction. SQLite takes its snapshot then, not at the beginning. If others
  /// have committed in between, their commits may show, and the transaction is not exact.
  func noteRead() {
    if isExact, !readHeader.hasSameCommits(as: walIndexHeader) { isExact = false }
  }

  /// Makes SQLite take the snapshot of the read transaction that has begun.
  func takeSnapshot() throws {
    let read = try query("SELECT 1 FROM sqlite_master")
    defer { read.reset() }
    _ = try read.step()
    noteRead()
  }

  /// Resets all statements that are running. The caller makes sure that none is in use.
  ///
  /// A statement that an error has left in the middle of its rows would keep the snapshot beyond the end of the read
  /// transaction.
  func resetStatements() {
    var statement = sqlite3_next_stmt(handle, nil)
    while let current = statement {
      if sqlite3_stmt_busy(current) != 0 { sqlite3_reset(current) }
      statement = sqlite3_next_stmt(handle, current)
    }
  }

  /// Ends the read transaction, if there is one.
  func endReading() throws {
    readHeader = nil
    guard isInTransaction else { return }
    let end = try endStatement ?? SQLiteStatement("COMMIT", for: "Ending to read", on: self)
    endStatement = end
    try end.run()
  }

  /// Finds the WAL index of a file that can be written. It reads the file first, or SQLite would create an index.
  func findWALIndex() throws {
    guard try run("PRAGMA journal_mode", for: "Opening the database") == "wal" else { return }
    walIndex = WALIndex(of: handle)
  }

  /// The current header of the WAL index: any commit of any process changes it. Nil if there is no index, or a process
  /// is just writing the header.
  var walIndexHeader: WALIndex.Header? { walIndex?.header }

  /// The log files that the connection uses, as they were when it was opened; nil if it never writes.
  var logFiles: OpenLogFiles?

  /// The path of the first file that was renamed, removed or replaced since it was opened; nil if there is none.
  var movedFile: String? { dflat_has_moved(handle) != 0 ? path : logFiles?.movedFile }

  /// Disables the triggers of the file for writes of this connection. Temporary triggers stay enabled.
  ///
  /// - Returns: false if SQLite cannot do so.
  func disableTriggers() -> Bool { dflat_disable_triggers(handle) != 0 }

  /// Adds an SQL function of one argument, whose user data is `owner`. The connection retains `owner`, which must not
  /// retain the connection. Views, triggers and schemas of a file cannot call the function.
  func addFunction(
    _ name: String, owner: AnyObject,
    _ body: @escaping @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
  ) throws {
    let status = sqlite3_create_function_v2(
      handle, name, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, Unmanaged.passRetained(owner).toOpaque(), body, nil, nil,
      // SQLite calls this destructor also if the function cannot be added.
      { owner in if let owner { Unmanaged<AnyObject>.fromOpaque(owner).release() } })
    guard status == SQLITE_OK else { throw error(status, during: "Adding a function") }
  }

  /// Returns the statement of a query, and caches it for the next one with the same text.
  func query(_ sql: String) throws -> SQLiteStatement {
    useCount += 1
    if let statement = queries[sql] {
      statement.lastUse = useCount
      return statement
    }
    let statement = try SQLiteStatement(sql, for: "Fetching objects", on: self)
    if queries.count >= SQLiteConnection.queryLimit,
      let oldest = queries.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      queries[oldest.key] = nil
    }
    statement.lastUse = useCount
    queries[sql] = statement
    return statement
  }

  /// Returns the prepared statements for `record`.
  func reader(for record: RecordDescription) -> RecordReader {
    if let latest, latest.record === record { return latest }
    let key = ObjectIdentifier(record)
    let reader = records[key] ?? RecordReader(record, on: self)
    records[key] = reader
    latest = reader
    return reader
  }

  /// Drops all prepared statements, since the transaction that created their tables may be rolled back.
  func forgetStatements() {
    queries = [:]
    records = [:]
    latest = nil
  }

  /// Returns the cached statement of a query; nil if `table`, which it reads, does not exist.
  func query(_ sql: String, ifHasTable table: String) throws -> SQLiteStatement? {
    try ifHasTable(table) { try query(sql) }
  }

  /// Returns the result of `prepare`; nil if it fails because `table` does not exist.
  func ifHasTable<Prepared>(_ table: String, _ prepare: () throws -> Prepared) throws -> Prepared? {
    // Outside a read transaction, another connection may create or drop the table between two attempts.
    var attempts = 0
    while true {
      attempts += 1
      do {
        return try prepare()
      } catch let error as SQLiteError where error.mayBeMissingTable {
        guard try hasTable(table) else { return nil }
        if attempts == 3 { throw error }
      }
    }
  }

  func hasTable(_ name: String) throws -> Bool {
    let statement = try query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
    return try FieldValue.text(name).withRowValue { name in
      defer { statement.reset() }
      statement.bind(borrowing: name, at: 1)
      return try statement.step()
    }
  }
}

extension String {
  /// The text as a quoted SQL identifier.
  var quoted: String { "\"\(doubling("\""))\"" }

  /// Returns the text with every `character` doubled, as SQL needs it inside quotes.
  func doubling(_ character: Character) -> String {
    contains(character) ? String(flatMap { $0 == character ? [$0, $0] : [$0] }) : self
  }
}
