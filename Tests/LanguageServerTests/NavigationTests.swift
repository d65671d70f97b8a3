import Foundation
import LanguageServer
import Testing

@Suite("Names in the language server")
struct NavigationTests {
  static let files = [
    "/w/color.fbs": """
    namespace A.B;
    /// What a post looks like.
    enum Color : ubyte { Red, Green = 5, Blue }
    /// A point.
    struct Point {
      x: float;
      y: double;
    }

    """,
    "/w/post.fbs": """
    include "color.fbs";
    namespace A;
    /// A text that
    /// somebody wrote.
    table Post {
      title: string (primary);
      color: B.Color = Green;
      place: B.Point;
      others: [Post];
      nested: [ubyte] (nested_flatbuffer: "A.Note");
      content: Content;
      priority: int (indexed);
    }
    table Note {
      text: string;
      mode: int = 3;
    }
    union Content { Note, Alias: Note }
    rpc_service Posts { Get(Note): Post; }
    root_type Post;

    """,
    "/w/other.fbs": """
    include "post.fbs";
    namespace Z;
    table Holder {
      post: A.Post;
    }

    """,
  ]

  private func client() throws -> EditorClient {
    var client = try EditorClient(Self.files)
    client.open("/w/post.fbs")
    client.run()
    #expect(client.codes("/w/post.fbs") == [])
    return client
  }

  /// The places of locations, as `file range`.
  private func places(_ result: Any) -> [String] {
    (result as? [[String: Any]] ?? []).map { location in
      let path = DocumentURI.path(location["uri"] as? String ?? "")
      return "\(path.dropFirst(3)) \((location["range"] as? [String: Any])?.rangeText ?? "?")"
    }
  }

  @Test("A name leads to its declaration, and an include to its file")
  func definition() throws {
    var client = try client()
    for (line, character, expected) in [
      (6, 13, "color.fbs 2:5-2:10"), (6, 20, "color.fbs 2:26-2:31"), (7, 12, "color.fbs 4:7-4:12"),
      (8, 13, "post.fbs 4:6-4:10"), (9, 44, "post.fbs 13:6-13:10"), (0, 12, "color.fbs 0:0-0:0"),
      (17, 25, "post.fbs 17:22-17:27"), (17, 31, "post.fbs 13:6-13:10"), (18, 26, "post.fbs 13:6-13:10"),
      (19, 12, "post.fbs 4:6-4:10"), (10, 14, "post.fbs 17:6-17:13"),
    ] {
      let found = try client.request("textDocument/definition", client.place("/w/post.fbs", line, character))
      #expect(places(found) == [expected], "\(line):\(character)")
    }
    #expect(places(try client.request("textDocument/definition", client.place("/w/post.fbs", 5, 10))) == [])
  }

  @Test("After an edit in a table, the names below it are found at their new places")
  func movedPlaces() throws {
    var client = try client()
    let text = try #require(Self.files["/w/post.fbs"])
      .replacingOccurrences(of: "  title:", with: "  subtitle: string;\n  title:")
    client.change("/w/post.fbs", to: text)
    client.run()
    #expect(client.codes("/w/post.fbs") == [])
    let found = try client.request("textDocument/definition", client.place("/w/post.fbs", 10, 44))
    #expect(places(found) == ["post.fbs 14:6-14:10"])
    let hover = try client.request("textDocument/hover", client.place("/w/post.fbs", 16, 2)) as? [String: Any]
    #expect((hover?.value("contents", "value") as? String)?.contains("mode: int = 3") == true)
    let result = try client.request(
      "textDocument/rename", client.place("/w/post.fbs", 16, 2).merging(["newName": "form"]) { $1 })
    let changes = try #require((result as? [String: Any])?["changes"] as? [String: [[String: Any]]])
    let renamed = try apply(try #require(changes["file:///w/post.fbs"]), to: text)
    #expect(renamed == text.replacingOccurrences(of: "mode", with: "form"))
  }

  @Test("References are found in all files of the workspace, those that are not open too")
  func references() throws {
    var client = try client()
    let params = client.place("/w/post.fbs", 4, 8)
    let all = try client.request(
      "textDocument/references", params.merging(["context": ["includeDeclaration": true]]) { $1 })
    #expect(
      places(all) == [
        "other.fbs 3:10-3:14", "post.fbs 4:6-4:10", "post.fbs 8:11-8:15", "post.fbs 18:31-18:35",
        "post.fbs 19:10-19:14",
      ])
    let uses = try client.request(
      "textDocument/references", params.merging(["context": ["includeDeclaration": false]]) { $1 })
    #expect(places(uses).count == 4)
    let highlights = try client.request("textDocument/documentHighlight", params) as? [[String: Any]]
    #expect(highlights?.count == 4 && highlights?.first?["kind"] as? Int == 3)
  }

