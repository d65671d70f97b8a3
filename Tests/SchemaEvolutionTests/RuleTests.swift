import FBSDiagnostics
import FBSParser
import FBSSchema
import SchemaEvolution
import Testing

@Suite("The list of rules")
struct RuleTests {
  private func compare(_ example: EvolutionRule.Example) throws -> [Finding] {
    func side(_ files: [EvolutionRule.Example.File]) throws -> SchemaVersion {
      try version(Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.text) }))
    }
    return SchemaEvolution.compare(old: try side(example.old), new: try side(example.new))
  }

  @Test("Ids are unique, and made of small letters and digits")
  func ids() {
    let ids = EvolutionRule.all.map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(ids.count == 42)
    for id in ids {
      #expect(id.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }, "\(id)")
    }
  }

  @Test("The example that is reported is reported, by the rule", arguments: EvolutionRule.all.map(\.id))
  func reported(_ id: String) throws {
    let rule = try #require(EvolutionRule.named(id))
    let found = try compare(rule.reported)
    #expect(found.contains { $0.rule == rule && $0.severity == rule.severity })
  }

  @Test("The example that is allowed has no finding of the rule, and no error", arguments: EvolutionRule.all.map(\.id))
  func allowed(_ id: String) throws {
    let rule = try #require(EvolutionRule.named(id))
    let found = try compare(rule.allowed)
    #expect(!found.contains { $0.rule == rule || $0.severity == .error }, "\(found.map(\.message))")
  }

  @Test("Every rule explains, in sentences, and every finding says what to do")
  func texts() throws {
    for rule in EvolutionRule.all {
      #expect(rule.explanation.count > 100 && rule.explanation.hasSuffix("."), "\(rule.id)")
      #expect(!rule.explanation.contains("  "), "\(rule.id)")
      for finding in try compare(rule.reported) {
        #expect(!finding.harm.isEmpty && !finding.advice.isEmpty && !finding.message.hasSuffix("."))
      }
    }
    #expect(Explanation.evolution.prefix(EvolutionRule.all.count).map(\.code.id) == EvolutionRule.all.map(\.id))
  }

  @Test("A schema is compatible with itself, whatever is in it", arguments: EvolutionRule.all.map(\.id))
  func itself(_ id: String) throws {
    let rule = try #require(EvolutionRule.named(id))
    let same = EvolutionRule.Example.same(rule.reported)
    #expect(try compare(same).isEmpty)
  }
}

extension EvolutionRule.Example {
  /// The old version on both sides.
  fileprivate static func same(_ example: Self) -> Self { Self(files: example.old) }
}
