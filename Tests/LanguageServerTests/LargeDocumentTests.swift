import Foundation
import LanguageServer
import TestSupport
import Testing

@Suite("Large documents in the language server")
struct LargeDocumentTests {
  private static let right = "table T {\n  a: int;\n}\n"
  /// More than the server analyzes, in comments.
  private static let large =
    "table T { a: Nothing; }\n"
    + String(repeating: "// a comment of a line, of which there are many\n", count: 170_000)

  private func messages(_ client: EditorClient, _ path: String) -> [String]? {
    client.diagnostics(path)?.compactMap { $0["message"] as? String }
  }

  @Test("A document that is too large is not analyzed, and says so until it is small enough")
  func edited() throws {
    var client = try EditorClient()
    client.open("/w/a.fbs", Self.right)
    client.run()
    #expect(messages(client, "/w/a.fbs") == [])
    client.change("/w/a.fbs", to: Self.large)
    client.run()
    let said = try #require(client.diagnostics("/w/a.fbs"))
    #expect(said.count == 1 && said[0]["code"] == nil && said[0]["severity"] as? Int == 2)
    #expect(
      said[0]["message"] as? String
        == "this document has 8 MB, which is too large to be checked while it is edited: the limit is 8 MB\n"
        + "`dflatc compile` and `dflatc lint` check the file")
    #expect(try client.request("textDocument/documentSymbol", client.document("/w/a.fbs")) is NSNull)
    #expect((try client.request("textDocument/completion", client.place("/w/a.fbs", 0, 13)) as? [Any])?.isEmpty == true)
    // An edit of the large text, which removes all of it but the first line.
    client.notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": "file:///w/a.fbs", "version": 3],
        "contentChanges": [
          ["range": ["start": ["line": 1, "character": 0], "end": ["line": 170_001, "character": 0]], "text": ""]
        ],
      ])
    client.run()
    #expect(client.codes("/w/a.fbs")?.contains("D0204") == true)
  }

  @Test("A change elsewhere does not repeat what is said of a large document")
  func others() throws {
    var client = try EditorClient()
    client.open("/w/a.fbs", Self.large)
    client.open("/w/b.fbs", Self.right)
    client.run()
    client.received = []
    client.change("/w/b.fbs", to: "table U { a: Nothing; }\n")
    client.run()
    #expect(client.diagnostics("/w/a.fbs") == nil)
    #expect(client.codes("/w/b.fbs")?.contains("D0204") == true)
  }

  @Test("A document that includes a large one is analyzed")
  func included() throws {
    var client = try EditorClient()
    client.open("/w/a.fbs", Self.large)
    client.open("/w/b.fbs", "include \"a.fbs\";\ntable U {\n  t: T;\n}\n")
    client.run()
    #expect(client.codes("/w/b.fbs") == [])
    #expect(messages(client, "/w/a.fbs")?.count == 1)
  }

  @Test("The references in a large document are found without a scan of it for each")
  func references() throws {
    let fields = (0..<3_000).map { "  f\($0): Used;\n" }.joined()
    let comment = String(repeating: "// a line of a comment\n", count: 30_000)
    var client = try EditorClient(options: ["emit": ["accessors"], "lint": false])
    client.open("/w/a.fbs", "table Used {\n  a: int;\n}\ntable T {\n\(fields)}\n" + comment)
    // The first request compiles the workspace.
    _ = try client.request("textDocument/references", client.place("/w/a.fbs", 1, 2))
    var found: [Any]?
    // The server of the tests answers on the thread of its client.
    let time = try processorTime {
      found = try client.request("textDocument/references", client.place("/w/a.fbs", 0, 7)) as? [Any]
    }
    #expect(found?.count == 3_001)
    // To scan 700 KB for each reference takes a minute in a debug build.
    #expect(time < .seconds(8))
  }

  /// The ranges around a position from the smallest to the document, in the form of an answer to a request.
  private func ranges(_ selection: [String: Any]?) -> [String] {
    var ranges: [String] = []
    var next = selection
    while let current = next {
      ranges.append((current["range"] as? [String: Any])?.rangeText ?? "?")
      next = current["parent"] as? [String: Any]
    }
    return ranges
  }

  private func selections(_ positions: [(line: Int, character: Int)], _ client: EditorClient) -> [String: Any] {
    client.document("/w/a.fbs").merging(
      ["positions": positions.map { ["line": $0.line, "character": $0.character] }]) { $1 }
  }

  @Test("The ranges around many positions are found without a scan of the document for each")
  func manySelections() throws {
    let count = 6_000
    var client = try EditorClient(options: ["emit": ["accessors"], "lint": false])
    client.open("/w/a.fbs", "table T {\n" + (0..<count).map { "  f\($0): int;\n" }.joined() + "}\n")
    client.run()
    let params = selections((1...5_000).map { ($0, 3) }, client)
    var found: [[String: Any]]?
    // The server of the tests answers on the thread of its client.
    let time = try processorTime {
      found = try client.request("textDocument/selectionRange", params) as? [[String: Any]]
    }
    #expect(found?.count == 5_000)
    #expect(
      ranges(found?.last) == ["5000:2-5000:7", "5000:2-5000:13", "0:0-\(count + 1):1", "0:0-\(count + 2):0"])
    // To scan the tokens before each position and those of the table takes longer in a debug build.
    #expect(time < .seconds(6))
  }

  @Test("A selection among any number of open brackets grows by the innermost ones, and then to the document")
  func deepSelection() throws {
    let count = 20_000
    var client = try EditorClient(options: ["emit": ["accessors"], "lint": false])
    client.open("/w/a.fbs", "table T {\n  a: int " + String(repeating: "(", count: count) + "x\n")
    let params = selections([(1, 9 + count)], client)
    let found = try client.request("textDocument/selectionRange", params) as? [[String: Any]]
    let grown = ranges(found?.first)
    #expect(grown.count > 20 && grown.count < 100, "\(grown.count)")
    #expect(grown.first == "1:\(9 + count)-1:\(10 + count)" && grown.last == "0:0-2:0")
  }

  @Test("More positions than an editor has cursors are refused")
  func tooManySelections() throws {
    var client = try EditorClient()
    client.open("/w/a.fbs", Self.right)
    let most = selections((0..<10_000).map { _ in (1, 2) }, client)
    #expect((try client.request("textDocument/selectionRange", most) as? [Any])?.count == 10_000)
    let tooMany = selections((0...10_000).map { _ in (1, 2) }, client)
    #expect(try client.errorCode("textDocument/selectionRange", tooMany) == -32602)
  }

  @Test("A client that pulls diagnostics gets the same")
  func pulled() throws {
    var client = try EditorClient(
      capabilities: ["textDocument": ["diagnostic": ["relatedDocumentSupport": true]]])
    client.open("/w/a.fbs", Self.large)
    let report = try client.request("textDocument/diagnostic", client.document("/w/a.fbs")) as? [String: Any]
    let items = try #require(report?["items"] as? [[String: Any]])
    #expect(items.count == 1 && (items[0]["message"] as? String)?.contains("too large") == true)
  }
}
