import Testing

@Suite("The class of a root table, its builder and its request")
struct RootClassTests {
  /// A table that has 127 tables within it: `T6`.
  private static let wide =
    "table T0 { a: int; } "
    + (1...6).map { "table T\($0) { x: T\($0 - 1); y: T\($0 - 1); } " }.joined()

  @Test("A value that is too large to be kept in place is apart in the builder, which can be changed")
  func wideValues() throws {
    let output = try emit("data-model", Self.wide + "table R { k: string (primary); t: T6; } root_type R;")
    #expect(output.contains("public var t: T6? { _values.t }\n"))
    #expect(output.contains("@Indirect public var t: T6?\n"))
    #expect(!output.contains("@Indirect public let"))
  }

  @Test(
    "Objects are compared as a whole only if they differ as their bytes do, and cannot be nested without end",
    arguments: [
      ("table R { k: string (primary); n: int; s: [string]; }", true),
      ("table A { x: int; } struct S { y: int; } union U { A, S } table R { k: string (primary); u: U; }", true),
      // A NaN is not equal to itself.
      ("table R { k: string (primary); d: double; }", false),
      ("table R { k: string (primary); d: [float]; }", false),
      ("struct S { a: [float:2]; } table A { s: [S]; } union U { A } table R { k: string (primary); u: U; }", false),
      // Comparing them would overflow the stack.
      ("table N { next: N; } table R { k: string (primary); n: N; }", false),
      // The missing elements of a fixed array are written as zeros.
      ("struct S { a: [int:3]; } table R { k: string (primary); s: S; }", false),
      ("struct S { a: [int:3]; } table R { k: string (primary); s: [S]; }", false),
      ("struct S { a: [int:3]; } struct Q { s: S; } union U { Q } table R { k: string (primary); u: U; }", false),
      ("struct S { a: [int:3]; } union U { S } table R { k: string (primary); u: [U]; }", false),
      // A UUID has all of its bytes.
      ("struct I { a: [ubyte:16]; } table R { k: string (primary); i: I (uuid); v: [I] (uuid); }", true),
      // A URL that is nil may be written as an empty text.
      ("table A { u: string (url, required); } table R { k: string (primary); a: A; }", false),
      ("table A { u: string = \"a:b\" (url); } table R { k: string (primary); a: [A]; }", false),
      ("table R { k: string (primary); u: string (url); v: [string] (url, required); }", true),
      // What no API shows does not matter.
      ("table R { k: string (primary); d: double (deprecated); }", true),
    ])
  func difference(_ definitions: String, isWhole: Bool) throws {
    let output = try emit("mutating", definitions + " root_type R;")
    let head = "public static func _differs(_ lhs: R, _ rhs: R) -> Bool {"
    #expect(output.contains(head + " lhs != rhs }\n") == isWhole)
    #expect(output.contains(head + "\n    if lhs.k != rhs.k { return true }\n") != isWhole)
  }

  @Test("A URL whose nil is written as an empty text is not compared to find out whether objects differ")
  func differenceOfURLs() throws {
    let output = try emit(
      "mutating",
      """
      table R { k: string (primary); d: double; plain: string (url); needed: string (url, required); full: string = "a:b" (url); }
      root_type R;
      """)
    #expect(output.contains("    if lhs._values.$plain.stored != rhs._values.$plain.stored { return true }\n"))
    #expect(!output.contains("lhs._values.$needed") && !output.contains("lhs._values.$full"))
  }
}
