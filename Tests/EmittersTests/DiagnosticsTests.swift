import Emitters
import Testing

@Suite("What stops the emitters")
struct EmitterDiagnosticsTests {
  @Test("A plain schema gives no diagnostics")
  func aPlainSchemaIsFine() {
    #expect(complaints("table T { a: int; b: string; }") == [])
  }

  @Test("A deprecated field takes no name from other fields")
  func aDeprecatedFieldTakesNoName() {
    #expect(complaints("table T { hp_old: int (deprecated); hpOld: int; }") == [])
  }

  @Test("A type can have the name of one of Swift's types")
  func aTypeMayHaveTheNameOfOneOfSwifts() {
    #expect(complaints("table String { a: int; }") == [])
    #expect(complaints("table Self { a: int; }") == [])
  }

  @Test("A table can hold itself where the field is optional or in a vector or union")
  func aTableMayHoldItself() {
    for text in [
      "table A { a: A; }", "table A { b: B; } table B { a: A; }", "union U { A } table A { u: U; }",
      "table A { b: B (required); } table B { a: A; }", "union U { A } table A { u: U (required); }",
      "table A { a: [A] (required); }", "table A { k: int (primary); b: B; } table B { a: A; } root_type A;",
    ] {
      #expect(complaints(text) == [], "\(text)")
    }
  }

  @Test("A table that requires itself is refused, also where it is a root")
  func aTableThatNeedsItselfIsRefusedAlsoWhereItIsARoot() {
    func message(_ table: String) -> String {
      "D0304 no `\(table)` can ever be complete: it needs another one within it"
    }
    #expect(complaints("table A { k: int (primary); a: A (required); } root_type A;") == [message("A")])
    #expect(
      complaints("table A { b: B (required); } table B { a: A (required); } table C { a: A (required); }")
        == [message("A"), message("B")])
  }

  @Test("A field that would collide with the storage of an indirect field is renamed")
  func aWrappedPropertyTakesAnotherNameAlong() {
    #expect(renamed("table A { next: A; __next: int; }") == ["the field `__next` is called `_next_`"])
    #expect(renamed("table A { next: B; __next: int; } table B { x: int; }") == [])
  }

  @Test("A circle of 20,000 tables compiles if it is optional and is refused if required")
  func aLongCircleOfTablesIsNoProblem() throws {
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
    "A schema that only the data model cannot hold is accepted for the accessors alone",
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

  @Test("A type is renamed for its editor's name only where editors are emitted")
  func editorsTakeANameOfTheirOwn() {
    let text = "table A { x: int; } namespace AEditor; table B { a: A; }"
    #expect(renamed(text, emitters: "accessors") == [])
    #expect(renamed(text, emitters: "accessors", "editors") == ["the type `A` is called `A_`"])
  }
}
