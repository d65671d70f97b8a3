import Foundation
import RawSQLite

/// `dflatc compile` of a generated schema, beside `flatc --swift` of the same.
struct CompilerBenchmark {
  let compiler: String
  let folder: URL
  let rounds: Int

  func run() throws {
    print("compiler, to Swift: tables of 10 fields (the four default emitters; flatc writes accessors alone)")
    for tables in [1_000, 10_000, 50_000] {
      try compare("\(tables) tables", GeneratedSchema.tables(tables, fields: 10), toSwift: true)
    }
    print("compiler, to a binary schema")
    for tables in [10_000, 30_000, 100_000] {
      try compare("\(tables) tables", GeneratedSchema.tables(tables, fields: 10), toSwift: false)
    }
    try compare("one table of 30,000 fields", GeneratedSchema.tables(1, fields: 30_000), toSwift: false)
    try compare("a chain of 1,000 includes", GeneratedSchema.includes(1_000), toSwift: false)
  }

  /// Compiles a schema, which is the first of `files`, with both compilers in turn.
  private func compare(_ name: String, _ files: [(name: String, text: String)], toSwift: Bool) throws {
    let sources = folder.appending(path: "schemas-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    for file in files {
      try Data(file.text.utf8).write(to: sources.appending(path: file.name))
    }
    let schema = sources.appending(path: files[0].name).path
    let outputs = ["dflatc", "flatc"].map { sources.appending(path: $0).path }
    let ours = ["compile", "-o", outputs[0]] + (toSwift ? [] : ["--emit", "bfbs"]) + [schema]
    let theirs = ["flatc"] + (toSwift ? ["--swift"] : ["-b", "--schema"]) + ["-o", outputs[1], schema]
    var timings = Timings()
    for _ in 0..<rounds {
      try timings.measure("dflatc") { try launch(compiler, ours) }
      try timings.measure("flatc") { try launch("/usr/bin/env", theirs) }
    }
    print(" \(name)")
    timings.report("dflatc", to: "flatc")
    let memory = try [peak(of: compiler, ours), peak(of: "/usr/bin/env", theirs)]
    print("  peak resident size: dflatc \(memory[0]), flatc \(memory[1])")
  }

  private func peak(of path: String, _ arguments: [String]) throws -> String {
    if let peak = try peakMemory(of: path, arguments) { return "\(peak / 1_048_576) MB" }
    try launch(path, arguments)
    return "at most \(raw_peak_child_memory() / 1_048_576) MB (any child so far)"
  }
}

/// Why a benchmark cannot go on.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
}

/// Schemas of any size, for measuring.
enum GeneratedSchema {
  /// A schema of `count` tables with `fields` fields each, of the types that schemas are mostly made of. The last table is
  /// the root.
  static func tables(_ count: Int, fields: Int) -> [(name: String, text: String)] {
    let types = ["int", "string", "bool", "double", "[string]", "Kind", "ulong", "[int]", "float", "short"]
    var text = "attribute \"primary\";\nenum Kind: byte { First, Second, Third }\n\n"
    for table in 0..<count {
      text += "/// Table number \(table).\ntable Table\(table) {\n"
      if table == count - 1 {
        text += "  identifier: string (primary);\n"
      }
      for field in 0..<fields {
        text += "  field_\(field): \(types[field % types.count]);\n"
      }
      text += "}\n\n"
    }
    return [("generated.fbs", text + "root_type Table\(count - 1);\n")]
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
