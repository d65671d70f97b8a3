import Foundation

/// How much code `dflatc compile` makes of a schema with a store, and how long the Swift compiler takes for it.
struct GeneratedCodeBenchmark {
  private let compiler: String
  private let folder: URL
  private let rounds: Int
  private let reporter: Reporter

  private static let fields = 1_000
  /// The emitters after the accessors, as they stand in the names of files.
  private static let later = ["data_model", "mutating", "query"]

  init(_ measurement: Measurement) {
    compiler = measurement.compiler
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
  }

  func run() throws {
    try measure(
      "100 tables, structs and unions, with a store",
      [("store.fbs", GeneratedSchema.store(fields: Self.fields))], in: folder.appending(path: "generated-code"),
      reach: (lines: 12_000, optimized: 13, unoptimized: 4.5))
    try measure(
      "50 root tables", GeneratedSchema.roots(50, fields: Self.fields / 50),
      in: folder.appending(path: "generated-roots"), reach: (lines: 24_400, optimized: nil, unoptimized: nil))
  }

  /// What the four emitters may come to: lines, and seconds with and without optimization.
  private typealias Reach = (lines: Double?, optimized: Double?, unoptimized: Double?)

  private func measure(
    _ name: String, _ schemas: [(name: String, text: String)], in sources: URL, reach: Reach
  ) throws {
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    for schema in schemas { try Data(schema.text.utf8).write(to: sources.appending(path: schema.name)) }
    try launch(compiler, ["compile", "-o", "."] + schemas.map(\.name), in: sources)
    let files = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
      .sorted()
    reporter.print("generated code of the four default emitters, for \(Self.fields) fields of \(name)")
    let accessors = files.filter { file in !Self.later.contains { file.hasSuffix($0 + "_generated.swift") } }
    let models = files.filter { $0.hasSuffix("_data_model_generated.swift") }
    let groups =
      [("accessors", accessors)]
      + Self.later.map { emitter in (emitter, files.filter { $0.hasSuffix(emitter + "_generated.swift") }) }
    var total = 0
    for (emitter, files) in groups {
      let lines = try files.reduce(0) { sum, file in
        try sum + Data(contentsOf: sources.appending(path: file)).count { $0 == UInt8(ascii: "\n") }
      }
      total += lines
      try reporter.add(ReportRow(.generated, "\(name): \(emitter)", .lines, [Double(lines)]))
    }
    var all = ReportRow(.generated, "\(name): all four", .lines, [Double(total)])
    all.reach = reach.lines
    try reporter.add(all)
    // What the Swift compiler takes for anything at all.
    try Data("import Dflat\nimport FlatBuffersCore\nimport SQLiteDflat\n".utf8)
      .write(to: sources.appending(path: "empty.swift"))
    // Each emitter's code needs that of those before it.
    let steps = [("accessors", accessors), ("and data model", accessors + models), ("all four", files)]
      .map { (name: $0.0, files: $0.1) }
    for optimization in ["-O", "-Onone"] {
      // As the package manager and Xcode compile a module.
      let options = [optimization, optimization == "-O" ? "-whole-module-optimization" : "-enable-batch-mode"]
      var timings = Timings(.generated)
      for _ in 0..<min(rounds, 3) {
        try timings.measure("nothing") { try swiftc(options, ["empty.swift"], in: sources) }
        for step in steps {
          try timings.measure(step.name) { try swiftc(options, step.files, in: sources) }
        }
      }
      let nothing = timings.median("nothing")
      for step in steps {
        // Per 1,000 fields.
        let seconds = timings.series(step.name).map { ($0 - nothing) * 1_000 / Double(Self.fields) }
        var row = ReportRow(.generated, "\(name): swiftc \(optimization), \(step.name)", .seconds, seconds)
        if step.name == steps.last?.name { row.reach = optimization == "-O" ? reach.optimized : reach.unoptimized }
        row.note = "per 1,000 fields, without \(ReportRow.Unit.seconds.text(nothing)) for imports alone"
        try reporter.add(row)
      }
    }
  }

  private func swiftc(_ options: [String], _ files: [String], in folder: URL) throws {
    try removeObjects(in: folder)
    // The modules that this program was built with stand beside it.
    let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let sqlite = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "../../../../../Sources/CSQLite")
    try launch(
      "/usr/bin/env",
      ["swiftc"] + options + [
        "-swift-version", "6", "-parse-as-library", "-module-name", "Generated", "-c", "-I",
        products.appending(path: "Modules").path, "-I", sqlite.standardizedFileURL.path,
      ] + files, in: folder)
  }

  /// Has the next compilation begin from nothing. Where the compiler finds an object file that it made of the same LLVM IR, it keeps
  /// that and makes no machine code.
  private func removeObjects(in folder: URL) throws {
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasSuffix(".o") {
      try FileManager.default.removeItem(at: folder.appending(path: file))
    }
  }

  private func launch(_ path: String, _ arguments: [String], in folder: URL) throws {
    let process = Process()
    // The working folder is another than that of this program.
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError(description: "\(path) \(arguments.joined(separator: " ")) failed")
    }
  }
}

extension GeneratedSchema {
  /// The types that fields have in turn.
  private static let fieldTypes = [
    "int", "string", "bool = true", "double = null", "[string]", "Kind", "Part", "Point", "[Point]", "Either",
  ]
  /// What these refer to.
  private static let heldTypes = """
    enum Kind: byte { First, Second, Third }
    struct Point { x: float; y: float; z: float; }
    table Part { name: string; size: int; parts: [int]; }
    union Either { Part, Point }

    """

  /// Schemas of a root table each, which share the types that they hold.
  static func roots(_ count: Int, fields: Int) -> [(name: String, text: String)] {
    let roots = (0..<count).map { number in
      var text = "include \"held.fbs\";\nattribute \"primary\"; attribute \"indexed\";\ntable Root\(number) {\n"
      text += "  identifier: string (primary);\n  number: int (indexed);\n"
      for field in 0..<(fields - 2) { text += "  field_\(field): \(fieldTypes[field % fieldTypes.count]);\n" }
      return (name: "root\(number).fbs", text: text + "}\nroot_type Root\(number);\n")
    }
    return [("held.fbs", heldTypes)] + roots
  }

  /// A schema that a store can hold, of about `fields` fields in tables, structs and unions of ten or fewer: with enums,
  /// unions, structs, vectors, optional numbers and indexes.
  static func store(fields: Int) -> String {
    let types = fieldTypes
    var text = "attribute \"primary\"; attribute \"indexed\";\n" + heldTypes
    let key = "  identifier: string (primary);\n  number: int (indexed);\n"
    // Those above have six fields, and the root two of its own.
    let count = max(1, (fields - 8) / types.count)
    for table in 0..<count {
      text += "table Table\(table) {\n" + (table == count - 1 ? key : "")
      for (number, type) in types.enumerated() { text += "  field_\(number): \(type);\n" }
      text += "}\n"
    }
    return text + "root_type Table\(count - 1);\n"
  }
}
