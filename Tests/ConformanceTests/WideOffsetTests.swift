import FBSParser
import FBSSchema
import Testing

/// Offsets of 64 bits, which flatc 2.0.8 does not know: the C++ library reads our binary schema, and the facts are those that
/// the binary schema of newer versions has.
@Suite("64-bit offsets in binary schemas", .enabled(if: SchemaOracle.isAvailable))
struct WideOffsetTests {
  @Test("Fields say that they have one, and vectors with a 64-bit length are of a type of their own")
  func content() throws {
    let text = """
      struct S { a: long; b: byte; }
      table T {
        near: [ubyte];
        text: string (offset64, required);
        far: [ubyte] (offset64);
        long: [double] (vector64);
        structs: [S] (vector64);
      }
      """
    let compilation = SchemaCase(name: "wide", text: text).compile()
    try #require(compilation.diagnostics.isEmpty, "\(compilation.diagnostics.map(\.message))")
    let content = try #require(try SchemaOracle.shared.get().decode([try compilation.binarySchema()]).first ?? nil)
    func facts(_ field: String) -> [String?] {
      ["offset64", "type.base_type", "type.element", "type.base_size", "type.element_size", "optional"].map {
        content["object T.\(field).\($0)"]
      }
    }
    #expect(facts("near") == [nil, "Vector", "UByte", "4", "1", "1"])
    #expect(facts("text") == ["1", "String", "None", "4", "1", "0"])
    #expect(facts("far") == ["1", "Vector", "UByte", "4", "1", "1"])
    #expect(facts("long") == ["1", "18", "Double", "8", "8", "1"])
    #expect(facts("structs") == ["1", "18", "Obj", "8", "16", "1"])
    #expect(content["object T.long.attributes[0].key"] == "vector64")
    #expect(content["advanced_features"] == "0")
  }
}
