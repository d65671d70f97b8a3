import Foundation
import TestSupport
import Testing

@Suite("The forms of the soak")
struct SoakFormTests {
  @Test("Each alternative of a form's filter is a suite that exists, or a test in it")
  func filters() throws {
    let forms = try String(
      contentsOf: packageFolder.appending(path: "Quality/Soak/Sources/Soak/Form.swift"), encoding: .utf8)
    let files = try files(below: packageFolder.appending(path: "Tests"))
    let alternatives = forms.matches(of: /"(?<filter>[^"]*Tests[^"]*)"/).filter { !$0.filter.contains(" ") }
      .flatMap { $0.filter.split(separator: "|") }
    #expect(alternatives.count > 40)
    for alternative in alternatives {
      let name = try #require(
        alternative.wholeMatch(of: /(\\\.)?(?<suite>\w+)(\/(?<test>\w+))?/),
        "`\(alternative)` is more than a suite and a test: the soak looks for each alternative by itself")
      let file = try #require(files["\(name.suite).swift"], "no suite is called \(name.suite)")
      guard let test = name.test else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains("func \(test)"), "\(name.suite) has no test \(test)")
    }
  }

  /// Returns the Swift files below a folder by their names: a suite is in the file of its name.
  private func files(below folder: URL) throws -> [String: URL] {
    let all = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    let files = all.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    return Dictionary(files.map { ($0.lastPathComponent, $0) }) { first, _ in first }
  }
}
