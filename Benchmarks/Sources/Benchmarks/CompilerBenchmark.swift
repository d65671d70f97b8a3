import Foundation
import RawSQLite

/// `dflatc compile` of a generated schema, beside `flatc --swift` of the same.
struct CompilerBenchmark {
  let compiler: String
  let folder: URL
  let rounds: Int

  func run() throws {
    print("compiler: tables of 10 fields, to Swift (the four default emitters; flatc writes accessors alone)")
    for tables in [1_000, 10_000, 20_000] {
      let schema = folder.appending(path: "generated_\(tables).fbs")
      try Data(GeneratedSchema.text(tables: tables, fields: 10).utf8).write(to: schema)
      var timings = Timings()
      for _ in 0..<rounds {
        try timings.measure("dflatc") {
          try launch(compiler, ["compile", "-o", folder.appending(path: "dflatc").path, schema.path])
        }
        try timings.measure("flatc") {
          try launch("/usr/bin/env", ["flatc", "--swift", "-o", folder.appending(path: "flatc").path, schema.path])
        }
      }
      print(" \(tables) tables")
      timings.report("dflatc", to: "flatc")
      // The output folder is as it was: with everything up to date, nothing is written.
      let memory = try peakMemory(of: compiler, ["compile", "-o", folder.appending(path: "dflatc").path, schema.path])
      print("  dflatc's peak resident size: \(memory)")
    }
  }

  private func launch(_ path: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError(description: "\(path) \(arguments.joined(separator: " ")) failed")
    }
  }

  /// Runs a command under `/usr/bin/time`, which tells its peak size alone and not that of its siblings.
  private func peakMemory(of path: String, _ arguments: [String]) throws -> String {
    let time = "/usr/bin/time"
    guard FileManager.default.isExecutableFile(atPath: time) else {
      try launch(path, arguments)
      return "at most \(raw_peak_child_memory() / 1_048_576) MB (any child so far)"
    }
    let output = Pipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: time)
    process.arguments = ["-f", "%M", path] + arguments
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    guard let kilobytes = text.split(separator: "\n").last.flatMap({ Int($0) }) else { return text }
    return "\(kilobytes / 1024) MB"
  }
}

/// Why a benchmark cannot go on.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
}

/// Schemas of any size, for measuring.
enum GeneratedSchema {
  /// A schema of `tables` tables with `fields` fields each, of the types that schemas are mostly made of. The last table
  /// is the root.
  static func text(tables: Int, fields: Int) -> String {
    let types = ["int", "string", "bool", "double", "[string]", "Kind", "ulong", "[int]", "float", "short"]
    var text = "attribute \"primary\";\nattribute \"indexed\";\nenum Kind: byte { First, Second, Third }\n\n"
    for table in 0..<tables {
      text += "/// Table number \(table).\ntable Table\(table) {\n"
      if table == tables - 1 {
        text += "  identifier: string (primary);\n"
      }
      for field in 0..<fields {
        text += "  field_\(field): \(types[field % types.count]);\n"
      }
      text += "}\n\n"
    }
    return text + "root_type Table\(tables - 1);\n"
  }
}
