import Emitters
import Foundation
import TestSupport
import Testing

/// Whatever name generated code mentions, a schema may have for its own.
@Suite("Hostile names of types and namespaces")
struct HostileTypeNamesTests {
  /// Every word of the golden outputs: taken from there, so that nothing that is generated can be forgotten.
  static let words: [String] = {
    let fixtures = packageFolder.appending(path: "Fixtures")
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

  /// What everybody would try.
  private static let wellKnown = [
    "String", "Array", "Optional", "Data", "Int32", "Bool", "Error", "Sendable", "Equatable", "Offset",
    "FlatBufferStringKeyed", "FlatBufferUnionView", "FlatBufferEditableElement", "Any", "Self", "Type",
  ]

  /// One of so many parts of the words, another one for each number, and those that are well known. All of them take minutes
  /// of the Swift compiler: with `DFLAT_ALL_NAMES` set.
  private static func words(_ number: Int, parts: Int = 6) -> [String] {
    if ProcessInfo.processInfo.environment["DFLAT_ALL_NAMES"] != nil { return words }
    return words.enumerated().filter { $0 % parts == number % parts || wellKnown.contains($1) }.map(\.element)
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

  private func check(_ names: [String], emitters: String = emitters, _ schema: ([String]) -> String) throws {
    try withFolder { folder in
      try folder.write(schema(names), to: "names.fbs")
      let result = try dflatc("compile", "-o", "out", "--emit", emitters, "names.fbs", in: folder)
      #expect(result.status == 0, "\(result.error.prefix(3000))")
      let said = result.error.split(separator: "\n").filter { $0.hasPrefix("error") || $0.hasPrefix("warning") }
      #expect(said.isEmpty, "\(said)")
      let out = folder.appending(path: "out")
      let compiled = try typecheck(out.names(), in: out)
      #expect(compiled.status == 0, "\(compiled.error.prefix(6000))")
      #expect(!compiled.error.contains("warning:"), "\(compiled.error.prefix(4000))")
    }
  }

  private static let emitters = "accessors,data-model,mutating,query"

  @Test("The list of hostile words has more than 300 words, among them those that generated code uses")
  func theWordsAreThere() {
    for word in [
      "String", "Sendable", "FlatBufferTable", "CodingKeys", "QueryExpression", "table", "Element",
      "FlatBufferVectorEditor",
    ] {
      #expect(Self.words.contains(word))
    }
    #expect(Self.words.count > 300)
  }

  /// A property whose body begins with such a word has an accessor for Swift.
  @Test(
    "Sets of flags that have the names of accessors compile, with a namespace and without",
    arguments: ["namespace N;", ""])
  func accessors(namespace: String) throws {
    let names = ["borrow", "get", "modify", "mutate", "read", "set", "unsafeAddress", "unsafeMutableAddress"]
    try check(names) { names in
      namespace + "\n" + names.map { "enum \($0): ubyte (bit_flags) { A }\n" }.joined()
        + "table RootOfAll { zid: string (primary); }\nroot_type RootOfAll;\n"
    }
  }

  @Test(
    "Enums whose members have the names of their accessors compile", arguments: ["namespace N;", ""],
    ["", "(bit_flags)"])
  func members(namespace: String, flags: String) throws {
    try check(["hash", "raw", "rawV", "hashV"]) { names in
      namespace + "\n" + names.map { "enum \($0): ubyte \(flags) { A, x, y }\n" }.joined()
        + "table RootOfAll { zid: string (primary); zh: hash; zr: raw; }\nroot_type RootOfAll;\n"
    }
  }

  @Test("Types of hostile names compile, each as every kind of type", arguments: 0..<4)
  func types(turn: Int) throws {
    let words = Self.words(turn)
    let names = Array(words[turn...] + words[..<turn])
    try check(names) { Self.schema($0) }
  }

  @Test("Types of hostile names compile for the accessors and editors alone", arguments: [0, 2])
  func typesWithEditors(turn: Int) throws {
    let words = Self.words(turn)
    let names = Array(words[turn...] + words[..<turn])
    try check(names, emitters: "accessors,editors") { Self.editedSchema($0) }
  }

  @Test("Types with the names of imported types compile, each as every kind of type", arguments: 0..<4)
  func importedTypes(turn: Int) throws {
    let all = ImportedType.allCases.map(\.rawValue)
    let names = Array(all[turn...] + all[..<turn])
    try check(names, emitters: Self.emitters + ",editors") { Self.schema($0) }
    try check(names, emitters: "accessors,editors") { Self.editedSchema($0) }
  }

  @Test("Types of hostile names compile within a namespace")
  func typesInANamespace() throws {
    try check(Self.words(1)) { Self.schema($0, namespace: "Deep.Inside") }
  }

  /// A smaller part, since the Swift compiler takes longer for a namespace than for a type.
  @Test("Namespaces of hostile names compile")
  func namespaces() throws {
    try check(Self.words(2, parts: 9)) { names in
      let types = names.map { name in
        "namespace \(name); table Leaf { zs: string; zn: int; zl: Leaf; } enum E: int { A, B }\n"
      }
      let fields = names.enumerated().map { "zf\($0): \($1).Leaf; ze\($0): \($1).E; zv\($0): [\($1).Leaf];" }
      return types.joined()
        + "namespace; table RootOfAll { zid: int (primary); \(fields.joined()) }\nroot_type RootOfAll;\n"
    }
  }

  @Test("A namespace that a union's own case would hide, where its members are named, gives way")
  func namespaceCalledLikeACaseOfUnions() throws {
    try withFolder { folder in
      try folder.write(
        """
        namespace unknown.inner;
        table A { x: int; }
        struct B { x: int; }
        namespace;
        union U { unknown.inner.A, Point: unknown.inner.B, Text: string }
        table T { id: int (primary); u: U; us: [U]; }
        root_type T;
        """, to: "n.fbs")
      let emitters = "accessors,data-model,mutating,query,editors"
      let result = try dflatc("compile", "-o", ".", "--emit", emitters, "n.fbs", in: folder)
      #expect(result.status == 0 && result.error.contains("note[D0308]"), "\(result.error)")
      let checked = try typecheck(folder.names().filter { $0.hasSuffix(".swift") }, in: folder)
      #expect(checked.status == 0, "\(checked.error.prefix(4000))")
    }
  }

  @Test("Members that get the names of imported types compile", arguments: ["", "codable"])
  func membersCalledLikeTypes(attribute: String) throws {
    let modules = Set(ImportedType.allCases.map(\.module))
    let words =
      (ImportedType.allCases.map(\.rawValue) + modules + ["Self", "Type", "Protocol", "Any", "Never", "CodingKeys"])
    // `_int32` becomes `Int32`.
    let names = words.map { "_" + $0.prefix(1).lowercased() + $0.dropFirst() }
    let types = ["int", "string", "[int]", "Leaf", "Spot", "Tint", "Item", "bool = null", "[Item]", "[Leaf]", "double"]
    try withFolder { folder in
      let fields = names.enumerated().map { "\($1): \(types[$0 % types.count]);" }.joined(separator: " ")
      try folder.write(
        """
        enum Tint: byte { \(names.joined(separator: ", ")) }
        struct Spot { \(names.map { "\($0): int;" }.joined(separator: " ")) }
        table Leaf { x: int; }
        union Item { \(names.map { "\($0): Leaf" }.joined(separator: ", ")) }
        table Root \(attribute.isEmpty ? "" : "(\(attribute))") { id: int (primary); \(fields) }
        root_type Root;
        """, to: "n.fbs")
      for emitters in ["accessors,data-model,mutating,query,editors", "accessors,editors"] {
        let result = try dflatc("compile", "-o", "out", "--emit", emitters, "n.fbs", in: folder)
        #expect(result.status == 0, "\(result.error)")
        let out = folder.appending(path: "out")
        let checked = try typecheck(out.names(), in: out)
        #expect(checked.status == 0 && !checked.error.contains("warning:"), "\(checked.error.prefix(4000))")
        try FileManager.default.removeItem(at: out)
      }
    }
  }

  @Test("Names that differ only in case or underscores compile side by side")
  func namesThatDifferInCaseOrUnderscoresOnly() throws {
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
      let notes = result.error.split(separator: "\n").filter { $0.hasPrefix("note") }
      #expect(result.status == 0, "\(result.error)")
      #expect(
        notes == ["note[D0308]: the field `_x` is called `X_` in Swift"])
      let checked = try typecheck(folder.names().filter { $0.hasSuffix(".swift") }, in: folder)
      #expect(checked.status == 0, "\(checked.error.prefix(4000))")
    }
  }
}
