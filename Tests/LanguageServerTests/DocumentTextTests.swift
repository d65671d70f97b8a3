import LanguageServer
import TestSupport
import Testing

@Suite("Places in documents")
struct DocumentTextTests {
  @Test("A place counts code units of the encoding")
  func units() {
    let bytes = Array("a\u{E4}\u{1F600}b\r\nc\rd\n".utf8)
    let wide = DocumentText(bytes, .utf16)
    let narrow = DocumentText(bytes, .utf8)
    #expect(wide.offset(of: TextPosition(line: 0, character: 4)) == 7)
    #expect(narrow.offset(of: TextPosition(line: 0, character: 7)) == 7)
    #expect(wide.position(of: 8) == TextPosition(line: 0, character: 5))
    #expect(narrow.position(of: 8) == TextPosition(line: 0, character: 8))
    #expect(wide.position(of: 10) == TextPosition(line: 1, character: 0))
    #expect(wide.position(of: 12) == TextPosition(line: 2, character: 0))
    #expect(wide.position(of: bytes.count) == TextPosition(line: 3, character: 0))
  }

  @Test("A place within a character stands for its start, and one out of the text for the nearest end")
  func outside() {
    let text = DocumentText(Array("\u{1F600}x\nab\n".utf8), .utf16)
    #expect(text.offset(of: TextPosition(line: 0, character: 1)) == 0)
    #expect(text.offset(of: TextPosition(line: 0, character: 99)) == 5)
    #expect(text.offset(of: TextPosition(line: 0, character: -1)) == 0)
    #expect(text.offset(of: TextPosition(line: -4, character: 5)) == 0)
    #expect(text.offset(of: TextPosition(line: .max, character: .max)) == 9)
    let narrow = DocumentText(Array("\u{1F600}x\n".utf8), .utf8)
    #expect(narrow.offset(of: TextPosition(line: 0, character: 2)) == 0)
    #expect(narrow.offset(of: TextPosition(line: 0, character: .max)) == 5)
  }

  @Test("A byte order mark is the first character")
  func byteOrderMark() {
    let text = DocumentText([0xEF, 0xBB, 0xBF] + Array("ab\nc".utf8), .utf16)
    #expect(text.offset(of: TextPosition(line: 0, character: 1)) == 3)
    #expect(text.position(of: 4) == TextPosition(line: 0, character: 2))
    #expect(text.lineRange(0) == 0..<5)
  }

  @Test("An edit whose end is before its start inserts at the start")
  func reversed() {
    var text = DocumentText(Array("abc\n".utf8), .utf16)
    text.replace(
      TextRange(start: TextPosition(line: 0, character: 2), end: TextPosition(line: 0, character: 0)), with: "X")
    #expect(String(decoding: text.bytes, as: UTF8.self) == "abXc\n")
  }

  @Test("Offsets and places are the same there and back, for any text")
  func roundTrip() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let pieces = ["a", "\u{E4}", "\u{20AC}", "\u{1F600}", "\n", "\r\n", "\r", "\u{FEFF}", " "]
      let string = (0..<random.next(30)).map { _ in random.pick(pieces) }.joined()
      let bytes = Array(string.utf8)
      for encoding in [PositionEncoding.utf8, .utf16] {
        let text = DocumentText(bytes, encoding)
        for offset in 0...bytes.count where offset == bytes.count || bytes[offset] & 0xC0 != 0x80 {
          // What ends a line is not on it.
          if offset > 0, offset < bytes.count, bytes[offset - 1] == 13, bytes[offset] == 10 { continue }
          #expect(text.offset(of: text.position(of: offset)) == offset, "\(string.debugDescription) \(offset)")
        }
      }
    }
  }

  @Test("After any edits, the lines are those of the text")
  func linesAfterEdits() {
    var random = SeededGenerator(seed: 11)
    let pieces = ["a", "\u{20AC}", "\n", "\r\n", "\r", "\u{FEFF}", "ab\ncd\n"]
    func string(_ count: Int) -> String { (0..<random.next(count)).map { _ in random.pick(pieces) }.joined() }
    for _ in 0..<300 {
      var text = DocumentText(Array(string(20).utf8), .utf8)
      for _ in 0..<10 {
        let start = random.next(text.bytes.count + 1)
        let end = min(text.bytes.count, start + random.next(5))
        text.replace(text.range(start, end), with: string(4))
        let whole = DocumentText(text.bytes, .utf8)
        let offsets = 0...text.bytes.count
        #expect(offsets.map(text.position(of:)) == offsets.map(whole.position(of:)))
        let lines = 0...whole.wholeRange.end.line + 1
        #expect(lines.map(text.lineRange) == lines.map(whole.lineRange))
      }
    }
  }

  @Test("An edit of a large text takes no time in proportion to the text")
  func manyEdits() {
    // To scan 400 KB for each edit takes a minute in a debug build.
    var text = DocumentText(Array(String(repeating: "  field: int;\n", count: 28_000).utf8), .utf16)
    let time = processorTime {
      for line in 0..<5_000 {
        let place = TextPosition(line: line, character: 2)
        text.replace(TextRange(start: place, end: TextPosition(line: line, character: 3)), with: "g")
      }
    }
    #expect(text.bytes.filter { $0 == UInt8(ascii: "g") }.count == 5_000)
    #expect(time < .seconds(8))
  }

  @Test("Any path is the same after it was an address")
  func addresses() {
    for path in ["/a b/ä%20.fbs", "/100%.fbs", "/a#b?c", "/x\"y", "/\u{1F600}"] {
      let uri = DocumentURI.uri(path)
      #expect(uri.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !uri.contains("#") && !uri.contains("?"))
      #expect(DocumentURI.path(uri) == path)
    }
    #expect(DocumentURI.path("file:///c%3A/x.fbs") == "/c:/x.fbs")
    #expect(DocumentURI.path("FILE://localhost/x.fbs") == "/x.fbs")
    #expect(DocumentURI.path("file:/a%20b/x.fbs") == "/a b/x.fbs")
    #expect(DocumentURI.path("file:/") == "/" && DocumentURI.path("file:x.fbs") == "file:x.fbs")
    #expect(DocumentURI.path("untitled:One") == "untitled:One")
    #expect(DocumentURI.path("file:///%zz%2") == "/%zz%2")
  }
}
