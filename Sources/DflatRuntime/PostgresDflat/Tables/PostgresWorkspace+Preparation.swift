import Dflat
import DflatEngine
import Dispatch
import PostgresLayout

extension PostgresWorkspace {
  /// Makes the tables and indexes of types now, with the functions that the indexes need, the table of the dictionary
  /// and the table of outcomes.
  ///
  /// ```swift
  /// try await workspace.prepare([Post.self])
  /// ```
  ///
  /// Without it, each is made when it is first needed. A program that calls it at deployment connects as a role that
  /// owns the tables; the role of other workspaces then needs no right to create any. Others may write meanwhile. It
  /// returns when all indexes are complete, which takes as long as the server reads the rows. It waits for tables and
  /// indexes that another process makes. After a minute, the error handler is told which session keeps a table locked.
  ///
  /// See also: Documentation/postgres-setup.md.
  ///
  /// - Parameter types: the types whose objects are going to be stored.
  /// - Throws: a `PostgresError`. With the cause `.missingPermission`, it names the statement that somebody else has to
  ///   execute. If rows violate a unique index, everything else is made before the error is thrown. `CancellationError`
  ///   if the task is cancelled, also while another process makes something; what was made until then stays.
  public func prepare(_ types: [any Atom.Type]) async throws {
    let records = types.map { $0._record }
    try await core.onBackgroundQueue { core, isCancelled in
      try core.prepare(records + [DictionaryTable.record], isCancelled: isCancelled)
    }
  }

  /// Checks what the database lacks for types, and changes nothing.
  ///
  /// ```swift
  /// let check = try await workspace.check([Post.self])
  /// if !check.isComplete { print(check, check.sql) }
  /// ```
  ///
  /// It asks the server on a connection of its own, and blocks no thread of Swift's pool.
  ///
  /// See also: ``DatabaseCheck``, Documentation/postgres-setup.md.
  ///
  /// - Parameter types: the types whose objects are going to be stored.
  /// - Returns: the missing tables, indexes and rights, also those of the dictionary.
  /// - Throws: a `PostgresError`, with the cause `.foreignTable` if a table of that name has other columns, or
  ///   `.missingSchema` if the schema does not exist.
  public func check(_ types: [any Atom.Type]) async throws -> DatabaseCheck {
    let records = types.map { $0._record }
    return try await core.onBackgroundQueue { core, _ in
      try core.check(records + [DictionaryTable.record])
    }
  }
}

