import FBSParser
import SchemaEvolution
import TestSupport
import Testing

@Suite("Fields that an older version drops are reported")
struct AdditionTests {
  private let old = """
    enum Color: byte { red, green }
    table Note { text: string; }
    union Content { Note }
    table Post { id: string (primary); color: Color; colors: [Color]; content: Content; contents: [Content]; note: Note; }
    root_type Post;
    """

  /// What is said of each field.
  private func labels(_ findings: [Finding]) -> [String] { findings.flatMap(\.labels).map(\.text) }

  private func rulesOfAdditions(_ old: String, _ new: String) throws -> [String] {
    let ids = ["field-added", "enum-value-added", "union-member-added"]
    return try rules(old, new).filter { ids.contains($0) }
  }

  @Test("New fields are one note for each table, which names them all")
  func fields() throws {
    let new = old.replacing("note: Note;", with: "note: Note; slug: string; likes: int; more: Content;")
      .replacing("text: string;", with: "text: string; stars: int;")
    let found = try findings(old, new)
    #expect(found.map(\.rule.id) == ["field-added", "field-added"])
    #expect(found.map(\.message) == ["`stars` is new in `Note`", "`slug`, `likes` and `more` are new in `Post`"])
    #expect(found.allSatisfy { $0.severity == .note && $0.evidence == .data && $0.rule.level == .storage })
    #expect(labels(found) == ["new, too", "new, too"])
    #expect(found.allSatisfy { !$0.harm.isEmpty && $0.fix == nil })
  }

