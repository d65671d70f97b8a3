import FBSParser
import FBSSchema
import Foundation
import Testing

@Suite("Definitions have the documented meaning")
struct MeaningTests {
  private func table(_ text: String, _ name: String = "T") throws -> TableDefinition {
    let compilation = compile(text)
    #expect(compilation.errors.isEmpty, "\(compilation.errors.map(\.message))")
    return try #require(compilation.schema.tables.first { $0.name.name == name })
  }

  private func presence(_ type: String, _ value: String) throws -> FieldDefinition.Presence {
    let enums = "enum Color: byte { Red = -1, Green = 3 } enum Set: ubyte (bit_flags) { A, B = 3 } "
    return try table("\(enums) table T { a: \(type) = \(value); }").fields[0].presence
  }

  @Test(
    "Numbers as defaults have the values that the schema writes",
    arguments: [
      ("int", "010", ScalarValue.integer(10)), ("int", "-0x1F", .integer(-31)), ("int", "\" 7 \"", .integer(7)),
      ("ulong", "18446744073709551615", .unsigned(.max)), ("ulong", "9223372036854775807", .integer(.max)),
      ("long", "-9223372036854775808", .integer(.min)), ("ubyte", "-0", .integer(0)), ("bool", "true", .bool(true)),
      ("bool", "0", .bool(false)), ("bool", "\"1\"", .bool(true)), ("double", ".5", .real(0.5)),
      ("double", "1.", .real(1)),
      ("double", "0x1.8p1", .real(3)), ("double", "7", .real(7)), ("float", "0.1", .real(Double(Float(0.1)))),
      ("float", "-infinity", .real(-.infinity)), ("double", "\"INF\"", .real(.infinity)),
      ("double", "rad(180)", .real(.pi)),
      ("double", "deg(rad(90))", .real(90)), ("double", "cos(0)", .real(1)), ("double", "1e400", .real(.infinity)),
      ("Color", "Red", .integer(-1)), ("Color", "\"Green\"", .integer(3)), ("Color", "3", .integer(3)),
      ("Set", "A", .integer(1)), ("Set", "\"A B\"", .integer(9)), ("Set", "77", .integer(77)),
      ("ushort", "\"Set.A Set.B\"", .integer(9)), ("byte", "\"Color.Red\"", .integer(-1)),
    ])
  func defaults(_ type: String, _ text: String, value: ScalarValue) throws {
    #expect(try presence(type, text) == .defaulted(value))
  }

  @Test("`nan` is no number, and is a default")
  func notANumber() throws {
    guard case .defaulted(.real(let value)) = try presence("float", "nan") else {
      Issue.record("nan is a number's default")
      return
    }
    #expect(value.isNaN)
  }

