/// The view of a type's table: a column for each field, for people, BI tools and other programs that cannot read
/// FlatBuffers.
///
/// A query of the view can use an index of the table if a column is the index's expression.
package struct PostgresView: Sendable {
  /// The type of a column.
  package enum ColumnKind: String, Sendable {
    case boolean, bigint, numeric, real, text, bytea, jsonb
    case double = "double precision"

    /// Creates the type of a column that shows numbers without names.
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

  /// A column of the view.
  package struct Column: Sendable {
    fileprivate enum Source: Sendable {
      /// The result of an index's function, or the UUID with those bytes.
      case index(IndexFunction, isUUID: Bool)
      /// The JSON of one field of the object, by the path to the field.
      case json(BufferLayout, path: [String], ColumnKind)
    }
    let name: String
    fileprivate let source: Source

    /// Creates a column whose values are the results of an index's function. If the index exists, a condition on the
    /// column uses it.
    ///
    /// - Parameter isUUID: whether the values are 16 bytes that are shown as a `uuid`. A condition then uses no index.
    package init(_ name: String, _ function: IndexFunction, isUUID: Bool = false) {
      self.name = PostgresName.shortened(name)
      source = .index(function, isUUID: isUUID)
    }

    /// Creates a column with the JSON of one field of the object.
    ///
    /// - Parameter path: the names of the fields that lead to that field, which is the last one.
    package init(_ name: String, _ layout: BufferLayout, at path: [String], as kind: ColumnKind) {
      self.name = PostgresName.shortened(name)
      source = .json(layout, path: path, kind)
    }
  }

  /// The view's name in the database, not quoted.
  package let name: String
  private let table: PostgresTable
  private let columns: [Column]

  package init(of table: PostgresTable, _ columns: [Column]) {
    name = PostgresName.shortened("\(table.name)_view")
    self.table = table
    self.columns = columns
  }

  /// The name, quoted for SQL.
  package var quotedName: String { PostgresName.quoted(name) }

  /// The functions of indexes that the view calls.
  package var functions: [IndexFunction] {
    columns.compactMap { if case .index(let function, _) = $0.source { function } else { nil } }
  }

  /// Returns the statement that makes the view, without its first words.
  private func definition(_ function: JSONFunction) -> String {
    var list = columns.map { "\(Self.expression($0.source, function)) AS \(PostgresName.quoted($0.name))" }
    // A field with that name takes precedence.
    if !columns.contains(where: { $0.name == "rowid" }) { list.insert("rowid", at: 0) }
    return "VIEW \(quotedName) AS SELECT\n  \(list.joined(separator: ",\n  "))\nFROM \(table.table)"
  }

  private static func expression(_ source: Column.Source, _ function: JSONFunction) -> String {
    switch source {
    case .index(let index, let isUUID):
      let value = "\(PostgresName.quoted(index.name))(p)"
      return isUUID ? "encode(\(value), 'hex')::uuid" : value
    case .json(let layout, let path, let kind):
      let steps = path.map { PostgresName.literal($0) }
      let json = function.object(by: layout)
      guard kind != .jsonb else { return json + steps.map { " -> \($0)" }.joined() }
      let text = json + steps.dropLast().map { " -> \($0)" }.joined() + " ->> \(steps.last ?? "''")"
      return kind == .text ? text : "(\(text))::\(kind.rawValue)"
    }
  }

  /// Returns the statement that makes the view, or replaces that of another version of the schema. Rights to it are
  /// kept.
  ///
  /// PostgreSQL can only replace a view by one with the same columns, followed by others. Otherwise the old view is
  /// dropped first. If other views depend on it, it stays as it is, with a warning: what apps need must not fail
  /// because of a view.
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
