import Foundation
import TestSupport
import Testing

@testable import FBSParser

/// Each folder of Fixtures/format holds a schema, `before.fbs`, and its canonical layout, `after.fbs`.
@Suite("The canonical layout")
struct FormatterTests {
  static let cases = fixtures.keys.filter { $0.hasSuffix("/before.fbs") }.sorted()

  @Test("The fixtures have cases of layouts")
  func casesExist() {
    #expect(Self.cases.count >= 4)
  }

  @Test("Each case comes out as expected", arguments: cases)
  func expectedLayout(_ path: String) throws {
    let before = try #require(fixtures[path])
    let after = try #require(fixtures[path.replacingOccurrences(of: "before.fbs", with: "after.fbs")])
    let (tree, diagnostics) = parse(before)
    #expect(diagnostics == [])
    #expect(String(decoding: SchemaFormatter.format(tree), as: UTF8.self) == String(decoding: after, as: UTF8.self))
  }

  @Test("All lines end as the first one does, in comments of several lines, too; a byte order mark goes")
  func lineEnds() {
    #expect(
      format("\u{FEFF}table T {\r\n\r\n  a: int;\r\r\r  b: int;\n}\r\n")
        == "table T {\r\n  a: int;\r\n\r\n  b: int;\r\n}\r\n")
    #expect(format("// x\ntable T {\r\n}\r\n") == "// x\ntable T {}\n")
    #expect(format("/* a\r\n b\r c */\ntable T {}") == "/* a\r\n b\r\n c */\r\ntable T {}\r\n")
    #expect(format("/* a\n b\r c */\r\ntable T {}") == "/* a\n b\n c */\ntable T {}\n")
    #expect(format("// a\rtable T {}\n") == "// a\rtable T {}\r")
    #expect(format("table T {}") == "table T {}\n")
  }

  @Test("A file of comments alone is laid out")
  func commentsAlone() {
    #expect(format("") == "" && format("\n\n") == "")
    #expect(format(" // a \n\n\n  /* b */\n") == "// a\n\n/* b */\n")
  }

  @Test("Formatting removes blanks at the end of a comment, except of a doc comment")
  func blanksInComments() {
    #expect(format("// a \t\n/// b \ntable T {}") == "// a\n/// b \ntable T {}\n")
  }

  @Test("A line of 100 columns fits, and one of 101 does not, whatever the bytes of a character")
  func width() {
    let line = "table T { a: string = \"" + String(repeating: "é", count: 100 - 27) + "\"; }"
    #expect(line.count == 100)
    #expect(format(line) == line + "\n")
    let longer = line.replacingOccurrences(of: "a:", with: "ab:")
    #expect(format(longer).hasPrefix("table T {\n  ab: "))
  }

  @Test("Large files take time in proportion")
  func scale() {
    func time(_ count: Int) -> Duration {
      let field = "a:int=5(id:0);/* c */ "
      let text =
        "table A {" + String(repeating: field, count: count) + "}"
        + String(repeating: "table T{a:int;}\n// c\n", count: count)
      let (tree, _) = parse(text)
      return processorTime { #expect(SchemaFormatter.format(tree).count > text.utf8.count) }
    }
    _ = time(100)
    // Eight times the text: 64 times the time would be quadratic.
    let small = (0..<3).map { _ in time(500) }.min() ?? .zero
    let large = (0..<3).map { _ in time(4_000) }.min() ?? .zero
    #expect(large < small * 32)
  }

  @Test("A file with errors makes no crash")
  func broken() {
    for (_, bytes) in fixtures where bytes.count < 700 {
      let tokens = parse(bytes).tree.tokens
      for token in tokens {
        _ = SchemaFormatter.format(parse(Array(bytes[..<Int(token.start)])).tree)
      }
    }
    _ = format(String(repeating: "{[(", count: 10_000))
    _ = format(String(repeating: "}])", count: 10_000))
  }

  private func format(_ text: String) -> String {
    String(decoding: SchemaFormatter.format(parse(text).tree), as: UTF8.self)
  }
}

