import Foundation
import TestSupport
import Testing

@Suite("dflatc convert")
struct ConvertTests {
  private static let schema = """
    table Post { title: string; priority: int = 3; }
    table Comment { text: string; }
    root_type Post;
    file_identifier "POST";
    file_extension "post";

    """

  @Test("JSON becomes a FlatBuffer, and that the same JSON, by files, folders and standard input")
  func roundTrip() throws {
    try withFolder { folder in
      try folder.write(Self.schema, to: "post.fbs")
      let json = "{\n  title: \"Hello\",\n  priority: 5\n}\n"
      try folder.write(json, to: "a.json")
      try folder.write("{ title: \"b\" }", to: "b.json")
      let one = try dflatc("convert", "post.fbs", "a.json", "-o", "a.bin", in: folder)
      #expect(one.status == 0 && one.error.isEmpty && one.output.isEmpty, "\(one.error)")
      #expect(try dflatc("convert", "post.fbs", "a.bin", in: folder).output == json)
      let both = try dflatc("convert", "--schema", "post.fbs", "a.json", "b.json", "-o", "out/", in: folder)
      #expect(both.status == 0, "\(both.error)")
      #expect(try folder.appending(path: "out").names() == ["a.post", "b.post"])
      let bytes = try Data(contentsOf: folder.appending(path: "a.bin"))
      #expect(try bytes == Data(contentsOf: folder.appending(path: "out/a.post")))
      let piped = try runProgram(
        productsFolder.appending(path: "dflatc").path,
        ["convert", "-t", "--strict-json", "--compact", "post.fbs", "-"],
        input: bytes, in: folder)
      #expect(String(decoding: piped.output, as: UTF8.self) == "{\"title\": \"Hello\",\"priority\": 5}\n")
    }
  }

  @Test("The last field of a table comes back whenever the schema may have so many fields")
  func lastField() throws {
    try withFolder { folder in
      for (count, isValid) in [(32_765, true), (32_766, false)] {
        let fields = (0..<count).map { "f\($0): int;" }.joined()
        try folder.write("table T { \(fields) } root_type T;\n", to: "t.fbs")
        let json = "{\n  f\(count - 1): 7\n}\n"
        try folder.write(json, to: "t.json")
        let binary = try dflatc("convert", "t.fbs", "t.json", "-o", "t.bin", in: folder)
        #expect(binary.status == (isValid ? 0 : 1), "\(count): \(binary.error)")
        if isValid { #expect(try dflatc("convert", "t.fbs", "t.bin", in: folder).output == json) }
      }
    }
  }

  @Test("Nothing is written if two inputs would become one file, or an input would be replaced")
  func sharedTargets() throws {
    try withFolder { folder in
      try folder.write(Self.schema, to: "post.fbs")
      let json = "{ title: \"a\" }"
      for path in ["a/x.json", "b/x.json", "c/y.json"] { try folder.write(json, to: path) }
      let shared = try dflatc("convert", "post.fbs", "c/y.json", "a/x.json", "b/x.json", "-o", "out/", in: folder)
      #expect(shared.status == 2 && shared.error.contains("a/x.json and b/x.json would both be"), "\(shared.error)")
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out").path))
      try folder.write(Self.schema.replacing("\"post\"", with: "\"json\""), to: "json.fbs")
      let replaced = try dflatc("convert", "json.fbs", "a/x.json", "-o", "a/", in: folder)
      #expect(replaced.status == 2 && replaced.error.contains("a/x.json is an input"), "\(replaced.error)")
      #expect(try String(contentsOf: folder.appending(path: "a/x.json"), encoding: .utf8) == json)
      let schema = try dflatc("convert", "post.fbs", "a/x.json", "-o", "./post.fbs", in: folder)
      #expect(schema.status == 2 && schema.error.contains("is an input"), "\(schema.error)")
      // Objects at the ends of schemas are written under the schemas' names.
      for name in ["one", "two"] {
        try folder.write("table \(name) { x: int; } root_type \(name); { x: 1 }", to: "\(name)/s.fbs")
      }
      let objects = try dflatc("convert", "-b", "one/s.fbs", "two/s.fbs", "-o", "out", in: folder)
      #expect(objects.status == 2 && objects.error.contains("would both be written to"), "\(objects.error)")
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out").path))
      // One input under two paths is one object.
      let twice = try dflatc("convert", "post.fbs", "a/x.json", "./a/x.json", "-o", "out", in: folder)
      #expect(twice.status == 0, "\(twice.error)")
    }
  }

  @Test("A number with several names is printed as flatc prints it, and each name is read")
  func enumAliases() throws {
    try withFolder { folder in
      try folder.write(
        """
        enum Shade: byte { Black, Grey, Gray = 1 }
        enum Options: ubyte (bit_flags) { Gift, Express, Fast = 1 }
        table Paint { shade: Shade; options: Options; }
        root_type Paint;

        """, to: "paint.fbs")
      try folder.write("{ shade: \"Grey\", options: \"Gift Fast\" }", to: "paint.json")
      let written = try dflatc("convert", "-b", "paint.fbs", "paint.json", "-o", "ours.bin", in: folder)
      #expect(written.status == 0, "\(written.error)")
      // With a comment, the JSON is read in the other way, by a tree.
      try folder.write("{ /* by name */ shade: \"Gray\", options: \"Gift Fast\" }", to: "commented.json")
      let commented = try dflatc("convert", "-b", "paint.fbs", "commented.json", "-o", "commented.bin", in: folder)
      #expect(commented.status == 0, "\(commented.error)")
      #expect(
        try Data(contentsOf: folder.appending(path: "commented.bin"))
          == Data(contentsOf: folder.appending(path: "ours.bin")))
      let text = try dflatc("convert", "-t", "paint.fbs", "ours.bin", in: folder).output
      #expect(text == "{\n  shade: \"Gray\",\n  options: \"Gift Express Fast\"\n}\n")
      guard FileManager.default.isExecutableFile(atPath: "/usr/bin/flatc") else { return }
      _ = try runTool("flatc", ["-b", "paint.fbs", "paint.json"], in: folder)
      let ours = try Data(contentsOf: folder.appending(path: "ours.bin"))
      #expect(try ours == Data(contentsOf: folder.appending(path: "paint.bin")))
      _ = try runTool("flatc", ["-t", "--raw-binary", "paint.fbs", "--", "paint.bin"], in: folder)
      #expect(try String(contentsOf: folder.appending(path: "paint.json"), encoding: .utf8) == text)
    }
  }

