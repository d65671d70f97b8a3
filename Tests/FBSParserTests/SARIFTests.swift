import FBSDiagnostics
import Foundation
import TestSupport
import Testing

@testable import FBSParser

/// The logs against what the published schema says of all that stands in them, and against the text that they are about.
@Suite("SARIF logs are valid")
struct SARIFTests {
  private let reporter = SARIFReporter(toolVersion: "1.0.0", explanations: Explanation.parser)

  private func log(_ diagnostics: [Diagnostic], _ sources: SourceMap) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(reporter.report(diagnostics, in: sources).utf8))
  }

  @Test("The SARIF log of every fixture is valid, also with every third byte changed")
  func fixtureLogs() throws {
    var results = 0
    var fixes = 0
    for (path, bytes) in fixtures where bytes.count < 2_000 {
      for shift in [nil, 1, 2] {
        var changed = bytes
        if let shift {
          for index in stride(from: shift, to: changed.count, by: 41) { changed[index] = UInt8(ascii: ";") }
        }
        var sources = SourceMap()
        let file = sources.add(path: path, bytes: changed)
        let diagnostics = Parser.parse(sources[file]).diagnostics
        results += diagnostics.count
        fixes += diagnostics.flatMap(\.fixes).count
        #expect(SARIFRule.log.violations(in: try log(diagnostics, sources)) == [], "\(path)")
      }
    }
    #expect(results > 500 && fixes > 100)
  }

  @Test("The SARIF log is valid without diagnostics, with odd paths, with labels and several edits")
  func oddities() throws {
    #expect(SARIFRule.log.violations(in: try log([], SourceMap())) == [])
    for path in ["a b.fbs", "/x/ä#?.fbs", "C:\\dir\\a.fbs", "a%20b", "a\u{1}\n", "日本/😀.fbs"] {
      var sources = SourceMap()
      let file = sources.add(path: path, bytes: Array("ab\n".utf8))
      func range(_ start: Int, _ end: Int) -> SourceRange { SourceRange(file: file, start: start, end: end) }
      let diagnostic = Diagnostic(
        .notText, .warning, "{m}", at: range(3, 3), labels: [.init(range(0, 1), ""), .init(range(1, 2), "l")],
        fixes: [.init("t", [.init(range(0, 1), "{"), .init(range(3, 3), "")]), .remove("ab", at: range(0, 2))])
      #expect(SARIFRule.log.violations(in: try log([diagnostic], sources)) == [], "\(path)")
    }
  }

  @Test("The rules notice what is wrong")
  func rulesNotice() throws {
    var sources = SourceMap()
    let file = sources.add(path: "a.fbs", bytes: Array("table T { a: int }".utf8))
    let text = reporter.report(Parser.parse(sources[file]).diagnostics, in: sources)
    for (old, new) in [
      (#""startLine": 1"#, #""startLine": 0"#), (#""startLine": 1"#, #""startLine": "1""#),
      (#""level": "error""#, #""level": "fatal""#), (#""ruleIndex""#, #""ruleindex""#),
      (#""uri": "a.fbs""#, #""uri": "a b.fbs""#), (#""deletedRegion""#, #""deleted""#),
      (#""version": "2.1.0""#, #""v": "2""#),
      (#""name": "dflatc""#, #""title": "dflatc""#), (#""utf16CodeUnits""#, #""bytes""#),
    ] {
      let changed = text.replacingOccurrences(of: old, with: new)
      #expect(changed != text)
      let log = try JSONSerialization.jsonObject(with: Data(changed.utf8))
      #expect(SARIFRule.log.violations(in: log) != [], "\(new)")
    }
  }

  @Test("A fix's regions are those of the text in UTF-16 units, an insertion's of nothing")
  func fixes() throws {
    var sources = SourceMap()
    let file = sources.add(path: "a.fbs", bytes: Array("attribute \"😀é\"\r\ntable T { /* 日😀 */ a int (); }".utf8))
    let diagnostics = Parser.parse(sources[file]).diagnostics
    let log = try #require(try log(diagnostics, sources) as? [String: Any])
    let results = try #require(((log["runs"] as? [[String: Any]])?.first)?["results"] as? [[String: Any]])
    let changes = try results.map { result in
      let fix = try #require((result["fixes"] as? [[String: Any]])?.first)
      let change = try #require((fix["artifactChanges"] as? [[String: Any]])?.first)
      let replacement = try #require((change["replacements"] as? [[String: Any]])?.first)
      let region = try #require(replacement["deletedRegion"] as? [String: Int])
      let text = (replacement["insertedContent"] as? [String: String])?["text"]
      return [
        (fix["description"] as? [String: String])?["text"] ?? "", text ?? "-",
        ["startLine", "startColumn", "endLine", "endColumn"].map { String(region[$0] ?? -1) }.joined(separator: " "),
      ]
    }
    #expect(
      changes == [
        ["Insert `;`", ";", "1 16 1 16"], ["Insert `:`", ":", "2 22 2 22"], ["Remove `()`", "", "2 27 2 29"],
      ])
  }

  @Test("Each result has its own rule and level, the end of its range, and all edits of a fix")
  func results() throws {
    var sources = SourceMap()
    let file = sources.add(path: "a.fbs", bytes: Array("ab\ncd\n".utf8))
    func range(_ start: Int, _ end: Int) -> SourceRange { SourceRange(file: file, start: start, end: end) }
    let fix = Diagnostic.Fix("Write `{}`", [.init(range(0, 1), "{"), .init(range(3, 5), "}")])
    let log = try log(
      [
        Diagnostic(.notText, .warning, "m", at: range(1, 4)),
        Diagnostic(.missingToken, .error, "n", at: range(0, 1), fixes: [fix]),
        Diagnostic(.notText, .note, "o", at: range(3, 3)),
      ], sources)
    let run = try #require(((log as? [String: Any])?["runs"] as? [[String: Any]])?.first)
    let driver = try #require((run["tool"] as? [String: [String: Any]])?["driver"])
    let rules = try #require(driver["rules"] as? [[String: Any]]).map { $0["id"] as? String }
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.map { $0["level"] as? String } == ["warning", "error", "note"])
    #expect(rules.count == 2)
    for result in results {
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules.indices.contains(index) && rules[index] == result["ruleId"] as? String)
    }
    let location = try #require((results[0]["locations"] as? [[String: [String: Any]]])?.first?["physicalLocation"])
    #expect(
      location["region"] as? [String: Int] == ["startLine": 1, "startColumn": 2, "endLine": 2, "endColumn": 2])
    let written = try #require((results[1]["fixes"] as? [[String: Any]])?.first)
    #expect((written["description"] as? [String: String])?["text"] == "Write `{{}}`")
    let change = try #require((written["artifactChanges"] as? [[String: Any]])?.first)
    let edits = try #require(change["replacements"] as? [[String: [String: Any]]])
    #expect(edits.map { $0["insertedContent"]?["text"] as? String } == ["{", "}"])
    #expect(edits.map { $0["deletedRegion"]?["startLine"] as? Int } == [1, 2])
  }

  @Test("JSON carries fixes, too, with bytes and both kinds of columns")
  func json() throws {
    var sources = SourceMap()
    let file = sources.add(path: "a.fbs", bytes: Array("table T { /* 😀 */ a: int }".utf8))
    let text = JSONReporter().report(Parser.parse(sources[file]).diagnostics, in: sources)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let entry = try #require((report["diagnostics"] as? [[String: Any]])?.first)
    let fix = try #require((entry["fixes"] as? [[String: Any]])?.first)
    #expect(fix["title"] as? String == "Insert `;`")
    let edit = try #require((fix["edits"] as? [[String: Any]])?.first)
    #expect(edit["replacement"] as? String == ";" && edit["file"] as? String == "a.fbs")
    let place = ["offset": 27, "line": 1, "column": 25, "utf16Column": 26]
    #expect(edit["start"] as? [String: Int] == place && edit["end"] as? [String: Int] == place)
  }
}
