import Emitters
import TestSupport
import Testing

/// Which names of members, types and namespaces give way to others, and which only look as if they had to.
@Suite("Names that are others in Swift")
struct ReservedNamesTests {
  @Test(
    "A member gives way to one that is generated",
    arguments: [
      "_table", "_rowid", "_commitVersion", "_record", "_change", "_differs", "_fieldValues", "_path",
      "_primaryKey", "_primaryKeyUnits", "_state", "_taken", "_values", "self", "_", "_Values", "Int32",
      "QueryExpression", "RecordField", "CodingKeys", "Dflat",
    ].map { ("table T { \(schemaName($0)): int; }", "field", schemaName($0), $0) }
      + ["_structure", "_value", "_path", "byteSize", "Swift", "String"].map {
        ("struct T { \(schemaName($0)): int; }", "field", schemaName($0), $0)
      }
      + [("struct T { byte_alignment: int; }", "field", "byte_alignment", "byteAlignment")]
      + ["rawValue", "allCases", "self"].map { ("enum T: int { \($0) }", "value", $0, $0) }
      + [("enum T: int { Self }", "value", "Self", "self")]
      + ["unknown", "_typeCode"].map {
        ("table A { x: int; } union T { \(schemaName($0)): A }", "member", schemaName($0), $0)
      }
      + [("table A { x: int; } union T { Unknown: A }", "member", "Unknown", "unknown")])
  func members(text: String, kind: String, name: String, swiftName: String) {
    #expect(renamed(text) == ["the \(kind) `\(name)` is called `\(swiftName)_`"])
  }

  @Test("A field gives way to the version of its root table, where there is one")
  func schemaVersion() {
    func table(_ attributes: String) -> String {
      "table T \(attributes) { id: int (primary); flat_buffers_schema_version: int; } root_type T;"
    }
    let note = "the field `flat_buffers_schema_version` is called `flatBuffersSchemaVersion_`"
    #expect(renamed(table("(v: \"2\")")) == [note])
    #expect(renamed(table("(v: \"2\")"), emitters: "accessors") == [])
    #expect(renamed(table("")) == [])
  }

  @Test("The storage of a table's field gives way to no reserved member, and that of a struct's field does")
  func storage() {
    let fields = "path: string (url); record: long (date: \"ms\"); values: [long] (date: \"ms\");"
    #expect(renamed("table T { \(fields) }") == [])
    #expect(renamed("table T { id: int (primary); \(fields) } root_type T;") == [])
    #expect(renamed("table T { path: T; change: T; }") == [])
    #expect(renamed("table T { x: string (url, swift_name: \"record\"); }") == [])
    #expect(renamed("table T { path: string (url); __path: int; }") == ["the field `__path` is called `_path_`"])
    #expect(renamed("struct S { value: long (date: \"ms\"); }") == ["the field `value` is called `value_`"])
  }

  @Test("A member that only looks like a reserved name keeps its name")
  func aMemberThatOnlyLooksLikeOneKeepsItsName() {
    #expect(renamed("enum T: int { raw } table U { rawValue: int; unknown: int; init: int; Type: int; }") == [])
  }

  /// A name in a schema that becomes `name` in Swift. An underscore in front is left out, but the second of two is not.
  private static func schemaName(_ name: String) -> String {
    guard let first = name.first, name != "_" else { return name }
    return first == "_" || first.isUppercase ? "_" + name.prefix(1).lowercased() + name.dropFirst() : name
  }

  @Test(
    "A field hides types only of the code that is written",
    arguments: [("_queryExpression", []), ("_int32", ["the field `_int32` is called `Int32_`"])])
  func accessorsAlone(name: String, expected: [String]) {
    #expect(renamed("table T { \(name): int; }", emitters: "accessors") == expected)
  }

  @Test(
    "A field named __editor is renamed only if the editors are emitted",
    arguments: ["table T { __editor: int; }", "struct T { __editor: int; }"])
  func editors(text: String) {
    #expect(renamed(text) == [])
    #expect(renamed(text, emitters: "accessors") == [])
    #expect(renamed(text, emitters: "accessors", "editors") == ["the field `__editor` is called `_editor_`"])
  }

