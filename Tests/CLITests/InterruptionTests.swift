import Foundation
import TestSupport
import Testing

@Suite("dflatc compile, ended from the terminal")
struct InterruptionTests {
  @Test(
    "Whenever Ctrl-C comes, nothing unfinished is left", arguments: ["INT", "TERM", "HUP"])
  func compiling(signal: String) throws {
    try withFolder { folder in
      let dflatc = productsFolder.appending(path: "dflatc").path
      let stems = (0..<6).map { "s\($0)" }
      func writeSchemas(_ generation: Int) throws {
        for stem in stems {
          let fields = (0..<40).map { "g\(generation)_\($0): string;" }.joined(separator: " ")
          try folder.write(
            "table T_\(stem) { id: int (primary); \(fields) }\nroot_type T_\(stem);\n", to: "\(stem).fbs")
        }
      }
      func contents() throws -> [String: String] {
        let out = folder.appending(path: "out")
        let names = try out.names()
        #expect(names.allSatisfy { !$0.hasPrefix(".") }, "SIG\(signal) left \(names)")
        return try Dictionary(
          uniqueKeysWithValues: names.map { ($0, try String(contentsOf: out.appending(path: $0), encoding: .utf8)) })
      }
      let arguments = ["compile", "-o", "out"] + stems.map { "\($0).fbs" }
      var generations: [[String: String]] = []
      var durations: [TimeInterval] = []
      for generation in 1...2 {
        try writeSchemas(generation)
        let start = Date()
        #expect(try run(URL(fileURLWithPath: dflatc), arguments, in: folder).status == 0)
        durations.append(Date().timeIntervalSince(start))
        generations.append(try contents())
      }
      for round in 0..<15 {
        try writeSchemas(round % 2 + 1)
        let delay = (durations.min() ?? 0) * Double.random(in: 0.2...1.1)
        // Not by the shell's `&` alone: it makes background programs ignore the signal.
        let script =
          "trap - INT; (sleep \(delay); kill -\(signal) $$) & exec \"$0\" \"$@\""
        _ = try run(URL(fileURLWithPath: "/bin/sh"), ["-c", script, dflatc] + arguments, in: folder)
        let now = try contents()
        #expect(now == generations[0] || now == generations[1], "SIG\(signal) in round \(round)")
      }
    }
  }

  @Test(
    "A plug-in and the programs that it has started end with the compiler",
    arguments: ["INT", "TERM", "HUP"])
  func runningAPlugin(signal: String) throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }", to: "t.fbs")
      // Longer than it is waited for their ends, so that they do not end by themselves.
      try folder.writePlugin("sleep 3600 & echo $! > child; echo $$ > plugin; sleep 3600")
      let script =
        "(while [ ! -s plugin ]; do sleep 0.02; done; kill -\(signal) $$) & exec \"$0\" compile -o out --emit accessors "
        + "--plugin x=plugin.sh t.fbs"
      let result = try run(
        URL(fileURLWithPath: "/bin/sh"), ["-c", script, productsFolder.appending(path: "dflatc").path], in: folder)
      #expect(result.status != 0)
      #expect(try !folder.names().contains("out"))
      try folder.expectEnded(["child", "plugin"])
    }
  }

  @Test("A program that a plug-in has started ends when the plug-in's time is over")
  func whatAPluginHasStartedEndsWithItsTime() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }", to: "t.fbs")
      try folder.writePlugin("sleep 3600 & echo $! > child; wait")
      func hasStarted() -> Bool { (try? Data(contentsOf: folder.appending(path: "child")))?.isEmpty == false }
      // On a busy machine, a second may be over before the plug-in has started the program.
      for seconds in ["1", "10", "100"] where !hasStarted() {
        let result = try dflatc(
          "compile", "-o", "out", "--emit", "accessors", "--plugin", "x=plugin.sh", "--plugin-timeout", seconds,
          "t.fbs", in: folder)
        #expect(result.status == 3)
        #expect(result.error.contains("did not answer within \(seconds) seconds"), "\(result.error)")
      }
      // What is left would keep standard error open, and so the compiler waiting for longer than it is given here.
      try folder.expectEnded(["child"])
    }
  }
}

extension URL {
  /// Writes a plug-in that is a shell script, `plugin.sh`.
  fileprivate func writePlugin(_ script: String) throws {
    let path = try write("#!/bin/sh\n\(script)\n", to: "plugin.sh")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  /// Sees that the processes whose ids are in files of this folder end, or have.
  fileprivate func expectEnded(_ files: [String]) throws {
    for file in files {
      let text = try String(contentsOf: appending(path: file), encoding: .utf8)
      let id = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
      var isThere = true
      for _ in 0..<6_000 where isThere {
        isThere = Self.isRunning(id)
        if isThere { usleep(20_000) }
      }
      #expect(!isThere, "\(file) runs on")
      if isThere { kill(id, SIGKILL) }
    }
  }

  /// Whether a process runs: one that has ended may wait for whoever asks how.
  private static func isRunning(_ id: pid_t) -> Bool {
    guard kill(id, 0) == 0 else { return false }
    guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return true }
    return status.split(separator: ")").last?.hasPrefix(" Z") != true
  }
}
