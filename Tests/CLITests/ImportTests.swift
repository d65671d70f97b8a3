import Foundation
import TestSupport
import Testing

@Suite("dflatc import")
struct ImportTests {
  private let proto = """
    // The file.
    syntax = "proto3";

    package shop.v1;

    import "common.proto";
    import "google/protobuf/timestamp.proto";

    option go_package = "x;y";

    // A post.
    message Post {
      reserved 4 to 6;
      // Its title.
      string title = 1 [(validate.rules).string = { min_len: 1, max_len: 2 }];
      optional int32 likes = 2;
      repeated Comment comments = 3;
      Kind kind = 7;
      map<string, int64> counts = 8;
      oneof content {
        Text text = 9;
        string words = 10;
      }
      google.protobuf.Timestamp at = 11;
      other.Money price = 12 [deprecated = true];
      bytes data = 13;
      repeated bytes chunks = 14;
      message Comment { string text = 1; Post post = 2; Deep.Level level = 3; message Deep { enum Level { LOW = 0; } } }
      enum Kind { option allow_alias = true; SECOND = 2; FIRST = 1; ALIAS = 1; UNKNOWN = 0; }
    }
    message Text { string text = 1; }
    /* Where posts are. */
    service Posts {
      rpc Get(Text) returns (Post);
      rpc Watch(stream Text) returns (stream Post) { option (x) = { a: "}" }; }
    }

    """

  @Test("The schema that is made of a .proto file is valid and has its types")
  func whatIsMadeIsASchemaThatMeansTheSame() throws {
    try withFolder { folder in
      try folder.write(proto, to: "protos/shop.proto")
      try folder.write(
        "syntax = \"proto2\"; package other; message Money { required int64 amount = 1; required string code = 2; }\n",
        to: "protos/common.proto")
      let result = try dflatc("import", "-o", "out", "protos/shop.proto", "protos/common.proto", in: folder)
      #expect(result.status == 0, "\(result.error)")
      let text = try String(contentsOf: folder.appending(path: "out/shop.fbs"), encoding: .utf8)
      for line in [
        "include \"common.fbs\";", "namespace shop.v1;", "/// A post.\ntable Post {",
        "  /// Its title.\n  title: string;",
        "  likes: int = null;", "  comments: [Post_Comment];", "  kind: Post_Kind;", "  counts: [Post_counts_entry];",
        "  content: Post_content;", "  at: long = null;", "  price: other.Money (deprecated);", "  data: [ubyte];",
        "  level: Post_Comment_Deep_Level;", "  UNKNOWN = 0,\n  FIRST = 1,\n  SECOND = 2",
        "  key: string (key);\n  value: long;", "union Post_content { text: Text, words: Post_words }",
        "  Watch(Text): Post (streaming: \"bidi\");", "/// Where posts are.\nrpc_service Posts {",
      ] {
        #expect(text.contains(line), "\(line)\n\(text)")
      }
      let common = try String(contentsOf: folder.appending(path: "out/common.fbs"), encoding: .utf8)
      #expect(common.contains("  code: string (required);"), "\(common)")
      for note in [
        "protos/shop.proto:13:3: note: reserved numbers", "note: `ALIAS` is another name", "note: the map `counts`",
        "note: the numbers of fields are not kept", "note: a Timestamp is a number",
        "since there are no lists of lists",
        "protos/common.proto:1:66: note: `amount` is not required",
      ] {
        #expect(result.error.contains(note), "\(note)\n\(result.error)")
      }
      // It compiles, is laid out, and flatc takes it.
      #expect(try dflatc("compile", "-o", "x", "--emit", "bfbs", "out", in: folder).status == 0)
      #expect(try dflatc("format", "--check", "out", in: folder).status == 0)
      try runTool(FlatcTool.system.program, ["-b", "--schema", "-o", "y", "out/shop.fbs"], in: folder)
    }
  }

  @Test(
    "A mistake in a .proto file is an error with its place",
    arguments: [
      ("message {", "1:9: error: the name of a message belongs here"),
      ("message A {\n  int32 x;\n}", "2:10: error: `=` belongs here"),
      ("enum E { A = b; }", "1:14: error: a whole number belongs here"), ("nonsense", "1:1: error: a message, enum"),
      ("message A { option x = {", "the text ends within a statement"),
      (String(repeating: "message A { ", count: 100_000), "messages are nested too deeply"),
      ("service S { rpc A(B) return (C); }", "`returns` belongs here"),
    ])
  func aMistakeHasItsPlace(_ text: String, _ message: String) throws {
    try withFolder { folder in
      try folder.write(text, to: "x.proto")
      let result = try dflatc("import", "x.proto", in: folder)
      #expect(result.status == 1 && result.error.contains(message), "\(result.error.prefix(300))")
      #expect(result.output.isEmpty)
    }
  }

  @Test("A .proto file that is missing is an error")
  func aFileThatIsMissingIsSaid() throws {
    try withFolder { folder in
      #expect(try dflatc("import", "none.proto", in: folder).status == 3)
      try folder.write("import \"a.proto\"; message M { other.T x = 1; }", to: "a.proto")
      let itself = try dflatc("import", "a.proto", in: folder)
      #expect(itself.status == 0 && itself.error.contains("nothing tells what `other.T` is"), "\(itself.error)")
      #expect(try dflatc("import", "a.proto", "a.proto", in: folder).status == 2)
    }
  }
}
