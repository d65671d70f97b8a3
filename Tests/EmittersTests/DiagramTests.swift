import ConformanceSupport
import Emitters
import FBSSchema
import Foundation
import TestSupport
import Testing

@Suite("The schema for people")
struct DiagramTests {
  @Test("Fixtures/diagram shows every kind of type; make golden rewrites it") func golden() throws {
    let folder = packageFolder.appending(path: "Fixtures/diagram")
    var texts: [String: String] = [:]
    for name in ["shop.fbs", "common.fbs"] {
      texts[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    let compilation = SchemaCompiler.compile(inputs: ["shop.fbs"], provider: SchemaTexts(texts))
    let emitter = try #require(EmitterRegistry.emitter(named: "diagram"))
    let file = try #require(try CheckedSchema(compilation, emitters: [emitter]).generator?.files().first)
    #expect(file.name == "shop_schema.md")
    let golden = try String(contentsOf: folder.appending(path: "shop_schema.md"), encoding: .utf8)
    #expect(String(decoding: file.content, as: UTF8.self) == golden)
  }

  @Test("The lines of a diagram are fields and members that hold a type, and connect types that it shows")
  func lines() throws {
    let text = try emit(
      "diagram",
      """
      struct S { x: int; } struct R { s: [S:2]; t: S; } enum E: int { A }
      table A { x: int; } union U { A, S, s: string }
      table T { gone: A (deprecated); a: A; v: [A]; r: R; u: U; w: [U]; e: E; f: [E]; n: int; t: [T]; }
      """)
    var labels: [Substring: String] = [:]
    for line in text.split(separator: "\n") {
      guard let match = line.wholeMatch(of: #/ *class (type\d+)\["(\w+)"\].*/#) else { continue }
      #expect(labels.updateValue(String(match.2), forKey: match.1) == nil)
    }
    #expect(labels.values.sorted() == ["A", "E", "R", "S", "T", "U"])
    let edges = text.split(separator: "\n").compactMap { line in
      line.wholeMatch(of: #/ *(type\d+) (\S+)( "\*")? (type\d+) : (\w+)/#).map {
        "\(labels[$0.1] ?? "?").\($0.5) \($0.2)\($0.3 == nil ? "" : " *") \(labels[$0.4] ?? "?")"
      }
    }
    #expect(
      edges.sorted() == [
        "R.s --> * S", "R.t --> S", "T.a --> A", "T.e --> E", "T.f --> * E", "T.r --> R", "T.t --> * T", "T.u --> U",
        "T.v --> * A", "T.w --> * U", "U.A ..> A", "U.S ..> S",
      ])
    #expect(!text.contains("gone :"))
  }

  @Test("Markdown and HTML show the defaults of fields as the schema language writes them")
  func defaults() throws {
    let fields = [
      ("double = inf", "inf"), ("float = -inf", "-inf"), ("double = nan", "nan"), ("double = 1.5", "1.5"),
      ("int = -7", "-7"), ("bool = true", "true"), ("[int] = []", "[]"), ("string = \"\"", "\"\""),
      ("string = \"x\"", "\"x\""), ("Color = Green", "Green"), ("Can = \"Walk Fly\"", "Walk Fly"),
      ("Can = Swim", "Swim"), ("Can", "0"), ("string = \"\\u0001\\n\\u007F\"", "\"\\u0001\\n\\u007f\""),
    ]
    let schema =
      "enum Color: byte { Red, Green } enum Can: ubyte (bit_flags) { Walk, Swim, Fly } table T { "
      + fields.enumerated().map { "f\($0): \($1.0); " }.joined() + "none: int = null; }"
    let markdown = try emit("diagram", schema).split(separator: "\n")
    let html = try emit("html", schema).split(separator: "\n")
    for (number, (declaration, text)) in fields.enumerated() {
      let row = try #require(markdown.first { $0.hasPrefix("| \(number) | `f\(number)` |") })
      #expect(row.hasSuffix(" | `\(text)` |"), "\(declaration): \(row)")
      let cell = "<td><code>\(text.replacing("\"", with: "&quot;"))</code></td>"
      let htmlRow = try #require(html.first { $0.hasPrefix("<tr id=\"T:f\(number)\">") })
      #expect(htmlRow.hasSuffix("\(cell)<td>\(number)</td></tr>"), "\(declaration): \(htmlRow)")
    }
    let optional = try #require(html.first { $0.hasPrefix("<tr id=\"T:none\">") })
    #expect(optional.hasSuffix("<td></td><td>\(fields.count)</td></tr>"))
  }

  @Test(
    "A doc comment that begins like an item of a list is prose",
    arguments: [
      ("- first", "\\- first"), ("+ first", "\\+ first"), ("1. first", "1\\. first"), ("12) first", "12\\) first"),
      ("\n///   - first", "\\- first"), ("1 - 2", "1 - 2"), ("first - 1.", "first - 1."),
    ])
  func listsInComments(comment: String, expected: String) throws {
    let text = try emit("diagram", "/// \(comment)\ntable T { x: int; }")
    #expect(text.split(separator: "\n").contains(Substring(expected)))
  }

  @Test("A file without types has no diagram")
  func aFileWithoutTypesHasNoDiagram() throws {
    #expect(try emit("diagram", "namespace A;").hasSuffix("# test.fbs\n"))
  }

  @Test("Text of a schema stays within its table cell")
  func noTextOfASchemaEscapesFromItsCell() throws {
    let hostile = "a | b ``` <script> ]( \u{202E} # * \\"
    let text = try emit(
      "diagram",
      "attribute \"note\";\n///\(hostile)\ntable T {\n///\(hostile)\n x: string = \"|```\\n\" (note: \"|```\"); y: int; }"
    )
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| 0 |") }
    #expect(rows.count == 1)
    // Seven bars that are not escaped: six cells.
    let bars = rows[0].replacing("\\|", with: "").filter { $0 == "|" }
    #expect(bars.count == 7)
    #expect(!text.contains("<script>"))
    #expect(!text.contains("\u{202E}"))
    #expect(text.components(separatedBy: "\n```").count == 3)
  }
}
