import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON
import Foundation
import TestSupport
import Testing

@Suite("FlatBuffers to JSON and back")
struct ConversionTests {
  static let text = """
    enum E: byte { A, B, C = 5 } enum F: ubyte (bit_flags) { X, Y, Z }
    struct S { x: int; y: float; } struct K { a: byte; id: int (key); z: [ubyte:3]; }
    table I { i: int; s: string; e: E; } table Named { k: string (key); v: int; } table Short { k: short (key); }
    union U { I, S, str: string }
    table T {
      f: float = 1.5; d: double = nan; u: U; us: [U]; old: int (deprecated); must: string;
      h: uint (hash: "fnv1a_32"); hs: [ulong] (hash: "fnv1_64"); h16: ushort (hash: "fnv1_16");
      nested: [ubyte] (nested_flatbuffer: "T"); any: [ubyte] (flexbuffer); flags: F; e: E = B;
      named: [Named]; shorts: [Short]; keyed: [K]; shared: string (shared); shared2: string (shared);
      aligned: [ubyte] (force_align: 16); names: [string]; t: T; optional: int = null;
    }
    table Ordered (original_order) { a: byte; b: long; c: short; t: T; }
    root_type T;
    file_identifier "TEST";
    """

  private static let objects = [
    "{}", "{ f: 1.5, d: nan, e: B }", "{ f: -inf, d: 1e300, e: 5 }", "{ f: -0.0, d: 0.1 }", "{ optional: null }",
    "{ u: { i: 1 }, u_type: I }", "{ u_type: str, u: \"x\" }", "{ u_type: S, u: [1, 2] }",
    "{ us_type: [str, S, I, str], us: [\"a\", { x: 1, y: 2 }, { s: null }, \"\"] }", "{ us_type: [], us: [] }",
    "{ h: \"abc\", hs: [\"a\", 5], h16: 7 }", "{ old: 4 }", "{ flags: \"X Z\" }", "{ flags: 255 }", "{ e: 9 }",
    "{ nested: { f: 2, nested: { e: 5 }, us_type: [\"S\"], us: [[1, 2]] } }", "{ any: null }", "{ any: {} }",
    #"{ any: { a: [1, "x", null, "x"], b: -inf, "c d": { q: 300, z: 1.5, a: [] }, t: true, "": 70000, n: -5000000000 } }"#,
    "{ any: 5 }", "{ any: \"long \(String(repeating: "é", count: 200))\" }", "{ any: [[[[1.1, 2]]], \"\"] }",
    "{ named: [{ k: \"b\" }, { k: \"a\", v: 3 }, { k: \"ab\" }] }", "{ shorts: [{ k: 5 }, {}, { k: -3 }] }",
    "{ keyed: [[1, 5, [1, 2, 3]], { a: 2, id: -4, z: [0, 0, 1] }, [3, 0, [9, 9, 9]]] }",
    "{ shared: \"same\", shared2: \"same\" }", "{ aligned: [1, 2, 3] }", "{ names: [\"a\", \"\", \"a\"] }",
    "{ \"$schema\": \"x\", t: { t: { t: { f: 1 } } }, must: \"\\uD83C\\uDF88\" }",
  ]

