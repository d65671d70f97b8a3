import CSQLite
import FlatBuffersJSON

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The reason why a store, or a part of it, cannot be read, as a sentence for people.
public struct InspectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sentence, without a full stop.
  public let description: String
  /// Whether the file is damaged, rather than the system or the request at fault.
  public let isDamage: Bool
  /// SQLite's primary result code; `SQLITE_OK` if the error is not one of SQLite.
  let status: Int32

  package init(_ description: String, isDamage: Bool = false) {
    self.init(description, isDamage: isDamage, status: SQLITE_OK)
  }

  init(_ description: String, isDamage: Bool = false, status: Int32) {
    self.description = description
    self.isDamage = isDamage
    self.status = status
  }
}

/// A SQLite file that is opened for reading only, even while other processes write it.
final class ReadOnlyDatabase {
  /// Remarks about the file, besides its content.
  private(set) var notes: [String] = []
  /// A sentence that says how much of the file is missing; nil if it is complete.
  let cut: String?
  private let handle: OpaquePointer

  /// The most milliseconds that a read waits while a writer locks readers out.
  private static let busyTimeout: Int32 = 2_000

  /// Opens a file.
  ///
  /// - Throws: `InspectionError` if the file is no database, or cannot be read.
  init(_ path: String) throws(InspectionError) {
    // SQLite follows links, and has its other files beside the file itself.
    let path = Self.withoutLinks(path)
    cut = try Self.examine(path)
    let notes = cut.map { [$0] } ?? []
    do throws(InspectionError) {
      handle = try Self.open(path, isImmutable: false, isCutOff: cut != nil)
      self.notes = notes
    } catch {
      if let cut, error.isDamage { throw InspectionError(cut, isDamage: true) }
      // What another process does, and damage, are there however the file is opened. The codes for locks also stand for a
      // file system without locks, and read-only file systems have many more codes.
      let isAboutLocks = [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(error.status)
      guard !error.isDamage, !isAboutLocks || Self.hasNoLocks(path) else { throw error }
      guard !Self.hasContent(path + "-journal") else {
        throw InspectionError(
          "a transaction was interrupted and has to be rolled back: open the store with its app first")
      }
      // A file in WAL mode needs other files beside it, which cannot be made in a read-only folder. If no process has
      // such files open, none is needed.
      guard access(path, R_OK) == 0, access(Self.folder(of: path), W_OK) != 0 else { throw error }
      handle = try Self.open(path, isImmutable: true, isCutOff: cut != nil)
      let hasLog = access(path + "-wal", F_OK) == 0
      self.notes =
        notes + [
          "the folder is read-only, so the file is read as nobody writes it"
            + (hasLog ? "; what stands in \(path)-wal is not shown" : "")
        ]
    }
  }

  deinit { sqlite3_close_v2(handle) }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the path of the file to which links lead; the path itself if there is no such file.
  private static func withoutLinks(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns whether the file system of a file has no locks, as some network file systems have none.
  private static func hasNoLocks(_ path: String) -> Bool {
    guard let file = fopen(path, "rb") else { return false }
    defer { fclose(file) }
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    // A byte of the header, which SQLite does not lock.
    lock.l_len = 1
    return fcntl(fileno(file), F_SETLK, &lock) != 0 && errno == ENOLCK
  }

  private static func hasContent(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > 0
  }

  /// Examines the file before SQLite does, whose one error code stands for many problems.
  /// - Returns: how much of the file is missing, as a sentence; nil if it is complete.
  private static func examine(_ path: String) throws(InspectionError) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw InspectionError(errno == ENOENT ? "there is no such file" : String(cString: strerror(errno)))
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw InspectionError("it is not a file") }
    guard status.st_size > 0 else {
      throw InspectionError("the file is empty: no store has been written to it yet", isDamage: true)
    }
    guard let file = fopen(path, "rb") else { throw InspectionError(String(cString: strerror(errno))) }
    defer { fclose(file) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = fread(&header, 1, header.count, file)
    guard header.prefix(16).elementsEqual("SQLite format 3\0".utf8) else {
      throw InspectionError("it is not a SQLite database, or it is encrypted", isDamage: true)
    }
    guard count == header.count else { throw InspectionError("the file is cut off in its header", isDamage: true) }
    let stated = Int(header[16]) << 8 | Int(header[17])
    let pageSize = stated == 1 ? 65_536 : stated
    let pages = header[28..<32].reduce(0) { $0 << 8 | Int($1) }
    // Missing pages may be in the write-ahead log. A reader leaves an empty log behind.
    guard pages * pageSize > Int(status.st_size), !hasContent(path + "-wal") else { return nil }
    let cut = "the file is cut off: it has \(status.st_size) bytes of \(pages * pageSize)"
    // To SQLite, a file without a whole page is empty.
    guard status.st_size >= pageSize else { throw InspectionError(cut, isDamage: true) }
    return cut
  }

  private static func open(
    _ path: String, isImmutable: Bool, isCutOff: Bool
  ) throws(InspectionError) -> OpaquePointer {
    var escaped = ""
    for byte in path.utf8 {
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "/._-".utf8.contains(byte)
      escaped += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    var handle: OpaquePointer?
    let location = "file:" + escaped + "?mode=ro" + (isImmutable ? "&immutable=1" : "")
    var status = sqlite3_open_v2(location, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
    if status == SQLITE_OK {
      sqlite3_busy_timeout(handle, busyTimeout)
      // The file may hold anybody's triggers and views, which must not run. SQLite refuses a file that is shorter than
      // its header says, unless the schema is writable. It is not written: the file is opened for reading only.
      let leniency = isCutOff ? "PRAGMA writable_schema = ON;" : ""
      let sql = "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; \(leniency) SELECT 1 FROM sqlite_master"
      status = sqlite3_exec(handle, sql, nil, nil, nil)
    }
    guard status == SQLITE_OK, let handle else {
      let error = InspectionError(handle, status)
      sqlite3_close_v2(handle)
      throw error
    }
    return handle
  }

  /// Runs `body` in one read transaction, so that everything it compares is from one state.
  func withSnapshot<T>(_ body: () throws(InspectionError) -> T) throws(InspectionError) -> T {
    sqlite3_exec(handle, "BEGIN", nil, nil, nil)
    defer { sqlite3_exec(handle, "COMMIT", nil, nil, nil) }
    return try body()
  }

  func statement(_ sql: String) throws(InspectionError) -> ReadStatement {
    var statement: OpaquePointer?
    let status = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard status == SQLITE_OK, let statement else { throw InspectionError(handle, status) }
    return ReadStatement(statement, self)
  }

  /// Checks that columns exist before they are read: SQLite's message would not explain why they should.
  /// - Throws: `InspectionError` if the table lacks one.
  func requireColumns(_ columns: [String], of table: String) throws(InspectionError) {
    for column in columns {
      var statement: OpaquePointer?
      // Qualified: SQLite takes an unqualified missing column for a string.
      let name = Self.quoted(table)
      let status = sqlite3_prepare_v2(
        handle, "SELECT \(name).\(Self.quoted(column)) FROM \(name) LIMIT 0", -1, &statement, nil)
      sqlite3_finalize(statement)
      guard status & 0xFF != SQLITE_ERROR else {
        throw InspectionError(
          "the table `\(table)` has no column `\(column)`: another schema, or another program, has made it",
          isDamage: true)
      }
    }
  }

  fileprivate func error(_ status: Int32) -> InspectionError { InspectionError(handle, status) }

  /// Returns a name as a quoted identifier of SQL.
  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}

extension InspectionError {
  fileprivate init(_ handle: OpaquePointer?, _ status: Int32) {
    let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "SQLite has no memory"
    let code = status & 0xFF
    switch code {
    case SQLITE_NOTADB:
      self.init("it is not a SQLite database, or it is encrypted", isDamage: true, status: code)
    case SQLITE_BUSY, SQLITE_LOCKED:
      self.init("another process has locked it: try again when that is done", status: code)
    case SQLITE_CORRUPT: self.init("the file is damaged (\(message))", isDamage: true, status: code)
    default: self.init(message, status: code)
    }
  }
}

/// A statement that returns rows.
final class ReadStatement {
  private let handle: OpaquePointer
  private let database: ReadOnlyDatabase

  fileprivate init(_ handle: OpaquePointer, _ database: ReadOnlyDatabase) {
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ number: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, number) }

  func bind(_ text: String, at index: Int32) {
    // SQLITE_TRANSIENT makes SQLite copy the text. It is the function pointer -1, which is never called.
    sqlite3_bind_text(handle, index, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
  }

  func reset() { sqlite3_reset(handle) }

  /// Advances to the next row.
  /// - Returns: false after the last row.
  func step() throws(InspectionError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let status: throw database.error(status)
    }
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func bytes(_ column: Int32) -> [UInt8] {
    let start = sqlite3_column_blob(handle, column)
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// Returns whether a key or an index's entry is a value.
  func holds(_ value: FieldValue, _ column: Int32) -> Bool {
    let areBytes = if case .bytes = value { true } else { false }
    return self.value(column, areBytes: areBytes).map { FieldValue.order($0, value) == 0 } ?? false
  }

  /// Returns a key or an index's entry; nil if it is nothing that the runtime writes.
  ///
  /// - Parameter areBytes: whether blobs are the bytes of structs. Otherwise, they are numbers above `Int64.max`: 8 bytes, the most
  ///   significant first.
  func value(_ column: Int32, areBytes: Bool = false) -> FieldValue? {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_NULL: return .null
    case SQLITE_INTEGER: return .integer(integer(column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
    case SQLITE_TEXT: return .text(bytes(column))
    default:
      let bytes = bytes(column)
      if areBytes { return .bytes(bytes) }
      return bytes.count == 8 ? .unsigned(bytes.reduce(0) { $0 << 8 | UInt64($1) }) : nil
    }
  }
}
