import FBSDiagnostics
import Testing

@testable import FBSParser

@Suite("Tokens")
struct LexerTests {
  @Test("A token is small")
  func size() {
    #expect(MemoryLayout<Token>.stride <= 12)
  }

  @Test("Words, signs and numbers are cut apart, with nothing needed between them")
  func cutting() {
    #expect(
      parse("table T{a:[int:3]=-0x1F(b:'c');}").tree.texts == [
        "table", "T", "{", "a", ":", "[", "int", ":", "3", "]", "=", "-0x1F", "(", "b", ":", "'c'", ")", ";", "}",
      ])
  }

  @Test(
    "Numbers are read with their kinds",
    arguments: [
      ("0", TokenKind.integer), ("010", .integer), ("-5", .integer), ("+5", .integer), ("0x1F", .integer),
      ("-0XaB", .integer), ("1.", .float), (".5", .float), ("-.5", .float), ("1e3", .float), ("1.5E-3", .float),
      ("0x1p3", .float), ("0x1.8P-1", .float), ("0x.8p1", .float),
    ])
  func numbers(_ text: String, kind: TokenKind) {
    let (tree, _) = parse("table T { a: float = \(text); }")
    let token = tree.tokens[7]
    #expect(tree.text(of: 7) == text)
    #expect(token.kind == kind)
    #expect(!token.isMalformed)
  }

  @Test(
    "Text that is no number gives one error",
    arguments: ["0x", "1e", "1.2.3", "0x1.8", "- 5", "1e+", "+", "0x1p", "1..2"])
  func malformedNumbers(_ text: String) {
    #expect(codes("table T { a: float = \(text); }") == ["D0107"])
  }

  @Test("A byte order mark, CR LF and lone CR are blank, and places count on")
  func lineEnds() {
    let text = "\u{FEFF}table A {}\r\ntable B {}\rtable C {}\ntable ? {}"
    let (tree, diagnostics) = parse(text)
    #expect(tree.items.count == 3)
    #expect(tree.written == Array(text.utf8))
    let table = LineTable(tree.source.bytes)
    #expect(
      diagnostics.map { table.position(of: $0.range.start, in: tree.source.bytes) } == [
        SourcePosition(line: 4, column: 7)
      ])
    #expect(table.position(of: 3, in: tree.source.bytes) == SourcePosition(line: 1, column: 1))
  }

  @Test("Columns count characters for people, and UTF-16 units for editors")
  func columns() {
    let bytes = Array("\"e\u{301}😀\" x".utf8)
    let table = LineTable(bytes)
    #expect(table.position(of: bytes.count - 1, in: bytes).column == 6)
    #expect(table.utf16Column(of: bytes.count - 1, in: bytes) == 7)
  }

  @Test(
    "Strings mean what their escapes say",
    arguments: [
      (#""a\n\t\"\\\/\b\f\rz""#, "a\n\t\"\\/\u{8}\u{C}\rz"), (#"'it\'s "so"'"#, "it's \"so\""),
      (#""\u00e9\xC3\xA9""#, "éé"),
      (#""\ud83d\ude00😀""#, "😀😀"), (#""""#, ""), (#""\x00""#, "\0"),
    ])
  func strings(_ literal: String, meaning: String) {
    let (tree, diagnostics) = parse("attribute \(literal);")
    #expect(diagnostics.isEmpty)
    #expect(tree.stringValue(of: 1) == meaning)
  }

  @Test(
    "Strings that mean nothing are reported where they go wrong",
    arguments: [
      (#""\q""#, "D0105"), (#""\x4""#, "D0105"), (#""\u12""#, "D0105"), (#""\ud83d""#, "D0106"),
      (#""\ud83dx""#, "D0106"),
      (#""\ud83d\u0041""#, "D0106"), (#""\ude00""#, "D0106"), (#""\xff""#, "D0106"), ("\"a\u{1}b\"", "D0101"),
      ("\"abc", "D0103"), ("'abc\"", "D0103"), ("\"abc\\", "D0103"), ("\"abc\\\"", "D0103"),
    ])
  func malformedStrings(_ literal: String, code: String) {
    #expect(codes("attribute \(literal)\n;") == [code])
  }

  @Test("A string of bytes that are not UTF-8 is reported")
  func notUTF8() {
    let (_, diagnostics) = parse(Array("attribute \"a".utf8) + [0xC3, 0x28] + Array("\";".utf8))
    #expect(diagnostics.map(\.code.id) == ["D0106"])
  }

  @Test("Block comments do not nest, and must end")
  func blockComments() {
    #expect(codes("/* /* */ table T {}").isEmpty)
    #expect(codes("/* /* */ */ table T {}") == ["D0101"])
    #expect(codes("table T {} /* ") == ["D0104"])
    #expect(codes("table T {} /*/ table") == ["D0104"])
  }

  @Test("Doc comments are kept as they stand after the slashes, and must have their line for themselves")
  func documentation() {
    let (tree, diagnostics) = parse("/// one\r\n///two \r// no\n/* /// no */\n////three\ntable T {}\n")
    #expect(diagnostics.isEmpty)
    #expect(tree.documentation(before: 0) == [" one", "two ", "/three"])
    #expect(codes("table T {} /// x\ntable U {}") == ["D0108"])
    #expect(codes("table T { /* x */ /// x\n a: int; }") == ["D0108"])
  }

  @Test("Runs of letters from elsewhere are one mistake each")
  func illegalCharacters() {
    #expect(codes("table T { größe: int; 日本: int; }") == ["D0101", "D0101"])
    #expect(codes("table T {} \u{C}") == ["D0101"])
  }
}
