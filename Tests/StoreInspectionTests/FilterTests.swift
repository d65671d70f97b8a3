import FBSDiagnostics
import Dflat
import ConformanceSupport
import FBSParser
import FBSSchema
import FlatBuffersJSON
import Foundation
import Golden_post
import StoreInspection
import Testing

@Suite("Conditions on objects")
struct FilterTests {
  /// Conditions, and what the runtime's query language makes of the same.
  private static let cases: [(String, @Sendable (Post) -> Bool)] = [
    ("priority > 3", { (Post.priority > 3).evaluate($0) }),
    ("not (tag = 'tag 1')", { (!(Post.tag == "tag 1")).evaluate($0) }),
    ("tag is null", { (Post.tag.isNull).evaluate($0) }),
    ("tag is not null and priority <= 2", { (Post.tag.isNotNull && Post.priority <= 2).evaluate($0) }),
    ("color = Green or color = 'Blue'", { (Post.color == .green || Post.color == .blue).evaluate($0) }),
    ("priority in (1, 5, -3)", { (Post.priority.in([1, 5, -3])).evaluate($0) }),
    ("priority not in (1, 5)", { (Post.priority.notIn([1, 5])).evaluate($0) }),
    ("tag != 'tag 3' or priority = -3", { (Post.tag != "tag 3" || Post.priority == -3).evaluate($0) }),
    ("title >= \"post 5\"", { (Post.title >= "post 5").evaluate($0) }),
    (
      "title has suffix '5' or tag has prefix 'tag'",
      { (Post.title.hasSuffix("5") || Post.tag.hasPrefix("tag")).evaluate($0) }
    ),
    ("not (tag has prefix 'tag 1')", { (!Post.tag.hasPrefix("tag 1")).evaluate($0) }),
    ("title contains 't 3'", { Post.title.contains("t 3").evaluate($0) }),
    ("tag.folded = 'TAG 5'", { (Post.tag.folded == "TAG 5").evaluate($0) }),
    ("title.folded in ('PÓST 1', 'POST 2')", { Post.title.folded.in(["PÓST 1", "POST 2"]).evaluate($0) }),
    ("title.foldedCase = 'PÓST 1'", { (Post.title.foldedCase == "PÓST 1").evaluate($0) }),
    ("title.folded has prefix 'PÓ'", { Post.title.folded.hasPrefix("PÓ").evaluate($0) }),
    ("tag.length = 5", { (Post.tag.length == 5).evaluate($0) }),
    ("tag is empty", { Post.tag.isEmpty.evaluate($0) }), ("tag is not empty", { (!Post.tag.isEmpty).evaluate($0) }),
    ("title.folded != tag.foldedCase", { (Post.title.folded != Post.tag.foldedCase).evaluate($0) }),
  ]

  @Test("A condition finds what the runtime's query finds, nulls included")
  func agreement() async throws {
    try await withStore { path in
      let inspector = try StoreInspector(path, postSchema())
      for (condition, query) in Self.cases {
        let expected = posts.filter(query).map(\.title)
        #expect(try inspector.titles(where: condition) == expected, "\(condition)")
      }
      #expect(try inspector.titles(where: "content.TextContent.text = 'text 5'") == ["post 5"])
      #expect(try inspector.titles(where: "content = TextContent") == ["post 1", "post 5", "post 9"])
      #expect(try inspector.titles(where: "content is null") == ["post 0", "post 4", "post 8"])
      // What is compared with null is not false either.
      #expect(try inspector.titles(where: "not (content.TextContent.text = 'text 5')") == ["post 1", "post 9"])
    }
  }

