import FBSDiagnostics
import FBSSchema
import Foundation
import SchemaEvolution
import TestSupport
import Testing

@Suite("Types and fields of two versions are matched")
struct MatchingTests {
  @Test("Several renames at once are renames")
  func renames() throws {
    let old = """
      enum E: byte { a, b } struct S { x: int; } table T { s: S; e: E; t: T; } union U { T }
      table Root { id: string (primary); t: T; u: [U]; } root_type Root;
      """
    let new = """
      enum F: byte { c, d } struct R { y: int; } table V { r: R; f: F; v: V; } union W { V }
      table Root { key: string (primary); v: V; w: [W]; } root_type Root;
      """
    let found = try findings(old, new)
    #expect(!found.contains { $0.rule.level == .storage }, "\(found.map(\.message))")
    #expect(found.filter { $0.rule.id == "type-renamed" }.count == 4)
    #expect(found.filter { $0.rule.id == "enum-renamed" }.count == 2)
    #expect(found.filter { $0.rule.id == "field-renamed" }.count == 7)
  }

  @Test(
    "A second name of a number comes and goes without a break of storage, and a case that becomes an alias is a rename",
    arguments: [
      ("a, b", "a, b, c = 1", []),
      ("a, b, c = 1", "a, b", ["enum-renamed"]),
      ("a, b, c = 1", "a, c", ["enum-renamed"]),
      ("a, b, c = 1", "a, x, y = 1", ["enum-renamed", "enum-renamed"]),
      ("a, b, c = 1", "a, x", ["enum-renamed", "enum-renamed"]),
      ("a, b, c = 1, d = 1", "a, b, d = 1, c = 1", []),
      ("a, b, c = 1", "a, c, b = 1", ["enum-renamed"]),
      ("a, b", "a, c = 1, b = 1", ["enum-renamed"]),
      ("a, b, c = 1", "a, b, c = 2", ["enum-value"]),
      ("a, b, c = 1", "a", ["enum-value", "enum-value"]),
      ("a, b, c = 2", "a, c = 1", ["enum-value", "enum-value"]),
    ])
  func aliases(old: String, new: String, expected: [String]) throws {
    func schema(_ values: String) -> String { "enum E: byte { \(values) } table T { e: E; }" }
    #expect(try rules(schema(old), schema(new)) == expected)
  }

  @Test("The names of a bit are static properties in any order")
  func flagAliases() throws {
    let old = "enum E: ubyte (bit_flags) { a, b, c = 1 } table T { e: E; }"
    #expect(try rules(old, old.replacing("b, c = 1", with: "c = 1, b = 1")) == [])
  }

  @Test("A default that names another name of its number is the same default")
  func defaultAlias() throws {
    let text = "enum E: byte { a, b, c = 1 } table T { e: E = b; }"
    #expect(try rules(text, text.replacing("= b", with: "= c")) == [])
  }

  @Test("Each of two new names of one number is offered for one old name")
  func renamedAliases() throws {
    let found = try findings(
      "enum E: byte { a, b, c = 1 } table T { e: E; }", "enum E: byte { a, x, y = 1 } table T { e: E; }")
    #expect(found.map(\.message) == ["`b` is called `x`", "`c` is called `y`"])
  }

  @Test("Two types that exchanged their names are found by what leads to them")
  func exchangedNames() throws {
    let old = "table A { x: int; } table B { y: string; } table Root { a: A; b: B; } root_type Root;"
    let new = "table B { x: int; } table A { y: string; } table Root { a: B; b: A; } root_type Root;"
    #expect(try rules(old, new) == ["type-renamed", "type-renamed"])
    let wrong = "table A { x: int; } table B { y: string; } table Root { a: B; b: A; } root_type Root;"
    #expect(try rules(old, wrong) == ["field-type", "field-type"])
  }

  @Test("A field that takes a type of another unit takes another type")
  func otherUnits() throws {
    let old = """
      table Secs { at: long (date: "s"); } table Millis { at: long (date: "ms"); }
      table Root { at: Secs; other: Millis; } root_type Root;
      """
    let found = try findings(old, old.replacing("at: Secs", with: "at: Millis"))
    #expect(found.map(\.rule.id) == ["field-type"] && found.allSatisfy { $0.severity == .error })
  }

