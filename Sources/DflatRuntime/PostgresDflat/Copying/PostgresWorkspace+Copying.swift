import Dflat
import DflatEngine
import Dispatch

extension PostgresWorkspace {
  /// Copies the objects of some types, and the whole dictionary, from another workspace, such as a `SQLiteWorkspace`
  /// whose content moves to a server.
  ///
  /// ```swift
  /// let file = SQLiteWorkspace(filePath: "posts.sqlite3", fileProtectionLevel: .noProtection)
  /// let summary = try await workspace.copy([Post.self], from: file)
  /// for table in summary.tables { print(table.name, table.copiedCount, table.damagedRows) }
  /// ```
  ///
  /// It copies one state of the source, byte by byte: fields that this version of a schema does not know stay. Rows are
  /// found by their primary keys. A row that exists with other content is replaced; rows that the source lacks are left
  /// alone. Objects keep their order, and get other row numbers. At the end, everything is compared with the source.
  ///
  /// Each transaction stores some hundred rows. Call it again to resume an interrupted copy: rows that are there
  /// already are not written again. No one else should write to these types meanwhile.
  ///
  /// See also: ``CopySummary``, ``CopyProgress``, ``CopyError``, Documentation/postgres-moving.md.
  ///
  /// - Parameters:
  ///   - types: the types whose objects are copied.
  ///   - source: the workspace that has them.
  ///   - progress: called on a background thread, after each transaction.
  /// - Returns: what was done with the rows of each table.
  /// - Throws: `CancellationError` if the task is cancelled; `CopyError`; the error of the source; or a
  ///   `PostgresError`, also if another object of the database has an object's unique value.
  @discardableResult
  public func copy(
    _ types: [any Atom.Type], from source: any Workspace,
    progress: (@Sendable (_ progress: CopyProgress) -> Void)? = nil
  ) async throws -> CopySummary {
    guard let source = source as? any RowSource else { throw CopyError.unreadableSource }
    let cancellation = TaskCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // On a background queue, so that no thread of Swift's pool waits for the server.
        DispatchQueue.global().async { [core] in
          continuation.resume(
            with: Result {
              try core.copy(types, from: source, progress: progress) { core.scheduler.isCancelled(cancellation) }
            })
        }
      }
    } onCancel: {
      core.scheduler.cancel(cancellation)
    }
  }
}

extension PostgresWorkspace: RowSource {
  package func withRows<Result>(_ body: (any StoredRows) throws -> Result) throws -> Result {
    let connection = try core.pool.acquire(for: .readOnly)
    defer {
      connection.rollBack()
      core.pool.release(connection)
    }
    try connection.begin(.reading, for: "Beginning a copy")
    return try body(ServerRows(connection: connection, catalog: core.catalog))
  }
}

/// The rows of a database, read on a connection in one transaction.
private struct ServerRows: StoredRows {
  let connection: PostgresConnection
  let catalog: TableCatalog

  func count(of record: RecordDescription) throws -> Int {
    let table = try catalog.table(of: record, on: connection)
    guard table.exists else { return 0 }
    var count = 0
    try connection.query(CopyStatements(layout: table.layout).countAll, for: "Counting \(record.table)") { row in
      count = Int(row.integer(0))
      return true
    }
    return count
  }

  func forEach(of record: RecordDescription, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws {
    let table = try catalog.table(of: record, on: connection)
    guard table.exists else { return }
    try connection.query(
      "SELECT m.rowid, m.p FROM \(table.layout.table) m ORDER BY m.rowid", rows: .cancellable,
      for: "Reading \(record.table)"
    ) { row in
      try body(row.integer(0), row.bytes(1))
      return true
    }
  }
}

extension PostgresCore {
  fileprivate func copy(
    _ types: [any Atom.Type], from source: any RowSource, progress: ((CopyProgress) -> Void)?,
    isCancelled: @escaping () -> Bool
  ) throws -> CopySummary {
    // Otherwise keys that were set and are not stored yet would be missing.
    guard source.dictionary.synchronize() else { throw CopyError.dictionaryNotStored }
    return try source.withRows { rows in
      var copies = types.map { type in
        TableCopy(self, type._record, isCancelled, progress) { TableCopy.holdsObject($0, type) }
      }
      copies.append(
        TableCopy(self, DictionaryItem.record, isCancelled, progress) { bytes in
          if case .damaged = DictionaryItem.value(of: bytes) { false } else { true }
        })
      for copy in copies { try copy.store(rows) }
      for copy in copies { try copy.verify(rows) }
      return CopySummary(tables: copies.map(\.summary))
    }
  }
}
