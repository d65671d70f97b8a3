import ConformanceSupport
import FBSSchema
import FlatBuffersJSON
import Foundation
import TestSupport
import Testing

/// That both ways of reading give the same bytes is checked wherever tests make a buffer of JSON: see `JSONSchema.binary`.
@Suite("JSON that is written while it is read")
struct PlainObjectTests {
  private static let text = """
    namespace N; enum E: byte { A, B, C = 5 } enum F: ubyte (bit_flags) { X, Y, Z } enum W: ulong { Low, High = 9223372036854775809 }
    struct S { x: int; y: float; } struct P { s: S; all: [S:2]; bytes: [ubyte:3]; e: E; }
    struct K { id: int (key); a: byte; } table I { i: int; s: string; e: E; } table Named { k: string (key); v: int; }
    union U { I, S, str: string }
    table T {
      f: float = 1.5; d: double; b: bool; i8: byte; u64: ulong; w: W; e: E = B; flags: F; optional: int = null;
      s: string; shared: string (shared); must: I (required); at: S; p: P; t: T; u: U; us: [U]; v: U;
      bytes: [ubyte]; reals: [double]; es: [E]; bools: [bool]; names: [string]; ss: [S]; ks: [K]; ts: [T]; named: [Named];
      aligned: [short] (force_align: 16); old: int (deprecated); h: uint (hash: "fnv1_32");
      nested: [ubyte] (nested_flatbuffer: "N.I"); any: [ubyte] (flexbuffer);
    }
    root_type T;
    """

  private static let plain = [
    "", "f: -2.5e-3, d: 1e300, b: true", "f: 7, d: -0.0, b: 0", "i8: -128, u64: 18446744073709551615, w: High",
    "e: C, flags: \"X Z\"", "e: \"A\", flags: 255", "e: 5, optional: null", "optional: -2147483648",
    "s: \"\"", "s: \"a\\n\\u00e9\\\"\\ud83c\\udf88\\\\\", shared: \"日本\"",
    "shared: \"x\", t: { shared: \"x\", must: {} }",
    "s: null, t: null, ts: null, at: null, u: null", "at: { x: 1, y: 2 }", "at: { y: 2, x: 1 }", "at: [1, 2]",
    "p: { s: { x: 1, y: 2 }, all: [{ x: 3, y: 4 }, [5, 6]], bytes: [7, 8, 9], e: C }",
    "p: { e: \"B\", bytes: [7, 8, 9], all: [[1, 2], [3, 4]], s: [5, 6] }",
    "u_type: I, u: { i: 1, s: \"x\" }", "u_type: S, u: { x: 1, y: 2 }", "u_type: \"str\", u: \"x\"",
    "u_type: 3, u: \"x\"",
    "u: { i: 1 }, u_type: I", "u: \"x\", b: true, v: { x: 1, y: 2 }, s: \"}\\\"\", v_type: S, u_type: str",
    "us_type: [str, S, I], us: [\"x\", { x: 1, y: 2 }, { s: \"y\" }]",
    "us: [{ x: 1, y: 2 }, {}], b: true, us_type: [\"S\", \"I\"]", "us_type: [], us: []", "u_type: NONE", "u_type: 0",
    "t: { u: { i: 1 }, t: { u: \"x\", must: {}, u_type: str }, u_type: I, must: {} }",
    "bytes: [1, 2, 255], reals: [1, 2.5, -1e9], es: [A, \"C\", 1], bools: [true, false, 1]",
    "bytes: [], reals: [ ], ts: []",
    "names: [\"a\", \"\", \"a\"], ss: [{ x: 1, y: 2 }, { y: 4, x: 3 }]", "ks: [[3, 1], [-1, 2], [2, 3]]",
    "named: [{ k: \"b\" }, { k: \"a\", v: 1 }, { v: 2, k: \"\" }]", "ts: [{ must: {} }, { must: { i: 5 }, f: 2 }]",
    "aligned: [1, 2, 3], h: 7", "\"f\" : 1 , \"s\"\n:\r\n\"x\"", "\"$schema\": \"x.json\", f: 1",
    "names: [\"a\",], f: 1,",
    "f: nan, d: -inf, reals: [inf, \"-inf\", \"nan\", \"inf\"]", "nested: { i: 1, e: \"C\", s: null }",
    "any: { a: [1, -2.5, \"x\\n\", null, true, { \"b c\": [] }], z: {}, \"k\": 9223372036854775807 }", "any: [[1e3]]",
    "any: \"x\"",
    "s: 'x'", "s: 'a\"\\'b\\u00e9'", "'s': 'x', e: 'C', flags: 'X Z', names: ['', 'it', \"'\"]", "d: 'nan'",
    "u: 'x', b: true, u_type: 'str', s: '}'", "any: { 'a b': ['x', 1/* */] }", "nested: { e: 'C', s: 'x' }",
    "/* a * b **/ f: 1 // to the end\n, d: 2/**/, b: /* , */ true", "e: C//\r\n, ks: [[1, 2] /**/, /**/ [0, 1]]",
    "u: { i: 1 /* } */ }, // ]\n u_type: I", "at: { x: 1, // x\n y: 2 }",
  ]

  private static let others = [
    "f: infinity", "f: -nan", "f: rad(180)", "f: +1", "f: .5", "i8: 0x10", "i8: \"5\"", "d: \"1.5\"", "f: 1 / 2",
    "/* f: 1", "/// doc\n f: 1", "f: 1 /// doc\n", "/* \0 */ f: 1", "*/ f: 1", "s: 'x\"", "h: 'x'", "h: \"x\"",
    "f: 1'000", "unknown: 1",
    "nested: { e: C }", "any: { a: 1, a: 2 }", "any: nan", "any: 0x10",
    "any: 18446744073709551616", "any: [-99999999999999999999]", "old: 1", "e: 7", "u_type: I", "b: \"true\"",
    "\"\\u0066\": 1", "u64: \"N.E.B\"",
    "ts: [[1.5, 0, false, 0, 0, Low, B, 0, null, \"s\", \"t\", {}]]",
  ]

