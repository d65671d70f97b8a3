import FBSDiagnostics
import SchemaLinting
import Testing

@Suite("Rules of enums, layout, doc comments and explicitness")
struct StyleRuleTests {
  @Test("An enum has a value for 0, and a set of flags needs none")
  func enumZero() throws {
    #expect(findings("enum A: byte { Red = 1 }\nenum B: byte { Red = -1, Blue }\n") == ["enum-zero 1:6"])
    #expect(findings("enum F: ubyte (bit_flags) { Read, Write }\n") == [])
    let meaning = try rule("enum-zero-meaning")
    #expect(findings("enum A: byte { COLOR_UNSPECIFIED, Red }\n", on: [meaning]) == ["enum-value-case 1:16"])
    #expect(findings("enum A: byte { NoneYet, Red }\n", on: [meaning]) == ["enum-zero-meaning 1:16"])
    #expect(findings("enum A: byte { Red = 1, Unknown = 0 }\n", on: [meaning]) == [])
  }

  @Test("An alias whose number is written is meant, and one that is counted is found")
  func countedAlias() {
    #expect(findings("enum E: byte { A, B, C = 1 }\n") == [])
    #expect(findings("enum E: byte { A, B, C, D = 1, F }\n") == ["counted-alias 1:32"])
    #expect(findings("enum F: ubyte (bit_flags) { A, B, C, D = 1, G }\n") == ["counted-alias 1:45"])
  }

  @Test("A file ends with one line break")
  func finalLineBreak() {
    #expect(findings("table T {}") == ["final-line-break 1:11"])
    #expect(findings("table T {}\n\n") == ["final-line-break 1:11"])
    #expect(findings("table T {}\n  ") == ["final-line-break 1:11"])
    #expect(findings("table T {}\r\n") == [])
  }

  @Test("Blanks at line ends are found in code and in comments, and not in strings")
  func trailingSpace() {
    #expect(findings("table T { \n}\t\n") == ["trailing-space 1:10"])
    #expect(findings("// a \ntable T {}\n") == ["trailing-space 1:5"])
    #expect(findings("/// a\t\ntable T {}\n") == ["trailing-space 1:6"])
    #expect(findings("table T { s: string = \"a \"; }\n") == [])
  }

  @Test("Indentation is of one kind; what aligns in the middle of a line and in comments does not matter")
  func mixedIndentation() {
    #expect(findings("table T {\n  a: int;\n\tb: int;\n}\n") == ["mixed-indentation 3:1"])
    #expect(findings("table T {\n\ta: int;\n  b: int;\n}\n") == ["mixed-indentation 3:1"])
    #expect(findings("table T {\n  a:\tint;\n  /*\n\tb */\n}\n") == [])
  }

  @Test("A line that ends otherwise than the first is found")
  func mixedLineEnds() {
    #expect(findings("table T {\r\n  a: int;\n}\r\n") == ["mixed-line-ends 2:10"])
    #expect(findings("table T {\r\n}\r\n") == [])
    #expect(findings("table T {}\n") == [])
  }

  @Test("If the rule is on, a definition without a doc comment, or with an empty one, is found")
  func docs() throws {
    let rules = try ["root-doc", "type-doc", "field-doc", "enum-value-doc"].map { try rule($0) }
    let text = """
      table T { a: int; b: int (deprecated); }
      ///
      enum E: byte { A }
      rpc_service S { Get(T): T; }
      root_type T;

      """
    #expect(
      findings(text, on: rules) == [
        "root-doc 1:7", "type-doc 1:7", "field-doc 1:11", "type-doc 3:6", "enum-value-doc 3:16", "type-doc 4:13",
        "field-doc 4:17",
      ])
    #expect(findings("/// T.\ntable T {\n  /// A.\n  a: int;\n}\n", on: rules) == [])
  }

  @Test("A deprecated field has a comment of any kind, above it or on its line")
  func deprecatedReason() throws {
    let rule = try rule("deprecated-reason")
    for comment in [
      "  /// Why.\n  a: int (deprecated);", "  // Why.\n  a: int (deprecated);", "  a: int (deprecated); // Why.",
    ] {
      #expect(findings("table T {\n\(comment)\n}\n", on: [rule]) == [], "\(comment)")
    }
    #expect(findings("table T {\n  a: int (deprecated);\n}\n", on: [rule]) == ["deprecated-reason 2:3"])
  }

  @Test("Ids, numbers and namespaces are written out where a team wants them")
  func explicitness() throws {
    let rules = try ["explicit-ids", "explicit-enum-values", "namespace-missing", "several-namespaces"].map {
      try rule($0)
    }
    #expect(
      findings("table T { a: int; }\nenum E: byte { A = 0, B }\n", on: rules) == [
        "explicit-ids 1:7", "namespace-missing 1:7", "explicit-enum-values 2:23",
      ])
    #expect(
      findings("namespace A;\ntable T { a: int (id: 0); }\nnamespace A;\nnamespace B;\ntable U {}\n", on: rules)
        == ["several-namespaces 4:11"])
  }
}
