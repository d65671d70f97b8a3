import FBSSchema
import Testing

@Suite("Enum values of one number, beside flatc", .enabled(if: SchemaOracle.isAvailable))
struct EnumAliasTests {
  /// Every enum of four values with numbers from 0 to 2, plain and with `bit_flags`.
  private static let cases: [SchemaCase] = (0..<81).flatMap { code in
    let numbers = [code / 27, code / 9 % 3, code / 3 % 3, code % 3]
    let values = zip("CADB", numbers).map { "\($0) = \($1)" }.joined(separator: ", ")
    return ["", " (bit_flags)"].map { flags in
      SchemaCase(name: "\(numbers)\(flags)", text: "enum E: ubyte\(flags) { \(values) } table T { e: E = D; }")
    }
  }

  @Test("dflatc and flatc accept the same enums, and mean the same by them")
  func verdicts() throws {
    let oracle = try SchemaOracle.shared.get()
    let judgements = try oracle.judge(Self.cases)
    var agreed: [(SchemaCase, Compilation, BinarySchemaContent)] = []
    for (schemaCase, judgement) in zip(Self.cases, judgements) {
      let compilation = schemaCase.compile()
      #expect(compilation.isValid == judgement.isValid, "\(schemaCase.name)")
      if case .valid(let theirs) = judgement, compilation.isValid { agreed.append((schemaCase, compilation, theirs)) }
    }
    let repeating = agreed.count { !($0.1.schema.enums.first?.aliases.isEmpty ?? true) }
    #expect(repeating > 30, "\(repeating) of \(agreed.count) have aliases")
    try expectSameContent(agreed)
  }
}
