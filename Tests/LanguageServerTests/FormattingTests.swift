import FBSDiagnostics
import FBSParser
import Foundation
import LanguageServer
import TestSupport
import Testing

@Suite("Formatting by the language server")
struct FormattingTests {
  static let fixtures: [String] = {
    let folder = packageFolder.appendingPathComponent("Fixtures")
    let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".fbs") && !$0.contains("/.") }.sorted()
  }()

  @Test("The edits give the bytes of the formatter, for every fixture and messed up", arguments: fixtures)
  func fixture(_ name: String) throws {
    let path = packageFolder.appendingPathComponent("Fixtures/\(name)").path
    guard let text = String(data: try Data(contentsOf: URL(fileURLWithPath: path)), encoding: .utf8) else { return }
    let messed = text.replacingOccurrences(of: "  ", with: " \t ").replacingOccurrences(of: "\n", with: "\r\n")
    for text in [text, messed] {
      var client = try EditorClient()
      client.open("/w/a.fbs", text)
      let (tree, found) = Parser.parse(SourceFile(id: FileID(0), path: "/w/a.fbs", bytes: Array(text.utf8)))
      guard !found.contains(where: { $0.severity == .error && $0.code != .emptyFile }) else {
        #expect(try client.errorCode("textDocument/formatting", client.document("/w/a.fbs")) == -32803)
        continue
      }
      let edits = try client.request("textDocument/formatting", client.document("/w/a.fbs"))
      let result = try apply(try #require(edits as? [[String: Any]]), to: text)
      #expect(Array(result.utf8) == SchemaFormatter.format(tree))
    }
  }

  @Test("A range is laid out, and nothing around it")
  func range() throws {
    let text = "table A{a:int;}\ntable B{b:int;}\ntable C{c:int;}\n"
    var client = try EditorClient()
    client.open("/w/a.fbs", text)
    let params = client.document("/w/a.fbs").merging([
      "range": ["start": ["line": 1, "character": 0], "end": ["line": 1, "character": 15]]
    ]) { $1 }
    let edits = try client.request("textDocument/rangeFormatting", params)
    let result = try apply(try #require(edits as? [[String: Any]]), to: text)
    #expect(result == "table A{a:int;}\ntable B { b: int; }\ntable C{c:int;}\n")
  }

  @Test("A document that is laid out has no edits")
  func nothing() throws {
    var client = try EditorClient()
    client.open("/w/a.fbs", "table A { a: int; }\n")
    #expect((try client.request("textDocument/formatting", client.document("/w/a.fbs")) as? [Any])?.isEmpty == true)
  }

  /// The edits for a character that was typed before an offset.
  private func edits(
    afterTyping character: String, at offset: Int, of text: String, _ client: inout EditorClient
  ) throws -> [[String: Any]] {
    let position = DocumentText(Array(text.utf8), .utf16).position(of: offset)
    let params = client.place("/w/a.fbs", position.line, position.character).merging([
      "ch": character, "options": ["tabSize": 8, "insertSpaces": false],
    ]) { $1 }
    return try #require(client.request("textDocument/onTypeFormatting", params) as? [[String: Any]])
  }

  @Test(
    "A typed character lays out what it ends, and nothing else",
    arguments: [
      // The text with the cursor as `|`, and the result.
      ("table A{a:int;\n    b:int;|\n c:int;}\n", "table A{a:int;\n  b: int;\n c:int;}\n"),
      ("table A {\n a:int;\n}|\ntable B{}\n", "table A {\n  a: int;\n}\ntable B{}\n"),
      ("enum E:int{A}|\ntable B{}\n", "enum E: int { A }\ntable B{}\n"),
      ("table A {\n a:int;\n|\n b:int;\n}\n", "table A {\n  a: int;\n\n b:int;\n}\n"),
      // The character is no token.
      ("table A {\n a:int; // b;|\n}\n", nil), ("attribute   \"a;|\";\n", nil),
      // The text cannot be read yet.
      ("table A {\n a:int;|\n", nil), ("|", nil),
    ] as [(String, String?)])
  func typing(_ marked: String, _ expected: String?) throws {
    let parts = marked.components(separatedBy: "|")
    let text = parts.joined()
    var client = try EditorClient()
    client.open("/w/a.fbs", text)
    let character = String(parts[0].suffix(1))
    let found = try edits(afterTyping: character, at: parts[0].utf8.count, of: text, &client)
    #expect(try apply(found, to: text) == expected ?? text)
  }

  @Test("What a typed character changes is what formatting changes there, for every fixture", arguments: fixtures)
  func typingInFixture(_ name: String) throws {
    let path = packageFolder.appendingPathComponent("Fixtures/\(name)").path
    guard let text = String(data: try Data(contentsOf: URL(fileURLWithPath: path)), encoding: .utf8) else { return }
    // Larger ones are formatted too often for a test.
    let messed = String(text.prefix(3_000)).replacingOccurrences(of: "  ", with: " \t ")
    var client = try EditorClient()
    client.open("/w/a.fbs", messed)
    let answer = try client.answer("textDocument/formatting", client.document("/w/a.fbs"))
    func texts(_ edits: [[String: Any]]) -> Set<String> {
      Set(edits.map { "\(($0["range"] as? [String: Any])?.rangeText ?? "") \($0["newText"] ?? "")" })
    }
    let whole = texts(answer["result"] as? [[String: Any]] ?? [])
    let bytes = Array(messed.utf8)
    var places = bytes.indices.filter {
      [UInt8(ascii: ";"), UInt8(ascii: "}"), UInt8(ascii: "\n")].contains(bytes[$0])
    }
    // Every so many, if there are many.
    let step = max(1, places.count / 25)
    places = places.enumerated().filter { $0.offset.isMultiple(of: step) }.map(\.element)
    for place in places {
      let character = String(decoding: [bytes[place]], as: UTF8.self)
      let found = try edits(afterTyping: character, at: place + 1, of: messed, &client)
      #expect(texts(found).isSubset(of: whole))
      let cursor = DocumentText(bytes, .utf16).position(of: place + 1)
      for edit in found {
        let end = try #require(edit.value("range", "end", "line") as? Int)
        #expect(end <= cursor.line)
      }
    }
  }
}
