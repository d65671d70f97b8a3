import Emitters
import Testing

@Suite("What stops the emitters")
struct EmitterDiagnosticsTests {
  @Test func aPlainSchemaIsFine() {
    #expect(complaints("table T { a: int; b: string; }") == [])
  }

  @Test func aDeprecatedFieldTakesNoName() {
    #expect(complaints("table T { hp_old: int (deprecated); hpOld: int; }") == [])
  }

  @Test func aTypeMayHaveTheNameOfOneOfSwifts() {
    #expect(complaints("table String { a: int; }") == [])
    #expect(complaints("table Self { a: int; }") == [])
  }

  @Test func aTableMayHoldItself() {
    for text in [
      "table A { a: A; }", "table A { b: B; } table B { a: A; }", "union U { A } table A { u: U; }",
      "table A { b: B (required); } table B { a: A; }", "union U { A } table A { u: U (required); }",
      "table A { a: [A] (required); }", "table A { k: int (primary); b: B; } table B { a: A; } root_type A;",
    ] {
      #expect(complaints(text) == [], "\(text)")
    }
  }

  @Test func aTableThatNeedsItselfIsRefusedAlsoWhereItIsARoot() {
    func message(_ table: String) -> String {
      "D0304 no `\(table)` can ever be complete: it needs another one within it"
    }
    #expect(complaints("table A { k: int (primary); a: A (required); } root_type A;") == [message("A")])
    #expect(
      complaints("table A { b: B (required); } table B { a: A (required); } table C { a: A (required); }")
        == [message("A"), message("B")])
  }

  @Test func aWrappedPropertyTakesAnotherNameAlong() {
    #expect(renamed("table A { next: A; __next: int; }") == ["the field `__next` is called `_next_`"])
    #expect(renamed("table A { next: B; __next: int; } table B { x: int; }") == [])
  }

  @Test func aLongCircleOfTablesIsNoProblem() throws {
    let count = 20_000
    func circle(_ attribute: String) -> String {
      (0..<count).map { "table T\($0) { next: T\(($0 + 1) % count)\(attribute); }\n" }.joined()
    }
    #expect(complaints(circle("")) == [])
    #expect(complaints(circle(" (required)")).count == count)
    let text = try emit("data-model", circle(""))
    #expect(text.contains("@Indirect public var next: T1?"))
  }

  @Test(
    "What only the data model cannot hold is no matter to the accessors alone",
    arguments: [
      "table A { b: B (required); } table B { a: A (required); }",
      "table Atom { _rowid: int; _record: int; Fields: int; } enum E: int { allCases }",
      "table A { x: int (primary); } table ABuilder { x: int; } table AChangeRequest { x: int; } root_type A;",
    ])
  func accessorsAlone(text: String) throws {
    #expect(try !emit("accessors", text).isEmpty)
    #expect(try !emit("editors", text).isEmpty)
    #expect(!complaints(text).isEmpty)
  }

  @Test func editorsTakeANameOfTheirOwn() {
    let text = "table A { x: int; } namespace AEditor; table B { a: A; }"
    #expect(renamed(text, emitters: "accessors") == [])
    #expect(renamed(text, emitters: "accessors", "editors") == ["the type `A` is called `A_`"])
  }
}
