import ConformanceSupport
import Foundation
import TestSupport
import Testing

@Suite("The code in the documentation")
struct SnippetTests {
  /// What an info string of a code block may say.
  private static let known: [String: Set<String>] = [
    "swift": ["body", "continues", "other", "program"], "fbs": ["other"], "sh": ["run"], "text": ["output"],
    "json": [], "lua": [], "make": [], "ninja": [], "mermaid": [], "yaml": [], "python": [], "": [],
  ]

  @Test("Every code block has a known language and known options")
  func everyCodeBlockSaysWhatItIs() throws {
    for page in try Page.all() where !page.isGenerated {
      for fence in page.fences {
        let words = Self.known[fence.language]
        #expect(words != nil, "\(page.path):\(fence.line): a code block of an unknown language, `\(fence.language)`")
        #expect(fence.words.isSubset(of: words ?? []), "\(page.path):\(fence.line): \(fence.words)")
      }
    }
  }

  @Test("Every Swift snippet compiles and prints what the page shows")
  func everySwiftSnippetCompilesAndPrintsWhatThePageSays() throws {
    let modules = try SnippetModule.modules(of: Page.all())
    #expect(!modules.isEmpty)
    for module in modules {
      do {
        for (run, printed) in try module.buildAndRun() {
          #expect(printed.count == run.outputs.count, "\(run.page):\(run.line)")
          for (expected, printed) in zip(run.outputs, printed) {
            #expect(printed == expected ?? "", "\(run.page):\(run.line)")
          }
        }
      } catch let failure as ProgramFailure {
        // What stands before that is the command, with hundreds of objects.
        let text = failure.description
        Issue.record("\(text.range(of: "exits with").map { text[$0.lowerBound...] } ?? text[...])")
      }
    }
  }

  @Test("A program on a page prints what the page says, and again when it is run again")
  func programs() throws {
    var count = 0
    for page in try Page.all() {
      for (index, fence) in page.fences.enumerated() where fence.has("program") {
        count += 1
        let expected = try #require(page.fences[(index + 1)...].first { $0.has("output") }).text
        try withTemporaryFolder { folder in
          for schema in page.schemas { try folder.write(schema.text, to: schema.name) }
          let dflatc = productsFolder.appendingPathComponent("dflatc").path
          try runTool(dflatc, ["compile", "-o", "."] + page.schemas.map(\.name), in: folder)
          try folder.write(fence.text, to: "Program.swift")
          let sources = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".swift")
          }
          try buildSwift(
            sources.sorted(), modules: ["FlatBuffersCore", "TextFolding", "Dflat", "DflatEngine", "SQLiteDflat"],
            more: [
              "-parse-as-library", "-I", packageFolder.appendingPathComponent("Sources/CSQLite").path, "-lsqlite3",
            ],
            in: folder)
          for time in 1...2 {
            let output = try runTool(folder.appendingPathComponent("driver").path, [], in: folder)
            #expect(String(decoding: output, as: UTF8.self) == expected, "\(page.path):\(fence.line), time \(time)")
          }
        }
      }
    }
    #expect(count > 0)
  }

  @Test("Every schema on a page compiles")
  func everySchemaCompiles() throws {
    for page in try Page.all() where !page.isGenerated && !page.isWalkThrough && !page.schemas.isEmpty {
      try withTemporaryFolder { folder in
        for schema in page.schemas { try folder.write(schema.text, to: schema.name) }
        let result = try runProgram(
          productsFolder.appendingPathComponent("dflatc").path, ["compile", "--emit", "accessors", "-o", "out", "."],
          in: folder)
        #expect(result.isSuccess, "\(page.path): \(String(decoding: result.error, as: UTF8.self))")
      }
    }
  }

  @Test("Every command on a page prints what the page shows")
  func everyCommandPrintsWhatThePageSays() throws {
    for page in try Page.all() where !page.isGenerated && !page.isWalkThrough && !page.hasRuns {
      guard page.fences.contains(where: { $0.has("run") }) else { continue }
      try withTemporaryFolder { folder in try Shell(folder: folder).run(page) }
    }
  }

  @Test("The example app has the README's schema")
  func theExampleUsesTheReadmesSchema() throws {
    let example = packageFolder.appendingPathComponent("Examples/PostExample/post.fbs")
    #expect(try Page("README.md").schemas.map(\.text) == [String(contentsOf: example, encoding: .utf8)])
  }

  @Test("A snippet with a type error is reported")
  func aSnippetThatIsWrongWouldBeNoticed() throws {
    try withTemporaryFolder { folder in
      try folder.write(
        "import SQLiteDflat\nenum Wrong { static let workspace: SQLiteWorkspace = 1 }\n", to: "wrong.swift")
      #expect(throws: ProgramFailure.self) { try SnippetModule.typecheck(["wrong.swift"], in: folder) }
    }
  }
}
