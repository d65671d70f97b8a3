import ConformanceSupport
import FBSDiagnostics
import FBSSchema
import Foundation
import LanguageServer
import TestSupport
import Testing

@Suite("Rewrites of tables by the language server")
struct TableActionTests {
  private static let adding = "Add an id to all fields"

  /// The rewrites that are offered at a line: their titles, and the text after each.
  private func rewrites(
    _ text: String, line: Int, options: [String: Any] = [:]
  ) throws -> [(title: String, result: String)] {
    var client = try EditorClient(options: options)
    client.open("/w/a.fbs", text)
    return try rewrites(text, line: line, &client)
  }

  private func rewrites(
    _ text: String, line: Int, _ client: inout EditorClient
  ) throws -> [(title: String, result: String)] {
    let params = client.document("/w/a.fbs").merging([
      "range": ["start": ["line": line, "character": 0], "end": ["line": line, "character": 999]],
      "context": ["diagnostics": [], "only": ["refactor"]],
    ]) { $1 }
    let actions = try client.request("textDocument/codeAction", params) as? [[String: Any]] ?? []
    return try actions.map { action in
      #expect(action["kind"] as? String == "refactor.rewrite")
      let edits = try #require(action.value("edit", "changes", "file:///w/a.fbs") as? [[String: Any]])
      return (try #require(action["title"] as? String), try apply(edits, to: text))
    }
  }

  @Test("The head of a table without ids offers the ids that its fields have, with two for a union")
  func ids() throws {
    let text = "table T {\n  a: int;\n  u: U (required);\n  b: int = 3; // c\n}\nunion U { T }\n"
    let found = try rewrites(text, line: 0, options: ["emit": ["accessors"]])
    #expect(found.map(\.title) == [Self.adding])
    let expected =
      "table T {\n  a: int (id: 0);\n  u: U (id: 2, required);\n  b: int = 3 (id: 3); // c\n}\nunion U { T }\n"
    #expect(found.first?.result == expected)
    #expect(try rewrites(expected, line: 0, options: ["emit": ["accessors"]]).isEmpty)
    #expect(try rewrites(text, line: 5, options: ["emit": ["accessors"]]).isEmpty)
  }

  @Test("A field can be deprecated, and not twice")
  func deprecation() throws {
    let text = "table T {\n  a: int;\n  b: string (indexed);\n  c: int (deprecated);\n}\n"
    let plain = try rewrites(text, line: 1)
    #expect(plain.map(\.title) == ["Deprecate `a` instead of removing it"])
    #expect(plain.first?.result == text.replacingOccurrences(of: "a: int;", with: "a: int (deprecated);"))
    #expect(try rewrites(text, line: 3).isEmpty)
  }

  @Test("A rewrite that would be an error is not offered: of a primary field, and where a schema has errors")
  func refused() throws {
    let text = "table T {\n  a: int (primary);\n  b: int;\n}\nroot_type T;\n"
    #expect(try rewrites(text, line: 1).isEmpty)
    #expect(try rewrites(text, line: 2).count == 1)
    #expect(try rewrites(text + "table X { y: Nothing; }\n", line: 2).isEmpty)
  }

  @Test("A rewrite keeps the slot of every field, and brings no error", arguments: LongForm.seeds(6))
  func slots(_ seed: Int) throws {
    let file = try #require(RandomSchema(seed: seed, index: 0).files.first { !$0.text.contains("include") })
    var client = try EditorClient(options: ["emit": ["accessors"]])
    client.open("/w/a.fbs", file.text)
    let before = try slots(of: file.text)
    for line in 0..<min(60, file.text.components(separatedBy: "\n").count) {
      for (title, result) in try rewrites(file.text, line: line, &client) {
        #expect(try slots(of: result) == before, "\(title), line \(line): \(result)")
      }
    }
  }

  /// The slot of each field of a schema without errors.
  private func slots(of text: String) throws -> [String: Int] {
    let compilation = SchemaCompiler.compile(inputs: ["/w/a.fbs"], provider: SchemaTexts(["/w/a.fbs": text]))
    try #require(compilation.isValid)
    var slots: [String: Int] = [:]
    for case .table(let id) in compilation.schema[FileID(0)].definitions {
      let table = compilation.schema[id]
      for field in table.fields { slots["\(table.name).\(field.name)"] = field.id }
    }
    return slots
  }
}
