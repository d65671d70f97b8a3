import Testing

@testable import FBSParser

/// What a fix takes away, with the comments that are about it.
@Suite("Removals")
struct RemovalTests {
  /// A field without its attribute `x`.
  private func removed(_ attributes: String) throws -> String? {
    let text = "table T { a: int \(attributes)\n; }"
    let tree = parse(text).tree
    let name = try #require(tree.tokens.indices.first { tree.token($0, is: "x") })
    guard let range = tree.removal(of: TokenSpan(name, name)) else { return nil }
    let bytes = Array(text.utf8)
    let rest = String(decoding: bytes[..<range.start] + bytes[range.end...], as: UTF8.self)
    #expect(parse(rest).diagnostics.isEmpty, "\(rest)")
    return String(rest.dropFirst("table T { a: int ".count).dropLast("\n; }".count))
  }

  @Test("Removing an entry removes its comma")
  func entries() throws {
    #expect(try removed("(x, y)") == "(y)")
    #expect(try removed("(y, x)") == "(y)")
    #expect(try removed("(y, x, z) // a") == "(y, z) // a")
    #expect(try removed("(\n  y,\n  x,\n  z\n)") == "(\n  y,\n  \n  z\n)")
  }

  @Test("An entry on a line of its own takes the comment behind it along, and no other")
  func comments() throws {
    #expect(try removed("(\n  y, // b\n  x, // a\n  z // c\n)") == "(\n  y, // b\n  z // c\n)")
    #expect(try removed("(\n  y,\n  x // a\n)") == "(\n  y\n)")
    #expect(try removed("(\n  x, /* a */ // b\r\n  z\n)") == "(\n  z\n)")
    #expect(try removed("(\n  y, x, // both\n  z\n)") == "(\n  y,  // both\n  z\n)")
    #expect(try removed("(\n  x, /* of z */ z\n)") == "(\n   /* of z */ z\n)")
    #expect(try removed("(\n  x /* in the way */,\n  z\n)") == nil)
  }
}
