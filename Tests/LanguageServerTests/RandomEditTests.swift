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
  private static let pieces = [
    "{", "}", "(", ")", "[", "]", ";", ":", ",", "=", "\"", "//", "/*", "*/", "///", " ", "\n", "\r\n", "\t", "int",
    "string",
    "table T { a: int; }\n", "enum E : ubyte { A, B }\n", "struct S { x: float; }\n", "union U { T }\n",
    "root_type T;\n",
    "namespace A.B;\n", "include \"b.fbs\";\n", "include \"new.fbs\";\n", "(deprecated)", "(id: 3)", "(primary)",
    "\u{1F600}",
    "\u{E4}", "x", "1", "-", ".", "// dflatc:allow type-case because\n", "// dflatc:allow field-removed because\n",
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
    var insertion: String
    switch random.next(6) {
    case 0: insertion = ""
    case 1:
      // A block that was copied from somewhere in the text.
      let from = random.next(document.bytes.count + 1)
      insertion = String(
        decoding: document.bytes[from..<min(document.bytes.count, from + random.next(200))], as: UTF8.self)
    default: insertion = random.pick(Self.pieces)
    }
    var range = document.range(start, max(start, end))
    // A text in which a word stands for another one mostly has no syntax error.
    let words = words(of: document.bytes)
    if random.chance(40), !words.isEmpty {
      let word = random.pick(words)
      range = document.range(word.lowerBound, word.upperBound)
      insertion = String(decoding: document.bytes[random.pick(words)], as: UTF8.self)
    }
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

  /// Returns the ranges of the words in a text.
  private func words(of bytes: [UInt8]) -> [Range<Int>] {
    func isWord(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    return bytes.indices.split { !isWord(bytes[$0]) }.map { $0.startIndex..<$0.endIndex }
  }

  @Test("Diagnostics and layout are those of the commands", arguments: 0..<8)
  func edits(_ part: Int) throws {
    let count = LongForm.editorEdits.size / 8
    var random = SeededGenerator(seed: LongForm.seed &* 1_000 &+ part)
    var number = random.next(1_000)
    var done = 0
    while done < count {
      // Some clients pull.
      var workspace = try EditedWorkspace(number, pulls: part == 1, &random)
      number += 1
      for step in 0..<min(40, count - done) {
        try change(&workspace, step, &random)
        workspace.client.run()
        for (path, text) in workspace.open.sorted(by: { $0.key < $1.key }) {
          let (expected, found) = (workspace.fresh(path), try workspace.served(path))
          #expect(
            found == expected, "\(path) of workspace \(number - 1) after step \(step), with \(workspace.settings)")
          if found != expected { return }
          try expectLayout(of: path, text, &workspace)
        }
      }
      done += 40
    }
    LongForm.record(count, "random edits in an editor")
  }

  /// Changes a document or a file, renames one, or closes one.
  private func change(_ workspace: inout EditedWorkspace, _ step: Int, _ random: inout SeededGenerator) throws {
    let path = random.pick(workspace.paths)
    switch random.next(14) {
    case 0:
      // Saved, or changed by another program.
      if let text = workspace.open[path], random.chance(50) {
        workspace.write(text, to: path)
      } else {
        workspace.write(random.chance(30) ? nil : "table T {\n  a: int;\n}\n", to: path)
      }
    case 1 where workspace.open[path] != nil: workspace.close(path)
    case 2: workspace.rename(path, to: random.pick(workspace.paths))
    default:
      if workspace.open[path] == nil { workspace.open(path) }
      var changes: [[String: Any]] = []
      for _ in 0...random.next(2) {
        let (change, result) = edit(workspace.open[path] ?? "", &random)
        changes.append(change)
        workspace.open[path] = result
      }
      workspace.client.notify(
        "textDocument/didChange",
        [
          "textDocument": ["uri": DocumentURI.uri(path), "version": step + 2],
          "contentChanges": changes,
        ])
    }
  }

  private func expectLayout(of path: String, _ text: String, _ workspace: inout EditedWorkspace) throws {
    let (tree, found) = Parser.parse(SourceFile(id: FileID(0), path: path, bytes: Array(text.utf8)))
    let answer = try workspace.client.answer("textDocument/formatting", workspace.client.document(path))
    guard !workspace.settings.leavesAlone(path) else {
      #expect(answer["result"] is NSNull)
      return
    }
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
