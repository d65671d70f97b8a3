import Foundation
import TestSupport
import Testing

@Suite("dflatc compile --emit json-schema")
struct JSONSchemaTests {
  private let schema = """
    namespace a.b;
    enum Color: byte { Red, Blue = 3 }
    enum Flags: ubyte (bit_flags) { X, Y }
    enum Kind: int { Small, Large }
    struct Mark { kind: Kind (hash: "fnv1_32"); place: ulong (hash: "fnv1a_64"); }
    struct Spot { a: int; color: Color; pair: [short:2]; }
    /// Some text.
    table Text { text: string; }
    table Nested { v: int; }
    union Content { Text, Spot, words: string }
    table Post {
      id: string (required);
      maybe: int = null;
      hue: Color = null;
      color: Color;
      flags: Flags;
      spot: Spot;
      content: Content;
      contents: [Content];
      old: int (deprecated);
      real: double;
      nested: [ubyte] (nested_flatbuffer: "Nested");
      any: [ubyte] (flexbuffer);
      hashed: uint (hash: "fnv1_32");
      kind: Kind (hash: "fnv1_32");
      kinds: [Kind] (hash: "fnv1a_32");
      places: [ulong] (hash: "fnv1_64");
      short: ushort (hash: "fnv1_16");
      mark: Mark;
      on: bool;
      big: ulong;
      small: byte;
      names: [string];
      texts: [Text];
      spots: [Spot];
      colors: [Color];
      self: Post;
    }
    root_type Post;

    """

  /// Documents that are read, and valid.
  private static let right = [
    #"{"id":"x"}"#,
    #"{"id":"x","maybe":null,"hue":null,"color":"Blue","flags":"X Y"}"#,
    #"{"id":"x","color":2,"flags":5,"small":-128,"big":18446744073709551615}"#,
    #"{"id":"x","spot":{"a":1,"color":"Red","pair":[1,2]},"real":"inf"}"#,
    #"{"id":"x","content_type":"Text","content":{"text":"t"}}"#,
    #"{"id":"x","content_type":"words","content":"t"}"#,
    #"{"id":"x","content_type":2,"content":{"a":1,"color":0,"pair":[1,2]}}"#,
    #"{"id":"x","content_type":"NONE"}"#,
    #"{"id":"x","contents_type":["Text","words"],"contents":[{},"w"]}"#,
    #"{"id":"x","old":3,"nested":{"v":3},"any":{"a":[1,2,"x"]},"hashed":"abc","on":true}"#,
    #"{"id":"x","names":["a","é"],"texts":[{},{"text":"t"}],"spots":[],"colors":["Red",3],"self":{"id":"y"}}"#,
    #"{"id":"x","kind":"any text","kinds":["a","Small",1],"places":["a",1],"mark":{"kind":"a","place":"b"},"short":7}"#,
  ]

  /// Documents that are not read, and not valid.
  private static let wrong = [
    #"{}"#, #"{"id":3}"#, #"{"id":"x","unknown":1}"#, #"{"id":"x","on":null}"#, #"{"id":"x","color":"Green"}"#,
    #"{"id":"x","flags":"X Z"}"#, #"{"id":"x","spot":{"a":1,"color":"Red"}}"#,
    #"{"id":"x","spot":{"a":1,"color":"Red","pair":[1,2],"z":1}}"#,
    #"{"id":"x","spot":{"a":1,"color":"Red","pair":[1]}}"#, #"{"id":"x","content":{"text":"t"}}"#,
    #"{"id":"x","content_type":"Text","content":"t"}"#, #"{"id":"x","content_type":9,"content":{}}"#,
    #"{"id":"x","contents_type":["NONE"],"contents":[{}]}"#, #"{"id":"x","nested":[1,2]}"#,
    #"{"id":"x","small":128}"#, #"{"id":"x","big":-1}"#, #"{"id":"x","names":["a",null]}"#,
    #"{"id":"x","self":{}}"#, #"{"id":"x","maybe":1.5}"#, #"{"id":"x","short":"abc"}"#,
  ]

  private static let hasValidator: Bool = {
    let result = try? run(
      URL(fileURLWithPath: "/usr/bin/env"), ["python3", "-c", "import jsonschema; jsonschema.Draft202012Validator"])
    return result?.status == 0
  }()