  @Test("Wrong data is refused with its position and exit code 1")
  func wrongData() throws {
    try withFolder { folder in
      try folder.write(Self.schema, to: "post.fbs")
      try folder.write("{ title: 5 }", to: "bad.json")
      let bad = try dflatc("convert", "post.fbs", "bad.json", in: folder)
      #expect(bad.status == 1 && bad.output.isEmpty)
      #expect(bad.error.contains("error[D0233]") && bad.error.contains("--> bad.json:1:10"), "\(bad.error)")
      try folder.write("{ text: \"x\" }", to: "comment.json")
      let comment = try dflatc(
        "convert", "post.fbs", "--root-type", "Comment", "comment.json", "-o", "c.bin", in: folder)
      #expect(comment.status == 0, "\(comment.error)")
      let bytes = try Data(contentsOf: folder.appending(path: "c.bin"))
      try Data(bytes.prefix(20)).write(to: folder.appending(path: "cut.bin"))
      let cut = try dflatc("convert", "post.fbs", "cut.bin", in: folder)
      #expect(cut.status == 1 && cut.error.contains("cut.bin is not a FlatBuffer of `Post`"), "\(cut.error)")
      var other = [UInt8](bytes)
      other[4] = UInt8(ascii: "X")
      try Data(other).write(to: folder.appending(path: "other.bin"))
      let identifier = try dflatc("convert", "post.fbs", "other.bin", in: folder)
      #expect(identifier.status == 1 && identifier.error.contains("at byte 4: the file identifier is \"XOST\""))
      #expect(identifier.error.contains("--raw-binary reads it nevertheless"))
      #expect(try dflatc("convert", "--raw-binary", "post.fbs", "other.bin", in: folder).status == 0)
    }
  }

