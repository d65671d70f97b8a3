import CSQLite
import Dflat
import Foundation

/// A connection to a database file, with the statements that were prepared on it. One thread at a time uses it.
final class SQLiteConnection {
  let handle: OpaquePointer
  let path: String
  /// Whether the file could only be opened for reading.
  let isReadOnly: Bool
  /// How a reader has opened the file.
  var access: ReadAccess?
  /// Statements of queries, by their text.
  private var queries: [String: SQLiteStatement] = [:]
  private var useCount: UInt64 = 0
  /// The commit version that the connection shows, or an earlier one: no commit up to it is missing, later ones may show.
  /// 0 while it is not known. See `CommitSequence`.
  var commitVersion: UInt64 = 0
  /// Whether the read transaction shows no commit that begins a later version than `commitVersion`. Known after the first read alone:
  /// see `noteRead()`.
  var isExact = false
  /// What the WAL index's header said when the read transaction that is open began; nil if none may be kept open.
  var readHeader: WALIndex.Header?
  /// The WAL index, good while the connection is open; nil if there is none that can be read.
  private(set) var walIndex: WALIndex?
  private var beginStatement: SQLiteStatement?
  private var endStatement: SQLiteStatement?
  /// What is prepared for one type.
  private var records: [ObjectIdentifier: RecordReader] = [:]
  /// The one of `records` that was used last.
  private var latest: RecordReader?
  /// How many statements are kept: an app has some dozens of queries. The one that was not used for longest goes first.
  private static let queryLimit = 64

  /// How long a connection waits for a lock that another process holds, in milliseconds.
  static let busyTimeout: Int32 = 10_000

  /// Waits before SQLite tries again to take a lock, `attempts` after the first time. SQLite's own handler would try ten times
  /// a second in the end, and then hardly ever meet the gap between two transactions of a process that writes all the time.
  private static let waitForLock: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { _, attempts in
    guard attempts < busyTimeout else { return 0 }
    usleep(1000)  // A millisecond, as the number of attempts has it.
    return 1
  }

  /// Opens the file at `path`.
  ///
  /// - Parameters:
  ///   - name: the path, or a URI, with `SQLITE_OPEN_URI` among the flags, that says that nobody writes.
  ///   - flags: SQLite's flags for opening.
  ///   - fileSystem: the name of SQLite's interface to the file system; nil for the system's own.
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

  /// Calls `body`, in which the connection waits for a lock of others no longer than `milliseconds`.
  func withLockTimeout(_ milliseconds: Int32, _ body: () -> Void) {
    sqlite3_busy_timeout(handle, milliseconds)
    body()
    sqlite3_busy_handler(handle, SQLiteConnection.waitForLock, nil)
  }

  deinit { close() }

  /// Whether the connection is open, for the connection and its statements, which may outlive it.
  final class OpenState {
    fileprivate(set) var isOpen = true
  }

  let openState = OpenState()

  /// Closes the connection at once, also while there are references to it and its statements. Nobody must use them any more.
  func close() {
    guard openState.isOpen else { return }
    // The statements hold on to the connection, so they go first; then closing cannot fail.
    queries = [:]
    records = [:]
    latest = nil
    beginStatement = nil
    endStatement = nil
    openState.isOpen = false
    while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
    // Another file's log is neither written over nor removed.
    if logFiles?.areReplaced == true { dflat_leave_log(handle) }
    sqlite3_close_v2(handle)
  }

