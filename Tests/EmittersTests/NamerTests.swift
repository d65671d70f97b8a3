import Testing

import Emitters

@Suite("Swift names")
struct NamerTests {
  @Test(
    "A field's name has no underscores, as in Dflat 0.6; without underscores, its first letter is lowered",
    arguments: [
      ("title", "title"), ("hp_old", "hpOld"), ("Title", "title"), ("hpOld", "hpOld"), ("a_b_c", "aBC"), ("ID", "ID"),
      ("HP_OLD", "HPOLD"), ("Hp_Old", "HpOld"), ("_major", "Major"), ("__deep_field", "_deepField"), ("x_", "x_"),
      ("a__b", "a_b"), ("a___b", "a_B"), ("x_1", "x1"), ("_", "_"), ("__", "__"), ("___", "__"), ("_1", "_1"),
      ("__1", "_1"), ("", ""),
    ])
  func fieldNames(schema: String, swift: String) {
    #expect(Namer.fieldName(schema) == swift)
  }

  @Test(
    "A case has no underscores and its first letter lowered, unless all are capitals",
    arguments: [
      ("Red", "red"), ("DDIM", "DDIM"), ("DDIMv2", "dDIMv2"), ("A", "A"), ("X1", "X1"), ("HTTPServer", "hTTPServer"),
      ("Dark_Blue", "darkBlue"), ("light_pink", "lightPink"), ("two2_three", "two2Three"), ("DARK_BLUE", "DARKBLUE"),
      ("A_1", "A1"), ("AB_c", "ABC"), ("a_b", "aB"), ("Trail_", "trail_"), ("TRAIL_", "TRAIL_"), ("_lead", "lead"),
      ("_1", "_1"), ("_", "_"), ("", ""),
    ])
  func caseNames(schema: String, swift: String) {
    #expect(Namer.caseName(schema) == swift)
  }

  @Test("A name that is a Swift keyword is escaped with backquotes")
  func keywordsAreEscaped() {
    #expect(SwiftKeywords.escape("class") == "`class`")
    #expect(SwiftKeywords.escape("klass") == "klass")
  }
}

@Suite("Names that a schema hides from the generated code")
struct HiddenNamesTests {
  @Test("A name of Swift that the schema shadows is written with its module")
  func theyAreSpelledWithTheirModule() throws {
    let text = try emit("data-model", "table String { text: string; next: [String]; } enum Int8: byte { A, B }")
    #expect(text.contains("public struct String: Equatable, Sendable, FlatBufferTableDecodable {"))
    #expect(text.contains("public var text: Swift.String?\n  public var next: [String]\n"))
    #expect(text.contains("public enum Int8: Swift.Int8, DflatFriendlyValue"))
    #expect(!text.utf8.contains(1))
  }

  @Test("Names that the schema does not shadow are left as they are")
  func theRestStaysAsItIs() throws {
    let text = try emit(
      "query", "table UnionField { x: int = 1;\n /// A String, \"Int32\".\n y: UnionField; } union U { UnionField }")
    #expect(text.contains("extension Dflat.UnionField where Union == U {"))
    #expect(text.contains("public nonisolated func match(_: UnionField.Type)"))
    #expect(text.contains("/// A String, \"Int32\"."))
    #expect(text.contains("QueryExpression<Int32, Element>"))
  }
}
