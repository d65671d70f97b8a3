import ConformanceSupport
import Emitters
import FBSSchema
import Testing

@Suite("Code of included files")
struct IncludedFileCodeTests {
  /// Returns the Swift of a file that is compiled along with another one, which includes it.
  private func code(_ included: String, includedBy including: String) throws -> String {
    let texts = ["a.fbs": "include \"n.fbs\";\n" + including, "n.fbs": included]
    let emitters = EmitterRegistry.defaults.filter(\.emitsSwift)
    let outcome = CompilationPipeline(emitters: emitters).run(inputs: ["a.fbs", "n.fbs"], provider: SchemaTexts(texts))
    let files = try outcome.files.get().filter { $0.name.hasPrefix("n_") }
    return files.map { String(decoding: $0.content, as: UTF8.self) }.joined()
  }

  @Test("A table is written without errors wherever it is held, unless its own objects can be nested too deep")
  func errorsOfWriting() throws {
    let including = "table Tree { leaf: Leaf; trees: [Tree]; }"
    let leaf = try code("table Leaf { x: int; }", includedBy: including)
    #expect(leaf.contains("extension Leaf: InfallibleFlatBuffersEncodable {"))
    let tree = try code("table Leaf { x: int; leaf: Leaf; }", includedBy: including)
    #expect(tree.contains("extension Leaf: FlatBuffersEncodable {"))
    // A chain of tables that hold no others of their kind may be too long as well.
    let chain = (1...64).map { "table T\($0) { next: T\($0 + 1); }" }.joined(separator: "\n") + "\ntable T65 {}"
    let long = try code(chain, includedBy: "table Tree { first: T1; trees: [Tree]; }")
    #expect(long.contains("extension T1: FlatBuffersEncodable {"))
    #expect(long.contains("extension T2: InfallibleFlatBuffersEncodable {"))
  }

  @Test("A nested FlatBuffer is aligned for structs and vectors that it holds, also in one of its own, and no others")
  func alignmentOfNestedBuffers() throws {
    let including = "struct Wide (force_align: 32) { x: ubyte; } table A { b: B; wide: Wide; }"
    let plain = try code(
      "table N { x: int; } table B { n: [ubyte] (nested_flatbuffer: \"N\"); }", includedBy: including)
    #expect(plain.contains("alignment: 8)"))
    let text = """
      struct S (force_align: 16) { x: ubyte; }
      table M { s: S; }
      table N { m: [ubyte] (nested_flatbuffer: "M"); }
      table B { n: [ubyte] (nested_flatbuffer: "N"); }
      """
    let nested = try code(text, includedBy: including)
    #expect(!nested.contains("alignment: 8)") && nested.contains("alignment: 16)"))
    let vector = try code(
      """
      union Part { M } table M { v: [ubyte] (force_align: 32); } table N { parts: [Part]; }
      table B { n: [ubyte] (nested_flatbuffer: "N"); }
      """, includedBy: including)
    #expect(vector.contains("builder.create(vector: self.n, alignment: 32)"))
  }

  @Test("Fields are not renamed for types that only the code of including files names")
  func namesOfFields() throws {
    let note = "table Note { _date: int; }"
    let plain = try code(note, includedBy: "table A { note: Note; }")
    let mapped = try code(note, includedBy: "table A { note: Note; at: long (date: \"s\"); }")
    #expect(plain == mapped && plain.contains("var Date: "))
    let own = try code("table Note { _date: int; at: long (date: \"s\"); }", includedBy: "table A { note: Note; }")
    #expect(own.contains("var Date_: "))
  }
}
