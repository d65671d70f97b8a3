import FBSDiagnostics
import FBSParser
import FBSSchema
import Testing

/// What newer FlatBuffers has, and flatc 2.0.8 refuses: so there is nothing here to compare with.
@Suite("Unions that name a type for their codes")
struct TypedUnionTests {
  private func union(_ text: String) throws -> UnionDefinition {
    let compilation = compile("table A { x: int; } enum E: ushort { V } " + text)
    #expect(compilation.codes == [])
    return try #require(compilation.schema.unions.first)
  }

  @Test(
    "The codes have that type, and its range",
    arguments: [
      ("ubyte", ScalarType.uint8, 255), ("byte", .int8, 127), ("ushort", .uint16, 65_535), ("short", .int16, 32_767),
      ("int", .int32, 2_147_483_647), ("uint", .uint32, 4_294_967_295), ("long", .int64, Int64.max),
      ("ulong", .uint64, -1), ("E", .uint16, 65_535),
    ])
  func range(name: String, type: ScalarType, greatest: Int64) throws {
    let last = UInt64(bitPattern: greatest)
    let union = try union("union U: \(name) { A, b: A = \(last) }")
    #expect(union.writtenType == type && union.underlyingType == type)
    #expect(union.members.map(\.code) == [1, greatest])
    for text in [
      "union U: \(name) { A = -1 }", "union U: \(name) { A = 0 }", "union U: \(name) { a: A = \(last), b: A }",
    ] {
      let found = compile("table A { x: int; } enum E: ushort { V } " + text).diagnostics
      #expect(found.count == 1 && found.first?.message.contains("\(last)") == true, "\(text)")
    }
  }

  @Test("The codes of a union without a type are ubyte")
  func untyped() throws {
    let union = try union("union U { A }")
    #expect(union.writtenType == nil && union.underlyingType == .uint8)
  }

  @Test(
    "A code that is no whole number is refused at its position",
    arguments: ["bool", "float", "string", "A", "[int]", "U"])
  func wrongType(name: String) {
    let found = compile("table A { x: int; }\nunion U: \(name) { A }").diagnostics
    #expect(found.map(\.code) == [.wrongType])
    #expect(found.first?.message == "`\(name)` cannot be the type of a union's codes")
  }

  @Test("A type that is missing is one mistake")
  func missingType() {
    #expect(compile("table A { x: int; }\nunion U: { A }").diagnostics.count == 1)
  }

  @Test("Objects of such a schema may hold the codes")
  func objects() {
    let schema = "table A { x: int; } union U: ushort { A = 300 } table T { u: U; v: [U]; } root_type T; "
    #expect(compile(schema + "{ \"u_type\": 300, \"u\": {}, \"v_type\": [\"A\"], \"v\": [{}] }").codes == [])
    #expect(compile(schema + "{ \"u_type\": 70000, \"u\": {} }").codes.count == 1)
  }

  @Test("Formatting keeps the type of a union's codes")
  func format() {
    let file = SourceFile(id: FileID(0), path: "a.fbs", bytes: Array("union  U:int(v:\"1\"){A}".utf8))
    let text = String(decoding: SchemaFormatter.format(Parser.parse(file).tree), as: UTF8.self)
    #expect(text == "union U: int (v: \"1\") { A }\n")
  }
}
