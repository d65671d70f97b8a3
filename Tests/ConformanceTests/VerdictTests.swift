import FBSParser
import FBSSchema
import Foundation
import Testing

/// What flatc refuses, we refuse.
@Suite("Schemas that flatc refuses are refused", .enabled(if: SchemaOracle.isAvailable))
struct VerdictTests {
  @Test("Each hand-written schema that flatc refuses is refused")
  func handWritten() throws {
    let cases = try Corpus.invalid.get() + [SchemaCase(name: "NUL", text: "table A {}\0 table B {}")]
    #expect(cases.count >= 200)
    for (schemaCase, judgement) in zip(cases, try SchemaOracle.shared.get().judge(cases)) {
      if judgement.isValid { Issue.record("\(schemaCase.name): flatc takes it\n\(schemaCase.text)") }
      if schemaCase.compile().isValid { Issue.record("\(schemaCase.name): we take it\n\(schemaCase.text)") }
    }
  }
}
