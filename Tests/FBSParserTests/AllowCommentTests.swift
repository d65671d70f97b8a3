import FBSDiagnostics
import TestSupport
import Testing

@testable import FBSParser

/// Comments that silence findings: which entries of a text they speak for.
@Suite("Comments that silence findings")
struct AllowCommentTests {
  private static let rules = AllowComments.Rules(own: ["one", "two"], others: ["foreign"])

  private func comments(_ text: String) -> AllowComments {
    AllowComments([SourceFile(id: FileID(0), path: "a.fbs", bytes: Array(text.utf8))], rules: Self.rules)
  }

  /// The tokens at which findings of a rule are silenced, with one blank between two.
  private func silenced(_ text: String, rule: String = "one") -> String {
    var comments = comments(text)
    let tree = parse(text).tree
    return tree.tokens.indices.dropLast().filter { comments.silences(rule, at: tree.range(of: $0)) }.map {
      tree.text(of: $0)
    }
    .joined(separator: " ")
  }

  @Test(
    "A comment speaks for the entry that follows it, over other comments and empty lines",
    arguments: [
      "// dflatc:allow one why\na: int;", "// dflatc:allow one why\n  /// doc\n a: int;",
      "/// doc\n// dflatc:allow one why\na: int;", "// dflatc:allow one why\n\n// more\n/* block\n*/ a: int;",
      "// dflatc:allow one why\na\n:\nint\n;", "a:\n// dflatc:allow one why\nint;",
    ])
  func leading(_ field: String) {
    #expect(silenced("table T {\nx: int;\n\(field)\ny: int;\n}\n") == "a : int ;")
  }

  @Test("The comments of a tree are those of its text")
  func trees() {
    for text in [
      "// dflatc:allow one why\ntable T { a: int; }", "table T { a: int; // dflatc:allow two\n }",
      "table T { a: int; }\n// dflatc:allow one why\n", "table T { allowed: int; }",
    ] {
      let tree = parse(text).tree
      var (known, read) = (AllowComments(trees: [tree], rules: Self.rules), comments(text))
      #expect(known.diagnostics == read.diagnostics)
      for token in tree.tokens.indices.dropLast() {
        let range = tree.range(of: token)
        let (isKnown, isRead) = (known.silences("one", at: range), read.silences("one", at: range))
        #expect(isKnown == isRead)
      }
      #expect(known.unusedWarnings(note: "") == read.unusedWarnings(note: ""))
    }
  }

  @Test("An allow comment at the end of a line is for the entry before it, and not for the next one")
  func trailing() {
    #expect(silenced("table T { x: int; a: int; // dflatc:allow one why\n y: int; }") == "a : int ;")
    #expect(silenced("table T { a: // dflatc:allow one why\n int; y: int; }") == "a : int ;")
    #expect(silenced("enum E: byte { A, // dflatc:allow one why\n B }") == "A ,")
    #expect(silenced("enum E: byte { A /* x */ // dflatc:allow one why\n, B }") == "A ,")
    #expect(silenced("namespace N; // dflatc:allow one why\ntable T {}") == "namespace N ;")
  }

  @Test("A comment of a type speaks for all that the type holds, and for no other")
  func types() {
    let body = "table T { a: int; b: [U] (required); }"
    for text in [
      "table S {}\n// dflatc:allow one why\n\(body)\ntable V {}",
      "table S {}\n\(body) // dflatc:allow one why\ntable V {}",
      "table S {}\ntable T { // dflatc:allow one why\na: int; b: [U] (required); }\ntable V {}",
    ] {
      #expect(silenced(text) == "table T { a : int ; b : [ U ] ( required ) ; }")
      #expect(silenced(text, rule: "two").isEmpty)
    }
  }

  @Test("An allow comment above a closing brace, or at the end, silences nothing else")
  func closers() {
    #expect(silenced("table T { a: int;\n// dflatc:allow one why\n}\ntable S {}") == "}")
    #expect(silenced("table T {}\n// dflatc:allow one why\n").isEmpty)
  }

  @Test("Comments of one place all count, and those that silence nothing are warned of")
  func several() {
    let text = "// dflatc:allow two why\n// dflatc:allow one why\n// dflatc:allow foreign why\ntable T {}"
    #expect(silenced(text) == "table T { }" && silenced(text, rule: "two") == "table T { }")
    var comments = comments(text)
    let brace = SourceRange(file: FileID(0), start: text.utf8.count - 2, end: text.utf8.count)
    let isSilent = comments.silences("one", at: brace)
    #expect(isSilent)
    let warnings = comments.unusedWarnings(note: "a note")
    #expect(warnings.map(\.range.start) == [0] && warnings.map(\.severity) == [.warning])
    #expect(comments.unusedWarnings(note: "a note", isJudged: { rule, _ in rule != "two" }).isEmpty)
  }

  @Test("Blanks around the colon make no difference")
  func blanks() {
    for mark in ["//dflatc:allow", "//  dflatc: allow", "// dflatc :allow", "//\tdflatc\t:\tallow"] {
      #expect(silenced("\(mark) one why\ntable T {}") == "table T { }", "\(mark)")
      #expect(comments("\(mark) one why\ntable T {}").diagnostics.isEmpty)
      #expect(comments("\(mark) none why\ntable T {}").diagnostics.map(\.message) == ["there is no rule `none`"])
      #expect(comments("\(mark) one\ntable T {}").diagnostics.map(\.message) == ["a reason is missing"])
    }
  }

