import SchemaEvolution
import Testing

@Suite("A bool and an enum of 0 and 1 have the same bytes")
struct BooleanTypeTests {
  private static let enums = """
    enum Switch: byte { off, on }
    enum Light: byte { off, on, flickering }
    enum Wide: short { off, on }
    enum Flag: ubyte (bit_flags) { on }

    """

  /// The findings of `Post`, when one text in its definition takes another's place.
  private func findings(_ post: String, _ before: String, _ after: String) throws -> [Finding] {
    try SchemaEvolution.compare(
      old: version(Self.enums + post.replacing("TYPE", with: before)),
      new: version(Self.enums + post.replacing("TYPE", with: after)))
  }

  private static let places = [
    "table Post { a: TYPE; } root_type Post;", "table Post { a: [TYPE]; } root_type Post;",
    "struct S { a: TYPE; } table Post { s: S; } root_type Post;",
    "struct S { a: [TYPE:3]; } table Post { s: S; } root_type Post;",
  ]

  @Test("The one may become the other, with a warning for code", arguments: places)
  func alike(post: String) throws {
    for other in ["Switch", "Flag"] {
      for (before, after) in [("bool", other), (other, "bool")] {
        let found = try findings(post, before, after)
        #expect(found.map(\.rule.id) == ["field-type"], "\(before) to \(after)")
        #expect(found.allSatisfy { $0.severity == .warning && $0.evidence == .precaution })
        #expect(found.first?.harm.hasPrefix("both are 0 or 1 in a byte") == true)
      }
    }
  }

  @Test("An enum with a third value, or of another width, is another type", arguments: places)
  func different(post: String) throws {
    for other in ["Light", "Wide"] {
      for (before, after) in [("bool", other), (other, "bool")] {
        let found = try findings(post, before, after)
        #expect(found.contains { $0.rule.id == "field-type" && $0.severity == .error }, "\(before) to \(after)")
      }
    }
  }

  @Test("Defaults of a bool and of an enum of 0 and 1 are compared")
  func defaults() throws {
    let post = "table Post { a: TYPE; } root_type Post;"
    for (before, after) in [("bool = true", "Switch = on"), ("Switch = on", "bool = true")] {
      #expect(try findings(post, before, after).map(\.rule.id) == ["field-type"])
    }
    for (before, after) in [("bool = true", "Switch"), ("bool", "Switch = on"), ("Switch = on", "bool")] {
      let found = try findings(post, before, after)
      #expect(found.contains { $0.rule.id == "field-default" && $0.severity == .error }, "\(before) to \(after)")
    }
    let optional = try findings(post, "bool", "Switch = null")
    #expect(optional.contains { $0.rule.id == "field-optional" && $0.severity == .error })
  }
}
