import Foundation
import PostgresDflat
import PostgresLayout
import TestSupport

/// What `dflatc sql` does with its arguments.
func dflatcSQL(_ arguments: [String], in folder: URL? = nil) throws -> ProgramResult {
  try runProgram(dflatc, ["sql"] + arguments, in: folder)
}

/// The SQL that `dflatc sql --postgres` writes.
func setupScript(_ arguments: String..., in folder: URL? = nil) throws -> String {
  let result = try dflatcSQL(["--postgres"] + arguments, in: folder)
  guard result.isSuccess else { throw ProgramFailure(String(decoding: result.error, as: UTF8.self)) }
  return String(decoding: result.output, as: UTF8.self)
}

/// The schema of a golden case.
func fixture(_ name: String) -> String {
  URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "../../../Fixtures/\(name)/schema.fbs"
  ).standardizedFileURL.path
}

extension TestDatabase {
  /// Runs a script in psql.
  @discardableResult
  func run(_ script: String, as role: String? = nil) throws -> String {
    try server.runScript(script, in: name, as: role)
  }

  /// All that a schema of the database contains but rights: columns, constraints, indexes, functions, sequences and options of storage,
  /// a line for each, as the catalog describes them.
  func catalog(of schema: String = "public") throws -> [String] {
    let namespace = "'\(schema)'::regnamespace"
    let queries = [
      """
      SELECT 'column', c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attstorage,
        pg_get_expr(d.adbin, d.adrelid)
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relnamespace = \(namespace) AND c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0
      """,
      "SELECT 'relation', relname, relkind, relpersistence, reloptions FROM pg_class WHERE relnamespace = \(namespace)",
      """
      SELECT 'constraint', conname, conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = \(namespace)
      """,
      """
      SELECT 'index', pg_get_indexdef(indexrelid), indisunique, indisvalid, indisready, indoption FROM pg_index
      JOIN pg_class ON pg_class.oid = indexrelid WHERE relnamespace = \(namespace)
      """,
      "SELECT 'function', md5(pg_get_functiondef(oid)), proname FROM pg_proc WHERE pronamespace = \(namespace)",
      """
      SELECT 'sequence', sequencename, data_type, start_value, increment_by, max_value, cycle, cache_size FROM pg_sequences
      WHERE schemaname = '\(schema)'
      """,
    ]
    return try queries.flatMap { try sql($0).split(separator: "\n").map(String.init) }.sorted()
  }

  /// Makes a role that may do nothing but log in, and a workspace that connects as it.
  func restrictedWorkspace(
    _ role: String, _ configure: (inout PostgresOptions) -> Void = { _ in }
  ) throws -> PostgresWorkspace {
    var options = PostgresOptions(connection: server.connection(to: name, user: role))
    configure(&options)
    let workspace = PostgresWorkspace(options, errorHandler: errorHandler)
    workspace.waitForCallbacks()
    return workspace
  }
}

/// The compiler.
let dflatc = productsFolder.appendingPathComponent("dflatc").path

/// What `dflatc inspect` does with a database.
///
/// - Parameter schema: the only schema of the search path; nil for the path of the role.
func inspect(
  _ database: TestDatabase, schema: String? = nil, _ arguments: [String]
) throws -> ProgramResult {
  var uri = databaseURI(database, user: database.server.user)
  if let schema {
    // In the options of a connection, a blank within a value follows a backslash.
    let path = PostgresName.quoted(schema).replacing("\\", with: "\\\\").replacing(" ", with: "\\ ")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? path
    uri += "?options=-csearch_path%3D\(escaped)"
  }
  return try runProgram(dflatc, ["inspect", uri] + arguments, environment: environmentOfPsql)
}

/// Variables for programs that run psql: those of the machine may name another server, options or a password. An empty one counts as
/// unset.
let environmentOfPsql = [
  "PGPORT": "5432", "PGOPTIONS": "", "PGPASSWORD": "", "PGPASSFILE": "/nonexistent/pgpass", "LC_ALL": "C",
]

/// The URI of a database for a role.
func databaseURI(_ database: TestDatabase, user: String) -> String {
  let host = database.server.socketFolder.replacingOccurrences(of: "/", with: "%2F")
  return "postgresql://\(user)@\(host)/\(database.name)"
}

func inspect(_ database: TestDatabase, _ arguments: String...) throws -> ProgramResult {
  try inspect(database, arguments)
}

/// Bytes as PostgreSQL shows a `bytea`.
func hexadecimal(_ bytes: [UInt8]) -> String {
  "\\x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
