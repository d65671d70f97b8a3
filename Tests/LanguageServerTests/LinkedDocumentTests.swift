import Foundation
import LanguageServer
import Testing

/// Documents below a folder that is a link: `/w` leads to `/real`.
@Suite("Documents behind links in the language server")
struct LinkedDocumentTests {
  private static let text = "table T {\n  a: int;\n}\n"

  private func client(_ files: [String: String] = [:]) throws -> EditorClient {
    let client = try EditorClient(files, options: ["emit": ["accessors"]])
    client.host.links = ["/w": "/real"]
    return client
  }

  @Test("A document stays open when its file is created, so that changes, requests and its end find it")
  func createdFile() throws {
    var client = try client()
    client.open("/w/new.fbs", Self.text)
    client.open("/w/user.fbs", "include \"new.fbs\";\ntable U {\n  t: T;\n}\n")
    client.run()
    #expect(client.codes("/w/new.fbs") == [])
    client.host.files.files["/real/new.fbs"] = Array(Self.text.utf8)
    client.change("/w/new.fbs", to: "table X {a: Nothing;}\n")
    client.run()
    #expect(client.codes("/w/new.fbs") == ["D0204"])
    #expect(client.codes("/w/user.fbs")?.isEmpty == false)
    let symbols = try client.request("textDocument/documentSymbol", client.document("/w/new.fbs")) as? [[String: Any]]
    #expect(symbols?.first?["name"] as? String == "X")
    client.close("/w/new.fbs")
    client.run()
    #expect(client.codes("/w/new.fbs") == [] && client.codes("/w/user.fbs") == [])
  }

  @Test("A document stays open when its file is deleted, or the link leads elsewhere")
  func goneFile() throws {
    var client = try client(["/real/a.fbs": Self.text, "/other/a.fbs": Self.text])
    client.open("/w/a.fbs", Self.text)
    client.run()
    for links in [["/w": "/other"], [:], ["/w": "/real"]] {
      client.host.links = links
      client.change("/w/a.fbs", to: "table X { a: Nothing; }\n")
      client.run()
      #expect(client.codes("/w/a.fbs")?.contains("D0204") == true, "\(links)")
      client.notify("workspace/didChangeWatchedFiles", ["changes": []])
      client.change("/w/a.fbs", to: Self.text)
      client.run()
      #expect(client.codes("/w/a.fbs") == [], "\(links)")
    }
  }

  @Test("Two documents of one file keep their texts, and for others the one counts that was changed last")
  func twoDocuments() throws {
    var client = try client(["/real/a.fbs": Self.text])
    client.open("/w/a.fbs", "table T {a: int;}\n")
    client.open("/real/a.fbs", Self.text)
    client.open("/w/user.fbs", "include \"a.fbs\";\ntable U {\n  t: T;\n}\n")
    client.change("/real/a.fbs", to: "table Other { a: Nothing; }\n")
    client.run()
    #expect(client.codes("/real/a.fbs")?.contains("D0204") == true)
    #expect(client.codes("/w/a.fbs") == [])
    #expect(client.codes("/w/user.fbs")?.isEmpty == false)
    let edits = try client.request("textDocument/formatting", client.document("/w/a.fbs")) as? [[String: Any]]
    #expect(try apply(try #require(edits), to: "table T {a: int;}\n") == "table T { a: int; }\n")
    client.change("/w/a.fbs", to: Self.text)
    client.run()
    #expect(client.codes("/w/user.fbs") == [])
    // A position in the text that does not count means nothing in the workspace.
    let rename = client.place("/real/a.fbs", 0, 6).merging(["newName": "X"]) { $1 }
    #expect(try client.errorCode("textDocument/rename", rename) == -32803)
    client.close("/w/a.fbs")
    client.run()
    #expect(client.codes("/real/a.fbs")?.contains("D0204") == true)
    #expect(client.codes("/w/user.fbs")?.isEmpty == false)
  }
}
