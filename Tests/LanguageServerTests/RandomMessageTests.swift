import Foundation
import LanguageServer
import TestSupport
import Testing

/// Messages at random: requests of every method with parameters that are right, wrong or missing.
@Suite("The language server after random messages")
struct RandomMessageTests {
  private static let methods = [
    "initialize", "textDocument/diagnostic", "textDocument/formatting", "textDocument/rangeFormatting",
    "textDocument/onTypeFormatting", "textDocument/documentSymbol", "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/documentLink", "textDocument/inlayHint", "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range", "textDocument/hover", "textDocument/completion", "textDocument/definition",
    "textDocument/documentHighlight", "textDocument/references", "textDocument/prepareRename", "textDocument/rename",
    "textDocument/codeAction", "workspace/symbol", "textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls", "textDocument/none",
  ]
  private static let notifications = [
    "initialized", "textDocument/didOpen", "textDocument/didChange", "textDocument/didChange", "textDocument/didChange",
    "textDocument/didClose", "textDocument/didSave", "workspace/didChangeWatchedFiles",
    "workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders", "$/setTrace",
  ]
  private static let texts = [
    "", "table T { a: U; }\nunion U { T }\n", "enum E : int { A, B }\nstruct S { a: E; }\n", "\u{FEFF}table T {",
    "include \"a.fbs\";\ninclude \"b.fbs\";\r\ntable \u{1F600} {}\r", "{ \"a\": [1, 2", "/* \"",
    "namespace A.; root_type",
    "table A { b: [B]; }\ntable B { a: A (nested_flatbuffer: \"A\"); }\nroot_type A;\nrpc_service R { X(A): B; }\n",
  ]

  private func place(_ random: inout SeededGenerator) -> Any {
    let numbers = [0, 1, 2, 5, 9, 40, -1, Int(Int32.max), Int(UInt32.max), .max, .min]
    return ["line": random.pick(numbers), "character": random.pick(numbers)]
  }

  private func params(_ random: inout SeededGenerator) -> Any {
    if random.chance(4) { return random.pick([1, "x", [], NSNull(), [String: Any]()] as [Any]) }
    let start = place(&random)
    let end = place(&random)
    let range: Any = ["start": start, "end": end]
    let uri = random.pick([
      "file:///w/a.fbs", "file:///w/b.fbs", "file:/w/b.fbs", "untitled:1", "", "file://", "file:///w/none.fbs",
    ])
    let text = random.pick(Self.texts)
    let changes: [[String: Any]] = [
      ["range": range, "text": text], random.chance(50) ? ["text": text] : ["range": range, "text": "x"],
    ]
    var params: [String: Any] = [
      "textDocument": ["uri": uri, "version": random.next(9), "languageId": "fbs", "text": text],
      "position": start, "ch": random.pick(["}", ";", "\n", "x", ""]), "positions": [start, end], "range": range,
      "contentChanges": changes,
      "context": ["includeDeclaration": random.chance(50), "diagnostics": []],
      "newName": random.pick(["x", "T", "", "1", "\u{1F600}"]), "query": random.pick(["", "a", "zz"]),
      "settings": ["dflatc": ["emit": random.pick([["accessors"], ["none"], []]), "includePaths": ["..", "/w"]]],
      "item": ["uri": uri, "name": "x", "kind": 1, "range": range, "selectionRange": range],
      "event": ["added": [["uri": "file:///w"]], "removed": [["uri": "file:///w"]]], "changes": [], "options": [:],
    ]
    if random.chance(5), let name = params.keys.sorted().randomElement(using: &random) {
      params[name] = random.chance(50) ? nil : random.pick([NSNull(), 1, "x", []] as [Any])
    }
    return params
  }

  @Test("Every request has one answer, and the session goes on", arguments: LongForm.seeds(4))
  func messages(_ seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    var client = try EditorClient(["/w/a.fbs": Self.texts[1], "/w/b.fbs": "include \"a.fbs\";\n" + Self.texts[2]])
    client.received = []
    var asked: [Int] = []
    for id in 1_000..<1_250 {
      if random.chance(50) {
        client.enqueue(["jsonrpc": "2.0", "method": random.pick(Self.notifications), "params": params(&random)])
      } else {
        client.enqueue(["jsonrpc": "2.0", "id": id, "method": random.pick(Self.methods), "params": params(&random)])
        asked.append(id)
      }
      if random.chance(10) { client.enqueue(["jsonrpc": "2.0", "method": "$/cancelRequest", "params": ["id": id]]) }
      if random.chance(60) { client.run() }
    }
    client.run()
    let answered = client.received.filter { $0["method"] == nil }.compactMap { $0["id"] as? Int }
    #expect(answered.sorted() == asked)
    client.open("/w/a.fbs", "table T { a: Nothing; }\n")
    client.run()
    #expect(client.codes("/w/a.fbs")?.isEmpty == false)
  }

  @Test("A stream of any bytes gives messages or an error", arguments: LongForm.seeds(3))
  func streams(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var stream = MessageFraming.frame(Array("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}".utf8))
      for _ in 0...random.next(3) { stream[random.next(stream.count)] = UInt8(random.next(256)) }
      var framing = MessageFraming()
      let host = MemoryHost()
      var session = LanguageServerSession(host: host)
      for body in framing.append(stream) { session.enqueue(body) }
      #expect(framing.failure?.reason.isEmpty != true)
      while session.hasWork { _ = session.step() }
    }
  }
}
