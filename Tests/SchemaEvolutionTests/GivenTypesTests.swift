import ConformanceSupport
import FBSParser
import FBSSchema
import SchemaEvolution
import Testing

/// What the given files define is judged whether or not a root leads to it: another file may include them.
@Suite("Types that no root of the given files leads to")
struct GivenTypesTests {
  private let root = "table Root { x: int; } root_type Root; "

  private func severities(_ findings: [Finding]) -> [String] { findings.map { "\($0.severity) \($0.rule.id)" } }

  /// The findings of one file that includes `lib.fbs`, in two versions of either.
  private func findingsOfIncluding(_ main: (String, String), lib: (String, String)) throws -> [Finding] {
    func version(_ main: String, _ lib: String) throws -> SchemaVersion {
      let compilation = SchemaCompiler.compile(
        inputs: ["main.fbs"], provider: SchemaTexts(["main.fbs": main, "lib.fbs": lib]))
      try #require(compilation.isValid, "\(compilation.diagnostics)")
      let names = Dictionary(uniqueKeysWithValues: compilation.schema.files.filter(\.isInput).map { ($0.id, "") })
      return SchemaVersion(schema: compilation.schema, sources: compilation.sources, names: names)
    }
    return SchemaEvolution.compare(old: try version(main.0, lib.0), new: try version(main.1, lib.1))
  }

  @Test("A library of structs and enums is judged in full, with a root and without one")
  func libraries() throws {
    for prefix in ["", root] {
      for (old, new, rule) in [
        ("struct S { x: int; y: int; }", "struct S { x: int; }", "error struct-layout"),
        ("enum E: byte { a, b }", "enum E: byte { b, a }", "error enum-value"),
        ("table A { x: int; } union U { A }", "table A { x: long; } union U { A }", "error field-type"),
        ("table A { x: int; y: string; }", "table A { y: string; }", "error field-removed"),
        ("struct S { x: int; }", "table S { x: int; }", "error type-kind"),
      ] {
        let found = severities(try findings(prefix + old, prefix + new))
        #expect(found.contains(rule), "\(prefix)\(old): \(found)")
      }
    }
  }

  @Test("A finding about a type that no root leads to says so, and that no object of the given files shows it")
  func evidence() throws {
    let found = try findings(root + "enum E: byte { a, b }", root + "enum E: byte { b }")
    #expect(severities(found) == ["error enum-value", "error enum-value"])
    #expect(found.allSatisfy { $0.evidence == .precaution && $0.notes.contains { $0.contains("no root") } })
  }

  @Test("A type that only an included file defines, and that nothing in the given files holds, is a warning")
  func included() throws {
    let main = "include \"lib.fbs\"; table A { e: E; } "
    let (old, new) = ("enum E: byte { a, b } enum F: byte { c, d }", "enum E: byte { a, b } enum F: byte { d, c }")
    for main in [main, main + "root_type A;"] {
      #expect(Set(severities(try findingsOfIncluding((main, main), lib: (old, new)))) == ["warning enum-value"])
    }
    // As soon as anything that the given file defines holds it, reached from a root or not, it counts.
    let holding = main + "root_type A; struct S { f: F; }"
    #expect(Set(severities(try findingsOfIncluding((holding, holding), lib: (old, new)))) == ["error enum-value"])
  }

  @Test("A file that only includes others stands for them")
  func umbrella() throws {
    let main = "include \"lib.fbs\";\nnamespace N;\n"
    let found = try findingsOfIncluding((main, main), lib: ("enum E: byte { a, b }", "enum E: byte { b, a }"))
    #expect(Set(severities(found)) == ["error enum-value"])
  }

  @Test("A stored type is not gone when it lives on under another name where no object is stored")
  func livesOn() throws {
    let old = "namespace N; struct S { x: int; } union U { S } table A { s: S; } root_type A;"
    let new = "struct S { x: int; } namespace N; union U { S } table A { s: ubyte (deprecated); } root_type A;"
    #expect(severities(try findings(old, new)) == ["warning type-renamed", "warning field-type"])
  }

  @Test("A table without a root that a union alone leads to is compared as stored objects are")
  func unionsWithoutARoot() throws {
    let old = "union U { A } table A { x: int; y: string; }"
    let new = "union U { B } table B { y: string; x: int; }"
    let found = try findings(old, new)
    #expect(found.contains { $0.severity == .error && $0.evidence == .data }, "\(found)")
    #expect(!found.contains { $0.rule.id == "type-removed" })
  }

  @Test("A type of an included file is not removed because the file is no longer included")
  func noLongerIncluded() throws {
    let text = "include \"lib.fbs\"; table A { x: int; }"
    for suffix in ["", " root_type A;"] {
      let found = try findingsOfIncluding(
        (text + suffix, "table A { x: int; }" + suffix), lib: ("table B { y: int; }", ""))
      #expect(found.isEmpty, "\(severities(found))")
    }
    // What held it is judged for itself.
    let holding = "include \"lib.fbs\"; table A { b: B; } root_type A;"
    let found = try findingsOfIncluding((holding, "table A { b: int; } root_type A;"), lib: ("table B { y: int; }", ""))
    #expect(severities(found) == ["error field-type"])
  }

  @Test("A type of a given file that is gone is an error if stored objects hold it, and else a warning")
  func removed() throws {
    #expect(
      severities(try findings("table A { x: int; } table B { y: string; }", "table A { x: int; }"))
        == ["error type-removed"])
    #expect(severities(try findings(root + "table B { y: string; }", root)) == ["warning type-removed"])
    #expect(severities(try findings(root + "enum E: byte { a }", root)) == ["warning type-removed"])
  }
}
