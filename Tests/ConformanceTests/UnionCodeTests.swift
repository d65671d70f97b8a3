import Foundation
import TestSupport
import Testing

/// The reason for which dflatc refuses union members of one code, though flatc accepts them.
@Suite("Union members of one code, beside flatc", .enabled(if: SchemaOracle.isAvailable))
struct UnionCodeTests {
  @Test(
    "flatc accepts members of one code and writes C++ that does not compile, and dflatc refuses them",
    arguments: ["a: A = 2, b: B = 1, c: B = 2", "a: A = 2, b: A = 1, c: A", "A, B = 3, c: string = 3"])
  func repeatedCodes(members: String) throws {
    let schema = Self.schema(members)
    #expect(try Self.cppCompiles(schema) == false)
    #expect(!SchemaCase(name: "union", text: schema).compile().isValid)
  }

  @Test("If each member has a code of its own, flatc's C++ compiles, and dflatc accepts the union")
  func ownCodes() throws {
    let schema = Self.schema("a: A = 2, b: B = 1, c: B = 3")
    #expect(try Self.cppCompiles(schema))
    #expect(SchemaCase(name: "union", text: schema).compile().isValid)
  }

  private static func schema(_ members: String) -> String {
    "table A { x: int; } table B { y: int; } union U { \(members) } table T { u: U; } root_type T;"
  }

  /// Whether the C++ that flatc writes for a schema compiles.
  private static func cppCompiles(_ schema: String) throws -> Bool {
    try withTemporaryFolder { folder in
      try Data(schema.utf8).write(to: folder.appending(path: "u.fbs"))
      try runTool("flatc", ["--cpp", "u.fbs"], in: folder)
      do {
        try runTool("c++", ["-std=c++17", "-fsyntax-only", "-x", "c++", "u_generated.h"], in: folder)
      } catch let failure as ProgramFailure {
        try #require("\(failure)".contains("duplicate case value"), "\(failure)")
        return false
      }
      return true
    }
  }
}
