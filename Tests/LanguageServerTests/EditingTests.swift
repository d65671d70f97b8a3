import Foundation
import LanguageServer
import Testing

@Suite("Help with editing by the language server")
struct EditingTests {
  private static let files = [
    "/w/base.fbs": "namespace N;\nenum Color : ubyte { Red, Green }\nstruct Point {\n  x: int;\n}\n",
    "/w/sub/inner.fbs": "table Inner {\n  a: int;\n}\n",
    "/inc/far.fbs": "table Far {\n  a: int;\n}\n",
  ]
  private static let start = "include \"base.fbs\";\nnamespace N;\nattribute \"mine\";\n"

  /// The labels that are offered where `|` stands in a text.
  private func completions(_ text: String, file: String = "/w/a.fbs") throws -> [String] {
    var client = try EditorClient(Self.files, options: ["includePaths": ["/inc"]])
    let parts = text.components(separatedBy: "|")
    try #require(parts.count == 2)
    client.open(file, parts.joined())
    let before = parts[0].components(separatedBy: "\n")
    let place = client.place(file, before.count - 1, (before.last ?? "").utf16.count)
    let items = try client.request("textDocument/completion", place) as? [[String: Any]] ?? []
    return items.compactMap { $0["label"] as? String }
  }

  @Test(
    "Completion offers exactly what may be written at a position",
    arguments: [
      ("|", ["table", "namespace", "root_type"], ["int", "Color"]), ("ta|", ["table"], ["int"]),
      (start + "table T { a: | }", ["int", "string", "Color", "Point", "T"], ["table", "key"]),
      (start + "table T { a: C| }", ["Color"], ["table"]),
      (start + "table T { a: [| }", ["string", "Point"], ["table"]),
      (start + "table T { a: int; }\nstruct S { a: | }", ["int", "Color", "Point"], ["string", "T"]),
      (start + "enum E : |", ["ubyte", "long"], ["float", "string", "bool", "Color"]),
      (start + "table T { a: int; }\nunion U { | }", ["T", "Point", "string"], ["Color", "int"]),
      (start + "table T { a: int; }\nroot_type |", ["T"], ["Point", "Color", "int"]),
      (start + "table T { a: Color = | }", ["Red", "Green", "null"], ["int"]),
      (start + "table T { a: N.Color = R| }", ["Red"], ["int"]),
      (start + "table T { a: bool = | }", ["true", "false"], ["Red"]),
      (start + "table T { a: int (|", ["id", "deprecated", "primary", "indexed", "mine"], ["bit_flags", "int"]),
      (start + "table T { a: int (deprecated, |", ["id"], ["bit_flags"]),
      (start + "enum E : int (|", ["bit_flags"], ["id", "primary"]),
      (start + "table T { a: int (id: 0); b: int (id: | }", ["1"], ["deprecated"]),
      (start + "table T { a: [ubyte] (nested_flatbuffer: | }", ["T"], ["Color"]),
      (start + "table T { a: long (date: | }", ["s", "ms"], ["T"]),
      (start + "table T { a: string (indexed: | }", ["folded"], ["T"]),
      (start + "table T { a: string (unique: | }", ["folded"], ["s"]),
      (start + "table T { a: long (| }", ["date", "decimal", "swift_type"], []),
      (start + "table T { | }", [], ["int", "table"]), (start + "// table T { a: |", [], ["int"]),
      (start + "table T { a: int; }\nrpc_service S { M(|", ["T"], ["int", "id"]),
      (start + "table T { a: int; }\nrpc_service S { M(T): |", ["T"], ["int"]),
      (start + "table T { a: int; }\nrpc_service S { M(T): T (|", ["streaming"], ["T"]),
      ("include \"|\";", ["base.fbs", "sub/", "far.fbs"], ["a.fbs"]),
      ("include \"sub/|\";", ["inner.fbs"], ["base.fbs"]),
      (start + "table T { a: int; }\n\n|", ["table", "enum"], ["int"]),
    ])
  func completion(_ text: String, _ wanted: [String], _ unwanted: [String]) throws {
    let labels = Set(try completions(text))
    #expect(labels.isSuperset(of: wanted), "\(text): \(labels.sorted())")
    #expect(labels.isDisjoint(with: unwanted), "\(text): \(labels.sorted())")
  }

