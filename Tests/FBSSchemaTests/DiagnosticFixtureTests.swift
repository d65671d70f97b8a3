import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import TestSupport
import Testing

/// Each folder of Fixtures/diagnostics holds a schema and the text that people see.
///
/// With UPDATE_EXPECTED=1 in the environment, the expected texts are written anew: read every change.
@Suite("Diagnostics as people see them")
struct DiagnosticFixtureTests {
  static let folder = packageFolder.appendingPathComponent("Fixtures/diagnostics")

  static let cases: [String] = {
    // Without the folder there is no case, which a test below notices.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }()

  /// Compiles all files of a case, and validates them.
  static func diagnose(_ name: String) throws -> (diagnostics: [Diagnostic], sources: SourceMap) {
    let folder = folder.appendingPathComponent(name)
    let inputs = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".fbs") }
      .sorted()
    let compilation = SchemaCompiler.compile(inputs: inputs, provider: SchemaFolder(folder))
    #expect(compilation.unreadableInputs.isEmpty)
    let files = compilation.schema.files.filter(\.isInput).map(\.id)
    let rules = StoreValidator.validate(
      schema: compilation.schema, files: files, knowing: compilation.diagnostics)
    return ((compilation.diagnostics + rules).inSourceOrder(), compilation.sources)
  }

  @Test("Fixtures of diagnostics are found")
  func casesExist() {
    #expect(Self.cases.count > 50)
  }

  @Test("Each case shows its expected text", arguments: cases)
  func text(_ name: String) throws {
    let (diagnostics, sources) = try Self.diagnose(name)
    let text = DiagnosticRenderer().render(diagnostics, in: sources)
    let url = Self.folder.appendingPathComponent(name).appendingPathComponent("expected.txt")
    if ProcessInfo.processInfo.environment["UPDATE_EXPECTED"] == "1" {
      try Data(text.utf8).write(to: url)
    }
    let expected = try String(decoding: Data(contentsOf: url), as: UTF8.self)
    #expect(text == expected)
  }

  @Test("Every code that a schema alone can bring about has a case")
  func everyCodeHasACase() throws {
    var seen: Set<String> = []
    for name in Self.cases { seen.formUnion(try Self.diagnose(name).diagnostics.map(\.code.id)) }
    // These need a file of 4 GiB, a file that the system refuses to read, and data beside the schema.
    let elsewhere = Set(
      [DiagnosticCode.fileTooLarge, .unreadableInclude, .notAnObject, .looseJSON].map(\.id))
    let all = Set((DiagnosticCode.parserCodes + DiagnosticCode.schemaCodes).map(\.id))
    #expect(all.count == DiagnosticCode.parserCodes.count + DiagnosticCode.schemaCodes.count)
    #expect(all.subtracting(seen).subtracting(elsewhere).sorted() == [])
    #expect(seen.subtracting(all) == [])
  }
}
