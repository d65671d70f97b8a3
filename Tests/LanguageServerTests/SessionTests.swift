import Foundation
import LanguageServer
import Testing

@Suite("A session of the language server")
struct SessionTests {
  private static let wrong = "table T { a: Nothing; }\n"
  private static let right = "table T {\n  a: int;\n}\n"

  @Test("Positions count in UTF-8 if the client can, else in UTF-16")
  func encoding() throws {
    for (offered, chosen) in [(nil, "utf-16"), (["utf-16"], "utf-16"), (["utf-16", "utf-8"], "utf-8")] {
      var client = try EditorClient(isInitialized: false)
      let capabilities: [String: Any] = offered.map { ["general": ["positionEncodings": $0]] } ?? [:]
      let result = try client.request("initialize", ["capabilities": capabilities]) as? [String: Any]
      #expect(result?.value("capabilities", "positionEncoding") as? String == chosen)
    }
  }

  @Test("Settings that are malformed are ignored, with a message, and an empty list stands for none")
  func malformedSettings() throws {
    for (given, isMistake) in [([] as [Any] as Any, false), (["lint": "no"] as [String: Any] as Any, true)] {
      var client = try EditorClient(isInitialized: false)
      let result = try client.request(
        "initialize", ["capabilities": [:] as [String: Any], "initializationOptions": given])
      #expect((result as? [String: Any])?["capabilities"] != nil)
      func isTold(_ message: [String: Any]) -> Bool {
        (message.value("params", "message") as? String)?.contains("the settings are ignored: `lint`") == true
      }
      #expect(client.received.contains(where: isTold) == isMistake)
      client.received = []
      client.notify("workspace/didChangeConfiguration", ["settings": ["dflatc": given]])
      client.run()
      #expect(client.received.contains(where: isTold) == isMistake)
    }
  }

  @Test("Before `initialize` and after `shutdown` requests are refused, and a second `initialize` is")
  func lifecycle() throws {
    var client = try EditorClient(isInitialized: false)
    #expect(try client.errorCode("textDocument/hover", client.place("/w/a.fbs", 0, 0)) == -32002)
    client.open("/w/a.fbs", Self.wrong)
    client.run()
    #expect(client.diagnostics("/w/a.fbs") == nil)
    _ = try client.request("initialize", ["capabilities": [:]])
    #expect(try client.errorCode("initialize", ["capabilities": [:]]) == -32600)
    #expect(try client.request("shutdown", [:]) is NSNull)
    #expect(try client.errorCode("textDocument/hover", client.place("/w/a.fbs", 0, 0)) == -32600)
    #expect(client.session.exitCode == nil)
    client.notify("exit", [:])
    client.run()
    #expect(client.session.exitCode == 0)
  }

  @Test("A client that exits without `shutdown` leaves exit code 1")
  func exit() throws {
    var client = try EditorClient()
    client.notify("exit", [:])
    client.run()
    #expect(client.session.exitCode == 1)
  }