  @Test("A field that takes a type that is stored alike has the errors about keys, hashes and flexbuffers")
  func precautionsOfAlikeTypes() throws {
    for (first, second, rule) in [
      ("x: int (key); y: int;", "x: int; y: int (key);", "key"),
      ("x: uint (hash: \"fnv1_32\");", "x: uint (hash: \"fnv1a_32\");", "hash"),
      ("x: [ubyte];", "x: [ubyte] (flexbuffer);", "nested-flatbuffer"),
    ] {
      let types = "table A { \(first) } table B { \(second) } union U { A } union V { B }"
      for (before, after) in [("A", "B"), ("[A]", "[B]"), ("U", "V")] {
        let old = "\(types) table Root { a: \(before); b: B; u: U; v: V; } root_type Root;"
        let found = try findings(old, old.replacing("Root { a: \(before)", with: "Root { a: \(after)"))
        let errors = found.filter { $0.severity == .error }
        #expect(errors.map(\.rule.id) == [rule], "\(before): \(found.map(\.message))")
        #expect(errors.allSatisfy { $0.evidence == .precaution && $0.fix == nil })
      }
    }
    let old = """
      table A { x: int (key); y: int; } table B { x: int; y: int (key); }
      table Root { a: [A]; b: [B]; } root_type Root;
      """
    let found = try findings(old, old.replacing("a: [A]", with: "a: [B]"))
    #expect(
      found.filter { $0.rule.id == "key" }.map(\.message) == [
        "with the type, `key` was removed from `x`, and `key` was added to `y`"
      ])
  }

  @Test("A name that took another number was moved, though its old number has a field of its type")
  func movedNames() throws {
    #expect(try rules("table A { a: int; b: int; }", "table A { b: int; a: int; }") == ["field-inserted"])
    #expect(try rules("table A { a: int; b: int; }", "table A { b: int; c: int; }").contains("field-removed"))
    #expect(try rules("table A { a: int; }", "table A { x: int; a: int; }") == ["field-inserted"])
    #expect(try rules("table A { a: int; }", "table A { x: int; }") == ["field-renamed"])
  }

  @Test("Without a root, tables are matched by name, then by their fields")
  func withoutRoot() throws {
    #expect(try rules("table A { a: int; b: string; }", "table B { a: int; b: string; }") == ["type-renamed"])
    #expect(try rules("table A { a: int; }", "namespace N; table A { a: int; }") == ["type-renamed"])
    #expect(try rules("table A { a: int; }", "table B { b: string; }") == ["type-removed"])
  }

  @Test("Deprecated fields do not keep types that exchanged their names apart")
  func deprecatedFieldsOfExchangedNames() throws {
    let old = """
      table A { x: int; n: A (deprecated); d: int (deprecated); } table B { y: string; m: B (deprecated); }
      table Root { a: A; b: B; } root_type Root;
      """
    let new = """
      table B { x: int; n: B (deprecated); d: string (deprecated); } table A { y: string; m: A (deprecated); }
      table Root { a: B; b: A; } root_type Root;
      """
    let found = try findings(old, new).filter { $0.evidence != .precaution }
    #expect(found.map(\.rule.id) == ["type-renamed", "type-renamed"])
  }

  @Test("A deprecated field that is taken up again under a number of its own reads nothing old")
  func undeprecatedAtTheEnd() throws {
    func severities(_ id: Int) throws -> [Severity] {
      let old = "table T { a: int; b: int (deprecated); } root_type T;"
      let new = """
        table T { a: int (id: 0); c: int (id: \(3 - id), deprecated); b: int (id: \(id)); } root_type T;
        """
      return try findings(old, new).filter { $0.rule.id == "field-undeprecated" }.map(\.severity)
    }
    #expect(try severities(1) == [.error])
    #expect(try severities(2) == [.warning])
  }

  @Test("Types that lead to themselves, in rings of other lengths on both sides, come to an end")
  func rings() throws {
    func ring(_ count: Int, _ prefix: String) -> String {
      (0..<count).map { "table \(prefix)\($0) { next: \(prefix)\(($0 + 1) % count); x: int; }\n" }.joined()
        + "table Root { r: \(prefix)0; } root_type Root;\n"
    }
    let time = try processorTime { _ = try findings(ring(997, "A"), ring(1009, "B")) }
    // Every pair of the two rings would be a million.
    #expect(time < .seconds(10))
  }

  @Test("Time grows with the schema")
  func linear() throws {
    func schema(_ count: Int, _ more: String) -> String {
      (0..<count).map { "table T\($0) { next: T\(($0 + 1) % count); x: int; y: [string];\(more) }\n" }.joined()
        + "table Root { t: T0; } root_type Root;\n"
    }
    func time(_ count: Int) throws -> Duration {
      let (old, new) = (try version(schema(count, "")), try version(schema(count, " z: int;")))
      return processorTime { #expect(SchemaEvolution.compare(old: old, new: new).isEmpty) }
    }
    // The least of several: machines are noisy.
    let small = try (0..<5).map { _ in try time(1_000) }.min() ?? .zero
    let large = try (0..<3).map { _ in try time(10_000) }.min() ?? .zero
    // Ten times as much: a hundred times the time would be a square.
    #expect(large < small * 50)
  }

  @Test("Findings are sorted by place, each once")
  func order() throws {
    let old = "table A { a: int; } table Root { x: A; y: A; z: [A]; w: int; } root_type Root;"
    let new = "table A { a: long; } table Root { x: A; y: A; z: [A]; w: string; } root_type Root;"
    let found = try findings(old, new)
    #expect(found.map(\.rule.id) == ["field-type", "field-type"])
    #expect(found[0].range.start < found[1].range.start)
  }
}
