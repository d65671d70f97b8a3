import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution
import TestSupport
import Testing

/// Each folder of Fixtures/evolution holds two versions, and the text that people see: every finding with its exact ranges.
///
/// With UPDATE_EXPECTED=1 in the environment, the expected texts are written anew: read every change.
@Suite("Findings as people see them")
struct FixtureTests {
  static let folder = packageFolder.appendingPathComponent("Fixtures/evolution")
  static let cases = list(folder).filter { $0 != "allowed" }
  static let allowedCases = list(folder.appendingPathComponent("allowed"))

  private static func list(_ folder: URL) -> [String] {
    // Without the folder there is no case, which a test below notices.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }

  /// One side: `old.fbs`, or all schemas below `old`.
  private static func side(_ name: String, _ folder: URL) throws -> SchemaVersion {
    let file = folder.appendingPathComponent(name + ".fbs")
    if FileManager.default.fileExists(atPath: file.path) {
      return try version(["\(name).fbs": String(decoding: try Data(contentsOf: file), as: UTF8.self)])
    }
    let below = folder.appendingPathComponent(name)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: below.path).filter { $0.hasSuffix(".fbs") }
    var files: [String: String] = [:]
    for path in paths {
      files["\(name)/\(path)"] = String(
        decoding: try Data(contentsOf: below.appendingPathComponent(path)), as: UTF8.self)
    }
    return try version(files)
  }

  static func compare(_ folder: URL) throws -> (text: String, findings: [Finding]) {
    let (old, new) = (try side("old", folder), try side("new", folder))
    let findings = SchemaEvolution.compare(old: old, new: new)
    let (diagnostics, sources) = EvolutionReport(findings, new: new).diagnostics(old: old, new: new)
    return (DiagnosticRenderer().render(diagnostics, in: sources), findings)
  }

  @Test("Each case shows its expected text", arguments: cases)
  func text(_ name: String) throws {
    let folder = Self.folder.appendingPathComponent(name)
    let (text, _) = try Self.compare(folder)
    let url = folder.appendingPathComponent("expected.txt")
    if ProcessInfo.processInfo.environment["UPDATE_EXPECTED"] == "1" { try Data(text.utf8).write(to: url) }
    #expect(text == String(decoding: try Data(contentsOf: url), as: UTF8.self))
  }

  @Test("Allowed changes give no finding but notes of what an older version drops", arguments: allowedCases)
  func allowed(_ name: String) throws {
    let (text, findings) = try Self.compare(Self.folder.appendingPathComponent("allowed/\(name)"))
    let notes = [
      "append": ["enum-value-added", "field-added", "union-member-added", "field-added"],
      "ids-written-out": ["field-added"],
    ]
    #expect(findings.map(\.rule.id) == notes[name] ?? [], "\(text)")
    #expect(findings.allSatisfy { $0.severity == .note })
  }

  @Test("Every rule has a case of its name, which it is found in")
  func everyRule() throws {
    #expect(Self.allowedCases.count >= 9)
    for rule in EvolutionRule.all {
      let (_, findings) = try Self.compare(Self.folder.appendingPathComponent(rule.id))
      #expect(findings.contains { $0.rule == rule }, "\(rule.id)")
    }
  }