@Suite("Formatting keeps every token and comment, and has nothing to do the second time")
struct FormatterPropertyTests {
  /// The tokens and comments of a text, in order, line ends and the blanks before them aside.
  private func content(_ bytes: [UInt8], _ tree: SyntaxTree) -> [String] {
    var output: [String] = []
    var end = 0
    for (index, token) in tree.tokens.enumerated() {
      for comment in Trivia(bytes, in: end..<Int(token.start)).comments {
        var text = String(decoding: bytes[comment.range], as: UTF8.self)
        text = text.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "\r", with: "\n")
        while comment.kind == .line, text.hasSuffix(" ") || text.hasSuffix("\t") { text.removeLast() }
        output.append(text)
      }
      output.append("\(token.kind) \(tree.text(of: index))")
      output += tree.documentation(before: index).map { "documentation \($0)" }
      end = Int(token.end)
    }
    return output
  }

  /// Whether a text without syntax errors keeps its content. Nothing if it has some.
  private func check(_ bytes: [UInt8], _ name: String) -> Bool? {
    let (tree, diagnostics) = parse(bytes)
    guard diagnostics.isEmpty else { return nil }
    let formatted = SchemaFormatter.format(tree)
    let (again, mistakes) = parse(formatted)
    let text = String(decoding: formatted, as: UTF8.self)
    if !mistakes.isEmpty || content(bytes, tree) != content(formatted, again) {
      Issue.record("\(name): \(String(decoding: bytes, as: UTF8.self))\nbecame:\n\(text)")
      return false
    }
    let second = SchemaFormatter.format(again)
    if second != formatted {
      Issue.record("\(name):\n\(text)\nbecame:\n\(String(decoding: second, as: UTF8.self))")
      return false
    }
    return true
  }

  @Test("Formatting any fixture keeps its tokens, and a second time changes nothing")
  func allFixtures() {
    let count = fixtures.count { check($0.value, $0.key) == true }
    #expect(count > 40)
  }

  @Test("Formatting a fixture with a changed token keeps its tokens, and a second time changes nothing")
  func mutations() {
    var generator = SeededGenerator(seed: 5)
    var count = 0
    for (path, bytes) in fixtures.sorted(by: { $0.key < $1.key }) where bytes.count < 600 {
      let tokens = parse(bytes).tree.tokens.dropLast()
      func slice(_ index: Int) -> ArraySlice<UInt8> { bytes[Int(tokens[index].start)..<Int(tokens[index].end)] }
      for index in stride(from: path.utf8.count % mutationStride, to: tokens.count, by: mutationStride) {
        let before = bytes[..<Int(tokens[index].start)]
        let after = bytes[Int(tokens[index].end)...]
        var texts = [before + after, before + slice(index) + [0x20] + slice(index) + after]
        let others = tokens.indices.filter { tokens[$0].kind == tokens[index].kind }
        texts += others.shuffled(using: &generator).prefix(2).map { before + slice($0) + after }
        if index + 1 < tokens.count {
          let between = bytes[Int(tokens[index].end)..<Int(tokens[index + 1].start)]
          texts.append(before + slice(index + 1) + between + slice(index) + bytes[Int(tokens[index + 1].end)...])
        }
        for text in texts {
          guard let isWell = check(Array(text), "\(path), token \(index)") else { continue }
          guard isWell else { return }
          count += 1
        }
      }
    }
    #expect(count > 500)
  }

  @Test("Formatting with random blanks and comments keeps the tokens, and a second time changes nothing")
  func strewn() {
    let trivia = [
      " ", "\t", "\n", "\r\n", "\r", "\n\n\n", "/* a */", "/* b\n  c */", "// d\n", "// e \r\n", "\n/// f\n",
      "\n//// g \n",
      "\n\n// h\n\n", "/**/", "//\n", "\n///\n",
    ]
    var generator = SeededGenerator(seed: 11)
    var count = 0
    for (path, bytes) in fixtures.sorted(by: { $0.key < $1.key }) where bytes.count < 1_000 {
      let (tree, diagnostics) = parse(bytes)
      guard diagnostics.isEmpty else { continue }
      for round in 0..<24 {
        var text: [UInt8] = []
        for (index, token) in tree.tokens.enumerated() {
          let start = index == 0 ? 0 : Int(tree.tokens[index - 1].end)
          // Sometimes what stands there goes, but for one blank.
          text += round % 3 == 0 ? [0x20] : bytes[start..<Int(token.start)]
          for _ in 0..<Int.random(in: 0...(round % 4 == 0 ? 3 : 1), using: &generator) {
            text += Array((trivia.randomElement(using: &generator) ?? "").utf8)
          }
          text += tree.bytes(of: index)
        }
        guard let isWell = check(text, "\(path), round \(round)") else { continue }
        guard isWell else { return }
        count += 1
      }
    }
    #expect(count > 500)
  }
}
