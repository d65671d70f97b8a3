@testable import FBSDiagnostics
import Foundation
import TestSupport
import Testing

@testable import FBSParser

@Suite("Diagnostics for programs")
struct ReporterTests {
  private static let code = DiagnosticCode("D9999", "a test")

  /// A diagnostic about the first `word` of a text, in a file called `path`.
  private func sample(
    _ text: String, _ word: String, path: String = "a.fbs", message: String = "wrong", label: String? = nil
  ) throws -> ([Diagnostic], SourceMap) {
    var sources = SourceMap()
    let file = sources.add(path: path, bytes: Array(text.utf8))
    func range(_ word: String) throws -> SourceRange {
      let found = try #require(text.utf8.firstRange(of: word.utf8))
      let start = text.utf8.distance(from: text.startIndex, to: found.lowerBound)
      return SourceRange(file: file, start: start, end: start + word.utf8.count)
    }
    let labels = try label.map { [Diagnostic.Label(try range($0), "see {here}")] } ?? []
    return (
      [Diagnostic(Self.code, .warning, message, at: try range(word), advice: "mend it", labels: labels, notes: ["so"])],
      sources
    )
  }

  private func json(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// Texts with the line, the column in characters and the column in UTF-16 of `x`, which stands once in each.
  static let places: [(text: String, line: Int, column: Int, utf16: Int, offset: Int)] = [
    ("x", 1, 1, 1, 0),
    ("ab x", 1, 4, 4, 3),
    ("\tx", 1, 2, 2, 1),
    ("a\r\nb\r\n x", 3, 2, 2, 7),
    ("a\rb\nx", 3, 1, 1, 4),
    ("// é\n\"é\" x", 2, 5, 5, 11),
    ("\"日本\" x", 1, 6, 6, 9),
    ("\"😀\" x", 1, 5, 6, 7),
    ("\"e\u{301}\" x", 1, 5, 6, 6),
    ("\u{FEFF}a x", 1, 3, 3, 5),
    ("😀\r\n\tx", 2, 2, 2, 7),
  ]

  @Test("JSON has bytes, characters and UTF-16 units for each place", arguments: places.indices)
  func jsonPlaces(_ index: Int) throws {
    let place = Self.places[index]
    let (diagnostics, sources) = try sample(place.text, "x")
    let report = try json(JSONReporter().report(diagnostics, in: sources))
    #expect(report["version"] as? Int == 1)
    let entry = try #require((report["diagnostics"] as? [[String: Any]])?.first)
    #expect(
      entry["start"] as? [String: Int]
        == ["offset": place.offset, "line": place.line, "column": place.column, "utf16Column": place.utf16])
    #expect(
      entry["end"] as? [String: Int] == [
        "offset": place.offset + 1, "line": place.line, "column": place.column + 1, "utf16Column": place.utf16 + 1,
      ])
  }

  @Test("SARIF and GitHub count columns in UTF-16 units", arguments: places.indices)
  func utf16Places(_ index: Int) throws {
    let place = Self.places[index]
    let (diagnostics, sources) = try sample(place.text, "x")
    let result = try #require(
      try results(SARIFReporter(toolVersion: "1", explanations: []), diagnostics, sources).first)
    let region = try region(try #require((result["locations"] as? [[String: Any]])?.first))
    #expect(
      region == [
        "startLine": place.line, "startColumn": place.utf16, "endLine": place.line, "endColumn": place.utf16 + 1,
      ])
    let line = GitHubReporter().report(diagnostics, in: sources)
    #expect(line.contains(",line=\(place.line),col=\(place.utf16),endLine=\(place.line),endColumn=\(place.utf16 + 1),"))
  }

  @Test("Every position agrees with the one in the report for people")
  func agreement() {
    for (path, bytes) in fixtures where bytes.count < 400 {
      var sources = SourceMap()
      let file = sources.add(path: path, bytes: bytes)
      var finder = RegionFinder(sources)
      for offset in 0...bytes.count {
        let place = finder.region(of: SourceRange(file: file, start: offset, end: offset)).start
        let expected = sources.position(of: offset, in: file)
        #expect(place.line == expected.line && place.column == expected.column, "\(path) at \(offset)")
        let utf16 = LineTable(bytes).utf16Column(of: offset, in: bytes) + 1
        #expect(place.utf16Column == utf16, "\(path) at \(offset)")
      }
    }
  }

  @Test("Places may be asked for in any order")
  func anyOrder() {
    let bytes = Array("a é \"😀\" e\u{301}b\r\n\t日本 x y\rz".utf8)
    var sources = SourceMap()
    let file = sources.add(path: "a", bytes: bytes)
    var finder = RegionFinder(sources)
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<2_000 {
      let offset = Int.random(in: 0...bytes.count, using: &generator)
      let place = finder.region(of: SourceRange(file: file, start: offset, end: offset)).start
      let expected = sources.position(of: offset, in: file)
      #expect(SourcePosition(line: place.line, column: place.column) == expected)
      #expect(place.utf16Column == LineTable(bytes).utf16Column(of: offset, in: bytes) + 1)
    }
  }

  @Test("Many positions on one long line take time in proportion to their number")
  func longLine() {
    func time(_ count: Int) -> Duration {
      var sources = SourceMap()
      let bytes = Array("\"é\"".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: count * 20)
      let file = sources.add(path: "a", bytes: bytes)
      let diagnostics = (0..<count).map {
        Diagnostic(Self.code, .error, "wrong", at: SourceRange(file: file, start: 5 + $0 * 20, end: 7 + $0 * 20))
      }
      return processorTime { #expect(!JSONReporter().report(diagnostics, in: sources).isEmpty) }
    }
    _ = time(10)
    let small = (0..<3).map { _ in time(250) }.min() ?? .zero
    let large = (0..<3).map { _ in time(4_000) }.min() ?? .zero
    #expect(large < small * 64)
  }

  @Test("JSON holds all that a diagnostic does")
  func jsonContent() throws {
    let (diagnostics, sources) = try sample("a \"b\" x", "x", label: "a")
    let report = try json(JSONReporter().report(diagnostics, in: sources))
    let entry = try #require((report["diagnostics"] as? [[String: Any]])?.first)
    #expect(entry["code"] as? String == "D9999")
    #expect(entry["severity"] as? String == "warning")
    #expect(entry["message"] as? String == "wrong")
    #expect(entry["advice"] as? String == "mend it")
    #expect(entry["file"] as? String == "a.fbs")
    #expect(entry["notes"] as? [String] == ["so"])
    let label = try #require((entry["labels"] as? [[String: Any]])?.first)
    #expect(label["text"] as? String == "see {here}")
    #expect((label["start"] as? [String: Int])?["offset"] == 0)
  }

  @Test("Nothing to report is a valid report")
  func nothing() throws {
    #expect((try json(JSONReporter().report([], in: SourceMap()))["diagnostics"] as? [Any])?.isEmpty == true)
    let reporter = SARIFReporter(toolVersion: "1", explanations: [])
    #expect(try results(reporter, [], SourceMap()).isEmpty)
    #expect(GitHubReporter().report([], in: SourceMap()) == "")
  }

  // MARK: SARIF

  /// The results of a log that has what SARIF's schema requires.
  private func results(
    _ reporter: SARIFReporter, _ diagnostics: [Diagnostic], _ sources: SourceMap
  ) throws -> [[String: Any]] {
    let log = try json(reporter.report(diagnostics, in: sources))
    #expect(log["version"] as? String == "2.1.0")
    let runs = try #require(log["runs"] as? [[String: Any]])
    #expect(runs.count == 1)
    #expect(runs.first?["columnKind"] as? String == "utf16CodeUnits")
    let driver = try #require((runs.first?["tool"] as? [String: Any])?["driver"] as? [String: Any])
    #expect(driver["name"] as? String == "dflatc")
    let rules = try #require(driver["rules"] as? [[String: Any]])
    let results = try #require(runs.first?["results"] as? [[String: Any]])
    for result in results {
      #expect(((result["message"] as? [String: Any])?["text"] as? String)?.isEmpty == false)
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
      #expect(["error", "warning"].contains(result["level"] as? String))
    }
    return results
  }

  private func region(_ location: [String: Any]) throws -> [String: Int] {
    let place = try #require(location["physicalLocation"] as? [String: Any])
    return try #require(place["region"] as? [String: Int])
  }

  @Test("SARIF has the rules' help, and a related location for each label")
  func sarifContent() throws {
    let (diagnostics, sources) = try sample("a x", "x", path: "dir/ä b.fbs", message: "use {0}", label: "a")
    let explanation = Explanation(Self.code, "Why it is so.", wrong: "x {}", right: "y {}")
    let reporter = SARIFReporter(toolVersion: "1.2.3", explanations: [explanation])
    let result = try #require(try results(reporter, diagnostics, sources).first)
    #expect((result["message"] as? [String: String])?["text"] == "use {{0}}\nmend it\nnote: so")
    let location = try #require((result["locations"] as? [[String: Any]])?.first)
    let artifact = (location["physicalLocation"] as? [String: Any])?["artifactLocation"] as? [String: String]
    #expect(artifact?["uri"] == "dir/%C3%A4%20b.fbs")
    let related = try #require((result["relatedLocations"] as? [[String: Any]])?.first)
    #expect(try region(related)["startColumn"] == 1)
    #expect((related["message"] as? [String: String])?["text"] == "see {{here}}")
    let text = reporter.report(diagnostics, in: sources)
    #expect(text.contains("Why it is so.\\n\\nWrong:\\n\\n```fbs\\nx {}\\n```"))
  }

  @Test("SARIF gives an absolute path as a file's URI")
  func absolutePath() throws {
    let (diagnostics, sources) = try sample("x", "x", path: "/a/b#c.fbs")
    let reporter = SARIFReporter(toolVersion: "1", explanations: [])
    #expect(reporter.report(diagnostics, in: sources).contains("\"file:///a/b%23c.fbs\""))
  }

  // MARK: GitHub

  @Test("A workflow command is one line, with what would end a part of it escaped")
  func gitHub() throws {
    let (diagnostics, sources) = try sample(
      "a x", "x", path: "a:b,c%d.fbs", message: "50% of\r\nthis: that, and\rmore", label: "a")
    #expect(
      GitHubReporter().report(diagnostics, in: sources)
        == "::warning file=a%3Ab%2Cc%25d.fbs,line=1,col=3,endLine=1,endColumn=4,title=D9999%3A a test"
        + "::50%25 of%0D%0Athis: that, and%0Dmore%0Amend it%0Aa:b,c%25d.fbs:1:1: see {here}%0Anote: so\n")
  }

  // MARK: Writing JSON

  @Test("Every scalar comes back from JSON as it was")
  func scalars() throws {
    let special =
      (Array(0...0x2FF) + Array(0x2020...0x2070)).compactMap(UnicodeScalar.init) + ["\u{FFFF}", "😀", "\u{10FFFF}"]
    for scalar in special {
      var writer = JSONWriter()
      writer.object { $0.member("a\(scalar)", "\(scalar)b") }
      #expect(try json(writer.text) as? [String: String] == ["a\(scalar)": "\(scalar)b"], "\(scalar.value)")
    }
  }

  @Test("Bytes that are no UTF-8 make valid reports all the same")
  func invalidText() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let noise = (0..<40).map { _ in UInt8.random(in: 1...255, using: &generator) }
      let bytes = Array("table T { a\u{1}: int = \"".utf8) + noise + Array("\"; }\n;".utf8)
      var sources = SourceMap()
      let file = sources.add(path: "a\u{7}\".fbs", bytes: bytes)
      let diagnostics = Parser.parse(sources[file]).diagnostics
      #expect(!diagnostics.isEmpty)
      let report = try json(JSONReporter().report(diagnostics, in: sources))
      #expect((report["diagnostics"] as? [Any])?.count == diagnostics.count)
      #expect(
        try results(SARIFReporter(toolVersion: "1", explanations: []), diagnostics, sources).count == diagnostics.count)
      let lines = GitHubReporter().report(diagnostics, in: sources).utf8.split(separator: 0x0A)
      #expect(lines.count == diagnostics.count)
    }
  }

  @Test("Empty arrays and objects, and nested ones, are written with their commas")
  func nesting() throws {
    var writer = JSONWriter()
    writer.object {
      $0.array("none", [Int]()) { $0.value($1) }
      $0.object("empty") { _ in }
      $0.array("lists", [[1, 2], [], [3]]) { writer, list in writer.array(list) { $0.value($1) } }
      $0.member("last", -1)
    }
    let object = try json(writer.text)
    #expect(object["lists"] as? [[Int]] == [[1, 2], [], [3]])
    #expect((object["none"] as? [Int])?.isEmpty == true)
    #expect(object["last"] as? Int == -1)
    #expect(writer.text.hasPrefix("{\n  \"none\": [],\n  \"empty\": {},\n  \"lists\": [\n    [\n      1,\n"))
  }
}

@Suite("How explanations are written")
struct ExplanationTextTests {
  @Test("Lines are broken between words, at the width")
  func width() {
    for explanation in Explanation.parser {
      let text = ExplanationText.plain(explanation, width: 40).split(separator: "\n").prefix { !$0.hasPrefix("Wrong") }
      #expect(text.allSatisfy { $0.count <= 40 }, "\(explanation.code.id)")
      #expect(text.joined(separator: " ") == explanation.text)
    }
  }

  @Test("Control characters in an example can be seen")
  func controls() {
    let explanation = Explanation(.notText, "Text.", wrong: "a\u{0}b", right: "ab")
    #expect(ExplanationText.plain(explanation) == "Text.\n\nWrong:\n\n    a␀b\n\nRight:\n\n    ab\n")
  }
}
