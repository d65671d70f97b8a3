import Foundation

/// How much code `dflatc compile` makes of a schema with a store, and how long the Swift compiler takes for it.
struct GeneratedCodeBenchmark {
  let compiler: String
  let folder: URL
  let rounds: Int

  private static let fields = 1_000

  func run() throws {
    let sources = folder.appending(path: "generated-code")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try Data(GeneratedSchema.store(fields: Self.fields).utf8).write(to: sources.appending(path: "store.fbs"))
    try launch(compiler, ["compile", "-o", ".", "store.fbs"], in: sources)
    let files = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
      .sorted()
    print(
      "generated code of the four default emitters, for \(Self.fields) fields of 100 tables, structs and unions, with a store"
    )
    var total = 0
    for file in files {
      let lines = try Data(contentsOf: sources.appending(path: file)).count { $0 == UInt8(ascii: "\n") }
      total += lines
      print("  \(file): \(lines) lines")
    }
    print("  all: \(total) lines")
    // What the Swift compiler takes for anything at all.
    try Data("import Dflat\nimport FlatBuffersCore\nimport SQLiteDflat\n".utf8)
      .write(to: sources.appending(path: "empty.swift"))
    // Each emitter's code needs that of those before it. By names, the accessors are the last.
    let steps: [(name: String, files: [String])] = [
      ("accessors", files.filter { $0 == "store_generated.swift" }),
      ("and data model", files.filter { $0 == "store_generated.swift" || $0.contains("data_model") }),
      ("all four", files),
    ]
    for optimization in ["-O", "-Onone"] {
      let options = [optimization] + (optimization == "-O" ? ["-whole-module-optimization"] : [])
      var timings = Timings()
      for _ in 0..<min(rounds, 3) {
        try timings.measure("nothing") { try swiftc(options, ["empty.swift"], in: sources) }
        for step in steps {
          try timings.measure(step.name) { try swiftc(options, step.files, in: sources) }
        }
      }
      for step in steps {
        let seconds = (timings.median(step.name) - timings.median("nothing")) * 1_000 / Double(Self.fields)
        print(
          "  swiftc \(optimization), \(step.name): \(timings.milliseconds(step.name)) ms, for imports alone "
            + "\(timings.milliseconds("nothing")) ms: \(String(format: "%.2f", seconds)) s per 1,000 fields")
      }
    }
  }

  private func swiftc(_ options: [String], _ files: [String], in folder: URL) throws {
    // The modules that this program was built with stand beside it.
    let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let sqlite = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "../../../../Sources/CSQLite")
    try launch(
      "/usr/bin/env",
      ["swiftc"] + options + [
        "-swift-version", "6", "-parse-as-library", "-module-name", "Generated", "-c", "-I",
        products.appending(path: "Modules").path, "-I", sqlite.standardizedFileURL.path,
      ] + files, in: folder)
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
  /// A schema that a store can hold, of about `fields` fields in tables, structs and unions of ten or fewer: with enums,
  /// unions, structs, vectors, optional numbers and indexes.
  static func store(fields: Int) -> String {
    let types = [
      "int", "string", "bool = true", "double = null", "[string]", "Kind", "Part", "Point", "[Point]",
      "Either",
    ]
    var text = """
      attribute "primary"; attribute "indexed";
      enum Kind: byte { First, Second, Third }
      struct Point { x: float; y: float; z: float; }
      table Part { name: string; size: int; parts: [int]; }
      union Either { Part, Point }

      """
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