  /// Which documents a validator that knows nothing of this package takes.
  private func verdicts(_ files: [String], by schema: String, in folder: URL) throws -> [Bool] {
    let program = """
      import json, sys, jsonschema
      schema = json.load(open(sys.argv[1]))
      jsonschema.Draft202012Validator.check_schema(schema)
      validator = jsonschema.Draft202012Validator(schema)
      for path in sys.argv[2:]:
          print(validator.is_valid(json.load(open(path))))
      """
    let result = try run(
      URL(fileURLWithPath: "/usr/bin/env"), ["python3", "-c", program, schema] + files, in: folder)
    try #require(result.status == 0, "\(result.error)")
    return result.output.split(separator: "\n").map { $0 == "True" }
  }

  @Test(
    "A document that the JSON Schema accepts is read by convert, and what convert writes is accepted",
    .enabled(if: hasValidator, "Python's jsonschema is not installed"))
  func whatIsValidIsReadAndWhatIsWrittenIsValid() throws {
    try withFolder { folder in
      try folder.write(schema, to: "post.fbs")
      #expect(try dflatc("compile", "-o", ".", "--emit", "json-schema", "post.fbs", in: folder).status == 0)
      var given: [String] = []
      var written: [String] = []
      for (index, text) in Self.right.enumerated() {
        try folder.write(text, to: "right\(index).json")
        given.append("right\(index).json")
        let bytes = try dflatc("convert", "-b", "-o", "b\(index).bin", "post.fbs", "right\(index).json", in: folder)
        #expect(bytes.status == 0, "\(text): \(bytes.error)")
        for options in [["--strict-json"], ["--strict-json", "--defaults-json"]] {
          let name = "written\(index)\(options.count).json"
          let program = productsFolder.appending(path: "dflatc")
          let back = try run(
            program, ["convert", "-t"] + options + ["-o", name, "post.fbs", "b\(index).bin"], in: folder)
          #expect(back.status == 0, "\(back.error)")
          written.append(name)
        }
      }
      #expect(try verdicts(given, by: "post.schema.json", in: folder) == given.map { _ in true })
      #expect(try verdicts(written, by: "post.schema.json", in: folder) == written.map { _ in true })
      var wrong: [String] = []
      for (index, text) in Self.wrong.enumerated() {
        let name = try folder.write(text, to: "wrong\(index).json")
        wrong.append(name)
        #expect(try dflatc("convert", "-b", "-o", "x.bin", "post.fbs", name, in: folder).status == 1, "\(text)")
      }
      let found = try verdicts(wrong, by: "post.schema.json", in: folder)
      #expect(zip(Self.wrong, found).filter(\.1).map(\.0) == [])
    }
  }

  @Test("The JSON Schema of a union without members is valid, and admits no value of it")
  func unionsWithoutMembers() throws {
    try withFolder { folder in
      try folder.write("union U {}\ntable T { one: U; several: [U]; }\nroot_type T;\n", to: "none.fbs")
      #expect(try dflatc("compile", "-o", ".", "--emit", "json-schema", "none.fbs", in: folder).status == 0)
      let text = try String(contentsOf: folder.appending(path: "none.schema.json"), encoding: .utf8)
      #expect(text.contains("\"not\": {"))
      #expect(!text.contains("[]"))
      guard Self.hasValidator else { return }
      try folder.write(#"{"one_type":"NONE","several_type":[],"several":[]}"#, to: "right.json")
      try folder.write(#"{"one_type":"NONE","one":1}"#, to: "wrong.json")
      let found = try verdicts(["right.json", "wrong.json"], by: "none.schema.json", in: folder)
      #expect(found == [true, false])
    }
  }

  @Test("Each type is a definition by its name, with its comment as the description")
  func typesStandByNameWithTheirComments() throws {
    try withFolder { folder in
      try folder.write(schema, to: "post.fbs")
      try folder.write("include \"post.fbs\";\ntable Alone { p: a.b.Text; }\n", to: "alone.fbs")
      #expect(
        try dflatc("compile", "-o", ".", "--emit", "json-schema", "post.fbs", "alone.fbs", in: folder).status == 0)
      func read(_ name: String) throws -> [String: Any] {
        let data = try Data(contentsOf: folder.appending(path: name))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      }
      let post = try read("post.schema.json")
      #expect(post["$ref"] as? String == "#/$defs/a.b.Post")
      let types = try #require(post["$defs"] as? [String: [String: Any]])
      #expect(types["a.b.Text"]?["description"] as? String == "Some text.")
      #expect(
        types.keys.sorted()
          == ["Color", "Content", "Flags", "Kind", "Mark", "Nested", "Post", "Spot", "Text"].map { "a.b.\($0)" })
      let alone = try read("alone.schema.json")
      #expect(alone["$ref"] == nil && (alone["$defs"] as? [String: Any])?.keys.sorted() == ["Alone", "a.b.Text"])
    }
  }
}
