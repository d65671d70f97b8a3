import Dflat
import DflatEngine
import PostgresLayout

/// Makes the tables of types and their indexes, each before the first object of the type is written, or in the background.
///
/// Whoever makes a table or an index holds an advisory lock for the table, so that two processes do not make it at once.
struct TablePreparation {
  let catalog: TableCatalog
  let connection: PostgresConnection

  /// Makes a type ready to be written: its table is there, and its unique indexes are.
  ///
  /// - Returns: the errors because of which unique indexes, or the table of outcomes, cannot be made; objects are stored without them.
  func prepareForWriting(_ record: RecordDescription) throws -> [any Error] {
    var failures = try prepareOutcomes().map { [$0] } ?? []
    var table = try catalog.look(for: record, on: connection)
    if !table.exists {
      try makeTable(table.layout)
      table = try catalog.look(for: record, on: connection)
    }
    for (index, isUsable) in zip(table.layout.indexes, table.isIndexUsable) where index.isUnique && !isUsable {
      do {
        try connection.withLock(PostgresName.lock(of: table.layout.name), for: "Locking a table") {
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

  /// Makes the table of outcomes, unless it is known what there is.
  ///
  /// - Returns: the error if it cannot be used.
  private func prepareOutcomes() throws -> (any Error)? {
    if try catalog.lookForOutcomes(on: connection) { return nil }
    let outcomes = connection.outcomes
    let purpose = "Making the table of outcomes"
    do {
      try connection.begin(locking: PostgresName.lock(of: OutcomeTable.name), for: purpose)
      // Another process may have made it until it gave the lock up.
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
    try naming(layout.layout.create(), for: purpose) {
      try inTransaction(for: purpose, beginning: { try connection.begin(locking: name, for: purpose) }) {
        // Another process may have made it until it gave the lock up.
        if try existsTable(layout) { return }
        try connection.send(layout.layout.create(), isPrepared: false, for: purpose)
        for index in layout.indexes {
          try makeFunction(of: index)
          try connection.send(layout.layout.create(index.layout, concurrently: false), isPrepared: false, for: purpose)
        }
        // Somebody observes, or has done so.
        try addNewTableToPublication(layout)
      }
    }
  }

  /// Calls `body`. If the role lacks a right, the error names the statement that somebody with the right has to execute.
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

  /// Makes an index of a table that has rows, while others write to it.
  func makeIndex(_ index: DatabaseTable.Index, of layout: DatabaseTable) throws {
    let purpose = "Making an index of \(layout.record.table)"
    let table = try catalog.look(for: layout.record, on: connection)
    for (each, isUsable) in zip(layout.indexes, table.isIndexUsable) where each.name == index.name && isUsable {
      return
    }
    let create = layout.layout.create(index.layout, concurrently: true)
    try naming(create, for: purpose) {
      try makeFunction(of: index)
      // What is done concurrently must be alone on its way to the server.
      try connection.finish()
      // One that could not be made completely stays behind, and is of no use.
      try dropIndex(index, for: purpose)
      do {
        try connection.send(create, isPrepared: false, for: purpose)
        try connection.finish()
      } catch let error as PostgresError where error.isConflict {
        try dropIndex(index, for: purpose)
        throw error
      }
    }
    // So that the server knows how many values there are.
    try connection.send("ANALYZE \(layout.table)", isPrepared: false, for: purpose)
    try connection.finish()
  }

  private func dropIndex(_ index: DatabaseTable.Index, for purpose: String) throws {
    let name = "\(PostgresName.quoted(connection.schema)).\(PostgresName.quoted(index.name))"
    try connection.send("DROP INDEX CONCURRENTLY IF EXISTS \(name)", isPrepared: false, for: purpose)
    try connection.finish()
  }

  private func makeFunction(of index: DatabaseTable.Index) throws {
    let lookUp = """
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE p.proname = $1 AND n.nspname = $2 AND p.pronargs = 1 AND p.proargtypes[0] = 'bytea'::regtype
      """
    guard try !exists(lookUp, index.layout.function.name) else { return }
    try connection.send(index.layout.function.create(), isPrepared: false, for: "Making the function of an index")
  }

  private func existsTable(_ layout: DatabaseTable) throws -> Bool {
    try exists("FROM pg_class WHERE oid = \(PostgresConnection.namedRelation)", layout.name)
  }

  /// Whether the catalog has what `lookUp` looks for, by a name in the schema of the connection.
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

  /// How long the table that is added is waited for, as an SQL literal: whoever writes to it has to wait as long.
  private static let publicationLockTimeout = "'200ms'"

  /// Adds a table to the publication of what is observed, which is made if it is not there.
  ///
  /// A table that is not there yet is added by who makes it.
  ///
  /// - Returns: false if it is to be tried again later: an index of the table is being made.
  func publish(_ layout: DatabaseTable) throws -> Bool {
    let purpose = "Observing \(layout.record.table)"
    if try !existsPublication() {
      try inTransaction(for: purpose, beginning: { try connection.begin(locking: "publication", for: purpose) }) {
        if try existsPublication() { return }
        try connection.send("CREATE PUBLICATION \(PostgresName.quoted(publication))", isPrepared: false, for: purpose)
      }
    }
    // Whoever makes an index of the table has it locked, and waits for all who have a snapshot.
    guard try connection.beginIfFree(locking: PostgresName.lock(of: layout.name), for: purpose) else { return false }
    try inTransaction(for: purpose, beginning: {}) {
      guard try existsTable(layout), try !isPublished(layout) else { return }
      // Transactions that have changed the table have to end first, or else their changes would not be sent.
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

  /// The publication of what is observed in the schema.
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

  /// Adds a table that is being made to the publication, if there is one. Where the role may not, the table is made without: whoever
  /// observes it says what is missing.
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

  /// Makes what is missing of a type's indexes that are not unique, unless another process makes some just now.
  ///
  /// - Returns: whether nothing is missing any more.
  func makeMissingIndexes(of record: RecordDescription) throws -> Bool {
    let table = try catalog.look(for: record, on: connection)
    guard table.exists, !table.isComplete else { return true }
    let isMade = try connection.withLockIfFree(PostgresName.lock(of: table.layout.name), for: "Locking a table") {
      for (index, isUsable) in zip(table.layout.indexes, table.isIndexUsable) where !isUsable && !index.isUnique {
        try makeIndex(index, of: table.layout)
      }
    }
    return try isMade && catalog.look(for: record, on: connection).isIndexUsable.allSatisfy { $0 }
  }
}
