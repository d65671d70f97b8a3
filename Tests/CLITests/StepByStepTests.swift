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
      "Each output is old or new at each step, nothing is left behind, and the next run makes all new",
      arguments: FaultInjection.Kind.allCases)
    func everyStep(kind: FaultInjection.Kind) throws {
      try withFolder { folder in
        let faults = try FaultInjection(in: folder)
        let dflatc = productsFolder.appending(path: "dflatc")
        let old = try start(folder)
        try writeSchemas(2, in: folder)
        try #require(try run(dflatc, arguments, in: folder).status == 0)
        let (new, newDependencies) = (try contents(of: folder), try dependencies(in: folder))
        #expect(old.count == 7 && new.count == 8)

        var step = 1
        // Errors of renaming itself, of which the last leaves some outputs new.
        var mixed = 0
        while true {
          #expect(try start(folder) == old)
          try writeSchemas(2, in: folder)
          guard let result = try faults.run(dflatc, arguments, in: folder, kind, at: step) else { break }
          let place = "\(kind) at step \(step)"
          let now = try contents(of: folder)
          for (name, text) in now { #expect(text == old[name] || text == new[name], "\(name) is neither: \(place)") }
          for name in old.keys { #expect(now[name] != nil, "\(name) is gone: \(place)") }
          let isDone = result.status == 0
          if kind == .diskIsFull {
            // Where only the cleaning up failed, all is done.
            #expect(result.status == 3 || isDone, "\(place): \(result.error)")
            if isDone { #expect(try now == new && dependencies(in: folder) == newDependencies, "\(place)") }
            // Until all is written, nothing changes; and then no disk fills any more.
            if now != new, now != old { mixed += 1 }
          }
          if now != old {
            #expect(try dependencies(in: folder) == newDependencies, "Make would compile too seldom: \(place)")
          }
          let next = try run(dflatc, arguments, in: folder)
          #expect(next.status == 0, "\(place): \(next.error)")
          #expect(try contents(of: folder) == new, "\(place)")
          #expect(try folder.appending(path: "out").names().allSatisfy { !$0.hasPrefix(".") }, "\(place)")
          step += 1
        }
        // Else nothing was tried.
        #expect(step > 20)
        if kind == .diskIsFull { #expect(mixed < new.count) }
      }
    }
  }
#endif
