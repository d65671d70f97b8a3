import ConformanceSupport
import Emitters
import FBSSchema
import Testing

@Suite("swift_name")
struct SwiftNameAttributeTests {
  private let text = """
    namespace App;
    table Song (swift_name: "Track", codable) {
      name: string (primary, swift_name: "title");
      art: Art (swift_name: "cover");
      kind: Kind = Live (indexed, swift_name: "class");
      at: Point (swift_name: "place");
      raw: [ubyte] (nested_flatbuffer: "Song", swift_name: "original");
    }
    enum Kind: byte (swift_name: "Genre") { Live (swift_name: "onStage"), Studio }
    struct Point (swift_name: "Place") { x: int (swift_name: "left"); }
    union Art (swift_name: "Artwork") { Picture (swift_name: "image"), word: string (swift_name: "caption") }
    table Picture { width: int; }
    root_type Song;
    """

  @Test("swift_name names types, fields, enum values and union members")
  func model() throws {
    let model = try emit("data-model", text)
    for expected in [
      "public final class Track: ", "public var title: String { _values.title }\n", "public var cover: App.Artwork? {",
      "public var `class`: App.Genre { _values.`class` }\n", "public var place: App.Place? {",
      "public var originalRoot: App.Track? {",
      "public struct TrackBuilder: ", "public enum Genre: Int8", "case onStage = 0\n", "public struct Place: ",
      "public var left: Int32\n", "case image(App.Picture)\n", "case caption(String)\n",
    ] {
      #expect(model.contains(expected), "\(expected)")
    }
    let accessors = try emit("accessors", text)
    for expected in [
      "public struct TrackReader: ", "public struct GenreValue: ", "coverType: UInt8 = 0,", "cover: Offset = .null,",
      "public var titleUTF8: ", "public enum ArtworkReader: ", "public struct PlaceValue: ",
      "public static var onStage: GenreValue {",
    ] {
      #expect(accessors.contains(expected), "\(expected)")
    }
    let mutating = try emit("mutating", text)
    #expect(mutating.contains("public final class TrackChangeRequest: "))
    #expect(mutating.contains("case .image: 1"))
    let query = try emit("query", text)
    #expect(query.contains("public static let `class` = QueryExpression<App.Genre, App.Track>("))
  }

  @Test("The store's table and the keys of JSON keep the names of the schema")
  func storedNames() throws {
    let model = try emit("data-model", text)
    #expect(model.contains("table: \"app__song\","))
    for key in [
      "case title = \"name\", cover = \"art\", `class` = \"kind\", ", "case left = \"x\"\n",
      "case image = \"picture\", caption = \"word\"\n",
    ] {
      #expect(model.contains(key), "\(key)")
    }
  }

  @Test("A name that gives way keeps its key of JSON, and each key is there once")
  func keysOfRenamedFields() throws {
    let model = try emit("data-model", "table T (codable) { hp_old: int; hpOld: int; self: int; }")
    #expect(model.contains("case hpOld_ = \"hp_old\", hpOld, self_ = \"self\""))
  }

  @Test(
    "Binary schemas, JSON schemas and diagrams keep the names of the schema", arguments: ["bfbs", "json", "diagram"])
  func otherOutputs(emitter: String) throws {
    let plain = "table Song { name: string; } root_type Song;"
    let named = """
      attribute "swift_name"; table Song (swift_name: "Track") { name: string (swift_name: "title"); } root_type Song;
      """
    let emitter = try #require(EmitterRegistry.emitter(named: emitter))
    func content(_ text: String) throws -> String {
      try String(
        decoding: #require(CheckedSchema(schema: schema(text), emitters: [emitter]).generator?.files().first).content,
        as: UTF8.self)
    }
    for name in ["Song", "name"] {
      #expect(try content(plain).contains(name))
      #expect(try content(named).contains(name))
    }
    #expect(complaints(named, emitters: [emitter]) == [])
  }

  @Test(
    "A swift_name that is no name in Swift is refused",
    arguments: ["", "_", "2nd", "a b", "a-b", "`a`", "a.b", "a\\n", "$0", "😀"])
  func notAName(text: String) {
    let found = complaints("table T (swift_name: \"\(text)\") { x: int (swift_name: \"\(text)\"); }")
    #expect(found.count == 2 && found.allSatisfy { $0.hasPrefix("D0309 ") }, "\(found)")
  }

  @Test("Keywords and letters of other alphabets are names", arguments: ["class", "größe", "名前", "_x", "Self2"])
  func names(text: String) {
    #expect(complaints("table T { x: int (swift_name: \"\(text)\"); }") == [])
  }

  @Test(
    "Two definitions with the same swift_name are refused",
    arguments: [
      ("table A (swift_name: \"C\") { x: int; } table B (swift_name: \"C\") { x: int; }", "C"),
      (
        "table A { x: int; } table B (swift_name: \"AB\") { x: int; } table C (swift_name: \"ABReader\") { x: int; }",
        "ABReader"
      ),
      ("table T { a: int (swift_name: \"c\"); b: int (swift_name: \"c\"); }", "c"),
      ("struct T { a: int (swift_name: \"c\"); b: int (swift_name: \"c\"); }", "c"),
      ("enum T: int { a (swift_name: \"c\"), b (swift_name: \"c\") }", "c"),
      ("table A { x: int; } union T { a: A (swift_name: \"c\"), b: A (swift_name: \"c\") }", "c"),
    ])
  func collisions(text: String, name: String) {
    #expect(complaints(text) == ["D0302 `\(name)` is taken in Swift"])
  }

