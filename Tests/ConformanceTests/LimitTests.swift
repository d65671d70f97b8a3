import FBSParser
import FBSSchema
import Foundation
import Testing

/// Sizes that the binary schema must hold, and those that no schema may have.
@Suite("Limits", .enabled(if: SchemaOracle.isAvailable))
struct LimitTests {
  /// A struct of so many bytes more than 2,147,450,880.
  private func schema(bytes: Int) -> SchemaCase {
    SchemaCase(
      name: "large struct",
      text: """
        struct A { a: [long: 65535]; }
        struct B { a: [A: 4096]; b: [byte: \(bytes)]; }
        """)
  }

  @Test("The largest struct's size is written whole")
  func largest() throws {
    let compilation = schema(bytes: 32_760).compile()
    try #require(compilation.isValid)
    let content = try #require(try SchemaOracle.shared.get().decode([try compilation.binarySchema()]).first ?? nil)
    #expect(content["object B.bytesize"] == "2147483640")
  }

  @Test("A struct whose padding makes it larger than that is refused")
  func padded() {
    #expect(schema(bytes: 32_761).compile().errors.map(\.code) == [.tooLarge])
  }

  @Test("A table with as many fields as there can be is written, and read by the C++ library")
  func manyFields() throws {
    let fields = (0..<32_760).map { "f\($0): int;" }.joined(separator: "\n")
    try expectSameContent([SchemaCase(name: "many fields", text: "table T {\n\(fields)\n}\n")])
  }

  @Test("A long chain of includes is written")
  func includes() throws {
    var schemaCase = SchemaCase(name: "includes", text: "include \"f0.fbs\"; table T { t: T0; }")
    for index in 0..<60 {
      schemaCase.files.append(
        .init(
          path: "f\(index).fbs",
          bytes: Array(
            (index < 59 ? "include \"f\(index + 1).fbs\"; table T\(index) { t: T\(index + 1); }" : "table T59 {}").utf8)
        ))
    }
    try expectSameContent([schemaCase])
  }
}
