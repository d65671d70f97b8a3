import FBSDiagnostics
import SchemaLinting
import Testing

@Suite("Rules of uses")
struct UseRuleTests {
  private let color = "enum Color: byte { Red }\n"

  @Test("An include is used by a field, a default, a struct, a union, a service, a root, an attribute, a nested table")
  func uses() {
    let includes = "include \"b.fbs\";\n"
    for (text, other) in [
      ("table T { c: Color; }\n", color), ("table T { c: [Color]; }\n", color),
      ("struct S { c: Color; }\n", color), ("struct S { c: [Color: 2]; }\n", color),
      ("table T { c: Color (deprecated); }\n", color), ("union U { B }\n", "table B {}\n"),
      ("table T {}\nrpc_service P { Get(B): T; }\n", "table B {}\n"), ("root_type B;\n", "table B {}\n"),
      ("table T { a: int (mark); }\n", "attribute \"mark\";\n"),
      ("table T { b: [ubyte] (nested_flatbuffer: \"B\"); }\n", "table B {}\n"),
      ("table T { b: [ubyte] (nested_flatbuffer: \"S\"); }\n", "struct S { x: int; }\n"),
      ("table T { c: int = \"Color.Red\"; }\n", color),
      ("enum Kind: int { One }\ntable T { c: ulong = 'Kind.One Color.Red'; }\n", color),
    ] {
      #expect(findings(["a.fbs": includes + text, "b.fbs": other]) == [], "\(text)")
    }
    for text in ["table T {}\n", "table T { c: string = \"Color.Red\"; }\n"] {
      #expect(findings(["a.fbs": includes + text, "b.fbs": color]) == ["unused-include a.fbs:1:9"])
    }
  }

  @Test("An include counts as used if a file that it includes is used")
  func transitiveUse() {
    let files = [
      "a.fbs": "include \"b.fbs\";\ntable T { c: Color; }\n", "b.fbs": "include \"c.fbs\";\n", "c.fbs": color,
    ]
    #expect(findings(files) == [])
  }

  @Test("An include is of use to those that include the file, if they are linted with it")
  func includers() {
    let files = [
      "a.fbs": "include \"b.fbs\";\ntable T { c: Color; d: D; }\n", "b.fbs": "include \"c.fbs\";\ntable D {}\n",
      "c.fbs": color,
    ]
    #expect(findings(files) == [])
    #expect(findings(files, inputs: ["b.fbs"]) == ["unused-include b.fbs:1:9"])
  }

  @Test("A file that only gives others one name is left alone")
  func collections() {
    #expect(
      findings(["a.fbs": "include \"b.fbs\";\ninclude \"c.fbs\";\n", "b.fbs": color, "c.fbs": "table T {}\n"]) == [])
  }

  @Test("A cycle of includes is no use by itself, and is no endless loop")
  func cycles() {
    let files = ["a.fbs": "include \"b.fbs\";\ntable A {}\n", "b.fbs": "include \"a.fbs\";\ntable B {}\n"]
    #expect(findings(files) == ["unused-include a.fbs:1:9", "unused-include b.fbs:1:9"])
    let used = ["a.fbs": "include \"b.fbs\";\ntable A { b: B; }\n", "b.fbs": "include \"a.fbs\";\ntable B { a: A; }\n"]
    #expect(findings(used) == [])
  }

  @Test("A file is included once, by whatever path, and does not include itself")
  func duplicates() {
    let text = "include \"b.fbs\";\ninclude \"./b.fbs\";\ninclude \"a.fbs\";\ntable T { c: Color; }\n"
    #expect(
      findings(["a.fbs": text, "b.fbs": color]) == ["duplicate-include a.fbs:2:9", "duplicate-include a.fbs:3:9"])
  }

  @Test("A type is used if a root, a service or a nested FlatBuffer leads to it")
  func unusedTypes() throws {
    let text = """
      table A { b: B; n: [ubyte] (nested_flatbuffer: "N"); e: int = "E.One"; }
      enum E: int { One }
      table B { c: [C]; d: Color (deprecated); }
      union C { D, E: S }
      table D {}
      struct S { x: int; }
      enum Color: byte { Red }
      table N {}
      table Request {}
      rpc_service P { Get(Request): D; }
      root_type A;

      """
    #expect(findings(text, on: [try rule("unused-type")]) == [])
    #expect(
      findings(text + "table X { y: Y; }\ntable Y {}\n", on: [try rule("unused-type")]) == [
        "unused-type 12:7", "unused-type 13:7",
      ])
    #expect(findings("table X {}\n", on: [try rule("unused-type")]) == [], "nobody says what the roots are")
  }
}
