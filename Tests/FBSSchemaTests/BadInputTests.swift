import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import TestSupport
import Testing

@Suite("Bad input to the whole compiler")
struct BadInputTests {
  /// Compiles, validates and shows what is wrong, all of which must come to an end.
  private func check(_ bytes: [UInt8], _ what: String) {
    var provider = SchemaTexts([:])
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

  static let fixtures: [String] = {
    let root = packageFolder.appendingPathComponent("Fixtures")
    // Without the folder there is no case, which a test below notices.
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: root.path)) ?? []
    return paths.filter { $0.hasSuffix(".fbs") }.sorted()
  }()

  private func read(_ fixture: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: packageFolder.appendingPathComponent("Fixtures/\(fixture)")))
  }

  /// What a case may take. One of some kilobytes takes a few milliseconds.
  private func inTime(_ what: String, _ body: () -> Void) {
    let elapsed = processorTime(body)
    if elapsed > .seconds(10) { Issue.record("\(what) takes \(elapsed)") }
  }

  @Test("Of one mistake in many files, each file has its first, however many there are in all")
  func mistakesOfManyFiles() {
    var provider = SchemaTexts(["a.fbs": String(repeating: "table T { x: Missing; }\n", count: 12_000)])
    for file in 0..<100 { provider.files["\(file).fbs"] = Array("table T\(file) { x: Missing; y: Missing; }".utf8) }
    let inputs = ["a.fbs"] + (0..<100).map { "\($0).fbs" }
    let diagnostics = SchemaCompiler.compile(inputs: inputs, provider: provider).diagnostics
      .filter { $0.code == .unknownType }
    let counts = Dictionary(grouping: diagnostics, by: \.range.file).mapValues(\.count)
    #expect(counts.count == 101)
    #expect(counts[FileID(0)] == 10_000 && counts.values.filter { $0 == 1 }.count == 100)
    #expect(diagnostics.reduce(0) { $0 + $1.omittedCount } == 2000 + 100)
  }

  @Test("Fixtures of damaged schemas are found")
  func fixturesExist() {
    #expect(Self.fixtures.count > 90)
  }

  @Test("Fixtures with tokens deleted, doubled and swapped do no harm", arguments: fixtures)
  func mutatedTokens(_ path: String) throws {
    let bytes = try read(path)
    let tokens = Parser.parse(SourceFile(id: FileID(0), path: path, bytes: bytes)).tree.tokens.dropLast()
    let words = tokens.map { Array(bytes[Int($0.start)..<Int($0.end)]) }
    guard words.count > 1 else { return }
    var state = path.utf8.reduce(1 as UInt64) { $0 &* 31 &+ UInt64($1) }
    for round in 0..<40 / mutationStride {
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
      inTime("\(path), round \(round)") { check(Array(changed.joined(separator: [0x20])), path) }
    }
  }

  @Test("Fixtures cut off before or inside of any token do no harm", arguments: fixtures)
  func truncations(_ path: String) throws {
    let bytes = try read(path)
    let tokens = Parser.parse(SourceFile(id: FileID(0), path: path, bytes: bytes)).tree.tokens.dropLast()
    for index in stride(from: path.utf8.count % mutationStride, to: tokens.count, by: mutationStride) {
      let token = tokens[index]
      let count = Int(index % 2 == 0 ? token.start : (token.start + token.end) / 2)
      inTime("\(path) up to \(count)") { check(Array(bytes[..<count]), "\(path) up to \(count)") }
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

  private static let longTexts = [
    "characters": String(repeating: "\u{7F}", count: 100_000),
    "a type": "table T { a: \(String(repeating: "a", count: 100_000)); }",
    "a path": "table T { a: \(Array(repeating: "A", count: 10_000).joined(separator: ".")); }",
    "a value": "enum E : byte { A } table T { a: E = \(String(repeating: "b", count: 100_000)); }",
    "a table": "table \(String(repeating: "T", count: 100_000)) { a: int; a: int; }",
    "an attribute": "table T { a: int (\(String(repeating: "x", count: 100_000))); }",
    "marks": "table a\(String(repeating: "\u{301}", count: 10_000)) { }",
  ]

  @Test(
    "What a message quotes of the schema is short, however long it is there", arguments: longTexts.keys.sorted())
  func longQuotes(_ what: String) throws {
    let diagnostics = compile(try #require(Self.longTexts[what])).diagnostics
    #expect(!diagnostics.isEmpty)
    for diagnostic in diagnostics {
      for shown in [diagnostic.message, diagnostic.advice] + diagnostic.labels.map(\.text) + diagnostic.notes {
        #expect(shown.utf8.count < 500, "\(shown.prefix(100))")
      }
    }
  }
}
