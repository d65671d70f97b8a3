import Foundation
import TestSupport
import Testing

#if os(Linux)
  @Suite("dflatc compile, stopped at each step of its writing")
  struct StepByStepTests {
    private static let stems = ["one", "two"]

    private func writeSchemas(_ generation: Int, in folder: URL) throws {
      for stem in Self.stems {
        try folder.write(
          "include \"g\(generation).fbs\";\ntable T_\(stem) { id: int (primary); g\(generation): string; }\n"
            + "root_type T_\(stem);\n", to: "\(stem).fbs")
      }
      try folder.write("enum G\(generation): byte { A }", to: "g\(generation).fbs")
    }

    private let arguments = ["compile", "-o", "out", "--depfile", "deps/out.d"] + stems.map { "\($0).fbs" }

    private func contents(of folder: URL) throws -> [String: String] {
      var contents: [String: String] = [:]
      for name in try folder.appending(path: "out").names() where !name.hasPrefix(".") {
        contents[name] = try String(contentsOf: folder.appending(path: "out/\(name)"), encoding: .utf8)
      }
      return contents
    }

    private func dependencies(in folder: URL) throws -> String {
      try String(contentsOf: folder.appending(path: "deps/out.d"), encoding: .utf8)
    }

    /// A folder with the outputs of a generation, but for one file, which is new each time.
    private func start(_ folder: URL) throws -> [String: String] {
      try? FileManager.default.removeItem(at: folder.appending(path: "out"))
      try writeSchemas(1, in: folder)
      let result = try run(productsFolder.appending(path: "dflatc"), arguments, in: folder)
      try #require(result.status == 0, "\(result.error)")
      try FileManager.default.removeItem(at: folder.appending(path: "out/one_query_generated.swift"))
      return try contents(of: folder)
    }

    @Test(
      "Outputs are all old or all new once the next run has begun, and each is whole before",
      arguments: FaultInjection.Kind.allCases)
    func everyStep(kind: FaultInjection.Kind) throws {
      try withFolder { folder in
        let faults = try FaultInjection(in: folder)
        let dflatc = productsFolder.appending(path: "dflatc")
        try folder.write("table Other { x: int; }", to: "other.fbs")
        let old = try start(folder)
        let oldDependencies = try dependencies(in: folder)
        try writeSchemas(2, in: folder)
        try #require(try run(dflatc, arguments, in: folder).status == 0)
        let (new, newDependencies) = (try contents(of: folder), try dependencies(in: folder))
        #expect(old.count == 7 && new.count == 8)

        var step = 1
        var finished = 0
        while true {
          #expect(try start(folder) == old)
          try writeSchemas(2, in: folder)
          guard let result = try faults.run(dflatc, arguments, in: folder, kind, at: step) else { break }
          let place = "\(kind) at step \(step)"
          let now = try contents(of: folder)
          for (name, text) in now { #expect(text == old[name] || text == new[name], "\(name) is neither: \(place)") }
          for name in old.keys { #expect(now[name] != nil, "\(name) is gone: \(place)") }
          if kind == .diskIsFull {
            // Where only the cleaning up failed, all is done.
            #expect(result.status == 3 || result.status == 0, "\(place): \(result.error)")
            #expect(now == (result.status == 0 ? new : old), "\(place)")
            #expect(
              try dependencies(in: folder) == (result.status == 0 ? newDependencies : oldDependencies), "\(place)")
          }

          // Another schema: so nothing of this one is written but what is left to be moved.
          let next = try run(dflatc, ["compile", "-o", "out", "--emit", "accessors", "other.fbs"], in: folder)
          #expect(next.status == 0, "\(place): \(next.error)")
          #expect(try folder.appending(path: "out").names().allSatisfy { !$0.hasPrefix(".") }, "\(place)")
          var after = try contents(of: folder)
          #expect(after.removeValue(forKey: "other_generated.swift") != nil)
          #expect(after == old || after == new, "a mix: \(place)")
          if after == new {
            finished += now == new ? 0 : 1
            #expect(try dependencies(in: folder) == newDependencies, "Make would compile too seldom: \(place)")
          }
          step += 1
        }
        // Else nothing was tried.
        #expect(step > 40)
        if kind == .kill { #expect(finished >= 7, "each run that is killed between two moves is finished by the next") }
      }
    }

    @Test func aJournalThatLeadsElsewhereIsNotFollowed() throws {
      try withFolder { folder in
        let staging = folder.appending(path: "out/.dflatc-1")
        try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: true)
        try staging.write("new", to: "new-0")
        try folder.write("old", to: "victim")
        for name in ["../victim", folder.appending(path: "victim").path, "a/../../victim"] {
          try staging.write(#"{"moves":[{"name":"\#(name)","replaces":false}]}"#, to: "journal")
          try staging.write(#"{"moves":[{"name":"\#(name)","replaces":false}]}"#, to: "journal-back")
          try folder.write("table T { x: int; }", to: "t.fbs")
          let result = try dflatc("compile", "-o", "out", "--emit", "accessors", "t.fbs", in: folder)
          #expect(result.status == 0, "\(result.error)")
          #expect(try String(contentsOf: folder.appending(path: "victim"), encoding: .utf8) == "old")
          try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: true)
          try staging.write("new", to: "new-0")
        }
      }
    }
  }
#endif
