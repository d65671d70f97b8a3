import Foundation
import LanguageServer
import Testing

@Suite("The call hierarchy of includes in the language server")
struct IncludeHierarchyTests {
  private static let files = [
    "/w/base.fbs": "table Base {\n  a: int;\n}\n",
    "/w/sub/post.fbs": "include \"../base.fbs\";\n/* twice */ include \"../base.fbs\" ;\ntable Post {\n  b: Base;\n}\n",
    "/w/top.fbs": "include \"sub/post.fbs\";\ninclude \"base.fbs\"\ntable Top {\n  post: Post;\n}\n",
    "/far/own.fbs": "include \"../w/base.fbs\";\ntable Own {\n  base: Base;\n}\n",
  ]

  private func prepare(
    _ client: inout EditorClient, _ path: String, _ line: Int, _ character: Int
  ) throws -> [String: Any] {
    let result = try client.request("textDocument/prepareCallHierarchy", client.place(path, line, character))
    let items = try #require(result as? [[String: Any]])
    #expect(items.count == 1)
    return try #require(items.first)
  }

  /// The calls of an item, each as `name detail: ranges`.
  private func calls(_ client: inout EditorClient, _ direction: String, _ item: [String: Any]) throws -> [String] {
    let result = try client.request("callHierarchy/\(direction)Calls", ["item": item])
    return try #require(result as? [[String: Any]]).map { call in
      let other = try #require(call[direction == "incoming" ? "from" : "to"] as? [String: Any])
      let ranges = try #require(call["fromRanges"] as? [[String: Any]]).map { $0.rangeText ?? "?" }
      let name = [other["name"], other["detail"]].compactMap { $0 as? String }.joined(separator: " ")
      return "\(name): \(ranges.joined(separator: ", "))"
    }
  }

  @Test("The server announces the hierarchy")
  func capability() throws {
    var client = try EditorClient(isInitialized: false)
    let result = try client.request("initialize", ["capabilities": [:]]) as? [String: Any]
    #expect(result?.value("capabilities", "callHierarchyProvider") as? Bool == true)
  }

  @Test("The item is the document, and at the path of an include the file that it names")
  func items() throws {
    var client = try EditorClient(Self.files)
    client.open("/w/sub/post.fbs")
    let own = try prepare(&client, "/w/sub/post.fbs", 0, 0)
    #expect(own["name"] as? String == "post.fbs" && own["detail"] as? String == "sub" && own["kind"] as? Int == 1)
    #expect(own["uri"] as? String == "file:///w/sub/post.fbs")
    #expect((own["range"] as? [String: Any])?.rangeText == "0:0-5:0")
    #expect((own["selectionRange"] as? [String: Any])?.rangeText == "0:0-0:0")
    let included = try prepare(&client, "/w/sub/post.fbs", 0, 12)
    #expect(included["uri"] as? String == "file:///w/base.fbs" && included["detail"] == nil)
    #expect((included["range"] as? [String: Any])?.rangeText == "0:0-3:0")
  }

  @Test("Outgoing calls are the files that a file includes, each once with all of its statements")
  func outgoing() throws {
    var client = try EditorClient(Self.files)
    client.open("/w/top.fbs")
    let top = try prepare(&client, "/w/top.fbs", 3, 0)
    #expect(try calls(&client, "outgoing", top) == ["post.fbs sub: 0:0-0:23", "base.fbs: 1:0-1:18"])
    // The file is not open.
    let post = try prepare(&client, "/w/top.fbs", 0, 12)
    #expect(try calls(&client, "outgoing", post) == ["base.fbs: 0:0-0:22, 1:12-1:35"])
    #expect(try calls(&client, "outgoing", try prepare(&client, "/w/top.fbs", 1, 12)) == [])
  }

  @Test("Incoming calls are the files of the workspace that include a file, saved or not, and open ones elsewhere")
  func incoming() throws {
    var client = try EditorClient(Self.files)
    client.open("/w/top.fbs")
    let base = try prepare(&client, "/w/top.fbs", 1, 12)
    let saved = ["post.fbs sub: 0:0-0:22, 1:12-1:35", "top.fbs: 1:0-1:18"]
    #expect(try calls(&client, "incoming", base) == saved)
    client.open("/w/new.fbs", "include \"base.fbs\";\n")
    client.open("/far/own.fbs")
    let all = try calls(&client, "incoming", base)
    #expect(all == ["own.fbs /far: 0:0-0:24", "new.fbs: 0:0-0:19"] + saved)
    // Statements that are not saved count, in texts with errors, too.
    client.change("/w/top.fbs", to: "include \"sub/post.fbs\";\ntable Top { post: ")
    client.change("/w/new.fbs", to: "include \"top.fbs\";\n\ninclude \"base.fbs\";\n")
    #expect(try calls(&client, "incoming", base) == ["own.fbs /far: 0:0-0:24", "new.fbs: 2:0-2:19", saved[0]])
    let top = try prepare(&client, "/w/top.fbs", 1, 0)
    #expect(try calls(&client, "incoming", top) == ["new.fbs: 0:0-0:18"])
  }

  @Test("Files that include each other call each other, and a missing include is no call")
  func circle() throws {
    var client = try EditorClient([
      "/w/a.fbs": "include \"b.fbs\";\ninclude \"none.fbs\";\n", "/w/b.fbs": "include \"a.fbs\";\n",
    ])
    let item = try prepare(&client, "/w/a.fbs", 2, 0)
    #expect(try calls(&client, "outgoing", item) == ["b.fbs: 0:0-0:16"])
    #expect(try calls(&client, "incoming", item) == ["b.fbs: 0:0-0:16"])
  }

  @Test("A file that is gone has no items and no outgoing calls")
  func gone() throws {
    var client = try EditorClient()
    #expect(
      try client.request("textDocument/prepareCallHierarchy", client.place("/w/a.fbs", 0, 0)) is NSNull)
    let item = ["item": ["uri": "file:///w/a.fbs"]]
    #expect(try client.request("callHierarchy/outgoingCalls", item) is NSNull)
    #expect((try client.request("callHierarchy/incomingCalls", item) as? [Any])?.isEmpty == true)
    #expect(try client.errorCode("callHierarchy/incomingCalls", ["item": 1]) == -32602)
  }
}
