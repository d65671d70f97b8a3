import Emitters
import Testing

@Suite("CodeWriter")
struct CodeWriterTests {
  private func text(_ body: (inout CodeWriter) -> Void) -> String {
    var writer = CodeWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("Lines in a block are indented")
  func blocksIndentWhatIsInThem() {
    let result = text { writer in
      writer.block("struct A") { writer in
        writer.block("func b()") { $0.line("c()") }
        writer.blank()
      }
    }
    #expect(result == "struct A {\n  func b() {\n    c()\n  }\n\n}\n")
  }

  @Test("A list stays on one line while it fits")
  func aListStaysOnItsLineWhileItFits() {
    let short = text { $0.list("f(", ["a: 1", "b: 2"], ")") }
    #expect(short == "f(a: 1, b: 2)\n")
  }

  @Test("A list that does not fit on its line fills lines of 120 characters, as swift-format lays it out")
  func aLongListFillsLines() throws {
    for length in 1...60 {
      let items = (0..<40).map { String(repeating: "x", count: length) + ": \($0)" }
      let lines = text { writer in writer.indented { $0.list("f(", items, ") {") } }.split(separator: "\n")
      #expect(lines.first == "  f(")
      #expect(lines.last == "  ) {")
      let body = lines.dropFirst().dropLast()
      #expect(body.map { $0.dropFirst(4) }.joined(separator: " ") == items.joined(separator: ", "))
      for (line, next) in zip(body, body.dropFirst()) {
        #expect(line.hasPrefix("    x") && line.hasSuffix(",") && line.count <= 120)
        // The next item, with the space before it and any comma behind it, does not fit.
        let item = try #require(next.dropFirst(4).split(separator: ",").first)
        #expect(line.count + 1 + item.count + (next.contains(",") ? 1 : 0) > 120)
      }
    }
  }

  @Test("The parentheses that end a call stay with the last item, on the line where they fit")
  func endOfCall() {
    for last in 112...120 {
      let items = [String(repeating: "x", count: 20), String(repeating: "y", count: last - 20 - 4 - 2)]
      let lines = text { writer in writer.indented { $0.list("function(", items, "))") } }.split(separator: "\n")
      #expect(lines.last?.hasSuffix("y))") == true)
      #expect(lines.count == (last + 2 <= 120 ? 2 : 3), "\(last)")
      #expect(lines.allSatisfy { $0.count <= 120 })
    }
  }

  @Test("A body of statements stays on its line while it fits")
  func bodies() {
    #expect(text { $0.body("get", ["a()", "b()"]) } == "get { a(); b() }\n")
    for length in 90...115 {
      let statements = ["a()", String(repeating: "b", count: length)]
      let lines = text { writer in
        writer.indented { $0.body("get", statements.map { CodeText($0) }) }
      }.split(separator: "\n")
      #expect(lines.count == (length + 15 <= 120 ? 1 : 4), "\(length)")
      #expect(lines.allSatisfy { $0.count <= 120 })
    }
  }

  @Test("A list of strings is written like a list of code")
  func aListOfStringsIsWrittenAsOneOfCode() {
    let strings = (0..<20).map { "argument\($0): \($0)" }
    let head = "f("
    let tail = ")"
    let code: [CodeText] = strings.map { "\($0)" }
    for count in [0, 1, 2, 20] {
      #expect(
        text { $0.list(head, Array(strings[..<count]), tail) } == text { $0.list("f(", Array(code[..<count]), ")") })
    }
  }

  @Test("An interpolation can hold strings, numbers and code")
  func interpolationsHoldStringsNumbersAndCode() {
    let name = "zoë"
    let code: CodeText = "\(name): \(Int8.min)"
    let literal: CodeText = "let x"
    #expect(text { $0.line("f(\(code), \(literal), \(name)\("")) {}") } == "f(zoë: -128, let x, zoë) {}\n")
    #expect(text { $0.line(name) } == "zoë\n")
    // In a string, too, it is the code.
    let string: String = "<\(code)>"
    #expect(string == "<zoë: -128>")
    #expect(text { $0.documentation([" \(name)", ""]) } == "/// zoë\n///\n")
  }

  @Test("No list that stays on one line exceeds 120 columns")
  func noListGoesBeyondTheLine() {
    for length in 90...130 {
      let lines = text { writer in
        writer.indented { $0.list("f(", [String(repeating: "x", count: length - 10), "yyy"], ") {") }
      }.split(separator: "\n")
      if lines.count == 1 {
        #expect(lines[0].count <= 120)
      }
    }
  }
}