extension PostgresCore {
  /// Calls `body` on a background queue, so that no thread of Swift's pool waits for the server.
  fileprivate func onBackgroundQueue<Result: Sendable>(
    _ body: @escaping @Sendable (PostgresCore, _ isCancelled: @escaping () -> Bool) throws -> Result
  ) async throws -> Result {
    let cancellation = TaskCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(with: Swift.Result { try body(self) { self.scheduler.isCancelled(cancellation) } })
        }
      }
    } onCancel: {
      scheduler.cancel(cancellation)
    }
  }

  /// Opens a connection without a time limit for statements, unless the workspace has been shut down.
  private func connectionForPreparing(_ access: SessionDefaults.Access) throws -> PostgresConnection {
    pool.release(try pool.acquire(for: .readOnly))
    return try PostgresConnection.withoutTimeout(options.direct, for: access)
  }

  fileprivate func prepare(_ records: [RecordDescription], isCancelled: @escaping () -> Bool) throws {
    let preparation = TablePreparation(
      catalog: catalog, connection: try connectionForPreparing(.readWrite),
      wait: PostgresConnection.LockWait(isCancelled: isCancelled, onDelay: { self.reportLater($0) }))
    var failures: [any Error] = []
    for record in records {
      if isCancelled() { throw CancellationError() }
      failures += try preparation.prepareForWriting(record)
      do {
        while try !preparation.makeMissingIndexes(of: record) {
          if isCancelled() { throw CancellationError() }
          usleepRandomly(upTo: 0.2)
        }
      } catch let error as PostgresError where error.isConflict {
        failures.append(error)
      }
    }
    if let failure = failures.first { throw failure }
  }

  // MARK: Checking

  fileprivate func check(_ records: [RecordDescription]) throws -> DatabaseCheck {
    let connection = try connectionForPreparing(.readOnly)
    var missing: [DatabaseCheck.Missing] = []
    var parts: [SetupScript.Part] = []
    for record in records {
      let table = try catalog.look(for: record, on: connection)
      let (found, part) = try check(table, on: connection)
      missing += found
      parts.append(part)
    }
    // The known state may be older than the removal of the table.
    catalog.note(.unknown)
    let hasOutcomes = try catalog.lookForOutcomes(on: connection)
    if !hasOutcomes {
      missing.append(
        .init(
          kind: .outcomes, name: OutcomeTable.name,
          description: "the table \(OutcomeTable.name), or a right to it: a lost answer to COMMIT cannot be settled"))
    }
    var script = SetupScript(schema: connection.schema)
    script.role = try connection.role()
    script.makesOutcomes = !hasOutcomes
    return DatabaseCheck(
      schema: connection.schema, missing: missing, sql: missing.isEmpty ? "" : script.text(parts))
  }

  private func check(
    _ table: TableCatalog.Table, on connection: PostgresConnection
  ) throws -> (missing: [DatabaseCheck.Missing], part: SetupScript.Part) {
    let layout = table.layout
    guard table.exists else {
      let missing = DatabaseCheck.Missing(kind: .table, name: layout.name, description: "the table \(layout.name)")
      return ([missing], SetupScript.Part(layout.layout))
    }
    var missing: [DatabaseCheck.Missing] = []
    let absent = zip(layout.indexes, table.isIndexUsable).filter { !$1 }.map(\.0)
    for index in absent {
      missing.append(
        .init(
          kind: index.isUnique ? .uniqueIndex : .index, name: index.name,
          description: "the \(index.isUnique ? "unique " : "")index \(index.name) of the table \(layout.name)"))
    }
    let rights = try connection.missingRights(to: layout.name)
    for right in rights {
      missing.append(.init(kind: .right, name: layout.name, description: "the right \(right) the table \(layout.name)"))
    }
    return (
      missing,
      SetupScript.Part(
        layout.layout, makesTable: false, grantsTable: !rights.isEmpty, indexes: absent.map(\.layout))
    )
  }
}

extension PostgresConnection {
  /// Returns the role that the session acts as.
  fileprivate func role() throws -> String {
    var role = ""
    try query("SELECT current_user::text", for: "Asking for the role") { row in
      role = row.text(0)
      return true
    }
    return role
  }

  /// Returns the rights to a table that the role lacks, worded to stand before "the table". The role needs all of them
  /// to use all objects.
  fileprivate func missingRights(to table: String) throws -> [String] {
    var missing: [String] = []
    let rights = [
      ("SELECT FROM", "has_table_privilege(t.oid, 'SELECT')"), ("INSERT INTO", "has_table_privilege(t.oid, 'INSERT')"),
      ("UPDATE", "has_table_privilege(t.oid, 'UPDATE')"), ("DELETE FROM", "has_table_privilege(t.oid, 'DELETE')"),
      ("to USE the sequence of", "has_sequence_privilege(s.oid, 'USAGE')"),
    ]
    try query(
      """
      SELECT \(rights.map { "coalesce(\($0.1), true)" }.joined(separator: ", "))
      FROM (SELECT \(PostgresConnection.namedRelation) AS oid) t
      LEFT JOIN LATERAL (
        SELECT d.objid AS oid FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'S'
        WHERE d.classid = 'pg_class'::regclass AND d.refobjid = t.oid AND d.deptype = 'i'
      ) s ON true
      """, parameters(naming: table), for: "Looking for rights"
    ) { row in
      for (index, right) in rights.enumerated() where !row.bool(Int32(index)) { missing.append(right.0) }
      return true
    }
    return missing
  }
}
