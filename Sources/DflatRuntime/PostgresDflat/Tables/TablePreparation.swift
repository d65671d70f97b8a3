import Dflat
import DflatEngine
import PostgresLayout

/// Makes the tables of types and their indexes, before the first object of a type is written or in the background.
///
/// It holds an advisory lock for a table meanwhile, so that no two processes make the same thing at once.
struct TablePreparation {
  let catalog: TableCatalog
  let connection: PostgresConnection
  /// How the preparation waits for a lock that another process holds.
  var wait = PostgresConnection.LockWait()

  /// Makes the table of a type, its unique indexes, and the table of outcomes, where they are missing.
  ///
  /// - Returns: the errors because of which unique indexes, or the table of outcomes, cannot be made. Objects are
  ///   stored without them.
  func prepareForWriting(_ record: RecordDescription) throws -> [any Error] {
    var failures = try prepareOutcomes().map { [$0] } ?? []
    var table = try catalog.look(for: record, on: connection)
    if !table.exists {
      try makeTable(table.layout)
      table = try catalog.look(for: record, on: connection)
    }
    for (index, isUsable) in zip(table.layout.indexes, table.isIndexUsable) where index.isUnique && !isUsable {
      do {
        let name = PostgresName.lock(of: table.layout.name)
        try connection.withLock(name, for: "Locking a table", wait) {
          try makeIndex(index, of: table.layout)
        }
      } catch let error as PostgresError where error.isConflict {
        failures.append(error)
      }
    }
    if !failures.isEmpty || !table.isComplete { _ = try catalog.look(for: record, on: connection) }
    catalog.noteWritable(record)
    return failures
  }

  /// Makes the table of outcomes if it is missing.
  ///
  /// - Returns: the error if the table cannot be used; otherwise nil.
  private func prepareOutcomes() throws -> (any Error)? {
    if try catalog.lookForOutcomes(on: connection) { return nil }
    let outcomes = connection.outcomes
    let purpose = "Making the table of outcomes"
    do {
      let name = PostgresName.lock(of: OutcomeTable.name)
      try connection.begin(locking: name, for: purpose, wait)
      // Another process may have made it before it released the lock.
      if try !catalog.lookForOutcomes(on: connection) {
        try connection.send(outcomes.create(), isPrepared: false, for: purpose)
      }
      try connection.commit(for: purpose)
      catalog.note(.kept)
      return nil
    } catch let error as PostgresError where error.cause == .missingPermission || error.isDuplicateTable {
      connection.rollBack()
      catalog.note(.unavailable)
      return PostgresError(
        cause: .missingPermission, sqlState: error.sqlState,
        message: """
          \(error.message); without it, a transaction fails whose connection breaks during COMMIT, though it may be stored. \
          The owner of the schema can execute: \(outcomes.create()); \(outcomes.rights) ...
          """, purpose: purpose)
    } catch {
      connection.rollBack()
      throw error
    }
  }

  private func makeTable(_ layout: DatabaseTable) throws {
    let purpose = "Making the table of \(layout.record.table)"
    let name = PostgresName.lock(of: layout.name)
    let create = layout.layout.create(in: layout.schema)
    try naming(create, for: purpose) {
      let begin = { try connection.begin(locking: name, for: purpose, wait) }
      try inTransaction(for: purpose, beginning: begin) {
        // Another process may have made it before it released the lock.
        if try existsTable(layout) { return }
        try connection.send(create, isPrepared: false, for: purpose)
        for index in layout.indexes {
          try makeFunction(of: index)
          let create = layout.layout.create(index.layout, in: layout.schema, concurrently: false)
          try connection.send(create, isPrepared: false, for: purpose)
        }
        // The publication exists if somebody observes or has observed.
        try addNewTableToPublication(layout)
      }
    }
  }

  /// Calls `body`. If the role lacks a right, the thrown error names the statement that somebody with the right has to
  /// execute.
  private func naming(_ statement: String, for purpose: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as PostgresError where error.cause == .missingPermission {
      throw PostgresError(
        cause: .missingPermission, sqlState: error.sqlState,
        message: """
          \(error.message); a role that may do it has to execute: \(statement); \
          all that is missing, functions too, is made by the SQL of `check` and of `dflatc sql --postgres`
          """, purpose: purpose)
    }
  }

  /// Builds an index of a table that has rows, while others write to it.
  func makeIndex(_ index: DatabaseTable.Index, of layout: DatabaseTable) throws {
    let purpose = "Making an index of \(layout.record.table)"
    let table = try catalog.look(for: layout.record, on: connection)
    for (each, isUsable) in zip(layout.indexes, table.isIndexUsable) where each.name == index.name && isUsable {
      return
    }
    let create = layout.layout.create(index.layout, in: layout.schema, concurrently: true)
    try naming(create, for: purpose) {
      try makeFunction(of: index)
      // CREATE INDEX CONCURRENTLY must be alone in the pipeline.
      try connection.finish()
      // An invalid index remains of a build that failed, and is useless.
      try dropIndex(index, for: purpose)
      do {
        try connection.send(create, isPrepared: false, for: purpose)
        try connection.finish()
      } catch let error as PostgresError where error.isConflict {
        try dropIndex(index, for: purpose)
        throw error
      }
    }
    // The planner needs to know how many values there are.
    try connection.send("ANALYZE \(layout.table)", isPrepared: false, for: purpose)
    try connection.finish()
  }

