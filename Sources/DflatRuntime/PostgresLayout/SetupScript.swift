/// A script for psql that makes what a workspace needs in a database, so that its role needs no right to create anything.
///
/// It may be run again, and while programs use the database. What exists stays. The tables and functions of each type
/// are made in one transaction, and indexes are built while others write.
package struct SetupScript {
  /// The things that one type needs: its table, or some indexes of an existing table.
  package struct Part: Sendable {
    package let table: PostgresTable
    package let makesTable: Bool
    /// Whether the role gets the rights to use the table.
    package let grantsTable: Bool
    package let indexes: [PostgresTable.Index]

    /// Creates a part with everything that a type needs.
    package init(_ table: PostgresTable) {
      self.init(table, makesTable: true, indexes: table.indexes)
    }

    package init(
      _ table: PostgresTable, makesTable: Bool, grantsTable: Bool = false, indexes: [PostgresTable.Index]
    ) {
      self.table = table
      self.makesTable = makesTable
      self.grantsTable = makesTable || grantsTable
      self.indexes = indexes
    }

    /// Whether there is nothing to make or grant.
    package var isEmpty: Bool { !grantsTable && indexes.isEmpty }
  }

  /// The schema of the database in which everything is made.
  package let schema: String
  /// The role that gets the rights to use everything; nil for none.
  package var role: String?
  /// Whether subscribers hear of other processes, for which the publication is made.
  package var observes = false
  /// The views that are made or replaced, after all that apps need.
  package var views: [PostgresView] = []
  /// The roles that get only the right to read the views.
  package var readers: [String] = []
  /// Whether the table of outcomes is made.
  package var makesOutcomes = true

  package init(schema: String) { self.schema = schema }

  private var quotedSchema: String { PostgresName.quoted(schema) }
  private var publication: String { PostgresName.publication(of: schema) }

  /// Returns the script that makes the parts.
  package func text(_ parts: [Part]) -> String {
    var lines = ["\\set ON_ERROR_STOP on", "SET client_min_messages = warning;"]
    // Every database has that schema, and a role that does not own the database may not even try to make it.
    if schema != "public" { lines.append("CREATE SCHEMA IF NOT EXISTS \(quotedSchema);") }
    lines.append("SET search_path = \(quotedSchema);")
    if observes {
      lines += ["", "-- What subscribers hear of."]
      lines += execute(
        "CREATE PUBLICATION \(PostgresName.quoted(publication))",
        unless: "SELECT FROM pg_publication WHERE pubname = \(PostgresName.literal(publication))")
    }
    if makesOutcomes {
      lines += ["", "-- How transactions have ended whose connection broke."]
      lines += locked(OutcomeTable.name, [OutcomeTable(schema: schema).create(ifMissing: true) + ";"])
    }
    for part in parts where part.makesTable || !part.indexes.isEmpty { lines += make(part) }
    if let role { lines += grant(role, parts) }
    if !views.isEmpty { lines += makeViews() }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Making

  private func make(_ part: Part) -> [String] {
    let table = part.table
    var lines: [String] = []
    lines.append("BEGIN;")
    if part.makesTable {
      lines.append(table.create(ifMissing: true) + ";")
      lines += checkColumns(of: table)
    }
    lines += part.indexes.map { $0.function.create(ifMissing: true) + ";" }
    if part.makesTable { lines += publish(table) }
    lines.append("COMMIT;")
    if !part.indexes.isEmpty {
      lines += dropInvalid(part.indexes)
      lines += part.indexes.map { table.create($0, concurrently: true, ifMissing: true) + ";" }
      lines.append("ANALYZE \(table.table);")
    }
    return ["", "-- \(table.name)"] + locked(table.name, lines)
  }

  /// Returns the lines that make the views. They come last, since apps do not need them.
  private func makeViews() -> [String] {
    let function = JSONFunction(schema: schema)
    // Two views may use the same index function.
    var seen: Set<String> = []
    let functions = views.flatMap(\.functions).filter { seen.insert($0.name).inserted }
    var lines = [function.create + ";"]
    lines += functions.map { $0.create(ifMissing: true) + ";" }
    lines += views.map { $0.replace(function) }
    for reader in [role].compactMap(\.self) + readers {
      let name = PostgresName.quoted(reader)
      lines.append("GRANT USAGE ON SCHEMA \(quotedSchema) TO \(name);")
      lines += views.map { "GRANT SELECT ON \($0.quotedName) TO \(name);" }
      lines.append("GRANT EXECUTE ON FUNCTION \(function.signature) TO \(name);")
      lines += functions.map { "GRANT EXECUTE ON FUNCTION \(PostgresName.quoted($0.name))(bytea) TO \(name);" }
    }
    return ["", "-- What people and other programs read: a column for each field."]
      + locked("views", ["BEGIN;"] + lines + ["COMMIT;"])
  }

  /// Returns the lines, enclosed in others that hold the lock of a table. Workspaces make the table under the same
  /// lock.
  ///
  /// The script tries to lock, in a transaction each time: a session that waited would have a snapshot, and CREATE
  /// INDEX CONCURRENTLY waits for snapshots to end.
  private func locked(_ table: String, _ lines: [String]) -> [String] {
    let number = PostgresName.lockNumber(
      PostgresName.literal(PostgresName.lock(of: table)), schema: PostgresName.literal(schema))
    return [
      """
      DO $dflat$ BEGIN
        WHILE NOT pg_try_advisory_lock(\(number)) LOOP COMMIT; PERFORM pg_sleep(0.1); END LOOP;
      END $dflat$;
      """
    ] + lines + [Self.silently("pg_advisory_unlock(\(number))")]
  }

  /// Returns lines that fail if a table of that name has other columns, such as a table of another program.
  private func checkColumns(of table: PostgresTable) -> [String] {
    let columns = table.columns.sorted { $0.key < $1.key }.map {
      "(\(PostgresName.literal($0.key)), \(PostgresName.literal($0.value)))"
    }
    let message = "the table \(table.name) is not one of dflat: it has other columns"
    return [
      """
      DO $dflat$ BEGIN
        IF (SELECT count(*) FROM pg_attribute
            WHERE attrelid = \(relation(table.table)) AND attnum > 0 AND NOT attisdropped
              AND (attname::text, format_type(atttypid, atttypmod)) IN (\(columns.joined(separator: ", ")))) <> \(columns.count)
        THEN RAISE EXCEPTION '%', \(PostgresName.literal(message)); END IF;
      END $dflat$;
      """
    ]
  }

  /// Returns the lines that add a table to the publication, if there is one.
  private func publish(_ table: PostgresTable) -> [String] {
    let name = PostgresName.literal(publication)
    return [
      """
      DO $dflat$ BEGIN
        IF EXISTS (SELECT FROM pg_publication WHERE pubname = \(name) AND NOT puballtables)
          AND NOT EXISTS (
            SELECT FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid
            WHERE p.pubname = \(name) AND r.prrelid = \(relation(table.table)))
        THEN
          -- Transactions that have changed the table have to end first, or else their changes would not be sent.
          SET LOCAL lock_timeout = '5s';
          LOCK TABLE \(table.table) IN SHARE ROW EXCLUSIVE MODE;
          ALTER PUBLICATION \(PostgresName.quoted(publication)) ADD TABLE \(table.table);
          SET LOCAL lock_timeout TO DEFAULT;
        END IF;
      END $dflat$;
      """
    ]
  }

  /// Returns the lines that drop invalid indexes. A failed build leaves them behind: they are useless, and block the
  /// next build.
  private func dropInvalid(_ indexes: [PostgresTable.Index]) -> [String] {
    let names = indexes.map { PostgresName.literal($0.name) }.joined(separator: ", ")
    return [
      """
      SELECT format('DROP INDEX CONCURRENTLY %I.%I', n.nspname, c.relname)
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE NOT i.indisvalid AND n.nspname = \(PostgresName.literal(schema)) AND c.relname IN (\(names)) \\gexec
      """
    ]
  }

  // MARK: Rights

  private func grant(_ role: String, _ parts: [Part]) -> [String] {
    let name = PostgresName.quoted(role)
    var lines = ["", "-- Rights of \(role.split(whereSeparator: \.isNewline).joined(separator: " "))"]
    lines.append("GRANT USAGE ON SCHEMA \(quotedSchema) TO \(name);")
    if makesOutcomes { lines.append("\(OutcomeTable(schema: schema).rights) \(name);") }
    for part in parts where !part.isEmpty {
      let table = part.table.table
      if part.grantsTable {
        lines.append("GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE \(table) TO \(name);")
        lines.append(
          """
          SELECT format('GRANT USAGE, SELECT, UPDATE ON SEQUENCE %s TO %I', \
          pg_get_serial_sequence(\(PostgresName.literal("\(quotedSchema).\(table)")), 'rowid'), \
          \(PostgresName.literal(role))) \\gexec
          """)
      }
      lines += part.indexes.map {
        "GRANT EXECUTE ON FUNCTION \(PostgresName.quoted($0.function.name))(bytea) TO \(name);"
      }
    }
    if observes {
      lines += execute(
        "ALTER ROLE \(name) REPLICATION",
        unless: "SELECT FROM pg_roles WHERE rolname = \(PostgresName.literal(role)) AND (rolreplication OR rolsuper)")
    }
    return lines
  }

  // MARK: SQL

  /// Returns a line that executes a statement unless a query returns a row.
  private func execute(_ statement: String, unless query: String) -> [String] {
    ["SELECT \(PostgresName.literal(statement)) WHERE NOT EXISTS (\(query)) \\gexec"]
  }

  /// Returns a line that calls a function without showing its result.
  private static func silently(_ call: String) -> String { "DO $dflat$ BEGIN PERFORM \(call); END $dflat$;" }

  /// Returns the SQL expression of a relation in the schema.
  private func relation(_ quotedName: String) -> String {
    "\(PostgresName.literal("\(quotedSchema).\(quotedName)"))::regclass"
  }
}
