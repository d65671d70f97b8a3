import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import SchemaEvolution
import SchemaLinting
import TestSupport
import Testing

@Suite("The linter")
struct LinterTests {
  @Test("Only inputs are linted")
  func inputsAlone() {
    let files = ["a.fbs": "include \"b.fbs\";\ntable T { x: bad_name; }\n", "b.fbs": "table bad_name {}"]
    #expect(findings(files, inputs: ["a.fbs"]) == [])
    #expect(findings(files) == ["type-case b.fbs:1:7", "final-line-break b.fbs:1:18"])
  }

  @Test("A rule that is set itself stands above its group")
  func settings() throws {
    var configuration = LintConfiguration()
    configuration.set(.names, to: .off)
    configuration.set(try rule("field-case"), to: .severity(.error))
    configuration.set(.docs, to: .severity(.note))
    configuration.set(try rule("enum-zero"), to: .off)
    let text = "table bad { badField: int; }\nenum E: byte { A = 1 }\n"
    let found = lint(["a.fbs": text], Linter(configuration)).findings
    #expect(found.map(\.code.id) == ["type-doc", "field-case", "field-doc", "type-doc", "enum-value-doc"])
    #expect(found.map(\.severity) == [.note, .error, .note, .note, .note])
    configuration.set(.names, to: .on)
    configuration.set(try rule("field-case"), to: .on)
    let report = lint(["a.fbs": "table bad { badField: int; }\n"], Linter(configuration))
    #expect(report.findings.filter { $0.severity == .warning }.map(\.code.id) == ["type-case", "field-case"])
    #expect(!report.isClean)
  }

  @Test("Notes alone are clean")
  func notes() {
    var configuration = LintConfiguration()
    configuration.set(.docs, to: .severity(.note))
    let report = lint(["a.fbs": "table T {}\n"], Linter(configuration))
    #expect(report.findings.count == 1 && report.isClean)
  }

  @Test("A comment allows the findings of one rule in what follows, and says why")
  func allowComments() {
    let report = lint(["a.fbs": "// dflatc:allow type-case it is released\ntable bad { badField: int; }\n"])
    #expect(report.findings.map(\.code.id) == ["field-case"])
    #expect(report.silencedCount == 1 && report.commentDiagnostics.isEmpty)
  }

  @Test("A comment that allows nothing is reported, unless its rule is off or another command's")
  func unusedComments() {
    var linter = Linter()
    linter.otherRules = ["field-type"]
    let text = """
      // dflatc:allow type-case it was bad once
      // dflatc:allow type-doc that rule is off
      // dflatc:allow field-type that rule is of dflatc check
      table T {}

      """
    let report = lint(["a.fbs": text], linter)
    #expect(report.commentDiagnostics.map(\.message) == ["nothing to allow: there is no `type-case` here"])
    #expect(!report.isClean)
  }

  @Test("A comment without a reason, or of a rule that there is not, is an error")
  func malformedComments() {
    let report = lint(["a.fbs": "// dflatc:allow type-case\n// dflatc:allow typ-case why\ntable bad {}\n"])
    #expect(report.findings.map(\.code.id) == ["type-case"])
    #expect(report.commentDiagnostics.map(\.message) == ["a reason is missing", "there is no rule `typ-case`"])
    #expect(report.commentDiagnostics.last?.advice == "did you mean `type-case`?")
  }

  @Test("Schemas with errors are not linted, and the modules beside them are")
  func faults() {
    let report = lint([
      "a.fbs": "table T { x: Missing; }", "b.fbs": "table T {}", "c.fbs": "table T {}\n",
    ])
    #expect(report.faults.count == 1 && report.sources[report.faults[0].range.file].path == "a.fbs")
    #expect(report.findings.map(\.code.id) == ["final-line-break"])
    #expect(report.sources[report.findings[0].range.file].path == "b.fbs")
  }

  // MARK: Fixes

