import FBSDiagnostics
import Foundation
import LanguageServer
import Testing

@Suite("Findings against the earlier version by the language server")
struct EvolutionDiagnosticTests {
  private static let text = "table T {\n  a: int;\n}\n"

  /// A client of a host that finds a mistake in the first field of `/w/a.fbs`.
  private func client(
    options: [String: Any] = [:], capabilities: [String: Any] = [:]
  ) throws -> EditorClient {
    let all = ["emit": ["accessors"], "lint": false].merging(options) { $1 } as [String: Any]
    let client = try EditorClient(options: all, capabilities: capabilities)
    let range = SourceRange(file: FileID(0), start: 12, end: 13)
    client.host.answers["/w/a.fbs"] = EvolutionAnswer(diagnostics: [
      Diagnostic(
        DiagnosticCode("field-type", "a type"), .error, "the type changed", at: range,
        fixes: [.init("Put it back", [.init(range, "b")])])
    ])
    return client
  }

  @Test("Findings come after the diagnostics of all documents, and disappear with the next change")
  func order() throws {
    var client = try client()
    client.open("/w/a.fbs", Self.text)
    client.open("/w/b.fbs", Self.text)
    client.run()
    let sent = client.received.filter { $0["method"] as? String == "textDocument/publishDiagnostics" }
    let names = sent.compactMap { ($0.value("params", "uri") as? String)?.suffix(5) }
    #expect(Set(names.prefix(2)) == ["a.fbs", "b.fbs"] && names.dropFirst(2) == ["a.fbs"])
    let counts = sent.compactMap { ($0.value("params", "diagnostics") as? [Any])?.count }
    #expect(counts == [0, 0, 1])
    #expect(client.codes("/w/a.fbs") == ["field-type"])
    client.host.answers = [:]
    client.change("/w/a.fbs", to: Self.text + "\n")
    client.run()
    #expect(client.codes("/w/a.fbs") == [])
  }

  @Test("Documents are compared once for changes that come together, and not with errors")
  func overtaken() throws {
    var client = try client()
    client.open("/w/a.fbs", Self.text)
    for _ in 0..<5 { client.change("/w/a.fbs", to: Self.text + "\n") }
    client.run()
    #expect(client.host.compared == ["/w/a.fbs"])
    client.change("/w/a.fbs", to: "table T {\n  a: Nothing;\n}\n")
    client.run()
    #expect(client.host.compared.count == 1)
    #expect(client.codes("/w/a.fbs")?.contains("field-type") == false)
  }

  @Test("The session tells when nothing but comparisons is left, so that they can wait until the client is quiet")
  func onlyComparisons() throws {
    var client = try client()
    #expect(!client.session.hasOnlyComparisons)
    client.open("/w/a.fbs", Self.text)
    client.open("/w/b.fbs", Self.text)
    client.runUntilComparisons()
    #expect(client.session.hasOnlyComparisons && client.host.compared.isEmpty)
    #expect(client.codes("/w/a.fbs") == [] && client.codes("/w/b.fbs") == [])
    client.received = []
    client.change("/w/b.fbs", to: Self.text + "\n")
    #expect(!client.session.hasOnlyComparisons)
    client.runUntilComparisons()
    #expect(client.session.hasOnlyComparisons && client.host.compared.isEmpty)
    #expect(client.codes("/w/b.fbs") == [])
    client.run()
    #expect(!client.session.hasOnlyComparisons)
    #expect(client.host.compared.sorted() == ["/w/a.fbs", "/w/b.fbs"] && client.codes("/w/a.fbs") == ["field-type"])
  }

  @Test("Findings are left out if the client says so")
  func off() throws {
    var client = try client(options: ["check": false])
    client.open("/w/a.fbs", Self.text)
    client.run()
    #expect(client.host.compared.isEmpty && client.codes("/w/a.fbs") == [])
  }

  @Test(
    "A client that pulls is asked to pull again, or gets them at once if it cannot be asked", arguments: [true, false])
  func pulling(_ isAsked: Bool) throws {
    var client = try client(capabilities: [
      "textDocument": ["diagnostic": [:] as [String: Any]],
      "workspace": ["diagnostics": ["refreshSupport": isAsked]],
    ])
    client.open("/w/a.fbs", Self.text)
    if isAsked {
      client.run()
      #expect(client.received.contains { $0["method"] as? String == "workspace/diagnostic/refresh" })
    }
    let report = try client.request("textDocument/diagnostic", client.document("/w/a.fbs")) as? [String: Any]
    let codes = (report?["items"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
    #expect(codes == ["field-type"])
  }

  @Test("A client that pulls is asked once to pull again if a change of another document has ended the findings")
  func endedByAnotherDocument() throws {
    var client = try client(capabilities: [
      "textDocument": ["diagnostic": [:] as [String: Any]], "workspace": ["diagnostics": ["refreshSupport": true]],
    ])
    func pulled() throws -> [String]? {
      let report = try client.request("textDocument/diagnostic", client.document("/w/a.fbs")) as? [String: Any]
      return (report?["items"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
    }
    func changeOther() -> Bool {
      client.received = []
      client.change("/w/b.fbs", to: Self.text + "\n")
      client.run()
      return client.received.contains { $0["method"] as? String == "workspace/diagnostic/refresh" }
    }
    client.open("/w/a.fbs", Self.text)
    client.open("/w/b.fbs", Self.text)
    client.run()
    #expect(try pulled() == ["field-type"])
    client.host.answers = [:]
    #expect(changeOther())
    #expect(!changeOther())
    #expect(try pulled() == [])
    #expect(!changeOther())
  }

  @Test("Their fixes are code actions")
  func fixes() throws {
    var client = try client()
    client.open("/w/a.fbs", Self.text)
    let params = client.document("/w/a.fbs").merging([
      "range": ["start": ["line": 1, "character": 2], "end": ["line": 1, "character": 2]],
      "context": ["diagnostics": [], "only": ["quickfix"]],
    ]) { $1 }
    let actions = try client.request("textDocument/codeAction", params) as? [[String: Any]] ?? []
    #expect(actions.compactMap { $0["title"] as? String } == ["Put it back", "Silence field-type here"])
  }

  @Test("The reason why nothing can be compared is told once")
  func mistake() throws {
    var client = try client()
    client.host.answers["/w/a.fbs"] = EvolutionAnswer(mistake: "there is no git commit v1")
    client.open("/w/a.fbs", Self.text)
    client.run()
    client.change("/w/a.fbs", to: Self.text + "\n")
    client.run()
    let told = client.received.filter { $0["method"] as? String == "window/showMessage" }
    #expect(told.count == 1)
  }
}
