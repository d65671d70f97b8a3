import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import Testing

@Suite("Inputs and includes")
struct IncludeTests {
  @Test("An include is looked for beside the file, then in each include path")
  func search() {
    let files = [
      "dir/a.fbs": "include \"b.fbs\"; include \"sub/c.fbs\"; include \"d.fbs\"; table A { b: B; c: C; d: D; }",
      "dir/b.fbs": "table B {}", "b.fbs": "table Wrong {}", "inc1/sub/c.fbs": "table C {}", "inc1/d.fbs": "table D {}",
      "inc2/d.fbs": "table Wrong {}",
    ]
    let compilation = compile(files, inputs: ["dir/a.fbs"], includePaths: ["inc1", "inc2/"])
    #expect(compilation.diagnostics.isEmpty)
    #expect(compilation.schema.files.map(\.path) == ["dir/a.fbs", "dir/b.fbs", "inc1/sub/c.fbs", "inc1/d.fbs"])
    #expect(compilation.schema.files.map(\.isInput) == [true, false, false, false])
    #expect(compilation.schema.tables.map(\.name.name) == ["B", "C", "D", "A"])
    #expect(compilation.schema.files[0].includes == [FileID(1), FileID(2), FileID(3)])
  }

  @Test("A file is read once however it is reached, and cycles are fine")
  func cycle() {
    let files = [
      "a.fbs": "include \"b.fbs\"; include \"./x/../b.fbs\"; table A { b: B; }",
      "b.fbs": "include \"a.fbs\"; include \"b.fbs\"; table B { a: A; }",
    ]
    let compilation = compile(files, inputs: ["a.fbs", "b.fbs", "./a.fbs"])
    #expect(compilation.diagnostics.isEmpty)
    #expect(compilation.sources.files.map(\.path) == ["a.fbs", "b.fbs"])
    #expect(compilation.schema.files.map(\.isInput) == [true, true])
    #expect(compilation.schema.tables.map(\.name.name) == ["B", "A"])
  }

  @Test("A missing include is a mistake at its statement, and says where it was looked for")
  func missing() throws {
    let compilation = compile(
      ["dir/a.fbs": "include \"b.fbs\";\ntable A {}"], inputs: ["dir/a.fbs"], includePaths: ["inc"])
    let diagnostic = try #require(compilation.diagnostics.first)
    #expect(compilation.diagnostics.count == 1)
    #expect(diagnostic.code == .missingInclude)
    #expect(diagnostic.range == SourceRange(file: FileID(0), start: 8, end: 15))
    #expect(diagnostic.notes == ["looked for dir/b.fbs", "looked for inc/b.fbs"])
    #expect(compilation.unreadableInputs.isEmpty)
    #expect(!compilation.isValid)
  }

  @Test("An input that cannot be read is told apart from all mistakes, and the others are compiled")
  func unreadableInput() {
    var provider = SchemaTexts(["a.fbs": "table A {}"])
    provider.unreadable["c.fbs"] = "permission denied"
    let compilation = SchemaCompiler.compile(inputs: ["b.fbs", "a.fbs", "c.fbs"], provider: provider)
    #expect(compilation.diagnostics.isEmpty)
    #expect(compilation.unreadableInputs.map(\.path) == ["b.fbs", "c.fbs"])
    #expect(compilation.unreadableInputs.map(\.error) == [.notFound, .unreadable(reason: "permission denied")])
    #expect(compilation.schema.tables.count == 1)
    #expect(!compilation.isValid)
  }

  @Test("An include that exists and cannot be read says why")
  func unreadableInclude() {
    var provider = SchemaTexts(["a.fbs": "include \"b.fbs\"; table A {}"])
    provider.unreadable["b.fbs"] = "permission denied"
    let compilation = SchemaCompiler.compile(inputs: ["a.fbs"], provider: provider)
    #expect(compilation.diagnostics.map(\.code) == [.unreadableInclude])
    #expect(compilation.diagnostics.map(\.message) == ["`b.fbs` cannot be read: permission denied"])
  }

