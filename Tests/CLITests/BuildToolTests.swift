import Foundation
import TestSupport
import Testing

/// The recipes of Documentation/compiling.md, run by the tools that they are for.
@Suite("Make and Ninja start dflatc when there is something to do, and only then")
struct BuildToolTests {
  /// A recipe of the documentation: the code block of a language.
  private func recipe(_ language: String) throws -> String {
    let page = try String(
      contentsOf: packageFolder.appending(path: "Documentation/compiling.md"), encoding: .utf8)
    let start = try #require(page.range(of: "```\(language)\n")).upperBound
    let end = try #require(page.range(of: "\n```", range: start..<page.endIndex)).lowerBound
    return String(page[start..<end]) + "\n"
  }

  private func runs(_ tool: String, in folder: URL) throws -> Bool {
    let result = try run(
      URL(fileURLWithPath: "/usr/bin/env"), tool.split(separator: " ").map(String.init), in: folder,
      environment: ["PATH": "\(productsFolder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"])
    #expect(result.status == 0, "\(result.output) \(result.error)")
    return result.output.contains("dflatc compile")
  }

  /// Sets the time of the last change of a file, as an edit at that time does.
  private func age(_ name: String, by seconds: Double, in folder: URL) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: seconds)], ofItemAtPath: folder.appending(path: name).path)
  }

  private func follow(_ tool: String, in folder: URL) throws {
    let schema = "include \"../common/color.fbs\";\ntable A { color: Color; }\n"
    try folder.write(schema, to: "Schemas/a.fbs")
    try folder.write("enum Color: byte { Red }\n", to: "common/color.fbs")
    for name in ["Schemas/a.fbs", "common/color.fbs"] { try age(name, by: -1000, in: folder) }
    #expect(try runs(tool, in: folder), "\(tool): nothing is there yet")
    #expect(try !runs(tool, in: folder), "\(tool): nothing has changed")
    // What is saved as it was changes no output, so that this stays older than the schema.
    try age("Generated/a_generated.swift", by: -500, in: folder)
    try age("Schemas/a.fbs", by: -1, in: folder)
    try age("Generated/.stamp", by: -100, in: folder)
    #expect(try runs(tool, in: folder), "\(tool): the schema is newer")
    #expect(try !runs(tool, in: folder), "\(tool): the schema is as it was, and the output, too")
    try folder.write("enum Color: byte { Red, Green }\n", to: "common/color.fbs")
    try age("common/color.fbs", by: 1, in: folder)
    #expect(try runs(tool, in: folder), "\(tool): an include has changed")
    try age("common/color.fbs", by: -1, in: folder)
    try folder.write("table A { x: int; }\n", to: "Schemas/a.fbs")
    try age("Schemas/a.fbs", by: 1, in: folder)
    try FileManager.default.removeItem(at: folder.appending(path: "common"))
    #expect(try runs(tool, in: folder), "\(tool): an include is gone, and the schema does not need it")
  }

  @Test("Make runs dflatc by the documented recipe only when there is something to do")
  func make() throws {
    try withFolder { folder in
      try folder.write(
        try recipe("make").replacing("dflatc compile", with: "dflatc compile --emit accessors"), to: "Makefile")
      try follow("make", in: folder)
    }
  }

  /// Whether a program is in a folder of PATH.
  static func has(_ program: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
  }

  @Test(
    "Ninja runs dflatc by the documented recipe only when there is something to do",
    .enabled(if: has("ninja"), "there is no ninja: see install-tools.sh"))
  func ninja() throws {
    try withFolder { folder in
      try folder.write(
        try recipe("ninja").replacing("dflatc compile", with: "dflatc compile --emit accessors"), to: "build.ninja")
      try follow("ninja -v", in: folder)
    }
  }

  @Test("A stamp keeps its content, and a run that fails does not touch it")
  func stamp() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }\n", to: "t.fbs")
      try folder.write("mine", to: "stamps/t")
      try age("stamps/t", by: -1000, in: folder)
      func compile(_ arguments: String...) throws -> ProcessResult {
        try run(
          productsFolder.appending(path: "dflatc"),
          ["compile", "--emit", "accessors", "-o", "out", "--stamp", "stamps/t", "t.fbs"] + arguments, in: folder)
      }
      func date() throws -> Date {
        let path = folder.appending(path: "stamps/t").path
        return try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
      }
      let old = try date()
      #expect(try compile("missing.fbs").status == 3)
      #expect(try date() == old)
      #expect(try compile("--depfile", "d").status == 0)
      #expect(try date() > old)
      #expect(try String(contentsOf: folder.appending(path: "stamps/t"), encoding: .utf8) == "mine")
      #expect(try String(contentsOf: folder.appending(path: "d"), encoding: .utf8) == "stamps/t: \\\n  t.fbs\n")
      let diff = try compile("--diff")
      #expect(diff.status == 2 && diff.error.contains("it goes without --stamp"))
    }
  }
}