  @Test("Values that random objects do not have are written and printed as by C++")
  func agreement() throws {
    let schema = try JSONSchema(Self.text)
    try withFiles([("schema.fbs", Self.text)]) { file in
      let oracle = try JSONOracle.shared.get()
      let kinds: [OracleOptions] = [[], .forceDefaults]
      let answers = try oracle.ask(
        Self.objects.flatMap { object in kinds.map { (.binary(json: Array(object.utf8)), $0) } }, schema: file,
        root: "T")
      var binaries: [(object: String, bytes: [UInt8])] = []
      for (index, object) in Self.objects.enumerated() {
        for (kind, options) in kinds.enumerated() {
          let ours = schema.binary(object, forcesDefaults: options == .forceDefaults)
          #expect(
            ours.bytes == answers[2 * index + kind].bytes, "\(object) \(ours.diagnostics) \(answers[2 * index + kind])")
          if let bytes = ours.bytes { binaries.append((object, bytes)) }
        }
      }
      let printed = try oracle.ask(
        binaries.flatMap { binary in [OracleOptions(), .strictJSON].map { (.json(binary: binary.bytes), $0) } },
        schema: file, root: "T")
      for (index, (object, bytes)) in binaries.enumerated() {
        #expect(try schema.json(bytes).get() == printed[2 * index].bytes.map { String($0) })
        let theirs = printed[2 * index + 1].bytes.map { strict($0, isFlexible: object.contains("any:")) }
        #expect(try schema.json(bytes, .init(isStrict: true)).get() == theirs)
      }
    }
  }

  @Test("Strict JSON is JSON, whatever the numbers and bytes are, and C++ reads from it what was written")
  func strictJSON() throws {
    let schema = try JSONSchema(Self.text)
    let object = """
      { f: -inf, d: inf, nested: { f: "nan", d: -inf }, any: { a: [1, inf, -inf], b: 5 }, us_type: [I], us: [{ s: "x" }] }
      """
    let bytes = try #require(schema.binary(object).bytes)
    let forms: [JSONOptions] = [
      .init(isStrict: true), .init(isStrict: true, writesDefaults: true, hasExactNumbers: true),
    ]
    let texts = try forms.map { try schema.json(bytes, $0).get() }
    for text in texts {
      // Foundation's parser has no number above the largest double.
      let json = Data(text.replacing("1e999", with: "1e99").utf8)
      #expect(throws: Never.self, "\(text)") { try JSONSerialization.jsonObject(with: json) }
    }
    let again = try #require(schema.binary(texts[0], .init(isStrict: true)).bytes)
    #expect(try schema.json(again, forms[0]).get() == texts[0])
    try withFiles([("schema.fbs", Self.text)]) { file in
      let answer = try JSONOracle.shared.get().ask([(.binary(json: Array(texts[0].utf8)), [])], schema: file, root: "T")
      #expect(answer[0].bytes == again)
    }
    // A FlexBuffer's NaN becomes text. Its bytes that are not UTF-8 are refused, unless they may be written as `\xNN`.
    let nan = try #require(schema.binary("{ any: nan }").bytes)
    #expect(try schema.json(nan, .init(indentation: nil, isStrict: true)).get() == "{\"any\": \"nan\"}")
    let invalid = try #require(schema.binary("{ any: \"\\xFF\" }", .init(allowsInvalidUTF8: true)).bytes)
    guard case .failure(let fault) = schema.json(invalid, .init(isStrict: true)) else {
      Issue.record("It was written.")
      return
    }
    #expect(fault.reason == .invalidUTF8)
  }

  @Test(
    "A number or escape that strict JSON does not have is refused there, and its fix means the same",
    arguments: [
      (#""i": 0x1F"#, "`31`"), (#""i": -0x1f"#, "`-31`"), (#""i": 007"#, "`7`"),
      (#""i": +1"#, "`1`"), (#""d": .5"#, "`0.5`"), (#""d": 1."#, "`1.0`"), (#""d": -01.25e+03"#, "`-1.25e+03`"),
      (#""any": { "a": [1, 01] }"#, "`1`"), (#""s": "it\'s""#, "`'`"), (#""\x69": 1"#, nil), (#""s": "\x41""#, nil),
      (#""none": [{ "a": 0x10 }]"#, "`16`"), (#""d": -inf"#, "it in double quotes"),
      (#""d": nan"#, "it in double quotes"),
    ] as [(String, String?)])
  func strictTokens(fields: String, advice: String?) throws {
    let schema = try JSONSchema(
      "table T { i: int; d: double; s: string; any: [ubyte] (flexbuffer); } root_type T;")
    let json = "{ \(fields) }"
    let loose = try #require(schema.binary(json, .init(ignoresUnknownFields: true)).bytes, "\(json)")
    let options = ObjectResolver.Options(isStrict: true, ignoresUnknownFields: true)
    let (bytes, diagnostics) = schema.binary(json, options)
    #expect(bytes == nil && diagnostics.map(\.code.id) == ["D0246"], "\(diagnostics)")
    let diagnostic = try #require(diagnostics.first)
    guard let advice else {
      #expect(diagnostic.advice.contains("`\\uXXXX`") && diagnostic.fixes.isEmpty)
      return
    }
    #expect(diagnostic.advice == "write \(advice)")
    let edit = try #require(diagnostic.fixes.first?.edits.first)
    var text = Array(json.utf8)
    text.replaceSubrange(edit.range.start..<edit.range.end, with: Array(edit.replacement.utf8))
    #expect(schema.binary(String(text), options).bytes == loose)
  }

  @Test(
    "Strict JSON has all numbers and escapes of JSON",
    arguments: [
      #""i": 0, "d": -0.0"#, #""i": -10, "d": 1E5"#, #""d": 0.5e-03"#, #""s": "\/\b\f\n\r\t\"\\\u0041""#,
      #""any": [0, 10, 0.5, -1e3]"#, #""d": "nan", "none": [0, 0.5]"#,
    ])
  func tokensOfStrictJSON(fields: String) throws {
    let schema = try JSONSchema(
      "table T { i: int; d: double; s: string; any: [ubyte] (flexbuffer); } root_type T;")
    let json = "{ \(fields) }"
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.utf8)) }
    let options = ObjectResolver.Options(isStrict: true, ignoresUnknownFields: true)
    let (bytes, diagnostics) = schema.binary(json, options)
    #expect(bytes != nil && diagnostics.isEmpty, "\(json) \(diagnostics)")
    let plain = schema.converter.binary(fromPlain: Array(json.utf8), as: schema.root, options: options)
    #expect(plain != nil, "\(json)")
  }

  @Test("The fields of a table with original_order are written in that order")
  func originalOrder() throws {
    let schema = try JSONSchema(Self.text, root: "Ordered")
    let object = "{ a: 1, b: 2, c: 3, t: {} }"
    try withFiles([("schema.fbs", Self.text)]) { file in
      let answer = try JSONOracle.shared.get().ask(
        [(.binary(json: Array(object.utf8)), [])], schema: file, root: "Ordered")
      #expect(schema.binary(object).bytes == answer[0].bytes)
    }
  }

  @Test("A text for an enum with `hash` is hashed as by C++, also where it is the name of a value, or null")
  func hashedEnums() throws {
    let text = """
      enum G: int { A, B = 5 } struct S { g: G (hash: "fnv1a_32"); }
      table T { g: G (hash: "fnv1_32"); gs: [G] (hash: "fnv1a_32"); s: S; o: uint = null (hash: "fnv1_32"); }
      root_type T;
      """
    let objects = [
      "{ g: \"B\" }", "{ g: B }", "{ g: 5 }", "{ g: \"none\" }", "{ gs: [\"B\", 5, A] }", "{ s: { g: \"B\" } }",
      "{ s: [B] }", "{ s: { g: 5 } }", "{ o: null }", "{ o: \"x\" }", "{ o: 3 }",
    ]
    let schema = try JSONSchema(text)
    try withFiles([("schema.fbs", text)]) { file in
      let answers = try JSONOracle.shared.get().ask(
        objects.map { (.binary(json: Array($0.utf8)), []) }, schema: file, root: "T")
      for (object, answer) in zip(objects, answers) {
        let ours = schema.binary(object)
        #expect(ours.bytes != nil && ours.bytes == answer.bytes, "\(object) \(ours.diagnostics) \(answer)")
      }
    }
  }

  @Test("A key of a FlexBuffer ends at a zero byte, with a warning, and two that are equal up to there are one")
  func keysWithZeroBytes() throws {
    let schema = try JSONSchema(Self.text)
    for keys in [(#""a\u0000b""#, #""a""#), (#""a""#, #""a\u0000b""#), (#""a\u0000b""#, #""a\u0000c""#)] {
      let (bytes, diagnostics) = schema.binary("{ any: { \(keys.0): 1, \(keys.1): 2 } }")
      #expect(bytes == nil && diagnostics.map(\.message) == ["`a` is set twice"], "\(keys)")
      #expect(diagnostics.first?.notes == ["a key ends at its first zero byte"], "\(keys)")
    }
    for (key, name) in [("a\\u0000b", "`a`"), ("\\u0000", "empty"), ("\\u0000a", "empty")] {
      let (bytes, diagnostics) = schema.binary("{ any: { \"\(key)\": 1, \"b\": 2 } }")
      #expect(bytes != nil && diagnostics.map(\.message) == ["this key becomes \(name)"], "\(key)")
      #expect(diagnostics.map(\.severity) == [.warning])
    }
  }

  @Test("Whole numbers of 64 bits are kept in FlexBuffers, and larger ones are rounded, with a warning")
  func largeFlexibleNumbers() throws {
    let schema = try JSONSchema(Self.text)
    func printed(_ value: String) throws -> (text: String, warnings: [String]) {
      let (bytes, diagnostics) = schema.binary("{ any: \(value) }")
      let text = try schema.json(#require(bytes, "\(value)"), .init(indentation: nil)).get()
      return (text, diagnostics.map(\.message))
    }
    let kept = "[ 9223372036854775807, 9223372036854775808, 18446744073709551615, -9223372036854775808, 0 ]"
    let (text, warnings) = try printed(kept)
    #expect(text == "{any: \(kept)}" && warnings.isEmpty, "\(text) \(warnings)")
    #expect(try printed("0xFFFFFFFFFFFFFFFF").text == "{any: 18446744073709551615}")
    #expect(try printed("0x10").text == "{any: 16}")
    for (number, result) in [
      ("18446744073709551616", "18446744073709551616.0"), ("-9223372036854775809", "-9223372036854775808.0"),
      ("-18446744073709551615", "-18446744073709551616.0"), ("0x10000000000000000", "18446744073709551616.0"),
    ] {
      let (text, warnings) = try printed(number)
      #expect(text == "{any: \(result)}", "\(number)")
      #expect(warnings == ["`\(number)` is beyond 64 bits: it becomes a floating-point number"])
    }
  }

  @Test("Offsets and lengths of 64 bits are written and read")
  func wideOffsets() throws {
    let schema = try JSONSchema(
      "table T { s: string (offset64); v: [int] (vector64); w: [ubyte] (offset64); n: int; } root_type T;")
    let object = "{\n  s: \"x\",\n  v: [\n    1,\n    2\n  ],\n  w: [\n    3\n  ],\n  n: 4\n}\n"
    let bytes = try #require(schema.binary(object).bytes)
    #expect(try schema.json(bytes).get() == object)
  }

  @Test("The smallest numbers are unchanged after conversion to JSON and back")
  func exactNumbers() throws {
    let schema = try JSONSchema("table T { f: float; d: double; } root_type T;")
    let bytes = try #require(schema.binary("{ f: 1e-40, d: 5e-324 }").bytes)
    #expect(try schema.json(bytes, .init(indentation: nil)).get() == "{f: 0.0,d: 0.0}")
    let exact = try schema.json(bytes, .init(indentation: nil, hasExactNumbers: true)).get()
    #expect(schema.binary(exact).bytes == bytes)
  }

  @Test("An error in JSON shows its position and what to do")
  func diagnostics() throws {
    let schema = try JSONSchema(Self.text)
    func text(_ json: String, _ options: ObjectResolver.Options = .init()) -> String {
      let result = schema.resolver.resolve(json: Array(json.utf8), path: "data.json", as: schema.root, options: options)
      return DiagnosticRenderer(usesColor: false).render(result.diagnostics, in: result.sources)
    }
    let unknownField = text("{\n  shard: \"x\"\n}")
    #expect(
      unknownField.contains("error[D0231]: table `T` has no field `shard`\n --> data.json:2:3"), "\(unknownField)")
    #expect(unknownField.contains("^^^^^ did you mean `shared`?"))
    #expect(text("table X {}").contains("error[D0245]"))
    #expect(text("").contains("data.json:1:1"))
    #expect(text("[1]").contains("error["))
    #expect(text("{} {}").contains("error["))
    #expect(text("{ f: 1, }", .init(isStrict: true)).components(separatedBy: "D0246").count == 3)
    #expect(text("{ \"f\": 1 }", .init(isStrict: true)) == "")
    #expect(text("{ none: { a: [1, 2] }, f: 2 }", .init(ignoresUnknownFields: true)) == "")
    let unknown = schema.binary("{ none: { f: 7 }, f: 2 }", .init(ignoresUnknownFields: true)).bytes
    #expect(unknown == schema.binary("{ f: 2 }").bytes)
  }
}