  @Test("A text that cannot be read keeps the names that it had when it last was valid")
  func lastValidNames() throws {
    var client = try EditorClient(Self.files)
    let start = "include \"base.fbs\";\nnamespace N;\n"
    client.open("/w/a.fbs", start + "enum Mine : ubyte { One, Two }\ntable T {\n  a: int;\n}\n")
    client.run()
    client.change(
      "/w/a.fbs", to: "include \"base.f\";\nnamespace N;\nenum Mine ubyte One, Two }\ntable T {\n  a: ;\n}\n")
    func labels(_ line: Int, _ character: Int) throws -> Set<String> {
      let items = try client.request("textDocument/completion", client.place("/w/a.fbs", line, character))
      return Set((items as? [[String: Any]] ?? []).compactMap { $0["label"] as? String })
    }
    #expect(try labels(4, 5).isSuperset(of: ["Mine", "Color", "Point", "T"]))
    client.close("/w/a.fbs")
    client.open("/w/a.fbs", "namespace N;\ntable T {\n  a: ;\n}\n")
    #expect(try !labels(2, 5).contains("Mine"))
  }

  @Test("A completion anywhere in any text is an answer")
  func everywhere() throws {
    let text =
      (Self.files["/w/base.fbs"] ?? "") + "table T (private) { a: [Color] (key); \"b c: = ] } ) union U { : , }"
    var client = try EditorClient(Self.files)
    for length in 0...text.count {
      let prefix = String(text.prefix(length))
      client.open("/w/a.fbs", prefix)
      let lines = prefix.components(separatedBy: "\n")
      let place = client.place("/w/a.fbs", lines.count - 1, (lines.last ?? "").utf16.count)
      #expect(try client.request("textDocument/completion", place) is [Any])
    }
  }

