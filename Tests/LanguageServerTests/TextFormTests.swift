import Foundation
import LanguageServer
import TestSupport
import Testing

/// Texts with a byte order mark, and with other line endings than LF, stay what they are.
@Suite("Edits of the language server in texts with a byte order mark or other line endings")
struct TextFormTests {
  static let forms = ["", "\u{FEFF}"].flatMap { mark in ["\n", "\r\n", "\r"].map { (mark, $0) } }

  /// The results of the code actions of a kind at a line.
  private func results(
    _ text: String, line: Int, kind: String, _ client: inout EditorClient, _ encoding: PositionEncoding = .utf16
  ) throws -> [(title: String, result: String)] {
    client.open("/w/a.fbs", text)
    let params = client.document("/w/a.fbs").merging([
      "range": ["start": ["line": line, "character": 0], "end": ["line": line, "character": 99]],
      "context": ["diagnostics": [], "only": [kind]],
    ]) { $1 }
    let actions = try #require(client.request("textDocument/codeAction", params) as? [[String: Any]])
    return try actions.map { action in
      let edits = try #require(action.value("edit", "changes", "file:///w/a.fbs") as? [[String: Any]])
      return (try #require(action["title"] as? String), try apply(edits, to: text, encoding))
    }
  }

  @Test("A comment that silences a finding comes behind the mark, and its line ends as the others do", arguments: forms)
  func silencing(_ mark: String, _ lineEnd: String) throws {
    for indentation in ["", "  "] {
      let text = mark + indentation + ["table bad_name {", "  a: int;", "}", ""].joined(separator: lineEnd)
      for encoding in [PositionEncoding.utf16, .utf8] {
        var client = try EditorClient(
          options: ["emit": ["bfbs"]], capabilities: ["general": ["positionEncodings": [encoding.rawValue]]])
        client.open("/w/a.fbs", text)
        client.run()
        #expect(client.codes("/w/a.fbs") == ["type-case"])
        let found = try results(text, line: 0, kind: "quickfix", &client, encoding)
        let comment = indentation + "// dflatc:allow type-case say why this is meant" + lineEnd
        #expect(found.map(\.result) == [mark + comment + text.dropFirst(mark.count)])
        client.change("/w/a.fbs", to: try #require(found.first?.result))
        client.run()
        #expect(client.codes("/w/a.fbs") == [])
      }
    }
  }

  @Test("A declaration of an attribute comes behind the mark, and its line ends as the others do", arguments: forms)
  func declaring(_ mark: String, _ lineEnd: String) throws {
    let include = "include \"b.fbs\";"
    for before in [[], [include]] {
      let lines = before + ["table T {", "  a: int (mine);", "}", ""]
      var client = try EditorClient(["/w/b.fbs": "table B { a: int; }"], options: ["lint": false, "emit": ["bfbs"]])
      let found = try results(
        mark + lines.joined(separator: lineEnd), line: before.count + 1, kind: "quickfix", &client)
      let expected = before + ["attribute \"mine\";"] + lines[before.count...]
      #expect(found.map(\.result) == [mark + expected.joined(separator: lineEnd)])
    }
  }

  @Test("Every other edit of code actions and of formatting keeps the line endings of the text", arguments: forms)
  func others(_ mark: String, _ lineEnd: String) throws {
    for name in FormattingTests.fixtures {
      let data = try Data(contentsOf: packageFolder.appendingPathComponent("Fixtures/\(name)"))
      guard let fixture = String(data: data, encoding: .utf8), fixture.utf8.count < 2_000, !fixture.contains("\r")
      else {
        continue
      }
      let text = mark + fixture.replacingOccurrences(of: "\n", with: lineEnd)
      guard text.contains(lineEnd) else { continue }
      var client = try EditorClient(options: ["emit": ["accessors"]])
      let lines = fixture.components(separatedBy: "\n").count
      for line in stride(from: 0, to: lines, by: max(1, lines / 4)) {
        for kind in ["quickfix", "refactor.rewrite", "source.fixAll"] {
          for (title, result) in try results(text, line: line, kind: kind, &client) {
            let rest = result.replacingOccurrences(of: lineEnd, with: "")
            #expect(!rest.contains { $0.isNewline }, "\(name): \(title)")
            // `JSONSerialization` leaves the mark out of a text that replaces the whole document.
            guard kind != "source.fixAll" else { continue }
            #expect(
              mark.isEmpty || result.hasPrefix(mark) && !result.dropFirst().contains("\u{FEFF}"), "\(name): \(title)")
          }
        }
      }
    }
  }
}
