import FBSParser
import FBSSchema
import Foundation
import Testing

@Suite("Bad input to the whole compiler")
struct BadInputTests {
  /// Compiles, validates and shows what is wrong, all of which must come to an end.
  private func check(_ bytes: [UInt8], _ what: String) {
    var provider = MemoryProvider([:])
    provider.files["a.fbs"] = bytes
    let compilation = SchemaCompiler.compile(inputs: ["a.fbs"], provider: provider)
    // A schema with errors is incomplete, which must not bring the validator down either.
    let rules = StoreValidator.validate(
      schema: compilation.schema, files: compilation.schema.files.map(\.id), knowing: compilation.diagnostics)
    let diagnostics = compilation.diagnostics + rules
    for diagnostic in diagnostics where diagnostic.range.end > bytes.count {
      Issue.record("\(what): \(diagnostic.message) is outside the file")
    }
    let text = DiagnosticRenderer().render(diagnostics, in: compilation.sources)
    #expect(text.isEmpty == diagnostics.isEmpty)
  }

  private func fixtures() throws -> [(path: String, bytes: [UInt8])] {
    let root = repository.appendingPathComponent("Fixtures")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".fbs") }.sorted()
    return try paths.map { ($0, [UInt8](try Data(contentsOf: root.appendingPathComponent($0)))) }
  }

  @Test("Fixtures with tokens deleted, doubled and swapped do no harm")
  func mutatedTokens() throws {
    var state: UInt64 = 1
    for (path, bytes) in try fixtures() where bytes.count < 1_500 {
      let tokens = Parser.parse(SourceFile(id: FileID(0), path: path, bytes: bytes)).tree.tokens.dropLast()
      let words = tokens.map { Array(bytes[Int($0.start)..<Int($0.end)]) }
      guard words.count > 1 else { continue }
      for _ in 0..<40 {
        var changed = words
        for _ in 0..<3 {
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          let place = Int((state >> 33) % UInt64(changed.count - 1))
          switch (state >> 20) % 3 {
          case 0 where changed.count > 2: changed.remove(at: place)
          case 1: changed.insert(changed[place], at: place)
          default: changed.swapAt(place, place + 1)
          }
        }
        check(Array(changed.joined(separator: [0x20])), path)
      }
    }
  }

  @Test("Fixtures cut off anywhere do no harm")
  func truncations() throws {
    for (path, bytes) in try fixtures() where bytes.count < 600 {
      for count in stride(from: 0, to: bytes.count, by: 3) { check(Array(bytes[..<count]), path) }
    }
  }

  @Test(
    "Numbers at the edge of what fits do no harm",
    arguments: [
      "enum E: long { A = -9223372036854775808, B } enum F: ulong { A = 18446744073709551615, B } enum G: int { A = -0 }",
      "enum E: ulong (bit_flags) { A = 18446744073709551615, B = 64, C = 63, D }",
      "struct S (force_align: 2147483647) { a: [double: 65535]; } struct T { a: [S: 65535]; } struct U { a: [T: 65535]; b: [T: 65535]; }",
      "struct S (force_align: \"-9223372036854775808\") { a: int; } table T { a: int (id: \"99999999999999999999999\"); }",
      "table T { a: long = -9223372036854775809; b: ulong = -18446744073709551615; c: byte = \"-0x80\"; d: float = 1e-400; }",
      "table T { a: int (id: 65535); b: int (id: -2147483648); }",
      "union U { T = 255, s: string } table T { u: U (id: 65535); v: [U] (id: 0); }",
    ])
  func edges(_ text: String) {
    check(Array(text.utf8), text)
  }

  @Test("Namespaces and paths without end are refused")
  func longPaths() {
    let path = Array(repeating: "A", count: 100_000).joined(separator: ".")
    #expect(compile("namespace \(path); table T { a: int; }").codes == ["D0113"])
    #expect(compile("table T { a: \(path); }").codes == ["D0204"])
  }
}
