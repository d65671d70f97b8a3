import FBSParser
import FBSSchema
import Foundation
import TestSupport
import Testing

/// The newest flatc is a tool alone: of each schema, it writes the binary form, which is read by the library of an older one.
@Suite(
  "Binary schemas agree with those of the newest flatc",
  .enabled(if: FlatcTool.newest != nil && SchemaOracle.isAvailable, "the newest flatc cannot be had"))
struct NewestFlatcTests {
  @Test("The binary schema of each hand-written schema agrees with the newest flatc's")
  func handWritten() throws {
    let wide = SchemaCase(
      name: "wide",
      text: """
        attribute "x";
        struct S { a: long; b: byte; }
        struct Holder { list: [S: 3]; one: S; }
        enum E: ushort {
          /// first
          A (x: 3), B (x) }
        table K { k: int (key); f: float = 0.1; g: float = 3.14159265358979; h: double = 0.1; i: float = 1e-60; j: float; }
        union U: ushort { K, Other: K = 700 } union Byte: ubyte { K } union Plain { K, Other: K (x: "y") }
        /// Lines
        /// of documentation.
        table T {
          near: [ubyte]; text: string (offset64, required); far: [ubyte] (offset64); long: [double] (vector64);
          structs: [S] (vector64); holders: [Holder]; u: U; us: [U]; rs: [U] (required); b: Byte (required);
          ps: [Plain] (required); gone: Plain (deprecated); e: E = B; ds: [U] = []; numbers: [int] = [];
        }
        """)
    #expect(try expectSameContent([wide]) == 1)
    let count = try expectSameContent((try Corpus.valid.get()) + fixtures())
    #expect(count > 150)
  }

  @Test("The binary schema of each random schema agrees with the newest flatc's")
  func random() throws {
    let count = try expectSameContent((0..<60).map { SchemaGenerator.schema(seed: 77_000 + $0) })
    #expect(count > 40)
  }

  /// The schemas whose output in Swift is kept.
  private func fixtures() throws -> [SchemaCase] {
    let folder = packageFolder.appendingPathComponent("Fixtures")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap { name in
      guard let text = try? String(contentsOf: folder.appendingPathComponent("\(name)/schema.fbs"), encoding: .utf8)
      else { return nil }
      return SchemaCase(name: name, text: text)
    }
  }

  /// - Returns: How many schemas both take.
  private func expectSameContent(_ cases: [SchemaCase]) throws -> Int {
    let newest = try #require(FlatcTool.newest)
    let oracle = try SchemaOracle.shared.get()
    var ours: [[UInt8]] = []
    var theirs: [[UInt8]] = []
    var judged: [SchemaCase] = []
    for schemaCase in cases {
      let compilation = schemaCase.compile()
      guard compilation.isValid, let bytes = try schemaCase.binarySchema(by: newest) else { continue }
      ours.append(try compilation.binarySchema())
      theirs.append(bytes)
      judged.append(schemaCase)
    }
    let contents = zip(try oracle.decode(ours), try oracle.decode(theirs))
    for (schemaCase, (ours, theirs)) in zip(judged, contents) {
      guard let ours, let theirs else {
        Issue.record("\(schemaCase.name): the C++ verifier refuses \(ours == nil ? "our" : "flatc's") binary schema")
        continue
      }
      let unknown = Difference.between(ours: ours, theirs: theirs).filter {
        KnownDifference.explaining($0, ours: ours, theirs: theirs) == nil
      }
      if !unknown.isEmpty {
        Issue.record("\(schemaCase.name):\n\(unknown.map(\.description).joined(separator: "\n"))\n\(schemaCase.text)")
      }
    }
    return judged.count
  }
}
