import FBSDiagnostics
import ArgumentParser
import FBSParser
import FBSSchema
import FlatBuffersJSON
import Foundation
import StoreInspection

/// `dflatc inspect`: shows what the file or database of a store holds.
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show what is in a store: a file, or a database of PostgreSQL.",
    discussion: """
      Without TYPE, it shows the types with their counts, sizes and indexes, the dictionary, and what the file holds that the \
      schema does not know. With TYPE, a root table of the schema or `dictionary`, it lists the objects. The file is only \
      read, and an app may use it meanwhile.

      A database is named by its URI, postgresql://..., and read with the program psql, which must be in PATH and knows how to \
      log in. --where and --order are evaluated here: the rows of the type come over the network.

      An index is complete, behind (the app is filling it), not built (as none was needed yet), or unverified, as Dflat 0.6 \
      leaves them: the runtime verifies such an index before it uses it.

      --where takes a condition: fields are compared with = != < <= > >= and in, asked for with is null and is not null, \
      and joined by and, or and not. Dots lead into tables and structs, and into a union by its member's name. A field with \
      the name of one of these words stands in backticks. As in queries, what is compared with null is neither true nor false. A \
      date, duration or decimal number of the schema is compared with a text, such as '2026-11-28', '90 min' or '19.99', or \
      with the number that is stored.

      Texts: has prefix 'a', has suffix 'a', contains 'a', is empty, and behind the name .length, .folded (without case and \
      accents) and .foldedCase. Vectors: contains 'a', contains any ('a', 'b'), is empty, and .count behind the name. Elements take \
      a condition on their fields in parentheses: remarks contains (stars > 4); the element itself is called it.

      EXAMPLES
        dflatc inspect app.sqlite3 --schema post.fbs
        dflatc inspect app.sqlite3 --schema post.fbs Post --where "priority > 3 and color in (Red, Blue)"
        dflatc inspect app.sqlite3 --schema post.fbs Post --where "content.TextContent.text != ''" --format jsonl
        dflatc inspect app.sqlite3 --schema post.fbs Post --where "created >= '2026-11-28'"
        dflatc inspect app.sqlite3 --schema post.fbs Post --where "title.folded has prefix 'cafe' and tags contains 'swift'"
        dflatc inspect app.sqlite3 --schema post.fbs Post --where "remarks contains (stars > 4 and author is not null)"
        dflatc inspect app.sqlite3 --schema post.fbs Post --where '`in` > 3 and `not` is null'
        dflatc inspect app.sqlite3 --schema post.fbs Post --order "priority desc" --limit 10
        dflatc inspect app.sqlite3 --schema post.fbs dictionary --format csv
        dflatc inspect app.sqlite3 --schema post.fbs --verify
        dflatc inspect postgresql://app@db.example.com/app --schema post.fbs Post --limit 10

      Exit codes: 0 done, 1 the file is damaged or no store, or the schema or the condition is wrong, 2 wrong usage, 3 the \
      file cannot be read.
      """)

  /// The format in which objects are shown.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json, jsonl, csv
  }

  @OptionGroup var schema: SchemaArguments

  @Option(
    name: .customLong("where"), help: ArgumentHelp("Only objects that satisfy this condition.", valueName: "condition"))
  var condition: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Sort by this field: \"priority\", or \"priority desc\" for the largest first.", valueName: "field"))
  var order: String?

  @Option(name: .long, help: ArgumentHelp("Show no more objects than this.", valueName: "count"))
  var limit: Int?

  @Option(name: .long, help: "table for people; json, jsonl (an object a line) or csv for programs.")
  var format: Format = .table

  @Flag(
    name: .long,
    help: "In json, jsonl and csv: dates, durations and decimal numbers as people write them, as in a table.")
  var showValues = false

  @Flag(
    name: .long,
    help: "Check every row: its bytes, its keys, and its entries in indexes. Exit with 1 if there is a fault.")
  var verify = false

  @Argument(help: "The file of the store, or the URI of its database.", completion: .file())
  var file: String

  @Argument(help: "The type whose objects to show, or `dictionary`.")
  var type: String?

  func validate() throws {
    guard !schema.schemas.isEmpty else {
      throw ValidationError("Name the schema of the store: dflatc inspect \(file) --schema post.fbs")
    }
    if let limit, limit < 0 { throw ValidationError("--limit takes a number from 0 on.") }
    if verify, type != nil { throw ValidationError("--verify checks the whole file: leave '\(type ?? "")' out.") }
    for (option, value) in [("--where", condition), ("--order", order)] where value != nil && type == nil {
      throw ValidationError("\(option) is about the objects of a type: name it.")
    }
    if type == nil, format != .table || limit != nil {
      throw ValidationError("--format and --limit are about the objects of a type: name it.")
    }
  }

  func run() throws {
    let compiled = try schema.compile(and: [], .text).compilation.schema
    let outcome: Result<Void, any Error>
    do throws(InspectionError) {
      let inspector: any StoreReader =
        isDatabase ? try ServerInspector(file, compiled) : try StoreInspector(file, compiled)
      for note in inspector.notes { Terminal.printError("note: \(file): \(note)") }
      let result = try inspect(inspector, compiled)
      // All that is left of a truncated file may be undamaged. It is damage all the same.
      outcome = inspector.isCutOff ? result.flatMap { .failure(ExitStatus.wrongSchema.exitCode) } : result
    } catch {
      Terminal.printError("error: cannot read \(shownName): \(error)")
      throw (error.isDamage ? ExitStatus.wrongSchema : .inputOutput).exitCode
    }
    try outcome.get()
  }

  private var isDatabase: Bool { file.hasPrefix("postgresql://") || file.hasPrefix("postgres://") }

  /// The name of the store for messages, without user and password: messages may be kept.
  private var shownName: String {
    guard isDatabase else { return file }
    let scheme = file.prefix { $0 != "/" } + "//"
    let rest = file.dropFirst(scheme.count).prefix { $0 != "?" }
    return scheme + String(rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest)
  }

  /// Shows what the arguments ask for.
  /// - Returns: the exit code to end with, if the store was read.
  private func inspect(
    _ inspector: any StoreReader, _ schema: Schema
  ) throws(InspectionError) -> Result<Void, any Error> {
    if verify { return try verify(inspector) }
    guard let type else {
      let overview = try inspector.overview()
      Terminal.writeText(OverviewText.text(overview))
      for failure in overview.failures { Terminal.printError("error: \(failure.table): \(failure.error)") }
      return overview.failures.isEmpty ? .success(()) : .failure(ExitStatus.wrongSchema.exitCode)
    }
    let stored: StoredType
    if type == "dictionary", schema.table(called: type) == nil {
      stored = inspector.dictionary
    } else {
      guard let table = schema.table(called: type) else {
        return .failure(ValidationError(schema.missingTable(type)))
      }
      guard let found = inspector.types.first(where: { $0.table == table }) else {
        return .failure(ValidationError("'\(type)' has no primary key, so that no store holds it by itself."))
      }
      stored = found
    }
    return try list(stored, inspector)
  }

  private func list(_ type: StoredType, _ inspector: any StoreReader) throws(InspectionError) -> Result<Void, any Error>
  {
    let reader = FilterReader(type.table, inspector.layouts(of: type))
    var sources = SourceMap()
    var filter: Filter?
    var mistakes: [Diagnostic] = []
    if let condition {
      let source = sources.add(path: "--where", bytes: Array(condition.utf8))
      let (found, mistake) = reader.filter(sources[source])
      filter = found
      if let mistake { mistakes.append(mistake) }
    }
    var ordering: (path: FieldPath, isDescending: Bool)?
    if let order {
      let source = sources.add(path: "--order", bytes: Array(order.utf8))
      var words = order.split(separator: " ")
      // A word by itself is a field, whatever its name is.
      let direction = words.count > 1 ? words.last?.lowercased() : nil
      let isDescending = direction == "desc"
      if isDescending || direction == "asc" { words.removeLast() }
      let names = words.joined(separator: " ").split(separator: ".", omittingEmptySubsequences: false).map { name in
        let isQuoted = name.count > 2 && name.hasPrefix("`") && name.hasSuffix("`")
        return String(isQuoted ? name.dropFirst().dropLast() : name)
      }
      let (path, mistake) = reader.path(names, in: sources[source])
      ordering = path.map { ($0, isDescending) }
      if let mistake { mistakes.append(mistake) }
    }
    guard mistakes.isEmpty else {
      ReportFormat.text.show(mistakes, in: sources, all: true)
      return .failure(ExitStatus.wrongSchema.exitCode)
    }
    var writer = ObjectListWriter(
      format: format, showsValues: showValues || format == .table, layout: inspector.layouts(of: type)[type.table])
    var isDamaged = false
    do throws(InspectionError) {
      try inspector.forEach(type, where: filter, order: ordering, limit: limit) { row in
        switch row {
        case .object(let object, let number):
          do throws(BufferFault) {
            try writer.add(object)
          } catch {
            isDamaged = true
            Terminal.printError("error: \(type.sqlName), row \(number) cannot be shown: \(error)")
          }
        case .damaged(let fault, let number):
          isDamaged = true
          Terminal.printError("error: \(type.sqlName), row \(number) is damaged: \(fault)")
        }
        return true
      }
    } catch {
      // The objects that were read before the damage are shown.
      writer.finish()
      throw error
    }
    writer.finish()
    return isDamaged ? .failure(ExitStatus.wrongSchema.exitCode) : .success(())
  }

  private func verify(_ inspector: any StoreReader) throws(InspectionError) -> Result<Void, any Error> {
    let bar = ProgressBar()
    var faults = 0
    try inspector.verify(progress: { bar.show($0.done, of: $0.total) }) { fault in
      bar.clear()
      if fault.isFault { faults += 1 }
      Terminal.print((fault.isFault ? "fault: " : "note: ") + fault.description)
    }
    bar.clear()
    Terminal.print(faults == 0 ? "no faults" : "\(faults) fault\(faults == 1 ? "" : "s")")
    return faults == 0 ? .success(()) : .failure(ExitStatus.wrongSchema.exitCode)
  }
}

/// A line on the terminal that shows the progress of a long job. It appears after a second, and only on terminals.
private final class ProgressBar {
  private let start = Date()
  private var shown = Date.distantPast
  private let isTerminal = isatty(STDERR_FILENO) == 1

  func show(_ done: Int64, of total: Int64) {
    let now = Date()
    guard isTerminal, now.timeIntervalSince(start) > 1, now.timeIntervalSince(shown) > 0.1, total > 0 else { return }
    shown = now
    let part = min(Int(done * 30 / total), 30)
    let bar = String(repeating: "#", count: part) + String(repeating: ".", count: 30 - part)
    write("\r[\(bar)] \(done * 100 / total) %, \(done) of \(total) rows")
  }

  func clear() {
    guard shown != .distantPast else { return }
    shown = .distantPast
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) {
    // If the terminal cannot be written to, nothing is lost.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