  @Test(
    "Bytes that are no message are answered with an error, and the session goes on",
    arguments: [
      ("", -32700), ("{", -32700), ("\"x\"", -32600), ("[]", -32600), ("{}", -32600), (#"{"id": {}}"#, -32600),
      ("{\"id\": 1, \"method\": \"textDocument/hover\", \"params\": 5}", -32602),
      ("{\"id\": 1, \"method\": \"textDocument/hover\"}", -32602),
      ("{\"id\": \"x\", \"method\": \"textDocument/none\", \"params\": {}}", -32601), ("\u{FFFD}", -32700),
      (String(repeating: "[", count: 100_000), -32700),
    ])
  func malformed(_ text: String, _ code: Int) throws {
    var client = try EditorClient()
    client.session.enqueue(Array(text.utf8))
    client.run()
    #expect(client.received.last?.value("error", "code") as? Int == code, "\(client.received)")
    client.open("/w/a.fbs", Self.wrong)
    client.run()
    #expect(client.codes("/w/a.fbs")?.isEmpty == false)
  }

  @Test("Unknown notifications, answers and changes of a document that is not open do nothing")
  func ignored() throws {
    var client = try EditorClient()
    client.received = []
    client.notify("$/unknown", [:])
    client.notify("textDocument/didChange", ["contentChanges": 3])
    client.change("/w/none.fbs", to: Self.wrong)
    client.close("/w/none.fbs")
    client.enqueue(["jsonrpc": "2.0", "id": 99, "result": NSNull()])
    client.run()
    #expect(client.received.isEmpty)
  }

  @Test("A request about a document that is neither open nor a file has the result null, or nothing in it")
  func unknownDocument() throws {
    var client = try EditorClient()
    #expect(try client.request("textDocument/hover", client.place("/w/a.fbs", 3, 3)) is NSNull)
    #expect(try client.request("textDocument/formatting", client.document("/w/a.fbs")) is NSNull)
    #expect((try client.request("textDocument/completion", client.place("/w/a.fbs", 3, 3)) as? [Any])?.isEmpty == true)
  }

  @Test("A document may be named by a URI without an authority, and by another URI of the same path later")
  func shortURI() throws {
    var client = try EditorClient(["/w/b c.fbs": "include \"a b.fbs\";\n"])
    client.notify(
      "textDocument/didOpen",
      ["textDocument": ["uri": "file:/w/a%20b.fbs", "languageId": "fbs", "version": 1, "text": Self.wrong]])
    client.run()
    let sent = try #require(client.received.last { $0["method"] as? String == "textDocument/publishDiagnostics" })
    #expect(sent.value("params", "uri") as? String == "file:/w/a%20b.fbs")
    #expect((sent.value("params", "diagnostics") as? [Any])?.isEmpty == false)
    client.change("/w/a b.fbs", to: "table Changed {\n  a: int;\n}\n")
    let uri = ["textDocument": ["uri": "file:/w/a%20b.fbs"]]
    let symbols = try client.request("textDocument/documentSymbol", uri) as? [[String: Any]]
    #expect(symbols?.first?["name"] as? String == "Changed")
    // A file that is not open is read by such a URI, too.
    let links =
      try client.request(
        "textDocument/documentLink", ["textDocument": ["uri": "file:/w/b%20c.fbs"]]) as? [[String: Any]]
    #expect(links?.first?["target"] as? String == "file:/w/a%20b.fbs")
  }

  @Test("A file that is not open is read")
  func closedDocument() throws {
    var client = try EditorClient(["/w/a.fbs": Self.right])
    let hover = try client.request("textDocument/hover", client.place("/w/a.fbs", 0, 6)) as? [String: Any]
    #expect((hover?.value("contents", "value") as? String)?.contains("table T") == true)
  }

  @Test("A request that is cancelled before its turn is answered with an error, once")
  func cancellation() throws {
    var client = try EditorClient(["/w/a.fbs": Self.right])
    let first = client.send("textDocument/hover", client.place("/w/a.fbs", 0, 6))
    let second = client.send("textDocument/hover", client.place("/w/a.fbs", 0, 6))
    client.notify("$/cancelRequest", ["id": second])
    client.notify("$/cancelRequest", ["id": 12_345])
    client.run()
    #expect(try client.takeAnswer(first)["result"] != nil)
    #expect(try client.takeAnswer(second).value("error", "code") as? Int == -32800)
    #expect(!client.received.contains { $0["id"] as? Int == second })
  }

  @Test("A request that a change has overtaken is answered with an error, and one that asks for edits is not")
  func overtaken() throws {
    var client = try EditorClient()
    client.open("/w/a.fbs", "table T{}\n")
    client.open("/w/b.fbs", "table U{}\n")
    let old = client.send("textDocument/documentSymbol", client.document("/w/a.fbs"))
    let other = client.send("textDocument/documentSymbol", client.document("/w/b.fbs"))
    let formatting = client.send("textDocument/formatting", client.document("/w/a.fbs"))
    client.change("/w/a.fbs", to: "table V{}\n")
    let new = client.send("textDocument/documentSymbol", client.document("/w/a.fbs"))
    client.run()
    #expect(try client.takeAnswer(old).value("error", "code") as? Int == -32801)
    #expect(try client.takeAnswer(other)["result"] is [Any])
    #expect((try client.takeAnswer(formatting)["result"] as? [Any])?.isEmpty == false)
    let symbols = try client.takeAnswer(new)["result"] as? [[String: Any]]
    #expect(symbols?.first?["name"] as? String == "V")
  }

  @Test("Of requests for diagnostics that come together, the last is answered, and the others need not be repeated")
  func repeatedPulls() throws {
    var client = try EditorClient(capabilities: ["textDocument": ["diagnostic": [:] as [String: Any]]])
    client.open("/w/a.fbs", Self.right)
    client.open("/w/b.fbs", Self.right)
    var pulls: [Int] = []
    for version in 2...20 {
      client.change("/w/a.fbs", to: version == 20 ? Self.wrong : Self.right, version: version)
      pulls.append(client.send("textDocument/diagnostic", client.document("/w/a.fbs")))
    }
    let other = client.send("textDocument/diagnostic", client.document("/w/b.fbs"))
    // Without another request, a change leaves the client its answer.
    client.change("/w/b.fbs", to: Self.wrong)
    client.run()
    for id in pulls.dropLast() {
      let answer = try client.takeAnswer(id)
      #expect(answer.value("error", "code") as? Int == -32802)
      #expect(answer.value("error", "data", "retriggerRequest") as? Bool == false)
    }
    let last = try client.takeAnswer(try #require(pulls.last))
    #expect((last.value("result", "items") as? [Any])?.count == 1)
    #expect((try client.takeAnswer(other).value("result", "items") as? [Any])?.isEmpty == true)
  }

  @Test("A change overtakes a request for code actions, and no completion, which VS Code filters by what is typed")
  func overtakenActions() throws {
    var client = try EditorClient()
    client.open("/w/a.fbs", Self.right)
    let range: [String: Any] = ["start": ["line": 0, "character": 0], "end": ["line": 0, "character": 0]]
    let actions = client.send(
      "textDocument/codeAction", client.document("/w/a.fbs").merging(["range": range, "context": [:]]) { $1 })
    let completion = client.send("textDocument/completion", client.place("/w/a.fbs", 0, 0))
    client.change("/w/a.fbs", to: Self.wrong)
    client.run()
    #expect(try client.takeAnswer(actions).value("error", "code") as? Int == -32801)
    #expect(try client.takeAnswer(completion)["result"] is [Any])
  }

  @Test("Diagnostics are computed once for changes that come together, for the last of them")
  func joined() throws {
    var client = try EditorClient()
    client.open("/w/a.fbs", Self.right)
    client.run()
    client.received = []
    for version in 2...20 { client.change("/w/a.fbs", to: version == 20 ? Self.wrong : Self.right, version: version) }
    client.run()
    #expect(client.received.count == 1)
    #expect(client.received.first?.value("params", "version") as? Int == 20)
    #expect(client.codes("/w/a.fbs")?.isEmpty == false)
  }

  @Test("A log has a line for each message, and none is kept without one")
  func log() throws {
    let host = MemoryHost()
    var logging = LanguageServerSession(host: host, isLogging: true)
    logging.enqueue(Array("{\"id\": 1, \"method\": \"x\"}".utf8))
    _ = logging.step()
    #expect(logging.takeLog().count == 2)
    #expect(logging.takeLog().isEmpty)
    var silent = LanguageServerSession(host: host)
    silent.enqueue(Array("{\"id\": 1, \"method\": \"x\"}".utf8))
    _ = silent.step()
    #expect(silent.takeLog().isEmpty)
  }

  @Test("The client is told once of a missing emitter, and of a configuration that cannot be used")
  func settings() throws {
    var client = try EditorClient(options: ["emit": ["accesors"]])
    #expect((client.received.last?.value("params", "message") as? String)?.contains("did you mean accessors?") == true)
    client.received = []
    client.host.settings.mistake = "it is broken"
    client.open("/w/a.fbs", Self.right)
    client.open("/w/b.fbs", Self.right)
    client.run()
    let messages = client.received.filter { $0["method"] as? String == "window/showMessage" }
    #expect(messages.compactMap { $0.value("params", "message") as? String } == ["dflatc: it is broken"])
  }

  @Test(
    "A mistake in the configuration is told without the linter, too, and again when it comes back",
    arguments: [true, false])
  func mistakes(_ lints: Bool) throws {
    var client = try EditorClient(options: ["lint": lints])
    client.received = []
    client.open("/w/a.fbs", Self.right)
    client.run()
    for mistake in ["it is broken", nil, "it is broken", "it is otherwise", "it is otherwise"] {
      client.host.settings.mistake = mistake
      client.notify("workspace/didChangeWatchedFiles", ["changes": []])
      client.run()
    }
    let messages = client.received.filter { $0["method"] as? String == "window/showMessage" }
    #expect(
      messages.compactMap { $0.value("params", "message") as? String } == [
        "dflatc: it is broken", "dflatc: it is broken", "dflatc: it is otherwise",
      ])
  }
}
