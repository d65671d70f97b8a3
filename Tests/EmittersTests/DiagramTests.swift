import Emitters
import FBSSchema
import Foundation
import Testing

@Suite("The schema for people")
struct DiagramTests {
  @Test("Fixtures/diagram shows every kind of type; make golden rewrites it") func golden() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/diagram")
    var texts: [String: String] = [:]
    for name in ["shop.fbs", "common.fbs"] {
      texts[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    let compilation = SchemaCompiler.compile(inputs: ["shop.fbs"], provider: InMemoryProvider(texts))
    let emitter = try #require(EmitterRegistry.emitter(named: "diagram"))
    let file = try #require(try Generator(schema: compilation.schema, emitters: [emitter]).files().first)
    #expect(file.name == "shop_schema.md")
    let golden = try String(contentsOf: folder.appending(path: "shop_schema.md"), encoding: .utf8)
    #expect(String(decoding: file.content, as: UTF8.self) == golden)
  }

  @Test func aFileWithoutTypesHasNoDiagram() throws {
    #expect(try emit("diagram", "namespace A;").hasSuffix("# test.fbs\n"))
  }

  @Test func noTextOfASchemaEscapesFromItsCell() throws {
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
