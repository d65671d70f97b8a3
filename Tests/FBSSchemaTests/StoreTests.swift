import FBSDiagnostics
import FBSParser
import FBSSchema
import Testing

@Suite("A schema that a store cannot hold is refused")
struct StoreTests {
  private func validate(_ text: String) -> [Diagnostic] {
    let compilation = compile(text)
    #expect(compilation.errors.isEmpty, "\(compilation.errors.map(\.message))")
    return StoreValidator.validate(schema: compilation.schema, files: [FileID(0)])
  }

  @Test("Tables on disk are named for namespace, name and version")
  func tableNames() {
    func name(_ text: String) -> String { StoreNames.tableName(for: compile(text).schema.tables[0]) }
    #expect(name("namespace A.B; table Name (v: \"1.1\") {}") == "a__b__name_v1_1")
    #expect(name("table Post {}") == "post")
    #expect(name("table DictItem (v: \"_dflat_internal__\") {}") == "dictitem_v_dflat_internal__")
  }

  @Test("A good schema gives no error")
  func good() {
    let text = """
      struct Point { x: int (indexed); y: int; }
      table Text { text: string (unique); }
      union Content { Text, Point }
      enum Color: byte { Red }
      table Post (v: "1.0_a", codable) {
        id: long (primary); color: Color (primary); b: bool (primary); title: string (primary);
        f: float (indexed); place: Point; text: Text; content: Content (indexed); others: [Post];
      }
      root_type Post;
      """
    #expect(validate(text) == [])
  }

  @Test("A schema without a root type has no root table to check")
  func noRoot() {
    #expect(validate("table A { a: int; } struct S { a: int; }") == [])
  }

  @Test(
    "An index cannot lie on a circle, nor behind one",
    arguments: [
      "table R { k: int (primary); i: int (indexed); self: R; } root_type R;",
      "table R { k: int (primary); n: N; } table N { n: N; leaf: L; } table L { i: int (unique); } root_type R;",
      "union U { N } table R { k: int (primary); n: N; } table N { u: U; i: int (indexed); } root_type R;",
      "struct S { i: int (indexed); } table R { k: int (primary); n: N; } table N { n: N; s: S; } root_type R;",
    ])
  func recursion(_ text: String) {
    #expect(validate(text).map(\.code) == [.recursiveIndex])
  }

  @Test(
    "Circles without an index, through vectors or deprecated fields, are fine",
    arguments: [
      "table R { k: int (primary); self: R; } root_type R;",
      "table R { k: int (primary); i: int (indexed); all: [R]; } root_type R;",
      "table R { k: int (primary); i: int (indexed); self: R (deprecated); } root_type R;",
      "table R { k: int (primary); a: L; b: L; } table L { i: int (indexed); } root_type R;",
    ])
  func noRecursion(_ text: String) {
    #expect(validate(text) == [])
  }

  @Test("A field indexed as such, and by being the primary key, is a warning")
  func primaryAndIndexed() {
    let warnings = validate("table R { k: int (primary, indexed); } root_type R;")
    #expect(warnings.map(\.severity) == [.warning])
    // One of two primary fields alone may still be unique.
    #expect(validate("table R { k: int (primary, unique); l: int (primary); } root_type R;") == [])
  }

  /// All that one run shows.
  private func diagnose(_ text: String) -> [Diagnostic] {
    let compilation = compile(text)
    let rules = StoreValidator.validate(
      schema: compilation.schema, files: [FileID(0)], knowing: compilation.diagnostics)
    return (compilation.diagnostics + rules).inSourceOrder()
  }

