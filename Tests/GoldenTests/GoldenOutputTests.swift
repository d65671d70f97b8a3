import ConformanceSupport
import Emitters
import FBSParser
import FBSSchema
import Foundation
import TestSupport
import Testing

/// The folders of `Fixtures/` that hold a schema and its golden output.
let goldenCases: [String] = {
  let fixtures = packageFolder.appending(path: "Fixtures")
  // A folder that cannot be read gives no cases, which fails a test.
  let names = (try? FileManager.default.contentsOfDirectory(atPath: fixtures.path)) ?? []
  return names.filter { FileManager.default.fileExists(atPath: fixtures.appending(path: "\($0)/schema.fbs").path) }
    .sorted()
}()

@Suite("Golden output")
struct GoldenOutputTests {
  @Test("The golden case post is found in Fixtures")
  func thereAreCases() {
    #expect(goldenCases.contains("post"))
  }

  @Test("Every case is compiled by Package.swift", arguments: goldenCases)
  func everyCaseIsCompiled(name: String) throws {
    let manifest = try String(contentsOf: packageFolder.appending(path: "Package.swift"), encoding: .utf8)
    let list = emitterNames(of: name) == nil ? "goldenCases" : "accessorCases"
    let start = try #require(manifest.range(of: "let \(list) = [")).upperBound
    let names = try #require(manifest[start...].split(separator: "]").first)
    #expect(names.contains("\"\(name)\""), "add \"\(name)\" to \(list)")
  }

  /// The emitters that a case chooses, if it has a file that does.
  private func emitterNames(of name: String) -> [String]? {
    let file = packageFolder.appending(path: "Fixtures/\(name)/emitters")
    // Most cases have none, and one that cannot be read gives other files than those that are there, which fails a test.
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    return text.split { $0 == "," || $0.isWhitespace }.map(String.init)
  }

  private func emitters(of name: String) throws -> [any Emitter] {
    guard let names = emitterNames(of: name) else { return EmitterRegistry.defaults }
    return try names.map { name in
      let emitter = EmitterRegistry.emitter(named: name)
      return try #require(emitter, "there is no emitter called \(name)")
    }
  }

  @Test("The emitted files are those under Fixtures/, byte for byte", arguments: goldenCases)
  func outputIsGolden(name: String) throws {
    let folder = packageFolder.appending(path: "Fixtures/\(name)")
    let emitters = try emitters(of: name)
    let outcome = CompilationPipeline(emitters: emitters).run(
      inputs: ["schema.fbs"], provider: SchemaFolder(folder))
    #expect(outcome.diagnostics.isEmpty, "\(outcome.diagnostics.map(\.message))")

    let files = try outcome.files.get()
    #expect(files.filter { !$0.name.hasSuffix("_namespace_generated.swift") }.count == emitters.count)
    for file in files {
      let golden = try Data(contentsOf: folder.appending(path: file.name))
      if golden != Data(file.content) {
        Issue.record("\(name)/\(file.name) differs:\n\(firstDifference(golden, file.content))\nmake golden rewrites it")
      }
    }
  }

  private func firstDifference(_ golden: Data, _ output: [UInt8]) -> String {
    let old = String(decoding: golden, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let new = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let line = zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(old.count, new.count)
    return """
      line \(line + 1)
      - \(line < old.count ? String(old[line]) : "(end)")
      + \(line < new.count ? String(new[line]) : "(end)")
      """
  }
}
