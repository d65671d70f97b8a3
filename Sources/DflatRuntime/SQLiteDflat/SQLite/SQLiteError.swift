import CSQLite
import Dflat
import DflatEngine

/// An operation that SQLite refused, or that the state of the file forbids.
///
/// ```swift
/// do {
///   try await workspace.performChanges([Post.self]) { transaction in
///     _ = try transaction.submit(PostChangeRequest.upsertRequest(post))
///   }
/// } catch TransactionError.others(let error as SQLiteError) where error.code == 5 {
///   print("another process keeps the file locked")
/// } catch StoreError.failed(let error as SQLiteError) {
///   print(error.extendedCode, error.purpose)
/// }
/// ```
///
/// It is the cause of a `TransactionError` or a `StoreError`, or comes to the workspace's error handler.
///
/// See also: Documentation/using-the-store.md (Errors).
public struct SQLiteError: Error, Hashable, Sendable {
  /// SQLite's extended result code, such as `SQLITE_CANTOPEN` (14) or `SQLITE_CONSTRAINT_UNIQUE` (2067).
  /// They are described at https://sqlite.org/rescode.html.
  public let extendedCode: Int32
  /// SQLite's message.
  public let message: String
  /// The operation that failed, in words, such as "Filling an index".
  public let purpose: String
  /// The path of the database file.
  public let path: String

  /// Creates the error of a failure.
  ///
  /// - Parameters:
  ///   - extendedCode: SQLite's extended result code.
  ///   - message: SQLite's message.
  ///   - purpose: the operation that failed, in words.
  ///   - path: the path of the database file.
  public init(extendedCode: Int32, message: String, purpose: String, path: String) {
    self.extendedCode = extendedCode
    self.message = message
    self.purpose = purpose
    self.path = path
  }

  /// Returns the error of a file that is no longer the one that was opened.
  ///
  /// - Parameters:
  ///   - path: the path of the database file, or of its log or WAL index.
  ///   - purpose: the operation that failed, in words.
  static func moved(_ path: String, during purpose: String) -> SQLiteError {
    SQLiteError(
      extendedCode: SQLITE_READONLY | 4 << 8,  // SQLITE_READONLY_DBMOVED, a macro that Swift does not import.
      message: "the file was renamed, removed or replaced while it was open; make a new workspace", purpose: purpose,
      path: path)
  }

  /// SQLite's primary result code: the kind of the failure, such as `SQLITE_BUSY` (5) or `SQLITE_FULL` (13).
  public var code: Int32 { extendedCode & 0xff }

  /// Whether the reason may be a table that does not exist, or was just created or dropped by another connection.
  var mayBeMissingTable: Bool { code == SQLITE_ERROR || code == SQLITE_SCHEMA }

  /// Whether the primary key or a unique index already has the value.
  var isConflict: Bool {
    // SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY, macros that Swift does not import.
    extendedCode == SQLITE_CONSTRAINT | 8 << 8 || extendedCode == SQLITE_CONSTRAINT | 6 << 8
  }
}

extension SQLiteError {
  /// Returns which key another row already has; nil if the error has another reason. SQLite names the key's columns in
  /// its message.
  func conflict(in record: RecordDescription) -> KeyConflict? {
    guard isConflict else { return nil }
    let tables = RecordTables(record: record)
    if message.hasSuffix("\(tables.main).__pk\(record.primaryKeys.count - 1)") { return .primaryKey }
    let index = record.indexes.indices.first { message.hasSuffix("\(tables.indexTable($0)).\(record.indexes[$0].key)") }
    return index.map { .index($0) } ?? .unknown
  }
}

extension SQLiteError: TransientError {
  /// Whether another process has held a lock for too long, so that the operation may succeed later.
  package var isTransient: Bool { code == SQLITE_BUSY }
}

extension SQLiteError: CustomStringConvertible {
  /// A sentence that describes the error.
  public var description: String {
    "\(purpose) failed: \(message) (SQLite code \(extendedCode), \(path))"
  }
}

extension SQLiteError: DatabaseError {
  package var isDiskFull: Bool { code == SQLITE_FULL }
}
