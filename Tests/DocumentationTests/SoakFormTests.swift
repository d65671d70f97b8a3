import Foundation
import TestSupport
import Testing

@Suite("The forms of the soak")
struct SoakFormTests {
  @Test("Each alternative of a form's filter is a suite that exists, or a test in it")
  func filters() throws {
    let forms = try String(
      contentsOf: packageFolder.appending(path: "Quality/Soak/Sources/Soak/Form.swift"), encoding: .utf8)
    let sources = try sources(below: packageFolder.appending(path: "Tests"))
    let alternatives = forms.matches(of: /"(?<filter>[^"]*Tests[^"]*)"/).filter { !$0.filter.contains(" ") }
      .flatMap { $0.filter.split(separator: "|") }
    #expect(alternatives.count > 40)
    for alternative in alternatives {
      let name = try #require(
        alternative.wholeMatch(of: /(\\\.)?(?<suite>\w+)(\/(?<test>\w+))?/),
        "`\(alternative)` is more than a suite and a test: the soak looks for each alternative by itself")
      let files = sources.filter { $0.contains("struct \(name.suite) ") || $0.contains("class \(name.suite):") }
      #expect(!files.isEmpty, "no suite is called \(name.suite)")
      guard let test = name.test else { continue }
      #expect(files.contains { $0.contains("func \(test)") }, "\(name.suite) has no test \(test)")
    }
  }

  private func sources(below folder: URL) throws -> [String] {
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }
  }
}
