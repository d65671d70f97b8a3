import Foundation
import TestSupport
import Testing

@Suite("The objects that dflatc inspect lists")
struct InspectFormatTests {
  /// Returns the output of `dflatc inspect` on the posts of a folder.
  private func inspect(_ folder: URL, _ arguments: String...) throws -> String {
    let result = try run(
      productsFolder.appending(path: "dflatc"), ["inspect", "app.sqlite3", "--schema", "post.fbs", "Post"] + arguments,
      in: folder)
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    return result.output
  }

  @Test("Each format shows the default of an absent string, which conditions see", .enabled(if: hasSQLite))
  func defaultTexts() throws {
    let schema = "table Post { title: string (primary); status: string = \"new\"; tag: string; }\nroot_type Post;\n"
    try withStoredPosts(schema: schema, [("a", "{ title: \"a\" }")]) { (folder: URL) throws in
      #expect(try inspect(folder) == "title  status  tag\na      new\n")
      #expect(try inspect(folder, "--format", "csv") == "title,status,tag\r\na,new,\r\n")
      let line = "{\"title\": \"a\",\"status\": \"new\"}\n"
      #expect(try inspect(folder, "--format", "jsonl") == line)
      #expect(try inspect(folder, "--format", "json").contains("\"status\": \"new\""))
      #expect(try inspect(folder, "--where", "status = 'new'", "--format", "jsonl") == line)
    }
  }

  @Test("csv and table show strings in unions and FlexBuffers as they are, not as JSON", .enabled(if: hasSQLite))
  func stringsInUnions() throws {
    let schema = """
      union Content { Link: string, Text: string }
      table Post { title: string (primary); content: Content; data: [ubyte] (flexbuffer); }
      root_type Post;
      """
    let json = #"{ title: "a", content_type: "Link", content: "say \"hi\"\nbye", data: "é\t\"x\"" }"#
    try withStoredPosts(schema: schema, [("a", json)]) { (folder: URL) throws in
      let cells = "a,Link,\"say \"\"hi\"\"\nbye\",\"é\t\"\"x\"\"\"\r\n"
      #expect(try inspect(folder, "--format", "csv") == "title,content_type,content,data\r\n" + cells)
      #expect(try inspect(folder).split(separator: "\n").last == "a      Link          say \"hi\"·bye  é·\"x\"")
    }
  }

  @Test("A field named `desc` or `asc` is sorted by as any other", .enabled(if: hasSQLite))
  func fieldsNamedAsDirections() throws {
    let schema = "table Post { title: string (primary); desc: int; asc: int; }\nroot_type Post;\n"
    let posts = [
      (title: "a", json: "{ title: \"a\", desc: 2, asc: 1 }"), (title: "b", json: "{ title: \"b\", desc: 1, asc: 2 }"),
    ]
    try withStoredPosts(schema: schema, posts) { (folder: URL) throws in
      for (order, titles) in [
        ("desc", "ba"), ("desc asc", "ba"), ("desc desc", "ab"), ("asc", "ab"), ("asc desc", "ba"), ("`desc`", "ba"),
      ] {
        let lines = try inspect(folder, "--order", order, "--format", "csv").split(separator: "\r\n").dropFirst()
        #expect(String(lines.compactMap(\.first)) == titles, "\(order)")
      }
    }
  }
}