  @Test("SARIF is valid, and its fixes change the text as the fix-its do", arguments: cases)
  func sarif(_ name: String) throws {
    let folder = Self.folder.appendingPathComponent(name)
    let (old, new) = (try Self.side("old", folder), try Self.side("new", folder))
    let findings = SchemaEvolution.compare(old: old, new: new)
    let (diagnostics, sources) = EvolutionReport(findings, new: new).diagnostics(old: old, new: new)
    let reporter = SARIFReporter(toolVersion: "1.0.0", explanations: Explanation.evolution)
    let log = try JSONSerialization.jsonObject(with: Data(reporter.report(diagnostics, in: sources).utf8))
    #expect(SARIFRule.log.violations(in: log) == [])
    let run = try #require(((log as? [String: Any])?["runs"] as? [[String: Any]])?.first)
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.count == findings.count)
    for (result, finding) in zip(results, findings) {
      let changes = ((result["fixes"] as? [[String: Any]])?.first?["artifactChanges"] as? [[String: Any]])?.first
      guard let fix = finding.fix else {
        #expect(changes == nil)
        continue
      }
      let location = try #require(changes?["artifactLocation"] as? [String: Any])
      let replacement = try #require((changes?["replacements"] as? [[String: Any]])?.first)
      let region = try #require(replacement["deletedRegion"] as? [String: Int])
      #expect(location["uri"] as? String == new.sources[fix.range.file].path)
      #expect((replacement["insertedContent"] as? [String: String])?["text"] == fix.replacement)
      // Lines and UTF-16 columns, counted here from the text before the place.
      let bytes = new.sources[fix.range.file].bytes
      for (end, line, column) in [
        (fix.range.start, "startLine", "startColumn"), (fix.range.end, "endLine", "endColumn"),
      ] {
        let before = String(decoding: bytes[..<end], as: UTF8.self)
        let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(region[line] == lines.count && region[column] == (lines.last?.utf16.count ?? 0) + 1)
      }
    }
  }

  @Test("A fix-it that adds a line ends it as the other lines end", arguments: ["\n", "\r\n", "\r"])
  func lineEnds(_ lineEnd: String) throws {
    let lines = ["table Post {", "  title: string;", "  likes: int;", "}", ""]
    let found = try findings(
      lines.joined(separator: lineEnd), (lines[..<2] + lines[3...]).joined(separator: lineEnd))
    #expect(found.map { $0.fix?.replacement } == ["\(lineEnd)  likes: int (deprecated);"])
  }

  @Test("A fix-it that keeps a field puts it back where it stood, and leaves each comment with its field")
  func keptFields() throws {
    let lines = [
      "table Post {", "  title: string; // Of the title.", "  // Of the likes.", "  likes: int;", "  /// Of the text.",
      "  text: string; // More of the text.", "  last: int;", "}", "",
    ]
    for (removed, kept) in [(2..<4, "  likes: int (deprecated);"), (6..<7, "  last: int (deprecated);")] {
      var (new, expected) = (lines, lines)
      new.removeSubrange(removed)
      expected.replaceSubrange(removed, with: [kept])
      let found = try findings(lines.joined(separator: "\n"), new.joined(separator: "\n"))
      let fix = try #require(found.first { $0.rule.id == "field-removed" }?.fix)
      var bytes = Array(new.joined(separator: "\n").utf8)
      bytes.replaceSubrange(fix.range.start..<fix.range.end, with: fix.replacement.utf8)
      #expect(String(decoding: bytes, as: UTF8.self) == expected.joined(separator: "\n"))
    }
  }

  @Test("Applying a fix-it removes its finding", arguments: cases)
  func fixes(_ name: String) throws {
    let folder = Self.folder.appendingPathComponent(name)
    let (old, new) = (try Self.side("old", folder), try Self.side("new", folder))
    func count(_ findings: [Finding], _ finding: Finding) -> Int {
      findings.filter { $0.rule == finding.rule && $0.oldRange == finding.oldRange }.count
    }
    let findings = SchemaEvolution.compare(old: old, new: new)
    for finding in findings {
      guard let fix = finding.fix else { continue }
      var files: [String: String] = [:]
      for file in new.sources.files {
        var bytes = file.bytes
        if file.id == fix.range.file {
          bytes.replaceSubrange(fix.range.start..<fix.range.end, with: fix.replacement.utf8)
        }
        files[file.path] = String(decoding: bytes, as: UTF8.self)
      }
      let fixed: SchemaVersion
      do {
        fixed = try version(files)
      } catch {
        // Fixes of an exchange need one another: with one of two ids put back, both are the same.
        #expect(findings.filter { $0.rule == finding.rule }.count > 1, "\(finding.message): \(error)")
        continue
      }
      let left = SchemaEvolution.compare(old: old, new: fixed)
      #expect(count(left, finding) < count(findings, finding), "\(finding.message): \(fix)")
    }
  }
}