  @Test("A chain of includes may be long")
  func longChain() {
    var files: [String: String] = [:]
    for index in 0..<1_000 {
      files["f\(index).fbs"] =
        (index < 999 ? "include \"f\(index + 1).fbs\";" : "")
        + " table T\(index) { \(index < 999 ? "next: T\(index + 1);" : "") }"
    }
    let compilation = compile(files, inputs: ["f0.fbs"])
    #expect(compilation.diagnostics.isEmpty)
    #expect(compilation.schema.tables.count == 1_000)
    #expect(compilation.schema.tables[0].name.name == "T999")
  }

  @Test("A namespace, a root type and a file identifier end with their file")
  func filesEdge() {
    let files = [
      "a.fbs": "include \"b.fbs\"; table A { b: N.B; }",
      "b.fbs": "namespace N; table B {} root_type B; file_identifier \"BBBB\"; file_extension \"b\";",
    ]
    let compilation = compile(files, inputs: ["a.fbs"])
    #expect(compilation.diagnostics.isEmpty)
    #expect(compilation.schema.tables.map(\.name.description) == ["N.B", "A"])
    #expect(compilation.schema.files[0].rootTable == nil)
    #expect(compilation.schema.files[1].rootTable == TableID(0))
    #expect(compilation.schema.files[0].fileIdentifier == nil)
    #expect(compilation.schema.files[1].fileIdentifier == "BBBB")
    #expect(compilation.schema.files[1].fileExtension == "b")
  }

  @Test("An attribute that an include declares may be used")
  func declaredElsewhere() {
    let files = ["a.fbs": "include \"b.fbs\"; table A { a: int (x: 3); }", "b.fbs": "attribute \"x\";"]
    let compilation = compile(files, inputs: ["a.fbs"])
    #expect(compilation.diagnostics.isEmpty)
    #expect(compilation.schema.tables[0].fields[0].declaration.attribute("x")?.value == .integer(3))
  }

  @Test("What one input defines, another sees only if it includes it")
  func separateInputs() {
    let files = ["a.fbs": "table A {}", "b.fbs": "table B { a: A; }", "c.fbs": "include \"a.fbs\"; table C { a: A; }"]
    #expect(compile(files, inputs: ["a.fbs", "c.fbs"]).diagnostics.isEmpty)
    let compilation = compile(files, inputs: ["a.fbs", "b.fbs"])
    #expect(compilation.diagnostics.map(\.code) == [.unknownType])
    #expect(compilation.diagnostics.map(\.message) == ["`A` is defined in a.fbs, which this file does not include"])
  }

  @Test("The order of the inputs changes nothing but the order of the definitions")
  func orderOfInputs() {
    let files = [
      "a.fbs": "include \"c.fbs\"; table A { c: C; }", "b.fbs": "include \"c.fbs\"; table B { c: C; x: Nothing; }",
      "c.fbs": "table C {}",
    ]
    let one = compile(files, inputs: ["a.fbs", "b.fbs", "c.fbs"])
    let other = compile(files, inputs: ["c.fbs", "b.fbs", "a.fbs"])
    #expect(Set(one.diagnostics.map(\.message)) == Set(other.diagnostics.map(\.message)))
    #expect(Set(one.schema.tables.map(\.name)) == Set(other.schema.tables.map(\.name)))
    #expect(one.schema.files.map(\.isInput) == [true, true, true])
  }