  private func actions(
    _ text: String, line: Int, only: [String]? = nil
  ) throws -> [(title: String, result: String)] {
    var client = try EditorClient(Self.files)
    client.open("/w/a.fbs", text)
    let context: [String: Any] = only.map { ["diagnostics": [], "only": $0] } ?? ["diagnostics": []]
    let params = client.document("/w/a.fbs").merging([
      "range": ["start": ["line": line, "character": 0], "end": ["line": line, "character": 99]], "context": context,
    ]) { $1 }
    let actions = try client.request("textDocument/codeAction", params) as? [[String: Any]] ?? []
    return try actions.map { action in
      let edits = try #require(action.value("edit", "changes", "file:///w/a.fbs") as? [[String: Any]])
      return (try #require(action["title"] as? String), try apply(edits, to: text))
    }
  }

  @Test("The compiler's fixes are offered at their lines")
  func fixes() throws {
    let found = try actions("table T {\n  a: int\n  b: int;\n}\n", line: 1)
    #expect(found.map(\.result) == ["table T {\n  a: int;\n  b: int;\n}\n"])
    #expect(try actions("table T {\n  a: int\n  b: int;\n}\n", line: 3).isEmpty)
  }

  @Test("All fixes of a selection are offered, of which the compiler tries only some in a large text")
  func manyFixes() throws {
    let tables = (0..<60).map { "table T\($0) {\n  a: int\n  b: int;\n}\n" }.joined()
    let comment = String(repeating: "// a line of a comment\n", count: 20_000)
    var client = try EditorClient()
    client.open("/w/a.fbs", "include \"none.fbs\";\n" + tables + comment)
    client.run()
    let count = client.host.readCount
    let params = client.document("/w/a.fbs").merging([
      "range": ["start": ["line": 0, "character": 0], "end": ["line": 999, "character": 0]],
      "context": ["diagnostics": []],
    ]) { $1 }
    let actions = try client.request("textDocument/codeAction", params) as? [Any] ?? []
    #expect(actions.count == 60)
    // Each compilation looks for the missing file.
    #expect(client.host.readCount - count < 20)
  }

  @Test("The fix of a diagnostic that the client shows at a range is offered, wherever the diagnostic lies")
  func shownDiagnostics() throws {
    let text = "table T {\n  a: int\n  b: int;\n}\n"
    var client = try EditorClient(Self.files)
    client.open("/w/a.fbs", text)
    func range(_ start: Int, _ end: Int) -> [String: Any] {
      ["start": ["line": 1, "character": start], "end": ["line": 1, "character": end]]
    }
    func count(showing shown: [[String: Any]]) throws -> Int {
      let params = client.document("/w/a.fbs").merging([
        "range": range(5, 7), "context": ["diagnostics": shown.map { ["range": $0, "message": "shown"] }],
      ]) { $1 }
      return try #require(client.request("textDocument/codeAction", params) as? [Any]).count
    }
    #expect(try count(showing: []) == 0)
    #expect(try count(showing: [range(8, 8)]) == 1)
    #expect(try count(showing: [range(7, 8)]) == 0)
  }

  @Test("The linter's fixes are offered, and a comment that silences the finding")
  func silencing() throws {
    let text = "include \"base.fbs\";\ntable bad_name {\n  a: int;\n}\n"
    let unused = try actions(text, line: 0)
    #expect(unused.first?.result == "table bad_name {\n  a: int;\n}\n")
    let name = try actions(text, line: 1)
    #expect(name.map(\.title) == ["Silence type-case here", "Add an id to all fields"])
    let silenced = try #require(name.first?.result)
    var client = try EditorClient(Self.files)
    client.open("/w/a.fbs", silenced)
    client.run()
    #expect(client.codes("/w/a.fbs") == ["unused-include"])
  }

  @Test(
    "A comment silences a finding wherever it stands on its line, and nothing else",
    arguments: [
      ("table T {\n  a: int; badName: int;\n}\n", 1, "field-case"),
      ("table A { a: int; } table bad_name { a: int; }\n", 0, "type-case"),
      ("table A {\n  a: int;\n} table bad_name {\n  a: int;\n}\n", 2, "type-case"),
      ("include \"sub/inner.fbs\"; include \"base.fbs\";\ntable T {\n  a: Inner;\n}\n", 0, "unused-include"),
      ("/* a\n */ table bad_name {\n  a: int;\n}\n", 1, "type-case"),
      ("table A {\n  a: int;\n} table\n  bad_name {\n  a: int;\n}\n", 3, "type-case"),
      ("\u{FEFF}table A { badName: int; }\r\n", 0, "field-case"),
    ])
  func silencingBesideOthers(_ text: String, _ line: Int, _ rule: String) throws {
    var client = try EditorClient(Self.files, options: ["emit": ["accessors"]])
    client.open("/w/a.fbs", text)
    client.run()
    #expect(client.codes("/w/a.fbs") == [rule])
    let found = try actions(text, line: line).filter { $0.title == "Silence \(rule) here" }
    #expect(found.count == 1)
    client.change("/w/a.fbs", to: try #require(found.first?.result))
    client.run()
    #expect(client.codes("/w/a.fbs") == [], "\(found)")
  }

  @Test("All fixes of the linter are made at once when the client asks for that")
  func fixAll() throws {
    let text = "include \"base.fbs\";\ntable T {  \n  a: int;\n}\n"
    let found = try actions(text, line: 0, only: ["source.fixAll"])
    #expect(found.map(\.result) == ["table T {\n  a: int;\n}\n"])
    #expect(try actions(text, line: 0, only: ["source.organizeImports"]).isEmpty)
  }

  private static let sample = """
    // A comment
    // of lines.
    include "base.fbs";
    include "sub/inner.fbs";
    namespace N.M;

    /* block
       comment */
    table T {
      a: int;
      b: Color (deprecated);
      c: Inner (
        required
      );
    }
    enum E : ubyte {
      X,
      Y = 7,
      Z
    }
    union U { T, Inner }

    """

  private func sampleClient() throws -> EditorClient {
    var client = try EditorClient(Self.files)
    client.open("/w/a.fbs", Self.sample)
    client.run()
    return client
  }

  @Test("Brackets, comments and includes fold")
  func folding() throws {
    var client = try sampleClient()
    let ranges = try client.request("textDocument/foldingRange", client.document("/w/a.fbs")) as? [[String: Any]] ?? []
    let texts = Set(ranges.map { "\($0["startLine"] ?? "")-\($0["endLine"] ?? "") \($0["kind"] ?? "")" })
    #expect(
      texts == ["0-1 comment", "2-3 imports", "6-7 comment", "8-13 ", "11-12 ", "15-18 "])
  }

  @Test("Hints tell the ids, numbers and type codes that the text does not")
  func hints() throws {
    var client = try sampleClient()
    func labels(_ first: Int, _ last: Int) throws -> [String] {
      let params = client.document("/w/a.fbs").merging([
        "range": ["start": ["line": first, "character": 0], "end": ["line": last, "character": 99]]
      ]) { $1 }
      return (try client.request("textDocument/inlayHint", params) as? [[String: Any]] ?? []).compactMap { hint in
        "\(hint.value("position", "line") ?? ""):\(hint.value("position", "character") ?? "") \(hint["label"] ?? "")"
      }
    }
    #expect(
      try labels(0, 99) == [
        "9:8 id: 0", "10:10 id: 1", "11:10 id: 2", "16:3 = 0", "18:3 = 8", "20:11 = 1", "20:18 = 2",
      ])
    #expect(try labels(16, 17) == ["16:3 = 0"])
  }