  @Test("A new value of an enum names the fields that hold the enum, and what becomes of it in each")
  func values() throws {
    #expect(try findings(old, old.replacing("green }", with: "green, lime = 1 }")).isEmpty)
    let aliased = try findings(old, old.replacing("green }", with: "green, blue, navy = 2 }"))
    #expect(aliased.map(\.message) == ["`blue` is new in enum `Color`"])
    let found = try findings(old, old.replacing("green }", with: "green, blue, black }"))
    #expect(found.map(\.rule.id) == ["enum-value-added"])
    #expect(found[0].message == "`blue` and `black` are new in enum `Color`" && found[0].severity == .note)
    #expect(
      labels(found) == [
        "new, too", "`Post.color`: an older version stores `red` instead",
        "`Post.colors`: an older version stores `red` instead",
      ])
  }

  @Test("A new member of a union names the fields that hold the union, and what becomes of it in each")
  func members() throws {
    let found = try findings(old, old.replacing("{ Note }", with: "{ Note, Text: string }"))
    #expect(found.map(\.rule.id) == ["union-member-added"])
    #expect(found[0].message == "`Text` is new in union `Content`" && found[0].severity == .note)
    #expect(
      labels(found) == [
        "`Post.content`: an older version stores nothing instead",
        "`Post.contents`: an older version leaves such elements out",
      ])
  }

  @Test("A field that is new itself, or deprecated in either version, is not named again")
  func otherFields() throws {
    let new = old.replacing("green }", with: "green, blue }").replacing("note: Note;", with: "note: Note; last: Color;")
    #expect(!(try labels(findings(old, new)).contains { $0.contains("last") }))
    let deprecated = "color: Color (deprecated);"
    let gone = new.replacing("color: Color;", with: deprecated)
    for before in [old, old.replacing("color: Color;", with: deprecated)] {
      let found = try findings(before, gone).filter { $0.rule.id == "enum-value-added" }
      #expect(labels(found) == ["`Post.colors`: an older version stores `red` instead"])
    }
    let back = try findings(old.replacing("color: Color;", with: deprecated), new)
    #expect(!labels(back).contains { $0.contains("Post.color`") })
    #expect(try rulesOfAdditions(old, old.replacing("note: Note;", with: "note: Note; x: int (deprecated);")) == [])
  }

  @Test("Bits that are new in a set are kept")
  func flags() throws {
    let flags = old.replacing("byte {", with: "ubyte (bit_flags) {")
    #expect(try rules(flags, flags.replacing("green }", with: "green, blue }")) == [])
  }

  @Test("Only what both versions store under one name and in one place is dropped")
  func reach() throws {
    let added = old.replacing("green }", with: "green, blue }").replacing("{ Note }", with: "{ Note, Text: string }")
      .replacing("text: string;", with: "text: string; stars: int;")
    #expect(try rulesOfAdditions(old, added) == ["enum-value-added", "field-added", "union-member-added"])
    func both(_ edit: (String) -> String) throws -> [String] { try rulesOfAdditions(edit(old), edit(added)) }
    // No store holds it.
    #expect(try both { $0.replacing(" (primary)", with: "") } == [])
    #expect(try both { $0.replacing("root_type Post;", with: "") } == [])
    // The older version has a table of its own.
    let versioned = old.replacing("table Post", with: "table Post (v: \"1\")")
    let renewed = added.replacing("table Post", with: "table Post (v: \"2\")").replacing("id: string", with: "id: int")
    #expect(try rulesOfAdditions(versioned, renewed) == [])
    #expect(try rulesOfAdditions(old, added.replacing("Post", with: "Article")) == [])
    // No root leads to it, or the bytes are kept as they are.
    let more = "table Other { x: int; } enum Unused: byte { a }\n"
    let changed = more.replacing("x: int;", with: "x: int; y: int;").replacing("{ a }", with: "{ a, b }")
    #expect(try rulesOfAdditions(more + old, changed + old) == [])
    func nested(_ text: String) -> String {
      text.replacing("note: Note;", with: "note: Note; d: [ubyte] (nested_flatbuffer: \"Other\");")
    }
    #expect(try rulesOfAdditions(more + nested(old), changed + nested(old)) == [])
    #expect(
      try rulesOfAdditions(
        more + old.replacing("note: Note;", with: "note: Note; o: Other;"),
        changed + old.replacing("note: Note;", with: "note: Note; o: Other;")) == ["field-added"])
  }

  @Test("A field that moved, or is required, has its own finding alone")
  func moved() throws {
    let table = "table Post { id: string (primary); a: int; b: int; } root_type Post;"
    #expect(try rules(table, table.replacing("a: int; b", with: "x: int; a: int; b")) == ["field-inserted"])
    #expect(try rules(table, table.replacing("b: int;", with: "b: int; c: string (required);")) == ["field-required"])
    #expect(!(try rules(old, old.replacing("red, green", with: "blue, red, green")).contains("enum-value-added")))
    let unions = old.replacing("{ Note }", with: "{ Text: string, Note }")
    #expect(!(try rules(old, unions).contains("union-member-added")))
  }

  @Test("A struct's enum, types behind a union and in vectors, and types that are read as others are followed")
  func ways() throws {
    let old = """
      enum A: byte { a } enum B: byte { a } enum C: byte { a }
      struct S { x: A; xs: [A:2]; } table T { b: B; } union U { S, T }
      table Post { id: string (primary); us: [U]; c: A; } root_type Post;
      """
    let new = old.replacing("{ a }", with: "{ a, z }").replacing("c: A;", with: "c: C;")
    let found = try findings(old, new).filter { $0.rule.id == "enum-value-added" }
    #expect(found.map(\.message) == ["A", "B", "C"].map { "`z` is new in enum `\($0)`" })
    #expect(
      labels(found) == [
        "`S.x`: an older version stores `a` instead", "`S.xs`: an older version stores `a` instead",
        "`T.b`: an older version stores `a` instead", "`Post.c`: an older version stores `a` instead",
      ])
  }

  @Test("Ids in another order than the text lead to the same fields")
  func ids() throws {
    let old = "enum E: byte { a } table Post { id: string (primary, id: 1); e: E (id: 0); } root_type Post;"
    let new = """
      enum E: byte { a, b } table Post { e: E (id: 0); n: int (id: 2); id: string (primary, id: 1); } root_type Post;
      """
    let found = try findings(old, new)
    #expect(found.map(\.rule.id) == ["enum-value-added", "field-added"])
    #expect(labels(found) == ["`Post.e`: an older version stores `a` instead"])
  }

  @Test("Rings of tables of other lengths under a root come to an end, and time grows with the fields")
  func size() throws {
    func ring(_ count: Int, _ prefix: String) -> String {
      (0..<count).map { "table \(prefix)\($0) { next: \(prefix)\(($0 + 1) % count); x: int; }\n" }.joined()
        + "table Root { id: string (primary); r: \(prefix)0; } root_type Root;\n"
    }
    func wide(_ values: String) -> String {
      "enum E: byte { \(values) }\n"
        + "table Post { id: string (primary); \((0..<5_000).map { "f\($0): E; " }.joined())} root_type Post;"
    }
    let time = try processorTime {
      _ = try findings(ring(997, "A"), ring(1009, "B"))
      #expect(try labels(findings(wide("a"), wide("a, b"))).count == 5_000)
    }
    #expect(time < .seconds(10))
  }
}
