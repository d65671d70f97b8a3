import ConformanceSupport
import FBSDiagnostics
import FBSSchema
import Testing

@Suite("Included files that count as inputs")
struct IncludedFilesTests {
  private func compile(
    _ files: [String: String], inputs: [String], except: @escaping @Sendable (String) -> Bool = { _ in false }
  ) -> Compilation {
    SchemaCompiler.compile(inputs: inputs, included: .compiled(except: except), provider: SchemaTexts(files))
  }

  private func paths(_ compilation: Compilation, where isChosen: (SchemaFile) -> Bool) -> [String] {
    compilation.schema.files.filter(isChosen).map(\.path)
  }

  private let chain = [
    "a.fbs": "include \"b.fbs\"; table A { c: C; }", "b.fbs": "include \"c.fbs\"; table B { a: A; d: D; }",
    "c.fbs": "table C { a: A; b: B; }", "d.fbs": "include \"c.fbs\"; table D { c: C; }",
  ]

  @Test(
    "All files are inputs, and those that no other input leads to are entry files, in whatever order they are named")
  func entries() {
    var files = chain
    files["a.fbs"] = "include \"b.fbs\"; include \"d.fbs\"; table A { c: C; }"
    for inputs in [["a.fbs"], ["c.fbs", "b.fbs", "a.fbs"], ["d.fbs", "a.fbs", "c.fbs"]] {
      let compilation = compile(files, inputs: inputs)
      #expect(compilation.diagnostics.isEmpty, "\(inputs)")
      #expect(paths(compilation, where: \.isInput).sorted() == ["a.fbs", "b.fbs", "c.fbs", "d.fbs"])
      #expect(paths(compilation, where: \.isEntry) == ["a.fbs"])
    }
  }

  @Test("Of inputs that include each other, one is the entry file")
  func cycle() {
    let files = [
      "a.fbs": "include \"b.fbs\"; table A { b: B; }",
      "b.fbs": "include \"a.fbs\"; include \"c.fbs\"; table B { a: A; }",
      "c.fbs": "include \"a.fbs\"; table C { b: B; }", "d.fbs": "table D { x: int; }",
    ]
    for inputs in [["a.fbs", "b.fbs", "c.fbs", "d.fbs"], ["d.fbs", "c.fbs", "b.fbs", "a.fbs"], ["c.fbs", "d.fbs"]] {
      let compilation = compile(files, inputs: inputs)
      #expect(compilation.diagnostics.isEmpty, "\(inputs)")
      #expect(paths(compilation, where: \.isInput).count == 4)
      #expect(paths(compilation, where: \.isEntry).count == 2)
    }
  }

  @Test("A file that several entry files include may use what all of them bring, and nothing that one lacks")
  func severalEntries() throws {
    var files = chain
    files["e.fbs"] = "include \"b.fbs\"; include \"d.fbs\"; table E { c: C; }"
    let compilation = compile(files, inputs: ["a.fbs", "e.fbs"])
    // `a.fbs` does not bring `d.fbs`, and `e.fbs` not `a.fbs`.
    let messages = compilation.diagnostics.map(\.message)
    #expect(messages.contains { $0.hasPrefix("`A` is defined in a.fbs") })
    #expect(messages.contains { $0.hasPrefix("`D` is defined in d.fbs") })
    #expect(!messages.contains { $0.hasPrefix("`B` is") || $0.hasPrefix("`C` is") })
    #expect(compilation.diagnostics.allSatisfy { $0.notes.isEmpty }, "they are read so already")
    files["e.fbs"] = "include \"a.fbs\"; include \"d.fbs\"; table E { c: C; }"
    #expect(compile(files, inputs: ["a.fbs", "e.fbs"]).diagnostics.isEmpty)
  }

  @Test("A file that is left out is read like the others, and is no input unless it is named")
  func exceptions() {
    var files = chain
    files["a.fbs"] = "include \"b.fbs\"; include \"d.fbs\"; table A { c: C; }"
    let compilation = compile(files, inputs: ["a.fbs"]) { $0 == "c.fbs" || $0 == "d.fbs" }
    #expect(compilation.diagnostics.isEmpty)
    #expect(paths(compilation, where: \.isInput) == ["a.fbs", "b.fbs"])
    let named = compile(files, inputs: ["a.fbs", "c.fbs"]) { $0 == "c.fbs" || $0 == "d.fbs" }
    #expect(paths(named, where: \.isInput).sorted() == ["a.fbs", "b.fbs", "c.fbs"])
    #expect(named.diagnostics.isEmpty)
  }

  @Test("A note tells of a file that includes both, if that alone would help")
  func notes() {
    var files = chain
    files["a.fbs"] = "include \"b.fbs\"; include \"d.fbs\"; table A { c: C; }"
    func notes(_ inputs: [String]) -> Set<[String]> {
      Set(SchemaCompiler.compile(inputs: inputs, provider: SchemaTexts(files)).diagnostics.map(\.notes))
    }
    let note = "a.fbs includes both: `--gen-all` lets an included file use what those that include it bring"
    #expect(notes(["b.fbs", "a.fbs"]) == [[note]])
    files["e.fbs"] = "include \"c.fbs\";"
    #expect(!notes(["b.fbs", "a.fbs", "e.fbs"]).isSubset(of: [[note]]))
  }

  @Test("Modules share no input: an included file is one of the first that reaches it")
  func modules() {
    let files = [
      "a.fbs": "include \"mark.fbs\"; include \"c.fbs\"; table App { c: C; }",
      "b.fbs": "include \"mark.fbs\"; include \"c.fbs\"; include \"own.fbs\"; table App { c: C; }",
      "c.fbs": "table C { x: int (mark); }", "mark.fbs": "attribute \"mark\";",
      "own.fbs": "table Own { x: int (mark); }",
    ]
    let modules = SchemaModules(
      inputs: ["a.fbs", "b.fbs"], included: .compiled(), provider: SchemaTexts(files)
    ).modules
    #expect(modules.allSatisfy { $0.isValid })
    #expect(
      modules.map { paths($0, where: \.isInput).sorted() } == [["a.fbs", "c.fbs", "mark.fbs"], ["b.fbs", "own.fbs"]])
  }
}
