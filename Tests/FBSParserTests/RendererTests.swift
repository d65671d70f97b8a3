import TestSupport
import Testing

@testable import FBSDiagnostics
@testable import FBSParser

@Suite("Diagnostics as text")
struct RendererTests {
  private func render(_ text: String, _ range: Range<Int>, labels: [(Range<Int>, String)] = [], advice: String = "here")
    -> String
  {
    var sources = SourceMap()
    let file = sources.add(path: "a.fbs", bytes: Array(text.utf8))
    func place(_ range: Range<Int>) -> SourceRange {
      SourceRange(file: file, start: range.lowerBound, end: range.upperBound)
    }
    let diagnostic = Diagnostic(
      .missingToken, .error, "something", at: place(range), advice: advice,
      labels: labels.map { Diagnostic.Label(place($0.0), $0.1) }, notes: ["a note"])
    return DiagnosticRenderer().render(diagnostic, in: sources)
  }

  @Test("The form is the one that the documentation shows")
  func form() {
    let text = String(repeating: "\n", count: 18) + "  priority: [int] (indexed);\n"
    #expect(
      render(text, 37..<44, labels: [(30..<35, "index a scalar\nfield instead")], advice: "remove it, or\nelse") == """
        error[D0111]: something
          --> a.fbs:19:20
           |
        19 |   priority: [int] (indexed);
           |             -----  ^^^^^^^ remove it, or
           |             |              else
           |             index a scalar
           |             field instead
           = note: a note

        """)
  }

  @Test("The lines of a text stand below its mark, whatever ends them")
  func linesOfTexts() {
    func rendered(_ end: String) -> String {
      render("a b c\n", 0..<1, labels: [(4..<5, "one\(end)two")], advice: "three\(end)four")
    }
    #expect(rendered("\r\n") == rendered("\n"))
  }

  @Test("Control characters in whatever is shown are escaped, so that no terminal obeys them")
  func controls() {
    let hostile = "\u{1B}[31m\r\u{9B}\u{7}\u{202E}\u{2066}\u{7F}"
    let text = "table /*\(hostile)*/ T {}\n"
    var sources = SourceMap()
    let file = sources.add(path: "a\n\(hostile).fbs", bytes: Array(text.utf8))
    let range = SourceRange(file: file, start: 0, end: 5)
    let diagnostic = Diagnostic(
      .missingToken, .error, "message \(hostile)", at: range, advice: "advice \(hostile)",
      labels: [.init(range, "label \(hostile)")], notes: ["note \(hostile)"])
    let escaped = "\\u{1b}[31m\\u{d}\\u{9b}\\u{7}\\u{202e}\\u{2066}\\u{7f}"
    let rendered = DiagnosticRenderer().render(diagnostic, in: sources)
    for word in ["message ", "advice ", "label ", "note ", "a\\u{a}"] { #expect(rendered.contains(word + escaped)) }
    let github = GitHubReporter().report([diagnostic], in: sources)
    #expect(github.contains("message " + escaped.replacing("\\u{d}", with: "%0D")))
    for output in [rendered, github, JSONReporter().report([diagnostic], in: sources)] {
      #expect(!output.unicodeScalars.contains { $0 != "\n" && $0.controlsTerminal }, "\(output)")
    }
    // Lines stay lines, whatever ends them.
    #expect("a\r\nb\tc\n\u{1B}".withVisibleControls() == "a\r\nb\tc\n\\u{1b}")
    #expect("ä\u{1F600}\u{200F}".withVisibleControls() == "ä\u{1F600}\u{200F}")
  }

  @Test("Several labels of a line stand below their columns")
  func labels() {
    #expect(
      render("a b c d\n", 4..<5, labels: [(0..<1, "one"), (2..<3, "two"), (6..<7, "")]) == """
        error[D0111]: something
         --> a.fbs:1:5
          |
        1 | a b c d
          | - - ^ -
          | | | |
          | | | here
          | | two
          | one
          = note: a note

        """)
  }

  @Test("Tabs, wide characters, marks that combine and CR LF leave the caret in its place")
  func carets() {
    let text = "\t日本e\u{301}x y\r\nz"
    let offset = Array(text.utf8).firstIndex(of: UInt8(ascii: "y")) ?? 0
    #expect(
      render(text, offset..<(offset + 1)) == """
        error[D0111]: something
         --> a.fbs:1:7
          |
        1 |     日本e\u{301}x y
          |            ^ here
          = note: a note

        """)
  }

  @Test("The end of the file and places between bytes have a caret, too")
  func emptyRanges() {
    #expect(render("ab", 2..<2).contains("1 | ab\n  |   ^ here\n"))
    #expect(render("ab", 2..<2).contains("a.fbs:1:3\n"))
    #expect(render("ab\n", 3..<3).contains("2 |\n  | ^ here\n"))
    #expect(render("", 0..<0).contains("1 |\n  | ^ here\n"))
  }

  @Test("A range over several lines is underlined to the end of its first")
  func severalLines() {
    #expect(render("ab cd\nef", 3..<8).contains("1 | ab cd\n  |    ^^ here\n"))
  }

  @Test("A very long line is cut around its mark")
  func longLine() {
    let text = String(repeating: "é", count: 100_000) + "x" + String(repeating: "y", count: 100_000)
    let output = render(text, 200_000..<200_001, labels: [(0..<2, "far away")])
    #expect(output.count < 1_000)
    let lines = output.split(separator: "\n")
    let caret = lines[4].firstIndex(of: "^").map { lines[4].distance(from: lines[4].startIndex, to: $0) } ?? -1
    #expect(Array(lines[3])[caret] == "x")
    #expect(output.contains("far away (further along line 1)"))
    #expect(output.contains("a.fbs:1:100001"))
  }

  @Test("Columns far along a line are those of its characters, of whatever they are made")
  func farColumns() {
    for unit in ["\u{600}1", "e\u{301}", "1\u{FE0F}\u{20E3}", "日", "🇩🇪", "a"] {
      let text = String(repeating: unit + " ", count: 2_000)
      for index in [0, 500, 1_000, 1_999] {
        let place = index * (unit.utf8.count + 1) + unit.utf8.count
        #expect(render(text, place..<(place + 1)).contains("a.fbs:1:\(index * 2 + 2)\n"), "\(unit) \(index)")
      }
    }
  }

  /// How long it takes to show diagnostics about places to and fro on one line, each with a label at its end.
  private func time(_ count: Int, onLineOf size: Int) -> Duration {
    var sources = SourceMap()
    let bytes = Array("é".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: size - 2)
    let file = sources.add(path: "a.fbs", bytes: bytes)
    let diagnostics = (0..<count).map { index in
      let forth = 2 + (size - 16) / count * index
      let start = index % 2 == 0 ? forth : size - 8 - forth
      return Diagnostic(
        .missingToken, .error, "m", at: SourceRange(file: file, start: start, end: start + 4), advice: "a",
        labels: [.init(SourceRange(file: file, start: size - 4, end: size), "far")])
    }
    return processorTime {
      let text = DiagnosticRenderer().render(diagnostics, in: sources)
      #expect(text.utf8.count < count * 1_200)
    }
  }

  @Test("Many diagnostics on one long line take time in proportion to their number, however long the line")
  func manyOnALongLine() {
    func least(_ count: Int, _ size: Int) -> Duration {
      (0..<3).map { _ in time(count, onLineOf: size) }.min() ?? .zero
    }
    let few = least(500, 1 << 20)
    #expect(least(2_000, 1 << 20) < few * 12)
    #expect(least(2_000, 1 << 20) < least(2_000, 1 << 14) * 6)
  }

  @Test("Bytes that are no UTF-8 are shown one by one")
  func malformedText() {
    var sources = SourceMap()
    let file = sources.add(path: "a.fbs", bytes: [0xFF, 0xC3, 0x28, UInt8(ascii: "x")])
    let diagnostic = Diagnostic(.notText, .error, "m", at: SourceRange(file: file, start: 3, end: 4))
    #expect(DiagnosticRenderer().render(diagnostic, in: sources).contains("1 | ??(x\n  |    ^\n"))
  }

  @Test("Colours are written only if asked for, and change no text")
  func colors() {
    var sources = SourceMap()
    let file = sources.add(path: "a.fbs", bytes: Array("abc".utf8))
    let diagnostic = Diagnostic(
      .notText, .warning, "m", at: SourceRange(file: file, start: 1, end: 2), advice: "x",
      labels: [.init(SourceRange(file: file, start: 0, end: 1), "y")], notes: ["n"])
    let plain = DiagnosticRenderer().render(diagnostic, in: sources)
    let colored = DiagnosticRenderer(usesColor: true).render(diagnostic, in: sources)
    #expect(!plain.contains("\u{1B}"))
    #expect(colored.contains("\u{1B}[1;33mwarning[D0102]\u{1B}[0m"))
    #expect(colored.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == plain)
  }

  @Test("Labels in other files are shown under their own path")
  func otherFiles() {
    var sources = SourceMap()
    let first = sources.add(path: "a.fbs", bytes: Array("abc".utf8))
    let second = sources.add(path: "b.fbs", bytes: Array("x\ny".utf8))
    let diagnostic = Diagnostic(
      .notText, .error, "m", at: SourceRange(file: first, start: 0, end: 1),
      labels: [.init(SourceRange(file: second, start: 2, end: 3), "there")])
    #expect(
      DiagnosticRenderer().render(diagnostic, in: sources) == """
        error[D0102]: m
         --> a.fbs:1:1
          |
        1 | abc
          | ^
         ::: b.fbs:2:1
          |
        2 | y
          | - there

        """)
  }

  @Test(
    "A slip of the pen finds the name that was meant",
    arguments: [
      ("Colour", "Color"), ("color", "Color"), ("Colro", "Color"), ("strng", "string"), ("depricated", "deprecated"),
      ("tabel", "table"),
    ])
  func nearest(_ written: String, meant: String) {
    let names = ["int", "Color", "string", "deprecated", "table", "Shape"]
    #expect(nearestName(to: written, in: names) == meant)
    #expect(nearestName(to: "Zebra", in: names) == nil)
  }
}