  @Test("A name without swift_name gives way to one with it")
  func precedence() {
    #expect(renamed("table T { c: int; a: int (swift_name: \"c\"); }") == ["the field `c` is called `c_`"])
    #expect(
      renamed("table C { x: int; } table A (swift_name: \"C\") { x: int; }") == ["the type `C` is called `C_`"])
  }

  @Test(
    "A swift_name that means something else in Swift is refused",
    arguments: [
      ("table T { x: int (swift_name: \"_rowid\"); }", "a field cannot be called `_rowid` in Swift"),
      ("table T { x: int (swift_name: \"Type\"); }", "a field cannot be called `Type` in Swift"),
      ("enum T: int { x (swift_name: \"self\") }", "a value cannot be called `self` in Swift"),
      ("table T (swift_name: \"Fields\") { x: int; }", "a type cannot be called `Fields` in Swift"),
      ("namespace A; table T (swift_name: \"A\") { x: int; }", "a type called `A` would hide another `A` in Swift"),
      (
        "namespace a; struct V { x: int; } table T { f: V (swift_name: \"a\"); }",
        "a field called `a` would hide another `a` in Swift"
      ),
    ])
  func reserved(text: String, message: String) {
    #expect(complaints(text) == ["D0303 " + message])
  }

  @Test("A swift_name may be the name of one of Swift's types")
  func hidden() throws {
    let model = try emit("data-model", "table T (swift_name: \"String\") { x: string; }")
    #expect(model.contains("public struct String: Equatable"))
    #expect(model.contains("public var x: Swift.String?"))
  }

  @Test("Included files come first, so that they are named alike when they are compiled alone")
  func includes() throws {
    let texts = [
      "a.fbs": "namespace N; table PostReader { x: int; }",
      "b.fbs": "include \"a.fbs\"; namespace N; table Post { r: PostReader; }",
    ]
    for inputs in [["a.fbs", "b.fbs"], ["b.fbs", "a.fbs"], ["b.fbs"]] {
      let compilation = SchemaCompiler.compile(inputs: inputs, includePaths: [], provider: SchemaTexts(texts))
      #expect(compilation.isValid)
      let checked = CheckedSchema(compilation, emitters: EmitterRegistry.defaults)
      #expect(checked.diagnostics.map(\.message) == ["the type `Post` is called `Post_` in Swift"])
    }
  }

  @Test("Renamed names of an included file are noted where that file is compiled")
  func notesOfIncludes() throws {
    let texts = ["a.fbs": "namespace A; table A { self: int; }", "b.fbs": "include \"a.fbs\"; table B { a: A.A; }"]
    let compilation = SchemaCompiler.compile(inputs: ["b.fbs"], includePaths: [], provider: SchemaTexts(texts))
    let checked = CheckedSchema(compilation, emitters: EmitterRegistry.defaults)
    #expect(checked.diagnostics.isEmpty)
    let model = try #require(checked.generator).files().map { String(decoding: $0.content, as: UTF8.self) }.joined()
    #expect(model.contains("public var a: A.A_?"))
  }

  @Test("A swift_name elsewhere has no effect, and needs a string")
  func misplaced() {
    func codes(_ text: String) -> [String] {
      SchemaCompiler.compile(inputs: ["t.fbs"], includePaths: [], provider: SchemaTexts(["t.fbs": text]))
        .diagnostics
        .map { "\($0.severity.rawValue) \($0.code.id)" }
    }
    #expect(codes("table T {} rpc_service S (swift_name: \"X\") { m(T): T; }") == ["warning D0216"])
    #expect(codes("table T (swift_name: 1) {}") == ["error D0214"])
    #expect(codes("table T (swift_name) {}") == ["error D0214"])
    #expect(codes("attribute \"swift_name\"; table T (swift_name: \"X\") {}") == [])
  }

  @Test("A wrong swift_name of an included file is reported, also where nothing is to be emitted")
  func wrongNamesInIncludes() {
    let texts = SchemaTexts([
      "main.fbs": "include \"other.fbs\"; table Holder { a: int; self: Other; }",
      "other.fbs": """
      table Other { a: int; b: int (swift_name: "a-b"); c: int (swift_name: "self"); d: int (swift_name: "a"); self: int; }
      enum Kind : ubyte { Type, Type_ (swift_name: "Type") }
      """,
    ])
    let compilation = SchemaCompiler.compile(inputs: ["main.fbs"], provider: texts)
    let alone = CheckedSchema.diagnostics(of: compilation, emitters: EmitterRegistry.defaults)
    let checked = CheckedSchema(compilation, emitters: EmitterRegistry.defaults).diagnostics
    #expect(alone.map(\.message) == checked.map(\.message))
    #expect(alone.filter { $0.severity == .error }.count >= 2)
    // The file's own renamed members are none of the input's.
    #expect(alone.filter { $0.severity != .error }.allSatisfy { $0.range.file == compilation.sources.files[0].id })
  }
}
