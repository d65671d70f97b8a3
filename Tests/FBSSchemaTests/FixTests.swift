import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import TestSupport
import Testing

/// A fix is worth having if a program that applies it blindly does no harm.
@Suite("A fix removes its diagnostic")
struct FixTests {
  /// All that one run says of some files.
  private static func diagnose(_ files: [String: [UInt8]], _ inputs: [String]) -> ([Diagnostic], SourceMap) {
    var provider = SchemaTexts([:])
    provider.files = files
    let compilation = SchemaCompiler.compile(inputs: inputs, provider: provider)
    let rules = StoreValidator.validate(
      schema: compilation.schema, files: compilation.schema.files.filter(\.isInput).map(\.id),
      knowing: compilation.diagnostics)
    return ((compilation.diagnostics + rules).inSourceOrder(), compilation.sources)
  }

  private static func apply(_ fix: Diagnostic.Fix, _ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for edit in fix.edits.sorted(by: { $0.range.start > $1.range.start }) {
      bytes.replaceSubrange(edit.range.start..<edit.range.end, with: Array(edit.replacement.utf8))
    }
    return bytes
  }

  private static func count(_ diagnostics: [Diagnostic], like diagnostic: Diagnostic) -> Int {
    diagnostics.count { $0.code == diagnostic.code && $0.message == diagnostic.message }
  }

  private static let storeRules: [DiagnosticCode] = [
    .cannotIndex, .missingPrimaryKey, .wrongPrimaryKey, .recursiveIndex, .duplicateTableName, .wrongVersion,
  ]

  /// The errors of a text that another does not have, store rules aside: those need a schema that is read whole.
  private static func newErrors(_ after: [Diagnostic], _ before: [Diagnostic]) -> [String] {
    func counts(_ diagnostics: [Diagnostic]) -> [String: Int] {
      let errors = diagnostics.filter { $0.severity == .error && !storeRules.contains($0.code) }
      return Dictionary(grouping: errors) { "\($0.code.id) \($0.message)" }.mapValues(\.count)
    }
    let known = counts(before)
    return counts(after).filter { $0.value > known[$0.key] ?? 0 }.map(\.key)
  }

  /// Applies each fix alone, and returns how many there are.
  private func check(_ files: [String: [UInt8]], _ inputs: [String], _ name: String) throws -> Int {
    let (before, sources) = Self.diagnose(files, inputs)
    var fixes = 0
    for diagnostic in before {
      for fix in diagnostic.fixes {
        fixes += 1
        let file = try #require(fix.edits.first?.range.file)
        #expect(fix.edits.allSatisfy { $0.range.file == file && $0.range.end <= sources[file].bytes.count })
        let edits = fix.edits.sorted { $0.range.start < $1.range.start }
        #expect(zip(edits, edits.dropFirst()).allSatisfy { $0.range.end <= $1.range.start })
        var changed = files
        changed[sources[file].path] = Self.apply(fix, sources[file].bytes)
        let (after, _) = Self.diagnose(changed, inputs)
        let what = "\(name): \(diagnostic.message): \(fix.title)"
        #expect(Self.count(after, like: diagnostic) < Self.count(before, like: diagnostic), "\(what)")
        #expect(Self.newErrors(after, before) == [], "\(what)")
      }
    }
    return fixes
  }

  @Test("Every fix in a fixture removes its diagnostic", arguments: DiagnosticFixtureTests.cases)
  func fixtures(_ name: String) throws {
    let folder = DiagnosticFixtureTests.folder.appendingPathComponent(name)
    var files: [String: [UInt8]] = [:]
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where file.hasSuffix(".fbs") {
      files[file] = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
    }
    // One long line with many mistakes says the same of all of them.
    guard name != "too-many-mistakes" else { return }
    _ = try check(files, files.keys.filter { !$0.contains("/") }.sorted(), name)
  }

  /// Each changes up to three tokens of a fixture, and stands for a slip.
  @Test("In 2,000 schemas with slips, no fix brings the next error about", arguments: 0..<20)
  func mutants(_ part: Int) throws {
    let texts = try BadInputTests.fixtures.map {
      [UInt8](try Data(contentsOf: packageFolder.appendingPathComponent("Fixtures/\($0)")))
    }.filter { $0.count < 2000 }
    var random = SeededGenerator(seed: part)
    let words = [
      "primary", "int", "string", "=", ":", ";", ",", "(", ")", "[", "]", "{", "}", "|", "@", "/", "1", "\"x\"",
    ]
    var fixes = 0
    for number in 0..<100 {
      let bytes = texts[random.next(texts.count)]
      let tokens = Parser.parse(SourceFile(id: FileID(0), path: "a.fbs", bytes: bytes)).tree.tokens.dropLast()
      var changed = tokens.map { String(decoding: bytes[Int($0.start)..<Int($0.end)], as: UTF8.self) }
      guard changed.count > 2 else { continue }
      for _ in 0...random.next(3) {
        let place = random.next(changed.count - 1)
        switch random.next(5) {
        case 0 where changed.count > 2: changed.remove(at: place)
        case 1: changed.insert(changed[place], at: place)
        case 2: changed.swapAt(place, place + 1)
        case 3: changed[place] = random.pick(words)
        default: changed.insert(random.pick(words), at: place)
        }
      }
      let text = changed.joined(separator: " ")
      fixes += try check(["a.fbs": Array(text.utf8)], ["a.fbs"], "mutant \(part).\(number): \(text)")
    }
    #expect(fixes > 20)
  }