  @Test("A binary schema converts as its text does, and is data where a schema is named")
  func binarySchemas() throws {
    try withFolder { folder in
      try folder.write(Self.schema, to: "post.fbs")
      try folder.write("{ title: \"Hello\" }", to: "a.json")
      let compiled = try dflatc("compile", "--emit", "bfbs", "-o", ".", "post.fbs", in: folder)
      #expect(compiled.status == 0, "\(compiled.error)")
      for arguments in [["post.bfbs", "a.json", "-o", "a.bin"], ["--schema", "post.bfbs", "a.json", "-o", "b.bin"]] {
        let result = try run(productsFolder.appending(path: "dflatc"), ["convert"] + arguments, in: folder)
        #expect(result.status == 0, "\(result.error)")
      }
      #expect(try dflatc("convert", "post.fbs", "a.json", "-o", "c.bin", in: folder).status == 0)
      let bytes = try ["a.bin", "b.bin", "c.bin"].map { try Data(contentsOf: folder.appending(path: $0)) }
      #expect(bytes[0] == bytes[2] && bytes[1] == bytes[2])
      #expect(try dflatc("convert", "post.bfbs", "a.bin", in: folder).output == "{\n  title: \"Hello\"\n}\n")
      // With another schema it is data, whose identifier is not that schema's.
      let data = try dflatc("convert", "post.fbs", "post.bfbs", in: folder)
      #expect(data.status == 1 && data.error.contains("the file identifier is \"BFBS\""), "\(data.error)")
      let whole = try Data(contentsOf: folder.appending(path: "post.bfbs"))
      try whole.prefix(whole.count / 2).write(to: folder.appending(path: "cut.bfbs"))
      let cut = try dflatc("convert", "cut.bfbs", "a.bin", in: folder)
      #expect(cut.status == 3 && cut.error.contains("cannot read cut.bfbs: it is damaged: "), "\(cut.error)")
    }
  }

  @Test("The object that ends a schema becomes what flatc makes of it, if no data is named")
  func objectOfSchema() throws {
    try withFolder { folder in
      let text = "namespace N; enum E: byte { A, B } table T { i: int; e: E; } root_type T; file_extension \"tt\";"
      try folder.write(text + " { i: \"E.B\", e: B }", to: "one.fbs")
      let one = try dflatc("convert", "-b", "one.fbs", "-o", "ours.bin", in: folder)
      #expect(one.status == 0 && one.error.isEmpty, "\(one.error)")
      let bytes = try Data(contentsOf: folder.appending(path: "ours.bin"))
      _ = try runTool("flatc", ["-b", "one.fbs"], in: folder)
      #expect(try bytes == Data(contentsOf: folder.appending(path: "one.tt")))
      // Each of several is a file of its own, and the data that is named comes before the schema's object.
      try folder.write("include \"one.fbs\"; table R { t: N.T; } root_type R; { t: { i: 3 } }", to: "two.fbs")
      let both = try dflatc("convert", "-b", "one.fbs", "two.fbs", "-o", "out", in: folder)
      #expect(both.status == 0, "\(both.error)")
      #expect(try folder.appending(path: "out").names() == ["one.tt", "two.bin"])
      #expect(try bytes == Data(contentsOf: folder.appending(path: "out/one.tt")))
      try folder.write("{ i: 4 }", to: "a.json")
      let named = try dflatc("convert", "one.fbs", "a.json", "-o", "a.bin", in: folder)
      #expect(named.status == 0, "\(named.error)")
      #expect(try dflatc("convert", "one.fbs", "a.bin", in: folder).output == "{\n  i: 4\n}\n")
    }
  }

  @Test(
    "The object that ends a schema is refused if its bytes would not verify, or if it is not strict where it must be")
  func wrongObjectOfSchema() throws {
    try withFolder { folder in
      let text = "table A {} union U { A } table T { us: [U]; } root_type T; "
      try folder.write(text + "{ us_type: [A, A], us: [{}] }", to: "more.fbs")
      let more = try dflatc("convert", "-b", "more.fbs", "-o", "more.bin", in: folder)
      #expect(more.status == 1 && more.error.contains("error[D0238]"), "\(more.error)")
      #expect(more.error.contains("more.fbs:1:75"), "\(more.error)")
      try folder.write(text + "{ us_type: [], us: [] }", to: "loose.fbs")
      let loose = try dflatc("convert", "-b", "--strict-json", "loose.fbs", "-o", "loose.bin", in: folder)
      #expect(loose.status == 1 && loose.error.contains("error[D0246]"), "\(loose.error)")
      try folder.write(text, to: "none.fbs")
      let none = try dflatc("convert", "-b", "none.fbs", in: folder)
      #expect(none.status == 2 && none.error.contains("none.fbs ends with no JSON object"), "\(none.error)")
      #expect(try folder.names() == ["loose.fbs", "more.fbs", "none.fbs"])
    }
  }

