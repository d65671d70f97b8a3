import BinarySchemas
import ConformanceSupport
import Emitters
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

  @Test("A selection of many fields offers the ids, and does not compile the schema for each field")
  func selection() throws {
    let fields = (0..<500).map { "  field\($0): int;\n" }.joined()
    var client = try EditorClient(
      ["/w/b.fbs": "table B {\n  a: int;\n}\n"], options: ["emit": ["accessors"], "lint": false])
    client.open("/w/a.fbs", "include \"b.fbs\";\ntable T {\n  b: B;\n\(fields)}\n")
    client.run()
    let count = client.host.readCount
    let params = client.document("/w/a.fbs").merging([
      "range": ["start": ["line": 0, "character": 0], "end": ["line": 999, "character": 0]],
      "context": ["diagnostics": []],
    ]) { $1 }
    let actions = try client.request("textDocument/codeAction", params) as? [[String: Any]] ?? []
    #expect(actions.compactMap { $0["title"] as? String } == [Self.adding])
    // Each compilation reads the included file.
    #expect(client.host.readCount - count < 10)
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

  @Test("Ids added to the tables of a fixture change nothing in the binary schema but the attribute, and no field's id")
  func binarySchemas() throws {
    let folder = packageFolder.appendingPathComponent("Fixtures")
    var files: [String: [UInt8]] = [:]
    for name in FormattingTests.fixtures {
      files["/w/\(name)"] = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }
    var (count, unions) = (0, 0)
    for path in files.keys.sorted() {
      let compilation = SchemaCompiler.compile(inputs: [path], provider: SchemaTexts(bytes: files))
      guard compilation.isValid, let text = String(bytes: files[path] ?? [], encoding: .utf8),
        let before = try binarySchema(path, files)
      else { continue }
      let ids = fieldIDs(compilation)
      let document = DocumentText(Array(text.utf8), .utf16)
      var client = try EditorClient(options: ["emit": ["accessors"], "lint": false])
      client.host.files.files = files
      client.open(path, text)
      var all: [[String: Any]] = []
      for case .table(let id) in compilation.schema[FileID(0)].definitions {
        let name = document.position(of: compilation.schema[id].declaration.nameRange.start)
        let place = ["line": name.line, "character": name.character]
        let params = client.document(path).merging([
          "range": ["start": place, "end": place], "context": ["diagnostics": [], "only": ["refactor"]],
        ]) { $1 }
        let actions = try client.request("textDocument/codeAction", params) as? [[String: Any]] ?? []
        guard let action = actions.first(where: { $0["title"] as? String == Self.adding }) else { continue }
        let edits = try #require(action.value("edit", "changes", DocumentURI.uri(path)) as? [[String: Any]])
        try expectKept(before, ids, path, try apply(edits, to: text), files)
        all += edits
        count += 1
        if compilation.schema[id].fields.contains(where: { field in
          if case .union = field.type.definition { true } else { false }
        }) {
          unions += 1
        }
      }
      try expectKept(before, ids, path, try apply(all, to: text), files)
    }
    #expect(count > 100 && unions > 5)
  }

  /// Expects a changed file to have the binary schema and the ids from before.
  private func expectKept(
    _ binary: String, _ ids: [String: Int], _ path: String, _ text: String, _ files: [String: [UInt8]]
  ) throws {
    var files = files
    files[path] = Array(text.utf8)
    #expect(try binarySchema(path, files) == binary, "\(path): \(text)")
    let compilation = SchemaCompiler.compile(inputs: [path], provider: SchemaTexts(bytes: files))
    #expect(compilation.isValid && fieldIDs(compilation) == ids, "\(path): \(text)")
  }

  /// The id of each field of the first file's tables, by name.
  private func fieldIDs(_ compilation: Compilation) -> [String: Int] {
    var ids: [String: Int] = [:]
    for case .table(let id) in compilation.schema[FileID(0)].definitions {
      let table = compilation.schema[id]
      for field in table.fields { ids["\(table.name).\(field.name)"] = field.id }
    }
    return ids
  }

  /// The text of the binary schema of a file, with the fields of tables in the order of their ids and without the attribute
  /// `id`; nil if the schema is refused.
  private func binarySchema(_ path: String, _ files: [String: [UInt8]]) throws -> String? {
    let emitter = try #require(EmitterRegistry.emitter(named: "bfbs"))
    let outcome = CompilationPipeline(emitters: [emitter]).run(inputs: [path], provider: SchemaTexts(bytes: files))
    guard case .success(let outputs) = outcome.files else { return nil }
    return try outputs.first { $0.name.hasSuffix(".bfbs") }.map {
      try BinarySchema.text(of: $0.content).replacing(/\s\(id: \d+\)|\bid: \d+, |, id: \d+/, with: "")
    }
  }

  /// The slot of each field of a schema without errors.
  private func slots(of text: String) throws -> [String: Int] {
    let compilation = SchemaCompiler.compile(inputs: ["/w/a.fbs"], provider: SchemaTexts(["/w/a.fbs": text]))
    try #require(compilation.isValid)
    return fieldIDs(compilation)
  }
}
