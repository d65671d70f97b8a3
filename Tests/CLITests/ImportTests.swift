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
      ("message {", "1:9: the name of a message belongs here"),
      ("message A {\n  int32 x;\n}", "2:10: `=` belongs here"),
      ("enum E { A = b; }", "1:14: a whole number belongs here"), ("nonsense", "1:1: a message, enum"),
      ("message A.B {}", "1:9: the name of a message belongs here, without a point"),
      ("enum E { }", "1:6: the enum `E` has no values"),
      ("message A { oneof o { } }", "1:19: the oneof `o` has no fields"),
      ("import \"x.proto\";", "1:8: the file imports itself"), ("service S { ] }", "1:13: `]` closes nothing"),
      ("service S { rpc A(B) returns (C) { ] } }", "`]` closes nothing"),
      ("message A { option x = {", "the text ends within a statement"),
      (String(repeating: "message A { ", count: 100_000), "messages are nested too deeply"),
      ("service S { rpc A(B) return (C); }", "`returns` belongs here"),
      ("message M { optional string s = 1 [default = \"abc\n]; }", "1:46: no quote on its line closes this string"),
      ("import \"a.proto\n; message M {}", "1:8: no quote on its line closes this string"),
      ("message M {}\noption x = 'a\\\n';", "2:12: no quote on its line closes this string"),
      ("message M {} import \"", "1:21: no quote on its line closes this string"),
      ("message M {} /* message N {}", "1:14: no `*/` closes this comment"),
      ("message M {} /*/", "1:14: no `*/` closes this comment"),
    ])
  func aMistakeHasItsPlace(_ text: String, _ message: String) throws {
    try withFolder { folder in
      try folder.write(text, to: "x.proto")
      let result = try dflatc("import", "x.proto", in: folder)
      let parts = message.split(separator: " ", maxSplits: 1)
      let isPlaced = parts[0].hasSuffix(":")
      #expect(result.status == 1 && result.error.contains("error[D0601]: "), "\(result.error.prefix(300))")
      #expect(result.error.contains(isPlaced ? String(parts[1]) : message), "\(result.error.prefix(300))")
      if isPlaced {
        #expect(result.error.contains(" --> x.proto:\(parts[0].dropLast())\n"), "\(result.error.prefix(300))")
      }
      #expect(result.output.isEmpty)
    }
  }

  @Test("A .proto file that is missing is an error")
  func aFileThatIsMissingIsSaid() throws {
    try withFolder { folder in
      #expect(try dflatc("import", "none.proto", in: folder).status == 3)
      try folder.write("message M {}", to: "a.proto")
      #expect(try dflatc("import", "a.proto", "a.proto", in: folder).status == 2)
    }
  }

  @Test(
    "A comment behind a declaration, on its line, is about that one, and an empty line parts comments",
    arguments: ["\n", "\r\n"])
  func comments(_ lineEnd: String) throws {
    let lines = [
      "// gone", "", "// before A", "message A { // behind A", "  int32 a = 1; // about a", "  int32 b = 2;",
      "  // about c", "  int32 c = 3; /* more about c */", "  // gone", " \t",
      "  int32 d = 4; /* about e */ int32 e = 5;",
      "  oneof o { // about o", "    B f = 6; // about f", "  } // gone", "  int32 g = 7;", "} // gone",
      "message B {} // about B", "enum E { // about E", "  X = 0; // about X", "  Y = 1;", "}",
      "service S { // about S", "  rpc M(A) returns (B); // about M", "  rpc N(A) returns (B) { // about N", "  }", "}",
    ]
    let expected = """
      union A_o {
        /// about f
        f: B
      }

      /// before A
      /// behind A
      table A {
        /// about a
        a: int;
        b: int;
        /// about c
        /// more about c
        c: int;
        d: int;
        /// about e
        e: int;
        /// about o
        o: A_o;
        g: int;
      }

      /// about B
      table B {}

      """
    let found = try importedSchema(of: lines.joined(separator: lineEnd)).text
    #expect(found.contains(expected), "\(found)")
    for part in [
      "/// about E\nenum E: int {\n  /// about X\n  X = 0,\n  Y = 1",
      "/// about S\nrpc_service S {\n  /// about M\n  M(A): B;\n  /// about N\n  N(A): B;\n}",
    ] {
      #expect(found.contains(part), "\(part)\n\(found)")
    }
    #expect(!found.contains("gone"))
  }

  @Test("A method takes and returns tables: what stands for a type of google.protobuf is in one")
  func methods() throws {
    let (text, notes) = try importedSchema(
      of: """
        package p; message A {}
        service S {
          rpc X(A) returns (google.protobuf.StringValue); rpc Y(google.protobuf.Timestamp) returns (A);
          rpc Z(google.protobuf.Any) returns (stream google.protobuf.Empty); rpc W(google.protobuf.Empty) returns (A);
        }
        service None {}
        """)
    for part in [
      "table S_StringValue { value: string; }", "table S_Timestamp { value: long; }", "table S_Any { value: [ubyte]; }",
      "X(A): S_StringValue;", "Y(S_Timestamp): A;", "Z(S_Any): S_Empty (streaming: \"server\");", "W(S_Empty): A;",
    ] {
      let joined = text.replacingOccurrences(of: " {\n  ", with: " { ").replacingOccurrences(of: ";\n}", with: "; }")
      #expect(joined.contains(part) || text.contains(part), "\(part)\n\(text)")
    }
    #expect(!text.contains("None"))
    for note in ["StringValue stands in a table `S_StringValue`", "a service without methods"] {
      #expect(notes.contains(note), "\(notes)")
    }
  }

  @Test("Numbers of an edition may be absent, unless the feature `field_presence` says otherwise")
  func presenceInEditions() throws {
    let message = """
      message M {
        int32 a = 1;
        int32 b = 2 [features.field_presence = IMPLICIT];
        int32 c = 3 [features = { field_presence: EXPLICIT }, deprecated = true];
        string d = 4 [features.field_presence = LEGACY_REQUIRED];
        repeated int32 e = 5;
        oneof o { N f = 6; }
        message N { int32 g = 1; }
      }

      """
    func lines(_ head: String, _ end: String = "") throws -> [String] {
      try importedSchema(of: head + message + end).text.split(separator: "\n").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    let shared = ["c: int = null (deprecated);", "d: string (required);", "e: [int];", "b: int;"]
    for line in shared + ["a: int = null;", "g: int = null;"] {
      #expect(try lines("edition = \"2023\";\n").contains(line), "\(line)")
    }
    let implicit = "option features.field_presence = IMPLICIT;\n"
    let braces = "option features = { enum_type: CLOSED field_presence: IMPLICIT };\n"
    for (head, end) in [(implicit, ""), ("", implicit), (braces, "")] {
      let lines = try lines("edition = \"2023\";\n" + head, end)
      for line in shared + ["a: int;", "g: int;"] { #expect(lines.contains(line), "\(line)\n\(lines)") }
    }
    let plain = try lines("syntax = \"proto3\";\n")
    #expect(plain.contains("a: int;") && plain.contains("g: int;"), "\(plain)")
  }

  @Test("`export` and `local` may stand before a message or enum of edition 2024, and may be names")
  func visibility() throws {
    let (text, _) = try importedSchema(
      of: """
        edition = "2024";
        // about A
        export message A {
          // about L
          local message L { int32 x = 1; }
          export /* about E */ enum E { X = 0; }
          L l = 1;
          local message = 2;
          export enum = 3;
          local local = 4;
        }
        local enum F { Y = 0; }
        message local {}
        message export {}
        """)
    for part in [
      "/// about A\ntable A {", "/// about L\ntable A_L {", "/// about E\nenum A_E: int {", "enum F: int {",
      "  l: A_L;", "  message: local;", "  enum: export;", "  local_value: local;",
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
  }

  @Test("Files of one package may each use google.protobuf.Empty, beside a message that is called so")
  func empties() throws {
    try withFolder { folder in
      let uses = """
        message Empty {} message A_Empty {} message A { google.protobuf.Empty a = 1; oneof o { google.protobuf.Empty b = 2; } }
        service S { rpc M(A) returns (google.protobuf.Empty); }
        """
      try folder.write("package p; \(uses)", to: "a.proto")
      let other = uses.replacingOccurrences(of: "message Empty {}", with: "").replacingOccurrences(of: "A", with: "B")
        .replacingOccurrences(of: "service S", with: "service T")
      try folder.write("package p; import \"a.proto\"; \(other) message C { A a = 1; Empty e = 2; }", to: "b.proto")
      let result = try dflatc("import", "-o", "out", "a.proto", "b.proto", in: folder)
      #expect(result.status == 0, "\(result.error)")
      let compiled = try dflatc("compile", "-o", "x", "--emit", "bfbs", "--strict", "out", in: folder)
      #expect(compiled.status == 0, "\(compiled.error)")
      for name in ["a", "b"] {
        try runTool(FlatcTool.system.program, ["-b", "--schema", "-o", "y", "out/\(name).fbs"], in: folder)
      }
    }
  }

  @Test("A message does not get the name that an imported file has for a field, which schemas refuse")
  func importedFields() throws {
    try withFolder { folder in
      try folder.write("package p.q; message A { int32 post = 1; }", to: "a.proto")
      try folder.write("package p; import \"a.proto\"; message post { q.A a = 1; } message note {}", to: "b.proto")
      #expect(try dflatc("import", "-o", ".", "a.proto", "b.proto", in: folder).status == 0)
      let text = try String(contentsOf: folder.appending(path: "b.fbs"), encoding: .utf8)
      #expect(text.contains("table post_ {") && text.contains("table note {"), "\(text)")
      #expect(try dflatc("compile", "-o", "x", "--emit", "bfbs", "a.fbs", "b.fbs", in: folder).status == 0)
    }
  }

  @Test("Names, defaults and options that a schema refuses are written otherwise, with a note")
  func refusedForms() throws {
    let (text, notes) = try importedSchema(
      of: #"""
        syntax = "proto2";
        message Kinds { optional int32 kind_type = 1; oneof kind { int32 a = 2; string NONE = 3; } }
        message long { optional byte x = 1; } message byte { optional long byte = 1; }
        enum E { option allow_alias = true; B = 010; A = 0x8; null = 2; }
        message Defaults {
          optional E e = 1 [default = A]; optional E n = 2 [default = null]; repeated E l = 3; optional E m = 4;
          optional int32 i = 5 [default = -010]; optional string s = 6 [default = 'a' "\x41\012\"" '\'é'];
          optional double f = 7 [default = -inf]; optional string bad = 8 [default = "\377"];
          required string r = 9 [default = "x"]; required string d = 10 [deprecated = true];
          optional float h = 16 [default = 0x10]; optional float g = 11 [default = 1.5e+3]; optional uint64 u = 12 [default = 18446744073709551615];
          oneof o { E v = 13; E w = 14; }
          optional group Result = 15 { required string url = 1; }
        }
        """#)
    for part in [
      "kind_type: int = null;", "kind_oneof: Kinds_kind;", "NONE_: Kinds_NONE", "table long_ {", "x: byte_;",
      "table byte_ {", "  byte: long_;", "null_ = 2,", "  B = 8", "e: E = B;", "n: E = null_;", "l: [E];",
      "m: E = null;", "i: int = -8;",
      #"s: string = "aA\n\"'é";"#, "f: double = -inf;", "bad: string;", "r: string (required);",
      "d: string (deprecated);",
      "g: float = 1.5e+3;", "h: float = 16;", "u: ulong = 18446744073709551615;", "value: E = B;",
      "result: Defaults_Result;",
      "url: string (required);",
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
    for note in [
      "the oneof `kind` is called `kind_oneof`", "`NONE` is called `NONE_`", "the default of `bad` is left out",
      "the default of `r` is left out", "`d` is not required: it is deprecated", "`A` is another name of a number",
    ] {
      #expect(notes.contains(note), "\(note)\n\(notes)")
    }
    let clash = try importedSchema(of: "message text { int32 text = 1; other other = 2; } message other {}")
    #expect(clash.text.contains("text_value: int;") && clash.text.contains("other_value: other;"), "\(clash.text)")
    #expect(clash.notes.contains("`text` is called `text_value`"))
    let value = try importedSchema(
      of: "message value { map<int32, value> key = 1; } message key { repeated bytes value = 1; }")
    #expect(value.text.contains("table value_ {") && value.text.contains("table key_ {"), "\(value.text)")
  }

  @Test("A schema that would not be valid is not written: what is wrong is said, and what to do")
  func invalidResults() throws {
    try withFolder { folder in
      for (text, code, message) in [
        ("message M { other.T x = 1; }", "D0602", "import the file that defines it"),
        (
          "import \"b.proto\"; message M { other.T x = 1; }", "D0602",
          "b.proto was not found: name the folder to look in"
        ),
        (
          "import \"google/protobuf/descriptor.proto\"; message M { google.protobuf.FieldDescriptorProto.Type x = 1; }",
          "D0602", "it is nested in a type of google.protobuf"
        ),
        ("message M { google.protobuf.compiler.Version x = 1; }", "D0602", "import the file that defines it"),
        ("message M { int32 a = 1; string a = 2; }", "D0603", "change what this comes from in x.proto"),
        ("service S { rpc A(int32) returns (M); } message M {}", "D0601", "a method takes and returns messages"),
        ("package p; import \"q.proto\"; message M { .T x = 1; } enum T { A = 0; }", "D0604", "rename one of the two"),
      ] {
        try folder.write(text, to: "x.proto")
        try folder.write("message T {}", to: "q.proto")
        let result = try dflatc("import", "-o", "out", "q.proto", "x.proto", in: folder)
        #expect(result.status == 1 && result.error.contains("error[\(code)]"), "\(result.error)")
        #expect(result.error.contains(message), "\(result.error)")
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out").path))
        #expect(try dflatc("import", "x.proto", in: folder).output.isEmpty)
      }
    }
  }

  @Test(
    "An import that is not found, or of which a schema has nothing, is left out with a note if nothing of it is used")
  func unusedImports() throws {
    try withFolder { folder in
      try folder.write("import \"a/none.proto\"; extend X { optional int32 y = 1; }", to: "a/options.proto")
      try folder.write(
        "import \"google/api/none.proto\"; import \"a/options.proto\"; message M { int32 x = 1 [(y) = 2]; }",
        to: "x.proto")
      let result = try dflatc("import", "-o", "out", "a/options.proto", "x.proto", in: folder)
      #expect(result.status == 0, "\(result.error)")
      for note in [
        "x.proto:1:8: note: google/api/none.proto was not found, and nothing of it is used",
        "x.proto:1:40: note: nothing in a/options.proto has a counterpart",
        "note: nothing in a/options.proto has a counterpart: there is no schema",
      ] {
        #expect(result.error.contains(note), "\(note)\n\(result.error)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "out").path) == ["x.fbs"])
      let schema = try String(contentsOf: folder.appending(path: "out/x.fbs"), encoding: .utf8)
      #expect(!schema.contains("include"))
    }
  }
}