  @Test("Includes are links to their files")
  func links() throws {
    var client = try sampleClient()
    let links = try client.request("textDocument/documentLink", client.document("/w/a.fbs")) as? [[String: Any]] ?? []
    #expect(links.compactMap { $0["target"] as? String } == ["file:///w/base.fbs", "file:///w/sub/inner.fbs"])
    #expect(links.compactMap { ($0["range"] as? [String: Any])?.rangeText } == ["2:9-2:17", "3:9-3:22"])
  }

  @Test("The link of an include has no dots in its path, and keeps the links of the file system")
  func plainLinks() throws {
    let table = "table T {\n  a: int;\n}\n"
    var client = try EditorClient(["/real/s/a.fbs": table, "/real/b.fbs": table])
    client.host.links = ["/w": "/real"]
    client.open("/w/s/own.fbs", "include \"./a.fbs\";\ninclude \"../b.fbs\";\n")
    let links = try client.request("textDocument/documentLink", client.document("/w/s/own.fbs")) as? [[String: Any]]
    #expect(links?.compactMap { $0["target"] as? String } == ["file:///w/s/a.fbs", "file:///w/b.fbs"])
  }

  @Test("Names have their kinds as semantic tokens, in the order of the text and without overlap")
  func semanticTokens() throws {
    var client = try sampleClient()
    let result = try client.request("textDocument/semanticTokens/full", client.document("/w/a.fbs")) as? [String: Any]
    let data = try #require(result?["data"] as? [Int])
    #expect(data.count.isMultiple(of: 5))
    let lines = Self.sample.components(separatedBy: "\n")
    let kinds = [
      "type", "class", "struct", "enum", "interface", "property", "enumMember", "method", "namespace", "keyword",
      "decorator",
    ]
    var (line, character) = (0, 0)
    var found: [String] = []
    for index in stride(from: 0, to: data.count, by: 5) {
      character = data[index] == 0 ? character + data[index + 1] : data[index + 1]
      line += data[index]
      let word = lines[line].dropFirst(character).prefix(data[index + 2])
      found.append("\(word) \(kinds[data[index + 3]]) \(data[index + 4])")
    }
    #expect(
      found == [
        "N namespace 0", "M namespace 0", "T class 1", "a property 1", "int type 4", "b property 3", "Color enum 0",
        "deprecated decorator 0", "c property 1", "Inner class 0", "required decorator 0", "E enum 1", "ubyte type 4",
        "X enumMember 1", "Y enumMember 1", "Z enumMember 1", "U interface 1", "T class 0", "Inner class 0",
      ])
  }

  @Test("A selection grows from the word to the document")
  func selection() throws {
    var client = try sampleClient()
    let params = client.document("/w/a.fbs").merging(["positions": [["line": 12, "character": 6]]]) { $1 }
    let result = try client.request("textDocument/selectionRange", params) as? [[String: Any]]
    var range = result?.first
    var texts: [String] = []
    while let current = range {
      texts.append((current["range"] as? [String: Any])?.rangeText ?? "?")
      range = current["parent"] as? [String: Any]
    }
    #expect(texts == ["12:4-12:12", "11:2-13:4", "8:0-14:1", "0:0-21:0"])
  }
}
