import Foundation

/// `dflatc compile` of a generated schema, beside `flatc --swift` of the same.
struct CompilerBenchmark {
  private let compiler: String
  private let folder: URL
  private let rounds: Int
  private let reporter: Reporter
  private let extent: Extent

  /// What is compiled to.
  private enum Output {
    case swift, binarySchema
  }

  init(_ measurement: Measurement) {
    compiler = measurement.compiler
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
    extent = measurement.extent
  }

  func run() throws {
    reporter.print("compiler: tables of 10 fields (the four default emitters; flatc writes accessors alone)")
    let isFull = extent == .full
    try compare(100, .swift)
    try compare(1_000, .swift, reach: 1)
    try compare(10_000, .swift, reach: 0.8)
    if isFull { try compare(50_000, .swift, reach: 0.8) }
    try compare(10_000, .binarySchema, reach: 0.8)
    if isFull {
      try compare(30_000, .binarySchema)
      try compare(100_000, .binarySchema, reach: 0.7)
    }
    try compare("one table of 30,000 fields", GeneratedSchema.tables(1, fields: 30_000), .binarySchema, reach: 1.2)
    try compare("a chain of 1,000 includes", GeneratedSchema.includes(1_000), .binarySchema, reach: 1)
    try measureHTML(tables: 1_000)
  }

  /// Compiles a schema of so many tables, and adds what it takes to the plot.
  private func compare(_ tables: Int, _ output: Output, reach: Double? = nil) throws {
    let timings = try compare("\(tables) tables", GeneratedSchema.tables(tables, fields: 10), output, reach: reach)
    guard output == .swift else { return }
    for compiler in ["dflatc", "flatc"] {
      try reporter.add(.compile, compiler, [(Double(tables), timings.median(compiler))])
      try reporter.add(
        .compile, "\(compiler), processor time", [(Double(tables), timings.median("\(compiler) CPU"))], isDashed: true)
    }
  }

  /// Compiles a schema, which is the first of `files`, with both compilers in turn.
  @discardableResult
  private func compare(
    _ name: String, _ files: [(name: String, text: String)], _ output: Output, reach: Double?
  ) throws -> Timings {
    let sources = folder.appending(path: "schemas-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    for file in files {
      try Data(file.text.utf8).write(to: sources.appending(path: file.name))
    }
    let schema = sources.appending(path: files[0].name).path
    let outputs = ["dflatc", "flatc"].map { sources.appending(path: $0).path }
    let ours = ["compile", "-o", outputs[0]] + (output == .swift ? [] : ["--emit", "bfbs"]) + [schema]
    let flatc = try path(ofProgram: "flatc")
    let theirs = (output == .swift ? ["--swift"] : ["-b", "--schema"]) + ["-o", outputs[1], schema]
    var timings = Timings(.compiler)
    for _ in 0..<rounds {
      try measure("dflatc", compiler, ours, &timings)
      try measure("flatc", flatc, theirs, &timings)
    }
    let target = output == .swift ? "to Swift" : "to a binary schema"
    try reporter.add(row("\(name) \(target)", timings, reach: reach))
    var processor = row(
      "\(name) \(target), processor time", timings, suffix: " CPU", reach: output == .swift ? 1.2 : nil)
    if let ours = try peakMemory(of: compiler, ours), let theirs = try peakMemory(of: flatc, theirs) {
      processor.note = "at most \(ours / 1_048_576) MiB of memory, flatc \(theirs / 1_048_576)"
    }
    try reporter.add(processor)
    try FileManager.default.removeItem(at: sources)
    return timings
  }

  /// Measures the documentation of a schema for a browser, which nobody else writes.
  private func measureHTML(tables: Int) throws {
    let sources = folder.appending(path: "schemas-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let schema = sources.appending(path: "generated.fbs")
    try Data(GeneratedSchema.tables(tables, fields: 10)[0].text.utf8).write(to: schema)
    var timings = Timings(.compiler)
    for _ in 0..<rounds {
      _ = try timings.measure("html") {
        try launch(compiler, ["compile", "--emit", "html", "-o", sources.appending(path: "html").path, schema.path])
      }
    }
    var row = ReportRow(.compiler, "\(tables) tables to HTML", .seconds, timings.series("html"))
    row.reach = 2
    try reporter.add(row)
    try FileManager.default.removeItem(at: sources)
  }

  private func row(_ job: String, _ timings: Timings, suffix: String = "", reach: Double?) -> ReportRow {
    var row = ReportRow(
      .compiler, job, .seconds, timings.series("dflatc" + suffix), besides: "flatc", timings.series("flatc" + suffix))
    row.reach = reach
    return row
  }

  private func measure(_ name: String, _ path: String, _ arguments: [String], _ timings: inout Timings) throws {
    let processorTime = try timings.measure(name) { try launch(path, arguments) }
    timings.record("\(name) CPU", seconds: processorTime)
  }
}

/// Why a benchmark cannot go on.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
}

/// Schemas of any size, for measuring.
enum GeneratedSchema {
  /// A schema of `count` tables with `fields` fields each, of the types that schemas are mostly made of. The last table is
  /// the root. Names of types begin with `prefix`, for schemas that stand side by side.
  static func tables(_ count: Int, fields: Int, prefix: String = "") -> [(name: String, text: String)] {
    let types = ["int", "string", "bool", "double", "[string]", "\(prefix)Kind", "ulong", "[int]", "float", "short"]
    var text = "attribute \"primary\";\nenum \(prefix)Kind: byte { First, Second, Third }\n\n"
    for table in 0..<count {
      text += "/// Table number \(table).\ntable \(prefix)Table\(table) {\n"
      if table == count - 1 {
        text += "  identifier: string (primary);\n"
      }
      for field in 0..<fields {
        text += "  field_\(field): \(types[field % types.count]);\n"
      }
      text += "}\n\n"
    }
    return [("generated.fbs", text + "root_type \(prefix)Table\(count - 1);\n")]
  }

  /// Files that each include the next one, and hold its table.
  static func includes(_ count: Int) -> [(name: String, text: String)] {
    (0..<count).map { number in
      let isLast = number == count - 1
      let include = isLast ? "" : "include \"file\(number + 1).fbs\";\n"
      let next = isLast ? "" : " next: Table\(number + 1);"
      return ("file\(number).fbs", "\(include)table Table\(number) { value: int;\(next) }\n")
    }
  }
}