  @Test("One run reports an error of a type in one table, and an error for a store in another")
  func withOtherErrors() {
    let codes = diagnose(
      """
      table A { a: Missing; }
      table B { b: [A] (indexed); c: int (primary, unique, deprecated); }
      table C { c: C; i: int (indexed); }
      table R { k: int; a: A; b: B; c: C; }
      root_type R;
      """
    ).map(\.code)
    #expect(
      codes == [
        .unknownType, .cannotIndex, .contradictoryAttributes, .contradictoryAttributes, .recursiveIndex,
        .missingPrimaryKey,
      ])
  }

  @Test(
    "No rule of a store speaks up because something else is broken",
    arguments: [
      // The primary key, the root, the way to an index or the version may be what the error hides.
      "table R { k: Missing (primary); } root_type R;",
      "table R { k: int (primry); } root_type R;",
      "table R { k: int (primary; } root_type R;",
      "table R { k int (primary); } root_type R;",
      "table R { a: string = \"; k: int (primary); } root_type R;",
      "table R (v: \"1\") { k: int (primary); } root_type Q;",
      "table R (v: \"1\") { k: int (primary); i: int (indexed); } root_type",
      "table R { k: int (primary); n: Missing; } table N { i: int (indexed); } root_type R;",
      "table R { k: int (primary); u: U; } union U { N, Missing } table N { n: M; } struct M { i: Z; } root_type R;",
      "struct S { i: int (indexed); s: S; } table R { k: int (primary); s: S; } root_type R;",
      "table R { k: int (primary)",
      "table R { k: [[int]] (primary, indexed); } root_type R;",
      "table R { k: int; } root_type R; root_type Missing;",
    ])
  func noFollowUps(_ text: String) {
    let diagnostics = diagnose(text)
    #expect(!diagnostics.isEmpty)
    #expect(!diagnostics.contains { $0.code.id >= "D0251" }, "\(diagnostics.map(\.message))")
  }

  @Test("Two root tables of a run share no SQLite table, capitals or not")
  func tableNameClash() {
    let files = [
      "a.fbs": "namespace A; table B { k: int (primary); } root_type B;",
      "b.fbs": "namespace a; table b { k: int (primary); } root_type b;",
      "c.fbs": "table A__B { k: int (primary); } root_type A__B;",
      "d.fbs": "namespace A; table b (v: \"2\") { k: int (primary); } root_type b;",
    ]
    let compilation = compile(files, inputs: ["a.fbs", "b.fbs", "c.fbs", "d.fbs"])
    #expect(compilation.isValid)
    let diagnostics = StoreValidator.validate(schema: compilation.schema, files: compilation.schema.files.map(\.id))
    #expect(diagnostics.map(\.code) == [.duplicateTableName, .duplicateTableName])
  }

  @Test("Only the files asked for are checked")
  func chosenFiles() {
    let files = [
      "a.fbs": "include \"b.fbs\"; table A { k: int (primary); } root_type A;", "b.fbs": "table B {} root_type B;",
    ]
    let compilation = compile(files, inputs: ["a.fbs"])
    #expect(StoreValidator.validate(schema: compilation.schema, files: [FileID(0)]) == [])
    #expect(StoreValidator.validate(schema: compilation.schema, files: [FileID(1)]).map(\.code) == [.missingPrimaryKey])
  }

  @Test("A field to which countless paths lead cannot be indexed")
  func countlessWays() {
    func schema(_ depth: Int) -> String {
      "table R { k: int (primary); n: N0; } root_type R;"
        + (0..<depth).map { "table N\($0) { a: N\($0 + 1); b: N\($0 + 1); }" }.joined()
        + "table N\(depth) { i: int (indexed); }"
    }
    #expect(validate(schema(9)) == [])
    #expect(validate(schema(10)).map(\.code) == [.tooLarge])
    #expect(validate(schema(200)).map(\.code) == [.tooLarge])
  }

  @Test("A field deeper than a verifier reads cannot be indexed")
  func deepIndexes() {
    func schema(_ depth: Int) -> String {
      "table R { k: int (primary); n: N1; } root_type R;"
        + (1..<depth).map { "table N\($0) { a: N\($0 + 1); }" }.joined()
        + "table N\(depth) { i: int (indexed); }"
    }
    #expect(validate(schema(64)) == [])
    #expect(validate(schema(65)).map(\.code) == [.tooLarge])
    #expect(validate(schema(5_000)).map(\.code) == [.tooLarge])
  }

  @Test("A root cannot have countless indexes, though few ways lead to each field")
  func countlessIndexes() {
    func schema(_ fields: Int) -> String {
      "table R { k: int (primary); " + (0..<1_000).map { "f\($0): N; " }.joined() + "} root_type R; table N { "
        + (0..<fields).map { "i\($0): int (indexed); " }.joined() + "}"
    }
    #expect(validate(schema(100)) == [])
    #expect(validate(schema(101)).map(\.message) == ["`R` would have more than 100000 indexes"])
  }
}