  @Test(
    "Hover tells the declaration, its comment and what the text does not say",
    arguments: [
      (4, 8, ["table A.Post", "A text that\nsomebody wrote.", "primary key `title`", "indexed: `priority`"]),
      (5, 4, ["title: string (primary)", "id 0, vtable offset 4", "part of the primary key"]),
      (6, 4, ["color: B.Color = Green", "id 1, vtable offset 6"]),
      (7, 12, ["struct A.B.Point", "A point.", "16 bytes, aligned to 8"]), (6, 20, ["Green = 5", "number 5"]),
      (10, 4, ["id 6", "its type code has the id 5"]), (11, 4, ["default 0", "in the store: indexed"]),
      (17, 22, ["Alias: Note", "type code 2"]), (17, 8, ["union A.Content", "2 members"]),
      (18, 14, ["rpc_service A.Posts"]), (18, 21, ["Get(Note): Post"]),
    ])
  func hover(_ line: Int, _ character: Int, _ expected: [String]) throws {
    var client = try client()
    let hover = try client.request("textDocument/hover", client.place("/w/post.fbs", line, character)) as? [String: Any]
    let text = try #require(hover?.value("contents", "value") as? String)
    for part in expected { #expect(text.contains(part), "\(text)") }
  }

  @Test(
    "Hover tells the kinds of a field's indexes, and those of a root type's fields",
    arguments: [
      ("a", ["in the store: indexed without differences of case and diacritics"]),
      (
        "b",
        [
          "in the store: indexed\n",
          "in the store: indexed without differences of case and diacritics, and no two objects have the same text but for these",
        ]
      ),
      ("c", ["in the store: each element is indexed"]),
      ("d", ["in the store: each element is indexed without differences of case and diacritics"]),
      ("Entry", ["indexed: `a` (folded), `b`, `b` (folded, unique), `c` (elements), `d` (elements, folded)"]),
    ])
  func indexHover(_ name: String, _ expected: [String]) throws {
    let text = """
      table Entry {
        a: string (primary, indexed: "folded");
        b: string (indexed, unique: "folded");
        c: [int] (indexed);
        d: [string] (indexed: "folded");
      }
      root_type Entry;

      """
    var client = try EditorClient(["/w/entry.fbs": text])
    client.open("/w/entry.fbs")
    client.run()
    #expect(client.codes("/w/entry.fbs") == [])
    let lines = text.split(separator: "\n")
    let line = try #require(lines.firstIndex { $0.contains(name == "Entry" ? "table Entry" : "  \(name):") })
    let character = name == "Entry" ? 6 : 2
    let hover = try client.request("textDocument/hover", client.place("/w/entry.fbs", line, character))
    let shown = try #require((hover as? [String: Any])?.value("contents", "value") as? String)
    for part in expected { #expect(shown.contains(part), "\(shown)") }
  }

  @Test("Hover tells the offsets of a struct's fields")
  func structHover() throws {
    var client = try client()
    let hover = try client.request("textDocument/hover", client.place("/w/color.fbs", 6, 2)) as? [String: Any]
    #expect((hover?.value("contents", "value") as? String)?.contains("byte offset 8") == true)
  }

  @Test("The outline has all declarations, also of a text with mistakes")
  func outline() throws {
    var client = try client()
    func names(_ symbols: Any?) -> [String] {
      (symbols as? [[String: Any]] ?? []).flatMap { symbol in
        [symbol["name"] as? String ?? "?"] + names(symbol["children"]).map { "." + $0 }
      }
    }
    let symbols = try client.request("textDocument/documentSymbol", client.document("/w/post.fbs"))
    #expect(
      names(symbols) == [
        "Post", ".title", ".color", ".place", ".others", ".nested", ".content", ".priority", "Note", ".text", ".mode",
        "Content", ".Note", ".Alias", "Posts", ".Get",
      ])
    client.change("/w/post.fbs", to: "table A { a: ; b: int (deprecated) }\nenum B : { X\ntable C {")
    let broken = try client.request("textDocument/documentSymbol", client.document("/w/post.fbs"))
    #expect(names(broken).contains("A"))
  }

  @Test("Symbols of the workspace are found by letters in their order")
  func workspaceSymbols() throws {
    var client = try client()
    func names(_ query: String) throws -> [String] {
      (try client.request("workspace/symbol", ["query": query]) as? [[String: Any]] ?? []).compactMap {
        $0["name"] as? String
      }
    }
    #expect(try names("hldr") == ["Holder"])
    #expect(try names("COLOR") == ["Color", "color"])
    #expect(try names("zzz") == [])
    #expect(try names("").count == 23)
  }

  @Test("A rename changes every place in every file, and keeps what the schema means")
  func rename() throws {
    var client = try client()
    let result = try client.request(
      "textDocument/rename", client.place("/w/post.fbs", 8, 13).merging(["newName": "Article"]) { $1 })
    let changes = try #require((result as? [String: Any])?["changes"] as? [String: [[String: Any]]])
    #expect(Set(changes.keys) == ["file:///w/post.fbs", "file:///w/other.fbs"])
    let post = try apply(try #require(changes["file:///w/post.fbs"]), to: try #require(Self.files["/w/post.fbs"]))
    #expect(!post.contains("Post {") && post.contains("others: [Article];") && post.contains("root_type Article;"))
    let other = try apply(try #require(changes["file:///w/other.fbs"]), to: try #require(Self.files["/w/other.fbs"]))
    #expect(other.contains("post: A.Article;"))
  }

  @Test("Names of enums' values are renamed in defaults, and tables in the strings of attributes")
  func renameInTexts() throws {
    var client = try client()
    func renamed(_ line: Int, _ character: Int) throws -> [String: [[String: Any]]] {
      let result = try client.request(
        "textDocument/rename", client.place("/w/post.fbs", line, character).merging(["newName": "Other"]) { $1 })
      return try #require((result as? [String: Any])?["changes"] as? [String: [[String: Any]]])
    }
    let value = try renamed(6, 20)
    #expect(value["file:///w/color.fbs"]?.count == 1 && value["file:///w/post.fbs"]?.count == 1)
    let table = try renamed(13, 7)
    let post = try apply(try #require(table["file:///w/post.fbs"]), to: try #require(Self.files["/w/post.fbs"]))
    #expect(post.contains("\"A.Other\"") && post.contains("{ Other, Alias: Other }") && post.contains("Get(Other)"))
  }

  @Test("A rename leaves the texts that are defaults of strings alone")
  func renameBesideStrings() throws {
    let text = """
      enum Status : byte { Open }
      table T {
        page: string = "Status.html";
        state: string = "Status.Open";
        number: int = "Status.Open";
      }

      """
    var client = try EditorClient(["/w/status.fbs": text], options: ["emit": ["accessors"]])
    client.open("/w/status.fbs")
    for (character, name, edited) in [(5, "State", "State.Open"), (21, "Opened", "Status.Opened")] {
      let result = try client.request(
        "textDocument/rename", client.place("/w/status.fbs", 0, character).merging(["newName": name]) { $1 })
      let edits = try #require((result as? [String: Any])?.value("changes", "file:///w/status.fbs") as? [[String: Any]])
      #expect(edits.count == 2)
      let renamed = try apply(edits, to: text)
      #expect(renamed.contains("page: string = \"Status.html\"") && renamed.contains("state: string = \"Status.Open\""))
      #expect(renamed.contains("number: int = \"\(edited)\""))
    }
  }

  @Test("A rename that would change what a schema means is refused, with the reason")
  func refused() throws {
    var client = try client()
    for name in ["Note", "1x", "", "a b", "table-x"] {
      let params = client.place("/w/post.fbs", 4, 8).merging(["newName": name]) { $1 }
      #expect(try client.errorCode("textDocument/rename", params) == -32803, "\(name)")
    }
    // The field would then have the name of another one.
    let params = client.place("/w/post.fbs", 5, 4).merging(["newName": "color"]) { $1 }
    #expect(try client.errorCode("textDocument/rename", params) == -32803)
    // `X` of the outer namespace would be hidden, without any error.
    client.host.files.files["/w/x.fbs"] = Array(
      "table X { a: int; }\nnamespace N;\ntable Y { x: X; }\ntable W { y: Y; }\n".utf8)
    client.open("/w/x.fbs")
    let hiding = client.place("/w/x.fbs", 3, 7).merging(["newName": "X"]) { $1 }
    #expect(try client.errorCode("textDocument/rename", hiding) == -32803)
    #expect(
      try client.request("textDocument/rename", client.place("/w/post.fbs", 20, 0).merging(["newName": "a"]) { $1 })
        is NSNull)
  }

  @Test("An error that names a symbol does not keep it from being renamed, and a new error does")
  func renameWithErrors() throws {
    let text = "enum Color : byte { Red }\nenum Hue : byte { Blue }\ntable T {\n  c: Color = Nope;\n}\n"
    var client = try EditorClient(["/w/color.fbs": text], options: ["emit": ["accessors"]])
    client.open("/w/color.fbs")
    let rename = client.place("/w/color.fbs", 0, 6).merging(["newName": "Shade"]) { $1 }
    let result = try client.request("textDocument/rename", rename) as? [String: Any]
    #expect((result?.value("changes", "file:///w/color.fbs") as? [Any])?.count == 2)
    let refused = client.place("/w/color.fbs", 0, 6).merging(["newName": "Hue"]) { $1 }
    #expect(try client.errorCode("textDocument/rename", refused) == -32803)
  }

  @Test("A rename that mends an error is refused if it makes another one like it, and the errors after it stay known")
  func renameToAnotherError() throws {
    let text = "table T {\n  a: int;\n  a: int;\n  b: int;\n}\ntable U {\n  c: int;\n  c: int;\n}\n"
    var client = try EditorClient(["/w/twice.fbs": text], options: ["emit": ["accessors"]])
    client.open("/w/twice.fbs")
    func rename(_ line: Int, _ name: String) -> [String: Any] {
      client.place("/w/twice.fbs", line, 2).merging(["newName": name]) { $1 }
    }
    #expect(try client.errorCode("textDocument/rename", rename(1, "b")) == -32803)
    for (line, name) in [(1, "other"), (3, "other")] {
      let result = try client.request("textDocument/rename", rename(line, name)) as? [String: Any]
      #expect((result?.value("changes", "file:///w/twice.fbs") as? [Any])?.count == 1, "\(line)")
    }
  }

  @Test("Exactly the names that can be renamed are offered for it, with their ranges")
  func prepareRename() throws {
    var client = try client()
    let found = try client.request("textDocument/prepareRename", client.place("/w/post.fbs", 6, 13)) as? [String: Any]
    #expect(found?["placeholder"] as? String == "Color")
    #expect((found?["range"] as? [String: Any])?.rangeText == "6:11-6:16")
    #expect(try client.request("textDocument/prepareRename", client.place("/w/post.fbs", 4, 2)) is NSNull)
  }
}
