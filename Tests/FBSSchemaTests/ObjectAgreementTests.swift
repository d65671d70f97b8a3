import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import Testing

/// The JSON object that may end a file: flatc takes it to be data, and what it takes, we take.
@Suite("Agreement with flatc on JSON objects", .enabled(if: Flatc.isInstalled))
struct ObjectAgreementTests {
  /// Compares the verdicts on `text`, which is a schema and an object.
  private func compare(_ text: String, _ shown: String) throws {
    let flatc = try Flatc.accepts(text, ["-b"])
    let messages = compile(text).errors.map(\.message)
    #expect(messages.isEmpty == flatc, "flatc \(flatc ? "takes" : "refuses") \(shown), we say \(messages)")
  }

  @Test("dflatc and flatc accept and refuse the same objects", arguments: ObjectCases.topics.map(\.name))
  func verdict(_ topic: String) throws {
    let objects = try #require(ObjectCases.topics.first { $0.name == topic }).objects
    for object in objects { try compare(ObjectCases.schema + object, object) }
  }

  @Test("The cases hold many valid and many invalid objects")
  func casesAreMixed() {
    let verdicts = ObjectCases.topics.flatMap(\.objects).map { compile(ObjectCases.schema + $0).errors.isEmpty }
    #expect(verdicts.count > 300)
    #expect(verdicts.filter { $0 }.count > 120)
    #expect(verdicts.filter { !$0 }.count > 120)
  }

  @Test(
    "dflatc and flatc accept and refuse the same objects where the schema matters", arguments: ObjectCases.withSchemas)
  func schemas(_ schema: String, _ objects: [String]) throws {
    for object in objects { try compare(schema + object, object) }
  }

  @Test("dflatc and flatc accept and refuse the same objects at the limit of depth", arguments: ObjectCases.deep)
  func depth(_ name: String, _ opening: String, _ middle: String, _ closing: String) throws {
    var taken = 0
    for count in 55...66 {
      let object =
        (middle.hasPrefix("1") ? "{f:" : "{t:") + String(repeating: opening, count: count) + middle
        + String(repeating: closing, count: count) + "}"
      try compare(ObjectCases.deepSchema + object, "\(name), \(count) times")
      if compile(ObjectCases.deepSchema + object).errors.isEmpty { taken += 1 }
    }
    // The limit lies in the range that is looked at.
    #expect((1...11).contains(taken), "\(name): \(taken)")
  }

  @Test("Where dflatc differs from flatc on purpose, its error says why", arguments: ObjectCases.differences)
  func difference(_ object: String, isOurs: Bool, _ reason: String) throws {
    let text = ObjectCases.schema + object
    #expect(compile(text).errors.isEmpty == isOurs, "\(reason)")
    #expect(try Flatc.accepts(text, ["-b"]) != isOurs, "\(reason)")
  }

  @Test("Valid objects with a token deleted or doubled have flatc's verdict", arguments: ObjectCases.rich)
  func mutations(_ object: String) throws {
    let tokens = Parser.parse(SourceFile(id: FileID(0), path: "a", bytes: Array(object.utf8))).tree.tokens.dropLast()
    let bytes = Array(object.utf8)
    let words = tokens.map { String(decoding: bytes[Int($0.start)..<Int($0.end)], as: UTF8.self) }
    #expect(words.count > 20)
    try compare(ObjectCases.schema + words.joined(separator: " "), object)
    for index in words.indices {
      var deleted = words
      deleted.remove(at: index)
      try compare(ObjectCases.schema + deleted.joined(separator: " "), deleted.joined(separator: " "))
      var doubled = words
      doubled.insert(words[index], at: index)
      try compare(ObjectCases.schema + doubled.joined(separator: " "), doubled.joined(separator: " "))
    }
  }
}

