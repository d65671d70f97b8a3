import Testing

@Suite("FlatBuffers within FlatBuffers")
struct NestedTablesTests {
  @Test("A nested FlatBuffer is aligned as the largest struct of its schema needs", arguments: [1, 16, 32])
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
}
