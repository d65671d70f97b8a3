import FBSDiagnostics
import SchemaLinting
import Testing

@Suite("Rules of names")
struct NameRuleTests {
  /// What is advised for names of fields, in order.
  private func fieldAdvice(_ names: String..., camel: Bool = false) -> [String: String] {
    var configuration = LintConfiguration()
    if camel { configuration.fieldCase = .camel }
    let fields = names.map { "  \($0): int;\n" }.joined()
    let report = lint(["a.fbs": "table T {\n\(fields)}\n"], Linter(configuration))
    let text = Array("table T {\n\(fields)}\n".utf8)
    return Dictionary(
      uniqueKeysWithValues: report.findings.map {
        (String(decoding: text[$0.range.start..<$0.range.end], as: UTF8.self), $0.advice)
      })
  }

  @Test("Fields are in snake_case; underscores around a name keep it from a keyword")
  func fields() {
    #expect(fieldAdvice("a", "like_count", "v2", "vec_3d", "_class", "type_", "x1_2") == [:])
    #expect(
      fieldAdvice("likeCount", "HTTPServer", "a__b", "Name", "userID2", "A_B") == [
        "likeCount": "call it `like_count`", "HTTPServer": "call it `http_server`", "a__b": "call it `a_b`",
        "Name": "call it `name`", "userID2": "call it `user_id2`", "A_B": "call it `a_b`",
      ])
  }

  @Test("A team may write fields in camel case")
  func camelFields() {
    #expect(fieldAdvice("a", "likeCount", "userID", "v2", "x1_2", camel: true) == [:])
    #expect(
      fieldAdvice("like_count", "Name", "http_url_3", camel: true) == [
        "like_count": "call it `likeCount`", "Name": "call it `name`", "http_url_3": "call it `httpUrl3`",
      ])
  }

  @Test("A name that is taken is not advised")
  func takenNames() {
    #expect(fieldAdvice("like_count", "likeCount") == ["likeCount": "rename it: `like_count` is taken"])
  }

  @Test("A deprecated field may have any name")
  func deprecatedFields() {
    #expect(findings("table T { likeCount: int (deprecated); }\n") == [])
  }

  @Test("Types are in UpperCamelCase, of every kind, also with acronyms and digits")
  func types() {
    #expect(findings("table UUID {}\nstruct Vec3 { x: int; }\nenum V1_2: byte { None }\ntable HTTPHeader {}\n") == [])
    #expect(
      findings(
        """
        table blog_post {}
        struct vec { x: int; }
        enum color: byte { None }
        union any_of { blog_post }
        rpc_service posts { Get(blog_post): blog_post; }

        """) == ["type-case 1:7", "type-case 2:8", "type-case 3:6", "type-case 4:7", "type-case 5:13"])
  }

  @Test("The values of one enum are of one style")
  func enumValues() {
    #expect(findings("enum A: byte { RED, DARK_BLUE }\nenum B: byte { Red, DarkBlue }\n") == [])
    #expect(findings("enum A: byte { A, B, Dark }\n") == [], "a capital letter is of either style")
    #expect(findings("enum A: byte { RED, DarkBlue, LIGHT_GREEN }\n") == ["enum-value-case 1:31"])
    #expect(findings("enum A: byte { red, Blue, dark_green }\n") == ["enum-value-case 1:16", "enum-value-case 1:27"])
  }

  @Test("Only aliases of a union's members are names of its own")
  func unionAliases() {
    // The types are reported, and the member that is called after one of them is not.
    #expect(findings("table post_ {}\ntable note {}\nunion U { note }\n") == ["type-case 1:7", "type-case 2:7"])
    #expect(findings("table Note {}\nunion U { first: Note, Second: Note }\n") == ["enum-value-case 2:11"])
  }

  @Test("Namespaces are in UpperCamelCase or in small letters, part by part")
  func namespaces() {
    #expect(findings("namespace org.example.Blog;\ntable T {}\nnamespace A.b_c;\n") == [])
    #expect(findings("namespace My_App.blogPosts;\ntable T {}\n") == ["namespace-case 1:11", "namespace-case 1:18"])
  }

  @Test("A file's name is in snake_case, where that is asked for")
  func fileNames() throws {
    let rule = try rule("file-name-case")
    for path in ["post.fbs", "a/blog_post.fbs", "A/v2.fbs"] {
      #expect(findings("table T {}\n", path: path, on: [rule]) == [], "\(path)")
    }
    for path in ["Post.fbs", "a/blogPost.fbs", "blog-post.fbs", "a.b.fbs", "_.fbs"] {
      #expect(findings("table T {}\n", path: path, on: [rule]) == ["file-name-case 1:1"], "\(path)")
    }
    #expect(findings("table T {}\n", path: "Post.fbs") == [])
  }
}
