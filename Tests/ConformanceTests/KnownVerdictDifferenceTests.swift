import FBSParser
import FBSSchema
import Foundation
import Testing

/// Each difference that is let pass has a schema that shows it. One that no longer shows must leave the list.
@Suite("The known differences from flatc are these", .enabled(if: SchemaOracle.isAvailable))
struct KnownVerdictDifferenceTests {
  @Test("The verdicts differ from flatc's in the listed cases", arguments: KnownVerdict.allCases)
  func verdict(_ known: KnownVerdict) throws {
    let schemaCase = SchemaCase(name: known.rawValue, text: known.example)
    let judgement = try #require(try SchemaOracle.shared.get().judge([schemaCase]).first)
    let compilation = schemaCase.compile()
    let messages = compilation.errors.map(\.message)
    #expect(compilation.isValid != judgement.isValid, "flatc: \(judgement), we: \(messages)")
    let found = KnownVerdict.explaining(compilation, judgement)
    #expect(found == known, "flatc: \(judgement), we: \(messages)")
  }

  @Test("The binary schemas differ from flatc's in the listed cases", arguments: KnownDifference.allCases)
  func content(_ known: KnownDifference) throws {
    let schemaCase = SchemaCase(name: known.rawValue, text: known.example)
    let oracle = try SchemaOracle.shared.get()
    guard case .valid(let theirs) = try oracle.judge([schemaCase]).first else {
      Issue.record("flatc refuses \(known.example)")
      return
    }
    let ours = try #require(try oracle.decode([try schemaCase.compile().binarySchema()]).first ?? nil)
    let differences = Difference.between(ours: ours, theirs: theirs)
    let kinds = differences.map { KnownDifference.explaining($0, ours: ours, theirs: theirs) }
    // flatc writes the empty documentation of whatever there is.
    #expect(kinds.contains(known) && kinds.allSatisfy { $0 == known || $0 == .emptyDocumentation }, "\(differences)")
  }

  @Test("Neither binary schema has a place for the default of a string")
  func stringDefaults() throws {
    let schemaCase = SchemaCase(name: "string default", text: "table T { a: string = \"nowhere_to_be_found\"; }")
    let oracle = try SchemaOracle.shared.get()
    guard case .valid(let theirs) = try oracle.judge([schemaCase]).first else {
      Issue.record("flatc refuses it")
      return
    }
    let ours = try #require(try oracle.decode([try schemaCase.compile().binarySchema()]).first ?? nil)
    for content in [ours, theirs] {
      #expect(!content.facts.values.contains { $0.contains("nowhere") })
      #expect(content["object T.a.optional"] == "0")
      #expect(content["advanced_features"] == "8")
    }
  }

  @Test("A wrong fact is no known difference")
  func wrongFacts() throws {
    let text = """
      enum E: ubyte { A, B }
      struct S { a: int; b: E; c: [int: 2]; }
      table T { s: [S]; f: float = 0.5; u: ulong = 7; n: double = 2; e: E = B; o: int = null; }
      """
    let schemaCase = SchemaCase(name: "facts", text: text)
    guard case .valid(let theirs) = try SchemaOracle.shared.get().judge([schemaCase]).first else {
      Issue.record("flatc refuses it")
      return
    }
    // Whatever number of flatc's is changed, somebody must notice.
    for place in theirs.order {
      guard let value = theirs[place], let number = Double(value) else { continue }
      let difference = Difference(place: place, ours: String(Int(number) + 1), theirs: value)
      let found = KnownDifference.explaining(difference, ours: theirs, theirs: theirs)
      #expect(found == nil, "\(place)")
    }
  }
}

extension KnownDifference {
  /// A schema that shows this difference and no other.
  var example: String {
    switch self {
    case .elementSizeOfStructs: "struct S { a: long; b: byte; } table T { s: [S]; }"
    case .emptyDocumentation: "table T { a: int; }"
    case .optionalStructMembers: "struct A { a: int; } struct S { a: A; b: [int: 3]; }"
    case .functionDefaultsCutOff: "table T { a: double = rad(180); }"
    case .unsignedDefaultsDropped: "table T { a: ulong = 18446744073709551615; }"
    case .negativeZeroDropped: "table T { a: double = -0.0; }"
    }
  }
}