  /// The files as they are once no fix is left, and the findings that are.
  private func fixed(
    _ files: [String: String], _ configuration: LintConfiguration = LintConfiguration()
  ) -> (files: [String: String], findings: [String]) {
    var files = files
    for _ in 0..<10 {
      let report = lint(files, Linter(configuration))
      let fixed = FixedSources(report.findings, in: report.sources)
      guard !fixed.texts.isEmpty else { return (files, report.findings.map(\.code.id)) }
      for (file, text) in fixed.texts { files[report.sources[file].path] = String(decoding: text, as: UTF8.self) }
    }
    Issue.record("there is no end to the fixes of \(files)")
    return (files, [])
  }

  @Test("Removing an include removes its line and the comments on it")
  func removedIncludes() {
    let color = "enum Color: byte { Red }\n"
    func fix(_ text: String) -> String { fixed(["a.fbs": text, "b.fbs": color]).files["a.fbs"] ?? "" }
    #expect(fix("include \"b.fbs\";\ntable T {}\n") == "table T {}\n")
    #expect(fix("// x\r\n  include \"b.fbs\" ; \r\ntable T {}\r\n") == "// x\r\ntable T {}\r\n")
    for line in [
      "include \"b.fbs\"; // why", "  include \"b.fbs\"; /* a */ // why  ", "/* a */ include \"b.fbs\";/* b\n */",
      "include \"b.fbs\"; /* a */ /* b */ ",
    ] {
      #expect(fix("// x\n\(line)\n// y\ntable T {}\n") == "// x\n// y\ntable T {}\n", "\(line)")
      #expect(fix("\u{FEFF}\(line)\ntable T {}\n") == "\u{FEFF}table T {}\n", "\(line)")
      #expect(fix("\(line)\r\ntable T {}\r\n") == "table T {}\r\n", "\(line)")
    }
    // What begins or ends on another line, or is about what follows, stays.
    #expect(fix("/* a\n b */ include \"b.fbs\"; // why\ntable T {}\n") == "/* a\n b */\ntable T {}\n")
    #expect(fix("include \"b.fbs\"; /* a */ table T {}\n") == " /* a */ table T {}\n")
    #expect(fix("include \"b.fbs\";\n// why\ntable T {}\n") == "// why\ntable T {}\n")
    #expect(
      fix("include \"b.fbs\"; include \"./b.fbs\"; // twice\ntable T { c: Color; }\n")
        == "include \"b.fbs\";\ntable T { c: Color; }\n")
    #expect(fix("include \"b.fbs\"; include \"./b.fbs\";\ntable T {}\n") == "\ntable T {}\n")
    #expect(
      fix("include \"b.fbs\";\ninclude \"./b.fbs\";\ntable T { c: Color; }\n")
        == "include \"b.fbs\";\ntable T { c: Color; }\n")
    #expect(fix("include /* ; */ \"b.fbs\" /* ; */ ;\ntable T {}\n") == "table T {}\n")
  }

  @Test("Blanks and line breaks at the end go, whatever ends lines")
  func whiteSpace() {
    #expect(fixed(["a.fbs": "table T { \t\n}  \n \n\n"]).files == ["a.fbs": "table T {\n}\n"])
    #expect(fixed(["a.fbs": "table T {\r\n} "]).files == ["a.fbs": "table T {\r\n}\r\n"])
    #expect(fixed(["a.fbs": "table T {} // a  "]).files == ["a.fbs": "table T {} // a\n"])
  }

  @Test("All lines end as the first one does, in comments, too")
  func lineEnds() {
    #expect(
      fixed(["a.fbs": "/* a\r\n b\n c */\ntable T {}\r\n"]).files
        == ["a.fbs": "/* a\r\n b\r\n c */\r\ntable T {}\r\n"])
    #expect(fixed(["a.fbs": "/// a\ntable T {\r}\r\n\r\n"]).files == ["a.fbs": "/// a\ntable T {\n}\n"])
  }

  @Test("Fixes write ids and numbers out as they are")
  func explicitness() {
    var configuration = LintConfiguration()
    configuration.set(.explicit, to: .on)
    let text = """
      namespace N;
      table A { a: int; u: U; b: [int] (deprecated) /* c */ ; c: string = "a;" ; }
      union U { A }
      enum E: byte { X = -2, Y, Z }
      enum F: ubyte (bit_flags) { P, Q = 3, R }
      enum G: ulong { Zero = 0, Big = 18446744073709551614, Bigger }

      """
    #expect(
      fixed(["a.fbs": text], configuration).files["a.fbs"] == """
        namespace N;
        table A { a: int (id: 0); u: U (id: 2); b: [int] (id: 3, deprecated) /* c */ ; c: string = "a;" (id: 4) ; }
        union U { A }
        enum E: byte { X = -2, Y = -1, Z = 0 }
        enum F: ubyte (bit_flags) { P = 0, Q = 3, R = 4 }
        enum G: ulong { Zero = 0, Big = 18446744073709551614, Bigger = 18446744073709551615 }

        """)
  }

  @Test("Fixes write no number of an alias that was counted, unless that rule is off")
  func countedAliases() throws {
    var configuration = LintConfiguration()
    configuration.set(.explicit, to: .on)
    configuration.set(try rule("namespace-missing"), to: .off)
    let text = "enum E: byte { A, B, C, D = 1, F, G }\n"
    let (files, left) = fixed(["a.fbs": text], configuration)
    #expect(files["a.fbs"] == "enum E: byte { A = 0, B = 1, C = 2, D = 1, F, G = 3 }\n")
    #expect(left == ["counted-alias", "explicit-enum-values"])
    configuration.set(try rule("counted-alias"), to: .off)
    let all = fixed(["a.fbs": text], configuration).files["a.fbs"]
    #expect(all == "enum E: byte { A = 0, B = 1, C = 2, D = 1, F = 2, G = 3 }\n")
  }

  @Test("Fixes come to an end, leave nothing to fix, and change nothing that a schema means", arguments: 0..<60)
  func randomFixes(_ index: Int) throws {
    var random = SeededGenerator(seed: 11 + index)
    var files = ["other.fbs": "table OtherThing {}\n" + random.pick(["", "\n", "  "])]
    for file in RandomSchema(seed: 500 + index, index: index).files {
      let include = random.pick([
        "include \"other.fbs\"; include \"./other.fbs\";\n",
        "include \"other.fbs\"; // of no use: other.\ninclude \"./other.fbs\"; /* nor other. */ // this\n",
      ])
      files[file.name] = include + untidy(file.text, &random)
    }
    let before = try version(files)
    var configuration = LintConfiguration()
    configuration.set(.explicit, to: .on)
    let (fixed, left) = fixed(files, configuration)
    let mendable = [
      "trailing-space", "final-line-break", "unused-include", "duplicate-include", "mixed-line-ends", "explicit-ids",
      "explicit-enum-values",
    ]
    #expect(!left.contains(where: mendable.contains))
    #expect(fixed.values.allSatisfy { !$0.contains("other.") })
    #expect(SchemaEvolution.compare(old: before, new: try version(fixed)).isEmpty)
    let tidy = fixed.mapValues { SchemaFormatter.format(Parser.parse(sources($0)).tree) }
    #expect(lint(tidy.mapValues { String(decoding: $0, as: UTF8.self) }).findings.allSatisfy { $0.fixes.isEmpty })
  }

  /// A text with blanks at some line ends, comments behind some lines, and empty lines.
  private func untidy(_ text: String, _ random: inout SeededGenerator) -> String {
    var untidy = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      untidy += line
      if random.chance(20) { untidy += random.pick(["  ", "\t", " // a ", " \r"]) }
      untidy += random.chance(5) ? "\n \n" : "\n"
    }
    return untidy
  }

  private func sources(_ text: String) -> SourceFile {
    SourceFile(id: FileID(0), path: "a.fbs", bytes: Array(text.utf8))
  }

  private func version(_ files: [String: String]) throws -> SchemaVersion {
    let compilation = SchemaCompiler.compile(inputs: files.keys.sorted(), provider: SchemaTexts(files))
    try #require(compilation.isValid, "\(compilation.diagnostics.map(\.message))")
    let names = Dictionary(uniqueKeysWithValues: compilation.schema.files.map { ($0.id, $0.path) })
    return SchemaVersion(schema: compilation.schema, sources: compilation.sources, names: names)
  }
}
