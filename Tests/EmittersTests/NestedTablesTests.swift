import Testing

@Suite("FlatBuffers within FlatBuffers")
struct NestedTablesTests {
  @Test("They are written where the largest alignment of the schema's structs asks", arguments: [1, 16, 32])
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