  @Test("A file that is too large to read is one mistake, as an input and as an include")
  func tooLarge() {
    struct Provider: SourceProvider {
      func read(_ path: String) throws(SourceReadError) -> [UInt8] {
        guard path == "a.fbs" else { throw .tooLarge }
        return Array("include \"b.fbs\"; table T { b: int; } root_type T;".utf8)
      }
    }
    let included = SchemaCompiler.compile(inputs: ["a.fbs"], provider: Provider())
    #expect(included.codes == ["D0109"] && included.sources[FileID(1)].path == "b.fbs")
    let input = SchemaCompiler.compile(inputs: ["b.fbs", "a.fbs"], provider: Provider())
    #expect(input.codes == ["D0109"] && input.unreadableInputs.isEmpty && !input.isValid)
    #expect(DiagnosticRenderer().render(input.diagnostics, in: input.sources).contains("--> b.fbs:1:1"))
  }

  @Test(
    "Names that an unreadable or empty include may define are not reported beside it",
    arguments: [("\u{0}\u{1}", "D0102"), ("", "D0110"), ("// text\n", "D0110")])
  func emptyInclude(_ text: String, _ code: String) {
    let files = [
      "a.fbs": "include \"b.fbs\"; table A { x: B; }", "b.fbs": text, "c.fbs": "table C { x: B; }",
      "d.fbs": "include \"a.fbs\"; table D { x: B; }",
      "e.fbs": "include \"b.fbs\"; table Other { y: int; } table E { x: Othr; }",
    ]
    #expect(compile(files, inputs: ["a.fbs"]).codes == [code])
    #expect(compile(files, inputs: ["d.fbs"]).codes == [code])
    // A file that does not include it, and a slip of a name that is defined.
    #expect(compile(files, inputs: ["c.fbs"]).codes == ["D0204"])
    #expect(Set(compile(files, inputs: ["e.fbs"]).codes) == [code, "D0204"])
  }

  @Test("What a missing include may mean is looked for once, however many lines repeat it")
  func repeatedMistake() {
    final class Reads {
      var count = 0
    }
    struct Provider: SourceProvider {
      let reads: Reads
      func read(_ path: String) throws(SourceReadError) -> [UInt8] {
        reads.count += 1
        guard path == "a.fbs" else { throw .notFound }
        return Array(String(repeating: "include \"a\";\n", count: 5_000).utf8)
      }
    }
    let reads = Reads()
    let result = SchemaCompiler.compile(inputs: ["a.fbs"], provider: Provider(reads: reads))
    #expect(result.codes.count == 5_000 && Set(result.codes) == ["D0201"])
    #expect(result.diagnostics.first?.advice == "did you mean \"a.fbs\"?")
    // And once for each fix that is tried on a copy, of which there are 200 at most.
    #expect(reads.count < 250, "\(reads.count) reads")
  }

  @Test("What stands neither beside the including file nor in a -I folder is looked for beside the inputs, as in flatc")
  func besideTheInput() {
    var files = [
      "in/a.fbs": "include \"sub/c.fbs\"; table T { b: B; }", "in/sub/c.fbs": "include \"b.fbs\";",
      "in/b.fbs": "table B {}", "in/other/d.fbs": "table D {}", "i/b.fbs": "table B { x: int; }",
    ]
    #expect(compile(files, inputs: ["in/a.fbs"]).codes == [])
    #expect(compile(files, inputs: ["in/a.fbs"]).schema.files.map(\.path).contains("in/b.fbs"))
    // It is the last resort, and the order of the inputs makes no difference.
    #expect(compile(files, inputs: ["in/a.fbs"], includePaths: ["i"]).schema.files.map(\.path).contains("i/b.fbs"))
    for inputs in [["in/a.fbs", "in/other/d.fbs"], ["in/other/d.fbs", "in/a.fbs"]] {
      #expect(compile(files, inputs: inputs).schema.files.map(\.path).contains("in/b.fbs"))
    }
    files["in/b.fbs"] = nil
    let missing = compile(files, inputs: ["in/a.fbs"]).diagnostics.first { $0.code == .missingInclude }
    #expect(missing?.notes == ["looked for in/sub/b.fbs", "looked for in/b.fbs"])
  }
}
