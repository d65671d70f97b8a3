import Foundation

/// `dflatc check` of two versions of a generated schema, beside `flatc --conform` of the same.
struct EvolutionBenchmark {
  private let compiler: String
  private let folder: URL
  private let rounds: Int
  private let reporter: Reporter
  private let extent: Extent

  init(_ measurement: Measurement) {
    compiler = measurement.compiler
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
    extent = measurement.extent
  }

  func run() throws {
    reporter.print("check of two versions: tables of 10 fields, every tenth with a field more")
    for tables in extent == .full ? [10_000, 50_000] : [10_000] { try compare(tables) }
    try checkFolder(files: 1_000)
  }

  private func compare(_ count: Int) throws {
    let place = try makeFolder()
    let old = place.appending(path: "old.fbs")
    let new = place.appending(path: "new.fbs")
    let text = GeneratedSchema.tables(count, fields: 10)[0].text
    try Data(text.utf8).write(to: old)
    try Data(appended(to: text).utf8).write(to: new)
    let flatc = try path(ofProgram: "flatc")
    var timings = Timings(.check)
    for _ in 0..<rounds {
      _ = try timings.measure("dflatc check") { try launch(compiler, ["check", old.path, new.path], isQuiet: true) }
      _ = try timings.measure("flatc --conform") {
        try launch(flatc, ["--conform", old.path, new.path])
      }
    }
    var row = ReportRow(
      .check, "\(count) tables", .seconds, timings.series("dflatc check"), besides: "flatc --conform",
      timings.series("flatc --conform"))
    row.reach = 0.5
    try reporter.add(row)
  }

  /// A field at the end of every tenth table.
  private func appended(to text: String) -> String {
    var count = 0
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line == "}" else { return String(line) }
      count += 1
      return count % 10 == 0 ? "  appended: int;\n}" : "}"
    }.joined(separator: "\n")
  }

  /// A folder of files, each with a root of its own, in one process.
  private func checkFolder(files: Int) throws {
    let place = try makeFolder()
    for side in ["old", "new"] {
      let folder = place.appending(path: side)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("namespace Common;\nenum Kind: byte { a, b }\ntable Shared { x: int; }\n".utf8)
        .write(to: folder.appending(path: "common.fbs"))
      for index in 1..<files {
        let more = side == "new" && index % 10 == 0 ? " more: string;" : ""
        let text = """
          include "common.fbs";
          table Part\(index) { name: string; number: int; shared: Common.Shared; }
          table Root\(index) { id: string (primary); kind: Common.Kind; parts: [Part\(index)];\(more) }
          root_type Root\(index);

          """
        try Data(text.utf8).write(to: folder.appending(path: "file\(index).fbs"))
      }
    }
    var timings = Timings(.check)
    for _ in 0..<rounds {
      _ = try timings.measure("folder") {
        try launch(compiler, ["check", place.path + "/old", place.path + "/new"], isQuiet: true)
      }
    }
    try reporter.add(
      ReportRow(
        .check, "a folder of \(files) files on each side, in one process", .seconds, timings.series("folder")))
  }

  private func makeFolder() throws -> URL {
    let place = folder.appending(path: "check-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    return place
  }
}
