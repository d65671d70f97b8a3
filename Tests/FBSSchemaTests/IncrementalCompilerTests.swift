import ConformanceSupport
import FBSDiagnostics
import FBSSchema
import Foundation
import Testing

@Suite("Compiling files again and again")
struct IncrementalCompilerTests {
  private static let base = [
    "a.fbs": """
    attribute "mine";
    enum E : ubyte { A, B }
    struct S { x: [ubyte:16]; }
    table T { e: E = B; }
    union U { T }

    """,
    "b.fbs": """
    include "a.fbs";
    table User {
      e: E = B; s: S (uuid); t: T; u: U;
      n: [ubyte] (nested_flatbuffer: "T");
      own: int (mine);
      x: string;
    }
    root_type User;

    """,
    "c.fbs": "include \"b.fbs\";\ntable Last { user: User; e: E = A; }\n",
  ]

  /// A compiler that has compiled the base, and is to compile it again after changes.
  private struct Session {
    var compiler = IncrementalCompiler()
    var files = IncrementalCompilerTests.base

    /// Compiles the files, and expects the result of a compiler that knows nothing.
    /// - Returns: the number of tables that were resolved again, and the shape of the schema.
    mutating func compile(_ place: String) -> (count: Int, shape: SchemaShape) {
      let count = compiler.resolvedCount
      let result = compiler.compile(inputs: ["c.fbs"], provider: SchemaTexts(files))
      var fresh = IncrementalCompiler()
      let expected = fresh.compile(inputs: ["c.fbs"], provider: SchemaTexts(files)).compilation
      #expect(result.compilation.diagnostics == expected.diagnostics, "\(place)")
      #expect(Self.text(result.compilation.schema) == Self.text(expected.schema), "\(place)")
      return (compiler.resolvedCount - count, result.shape)
    }

    private static func text(_ schema: Schema) -> String {
      var text = ""
      dump(schema, to: &text)
      return text
    }
  }

  @Test(
    "A change anywhere gives the result of compiling from nothing",
    arguments: [
      ("a.fbs", "A, B", "B, A"), ("a.fbs", "A, B", "A, Z"), ("a.fbs", ":16", ":8"), ("a.fbs", "mine", "yours"),
      ("a.fbs", "table T ", "table V "), ("a.fbs", "enum E : ubyte { A, B }", "struct E { x: int; }"),
      ("a.fbs", "table T ", "table New {}\ntable T "), ("a.fbs", "table T ", "table x {}\ntable T "),
      ("a.fbs", "table T ", "namespace N;\ntable T "), ("a.fbs", "union U { T }", ""), ("a.fbs", "e: E = B;", "e: E"),
      ("a.fbs", "{ e: E = B; }", "{ e: E = B; } }"), ("a.fbs", "= B; }", "= B; /* }"), ("a.fbs", " e: E = B; ", ""),
      ("a.fbs", "e: E = B;", "e: E = B; enum Inner : ubyte { A }"),
      ("a.fbs", "e: E", "f: Unknown; e: E"), ("b.fbs", "include \"a.fbs\";", ""), ("b.fbs", "x: string", "x: Unknown"),
      ("b.fbs", "a.fbs", "missing.fbs"), ("b.fbs", "table User", "table Other"), ("c.fbs", "user: User", "user: T"),
      ("c.fbs", "table Last", "/// Text.\ntable Last"), ("c.fbs", "Last", "S"),
    ])
  func changes(_ path: String, _ old: String, _ new: String) throws {
    var session = Session()
    _ = session.compile("at first")
    let text = try #require(session.files[path])
    let range = try #require(text.range(of: old))
    session.files[path]?.replaceSubrange(range, with: new)
    _ = session.compile("with \(new) for \(old)")
    session.files[path] = text
    _ = session.compile("without \(new) for \(old)")
  }

  @Test("A change in the body of a table resolves that table, and none in other files")
  func resolved() {
    var session = Session()
    #expect(session.compile("at first").count == 3)
    #expect(session.compile("unchanged").count == 0)
    session.files["b.fbs"] = session.files["b.fbs"]?.replacingOccurrences(of: "x: string;", with: "x: string; y: int;")
    #expect(session.compile("with a field").count == 1)
    session.files["b.fbs"] = session.files["b.fbs"]?.replacingOccurrences(of: "y: int;", with: "y: Unknown;")
    #expect(session.compile("with an error").count == 1)
    // Diagnostics count towards limits of the whole run.
    #expect(session.compile("with the error still there").count == 1)
    session.files["a.fbs"] = session.files["a.fbs"]?.replacingOccurrences(of: "A, B", with: "A, B, C")
    #expect(session.compile("with another value").count == 3)
  }

