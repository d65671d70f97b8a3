import BinarySchemas
import ConformanceSupport
import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import LanguageServer
import SchemaLinting
import TestSupport
import Testing

/// Edits at random, after each of which the server has to say what the commands say of the same texts.
@Suite("The language server after random edits")
struct RandomEditTests {
  /// A diagnostic by what is compared: code, severity, message and place.
  private struct Said: Hashable, CustomStringConvertible {
    let code: String
    let severity: Int
    let message: String
    let range: String
    var description: String { "\(code) \(range) \(message)" }
  }

  /// The texts of a workspace, as an editor and the disk have them.
  private struct Texts {
    var disk: [String: String]
    /// Open documents, whose texts count.
    var open: [String: String] = [:]
    var all: [String: String] { disk.merging(open) { $1 } }
  }

  /// What `dflatc compile` and `dflatc lint` say about a file of fresh texts.
  private func fresh(_ path: String, _ texts: Texts) -> [Said] {
    let provider = SchemaTexts(texts.all)
    let outcome = CompilationPipeline().run(inputs: [path], provider: provider)
    let report = Linter().lint(SchemaModules(inputs: [path], provider: provider))
    var said: [Said] = []
    func add(_ diagnostics: [Diagnostic], _ sources: SourceMap) {
      for diagnostic in diagnostics where sources[diagnostic.range.file].path == path {
        let text = DocumentText(sources[diagnostic.range.file].bytes, .utf16)
        let range = text.range(diagnostic.range)
        let lines =
          [diagnostic.message] + (diagnostic.advice.isEmpty ? [] : [diagnostic.advice])
          + diagnostic.notes.map { "note: \($0)" }
        said.append(
          Said(
            code: diagnostic.code.id,
            severity: diagnostic.severity == .error ? 1 : diagnostic.severity == .warning ? 2 : 3,
            message: lines.joined(separator: "\n"),
            range: "\(range.start.line):\(range.start.character)-\(range.end.line):\(range.end.character)"))
      }
    }
    add(outcome.diagnostics, outcome.sources)
    add(report.diagnostics, report.sources)
    return Array(Set(said)).sorted { $0.description < $1.description }
  }

  private func served(_ path: String, _ client: EditorClient) -> [Said] {
    let said = (client.diagnostics(path) ?? []).map { diagnostic in
      Said(
        code: diagnostic["code"] as? String ?? "", severity: diagnostic["severity"] as? Int ?? 0,
        message: diagnostic["message"] as? String ?? "",
        range: (diagnostic["range"] as? [String: Any])?.rangeText ?? "")
    }
    // Two may differ in their labels alone.
    return Set(said).sorted { $0.description < $1.description }
  }

  private static let pieces = [
    "{", "}", "(", ")", "[", "]", ";", ":", ",", "=", "\"", "//", "/*", "*/", "///", " ", "\n", "\r\n", "\t", "int",
    "string",
    "table T { a: int; }\n", "enum E : ubyte { A, B }\n", "struct S { x: float; }\n", "union U { T }\n",
    "root_type T;\n",
    "namespace A.B;\n", "include \"b.fbs\";\n", "include \"new.fbs\";\n", "(deprecated)", "(id: 3)", "(primary)",
    "\u{1F600}",
    "\u{E4}", "x", "1", "-", ".", "// dflatc:allow type-case because\n",
  ]

  /// A change of a text by an edit in a range, as LSP sends it.
  private func edit(
    _ text: String, _ random: inout SeededGenerator
  ) -> (params: [String: Any], result: String) {
    let document = DocumentText(Array(text.utf8), .utf16)
    func boundary(_ offset: Int) -> Int { document.offset(of: document.position(of: offset)) }
    let start = boundary(random.next(document.bytes.count + 1))
    let end: Int
    switch random.next(4) {
    case 0: end = boundary(min(document.bytes.count, start + random.next(4)))
    case 1:
      // The rest of the line, with its end or without.
      let line = document.lineRange(document.position(of: start).line)
      end = max(start, line.upperBound)
    default: end = start
    }
    let insertion: String
    switch random.next(6) {
    case 0: insertion = ""
    case 1:
      // A block that was copied from somewhere in the text.
      let from = random.next(document.bytes.count + 1)
      insertion = String(
        decoding: document.bytes[from..<min(document.bytes.count, from + random.next(200))], as: UTF8.self)
    default: insertion = random.pick(Self.pieces)
    }
    let range = document.range(start, max(start, end))
    var changed = document
    changed.replace(range, with: insertion)
    let params: [String: Any] = [
      "range": [
        "start": ["line": range.start.line, "character": range.start.character],
        "end": ["line": range.end.line, "character": range.end.character],
      ],
      "text": insertion,
    ]
    return (params, String(decoding: changed.bytes, as: UTF8.self))
  }

  /// Three files, the second of which includes the first and is included by the third.
  private func workspace(_ number: Int, _ random: inout SeededGenerator) throws -> Texts {
    let name = FormattingTests.fixtures[number % FormattingTests.fixtures.count]
    let data = try Data(contentsOf: packageFolder.appendingPathComponent("Fixtures/\(name)"))
    var text = String(decoding: data, as: UTF8.self)
    // Larger ones take long to compile after each edit in a debug build.
    if text.utf8.count > 6_000 { text = String(text.prefix(3_000)) }
    return Texts(disk: [
      "/w/a.fbs": text, "/w/b.fbs": "include \"a.fbs\";\nnamespace A;\ntable UserOfA {\n  a: int;\n}\n",
      "/w/c.fbs": "include \"b.fbs\";\ntable Last {\n  b: A.UserOfA;\n}\n",
    ])
  }

