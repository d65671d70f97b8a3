import Foundation
import Testing

/// Whatever name generated code mentions, a schema may have for its own: either that compiles, or it is refused in one
/// clear diagnostic.
@Suite("Hostile names of types and namespaces")
struct HostileTypeNamesTests {
  /// Every word of the golden outputs: taken from there, so that nothing that is generated can be forgotten.
  private static let words: [String] = {
    let fixtures = repository.appending(path: "Fixtures")
    var words: Set<String> = []
    // Without the folder there are no words, which a test notices.
    let files = FileManager.default.enumerator(at: fixtures, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.path.hasSuffix("_generated.swift"), let text = try? String(contentsOf: file, encoding: .utf8) else {
        continue
      }
      // Comments are no code.
      for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        words.formUnion(line.split { !($0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_") }.map(String.init))
      }
    }
    // What is not in the outputs, and means something to Swift.
    words.formUnion(
      [
        "Any", "AnyObject", "Character", "Data", "Date", "Dictionary", "Error", "Identifiable", "Never", "Optional",
        "Protocol", "Result", "Self", "Sequence", "Set", "Swift", "Task", "Type", "UInt", "URL", "Void",
        "StringLiteralType",
        "IntegerLiteralType", "main", "Foundation", "SQLiteDflat", "Dflat",
      ])
    words.formUnion(SwiftWords.all)
    return words.filter { $0.first?.isNumber == false && !notNames.contains($0) }.sorted()
  }()

  /// What everybody would try, and what is refused.
  private static let wellKnown = [
    "String", "Array", "Optional", "Data", "Int32", "Bool", "Error", "Sendable", "Equatable", "Offset",
    "FlatBufferStringKeyed", "FlatBufferUnionView", "FlatBufferEditableElement", "Any", "Self", "Type",
  ]

  /// A third of the words, another one for each number, and those that are well known. All of them take minutes of the Swift
  /// compiler: with `DFLAT_ALL_NAMES` set.
  private static func words(_ number: Int) -> [String] {
    if ProcessInfo.processInfo.environment["DFLAT_ALL_NAMES"] != nil { return words }
    return words.enumerated().filter { $0 % 3 == number % 3 || wellKnown.contains($1) }.map(\.element)
  }

  /// The names of types and values in the schema language, which has a meaning of its own for them.
  private static let notNames: Set<String> = [
    "true", "false", "inf", "infinity", "nan", "null", "bool", "string", "float", "double", "int8", "int16", "int32",
    "int64", "uint8", "uint16", "uint32", "uint64", "byte", "short", "int", "long", "enum", "struct", "union",
  ]

  /// A schema in which a type of each name is of each kind, and used in each way.
  private static func schema(_ names: [String], namespace: String? = nil) -> String {
    // A namespace of its own for each kind would make the names less hostile: so the kinds take turns.
    var text = namespace.map { "namespace \($0);\n" } ?? ""
    var fields = ""
    for (index, name) in names.enumerated() {
      switch index % 4 {
      case 0:
        text +=
          "table \(name) (codable) { zf\(index): int; zs: string; zv: [ubyte]; zo: double = null; zAgain: \(name); }\n"
        fields += "  zf\(index): \(name); zv\(index): [\(name)];\n"
      case 1:
        text += "struct \(name) (codable) { zf\(index): int; za: [long:2]; }\n"
        fields += "  zf\(index): \(name); zv\(index): [\(name)]; zr\(index): \(name) (required);\n"
      case 2:
        text += "enum \(name): ubyte (codable) { Zero, One }\n"
        fields += "  zf\(index): \(name) (indexed); zv\(index): [\(name)]; zo\(index): \(name) = null;\n"
      default:
        text += "table M\(index) { zx: float; }\nunion \(name) (codable) { M\(index), str: string }\n"
        fields += "  zf\(index): \(name);\n"
      }
    }
    return text + "table RootOfAll { zid: string (primary);\n\(fields)}\nroot_type RootOfAll;\n"
  }

  /// The same for the accessors and editors, which take all of the language: keys, vectors of unions, nested FlatBuffers.
  private static func editedSchema(_ names: [String]) -> String {
    let types = names.enumerated().map { index, name in
      switch index % 4 {
      case 0:
        "table \(name) { zk: string (key); zf: \(name); zn: [ubyte] (nested_flatbuffer: \"\(name)\"); zv: [\(name)]; }"
      case 1: "struct \(name) { zk: uint (key); za: [long:2]; }\ntable H\(index) { zf: \(name); zv: [\(name)]; }"
      case 2:
        "enum \(name): ubyte { Zero, One }\nstruct S\(index) { zf: \(name); za: [\(name):2]; }\n"
          + "table H\(index) { zk: \(name) (key); zf: \(name) = null; zv: [\(name)]; zs: S\(index); }"
      default:
        "table M\(index) { zx: float (key); }\nunion \(name) { M\(index), str: string, other: M\(index) }\n"
          + "table H\(index) { zf: \(name); zv: [\(name)]; zm: [M\(index)]; }"
      }
    }
    return types.joined(separator: "\n")
      + "\ntable RootOfAll { zf: int; }\nroot_type RootOfAll;\nfile_identifier \"ROOT\";\n"
  }

  /// Compiles what is not refused, and gives what is.
  @discardableResult
  private func check(
    _ names: [String], emitters: String = emitters, _ schema: ([String]) -> String
  ) throws -> [String] {
    try withFolder { folder in
      var left = names
      var refused: [String] = []
      // Leaving names out gives others another kind, and so what is generated beside them other names.
      for round in 1...20 {
        try folder.write(schema(left), to: "names.fbs")
        let result = try dflatc("compile", "-o", "out", "--emit", emitters, "names.fbs", in: folder)
        if result.status == 0 { break }
        #expect(result.status == 1 && round < 20, "\(result.error.prefix(3000))")
        let mistakes = result.error.split(separator: "\n").filter { $0.hasPrefix("error") }
        #expect(mistakes.allSatisfy { $0.hasPrefix("error[D0303]") || $0.hasPrefix("error[D0302]") }, "\(mistakes)")
        let wrong = Set(
          mistakes.compactMap {
            $0.split(separator: "`").dropFirst().first?.split(separator: ".").last.map(String.init)
          })
        refused += left.filter(wrong.contains)
        left = left.filter { !wrong.contains($0) }
      }
      let out = folder.appending(path: "out")
      let result = try typecheck(out.names(), in: out)
      #expect(result.status == 0, "\(result.error.prefix(6000))")
      #expect(!result.error.contains("warning:"), "\(result.error.prefix(4000))")
      return refused
    }
  }

  private static let emitters = "accessors,data-model,mutating,query,namespaces"

  @Test func theWordsAreThere() {
    for word in [
      "String", "Sendable", "FlatBufferTable", "CodingKeys", "QueryExpression", "table", "Element",
      "FlatBufferVectorEditor",
    ] {
      #expect(Self.words.contains(word))
    }
    #expect(Self.words.count > 300)
  }

  @Test("As types, each in every kind", arguments: 0..<4)
  func types(turn: Int) throws {
    let words = Self.words(turn)
    let names = Array(words[turn...] + words[..<turn])
    let refused = Set(try check(names) { Self.schema($0) })
    // What everybody would try has to work.
    for name in ["String", "Array", "Optional", "Data", "Int32", "Bool", "Error", "Sendable", "Equatable", "Offset"] {
      #expect(!refused.contains(name))
    }
    #expect(refused.isSuperset(of: ["Any", "Self", "Type"]))
  }

  @Test("As types for the accessors and editors alone", arguments: [0, 2])
  func typesWithEditors(turn: Int) throws {
    let words = Self.words(turn)
    let names = Array(words[turn...] + words[..<turn])
    let refused = Set(try check(names, emitters: "accessors,editors,namespaces") { Self.editedSchema($0) })
    // Those that a type and its suffix make together are refused.
    for name in [
      "String", "Array", "Int32", "FlatBufferStringKeyed", "FlatBufferUnionView", "FlatBufferEditableElement",
    ] {
      #expect(!refused.contains(name))
    }
  }

  @Test func typesInANamespace() throws {
    let refused = Set(try check(Self.words(1)) { Self.schema($0, namespace: "Deep.Inside") })
    #expect(!refused.contains("String"))
  }

  @Test func namespaces() throws {
    let refused = try check(Self.words(2)) { names in
      let types = names.map { name in
        "namespace \(name); table Leaf { zs: string; zn: int; zl: Leaf; } enum E: int { A, B }\n"
      }
      let fields = names.enumerated().map { "zf\($0): \($1).Leaf; ze\($0): \($1).E; zv\($0): [\($1).Leaf];" }
      return types.joined()
        + "namespace; table RootOfAll { zid: int (primary); \(fields.joined()) }\nroot_type RootOfAll;\n"
    }
    #expect(!refused.contains("String"))
  }

  @Test func namesThatDifferInCaseOrUnderscoresOnly() throws {
    try withFolder { folder in
      try folder.write(
        """
        enum color: byte { RED, red_, _red, Green, green_ }
        enum Color: byte { a, _a, a_, A_B, a_b_ }
        struct vec { x: int; X: int; _x: int; x_: int; x__y: int; xY: int; }
        struct Vec { v: vec; c: color; C: Color; }
        struct VEC { vec_: vec; V: Vec; }
        table thing { vec_: vec; Vec_: int; VEC_C: int; vec__: Vec; c: Color = a; _t: Thing; t: Thing; }
        table Thing { id: int (primary); thing_: thing; THING: [thing]; u: [VEC]; a_b: int; a__c: int; }
        root_type Thing;
        """, to: "n.fbs")
      let result = try dflatc("compile", "-o", ".", "n.fbs", in: folder)
      let refused = result.error.split(separator: "\n").filter { $0.hasPrefix("error") }
      #expect(result.status == 1)
      #expect(
        refused == [
          "error[D0302]: `xY` is `xY` in Swift, which is taken",
          "error[D0302]: `Vec_` is `vec_` in Swift, which is taken",
        ])
      let text = try String(contentsOf: folder.appending(path: "n.fbs"), encoding: .utf8)
        .replacingOccurrences(of: " xY: int;", with: "").replacingOccurrences(of: " Vec_: int;", with: "")
      try folder.write(text, to: "n.fbs")
      let second = try dflatc("compile", "-o", ".", "n.fbs", in: folder)
      #expect(second.status == 0, "\(second.error)")
      let checked = try typecheck(folder.names().filter { $0.hasSuffix(".swift") }, in: folder)
      #expect(checked.status == 0, "\(checked.error.prefix(4000))")
    }
  }
}
