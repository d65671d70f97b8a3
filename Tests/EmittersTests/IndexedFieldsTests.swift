import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import Testing

@Suite("Indexed fields")
struct IndexedFieldsTests {
  /// The indexes in the description of the root, which is the last type.
  private func indexes(_ text: String) throws -> [String] {
    let output = try emit("data-model", text)
    // One stands beside the label of the list, several on lines of their own.
    let lines = output.split(separator: "\n").map { $0.drop { $0 == " " }.replacing("indexes: [", with: "") }
    return lines.filter { $0.hasPrefix("RecordIndex(") }.map { String($0[...($0.lastIndex(of: ")") ?? $0.startIndex)]) }
  }

  @Test("The indexed fields of a root include those in its tables, structs and unions, by every path")
  func found() throws {
    let text = """
      struct Point { x: int (indexed); y: int; }
      struct Line { from: Point; to: Point; }
      table Leaf { name: string (unique); hidden: int (deprecated); }
      table Branch { a: Leaf; b: Leaf; old: Leaf (deprecated); many: [Leaf]; }
      union Any_ { Leaf, Line }
      table Root { k: int (primary); n: int (indexed); one: Branch; line: Line; u: Any_ (indexed); }
      root_type Root;
      """
    #expect(
      try indexes(text) == [
        "RecordIndex(RecordField(.root, .int32, at: 6, default: .integer(0)), name: \"n\")",
        "RecordIndex(RecordField(FieldPath.root.table(at: 8).table(at: 4), .string, at: 4), unique: true, name: \"one.a.name\")",
        "RecordIndex(RecordField(FieldPath.root.table(at: 8).table(at: 6), .string, at: 4), unique: true, name: \"one.b.name\")",
        "RecordIndex(RecordField(FieldPath.root.structure(at: 10).structure(at: 0), .int32, at: 0), name: \"line.from.x\")",
        "RecordIndex(RecordField(FieldPath.root.structure(at: 10).structure(at: 8), .int32, at: 0), name: \"line.to.x\")",
        "RecordIndex(RecordField(.root, .unionType, at: 14), name: \"u\")",
        "RecordIndex(RecordField(FieldPath.root.unionTable(at: 14, code: 1), .string, at: 4), unique: true, name: \"u.name\")",
        "RecordIndex(RecordField(FieldPath.root.unionStructure(at: 14, code: 2).structure(at: 0), .int32, at: 0), name: \"u.from.x\")",
        "RecordIndex(RecordField(FieldPath.root.unionStructure(at: 14, code: 2).structure(at: 8), .int32, at: 0), name: \"u.to.x\")",
      ])
  }

  @Test("Indexes of folded texts and of elements say so, and the unique one of a field comes once")
  func kinds() throws {
    let text = """
      enum Level: byte { low }
      table Leaf { words: [string] (indexed: "folded"); }
      union Any_ { Leaf }
      table Root { k: string (primary, indexed: "folded"); a: string = "x" (indexed, unique: "folded");
        b: string (offset64, unique: "folded"); tags: [string] (indexed); levels: [Level] (indexed);
        days: [long] (date: "ms", indexed); wide: [short] (vector64, indexed); far: [float] (offset64, indexed); leaf: Leaf;
        u: Any_; }
      root_type Root;
      """
    #expect(
      try indexes(text) == [
        "RecordIndex(RecordField(.root, .string, at: 4), folded: true, name: \"k\")",
        "RecordIndex(RecordField(.root, .string, at: 6, default: .text(\"x\")), name: \"a\")",
        "RecordIndex(RecordField(.root, .string, at: 6, default: .text(\"x\")), folded: true, unique: true, name: \"a\")",
        "RecordIndex(RecordField(.root, .stringOffset64, at: 8), folded: true, unique: true, name: \"b\")",
        "RecordIndex(elementsOf: RecordVector(.root, .value(.string), at: 10), name: \"tags\")",
        "RecordIndex(elementsOf: RecordVector(.root, .value(.int8), at: 12), name: \"levels\")",
        "RecordIndex(elementsOf: RecordVector(.root, .value(.int64), at: 14), name: \"days\")",
        "RecordIndex(elementsOf: RecordVector(.root, .value(.int16), at: 16, .vector64), name: \"wide\")",
        "RecordIndex(elementsOf: RecordVector(.root, .value(.float), at: 18, .offset64), name: \"far\")",
        "RecordIndex(elementsOf: RecordVector(FieldPath.root.table(at: 20), .value(.string), at: 4), folded: true, name: \"leaf.words\")",
        "RecordIndex(elementsOf: RecordVector(FieldPath.root.unionTable(at: 24, code: 1), .value(.string), at: 4), folded: true, name: \"u.words\")",
      ])
  }

  @Test("A field that is unique without differences of case is a key of change requests")
  func foldedKeys() throws {
    func keys(_ attributes: String) throws -> Bool {
      let text = "table Root { k: int (primary); title: string (\(attributes)); } root_type Root;"
      let output = try emit("mutating", text)
      #expect(output.contains("func _hasSameKeys"))
      return output.contains("_isIdentical(lhs.title, rhs.title)")
    }
    #expect(try keys("unique: \"folded\""))
    #expect(try keys("indexed, unique: \"folded\""))
    #expect(try keys("unique, indexed: \"folded\""))
    #expect(try !keys("indexed: \"folded\""))
  }

  /// 2,000 tables that each refer to the next one twice: more ways than there are atoms.
  private static func doubled(_ last: String, root: String = "") -> String {
    (0..<2_000).map { "table T\($0) { a: T\($0 + 1); b: T\($0 + 1); }\n" }.joined()
      + "table T2000 { \(last) }\ntable Root { k: int (primary); t: T0; n: int (indexed); \(root)}\nroot_type Root;\n"
  }

  @Test("Ways that lead to no index are not walked, however many there are")
  func waysWithoutIndexes() throws {
    let own = "RecordIndex(RecordField(.root, .int32, at: 8, default: .integer(0)), name: \"n\")"
    #expect(try indexes(Self.doubled("x: int;")) == [own])
    // Neither are those beside the one that does.
    #expect(
      try indexes(Self.doubled("x: int;", root: "leaf: Leaf; ") + "table Leaf { i: int (indexed); }") == [
        own,
        "RecordIndex(RecordField(FieldPath.root.table(at: 10), .int32, at: 4, default: .integer(0)), name: \"leaf.i\")",
      ])
    // All emitters are as quick.
    let checked = CheckedSchema(schema: schema(Self.doubled("x: int;")), emitters: EmitterRegistry.defaults)
    #expect(checked.diagnostics.isEmpty)
    #expect(try checked.generator?.files().count == 4)
  }

  @Test("A field with countless paths to an index is refused before they are walked")
  func waysToAnIndex() {
    let found = StoreValidator.validate(schema: schema(Self.doubled("x: int (indexed);")), files: [FileID(0)])
    #expect(found.map(\.code.id) == ["D0222"])
  }
}
