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
}