  /// Three tables with whatever has a place in the text.
  private static let threeTables =
    "attribute \"mine\";\nenum E : ubyte { A, B }\nstruct S { x: [ubyte:16]; }\n"
    + ["First", "Middle", "Last"].map { name in
      """
      /// T\u{E4}ble \(name).
      table \(name) (mine: "x") {
        /// The first field.
        a: int = 7 (mine, deprecated);
        // \u{1F600}
        s: S (uuid);
        e: E = B;
        t: [Middle];
        n: [ubyte] (nested_flatbuffer: "Last");
        f: float = 0.1;
        /* The end. */
      }

      """
    }.joined()

  @Test(
    "A change in the body of a table resolves that table alone, and moves the tables after it",
    arguments: ["First", "Middle", "Last"], ["\n", "\r\n"])
  func moved(_ table: String, _ lineEnd: String) throws {
    var session = Session()
    let text = Self.threeTables.replacingOccurrences(of: "\n", with: lineEnd)
    session.files = ["c.fbs": text]
    #expect(session.compile("at first").count == 3)
    let start = try #require(text.range(of: "table \(table) ")).upperBound
    let place = try #require(text[start...].range(of: "  e: E")).lowerBound
    for field in ["  x: long = 5 (mine);", "  x: string (required); /* \u{E9} */", "", "  // Text."] {
      var changed = text
      changed.insert(contentsOf: field + lineEnd, at: place)
      session.files["c.fbs"] = changed
      #expect(session.compile("with '\(field)' in \(table)").count == 1)
    }
    session.files["c.fbs"] = text
    #expect(session.compile("as at first").count == 1)
  }

  @Test("A change in several tables resolves these, and moves each other table by what stands before it")
  func severalMoved() {
    var session = Session()
    session.files = ["c.fbs": Self.threeTables + "table End { a: int (mine); }\n"]
    #expect(session.compile("at first").count == 4)
    for (old, new) in [("table First ", "First"), ("table Last ", "Last")] {
      guard let place = session.files["c.fbs"]?.range(of: old)?.upperBound,
        let body = session.files["c.fbs"]?[place...].range(of: "a: int")
      else {
        Issue.record("no table \(new)")
        return
      }
      session.files["c.fbs"]?.replaceSubrange(body, with: "long_\(new): long")
    }
    #expect(session.compile("with other fields").count == 2)
  }

  @Test("All tables of a file are resolved for the first field of one, and for a diagnostic about one")
  func resolvedAgain() {
    var session = Session()
    session.files = ["c.fbs": Self.threeTables + "table Empty {}\n"]
    #expect(session.compile("at first").count == 4)
    for (old, new, count) in [
      ("Empty {}", "Empty { a: int; }", 4), ("Empty { a: int", "Empty { a: Unknown", 1), ("Unknown", "Absent", 4),
      ("Absent", "long", 4), ("Empty { a: long", "Empty { b: long", 1),
    ] {
      session.files["c.fbs"] = session.files["c.fbs"]?.replacingOccurrences(of: old, with: new)
      #expect(session.compile("with \(new)").count == count, "\(new)")
    }
  }

  @Test("A schema has another shape once its types hold something else")
  func shapes() {
    var session = Session()
    let first = session.compile("at first").shape
    session.files["b.fbs"] = session.files["b.fbs"]?.replacingOccurrences(of: "x: string;", with: "longer: string;")
    #expect(session.compile("with another name").shape == first)
    var shapes = [first]
    for (old, new) in [
      ("longer: string;", "longer: [string];"), ("[string];", "[string] (required);"),
      ("(required)", "(deprecated)"), ("(deprecated)", "(swift_name: \"a\")"), ("\"a\"", "\"b\""),
      ("e: E = B", "e: E = A"),
    ] {
      session.files["b.fbs"] = session.files["b.fbs"]?.replacingOccurrences(of: old, with: new)
      let shape = session.compile("with \(new)").shape
      #expect(!shapes.contains(shape), "\(new)")
      shapes.append(shape)
    }
  }
}
