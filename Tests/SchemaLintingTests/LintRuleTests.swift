import FBSDiagnostics
import FBSSchema
import Foundation
import SchemaEvolution
import SchemaLinting
import TestSupport
import Testing

@Suite("The rules of dflatc lint")
struct LintRuleTests {
  /// What one rule, alone, finds in the first file of an example.
  private func findings(of rule: LintRule, in example: LintRule.Example) throws -> [Diagnostic] {
    var configuration = LintConfiguration()
    for group in LintRule.Group.allCases { configuration.set(group, to: .off) }
    configuration.set(rule, to: .on)
    let files = Dictionary(uniqueKeysWithValues: example.files.map { ($0.path, $0.text) })
    let report = lint(files, inputs: [try #require(example.files.first).path], Linter(configuration))
    #expect(report.faults.isEmpty && report.commentDiagnostics.isEmpty)
    return report.findings
  }

  @Test("Ids are unique, of small letters, and no rule of dflatc check or group has one of them")
  func ids() {
    let ids = LintRule.all.map(\.id)
    #expect(ids.count == 25)
    #expect(Set(ids).count == ids.count)
    #expect(Set(ids).isDisjoint(with: EvolutionRule.all.map(\.id)))
    #expect(Set(ids).isDisjoint(with: LintRule.Group.allCases.map(\.rawValue)))
    for id in ids { #expect(id.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }, "\(id)") }
  }

  @Test("Each rule's bad example is reported, by that rule alone", arguments: LintRule.all.map(\.id))
  func reported(_ id: String) throws {
    let rule = try rule(id)
    let found = try findings(of: rule, in: rule.reported)
    #expect(!found.isEmpty)
    for finding in found {
      #expect(finding.code == rule.code && finding.severity == rule.severity)
      #expect(!finding.advice.isEmpty && !finding.message.hasSuffix("."), "\(finding.message)")
    }
  }

  @Test(
    "Each rule's good example has no finding of the rule, nor of the rules that are on",
    arguments: LintRule.all.map(\.id))
  func allowed(_ id: String) throws {
    let rule = try rule(id)
    #expect(try findings(of: rule, in: rule.allowed).isEmpty)
    let files = Dictionary(uniqueKeysWithValues: rule.allowed.files.map { ($0.path, $0.text) })
    #expect(lint(files).findings.isEmpty)
  }

  @Test("Every rule explains itself, in sentences")
  func explanations() {
    for rule in LintRule.all {
      #expect(rule.explanation.count > 60 && rule.explanation.hasSuffix("."), "\(rule.id)")
      #expect(!rule.explanation.contains("  "), "\(rule.id)")
      #expect(!rule.summary.hasSuffix(".") && rule.summary.first?.isLowercase == true, "\(rule.id)")
    }
    #expect(Explanation.linting.map(\.code.id) == LintRule.all.map(\.id))
  }

  @Test("A rule that is on by itself finds nothing in the schemas of the examples and the documentation")
  func ownSchemas() throws {
    var files: [String: String] = [:]
    for folder in ["Examples", "Documentation"] {
      let below = packageFolder.appendingPathComponent(folder)
      for path in try FileManager.default.subpathsOfDirectory(atPath: below.path)
      where path.hasSuffix(".fbs") && !path.contains(".build") {
        let data = try Data(contentsOf: below.appendingPathComponent(path))
        files["\(folder)/\(path)"] = String(decoding: data, as: UTF8.self)
      }
    }
    #expect(files.count >= 4)
    #expect(lint(files).diagnostics.map(\.message) == [])
  }
}