  @Test("Presence says what an absent field reads as")
  func presences() throws {
    let fields = try table(
      """
      struct S { a: int; } union U { T }
      table T {
        a: int; b: bool; c: float; d: string; e: [int]; f: T; g: S; h: U; i: string (required); j: string (key);
        k: int = null; l: string = "x\\n"; m: [int] = []; n: [U] (required);
      }
      """
    ).fields
    #expect(
      fields.map(\.presence) == [
        .defaulted(.integer(0)), .defaulted(.bool(false)), .defaulted(.real(0)), .optional, .optional, .optional,
        .optional,
        .optional, .required, .required, .optional, .defaultedObject("x\n"), .defaultedObject(""), .required,
      ])
  }

  @Test("A union's type takes the id before the union's own")
  func unionIDs() throws {
    let implicit = try table("union U { T } table T { a: int; u: U; v: [U]; b: int; }")
    #expect(implicit.fields.map(\.id) == [0, 2, 4, 5])
    #expect(implicit.slotCount == 6)
    let explicit = try table("union U { T } table T { u: U (id: 3); a: int (id: 1); b: int (id: 0); }")
    #expect(explicit.fields.map(\.id) == [3, 1, 0])
    #expect(explicit.slotCount == 4)
  }

  @Test("Names are found from the innermost namespace outwards, whatever the order")
  func names() {
    let compilation = compile(
      """
      namespace A.B; table User { x: X; y: B.X; z: A.X; w: Outer; e: E; } enum E: int { One }
      namespace A; table X {} enum E: int { Two = 2 }
      namespace; table Outer {} table X {}
      namespace A.B; table X {}
      """)
    // `x` and `e` are declared later, and other compilers may find those further out.
    #expect(compilation.codes == ["D0230", "D0230"])
    let schema = compilation.schema
    let types = schema.tables[0].fields.map { field -> String in
      switch field.type {
      case .table(let id): schema[id].name.description
      case .enumeration(let id): schema[id].name.description
      default: "?"
      }
    }
    #expect(types == ["A.B.X", "A.B.X", "A.X", "Outer", "A.B.E"])
  }

  @Test("Unions have codes, aliases and flattened names")
  func unions() throws {
    let schema = compile(
      "namespace N.M; table A {} struct S { a: int; } namespace; union U { N.M.A, s: string = 7, t: N.M.S, A2: N.M.A = 3 }"
    ).schema
    let union = try #require(schema.unions.first)
    #expect(union.members.map(\.name) == ["N_M_A", "s", "t", "A2"])
    #expect(union.members.map(\.code) == [1, 7, 8, 3])
    #expect(union.members.map(\.type) == [.table(TableID(0)), .string, .structure(StructID(0)), .table(TableID(0))])
  }

  @Test("Bit flags are masks, and an enum without values has NONE")
  func enums() throws {
    let schema = compile(
      "enum F: ulong (bit_flags) { A, B = 63, C = 4 } enum E: int {} enum G: long { A = -5, B, C = 0x10 } enum H: ulong { A = 18446744073709551615 }"
    ).schema
    #expect(schema.enums.map { $0.values.map(\.number) } == [[1, .min, 16], [0], [-5, -4, 16], [-1]])
    #expect(schema.enums[1].values.map(\.name) == ["NONE"])
    #expect(schema.enums.map(\.isBitFlags) == [true, false, false, false])
  }

  @Test("Structs are laid out with natural alignment, raised by force_align")
  func structs() {
    let schema = compile(
      """
      struct Outer { a: byte; inner: Inner; b: [Inner:3]; c: bool; }
      struct Inner { a: ubyte; b: [short:3]; c: E; }
      enum E: int { A }
      struct Wide (force_align: 16) { a: byte; b: double; }
      """
    ).schema
    #expect(schema.structs.map(\.size) == [56, 12, 16])
    #expect(schema.structs.map(\.alignment) == [4, 4, 16])
    #expect(schema.structs.map { $0.fields.map(\.offset) } == [[0, 4, 16, 52], [0, 2, 8], [0, 8]])
  }

  @Test("Services, documentation and attributes are kept")
  func services() throws {
    let schema = compile(
      """
      /// It serves.
      rpc_service R (private) {
        /// One.
        m(A): B (streaming: "bidi", idempotent);
      }
      /// first
      /// second
      table A {
        /// field
        a: int (deprecated);
      }
      table B {}
      enum E: int {
        /// value
        X
      }
      """
    ).schema
    let service = try #require(schema.services.first)
    #expect(service.declaration.documentation == [" It serves."])
    #expect(service.methods[0].declaration.documentation == [" One."])
    #expect(service.methods[0].declaration.attribute("streaming")?.value == .string("bidi"))
    #expect(service.methods.map(\.request) == [TableID(0)])
    #expect(service.methods.map(\.response) == [TableID(1)])
    #expect(schema.files[0].services == [ServiceID(0)])
    #expect(schema.tables[0].declaration.documentation == [" first", " second"])
    #expect(schema.tables[0].fields[0].declaration.documentation == [" field"])
    #expect(schema.tables[0].fields[0].isDeprecated)
    #expect(schema.enums[0].values[0].declaration.documentation == [" value"])
  }

  @Test(
    "One error in a schema causes no further ones",
    arguments: [
      "table T { a: Missing (id: 0); b: int (id: 1); } root_type T;",
      "union U { Missing } table T { u: U; } root_type T;",
      "enum E: int { A = 999999999999, B, C } table T { e: E; }",
      "struct S { a: Missing; b: S2; } struct S2 { a: int; } table T { s: S; }",
      "table T { a: int (x: ?); b: int; }",
      "table T { u: U (id: 0); b: int (id: 1); c: int (id: 2); } union U { T }",
      "root_type Missing; table T {} { a: 1 }",
      "enum E: flot { A, B = 1000 } table T { e: E = B; }",
      "struct S { a: S; } table T { s: S; v: [S]; }",
      "include \"missing.fbs\"; table T {}",
      "table T { a: int = \"x; b: int; }\ntable U { a: T; }",
    ])
  func noFollowUps(_ text: String) {
    let errors = compile(text).errors
    #expect(errors.count == 1, "\(errors.map(\.message))")
  }
}
