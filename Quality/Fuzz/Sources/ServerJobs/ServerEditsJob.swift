import Emitters
import FBSDiagnostics
import FBSSchema
import Foundation
import FuzzSupport
import SchemaLinting

/// Any bytes as the work of a person with three documents: edits, requests, opening, closing and saving.
public enum ServerEditsJob {
  /// Does what `bytes` say, and then compares the diagnostics of the open documents with those of the commands.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    var editor = try FuzzedEditor(bytes)
    while try editor.doNext() {}
    try editor.compare()
  }
}

/// An editor whose every decision is taken from the bytes of an input.
private struct FuzzedEditor {
  private var decisions: ArraySlice<UInt8>
  private var server: FuzzedServer
  private var open: [String: ClientText] = [:]

  private static let paths = ["/w/a.fbs", "/w/b.fbs", "/w/c.fbs"]
  private static let saved = [
    // The pairs of surrogates are for positions within them.
    "/w/a.fbs":
      "//\u{1F600}\u{1F600}\u{1F600}\u{1F600}\u{E4}\ntable T {\n  a: int;\n}\nunion U { T }\nenum E : ubyte { A, B }\n",
    "/w/b.fbs": "include \"a.fbs\";\nnamespace N;\ntable V {\n  u: U;\n  e: E = B;\n}\n",
  ]
  private static let pieces: [[UInt16]] =
    [
      "", "x", " ", "\n", "\r\n", "\r", ";", "{", "}", "(", ")", "[", "]", ":", ",", "=", "\"", ".", "1", "-", "/",
      "//",
      "/*", "*/",
      "int", "string", "T", "table T {\n  a: int;\n}\n", "enum E : ubyte { A, B }\n", "struct S { x: float; }\n",
      "union U { T }\n", "root_type T;\n", "namespace A.B;\n", "include \"a.fbs\";\n", "include \"b.fbs\";\n",
      "include \"c.fbs\";\n", "(id: 1)", "(primary)", "(deprecated)", "rpc_service R { X(T): T; }\n", "{ \"a\": [1] }",
      "// dflatc:allow type-case because\n", "\u{E4}", "\u{1F600}", "\u{FEFF}", "\u{0}",
    ].map { Array($0.utf16) } + [[0xD83D], [0xDE00], [0xDE00, 0xD83D]]
  private static let requests = [
    "hover", "completion", "definition", "documentHighlight", "references", "prepareRename", "rename", "codeAction",
    "formatting", "rangeFormatting", "onTypeFormatting", "documentSymbol", "foldingRange", "selectionRange",
    "documentLink", "inlayHint", "semanticTokens/full", "semanticTokens/range", "prepareCallHierarchy", "diagnostic",
  ]
  private static let strangeNumbers = [-1, Int(Int32.max), Int(UInt32.max), .max, .min, -2]

  init(_ bytes: [UInt8]) throws(Mistake) {
    decisions = bytes[...]
    server = FuzzedServer(Self.saved.mapValues { Array($0.utf8) })
    try server.start()
  }