extension ObjectCases {
  /// Schemas, with objects whose meaning depends on them.
  static let withSchemas: [(String, [String])] = [
    (
      #"namespace N; enum E:int{A,B} namespace N.M; enum F:int{C} table T{i:int; n:[ubyte](nested_flatbuffer:"T");} root_type T;"#,
      [
        #"{i:"E.A"}"#, #"{i:"N.E.A"}"#, #"{i:"F.C"}"#, #"{i:"N.M.F.C"}"#, #"{n:{i:"E.A"}}"#, #"{n:{i:"F.C"}}"#,
        #"{i:"E.A F.C"}"#,
      ]
    ),
    (#"namespace N; enum E:int{A,B} table T{i:int;} root_type T; namespace;"#, [#"{i:"E.A"}"#, "{i:1}"]),
    (
      #"enum E:int{A,B} namespace N; table T{i:int; n:[ubyte](nested_flatbuffer:"T");} root_type T;"#,
      [#"{i:"E.A"}"#, #"{n:{i:"E.A"}}"#]
    ),
    (
      "table I{a:int;} union U{I} table T{b:int(id:3);u:U(id:1);d:int(id:2,deprecated);} table R{t:T;} root_type R;",
      [
        #"{t:["I",{a:1},2,3]}"#, #"{t:[3,"I",{a:1},2]}"#, "{t:[I,{a:1},2,3]}", #"{t:["I",{a:1},3]}"#,
        #"{t:["I",null,{a:1},2,3]}"#, "{t:[NONE,null,2,3]}",
      ]
    ),
    (
      "table I{a:int;} union U{I} table T{b:int;u:U;} table R{t:T;} root_type R;",
      ["{t:[1,I,{}]}", "{t:[1,{},I]}"]
    ),
    (
      #"table T{u:int(hash:"fnv1_32");x:long(hash:"fnv1_64");} table R{n:[ubyte](nested_flatbuffer:"T");} root_type R;"#,
      [#"{n:{u:"a",x:"b"}}"#, "{n:{u:a}}"]
    ),
    (
      #"struct S{h:uint(hash:"fnv1a_32");} table T{s:S;} root_type T;"#, [#"{s:{h:"abc"}}"#, "{s:{h:1}}", "{s:{h:-1}}"]
    ),
    ("table A{a:int;} table B{b:int;} root_type A; root_type B;", ["{a:1}", "{b:1}"]),
    (
      "table T{a:[int](required);b:string;} root_type T;",
      ["{}", "{a:[]}", "{a:null}", "{a:null,a:[]}", "{a:[],a:null}"]
    ),
    ("table T{a:int=5;b:string;} root_type T;", ["{a:5}", "{a:null}", "{b:null}"]),
  ]

  static let deepSchema = """
    struct S{a:int;} struct D{s:S;} union U{I,J} table J {} table I{a:int;u:U;s:S;d:D;}
    table T{t:T;i:int;v:[T];vi:[int];f:float;x:[ubyte](flexbuffer);n:[ubyte](nested_flatbuffer:"T");s:S;d:D;u:U;}
    root_type T;

    """

  /// Values that stand in one another, by what is repeated before, in the middle, and after.
  static let deep: [(String, String, String, String)] = [
    ("tables", "{t:", "{}", "}"), ("tables with a number", "{t:", "{i:1}", "}"),
    ("tables with a list", "{t:", "{vi:[1]}", "}"), ("tables with null", "{t:", "null", "}"),
    ("tables in lists", "{v:[", "{}", "]}"), ("tables with a struct", "{t:", "{s:{a:1}}", "}"),
    ("tables with structs", "{t:", "{d:{s:{a:1}}}", "}"), ("tables with a call", "{t:", "{f:rad(1)}", "}"),
    ("tables with any value", "{t:", "{x:[1]}", "}"), ("tables with an empty list", "{t:", "{x:[]}", "}"),
    ("buffers in buffers", "{n:", "{}", "}"), ("buffers with a number", "{n:", "{i:1}", "}"),
    ("tables with a buffer", "{t:", "{n:{t:{t:{i:1}}}}", "}"), ("calls", "rad(", "1", ")"),
  ]

  static let differences: [(String, isOurs: Bool, String)] = [
    (
      #"{u_type:I,u:{i:1},u2:{r:"x"},u2_type:J}"#, true,
      "flatc takes the type of another field of the same union for this one's"
    ),
    (
      #"{u2_type:J,u_type:I,u:{i:1},u2:{r:"x"}}"#, true,
      "flatc takes the type of the last field of a union for that of all"
    ),
    ("{u_type:I,u:{i:1},u2:{i:2}}", false, "u2 has no type: what flatc writes cannot be read"),
    ("{vu_type:[I],vu:[{i:1}],vu2:[{i:2}]}", false, "vu2 has no types: what flatc writes cannot be read"),
    ("{vu2_type:[str],vu2:[\"x\"],vu_type:[I],vu:[{i:1}]}", true, "flatc takes the types of another field's values"),
  ]

  /// Valid objects of many tokens.
  static let rich = [
    #"{ i: 1, s: "x", e: A, ff: "X Y", vi: [1, 2], vt: [{ i: 1 }, { s: "y", e: "B" }], "b": true, f: rad(180) }"#,
    #"{ st: { x: 1, y: 2.5 }, p: { s: [1, 2], e: C, a: [1, 2, 3], ss: [{ x: 1, y: 2 }, [3, 4]], ee: [A, B] } }"#,
    #"{ u_type: I, u: { i: 1 }, vu_type: [str, S, I], vu: ["a", { x: 1, y: 2 }, { s: null }], j: { r: "x" } }"#,
    #"{ u: { i: 1, e: "A" }, u_type: I, n: { i: 1, s: "x" }, fl: { a: [1, "x", null], b: -inf }, h: "abc", oi: null }"#,
    #"{ t: { t: { vs: ["a", "b"], vf: [1, .5, -inf, "2"] } }, k: { k: "a" }, vk: [{ k: "b" }], ve: [A, 1, "C"], ul: 1 }"#,
  ]
}
