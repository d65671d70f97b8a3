import FBSDiagnostics
import TestSupport
import Testing

@testable import FBSParser

@Suite("The syntax tree")
struct ParserTests {
  @Test("Everything that a file may hold is parsed")
  func everything() throws {
    let (tree, diagnostics) = parse(
      """
      include "a.fbs"; native_include "b.h";
      namespace A.B; namespace;
      attribute "x"; attribute y;
      enum E: ubyte (bit_flags) { A, B = 3 (x), }
      union U { T, N.M.S, s: string = 4 }
      struct S (force_align: 8) { a: int; b: [A.B.E: 0x10]; }
      table T (x: "y") { a: int = -5 (id: 0, "x": 'z'); b: [string] = []; c: float = -inf; d: float = rad(sin(1.5)); }
      rpc_service R { m(T): A.T (streaming: "none"); }
      file_identifier "ABCD"; file_extension "bin";
      root_type A.T;
      { a: 1, "b": [1, 2,], c: { d: "E.A", e: null }, f: -inf, g: cos(0) }
      """)
    #expect(diagnostics.isEmpty)
    #expect(tree.items.count == 15)
    #expect(tree.fields.count == 6)
    #expect(tree.enumValues.count == 2)
    #expect(tree.unionMembers.count == 3)
    #expect(tree.methods.count == 1)
    #expect(tree.attributes.count == 7)
    guard case .table(let table) = tree.items[9] else {
      Issue.record("the tenth item is a table")
      return
    }
    #expect(tree.text(of: table.name) == "T")
    #expect(table.fields.map { tree.text(of: tree.fields[$0].name) } == ["a", "b", "c", "d"])
    let call = try #require(tree.fields[table.fields.upperBound - 1].value)
    #expect(tree.text(of: tree.values[call].span) == "rad(sin(1.5))")
  }

  @Test("No word is reserved")
  func noKeywords() {
    let text = """
      namespace struct.table; table table { include: int; table: [table]; enum: union; root_type: namespace; }
      struct struct { struct: int; } enum enum: int { enum, union } union union { table }
      rpc_service rpc_service { table(table): table; } root_type table;
      """
    let (tree, diagnostics) = parse(text)
    #expect(diagnostics.isEmpty)
    #expect(tree.items.count == 7)
  }

  @Test(
    "The text after a syntax error is parsed as if nothing had been wrong",
    arguments: [
      "table A { a: int b: int; c: int; } table B { d: int; }",
      "table A { a: int; 5; b: int; c: int; } table B { d: int; }",
      "table A { a: int; b: ; c: int; x: int; } table B { d: int; }",
      "table A { a: int; b int; c: int; } table B { d: int; }",
      "table A { a: int; b: int; c: int;\ntable B { d: int; }",
      "table A { a: int; b: int (; c: int; } table B { d: int; }",
      "table A { a: int; b: int = ; c: int; x: int; } table B { d: int; }",
      "table A { a: int; b: int; c: int; } clas X { x: int; } table B { d: int; }",
      "table A { a: int; b: int; c: int; }; table B { d: int; }",
      "table A { a: int; b: int; c: int; } } table B { d: int; }",
      "tabel X { e: int; } table A { a: int; b: int; c: int; } table B { d: int; }",
      "enum E: int { A B } table A { a: int; b: int; c: int; } table B { d: int; }",
      "enum E: int { 5, A } table A { a: int; b: int; c: int; } table B { d: int; }",
      "enum E { A } table A { a: int; b: int; c: int; } table B { d: int; }",
    ])
  func recovery(_ text: String) {
    let (tree, diagnostics) = parse(text)
    #expect(diagnostics.count == 1, "\(diagnostics.map(\.message))")
    #expect(tree.fields.suffix(1).map { tree.text(of: $0.name) } == ["d"])
    #expect(tree.fields.count >= 3)
  }

  @Test("A missing token is pointed at where it is missing")
  func missingSemicolon() throws {
    let (_, diagnostics) = parse("table A {\n  a: int   // no\n  b: int;\n}")
    let diagnostic = try #require(diagnostics.first)
    #expect(diagnostics.count == 1)
    #expect(diagnostic.code == .missingToken)
    #expect(diagnostic.range.start == 18)
    #expect(diagnostic.range.end == 18)
  }