  private mutating func next() -> Int { Int(decisions.popFirst() ?? 0) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next() % elements.count] }

  /// Does what the next bytes say. Returns false at their end.
  mutating func doNext() throws(Mistake) -> Bool {
    guard !decisions.isEmpty else { return false }
    let action = next()
    let path = Self.paths[action / 16 % Self.paths.count]
    switch action % 16 {
    case 0: try server.run()
    case 1: close(path)
    case 2: save(path)
    case 3...6: request(path)
    case 7: server.notify("$/cancelRequest", params: "{\"id\":\(2 + next())}")
    default: edit(path)
    }
    return true
  }

  // MARK: Actions

  private static func uri(_ path: String) -> String { "file://" + path }

  private mutating func close(_ path: String) {
    guard open.removeValue(forKey: path) != nil else { return }
    server.notify("textDocument/didClose", params: "{\"textDocument\":{\"uri\":\"\(Self.uri(path))\"}}")
  }

  private mutating func save(_ path: String) {
    // Without the document being open, the file is removed.
    server.files.texts[path] = open[path]?.bytes
    server.notify("textDocument/didSave", params: "{\"textDocument\":{\"uri\":\"\(Self.uri(path))\"}}")
  }

  private mutating func edit(_ path: String) {
    guard var text = open[path] else {
      let text = ClientText(String(decoding: server.files.texts[path] ?? [], as: UTF8.self))
      open[path] = text
      let document = "{\"uri\":\"\(Self.uri(path))\",\"version\":1,\"text\":\(json(text.units))}"
      return server.notify("textDocument/didOpen", params: "{\"textDocument\":\(document)}")
    }
    var changes: [String] = []
    for _ in 0...(next() % 3) {
      let (start, end) = (position(in: text), position(in: text))
      let inserted = pick(Self.pieces)
      text.replace(from: start, to: end, with: inserted)
      changes.append("{\"range\":\(range(start, end)),\"text\":\(json(inserted))}")
    }
    open[path] = text
    let document = "{\"uri\":\"\(Self.uri(path))\",\"version\":2}"
    server.notify(
      "textDocument/didChange",
      params: "{\"textDocument\":\(document),\"contentChanges\":[\(changes.joined(separator: ","))]}")
  }

  private mutating func request(_ path: String) {
    let text = open[path] ?? ClientText("")
    let (start, end) = (position(in: text), position(in: text))
    let params = """
      {"textDocument":{"uri":"\(Self.uri(path))"},"position":\(json(start)),"range":\(range(start, end)),\
      "positions":[\(json(start)),\(json(end))],"ch":"}","newName":"T","context":{},"options":{}}
      """
    server.request("textDocument/" + pick(Self.requests), params: params)
  }

  /// A position in a text or, rarely, one far outside.
  private mutating func position(in text: ClientText) -> (line: Int, character: Int) {
    let (line, character) = (next(), next())
    return (
      line < 250 ? line % (text.lineCount + 1) : Self.strangeNumbers[line - 250],
      character < 250 ? character % 40 : Self.strangeNumbers[character - 250]
    )
  }

  private func range(_ start: (line: Int, character: Int), _ end: (line: Int, character: Int)) -> String {
    "{\"start\":\(json(start)),\"end\":\(json(end))}"
  }

  private func json(_ position: (line: Int, character: Int)) -> String {
    "{\"line\":\(position.line),\"character\":\(position.character)}"
  }

  /// JSON of code units, of which each is written as an escape unless it is a letter, a digit or a space.
  private func json(_ units: [UInt16]) -> String {
    let text = units.map { unit in
      if let scalar = Unicode.Scalar(unit), scalar.isASCII, scalar == " " || scalar.properties.isAlphabetic {
        return String(scalar)
      }
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "\"" + text.joined() + "\""
  }

  // MARK: The comparison

  /// Expects the diagnostics of `dflatc compile` and `dflatc lint` of the same texts.
  mutating func compare() throws(Mistake) {
    try server.finish()
    let texts = MemoryFiles(server.files.texts.merging(open.mapValues(\.bytes)) { $1 })
    for path in open.keys.sorted() {
      let served = Set((server.diagnostics[Self.uri(path)] ?? []).map(Self.description(of:)))
      let expected = Self.commands(path, texts)
      guard served == expected else {
        throw Mistake(
          "of \(path) the server says \(served.subtracting(expected).sorted()), and the commands say "
            + "\(expected.subtracting(served).sorted()): \(String(reflecting: open[path]?.string ?? ""))")
      }
    }
  }

  private static func description(of diagnostic: ShownDiagnostic) -> String {
    func place(_ position: ShownDiagnostic.Position) -> String { "\(position.line):\(position.character)" }
    return "\(diagnostic.code ?? "") \(diagnostic.severity ?? 0) "
      + "\(place(diagnostic.range.start))-\(place(diagnostic.range.end)) \(diagnostic.message)"
  }

  private static func commands(_ path: String, _ files: MemoryFiles) -> Set<String> {
    let outcome = CompilationPipeline().run(inputs: [path], provider: files)
    let report = Linter().lint(SchemaModules(inputs: [path], provider: files))
    var said: Set<String> = []
    for (diagnostics, sources) in [(outcome.diagnostics, outcome.sources), (report.diagnostics, report.sources)] {
      for diagnostic in diagnostics where sources[diagnostic.range.file].path == path {
        let bytes = sources[diagnostic.range.file].bytes
        func place(_ offset: Int) -> String {
          let position = ClientText.position(of: offset, in: bytes)
          return "\(position.line):\(position.character)"
        }
        let severity = diagnostic.severity == .error ? 1 : diagnostic.severity == .warning ? 2 : 3
        let lines =
          [diagnostic.message] + (diagnostic.advice.isEmpty ? [] : [diagnostic.advice])
          + diagnostic.notes.map { "note: \($0)" }
        said.insert(
          "\(diagnostic.code.id) \(severity) \(place(diagnostic.range.start))-\(place(diagnostic.range.end)) "
            + lines.joined(separator: "\n"))
      }
    }
    return said
  }
}