  @Test("Strings that are not UTF-8 go both ways, if they may")
  func invalidUTF8() throws {
    try withFolder { folder in
      try folder.write(Self.schema, to: "post.fbs")
      let json = "{\n  title: \"caf\\xE9\\xFF\"\n}\n"
      try folder.write(json, to: "a.json")
      let refused = try dflatc("convert", "post.fbs", "a.json", "-o", "a.bin", in: folder)
      #expect(refused.status == 1 && refused.error.contains("error[D0106]"), "\(refused.error)")
      let written = try dflatc("convert", "--allow-non-utf8", "post.fbs", "a.json", "-o", "a.bin", in: folder)
      #expect(written.status == 0, "\(written.error)")
      let bytes = try [UInt8](Data(contentsOf: folder.appending(path: "a.bin")))
      #expect(Data(bytes).range(of: Data([5, 0, 0, 0] + Array("caf".utf8) + [0xE9, 0xFF, 0])) != nil)
      #expect(try dflatc("convert", "post.fbs", "a.bin", in: folder).status == 1)
      #expect(try dflatc("convert", "--allow-non-utf8", "post.fbs", "a.bin", in: folder).output == json)
      // As bytes that stand there as they are.
      try Data(Array("{ title: \"caf".utf8) + [0xE9, 0xFF] + Array("\" }".utf8)).write(
        to: folder.appending(path: "b.json"))
      let raw = try dflatc("convert", "--allow-non-utf8", "post.fbs", "b.json", "-o", "b.bin", in: folder)
      #expect(raw.status == 0, "\(raw.error)")
      #expect(try [UInt8](Data(contentsOf: folder.appending(path: "b.bin"))) == bytes)
    }
  }

  @Test(
    "JSON of 8 MB becomes a FlatBuffer of 4 MB with less than 60 MB of memory",
    arguments: [
      // As programs write it, as people do, and with fields that are passed over.
      (##"{"id": #, "name": "item #", "tag": "Green", "u": {"id": 1}, "u_type": "Item""##, []),
      (##"{id: #, /* the "name" */ name: 'item #', tag: Green, // of it\n u: {id: 1,}, u_type: Item"##, []),
      (##"{"id": #, "name": "item #", "more": {"a": [1, "x"]}, "u": {"id": 1}, "u_type": "Item""##, ["--unknown-json"]),
    ])
  func memory(start: String, options: [String]) throws {
    try withFolder { folder in
      let schema = """
        enum Tag: byte { Red, Green } struct Pos { x: int; y: int; }
        table Item { id: int; name: string; price: double; tag: Tag; pos: Pos; ok: bool; u: U; }
        union U { Item } table R { items: [Item]; } root_type R;
        """
      try folder.write(schema, to: "items.fbs")
      let start = start.replacing("\\n", with: "\n")
      let items = (0..<75_000).map { number in
        start.replacing("#", with: "\(number)")
          + #", "price": \#(number).25, "pos": {"x": 1, "y": \#(number)}, "ok": true}"#
      }
      try folder.write("{\"items\": [\(items.joined(separator: ", "))]}", to: "items.json")
      // The limit is that of the data segment and private mappings, which no reserve of the text's size may exceed.
      let command = "ulimit -d 60000; exec \"$0\" convert \(options.joined()) items.fbs items.json -o items.bin"
      let result = try run(
        URL(fileURLWithPath: "/bin/sh"), ["-c", command, productsFolder.appending(path: "dflatc").path], in: folder)
      #expect(result.status == 0, "\(result.error.prefix(500))")
      #expect(try Data(contentsOf: folder.appending(path: "items.bin")).count > 4_000_000)
    }
  }

  @Test("Wrong usage is answered with what to write")
  func usage() throws {
    try withFolder { folder in
      try folder.write("table Post { title: string; }\n", to: "post.fbs")
      try folder.write("{}", to: "a.json")
      for (arguments, answer) in [
        (["a.json"], "Name the schema of the data: dflatc convert post.fbs a.json"), (["post.fbs"], "Name the data"),
        (["post.fbs", "-"], "-t for JSON, -b for a FlatBuffer"), (["-t", "-b", "post.fbs", "a.json"], "choose one"),
        (["post.fbs", "a.json"], "no root_type: name the table with --root-type"),
        (["post.fbs", "a.json", "--root-type", "Pots"], "Did you mean 'Post'?"),
      ] {
        let result = try run(productsFolder.appending(path: "dflatc"), ["convert"] + arguments, in: folder)
        #expect(result.status == 2 && result.error.contains(answer), "\(arguments): \(result.error)")
      }
      #expect(try dflatc("convert", "post.fbs", "--root-type", "Post", "none.bin", in: folder).status == 3)
    }
  }
}