  private func dropIndex(_ index: DatabaseTable.Index, for purpose: String) throws {
    let name = PostgresName.qualified(index.name, in: connection.schema)
    try connection.send("DROP INDEX CONCURRENTLY IF EXISTS \(name)", isPrepared: false, for: purpose)
    try connection.finish()
  }

  private func makeFunction(of index: DatabaseTable.Index) throws {
    let lookUp = """
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE p.proname = $1 AND n.nspname = $2 AND p.pronargs = 1 AND p.proargtypes[0] = 'bytea'::regtype
      """
    guard try !exists(lookUp, index.layout.function.name) else { return }
    let create = index.layout.function.create(in: connection.schema)
    try connection.send(create, isPrepared: false, for: "Making the function of an index")
  }

  private func existsTable(_ layout: DatabaseTable) throws -> Bool {
    try exists("FROM pg_class WHERE oid = \(PostgresConnection.namedRelation)", layout.name)
  }

  /// Returns whether the catalog has what `lookUp` looks for, by a name in the connection's schema.
  private func exists(_ lookUp: String, _ name: String) throws -> Bool {
    var exists = false
    try connection.query(
      "SELECT EXISTS (SELECT \(lookUp))", connection.parameters(naming: name), for: "Looking into the catalog"
    ) { row in
      exists = row.bool(0)
      return true
    }
    return exists
  }

  // MARK: Observing

  /// The longest time that `publish(_:)` waits for its lock on a table, as an SQL literal. Writers to the table that come
  /// meanwhile wait as long.
  private static let publicationLockTimeout = "'200ms'"

  /// Adds a table to the publication of observed tables, and makes the publication if there is none. Skips a table that
  /// does not exist yet: the process that makes it adds it.
  ///
  /// - Returns: false if the caller has to try again later: an index of the table is being built.
  func publish(_ layout: DatabaseTable) throws -> Bool {
    let purpose = "Observing \(layout.record.table)"
    if try !existsPublication() {
      try inTransaction(for: purpose, beginning: { try connection.begin(locking: "publication", for: purpose, wait) }) {
        if try existsPublication() { return }
        try connection.send("CREATE PUBLICATION \(PostgresName.quoted(publication))", isPrepared: false, for: purpose)
      }
    }
    // A session that builds an index of the table holds this lock, and waits for all sessions that have a snapshot.
    guard try connection.beginIfFree(locking: PostgresName.lock(of: layout.name), for: purpose) else { return false }
    try inTransaction(for: purpose, beginning: {}) {
      guard try existsTable(layout), try !isPublished(layout) else { return }
      // Waits for transactions that have changed the table: otherwise their changes would not be sent.
      try connection.send("SET LOCAL lock_timeout = \(Self.publicationLockTimeout)", for: purpose)
      try connection.send("LOCK TABLE \(layout.table) IN SHARE ROW EXCLUSIVE MODE", isPrepared: false, for: purpose)
      try addToPublication(layout)
    }
    return true
  }

  private func inTransaction(
    for purpose: String, beginning begin: () throws -> Void, _ body: () throws -> Void
  ) throws {
    try begin()
    do {
      try body()
      try connection.commit(for: purpose)
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// The name of the publication of the schema's observed tables.
  private var publication: String { PostgresName.publication(of: connection.schema) }

  private func existsPublication() throws -> Bool {
    try exists("FROM pg_publication WHERE pubname = $1", publication)
  }

  private func isPublished(_ layout: DatabaseTable) throws -> Bool {
    try exists(
      """
      FROM pg_publication_tables
      WHERE tablename = $1 AND schemaname = $2 AND pubname = \(PostgresName.literal(publication))
      """, layout.name)
  }

  /// Adds a table that is being made to the publication, if there is one. If the role lacks the right, the table is
  /// made all the same: its observers report what is missing.
  private func addNewTableToPublication(_ layout: DatabaseTable) throws {
    guard try existsPublication(), try !isPublished(layout) else { return }
    try connection.send("SAVEPOINT dflat", for: "Observing \(layout.record.table)")
    try connection.finish()
    do {
      try addToPublication(layout)
      try connection.finish()
    } catch let error as PostgresError where !connection.isBroken && !error.isRetryable {
      try connection.send("ROLLBACK TO SAVEPOINT dflat", for: "Observing \(layout.record.table)")
      try connection.finish()
    }
  }

  private func addToPublication(_ layout: DatabaseTable) throws {
    try connection.send(
      "ALTER PUBLICATION \(PostgresName.quoted(publication)) ADD TABLE \(layout.table)", isPrepared: false,
      for: "Observing \(layout.record.table)")
  }

  // MARK: Indexes in the background

  /// Builds a type's missing indexes, unless another process builds some now. An index that cannot be built does not keep the
  /// others from being built.
  ///
  /// - Returns: whether no index is missing any more.
  /// - Throws: the error of the first unique index that rows violate, once the other indexes are built.
  func makeMissingIndexes(of record: RecordDescription) throws -> Bool {
    let table = try catalog.look(for: record, on: connection)
    guard table.exists, !table.isComplete else { return true }
    var violation: PostgresError?
    let isMade = try connection.withLockIfFree(PostgresName.lock(of: table.layout.name), for: "Locking a table") {
      for (index, isUsable) in zip(table.layout.indexes, table.isIndexUsable) where !isUsable {
        do {
          try makeIndex(index, of: table.layout)
        } catch let error as PostgresError where error.isConflict {
          if violation == nil { violation = error }
        }
      }
    }
    let isComplete = try isMade && catalog.look(for: record, on: connection).isComplete
    if let violation { throw violation }
    return isComplete
  }
}