  @Test("Objects are sorted as a fetch sorts them, and cut off after the limit")
  func order() async throws {
    try await withStore { path in
      let inspector = try StoreInspector(path, postSchema())
      #expect(
        try inspector.titles(where: "true", order: ("priority", true), limit: 3) == ["post 9", "post 8", "post 7"])
      #expect(
        try inspector.titles(where: "true", order: ("tag", false), limit: 6).prefix(5) == [
          "post 0", "post 2", "post 4", "post 6", "post 8",
        ])
      let all = try inspector.titles(where: "true", order: ("color", true))
      #expect(try inspector.titles(where: "true", order: ("color", true), limit: 100) == all && all.count == 10)
      #expect(try inspector.titles(where: "priority > 0", limit: 2) == ["post 4", "post 5"])
      #expect(try inspector.titles(where: "true", limit: 0).isEmpty)
    }
  }

  @Test("Fields with the name of a word of the language are found in backticks, and after a dot without")
  func quotedNames() throws {
    let text = """
      table Inner { or: int; is: string; }
      table T { and: int; in: Inner; null: string; not: bool; true: int; AND: int; }
      root_type T;
      """
    let json = "{ and: 5, in: { or: 7, is: \"x\" }, not: true, true: 9, AND: 11 }"
    let resolver = ObjectResolver(inputs: ["schema.fbs"], provider: SchemaTexts([("schema.fbs", text)]))
    let converter = FlatBufferJSON(resolver.compilation.schema)
    let root = try #require(converter.layouts.table(named: "T"))
    let result = resolver.resolve(json: Array(json.utf8), path: "data.json", as: root)
    let bytes = try converter.binary(from: #require(result.object)).bytes
    let object = try converter.object(bytes, as: root)
    for (condition, isTrue) in [
      ("`and` = 5", true), ("`and`=5 and `in`.or = 7", true), ("`in`.`or` in (6, 7)", true), ("`null` is null", true),
      ("not `not`", false), ("`not`", true), ("`true` = 9 and true", true), ("`AND` = 11", true),
      ("`in`.is = 'x'", true),
    ] {
      let file = SourceFile(id: FileID(0), path: "--where", bytes: Array(condition.utf8))
      let (filter, diagnostic) = FilterReader(root, converter.layouts).filter(file)
      #expect(filter?.evaluate(object) == isTrue, "\(condition): \(diagnostic?.message ?? "")")
    }
  }

  @Test(
    "An error in a condition shows its position",
    arguments: [
      ("priorty > 3", "D0502", 1, "did you mean `priority`?"), ("priority > 'x'", "D0503", 12, "such as `3`"),
      ("color = Gren", "D0502", 9, "did you mean `Green`?"), ("priority >", "D0501", 11, ""),
      ("tag = null", "D0501", 7, "write `is null` or `is not null`"),
      ("content > 3 and tag = 1", "D0503", 23, "write it in quotes"),
      ("title = 'x", "D0501", 9, "close it"), ("priority", "D0501", 1, "compare it with something"),
      ("1 = 2", "D0503", 1, "name a field"), ("title.x = 1", "D0502", 1, "remove `.x`"),
      ("priority > 1 # 2", "D0501", 14, "write texts in quotes"), ("and = 3", "D0501", 1, "a field's name: `and`"),
      ("priority > 1 and `tag = 2", "D0501", 18, "close it"), ("`` = 2", "D0501", 1, "close it"),
      ("`priorty` = 2", "D0502", 1, "did you mean `priority`?"),
      (String(repeating: "(", count: 9999) + "true", "D0501", 65, ""), ("", "D0501", 1, ""),
    ])
  func mistakes(_ condition: String, _ code: String, _ column: Int, _ advice: String) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("dflat-test-\(UUID().uuidString)").path
    try runSQL("CREATE TABLE x (y)", on: path)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
    let inspector = try StoreInspector(path, postSchema())
    let post = try inspector.type("Post")
    let file = SourceFile(id: FileID(0), path: "--where", bytes: Array(condition.utf8))
    let diagnostic = try #require(FilterReader(post.table, inspector.layouts(of: post)).filter(file).diagnostic)
    #expect(diagnostic.code.id == code && diagnostic.range.start == column - 1, "\(diagnostic)")
    #expect(diagnostic.advice == advice)
  }
}
