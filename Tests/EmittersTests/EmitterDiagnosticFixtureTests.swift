import ConformanceSupport
import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import TestSupport
import Testing

/// Each folder of Fixtures/emitter-diagnostics holds a valid schema, and the text that people see when Swift cannot be made of
/// it.
///
/// With UPDATE_EXPECTED=1 in the environment, the expected texts are written anew: read every change.
@Suite("Diagnostics of the emitters have the expected text")
struct EmitterDiagnosticFixtureTests {
  static let folder = packageFolder.appending(path: "Fixtures/emitter-diagnostics")

  static let cases: [String] = {
    // Without the folder there is no case, which a test below notices.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }()

  private static func compile(_ name: String) throws -> Compilation {
    let folder = folder.appending(path: name)
    var texts: [String: String] = [:]
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasSuffix(".fbs") {
      texts[file] = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    }
    let compilation = SchemaCompiler.compile(inputs: ["schema.fbs"], provider: SchemaTexts(texts))
    #expect(compilation.diagnostics.isEmpty)
    return compilation
  }

  private static func diagnose(_ name: String) throws -> (diagnostics: [Diagnostic], sources: SourceMap) {
    let compilation = try compile(name)
    let checked = CheckedSchema(compilation, emitters: EmitterRegistry.defaults) { $0.path.hasPrefix("generated") }
    return (checked.diagnostics.inSourceOrder(), compilation.sources)
  }

  @Test("Each case shows its expected text", arguments: cases)
  func text(_ name: String) throws {
    let (diagnostics, sources) = try Self.diagnose(name)
    let text = DiagnosticRenderer().render(diagnostics, in: sources)
    let file = Self.folder.appending(path: "\(name)/expected.txt")
    if ProcessInfo.processInfo.environment["UPDATE_EXPECTED"] == "1" {
      try Data(text.utf8).write(to: file)
    }
    #expect(try text == String(contentsOf: file, encoding: .utf8))
  }

  @Test("The diagnostics are the same where nothing is to be emitted", arguments: cases)
  func diagnosticsAlone(_ name: String) throws {
    let compilation = try Self.compile(name)
    let renderer = DiagnosticRenderer()
    let alone = CheckedSchema.diagnostics(of: compilation, emitters: EmitterRegistry.defaults)
    let checked = CheckedSchema(compilation, emitters: EmitterRegistry.defaults)
    #expect(
      renderer.render(alone, in: compilation.sources) == renderer.render(checked.diagnostics, in: compilation.sources))
  }

  @Test("Every code of the emitters has a case in the fixtures")
  func everyCodeHasACase() throws {
    let seen = Set(try Self.cases.flatMap { try Self.diagnose($0).diagnostics.map(\.code.id) })
    // That one is said by programs of others.
    #expect(seen == Set(EmitterCode.all.map(\.id)).subtracting([EmitterCode.refusedByPlugin.id]))
  }
}
