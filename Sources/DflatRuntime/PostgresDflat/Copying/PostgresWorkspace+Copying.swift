import Dflat
import DflatEngine
import Dispatch

extension PostgresWorkspace {
  /// Copies the objects of some types, and the whole dictionary, from another workspace, such as a `SQLiteWorkspace` whose file is moved
  /// to a server.
  ///
  /// One state of the source is copied, as its bytes are: fields that this version of a schema does not know stay. Rows are found
  /// by their primary keys; one that is there with other content is replaced, and what the source lacks is left alone. Objects
  /// keep their order, and get other row numbers. At the end, everything is compared with the source.
  ///
  /// Some hundred rows are stored in a transaction. A copy that has ended early, for whatever reason, is gone on with by calling it
  /// again: what is there already is not written again. Nobody else should write to these types meanwhile.
  ///
  /// - Parameters:
  ///   - types: the types whose objects are copied.
  ///   - source: the workspace that has them.
  ///   - progress: called on a background thread, after each transaction.
  /// - Returns: what was done with the rows of each table.
  /// - Throws: `CancellationError` if the task is cancelled; `CopyError`; what the source fails with; or a `PostgresError`, also
  ///   where an object has a unique value that another one of the database has.
  @discardableResult
  public func copy(
    _ types: [any Atom.Type], from source: any Workspace,
    progress: (@Sendable (_ progress: CopyProgress) -> Void)? = nil
  ) async throws -> CopySummary {
    guard let source = source as? any RowSource else { throw CopyError.unreadableSource }
    let cancellation = TaskCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // It waits for the server, so that it takes no thread of Swift's own.
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

/// The rows that a connection reads, in a transaction of its own.
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
      "SELECT m.rowid, m.p FROM \(table.layout.table) m ORDER BY m.rowid", rows: .streamed,
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
    // Keys that were set and are not stored yet would be missing.
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
