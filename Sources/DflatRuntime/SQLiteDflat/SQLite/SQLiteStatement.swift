import CSQLite
import Dflat

/// A prepared statement. It belongs to its connection, and is used by one thread at a time.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private unowned let connection: SQLiteConnection
  private let openState: SQLiteConnection.OpenState
  private let purpose: StaticString
  /// The connection's count of uses when the statement was last taken from its cache.
  var lastUse: UInt64 = 0

  /// Prepares `sql`, which `purpose` describes in messages.
  init(_ sql: String, for purpose: StaticString, on connection: SQLiteConnection, persistent: Bool = true) throws {
    var handle: OpaquePointer?
    let flags = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let status = sqlite3_prepare_v3(connection.handle, sql, -1, flags, &handle, nil)
    guard status == SQLITE_OK, let handle else { throw connection.error(status, during: purpose) }
    self.handle = handle
    self.connection = connection
    openState = connection.openState
    self.purpose = purpose
  }

  deinit {
    // A closed connection has already finalized its statements.
    if openState.isOpen { sqlite3_finalize(handle) }
  }

  /// How often SQLite has prepared the statement again, as it does after a change of the schema.
  var preparations: Int32 { sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) }

  // MARK: Parameters, counted from 1

  func bind(_ value: Int64, at index: Int32) {
    check(sqlite3_bind_int64(handle, index, value))
  }

  /// Binds bytes without a copy: they must not change until the statement is reset.
  func bind(borrowing bytes: UnsafeRawBufferPointer, at index: Int32) {
    // A null pointer would mean NULL, not no bytes.
    guard let start = bytes.baseAddress, bytes.count > 0 else {
      check(sqlite3_bind_zeroblob(handle, index, 0))
      return
    }
    check(sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), nil))
  }

  /// Binds a value without a copy: its bytes, or those of a text, must not change until the statement is reset.
  ///
  /// An integer above `Int64.max` is bound as a blob of its 8 bytes, the most significant first. In SQLite a blob is
  /// larger than any number, and blobs are compared by their bytes, so SQL orders all of `UInt64` correctly. A struct of
  /// bytes is bound as a blob, too. A column holds one kind of these blobs, so that the two are never compared.
  func bind(borrowing value: RowValue, at index: Int32) { bind(value, at: index, nil) }

  /// Binds a copy of the value, in the form in which `bind(borrowing:at:)` binds it.
  func bind(copying value: RowValue, at index: Int32) { bind(value, at: index, SQLiteStatement.transient) }

  /// Binds a value.
  /// - Parameter destructor: nil if the bytes, also of a text, stay unchanged until the statement is reset.
  private func bind(_ value: RowValue, at index: Int32, _ destructor: sqlite3_destructor_type?) {
    switch value {
    // A wide integer never is a value of a column.
    case .null, .wide: check(sqlite3_bind_null(handle, index))
    case .integer(let value): check(sqlite3_bind_int64(handle, index, value))
    case .real(let value): check(sqlite3_bind_double(handle, index, value))
    case .text(let bytes):
      // For an empty text, any pointer but the null pointer will do.
      let start = bytes.baseAddress ?? UnsafeRawPointer(handle)
      check(
        sqlite3_bind_text64(
          handle, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), destructor,
          UInt8(SQLITE_UTF8)))
    case .bytes(let bytes):
      // A null pointer would mean NULL, not no bytes.
      let start = bytes.baseAddress ?? UnsafeRawPointer(handle)
      check(sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), destructor))
    case .unsigned(let value):
      withUnsafeBytes(of: value.bigEndian) { bytes in
        check(sqlite3_bind_blob(handle, index, bytes.baseAddress, 8, SQLiteStatement.transient))
      }
    }
  }

  /// SQLITE_TRANSIENT, which makes SQLite copy a bound value: -1 as a function pointer, which is never called.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  /// Makes a value the result of an SQL function, in the form in which `bind` binds it.
  ///
  /// - Parameter isCopied: whether SQLite copies the bytes, of a text too. If not, they must not change until the calling
  ///   statement is reset.
  static func setResult(of context: OpaquePointer?, to value: RowValue, isCopied: Bool) {
    switch value {
    // A wide integer never is a value of a column.
    case .null, .wide: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(let bytes):
      // For an empty text, any pointer but the null pointer will do.
      let start = bytes.baseAddress ?? UnsafeRawPointer(context)
      sqlite3_result_text64(
        context, start?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
        isCopied ? SQLiteStatement.transient : nil, UInt8(SQLITE_UTF8))
    case .bytes(let bytes):
      // A null pointer would mean NULL, not no bytes.
      let start = bytes.baseAddress ?? UnsafeRawPointer(context)
      sqlite3_result_blob64(context, start, UInt64(bytes.count), isCopied ? SQLiteStatement.transient : nil)
    case .unsigned(let value):
      withUnsafeBytes(of: value.bigEndian) { bytes in
        sqlite3_result_blob(context, bytes.baseAddress, 8, SQLiteStatement.transient)
      }
    }
  }

  private func check(_ status: Int32) {
    // A value that is too large is reported when the statement is run. It must not run, since the parameter is NULL
    // then.
    if status != SQLITE_OK, bindFailure == SQLITE_OK { bindFailure = status }
  }

  private var bindFailure = SQLITE_OK

  // MARK: Running

  /// Advances to the next row.
  ///
  /// - Returns: false if there is none.
  func step() throws -> Bool {
    guard bindFailure == SQLITE_OK else {
      let status = bindFailure
      bindFailure = SQLITE_OK
      throw connection.error(status, during: purpose)
    }
    let status = sqlite3_step(handle)
    if status == SQLITE_ROW { return true }
    if status == SQLITE_DONE { return false }
    throw connection.error(status, during: purpose)
  }

  /// Ends the run. The bound bytes may change afterwards.
  func reset() {
    // The status is that of the last step, which `step` has checked.
    sqlite3_reset(handle)
  }

  /// Runs a statement that returns no rows.
  func run() throws {
    defer { reset() }
    _ = try step()
  }

  // MARK: The current row. Columns are counted from 0

  func integer(at column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func isNull(at column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func text(at column: Int32) -> String { sqlite3_column_text(handle, column).map { String(cString: $0) } ?? "" }

  /// Returns the text of a column, which may contain NUL.
  func string(at column: Int32) -> String { String(decoding: bytes(at: column), as: UTF8.self) }

  /// Returns whether the column holds a value, in the form in which `bind` binds it.
  func holds(_ value: RowValue, at column: Int32) -> Bool {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER:
      if case .integer(let value) = value { return integer(at: column) == value }
      return RowValue.order(.integer(integer(at: column)), value) == 0
    case SQLITE_FLOAT: return RowValue.order(.real(sqlite3_column_double(handle, column)), value) == 0
    case SQLITE_TEXT: return RowValue.order(.text(bytes(at: column)), value) == 0
    case SQLITE_BLOB:
      switch value {
      case .unsigned(let value): return withUnsafeBytes(of: value.bigEndian) { bytes(at: column).elementsEqual($0) }
      case .bytes: return RowValue.order(.bytes(bytes(at: column)), value) == 0
      case .null, .integer, .wide, .real, .text: return false
      }
    default:
      if case .null = value { return true }
      return false
    }
  }

  /// Returns the bytes of the column, valid until the next step or reset.
  func bytes(at column: Int32) -> UnsafeRawBufferPointer {
    // Through the value, so that the connection's mutex and last error are handled once, not for each function that
    // reads a column. SQLite calls such a value unprotected. It may be read here since the connection has no mutex: one
    // thread at a time uses it.
    let value = sqlite3_column_value(handle, column)
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }
}
