import FBSParser
import FBSSchema
import Foundation
import Testing

/// Slips that people make: what flatc says of the result, we say.
@Suite("Verdicts on mutated schemas agree with flatc's", .enabled(if: SchemaOracle.isAvailable))
struct MutatedSchemaTests {
  @Test("dflatc and flatc agree on each schema with a changed token", arguments: 0..<6 * conformanceRounds)
  func mutants(_ seed: Int) throws {
    let texts = try Corpus.valid.get().filter { $0.files.count == 1 }.map(\.text)
    var mutator = TokenMutator(seed: seed, schemas: texts)
    var mutants = texts.map { mutator.mutate($0) }
    for random in 0..<100 { mutants.append(mutator.mutate(SchemaGenerator.schema(seed: random).text)) }
    let cases = mutants.enumerated().map { SchemaCase(name: "mutant \(seed).\($0)", text: $1) }
    var refused = 0
    var agreed: [(SchemaCase, Compilation, BinarySchemaContent)] = []
    for (schemaCase, judgement) in zip(cases, try SchemaOracle.shared.get().judge(cases)) {
      let compilation = schemaCase.compile()
      if !judgement.isValid { refused += 1 }
      if case .valid(let content) = judgement, compilation.isValid {
        agreed.append((schemaCase, compilation, content))
        continue
      }
      guard compilation.isValid || judgement.isValid,
        KnownVerdict.explaining(compilation, judgement) == nil
      else { continue }
      Issue.record(
        """
        \(schemaCase.name): flatc says \(judgement.summary), \
        we say \(compilation.errors.map { "\($0.code.id) \($0.message)" })
        \(schemaCase.text)
        """)
    }
    try expectSameContent(agreed)
    // Most slips are mistakes: else there would be little to agree on.
    #expect(refused > cases.count / 3)
  }
}
