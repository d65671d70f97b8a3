import ConformanceSupport
import FBSSchema
import Testing

@Suite("FlatBuffers within FlatBuffers")
struct NestedTablesTests {
  @Test("A nested FlatBuffer is aligned as the largest struct in it needs", arguments: [1, 16, 32])
  func alignment(ofStruct: Int) throws {
    let text = try emit(
      "mutating",
      """
      struct S (force_align: \(ofStruct)) { x: ubyte; }
      table Inner { s: S; }
      table Outer { key: string (primary); inner: [ubyte] (nested_flatbuffer: "Inner"); }
      root_type Outer;
      """)
    #expect(text.contains("alignment: \(max(ofStruct, 8)))"), "\(text)")
  }

  @Test("The nearest definition is nested: a struct hides a table further out, and has no object of its own")
  func nearestDefinition() throws {
    let text = """
      table N { x: int; }
      namespace A;
      struct N { y: int; }
      table Inner { x: int; }
      table T { hidden: [ubyte] (nested_flatbuffer: "N"); shown: [ubyte] (nested_flatbuffer: "Inner"); }
      """
    let accessors = try emit("accessors", text)
    #expect(accessors.contains("shownRoot") && !accessors.contains("hiddenRoot"))
    let table = schema(text).tables.first { $0.name.name == "T" }
    #expect(table?.fields.map(\.nestedTable) == [nil, TableID(1)])
  }

  @Test("A definition of a file that is not included is not nested, although it is compiled along")
  func visibleDefinition() throws {
    let provider = SchemaTexts([
      "a.fbs": "include \"n.fbs\"; namespace A; table T { d: [ubyte] (nested_flatbuffer: \"N\"); }",
      "b.fbs": "namespace A; table N { y: int; }", "n.fbs": "table N { x: int; }",
    ])
    let schema = SchemaCompiler.compile(inputs: ["a.fbs", "b.fbs"], includePaths: [], provider: provider).schema
    let nested = schema.tables.first { $0.name.name == "T" }?.fields[0].nestedTable
    #expect(nested.map { schema[$0].name.description } == "N")
  }
}