  @Test("If two members get one name, the member that is spelled so in the schema has it")
  func collisions() {
    for text in ["table T { hp_old: int; hpOld: int; }", "struct T { hpOld: int; hp_old: int; }"] {
      #expect(renamed(text) == ["the field `hp_old` is called `hpOld_`"])
    }
    #expect(renamed("enum E: int { Red, red }") == ["the value `Red` is called `red_`"])
    #expect(
      renamed("table T { a_b: int; aB: int; aB_: int; a_B: int; }")
        == ["the field `a_b` is called `aB_2`", "the field `a_B` is called `aB_3`"])
    #expect(
      renamed("enum E: int { Dark_Blue, darkBlue, dark_blue }")
        == ["the value `Dark_Blue` is called `darkBlue_`", "the value `dark_blue` is called `darkBlue_2`"])
  }

  @Test("The type of a union takes a name beside its value, and no other field's type does")
  func unionTypes() {
    // Names are given one by one where two fields become one.
    let fields = "hp_old: int; hpOld: int; color: int; color_type: int;"
    for kind in ["table", "struct"] {
      #expect(renamed("\(kind) T { \(fields) }") == ["the field `hp_old` is called `hpOld_`"])
    }
    let text = "table A { x: int; } union U { A } table T { a: U (swift_name: \"b\"); bType: int; }"
    #expect(renamed(text) == ["the field `bType` is called `bType_`"])
  }

  @Test(
    "A type or namespace gives way where the generated code means something else by its name",
    arguments: [
      ("table verifier { x: int; }", "type", "verifier"), ("table CodingKeys { x: int; }", "type", "CodingKeys"),
      ("table Fields { x: int; }", "type", "Fields"), ("table table { x: int; }", "type", "table"),
      ("table _ { x: int; }", "type", "_"), ("enum IntegerLiteralType: int { a }", "type", "IntegerLiteralType"),
      // Where `String` is the schema's own, Swift's is called by its module.
      ("table String { x: int; } table Swift { x: int; }", "type", "Swift"),
      ("namespace verifier; table T { x: int; }", "namespace", "verifier"),
      // In an expression, `A.Type` is the type of `A` itself.
      ("namespace A; table Type { x: int; }", "type", "Type"),
      ("namespace A; table Protocol { x: int; }", "type", "Protocol"),
      ("namespace A.Type; table T { x: int; }", "namespace", "Type"),
    ])
  func types(text: String, kind: String, name: String) {
    #expect(renamed(text) == ["the \(kind) `\(name)` is called `\(name)_`"])
  }

  @Test(
    "Names that mean nothing else in generated code are written in backticks, or are kept",
    arguments: [
      "table Self { x: int; }", "table Any { x: int; }", "table Type { x: int; } table Protocol { x: int; }",
      "namespace Self; table T { x: int; }", "namespace A.Self; table T { x: int; }",
      "namespace A; table Self { x: int; } table Any { x: int; } table Fields { x: int; } table Union { x: int; }",
      "namespace N; table verifier { x: int; }", "namespace N.verifier; table T { x: int; }",
      "table Swift { x: int; }", "namespace A; table B { x: int; } namespace B; table A { x: int; }",
      "namespace A.B; table C { x: int; } namespace A; table D { c: A.B.C; }",
    ])
  func free(text: String) {
    #expect(renamed(text) == [])
  }

  @Test(
    "The accessors judge only the names that they write",
    arguments: [
      "table Fields { x: int; } table CodingKeys { x: int; } table _ { x: int; } table verifier { x: int; }",
      "namespace A; table A { a: A; } table Type { a: Type; }", "table A { x: int; } table AReader { x: int; }",
      "table Shop { x: int; } namespace Shop; table T { x: int; }",
      "table Atom { _rowid: int; _record: int; } enum E: int { allCases }",
      "enum color: int { a } table T { color: color; }",
      "table A { x: int (primary); } table ABuilder { x: int; } table AChangeRequest { x: int; } root_type A;",
    ])
  func accessorsAlone(text: String) {
    #expect(renamed(text, emitters: "accessors") == [])
    #expect(renamed(text, emitters: "accessors", "editors") == [])
    #expect(!renamed(text).isEmpty)
  }

  @Test("The Swift name of a namespace is noted once")
  func once() {
    #expect(renamed("namespace _; table T { x: int; } table V { x: int; }") == ["the namespace `_` is called `__`"])
  }

  @Test("The Swift name of a namespace is noted where it is opened")
  func placeOfNamespace() throws {
    let schema = schema("namespace A.A; table T { x: int; }")
    let note = try #require(CheckedSchema(schema: schema, emitters: EmitterRegistry.defaults).diagnostics.first)
    #expect(note.message == "the namespace `A` is called `A_` in Swift")
    #expect(note.range.start == 12 && note.range.end == 13)
  }

  @Test("A name in a namespace gives way to the name of the namespace, whatever else is defined")
  func repeatedNames() {
    #expect(renamed("namespace A; table A { x: int; }") == ["the type `A` is called `A_`"])
    #expect(renamed("namespace A.A; table T { x: int; }") == ["the namespace `A` is called `A_`"])
    #expect(renamed("namespace A.B; table A { x: int; } table B { x: int; }") == ["the type `A` is called `A_`"])
  }

  @Test("A name gives way to a type or namespace that code beside it names", arguments: [true, false])
  func hiding(isUsed: Bool) {
    let use = isUsed ? "a.X" : "int"
    let text = "namespace a; table X { x: int; } namespace b.a; table Y { x: int; } namespace b; table Z { x: \(use); }"
    #expect(renamed(text) == (isUsed ? ["the namespace `a` is called `a_`"] : []))
    // What is generated beside a type hides as well.
    let beside = "table PReader { x: int; } namespace N; table P { f: \(isUsed ? "PReader" : "int"); }"
    #expect(renamed(beside) == (isUsed ? ["the type `P` is called `P_`"] : []))
  }

  @Test(
    "A member may not be called as a type or namespace that is named beside it",
    arguments: [
      ("table item { x: int; } table T { item_reader: item; }", "item_reader", "itemReader"),
      ("table item { item_reader: int; }", "item_reader", "itemReader"),
      ("enum color: byte { Red } table T { color: color; }", "color", "color"),
      ("namespace game; struct V { x: int; } table T { game: V; }", "game", "game"),
    ])
  func membersLikeTypes(text: String, name: String, swiftName: String) {
    #expect(renamed(text) == ["the field `\(name)` is called `\(swiftName)_`"])
  }

  @Test("A type with the name of a namespace is renamed")
  func ofATypeAndANamespaceWithOneNameTheTypeGivesWay() {
    let text = "namespace A; table B { x: int; } namespace A.B; table C { x: B; }"
    #expect(renamed(text) == ["the type `B` is called `B_`"])
  }

  @Test("A type with the name of another's generated type is renamed if it comes later")
  func ofATypeAndWhatIsGeneratedForAnotherTheLaterOneGivesWay() {
    #expect(
      renamed("table Post { a: int; } table PostReader { a: int; }") == [
        "the type `PostReader` is called `PostReader_`"
      ])
    #expect(
      renamed("table PostBuilder { a: int; } table Post { a: int (primary); } root_type Post;")
        == ["the type `Post` is called `Post_`"])
    #expect(renamed("table PostBuilder { a: int; } table Post { a: int; }") == [])
  }

  @Test("Many names that become one are no problem")
  func manyCollisions() {
    // Of one length each, so that the text stays short.
    let count = 3_000
    let fields = (0..<count).map { number in
      "a" + String(number, radix: 2).map { $0 == "0" ? "_b" : "_B" }.joined() + ": int;"
    }
    let text = "table T { \(fields.joined(separator: " ")) }"
    #expect(processorTime { _ = renamed(text) } < .seconds(20))
  }
}
