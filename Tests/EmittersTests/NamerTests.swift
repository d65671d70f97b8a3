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
    #expect(text.contains("public nonisolated func match(_: UnionField.Type)"))
    #expect(text.contains("/// A String, \"Int32\"."))
    #expect(text.contains("QueryExpression<Int32, Element>"))
  }
}
