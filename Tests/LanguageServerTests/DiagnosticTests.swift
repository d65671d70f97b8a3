import Foundation
import LanguageServer
import SchemaLinting
import Testing

@Suite("Diagnostics of the language server")
struct DiagnosticTests {
  @Test("A diagnostic has what the compiler says: place, code, advice, notes, and the places of its labels")
  func content() throws {
    var client = try EditorClient()
    client.host.pages = "https://example.com/pages"
    client.open("/w/a.fbs", "table T {\n  a: int;\n  \u{1F600}\n}\ntable T {}\n")
    client.run()
    client.change("/w/a.fbs", to: "/* \u{1F600} */ table T { a: int; }\ntable T { b: int; }\n")
    client.run()
    let diagnostics = try #require(client.diagnostics("/w/a.fbs"))
    let first = try #require(diagnostics.first { $0["code"] as? String == "D0205" } ?? diagnostics.first)
    #expect((first["range"] as? [String: Any])?.rangeText == "1:6-1:7")
    #expect(first["severity"] as? Int == 1 && first["source"] as? String == "dflatc")
    let code = try #require(first["code"] as? String)
    #expect(
      first.value("codeDescription", "href") as? String
        == "https://example.com/pages/diagnostics.md#\(code.lowercased())")
    #expect((first["message"] as? String)?.contains("`T`") == true)
    let related = try #require((first["relatedInformation"] as? [[String: Any]])?.first)
    #expect((related.value("location", "range") as? [String: Any])?.rangeText == "0:15-0:16")
    #expect(related.value("location", "uri") as? String == "file:///w/a.fbs")
  }

  @Test("Findings of the linter come with the compiler's, unless they are switched off")
  func lint() throws {
    let text = "table bad_name {\n  a: int;\n}\n"
    var client = try EditorClient()
    client.host.pages = "https://example.com/pages/"
    client.open("/w/a.fbs", text)
    client.run()
    #expect(client.codes("/w/a.fbs") == ["type-case"])
    #expect(
      client.diagnostics("/w/a.fbs")?.first?.value("codeDescription", "href") as? String
        == "https://example.com/pages/lint-rules.md#type-case")
    client.notify("workspace/didChangeConfiguration", ["settings": ["dflatc": ["lint": false]]])
    client.run()
    #expect(client.codes("/w/a.fbs") == [])
  }

  @Test("The rules of lint are those of the team")
  func configuration() throws {
    var client = try EditorClient()
    client.host.settings.lint.set(try #require(LintRule.named("type-case")), to: .off)
    client.open("/w/a.fbs", "table bad_name {\n  a: int;\n}\n")
    client.run()
    #expect(client.codes("/w/a.fbs") == [])
  }

  @Test("The rules of the store hold unless other emitters are named")
  func emitters() throws {
    let text = "table T {\n  a: int;\n}\nroot_type T;\n"
    var store = try EditorClient()
    store.open("/w/a.fbs", text)
    store.run()
    #expect(store.codes("/w/a.fbs")?.isEmpty == false)
    var other = try EditorClient(options: ["emit": ["accessors"]])
    other.open("/w/a.fbs", text)
    other.run()
    #expect(other.codes("/w/a.fbs") == [])
  }

  @Test("An unsaved include counts, and who includes it is looked at again after each of its changes")
  func includes() throws {
    var client = try EditorClient(["/w/b.fbs": "table Old {\n  a: int;\n}\n"])
    client.open("/w/a.fbs", "include \"b.fbs\";\ntable T {\n  a: New;\n}\n")
    client.open("/w/c.fbs", "table U {\n  a: int;\n}\n")
    client.run()
    #expect(client.codes("/w/a.fbs")?.isEmpty == false)
    client.open("/w/b.fbs")
    client.run()
    client.received = []
    client.change("/w/b.fbs", to: "table New {\n  a: int;\n}\n")
    client.run()
    #expect(client.codes("/w/a.fbs") == [])
    #expect(client.codes("/w/c.fbs") == nil)
    client.close("/w/b.fbs")
    client.run()
    #expect(client.codes("/w/a.fbs")?.isEmpty == false)
  }

  @Test("A document that was never saved is found by the one that includes it")
  func neverSaved() throws {
    var client = try EditorClient()
    client.open("/w/a.fbs", "include \"new.fbs\";\ntable T {\n  a: New;\n}\n")
    client.run()
    #expect(client.codes("/w/a.fbs")?.contains("D0201") == true)
    client.open("/w/new.fbs", "table New {\n  a: int;\n}\n")
    client.run()
    #expect(client.codes("/w/a.fbs") == [])
  }

  @Test("Mistakes of a file that is not open are shown there while a document includes it")
  func closedInclude() throws {
    var client = try EditorClient(["/w/b c%.fbs": "table Old { a: Nothing; }\n"])
    client.open("/w/a.fbs", "include \"b c%.fbs\";\ntable T {\n  a: Old;\n}\n")
    client.run()
    #expect(client.codes("/w/b c%.fbs")?.isEmpty == false)
    client.change("/w/a.fbs", to: "table T {\n  a: int;\n}\n")
    client.run()
    #expect(client.codes("/w/b c%.fbs") == [])
  }

  @Test("A file that changes on disk is read again when the client says so")
  func watched() throws {
    var client = try EditorClient(
      ["/w/b.fbs": "table Old {\n  a: int;\n}\n"],
      capabilities: ["workspace": ["didChangeWatchedFiles": ["dynamicRegistration": true]]])
    #expect(client.received.contains { $0["method"] as? String == "client/registerCapability" })
    client.open("/w/a.fbs", "include \"b.fbs\";\ntable T {\n  a: New;\n}\n")
    client.run()
    client.host.files.files["/w/b.fbs"] = Array("table New {\n  a: int;\n}\n".utf8)
    client.notify("workspace/didChangeWatchedFiles", ["changes": [["uri": "file:///w/b.fbs", "type": 2]]])
    client.run()
    #expect(client.codes("/w/a.fbs") == [])
  }

  @Test("A client that pulls is sent nothing by itself, and is told whether its report is the newest")
  func pull() throws {
    var client = try EditorClient(
      ["/w/b.fbs": "table Old { a: Nothing; }\n"],
      capabilities: [
        "textDocument": ["diagnostic": ["relatedDocumentSupport": true]],
        "workspace": ["diagnostics": ["refreshSupport": true]],
      ])
    client.open("/w/a.fbs", "include \"b.fbs\";\ntable T {\n  a: Nowhere;\n}\n")
    client.run()
    #expect(client.diagnostics("/w/a.fbs") == nil)
    let report = try client.request("textDocument/diagnostic", client.document("/w/a.fbs")) as? [String: Any]
    #expect(report?["kind"] as? String == "full")
    #expect((report?["items"] as? [Any])?.count == 1)
    #expect((report?.value("relatedDocuments", "file:///w/b.fbs", "items") as? [Any])?.isEmpty == false)
    let id = try #require(report?["resultId"] as? String)
    let second = try client.request(
      "textDocument/diagnostic", client.document("/w/a.fbs").merging(["previousResultId": id]) { $1 })
    #expect((second as? [String: Any])?["kind"] as? String == "unchanged")
    client.open("/w/b.fbs")
    client.run()
    client.received = []
    client.change("/w/b.fbs", to: "table Nowhere {\n  a: int;\n}\n")
    client.run()
    #expect(client.received.map { $0["method"] as? String } == ["workspace/diagnostic/refresh"])
    // Of a change on the disk a client knows nothing, also with one document.
    client.close("/w/b.fbs")
    client.run()
    client.received = []
    client.notify("workspace/didChangeWatchedFiles", ["changes": []])
    client.run()
    #expect(client.received.map { $0["method"] as? String } == ["workspace/diagnostic/refresh"])
  }

  @Test("A client that pulls is told when an included file has become clean, unless another document still reports it")
  func pullOfMendedInclude() throws {
    let wrong = "table Old { a: Nothing; }\n"
    var client = try EditorClient(
      ["/w/b.fbs": wrong], capabilities: ["textDocument": ["diagnostic": ["relatedDocumentSupport": true]]])
    // Of each document, the ID of its last report.
    var ids: [String: String] = [:]
    func pull(_ path: String) throws -> [Any]? {
      var params = client.document(path)
      params["previousResultId"] = ids[path]
      let report = try client.request("textDocument/diagnostic", params) as? [String: Any]
      ids[path] = report?["resultId"] as? String
      return report?.value("relatedDocuments", "file:///w/b.fbs", "items") as? [Any]
    }
    for path in ["/w/a.fbs", "/w/c.fbs"] {
      client.open(path, "include \"b.fbs\";\ntable \(path == "/w/a.fbs" ? "A" : "C") {\n  old: Old;\n}\n")
      #expect(try pull(path)?.isEmpty == false)
    }
    client.host.files.files["/w/b.fbs"] = Array("table Old {\n  a: int;\n}\n".utf8)
    client.notify("workspace/didChangeWatchedFiles", ["changes": []])
    // The report of the other document is not replaced yet.
    #expect(try pull("/w/a.fbs") == nil)
    #expect(try pull("/w/c.fbs")?.isEmpty == true)
    #expect(try pull("/w/c.fbs") == nil)
    client.host.files.files["/w/b.fbs"] = Array(wrong.utf8)
    client.notify("workspace/didChangeWatchedFiles", ["changes": []])
    #expect(try pull("/w/a.fbs")?.isEmpty == false)
  }

  @Test("A client that pulls is told that an included file is clean when the document that reported it is closed")
  func pullAfterClosing() throws {
    var client = try EditorClient(
      ["/w/b.fbs": "table Old { a: Nothing; }\n"],
      capabilities: ["textDocument": ["diagnostic": ["relatedDocumentSupport": true]]])
    func pull(_ path: String, _ previous: String? = nil) throws -> (id: String?, included: [Any]?) {
      var params = client.document(path)
      params["previousResultId"] = previous
      let report = try client.request("textDocument/diagnostic", params) as? [String: Any]
      return (
        report?["resultId"] as? String, report?.value("relatedDocuments", "file:///w/b.fbs", "items") as? [Any]
      )
    }
    let including = "include \"b.fbs\";\ntable A {\n  old: Old;\n}\n"
    client.open("/w/a.fbs", including)
    client.open("/w/c.fbs", "table C {\n  n: int;\n}\n")
    #expect(try pull("/w/a.fbs").included?.isEmpty == false)
    let first = try pull("/w/c.fbs")
    #expect(first.included == nil)
    client.close("/w/a.fbs")
    // The file is called clean until the client has such a report.
    #expect(try pull("/w/c.fbs", first.id).included?.isEmpty == true)
    let second = try pull("/w/c.fbs", first.id)
    #expect(second.included?.isEmpty == true)
    // The document reports the file again, and is closed again.
    client.open("/w/a.fbs", including)
    #expect(try pull("/w/a.fbs").included?.isEmpty == false)
    client.close("/w/a.fbs")
    let third = try pull("/w/c.fbs", second.id)
    #expect(third.included?.isEmpty == true)
    #expect(try pull("/w/c.fbs", third.id).included == nil)
  }

  @Test("A client that drops the report that an included file has become clean gets it again until it has it")
  func pullAfterDroppedReport() throws {
    var client = try EditorClient(
      ["/w/b.fbs": "table Old { a: Nothing; }\n"],
      capabilities: ["textDocument": ["diagnostic": ["relatedDocumentSupport": true]]])
    func pull(_ previous: String?) throws -> (id: String?, included: [Any]?) {
      var params = client.document("/w/a.fbs")
      params["previousResultId"] = previous
      let report = try client.request("textDocument/diagnostic", params) as? [String: Any]
      return (
        report?["resultId"] as? String, report?.value("relatedDocuments", "file:///w/b.fbs", "items") as? [Any]
      )
    }
    let text = "include \"b.fbs\";\ntable A {\n  old: Old;\n}\n"
    client.open("/w/a.fbs", text)
    let first = try pull(nil)
    #expect(first.included?.isEmpty == false)
    client.host.files.files["/w/b.fbs"] = Array("table Old {\n  a: int;\n}\n".utf8)
    client.notify("workspace/didChangeWatchedFiles", ["changes": []])
    #expect(try pull(first.id).included?.isEmpty == true)
    let again = try pull(first.id)
    #expect(again.included?.isEmpty == true)
    // The client now has the report, and needs no other one.
    client.change("/w/a.fbs", to: text + "table A {}\n")
    #expect(try pull(again.id).included == nil)
  }

  @Test("The diagnostics of a closed document are taken back")
  func closed() throws {
    var client = try EditorClient()
    client.open("/w/a.fbs", "table T { a: Nothing; }\n")
    client.run()
    client.close("/w/a.fbs")
    client.run()
    #expect(client.codes("/w/a.fbs") == [])
  }
}
