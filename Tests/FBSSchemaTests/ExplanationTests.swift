import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import Testing

@Suite("Explanations of the parser's and the schema's codes")
struct ExplanationTests {
  static let all = Explanation.parser + Explanation.schema

  /// What compiling all files of an example gives, the store's rules included.
  private func diagnose(_ example: Explanation.Example) -> (codes: [String], text: String) {
    var provider = SchemaTexts([:])
    for file in example.files {
      provider.files[file.path] = file.text.map { Array($0.utf8) }
      if file.text == nil { provider.unreadable[file.path] = "Is a directory" }
    }
    let compilation = SchemaCompiler.compile(
      inputs: example.files.filter { $0.text != nil }.map(\.path), provider: provider)
    let files = compilation.schema.files.filter(\.isInput).map(\.id)
    let diagnostics =
      compilation.diagnostics
      + StoreValidator.validate(schema: compilation.schema, files: files, knowing: compilation.diagnostics)
    return (diagnostics.map(\.code.id), DiagnosticRenderer().render(diagnostics, in: compilation.sources))
  }

  @Test("Every code has one explanation, in the order of the codes")
  func complete() {
    #expect(Explanation.parser.map(\.code.id) == DiagnosticCode.parserCodes.map(\.id))
    #expect(Explanation.schema.map(\.code.id) == DiagnosticCode.schemaCodes.map(\.id).sorted())
  }

  @Test("Only what takes gigabytes, or stands in a file of data, has no example")
  func examples() {
    #expect(
      Self.all.filter { $0.examples == nil }.map(\.code.id)
        == [DiagnosticCode.fileTooLarge, .notAnObject, .looseJSON].map(\.id))
  }

  @Test("The wrong example gives the code", arguments: all.indices)
  func wrong(_ index: Int) {
    guard let examples = Self.all[index].examples else { return }
    let result = diagnose(examples.wrong)
    #expect(result.codes.contains(Self.all[index].code.id), "\(result.text)")
  }

  @Test("The right example gives no diagnostic", arguments: all.indices)
  func right(_ index: Int) {
    guard let examples = Self.all[index].examples else { return }
    let result = diagnose(examples.right)
    #expect(result.codes == [], "\(result.text)")
  }

  @Test("A text explains, in sentences")
  func texts() {
    for explanation in Self.all {
      #expect(explanation.text.count > 60, "\(explanation.code.id)")
      #expect(explanation.text.hasSuffix("."), "\(explanation.code.id)")
      #expect(!explanation.text.contains("  "), "\(explanation.code.id)")
    }
  }
}
