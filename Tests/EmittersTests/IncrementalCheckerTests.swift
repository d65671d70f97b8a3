import ConformanceSupport
import Emitters
import FBSDiagnostics
import FBSSchema
import Testing

@Suite("Checking schemas again and again")
struct IncrementalCheckerTests {
  private static let text = """
    table A { first: B; second: int; }
    table B { next: A; key_field: string; }
    namespace N;
    enum Kind : ubyte { One, Two }
    table Root { name: string (primary); a: A; kind: Kind; }
    root_type Root;

    """

  /// A compiler and a checker, which see each text of a file after the other.
  private struct Session {
    var compiler = IncrementalCompiler()
    var checker = IncrementalChecker()

    /// Checks a text, and expects the diagnostics of a check from nothing.
    mutating func check(
      _ text: String, _ emitters: [any Emitter] = EmitterRegistry.defaults
    ) -> [Diagnostic] {
      let result = compiler.compile(inputs: ["s.fbs"], provider: SchemaTexts(["s.fbs": text]))
      let found = checker.diagnostics(of: result.compilation, shape: result.shape, emitters: emitters)
      #expect(found == CheckedSchema.diagnostics(of: result.compilation, emitters: emitters), "\(text)")
      return found
    }
  }

  @Test(
    "A change of a field gives the diagnostics of a check from nothing",
    arguments: [
      ("first: B", "first: B (required)", "next: A", "next: A (required)"),
      ("second: int", "hash: int", "name: string", "name: string; hash: int"),
      ("second: int", "second: int (swift_name: \"no name\")", "second", "third"),
      ("key_field: string", "key_field: string (key)", "table B", "table Key"),
      ("table A", "table Kind", "kind: Kind", "kind: N.Kind"),
      ("a: A", "a: A (codable)", "table A", "table A (codable)"),
      ("a: A", "a: A (deprecated)", "kind: Kind", "kind: Kind (deprecated)"),
    ])
  func changes(_ old: String, _ new: String, _ other: String, _ last: String) {
    var session = Session()
    _ = session.check(Self.text)
    let changed = Self.text.replacingOccurrences(of: old, with: new)
    let both = changed.replacingOccurrences(of: other, with: last)
    for text in [
      changed, both, "\n" + both, both.replacingOccurrences(of: "key_field", with: "longer_field"), Self.text,
    ] {
      _ = session.check(text)
    }
  }

  @Test("Facts about types are found again after a change of what a type holds, and of no name")
  func found() {
    var session = Session()
    #expect(session.check(Self.text).isEmpty)
    #expect(session.checker.foundCount == 1)
    _ = session.check(Self.text.replacingOccurrences(of: "second", with: "third"))
    #expect(session.checker.foundCount == 1)
    _ = session.check(Self.text.replacingOccurrences(of: "second: int", with: "second: B"))
    #expect(session.checker.foundCount == 2)
    // The code has other names without the data model.
    _ = session.check(
      Self.text.replacingOccurrences(of: "second: int", with: "third: B"),
      EmitterRegistry.defaults.filter { $0.name == "accessors" })
    #expect(session.checker.foundCount == 3)
  }

  @Test("A diagnostic about a type moves with the text")
  func moved() {
    let text = "table First { first: int; }\ntable _Object { x: int; }\n"
    var session = Session()
    let before = session.check(text)
    let after = session.check(text.replacingOccurrences(of: "first", with: "the_first"))
    #expect(!before.isEmpty && before.map(\.message) == after.map(\.message))
    #expect(before.map(\.range) != after.map(\.range))
  }
}