  func error(_ status: Int32, during purpose: StaticString) -> SQLiteError {
    let code = sqlite3_extended_errcode(handle)
    // A misuse leaves no message of its own behind.
    let matches = code & 0xff == status & 0xff
    return SQLiteError(
      extendedCode: matches ? code : status,
      message: matches ? String(cString: sqlite3_errmsg(handle)) : String(cString: sqlite3_errstr(status)),
      purpose: "\(purpose)", path: path)
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// How many rows the last statement that has ended has written.
  var changes: Int32 { sqlite3_changes(handle) }

  /// How many rows the connection has written, modulo 2^32.
  var changeCount: Int32 { sqlite3_total_changes(handle) &+ overwrittenRows }

  /// How many of them were overwritten in place, which SQLite does not count.
  var overwrittenRows: Int32 = 0

  /// Runs a statement that is not kept, and returns the first column of its first row as a text.
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

  /// Notes that something has been read in the read transaction: SQLite takes its snapshot then, and not when the transaction begins.
  /// What was committed between shows.
  func noteRead() {
    if isExact, !readHeader.hasSameCommits(as: walIndexHeader) { isExact = false }
  }

  /// Has SQLite take the snapshot of the read transaction that has begun.
  func takeSnapshot() throws {
    let read = try query("SELECT 1 FROM sqlite_master")
    defer { read.reset() }
    _ = try read.step()
    noteRead()
  }

  /// Ends the runs of all statements. Nobody may be using one.
  ///
  /// One that an error has left in the middle of its rows would keep the snapshot beyond the end of the read transaction.
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

  /// Looks for the WAL index of a file that can be written. The file is read before: or else SQLite would make an index.
  func findWALIndex() throws {
    guard try run("PRAGMA journal_mode", for: "Opening the database") == "wal" else { return }
    walIndex = WALIndex(of: handle)
  }

  /// The header of the WAL index as it is now: it differs after any commit, of whatever process. Nil if there is no index, or
  /// somebody is just writing the header.
  var walIndexHeader: WALIndex.Header? { walIndex?.header }

  /// The files beside the database that the connection uses, as they were when it was opened; nil for one that never writes.
  var logFiles: OpenLogFiles?

  /// The file that has been renamed or removed since it was opened, or whose name another file has; nil if there is none.
  var movedFile: String? { dflat_has_moved(handle) != 0 ? path : logFiles?.movedFile }

  /// Has the triggers of the file not fire for what the connection writes. Temporary ones still do.
  ///
  /// - Returns: false if SQLite cannot do so.
  func disableTriggers() -> Bool { dflat_disable_triggers(handle) != 0 }

  /// Adds an SQL function of one argument, whose user data is `owner`. The connection keeps that alive, and must not be kept alive
  /// by it. No view, trigger or schema of a file can call the function.
  func addFunction(
    _ name: String, owner: AnyObject,
    _ body: @escaping @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
  ) throws {
    let status = sqlite3_create_function_v2(
      handle, name, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, Unmanaged.passRetained(owner).toOpaque(), body, nil, nil,
      // SQLite also calls it if the function cannot be added.
      { owner in if let owner { Unmanaged<AnyObject>.fromOpaque(owner).release() } })
    guard status == SQLITE_OK else { throw error(status, during: "Adding a function") }
  }

  /// The statement of a query, kept for the next one of the same text.
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

  /// What is prepared on this connection for `record`.
  func reader(for record: RecordDescription) -> RecordReader {
    if let latest, latest.record === record { return latest }
    let key = ObjectIdentifier(record)
    let reader = records[key] ?? RecordReader(record, on: self)
    records[key] = reader
    latest = reader
    return reader
  }

  /// Forgets what was prepared: the tables may have been made in a transaction that is undone.
  func forgetStatements() {
    queries = [:]
    records = [:]
    latest = nil
  }

  /// The statement of a query, as `query(_:)` has it; nil if the table that it reads is not there.
  func query(_ sql: String, ifHasTable table: String) throws -> SQLiteStatement? {
    try ifHasTable(table) { try query(sql) }
  }

  /// What `prepare` makes; nil if it fails because `table` is not there.
  func ifHasTable<Prepared>(_ table: String, _ prepare: () throws -> Prepared) throws -> Prepared? {
    // Outside of a read transaction, another connection may make the table between two looks, or drop it.
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
  /// The text as an SQL identifier.
  var quoted: String { "\"\(doubling("\""))\"" }

  /// The text with every `character` twice, as SQL writes it inside quotes.
  func doubling(_ character: Character) -> String {
    contains(character) ? String(flatMap { $0 == character ? [$0, $0] : [$0] }) : self
  }
}