  @Test("A warning names each comment that looks like an allow comment, names a rule and is not read")
  func lookalikes() {
    for comment in [
      "/// dflatc:allow one why", "/* dflatc:allow one why */", "// DFLATC:allow one why", "// dflatc-allow one why",
      "// dflatc allow one why", "// dflatc:Allow(one) why", "/* dflatc: allow one*/", "// dflatc.allow: foreign why",
    ] {
      let found = comments("\(comment)\ntable T {}").diagnostics
      #expect(found.map(\.code.id) == ["allow-malformed"] && found.map(\.severity) == [.warning], "\(comment)")
      #expect(silenced("\(comment)\ntable T {}").isEmpty, "\(comment)")
    }
    for comment in [
      "// dflatc allows one thing", "// dflatc: allows one", "/// dflatc may allow one", "// allow one why",
      "/* dflatc:allow RULE why */", "// see dflatc:allow one why", "//// dflatc allow me",
    ] {
      #expect(comments("\(comment)\ntable T {}").diagnostics.isEmpty, "\(comment)")
    }
  }

  @Test("A text with errors has no comments, and makes no crash")
  func brokenTexts() {
    for text in [
      "// dflatc:allow one why\ntable {", "}}} // dflatc:allow one why", "{[(// dflatc:allow one why", "\u{0}allow",
    ] {
      #expect(silenced(text).isEmpty)
      #expect(comments(text).unusedWarnings(note: "").isEmpty)
    }
  }

  @Test("Many comments and findings take time in proportion to their number")
  func scale() {
    func time(_ count: Int) -> Duration {
      let text =
        "table T {\n" + String(repeating: "// dflatc:allow one why\n", count: count)
        + String(repeating: "a: int;\n", count: count) + "}\n"
      return processorTime {
        var comments = comments(text)
        for offset in 0..<count {
          let place = text.utf8.count - 3 - offset
          _ = comments.silences("one", at: SourceRange(file: FileID(0), start: place, end: place))
        }
        #expect(comments.unusedWarnings(note: "").count <= count)
      }
    }
    _ = time(100)
    let small = (0..<3).map { _ in time(500) }.min() ?? .zero
    let large = (0..<3).map { _ in time(4_000) }.min() ?? .zero
    // Eight times the text: 64 times the time would be quadratic.
    #expect(large < small * 32)
  }

  /// What each token's findings would be, and which comments are of no use once all were asked for.
  private func verdicts(_ bytes: [UInt8], _ tree: SyntaxTree) -> [String] {
    var comments = AllowComments([SourceFile(id: FileID(0), path: "a.fbs", bytes: bytes)], rules: Self.rules)
    // Every third token, so that some comments silence nothing.
    var verdicts = stride(from: 0, to: tree.tokens.count - 1, by: 3).map { token in
      ["one", "two"].map { comments.silences($0, at: tree.range(of: token)) ? $0 : "-" }.joined()
    }
    verdicts += comments.unusedWarnings(note: "").map(\.message)
    return verdicts + comments.diagnostics.map(\.message)
  }

  @Test("Formatting never changes what is silenced, wherever comments stand")
  func formatting() {
    let trivia = [
      " ", "\n", "\n\n\n", "/* a */", "/* b\n c */", "// d\n", "\n/// f\n", "\r\n", " // dflatc:allow one why\n",
      "\n// dflatc:allow one why\n", " // dflatc: allow two why\n", "\n  // dflatc:allow two why\r\n",
      "\n/// dflatc:allow one why\n",
    ]
    var generator = SeededGenerator(seed: 23)
    var count = 0
    var silenced = 0
    for (path, bytes) in fixtures.sorted(by: { $0.key < $1.key }) where bytes.count < 1_000 {
      let (tree, diagnostics) = parse(bytes)
      guard diagnostics.isEmpty else { continue }
      for round in 0..<12 {
        var text: [UInt8] = []
        for (index, token) in tree.tokens.enumerated() {
          let start = index == 0 ? 0 : Int(tree.tokens[index - 1].end)
          text += round % 3 == 0 ? [0x20] : bytes[start..<Int(token.start)]
          for _ in 0..<Int.random(in: 0...(round % 4 + 1), using: &generator)
          where Int.random(in: 0..<4, using: &generator) == 0 {
            text += Array((trivia.randomElement(using: &generator) ?? "").utf8)
          }
          text += tree.bytes(of: index)
        }
        let (strewn, mistakes) = parse(text)
        guard mistakes.isEmpty else { continue }
        let formatted = SchemaFormatter.format(strewn)
        let before = verdicts(text, strewn)
        guard before == verdicts(formatted, parse(formatted).tree) else {
          let texts = [text, formatted].map { String(decoding: $0, as: UTF8.self) }
          Issue.record("\(path), round \(round):\n\(texts[0])\nbecame:\n\(texts[1])")
          return
        }
        count += 1
        silenced += before.count { $0.contains("one") || $0.contains("two") }
      }
    }
    #expect(count > 300 && silenced > 1_000)
  }
}