  @Test("A fix mends its mistake, whatever stands around it", arguments: FixCases.all)
  func cases(_ text: String, _ mended: [String]) throws {
    let files = ["a.fbs": Array(text.utf8)]
    let (diagnostics, _) = Self.diagnose(files, ["a.fbs"])
    let results = diagnostics.flatMap(\.fixes).map {
      String(decoding: Self.apply($0, Array(text.utf8)), as: UTF8.self)
    }
    #expect(results == mended)
    #expect(try check(files, ["a.fbs"], text) == mended.count)
  }
}

enum FixCases {
  /// Schemas, and what each of their fixes makes of them.
  static let all: [(String, [String])] = [
    ("table T { a: int }", ["table T { a: int; }"]),
    ("table T { a int; }", ["table T { a: int; }"]),
    ("table T { a: int; };", ["table T { a: int; }"]),
    ("enum E: int { A B }", ["enum E: int { A, B }"]),
    ("enum E: int { A; B }", ["enum E: int { A, B }"]),
    ("enum E { A }", ["enum E: int { A }"]),
    ("tabel T { a: int; }", ["table T { a: int; }"]),
    ("table T { a: int (); }", ["table T { a: int ; }"]),
    ("table T { a: int (deprecated,); }", ["table T { a: int (deprecated); }"]),
    ("table T { a: strng; }", ["table T { a: string; }"]),
    ("table T { c: Colr; } enum Color: int { A }", ["table T { c: Color; } enum Color: int { A }"]),
    (
      "namespace N; table Thing {} namespace; table T { a: Thong; }",
      ["namespace N; table Thing {} namespace; table T { a: N.Thing; }"]
    ),
    (
      "namespace A.B; table T {} table U { x: A . /* c */ B .Tt; }",
      ["namespace A.B; table T {} table U { x: T; }"]
    ),
    ("table T { a: int (depricated); }", ["table T { a: int (deprecated); }"]),
    (
      "// c\ntable T { a: int (colour: \"x\"); }",
      ["attribute \"colour\";\n// c\ntable T { a: int (colour: \"x\"); }"]
    ),
    ("table T { a: int (required); }", ["table T { a: int; }"]),
    ("table T { a: int (required, key); }", ["table T { a: int (key); }"]),
    ("table T { a: int (key, required); }", ["table T { a: int (key); }"]),
    ("table T { a: int (key /* c */, required); }", ["table T { a: int (key /* c */); }"]),
    ("table T { a: int ( /* c */ required); }", []),
    ("table T { a: int /* c */ (required); }", []),
    ("table T { a: T /* c */ = 1; }", []),
    ("table T { a: T = /* c */ 1; }", []),
    (
      "table T { a: string (deprecated, required); }",
      ["table T { a: string (required); }", "table T { a: string (deprecated); }"]
    ),
    ("table T { a: int (key, key); }", ["table T { a: int (key); }", "table T { a: int (key); }"]),
    ("table T { a: int (indexed: 5); }", ["table T { a: int (indexed); }"]),
    (
      "table T { a: uint (hash: \"x\"); }",
      ["table T { a: uint (hash: \"fnv1_32\"); }", "table T { a: uint (hash: \"fnv1a_32\"); }"]
    ),
    ("table T { a: T = 1; }", ["table T { a: T; }"]),
    ("table T { a: [int] = 1; }", ["table T { a: [int] = []; }", "table T { a: [int]; }"]),
    ("table T { a: string = x; }", ["table T { a: string = \"x\"; }"]),
    (
      "enum E: int (bit_flags) { Red, Blue } table T { e: E = \"Red Bleu\"; }",
      ["enum E: int (bit_flags) { Red, Blue } table T { e: E = \"Red Blue\"; }"]
    ),
    ("enum E: int { Red } table T { e: int = \"E.Rad\"; }", ["enum E: int { Red } table T { e: int = \"E.Red\"; }"]),
    ("table T { a: double = rod(180); }", ["table T { a: double = rad(180); }"]),
    ("table T { a: double = 0x1.8; }", ["table T { a: double = 0x1.8p0; }"]),
    ("struct S { a: int = 1; }", ["struct S { a: int; }"]),
    ("attribute \"a\\qb\";", ["attribute \"a\\\\qb\";"]),
    ("attribute \"a\tb\";", ["attribute \"a\\tb\";"]),
    ("table T { a: int; } /// x", ["table T { a: int; } // x"]),
    ("table T { long: int; } root_type T; { lnog: 1 }", ["table T { long: int; } root_type T; { long: 1 }"]),
    (
      "table T { a: [ubyte] (nested_flatbuffer: \"Table\"); } table Tabel {}",
      [
        "table T { a: [ubyte] (nested_flatbuffer: \"Tabel\"); } table Tabel {}"
      ]
    ),
    ("table T { a: string (vector64); }", ["table T { a: string (offset64); }"]),
  ]
}