  @Test("Diagnostics and layout are those of the commands", arguments: 0..<8)
  func edits(_ part: Int) throws {
    let count = LongForm.editorEdits.size / 8
    var random = SeededGenerator(seed: LongForm.seed &* 1_000 &+ part)
    var number = random.next(1_000)
    var done = 0
    while done < count {
      var texts = try workspace(number, &random)
      number += 1
      var client = try EditorClient(texts.disk)
      for step in 0..<min(40, count - done) {
        let path = random.pick(["/w/a.fbs", "/w/b.fbs", "/w/c.fbs", "/w/new.fbs"])
        switch random.next(12) {
        case 0:
          // Saved, or changed by another program.
          if let text = texts.open[path], random.chance(50) {
            texts.disk[path] = text
          } else {
            texts.disk[path] = random.chance(30) ? nil : "table T {\n  a: int;\n}\n"
          }
          client.host.files.files = texts.disk.mapValues { Array($0.utf8) }
          client.notify("workspace/didChangeWatchedFiles", ["changes": []])
        case 1 where texts.open[path] != nil:
          texts.open[path] = nil
          client.close(path)
        default:
          if texts.open[path] == nil {
            texts.open[path] = texts.disk[path] ?? ""
            client.open(path, texts.open[path])
          }
          var changes: [[String: Any]] = []
          for _ in 0...random.next(2) {
            let (change, result) = edit(texts.open[path] ?? "", &random)
            changes.append(change)
            texts.open[path] = result
          }
          client.notify(
            "textDocument/didChange",
            [
              "textDocument": ["uri": DocumentURI.uri(path), "version": step + 2],
              "contentChanges": changes,
            ])
        }
        client.run()
        for (path, text) in texts.open {
          let (expected, found) = (fresh(path, texts), served(path, client))
          #expect(found == expected, "\(path) of workspace \(number - 1) after step \(step)")
          if found != expected { return }
          try expectLayout(of: path, text, &client)
        }
      }
      done += 40
    }
    LongForm.record(count, "random edits in an editor")
  }

  private func expectLayout(of path: String, _ text: String, _ client: inout EditorClient) throws {
    let (tree, found) = Parser.parse(SourceFile(id: FileID(0), path: path, bytes: Array(text.utf8)))
    let answer = try client.answer("textDocument/formatting", client.document(path))
    guard !found.contains(where: { $0.severity == .error && $0.code != .emptyFile }) else {
      #expect(answer["error"] != nil)
      return
    }
    let result = try apply(try #require(answer["result"] as? [[String: Any]]), to: text)
    #expect(Array(result.utf8) == SchemaFormatter.format(tree), "\(path): \(text.debugDescription)")
  }

  @Test("A rename keeps the binary schema but for the name", arguments: LongForm.seeds(12))
  func renames(_ seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    var files: [String: String] = [:]
    for file in RandomSchema(seed: seed, index: 0).files { files["/w/" + file.name] = file.text }
    let main = try #require(files.keys.first { $0.contains("schema") })
    files["/w/user.fbs"] = "include \"\(main.dropFirst(3))\";\ntable UserOfAll {\n  own: int;\n}\n"
    let before = try binaryText(files)
    var client = try EditorClient(files, options: ["emit": ["accessors"], "lint": false])
    let path = random.pick(files.keys.sorted())
    client.open(path)
    client.run()
    let symbols = try client.request("textDocument/documentSymbol", client.document(path)) as? [[String: Any]]
    let places: [[String: Any]] = (symbols ?? []).flatMap { [$0] + ($0["children"] as? [[String: Any]] ?? []) }
    var count = 0
    for _ in 0..<6 {
      let symbol = random.pick(places)
      guard let line = symbol.value("selectionRange", "start", "line") as? Int,
        let character = symbol.value("selectionRange", "start", "character") as? Int
      else { continue }
      let prepared = try client.request("textDocument/prepareRename", client.place(path, line, character))
      guard let old = (prepared as? [String: Any])?["placeholder"] as? String else { continue }
      // Of another length, but at the same place in every order of names.
      let new = old + "_zq_renamed"
      let result = try client.answer(
        "textDocument/rename", client.place(path, line, character).merging(["newName": new]) { $1 })
      // A name that JSON in the schema uses, for example, is refused.
      guard let changes = (result["result"] as? [String: Any])?["changes"] as? [String: [[String: Any]]] else {
        #expect(result["error"] != nil)
        continue
      }
      var renamed = files
      for (uri, edits) in changes {
        let changed = DocumentURI.path(uri)
        renamed[changed] = try apply(edits, to: try #require(files[changed]))
      }
      let after = try binaryText(renamed)
      #expect(after != before)
      #expect(sorted(after.replacingOccurrences(of: new, with: old)) == sorted(before), "\(old)")
      count += 1
    }
    #expect(count > 0)
  }

  /// Objects stand in the order of their names, which a rename may change.
  private func sorted(_ text: String) -> [String] { text.components(separatedBy: "\n").sorted() }

  private func binaryText(_ files: [String: String]) throws -> String {
    let emitter = try #require(EmitterRegistry.emitter(named: "bfbs"))
    let outcome = CompilationPipeline(emitters: [emitter]).run(
      inputs: files.keys.sorted(), provider: SchemaTexts(files))
    let outputs = try outcome.files.get()
    return try outputs.filter { $0.name.hasSuffix(".bfbs") }.map { try BinarySchema.text(of: $0.content) }
      .joined(separator: "\n")
  }
}
