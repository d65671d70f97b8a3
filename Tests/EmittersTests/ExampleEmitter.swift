import Emitters
import FBSSchema
import Foundation
import TestSupport
import Testing

// The example of Documentation/writing-an-emitter.md: what stands between the two marks stands there too.

// begin
/// Emits the names of a file's tables, one a line.
struct TableListEmitter: Emitter {
  let name = "table-list"
  let summary = "the names of the tables"
  let isDefault = false
  let needsStore = false
  let emitsSwift = false

  func outputName(forStem stem: String) -> String { stem + "_tables.txt" }

  func emit(_ unit: EmissionUnit) -> [UInt8] {
    var writer = CodeWriter()
    for definition in unit.file.definitions {
      guard case .table(let id) = definition else { continue }
      writer.line(unit.schema[id].name.description)
    }
    return writer.bytes
  }
}
// end

@Suite("An emitter as the documentation shows it")
struct ExampleEmitterTests {
  @Test("The example emitter writes its file beside those of the others")
  func itEmitsBesideTheOthers() throws {
    let schema = schema("namespace A; table T { x: int; } enum E: int { B } table U { x: int; }")
    let files = try #require(
      CheckedSchema(schema: schema, emitters: EmitterRegistry.all + [TableListEmitter()]).generator
    ).files()
    let file = try #require(files.first { $0.name == "test_tables.txt" })
    #expect(String(decoding: file.content, as: UTF8.self) == "A.T\nA.U\n")
  }

  @Test("The example emitter's code is on the page about writing an emitter")
  func itIsTheOneThatIsDocumented() throws {
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let begin = try #require(source.range(of: "// begin\n"))
    let end = try #require(source.range(of: "// end\n"))
    let page = try String(
      contentsOf: packageFolder.appending(path: "Documentation/writing-an-emitter.md"), encoding: .utf8)
    #expect(page.contains(source[begin.upperBound..<end.lowerBound]))
  }
}
