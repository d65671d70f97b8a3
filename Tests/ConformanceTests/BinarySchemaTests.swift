import FBSParser
import FBSSchema
import Foundation
import Testing

/// For every valid schema of the corpus: flatc takes it, we take it, and the binary schemas say the same.
@Suite("Binary schemas agree with flatc's", .enabled(if: SchemaOracle.isAvailable))
struct BinarySchemaTests {
  @Test("The binary schema of each hand-written schema agrees with flatc's")
  func handWritten() throws {
    let cases = try Corpus.valid.get()
    #expect(cases.count >= 150)
    try expectSameContent(cases)
  }

  @Test("The binary schema of each random schema agrees with flatc's", arguments: 0..<4 * conformanceRounds)
  func random(_ batch: Int) throws {
    try expectSameContent((0..<50).map { SchemaGenerator.schema(seed: batch * 1000 + $0) })
  }
}

/// Judges all cases by both, and records every difference that is not a known one.
func expectSameContent(_ cases: [SchemaCase]) throws {
  let judgements = try SchemaOracle.shared.get().judge(cases)
  var agreed: [(SchemaCase, Compilation, BinarySchemaContent)] = []
  for (schemaCase, judgement) in zip(cases, judgements) {
    guard case .valid(let theirs) = judgement else {
      Issue.record("\(schemaCase.name): flatc says \(judgement.summary)\n\(schemaCase.text)")
      continue
    }
    let compilation = schemaCase.compile()
    guard compilation.isValid else {
      Issue.record("\(schemaCase.name): we say \(compilation.errors.map(\.message))\n\(schemaCase.text)")
      continue
    }
    agreed.append((schemaCase, compilation, theirs))
  }
  try expectSameContent(agreed)
}

/// Compares our binary schemas with flatc's, and records every difference that is not a known one.
func expectSameContent(_ agreed: [(SchemaCase, Compilation, BinarySchemaContent)]) throws {
  let decoded = try SchemaOracle.shared.get().decode(agreed.map { try $0.1.binarySchema() })
  for ((schemaCase, _, theirs), ours) in zip(agreed, decoded) {
    guard let ours else {
      Issue.record("\(schemaCase.name): the C++ verifier refuses our binary schema\n\(schemaCase.text)")
      continue
    }
    let unknown = Difference.between(ours: ours, theirs: theirs).filter {
      KnownDifference.explaining($0, ours: ours, theirs: theirs) == nil
    }
    if !unknown.isEmpty {
      Issue.record(
        "\(schemaCase.name):\n\(unknown.map(\.description).joined(separator: "\n"))\n\(schemaCase.text)")
    }
  }
}

/// More rounds look further: `DFLAT_CONFORMANCE_ROUNDS=20 swift test --filter ConformanceTests`.
let conformanceRounds = max(1, Int(ProcessInfo.processInfo.environment["DFLAT_CONFORMANCE_ROUNDS"] ?? "") ?? 1)
