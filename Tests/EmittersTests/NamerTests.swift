import Testing

import Emitters

@Suite("Swift names")
struct NamerTests {
  @Test(
    "A field's name becomes lowerCamelCase",
    arguments: [
      ("title", "title"), ("hp_old", "hpOld"), ("Title", "title"), ("hpOld", "hpOld"), ("a_b_c", "aBC"),
      ("ID", "ID"), ("HP_OLD", "HP_OLD"), ("_private", "_private"), ("__deep_field", "__deepField"), ("x_", "x_"),
      ("a__b", "aB"), ("x_1", "x1"), ("_", "_"), ("", ""),
    ])
  func fieldNames(schema: String, swift: String) {
    #expect(Namer.lowerCamelCase(schema) == swift)
  }

  @Test(
    "A case has its first letter lowered, unless the whole name is in capitals",
    arguments: [
      ("Red", "red"), ("DDIM", "DDIM"), ("DDIMv2", "dDIMv2"), ("snake_case", "snake_case"), ("A", "A"), ("X1", "X1"),
    ])
  func caseNames(schema: String, swift: String) {
    #expect(Namer.caseName(schema) == swift)
  }

  @Test func keywordsAreEscaped() {
    #expect(SwiftKeywords.escape("class") == "`class`")
    #expect(SwiftKeywords.escape("klass") == "klass")
  }
}

@Suite("Names that a schema hides from the generated code")
struct HiddenNamesTests {
  @Test func theyAreSpelledWithTheirModule() throws {
    let text = try emit("data-model", "table String { text: string; next: [String]; } enum Int8: byte { A, B }")
    #expect(text.contains("public struct String: Equatable, Sendable, FlatBufferTableDecodable {"))
    #expect(text.contains("public var text: Swift.String?\n  public var next: [String]\n"))
    #expect(text.contains("public enum Int8: Swift.Int8, DflatFriendlyValue"))
    #expect(!text.utf8.contains(1))
  }

  @Test func theRestStaysAsItIs() throws {
    let text = try emit(
      "query", "table UnionField { x: int = 1;\n /// A String, \"Int32\".\n y: UnionField; } union U { UnionField }")
    #expect(text.contains("extension Dflat.UnionField where Union == U {"))
    #expect(text.contains("public func match(_: UnionField.Type)"))
    #expect(text.contains("/// A String, \"Int32\"."))
    #expect(text.contains("QueryExpression<Int32, Element>"))
  }

  @Test(
    "Where no spelling helps, one diagnostic says so",
    arguments: [
      ("table Any { x: int; }", "a type cannot be called `Any` in Swift"),
      ("table Fields { x: int; }", "a type cannot be called `Fields` in Swift"),
      ("table Swift { x: int; } table String { x: int; }", "a type cannot be called `Swift` in Swift"),
      ("namespace Self; table A { x: int; } table B { x: int; }", "a namespace cannot be called `Self` in Swift"),
      (
        "namespace Game; table Game { x: int; } enum E: int { A }",
        "`Game` in the namespace `Game` hides another `Game`"
      ),
      (
        "namespace a; table X { x: int; } namespace b.a; table Y { x: int; } namespace b; table Z { x: a.X; y: b.a.Y; }",
        "`a` in the namespace `b` hides another `a`"
      ),
      (
        "enum color: byte { Red } table T { color: color; }",
        "`color` hides the type or namespace `color` in the generated code"
      ),
      (
        "namespace game; struct V { x: int; } table T { game: V; }",
        "`game` hides the type or namespace `game` in the generated code"
      ),
      ("table table { x: int; }", "a type cannot be called `table` in Swift"),
      ("table Swift { x: int; }", nil), ("union U { A, B } table A { x: int; } table B { x: int; }", nil),
      ("namespace a.b; table T { game: int; } namespace b; table V { x: int; }", nil),
    ])
  func whereNoSpellingHelps(text: String, message: String?) {
    let found = complaints(text).map { String($0.drop { $0 != " " }.dropFirst()) }
    #expect(found == (message.map { [$0] } ?? []), "\(text)")
  }
}
