import ArgumentParser
import FBSDiagnostics
import FBSSchema
import PostgresLayout

/// `dflatc sql`: writes the SQL that sets up a database server for the objects of a schema.
struct SQL: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql",
    abstract: "Write the SQL that makes the tables and indexes of a schema in PostgreSQL.",
    usage: "dflatc sql --postgres [--from OLD]... [<options>] FILE...",
    discussion: """
      An app makes its tables itself where its role may create them. Where it may not, an administrator runs what this command \
      writes, and the app's role needs only the right to read and write rows:

        dflatc sql --postgres --app-role app post.fbs | psql -v ON_ERROR_STOP=1 app

      It makes what the app would make: for each root type a table, its indexes and their functions, the table of a \
      workspace's dictionary, and the table `dflat_outcome`, by which a lost answer to COMMIT is settled. It may be run again, \
      and while apps use the database: what is there stays, and indexes are built CONCURRENTLY. One that an interrupted run has \
      left incomplete is built anew. A table of that name with other columns is an error, and left alone.

      With --from, only what a new version of the schema needs is written; run it before the new version of the app. What only \
      the old version uses is named in comments, to be dropped once no app of that version runs.

      With --views, each type has a view too: `post_view` with a column for each field, for psql, BI tools and programs that know \
      no FlatBuffers. The roles of --reader-role get the right to read them.

      The schema of the database is `public`, or that of --schema. It must be the one that PostgresOptions.schema of the app \
      names, or else the first of the role's search_path that exists.

      EXAMPLES
        dflatc sql --postgres post.fbs > setup.sql
        dflatc sql --postgres --schema tenant_a --app-role app --observe Schemas/*.fbs > setup.sql
        dflatc sql --postgres --from released/post.fbs --app-role app Schemas/post.fbs > upgrade.sql
        dflatc sql --postgres --views --reader-role reports post.fbs > setup.sql

      Exit codes: 0 done, 1 a schema is wrong, has no type that is stored, or changes a primary key, 2 wrong usage, 3 a file \
      cannot be read.
      """)

  @Flag(name: .long, help: "Write for PostgreSQL. A SQLite store needs nothing: it makes its tables itself.")
  var postgres = false

  @Option(
    name: .long, parsing: .singleValue,
    help: ArgumentHelp(
      "A schema, or a folder of them, of the version that the database is set up for. May be given several times.",
      valueName: "old"), completion: .schemas)
  var from: [String] = []

  @Option(name: .long, help: ArgumentHelp("The schema of the database in which all is made.", valueName: "name"))
  var schema = "public"

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The role of the app, which gets the rights to use what is made. It must exist.", valueName: "name"))
  var appRole: String?

  @Flag(
    name: .long,
    help: """
      Publish the tables, so that subscribers hear of other processes. The role of --app-role gets REPLICATION, which only a \
      superuser can give.
      """)
  var observe = false

  @Flag(name: .long, help: "Make or replace a view of each type, with a column for each field.")
  var views = false

  @Option(
    name: .long, parsing: .singleValue,
    help: ArgumentHelp(
      "A role that gets the right to read the views, and no other. May be given several times.", valueName: "name"))
  var readerRole: [String] = []

  @Option(
    name: [.customShort("I", allowingJoined: true), .customLong("include")],
    help: "A folder to search for included schemas, after the including file's own. May be given several times.",
    completion: .directory)
  var includePaths: [String] = []

  @Argument(help: "The schemas (.fbs or .bfbs), or folders of them.", completion: .schemas)
  var paths: [String]

  func validate() throws {
    guard postgres else {
      throw ValidationError(
        "Say for which database: dflatc sql --postgres \(paths.joined(separator: " ")). SQLite needs no SQL of yours.")
    }
    if !readerRole.isEmpty, !views { throw ValidationError("--reader-role is about the views: say --views, too.") }
    let readers = readerRole.map { ("--reader-role", $0) }
    for (option, name) in [("--schema", schema), ("--app-role", appRole ?? "app")] + readers {
      guard !name.isEmpty, name.utf8.count <= 63, !name.utf8.contains(where: { $0 < 0x20 }) else {
        throw ValidationError("\(option) takes a name of 1 to 63 bytes without control characters.")
      }
    }
  }

  func run() throws {
    let compiled = try compile(paths)
    let tables = PostgresTables.all(in: compiled)
    let oldSchema = from.isEmpty ? nil : try compile(from)
    let old = oldSchema.map { PostgresTables.all(in: $0) }
    var script = SetupScript(schema: schema)
    script.role = appRole
    script.observes = observe
    script.views = views ? PostgresViews.all(in: compiled) : []
    script.readers = readerRole
    var parts: [SetupScript.Part]
    if let old, let oldSchema {
      try checkKeys(of: compiled, comparedWith: oldSchema)
      parts = tables.map { part(of: $0, comparedWith: old) }.filter { !$0.isEmpty }
      // The database has this part since it was set up.
      script.makesOutcomes = false
    } else {
      parts = ([PostgresTable.dictionary] + tables).map { SetupScript.Part($0) }
    }
    var text = "-- Written by dflatc. It may be run again, with: psql -v ON_ERROR_STOP=1 -f THIS_FILE\n"
    if parts.isEmpty, script.views.isEmpty {
      text += "-- The new version needs nothing that the old one has not.\n"
    } else {
      text += script.text(parts)
    }
    if let old { text += unused(old, by: tables) }
    Terminal.write(text)
  }

  /// Ends the command if the primary key of a table has other fields than in the old version, or has them in another
  /// order or with other types.
  private func checkKeys(of schema: Schema, comparedWith old: Schema) throws {
    let before = PostgresTables.keys(in: old)
    for (name, key) in PostgresTables.keys(in: schema).sorted(by: { $0.key < $1.key }) {
      guard let oldKey = before[name], oldKey != key else { continue }
      Terminal.printError(
        """
        error: the primary key of the table \(name) is another one than in the old version: its rows cannot stay. \
        Give the table another version, as in `(v: "2")`. `dflatc check` tells more.
        """)
      throw ExitStatus.wrongSchema.exitCode
    }
  }

  /// Returns the part of a table's setup that the old version lacks.
  private func part(of table: PostgresTable, comparedWith old: [PostgresTable]) -> SetupScript.Part {
    guard let before = old.first(where: { $0.name == table.name }) else { return SetupScript.Part(table) }
    let known = Set(before.indexes.map(\.name))
    return SetupScript.Part(table, makesTable: false, indexes: table.indexes.filter { !known.contains($0.name) })
  }

  /// Returns comments that name the tables and indexes that only the old version uses. The names are qualified: whoever
  /// runs a statement of the comments may have another search path, in which another schema has indexes of these names.
  private func unused(_ old: [PostgresTable], by new: [PostgresTable]) -> String {
    func qualified(_ name: String) -> String { PostgresName.qualified(name, in: schema) }
    var lines: [String] = []
    for table in old {
      guard let now = new.first(where: { $0.name == table.name }) else {
        lines.append("--   the table \(qualified(table.name)), with its objects")
        continue
      }
      let kept = Set(now.indexes.map(\.name))
      for index in table.indexes where !kept.contains(index.name) {
        lines.append("--   DROP INDEX CONCURRENTLY \(qualified(index.name));")
      }
    }
    guard !lines.isEmpty else { return "" }
    return "\n-- Only the old version uses these. Drop them when no app of that version runs:\n"
      + lines.joined(separator: "\n") + "\n"
  }

  /// Compiles schemas that have types to store. Shows their errors, and ends the command if there are any.
  private func compile(_ paths: [String]) throws -> Schema {
    let files: [String]
    let configurations = Configurations()
    do throws(InputError) {
      files = try SchemaPaths.files(paths, excluding: [], configurations)
    } catch {
      Terminal.printError("error: \(error.message)")
      throw ExitStatus.inputOutput.exitCode
    }
    let folders = IncludeFolders(for: files, configurations, after: includePaths)
    try configurations.throwMistakes(.text)
    let compilation = SchemaCompiler.compile(
      inputs: files, includePaths: folders.common, provider: InputFileSystem().including(from: folders))
    for input in compilation.unreadableInputs {
      Terminal.printError("error: cannot read \(input.path): \(input.error.description)")
    }
    guard compilation.unreadableInputs.isEmpty else { throw ExitStatus.inputOutput.exitCode }
    var found = compilation.diagnostics
    found += StoreValidator.validate(
      schema: compilation.schema, files: compilation.schema.files.filter(\.isInput).map(\.id), knowing: found)
    // Warnings are left to the command that compiles the schema.
    found = found.filter { $0.severity == .error }
    guard found.isEmpty else {
      ReportFormat.text.show(found, in: compilation.sources, all: false)
      throw ExitStatus.wrongSchema.exitCode
    }
    guard !PostgresTables.roots(of: compilation.schema).isEmpty else {
      Terminal.printError(
        """
        error: no type of \(paths.joined(separator: ", ")) is stored: a file names one by `root_type`, and a field of it is \
        `(primary)`.
        """)
      throw ExitStatus.wrongSchema.exitCode
    }
    return compilation.schema
  }
}
