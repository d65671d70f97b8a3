/// The view of a type's table: a column for each field, for people, BI tools and other programs that know no FlatBuffers.
///
/// What reads the view may use an index of the table, where a column is the expression of the index.
package struct PostgresView: Sendable {
  /// The type of a column.
  package enum ColumnKind: String, Sendable {
    case boolean, bigint, numeric, real, text, bytea, jsonb
    case double = "double precision"

    /// The type in which a number without a name is shown.
    package init(_ storage: StoredField.Storage) {
      self =
        switch storage {
        case .bool: .boolean
        case .uint64: .numeric
        case .float: .real
        case .double: .double
        default: .bigint
        }
    }
  }

  /// A column.
  package struct Column: Sendable {
    fileprivate enum Source: Sendable {
      /// What the function of an index returns.
      case index(IndexFunction)
      /// A part of the JSON of the object: the way to it.
      case json(BufferLayout, path: [String], ColumnKind)
    }
    let name: String
    fileprivate let source: Source

    /// A column whose values an index has: a condition on it uses the index.
    package init(_ name: String, _ function: IndexFunction) {
      self.name = PostgresName.shortened(name)
      source = .index(function)
    }

    /// A column with a part of the JSON of the object.
    ///
    /// - Parameter path: the names of the fields that lead to it.
    package init(_ name: String, _ layout: BufferLayout, at path: [String], as kind: ColumnKind) {
      self.name = PostgresName.shortened(name)
      source = .json(layout, path: path, kind)
    }
  }

  /// The name as it stands in the catalog.
  package let name: String
  private let table: PostgresTable
  private let columns: [Column]

  package init(of table: PostgresTable, _ columns: [Column]) {
    name = PostgresName.shortened("\(table.name)_view")
    self.table = table
    self.columns = columns
  }

  /// The name in SQL.
  package var quotedName: String { PostgresName.quoted(name) }

  /// The functions of indexes that the view calls.
  package var functions: [IndexFunction] {
    columns.compactMap { if case .index(let function) = $0.source { function } else { nil } }
  }

  /// The statement that makes the view, without its first words.
  private func definition(_ function: JSONFunction) -> String {
    var list = columns.map { "\(Self.expression($0.source, function)) AS \(PostgresName.quoted($0.name))" }
    // A field of that name is the one to be seen.
    if !columns.contains(where: { $0.name == "rowid" }) { list.insert("rowid", at: 0) }
    return "VIEW \(quotedName) AS SELECT\n  \(list.joined(separator: ",\n  "))\nFROM \(table.table)"
  }

  private static func expression(_ source: Column.Source, _ function: JSONFunction) -> String {
    switch source {
    case .index(let index): return "\(PostgresName.quoted(index.name))(p)"
    case .json(let layout, let path, let kind):
      let steps = path.map { PostgresName.literal($0) }
      let json = function.object(by: layout)
      guard kind != .jsonb else { return json + steps.map { " -> \($0)" }.joined() }
      let text = json + steps.dropLast().map { " -> \($0)" }.joined() + " ->> \(steps.last ?? "''")"
      return kind == .text ? text : "(\(text))::\(kind.rawValue)"
    }
  }

  /// Makes the view, or replaces the one of another version of the schema. Rights on it stay as they are.
  ///
  /// A view can only be replaced by one with the same columns and others behind them. If not, it is dropped before; and if others are made
  /// of it, it stays as it is, with a warning: what apps need is not to fail for it.
  func replace(_ function: JSONFunction) -> String {
    """
    DO $dflat$
    DECLARE
      definition text := $dflat_view$\(definition(function))$dflat_view$;
      rights text[]; statement text;
    BEGIN
      EXECUTE 'CREATE OR REPLACE ' || definition;
    EXCEPTION WHEN invalid_table_definition THEN
      SELECT array_agg(format('GRANT %s ON %s TO %s%s', privilege_type, oid::regclass,
        CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
        CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END))
      INTO rights FROM pg_class, aclexplode(relacl)
      WHERE oid = \(PostgresName.literal(quotedName))::regclass AND grantee <> relowner;
      BEGIN
        DROP VIEW \(quotedName);
        EXECUTE 'CREATE ' || definition;
        FOREACH statement IN ARRAY COALESCE(rights, '{}') LOOP EXECUTE statement; END LOOP;
      EXCEPTION WHEN dependent_objects_still_exist THEN
        RAISE WARNING 'the view % stays as it was: other objects of the database are made of it', \(PostgresName.literal(name));
      END;
    END $dflat$;
    """
  }
}
