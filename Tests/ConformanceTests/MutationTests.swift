import FBSParser
import FBSSchema
import Foundation
import Testing

/// Slips that people make: what flatc says of the result, we say.
@Suite("Verdicts on mutated schemas agree with flatc's", .enabled(if: Oracle.isAvailable))
struct MutationTests {
  @Test("Token by token", arguments: 0..<mutationRounds)
  func mutants(_ seed: Int) throws {
    let texts = try Corpus.valid.get().filter { $0.files.count == 1 }.map(\.text)
    var mutator = TokenMutator(seed: seed, schemas: texts)
    var mutants = texts.map { mutator.mutate($0) }
    for random in 0..<100 { mutants.append(mutator.mutate(SchemaGenerator.schema(seed: random).text)) }
    let cases = mutants.enumerated().map { SchemaCase(name: "mutant \(seed).\($0)", text: $1) }
    var refused = 0
    for (schemaCase, judgement) in zip(cases, try Oracle.shared.get().judge(cases)) {
      let compilation = schemaCase.compile()
      if !judgement.isValid { refused += 1 }
      guard compilation.isValid != judgement.isValid else { continue }
      guard KnownVerdict.explaining(compilation, judgement) == nil else { continue }
      let theirs = if case .invalid(let message) = judgement { message } else { judgement.isValid ? "fine" : "\(judgement)" }
      Issue.record(
        "\(schemaCase.name): flatc says \(theirs), we say \(compilation.errors.map { "\($0.code) \($0.message)" })\n\(schemaCase.text)")
    }
    // Most slips are mistakes: else there would be little to agree on.
    #expect(refused > cases.count / 3)
  }
}

/// More rounds look further: `DFLAT_MUTATION_ROUNDS=200 swift test --filter MutationTests`.
private let mutationRounds = Int(ProcessInfo.processInfo.environment["DFLAT_MUTATION_ROUNDS"] ?? "") ?? 6