  private func object(_ fields: String) -> String {
    "{ \(fields.isEmpty || fields.hasSuffix(",") ? fields : fields + ",") must: {} }"
  }

  private func isPlain(_ json: String, _ schema: JSONSchema, isStrict: Bool = false) -> Bool {
    schema.converter.binary(fromPlain: Array(json.utf8), as: schema.root, options: .init(isStrict: isStrict)) != nil
  }

  @Test("JSON that programs write is read without a tree")
  func plain() throws {
    let schema = try JSONSchema(Self.text)
    for fields in Self.plain {
      let json = object(fields)
      #expect(schema.binary(json).bytes != nil, "\(json) \(schema.binary(json).diagnostics.map(\.message))")
      #expect(isPlain(json, schema), "\(json)")
      // Cut off anywhere, it is none.
      for count in 0..<json.utf8.count {
        #expect(!isPlain(String(decoding: json.utf8.prefix(count), as: UTF8.self), schema))
      }
    }
  }

  @Test("Unusual forms, and what brings a warning, are left to the tree")
  func others() throws {
    let schema = try JSONSchema(Self.text)
    for fields in Self.others { #expect(!isPlain(object(fields), schema), "\(fields)") }
    for json in ["{ must: {} } {}", "", "[]", "{}", "{ must: {}, must: {} }", "{ must: {} };"] {
      #expect(!isPlain(json, schema), "\(json)")
    }
    for json in ["{ must: {} }", "{ \"must\": {}, }", "{ \"must\": {}, \"e\": A }"] {
      #expect(!isPlain(json, schema, isStrict: true), "\(json)")
    }
    #expect(isPlain("{ \"must\": {}, \"e\": \"A\", \"b\": true }", schema, isStrict: true))
  }

  @Test("JSON after a byte order mark, or between comments, is read without a tree")
  func edges() throws {
    let schema = try JSONSchema(Self.text)
    for json in ["\u{FEFF}{ must: {} }", "// a\n{ must: {} } // b", "/* a */ { must: {} }\n/* b */"] {
      #expect(schema.binary(json).bytes != nil && isPlain(json, schema), "\(json)")
    }
    #expect(!isPlain("{ must: {} } /", schema) && !isPlain("{ must: {} } /*", schema))
  }

  @Test(
    "Unknown fields are passed over where that is asked for, whatever they hold",
    arguments: [
      "x: 1", "x: -1.5e300, 'y': Red, z: null", "x: { a: [1, { b: {}, }, [], 'c'], \"d\": true }, f: 1", "x: 1, x: 2",
      "at: { x: 1, z: { a: [] }, y: 2 }", "t: { must: { x: [\"\\u00e9\"] } }, u: { y: 1 }, u_type: S, x: [",
      "x: { a }", "x: [1 2]", "x: \"\\q\"", "x: 1.2.3", "x:", "x: { \"a\": 1", "x: rad(180)", "at: { x: 1, z: 2 }",
    ])
  func unknownFields(fields: String) throws {
    let schema = try JSONSchema(Self.text)
    let options = ObjectResolver.Options(ignoresUnknownFields: true)
    let json = object(fields)
    let (bytes, diagnostics) = schema.binary(json, options)
    let plain = schema.converter.binary(fromPlain: Array(json.utf8), as: schema.root, options: options)
    let isUnusual = fields.contains("rad")
    #expect((plain != nil) == (bytes != nil && !isUnusual), "\(json) \(diagnostics.map(\.message))")
    #expect(!isPlain(json, schema), "\(json)")
  }

  @Test("Values of unknown fields are strict JSON where all is")
  func strictUnknownFields() throws {
    let schema = try JSONSchema(Self.text)
    let options = ObjectResolver.Options(isStrict: true, ignoresUnknownFields: true)
    for (value, isStrict) in [
      ("1", true), ("[true, null, { \"a\": \"b\" }]", true), ("Red", false), ("'a'", false), ("{ a: 1 }", false),
      ("[1,]", false),
    ] {
      let json = "{ \"must\": {}, \"x\": \(value) }"
      let plain = schema.converter.binary(fromPlain: Array(json.utf8), as: schema.root, options: options)
      #expect((plain != nil) == isStrict && (schema.binary(json, options).bytes != nil) == isStrict, "\(json)")
    }
  }

  @Test("Strict JSON of random objects, as jq -S sorts it, needs no tree")
  func sorted() throws {
    let schema = try JSONSchema(Self.text)
    var objects = RandomObject(schema.schema, seed: 5)
    var count = 0
    for _ in 0..<100 {
      guard let bytes = schema.binary(objects.table(schema.root)).bytes else { continue }
      let text = try schema.json(bytes, .init(isStrict: true, hasExactNumbers: true)).get()
      let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
      let sorted = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
      let again = schema.binary(String(decoding: sorted, as: UTF8.self))
      let hasOthers = text.contains("\"old\"")
      #expect(again.bytes != nil, "\(text) \(again.diagnostics.map(\.message))")
      #expect(hasOthers || isPlain(String(decoding: sorted, as: UTF8.self), schema), "\(text)")
      if !hasOthers { count += 1 }
    }
    #expect(count >= 10, "\(count)")
  }
}
