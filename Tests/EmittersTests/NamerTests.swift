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
