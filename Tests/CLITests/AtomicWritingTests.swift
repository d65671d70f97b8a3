import Foundation
import TestSupport
import Testing

/// Whatever happens while outputs are written, each file is old or new, and never half of one.
@Suite("dflatc compile writes whole files")
struct AtomicWritingTests {
  private static let stems = (0..<12).map { "file\($0)" }

  /// Schemas whose outputs differ from generation to generation.
  private func writeSchemas(_ generation: Int, in folder: URL) throws {
    for stem in Self.stems {
      let fields = (0..<40).map { "g\(generation)_\($0): string;" }.joined(separator: " ")
      try folder.write("table T_\(stem) { id: int (primary); \(fields) }\nroot_type T_\(stem);\n", to: "\(stem).fbs")
    }
  }

  private var arguments: [String] { ["compile", "-o", "out"] + Self.stems.map { "\($0).fbs" } }

  private func contents(of folder: URL) throws -> [String: String] {
    var contents: [String: String] = [:]
    for name in try folder.names() where !name.hasPrefix(".") {
      contents[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    return contents
  }

  private func compile(_ generation: Int, in folder: URL) throws -> [String: String] {
    try writeSchemas(generation, in: folder)
    let result = try run(productsFolder.appending(path: "dflatc"), arguments, in: folder)
    #expect(result.status == 0, "\(result.error)")
    return try contents(of: folder.appending(path: "out"))
  }

  @Test(
    "A disk that is full leaves what was there, and says so",
    arguments: ["trap '' XFSZ;", ""])
  func aFullDisk(trap: String) throws {
    try withFolder { folder in
      let out = folder.appending(path: "out")
      let old = try compile(1, in: folder)
      try writeSchemas(2, in: folder)
      // One more file, larger than a process may write: with the signal ignored it gets an error, or else is killed.
      let fields = (0..<3000).map { "f\($0): string;" }.joined(separator: " ")
      try folder.write("table Large { id: int (primary); \(fields) }\nroot_type Large;\n", to: "large.fbs")
      let command = "\(trap) ulimit -f 400; exec \"$0\" \"$@\""
      let result = try run(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", command, productsFolder.appending(path: "dflatc").path] + arguments + ["large.fbs"], in: folder)
      if trap.isEmpty {
        #expect(result.status != 0)
      } else {
        #expect(result.status == 3)
        #expect(result.error.contains("cannot write out/large"), "\(result.error)")
        #expect(try out.names().allSatisfy { !$0.hasPrefix(".") })
      }
      #expect(try contents(of: out) == old)
      // What was left is gone after the next run.
      _ = try compile(2, in: folder)
      #expect(try out.names().allSatisfy { !$0.hasPrefix(".") })
    }
  }

  @Test("Where one file cannot be replaced, none is")
  func irreplaceable() throws {
    try withFolder { folder in
      let out = folder.appending(path: "out")
      var old = try compile(1, in: folder)
      // Where the last file goes, there is a folder that is not empty.
      let name = "file11_query_generated.swift"
      try FileManager.default.removeItem(at: out.appending(path: name))
      try FileManager.default.createDirectory(at: out.appending(path: name), withIntermediateDirectories: true)
      try out.appending(path: name).write("x", to: "x")
      // And one of the first is new, not replaced.
      try FileManager.default.removeItem(at: out.appending(path: "file0_generated.swift"))
      old[name] = nil
      old["file0_generated.swift"] = nil
      try writeSchemas(2, in: folder)
      let result = try run(productsFolder.appending(path: "dflatc"), arguments, in: folder)
      #expect(result.status == 3)
      #expect(result.error.contains("cannot write out/\(name)"), "\(result.error)")
      try FileManager.default.removeItem(at: out.appending(path: name))
      #expect(try contents(of: out) == old)
      #expect(try out.names().allSatisfy { !$0.hasPrefix(".") })
    }
  }

  @Test("Files that a killed process has left are removed, even when there is nothing to write")
  func abandoned() throws {
    try withFolder { folder in
      let out = folder.appending(path: "out")
      let generation = try compile(1, in: folder)
      let killed = try runTool("sh", ["-c", "echo $$"])
      let number = try #require(Int(String(decoding: killed, as: UTF8.self).dropLast()))
      try out.write("half of it", to: ".dflatc-\(number)-left")
      #expect(try compile(1, in: folder) == generation)
      #expect(try out.names().allSatisfy { !$0.hasPrefix(".") })
    }
  }

  @Test("A file that a killed process has left is removed when a link to the file beside it is written")
  func abandonedBehindLink() throws {
    try withFolder { folder in
      try folder.write("table A{x:int;}\n", to: "shared/a.fbs")
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: "a.fbs").path, withDestinationPath: "shared/a.fbs")
      let killed = try runTool("sh", ["-c", "echo $$"])
      let number = try #require(Int(String(decoding: killed, as: UTF8.self).dropLast()))
      try folder.write("half of it", to: "shared/.dflatc-\(number)-left")
      let result = try run(productsFolder.appending(path: "dflatc"), ["format", "a.fbs"], in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(try folder.appending(path: "shared").names() == ["a.fbs"])
    }
  }

  @Test("A process that is killed leaves each file whole, in its old or new version")
  func killed() throws {
    try withFolder { folder in
      let out = folder.appending(path: "out")
      let start = Date()
      let generations = [try compile(1, in: folder), try compile(2, in: folder)]
      let duration = Date().timeIntervalSince(start) / 2
      for round in 0..<30 {
        try writeSchemas(round % 2 + 1, in: folder)
        // Later rather than sooner: files are written at the end.
        let delay = duration * Double.random(in: 0.3...1.1)
        let script = "\"$0\" \"$@\" & child=$!; sleep \(delay); kill -9 $child; wait $child"
        _ = try run(
          URL(fileURLWithPath: "/bin/sh"), ["-c", script, productsFolder.appending(path: "dflatc").path] + arguments,
          in: folder)
        for (name, text) in try contents(of: out) {
          #expect(generations.contains { $0[name] == text }, "\(name) in round \(round)")
        }
        #expect(try contents(of: out).count == generations[0].count)
      }
      #expect(try compile(1, in: folder) == generations[0])
      #expect(try out.names().allSatisfy { !$0.hasPrefix(".") })
    }
  }

  @Test("Runs side by side that write one folder leave each other's files alone")
  func runsSideBySideLeaveEachOtherAlone() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "dflat-cli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try writeSchemas(1, in: folder)
    for generation in 0..<3 {
      try writeSchemas(generation, in: folder)
      try await withThrowingTaskGroup(of: ProcessResult.self) { group in
        for stem in Self.stems {
          group.addTask { try dflatc("compile", "-o", "out", "\(stem).fbs", in: folder) }
        }
        for try await result in group { #expect(result.status == 0, "\(result.error)") }
      }
    }
    let names = try folder.appending(path: "out").names()
    #expect(names.count == Self.stems.count * 4)
    #expect(names.allSatisfy { !$0.hasPrefix(".") })
  }
}