  @Test("Calls may stand 64 deep, and brackets of an object 129 (64 tables, each in a list), and no deeper")
  func depth() {
    func nested(_ depth: Int) -> String {
      "table T {} { a: " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + " }"
    }
    #expect(codes(nested(128)).isEmpty)
    #expect(codes(nested(129)) == ["D0113"])
    let calls = { String(repeating: "sin(", count: $0) + "1" + String(repeating: ")", count: $0) }
    #expect(codes("table T { a: float = \(calls(64)); }").isEmpty)
    #expect(codes("table T { a: float = \(calls(65)); }") == ["D0113"])
  }
}

@Suite("Bad input")
struct BadInputTests {
  @Test(
    "A megabyte of one bracket is read once, and is few mistakes",
    arguments: [
      "{", "[", "(", "}", "]", ")", "table T { a: [", "{a:", "a(", "enum E:int{", "table T (", "union U { a: [", "-",
      "\"", "'",
      "/*", "table ", ";", ",", ".", "namespace A.", "a.", "///", "\u{E9}", "sin(", "{[", "=",
    ])
  func repeated(_ piece: String) {
    let count = 1_000_000 / piece.utf8.count
    var diagnostics: [Diagnostic] = []
    let bytes = Array(String(repeating: piece, count: count).utf8)
    let time = processorTime { diagnostics = parse(bytes).diagnostics }
    #expect(!diagnostics.isEmpty)
    #expect(diagnostics.count <= Parser.maximumDiagnostics + 1)
    // Of unoptimised code: this catches what grows with the square, which would take hours.
    #expect(time < .seconds(30))
  }

  @Test("A megabyte of one kind of bracket gives one error or two", arguments: ["{", "[", "("])
  func brackets(_ piece: String) {
    #expect(codes(String(repeating: piece, count: 1_000_000)).count <= 2)
  }

  @Test("A binary file is one mistake")
  func binary() {
    var bytes: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 0x02, 0x01, 0x01, 0x00]
    for index in 0..<10_000 { bytes.append(UInt8(truncatingIfNeeded: index &* 7)) }
    let (tree, diagnostics) = parse(bytes)
    #expect(diagnostics.contains { $0.code == .notText })
    #expect(diagnostics.count <= 2)
    #expect(tree.written.count <= bytes.count)
  }

  @Test("An empty file is an error", arguments: ["", " \n", "// nothing", "/* */", "\u{FEFF}"])
  func empty(_ text: String) {
    #expect(codes(text) == ["D0110"])
  }

  @Test("Random bytes neither crash nor hang, and every place is inside the file")
  func randomBytes() {
    var generator = SeededGenerator(seed: 42)
    for round in 0..<300 {
      let alphabet: [UInt8] =
        round % 2 == 0 ? Array(UInt8.min...UInt8.max) : Array("{}()[],:;=.+-'\"/*\\ \n_aA0xe".utf8)
      let bytes = (0..<Int.random(in: 0...400, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      let (_, diagnostics) = parse(bytes)
      for diagnostic in diagnostics { #expect(diagnostic.range.end <= bytes.count) }
      // Rendering must cope with whatever it is shown.
      var sources = SourceMap()
      _ = sources.add(path: "random.fbs", bytes: bytes)
      #expect(DiagnosticRenderer().render(diagnostics, in: sources).isEmpty == diagnostics.isEmpty)
    }
  }

  @Test("A file may have as many bytes as offsets can count, and not one more", arguments: [0, 1, 100])
  func tooLarge(_ more: Int) {
    let text = Array("table T {}".utf8)
    let bytes = text + [UInt8](repeating: 0x20, count: more)
    let source = SourceFile(id: FileID(0), path: "a", bytes: bytes)
    let (tree, diagnostics) = Parser.parse(source, maximumSize: text.count)
    #expect(diagnostics.map(\.code) == (more == 0 ? [] : [.fileTooLarge]))
    #expect(tree.items.count == (more == 0 ? 1 : 0))
    #expect(Parser.maximumSize == Int(UInt32.max))
  }
}
