import Foundation
import Testing

/// A page's Swift is compiled together with what `dflatc` makes of the page's schema.
@Suite("The README's snippets")
struct ReadmeTests {
  @Test func everySwiftSnippetCompiles() throws {
    try checkSnippets(of: "README.md", emitters: "accessors,data-model,mutating,query")
  }

  @Test func everySwiftSnippetOnFlatBuffersCompiles() throws {
    try checkSnippets(of: "Documentation/flatbuffers.md", emitters: "accessors,editors")
  }

  @Test func everySwiftSnippetOnObservingCompiles() throws {
    try checkSnippets(of: "Documentation/observing.md", emitters: "accessors,data-model,mutating,query")
  }

  @Test func everySwiftSnippetOnTheDictionaryCompiles() throws {
    try checkSnippets(of: "Documentation/dictionary.md", emitters: "accessors,data-model,mutating,query")
  }

  private func checkSnippets(of page: String, emitters: String) throws {
    let text = try String(contentsOf: repository.appending(path: page), encoding: .utf8)
    let schemas = snippets("fbs", in: text)
    let programs = snippets("swift", in: text)
    #expect(schemas.count == 1)
    #expect(!programs.isEmpty)
    try withFolder { folder in
      try folder.write(schemas[0], to: "post.fbs")
      let compiled = try dflatc("compile", "--emit", emitters, "-o", ".", "post.fbs", in: folder)
      #expect(compiled.status == 0, "\(compiled.error)")
      let generated = try folder.names().filter { $0.hasSuffix(".swift") }
      for program in programs {
        try folder.write(program, to: "main.swift")
        let result = try typecheck(generated + ["main.swift"], in: folder)
        #expect(result.status == 0, "\(result.error)")
        #expect(!result.error.contains("warning:"), "\(result.error)")
      }
    }
  }

  @Test func aSnippetThatIsWrongWouldBeNoticed() throws {
    try withFolder { folder in
      try folder.write("import Dflat\nlet workspace: SQLiteWorkspace = 1\n", to: "main.swift")
      #expect(try typecheck(["main.swift"], in: folder).status != 0)
    }
  }

  @Test func theExampleUsesTheReadmesSchema() throws {
    let readme = try String(contentsOf: repository.appending(path: "README.md"), encoding: .utf8)
    let example = try String(contentsOf: repository.appending(path: "Examples/PostExample/post.fbs"), encoding: .utf8)
    #expect(snippets("fbs", in: readme) == [example])
  }

  /// The text of the code blocks marked with `language`.
  private func snippets(_ language: String, in text: String) -> [String] {
    var found: [String] = []
    var current: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = current {
        if line == "```" {
          found.append(lines.joined(separator: "\n") + "\n")
          current = nil
        } else {
          current = lines + [line]
        }
      } else if line == "```\(language)" {
        current = []
      }
    }
    return found
  }
}
