import FBSParser
import FBSSchema
import TestSupport
import Testing

@Suite("Errors in JSON objects are reported at their positions")
struct ObjectTests {
  static let schema = """
    enum E: byte { A, B } struct S { x: int; y: int; } table I { i: int; r: string (required); } union U { I, S }
    table T { i: int; s: string; e: E; st: S; u: U; v: [int]; t: T; in: I; f: float; vf: [float]; vs: [S]; }

    """

  private func codes(_ object: String, root: String = "root_type T;") -> [String] {
    compile(Self.schema + root + object).codes
  }

  @Test("A valid object brings no diagnostic, and no warning either")
  func silence() {
    #expect(codes(#"{ i: 1, s: "x", e: A, st: [1, 2], u_type: S, u: { x: 1, y: 2 }, v: [1], in: { r: "x" } }"#) == [])
  }

  @Test("Independent mistakes are all reported")
  func independent() {
    #expect(
      codes(#"{ i: "x", zzz: 1, e: Q, st: { x: 1 }, v: [1, "a", 3e1], in: {}, s: 5, s: "y", i: 3 }"#)
        == ["D0233", "D0231", "D0235", "D0237", "D0233", "D0233", "D0236", "D0233", "D0232", "D0232"])
  }

  @Test(
    "One error in an object causes no further one",
    arguments: [
      (#"{ in: { rr: "x" } }"#, ["D0231"]), ("{ st: { x: 1, Y: 2 } }", ["D0231"]),
      ("{ st: { x: 1, z: 2 } }", ["D0231"]),
      ("{ u: { x: bad, y: 1 }, u_type: S }", ["D0241"]), ("{ u_type: 9, u: {} }", ["D0240"]),
      ("{ u_type: Q, u: { zz: 1 } }", ["D0235"]), ("{ u: { x: 1, y: 2 }, u_type: Q }", ["D0235"]),
      (#"{ in: { i: 1, "\q": "x" } }"#, ["D0105"]), (#"{ i: "\q" }"#, ["D0105"]), (#"{ i: 0x }"#, ["D0107"]),
      ("{ in: { i: 1, ", ["D0112"]), ("{ st: { x: 1 ", ["D0112"]), ("{ v: [1, 2 } }", ["D0112"]),
      ("{ u: { x: 1, y: 1 }", ["D0112"]), ("{ st: [1", ["D0112"]), ("{ i: 1 s: 5 }", ["D0111", "D0233"]),
      ("{ i: 300000000000, in: { ", ["D0234", "D0112"]), ("{ i: 1 } { i: 1 }", ["D0118"]),
      ("{ i: § }", ["D0101"]), ("{ i: 1 2 }", ["D0112"]), ("{ : 1 }", ["D0112"]), ("{ st: { x: , y: 2 } }", ["D0112"]),
      ("{ st: [, 2] }", ["D0112"]), ("{ st: [1, , ] }", ["D0112"]), ("{ v: [1, 2 }, i: 5 }", ["D0112"]),
      ("{ v: [1, 2 }", ["D0112"]), ("{ t: { i: 1 ], i: 2 }", ["D0112"]), ("{ in: i }", ["D0233"]),
      ("{ u_type: , u: { zz: 1 } }", ["D0112"]), ("{ u_type = S, u: { x: 1, y: 1 } }", ["D0112"]),
      ("{ i 5, u_type: S, u: { x: 1, y: 1 } }", ["D0112"]), ("{ i: 1; s: \"x\" }", ["D0112"]),
    ])
  func noFollowUps(_ object: String, _ expected: [String]) {
    #expect(codes(object) == expected)
  }

  @Test(
    "The text after a syntax error in an object is read",
    arguments: [
      ("{ i = 1, s: 5, : 2, e: Q }", ["D0112", "D0233", "D0112", "D0235"]),
      ("{ i: 1 2, s: 5 }", ["D0112", "D0233"]),
      ("{ v: [1, }, 300000000000], e: Q }", ["D0112", "D0234", "D0235"]),
      ("{ v: [1, :, 300000000000, §, 5 6, \"a\"], e: Q }", ["D0112", "D0234", "D0101", "D0111", "D0233", "D0235"]),
      ("{ st: { x: 1, y }, in: { zz: 1, rr }, e: Q }", ["D0112", "D0231", "D0231", "D0112", "D0235"]),
      ("{ i: (1, 2), e: Q }", ["D0112", "D0112", "D0235"]),
    ])
  func recovery(_ object: String, _ expected: [String]) {
    #expect(codes(object) == expected)
  }

  @Test("Mistakes of the schema are not reported again as the object's")
  func mistakesOfTheSchema() {
    let table = "table T { a: Missing; b: int; u: U; e: E; s: S; } root_type T;"
    let rest = "union U { A, B } table A {} enum E: byte { X, Y = 300 } struct S { a: int; b: Nowhere; }"
    let codes = compile(rest + table + "{ a: 1, b: 2, u_type: B, u: {}, e: Y, s: { a: 1 } }").codes
    #expect(codes.sorted() == ["D0204", "D0204", "D0204", "D0210"])
    // What could not be read may have declared anything.
    #expect(compile("table T { a int; b: int; } root_type T; { a: 1, c: 1 }").codes == ["D0111"])
    #expect(
      compile(["a.fbs": #"include "b.fbs"; table T { b: int; } root_type T; { c: 1 }"#], inputs: ["a.fbs"]).codes == [
        "D0201"
      ])
    // Other mistakes stand beside the object's.
    #expect(compile("table T { b: int; } table V { x: Missing; } root_type T; { c: 1 }").codes == ["D0204", "D0231"])
  }

  @Test("The object of an included file is checked as well, against that file's root type")
  func includes() {
    let files = [
      "a.fbs": #"include "b.fbs"; table A { a: int; } root_type A; { a: 1, b: 1 }"#,
      "b.fbs": "table B { b: int; } root_type B; { b: 1, a: 1 }",
    ]
    #expect(compile(files, inputs: ["a.fbs"]).codes == ["D0231", "D0231"])
  }

  @Test("Warnings say what is taken, and surprising")
  func warnings() {
    #expect(codes("{ e: 9 }") == ["D0243"])
    #expect(codes("{ f: 1e99 }") == ["D0243"])
    #expect(codes("{ f: 1e38, vf: [1e-99, inf] }") == [])
    #expect(codes("{ u_type: 9 }") == ["D0243"])
    #expect(codes("{ u_type: I }") == ["D0243"])
    #expect(codes("{ u_type: NONE }") == [])
    // An object in another of the same table says nothing of that one's unions.
    #expect(codes("{ u_type: S, u: [1, 2], t: { i: 1 } }") == [])
    #expect(codes("{ u_type: S, t: { u_type: S, u: [1, 2] } }") == ["D0243"])
  }

  @Test("Deep objects are refused, and not followed", arguments: ["{t:", "{in:[", "{v:[", "{zzz:", "{u_type:I,u:"])
  func depth(_ opening: String) {
    let codes = codes(String(repeating: opening, count: 50_000))
    #expect(codes.contains("D0113"))
  }

  @Test("Objects take time in proportion to their size")
  func time() {
    // Each of these is slow if anything is looked for from the start: entries in lists, fields in wide tables,
    // fields of objects of wide tables, types after values.
    let wide = (0..<20_000)
    let schema =
      "table W {" + wide.map { "f\($0):int;" }.joined() + "} union U { I } table I { i: int; u: U; }"
      + "table T { w: W; vw: [W]; vi: [int]; vu: [U]; vt: [I]; } root_type T;"
    let objects = [
      "{ w: {" + wide.map { "f\($0):\($0)" }.joined(separator: ",") + "} }",
      "{ vw: [" + wide.map { "{f\($0):1}" }.joined(separator: ",") + "] }",
      "{ vi: [" + (0..<200_000).map { "\($0)" }.joined(separator: ",") + "] }",
      "{ vu_type: [" + wide.map { _ in "I" }.joined(separator: ",") + "], vu: ["
        + wide.map { "{i:\($0)}" }.joined(separator: ",") + "] }",
      "{ vt: [" + wide.map { "{u:{i:\($0)},u_type:I}" }.joined(separator: ",") + "] }",
    ]
    for object in objects {
      var codes: [String]?
      let time = processorTime { codes = compile(schema + object).codes }
      #expect(codes == [])
      #expect(time < .seconds(20), "\(object.prefix(30))")
      print("\(object.prefix(20)): \(time)")
    }
  }
}
