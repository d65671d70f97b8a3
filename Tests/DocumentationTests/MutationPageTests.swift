import Foundation
import TestSupport
import Testing

/// Documentation/mutation.md explains why no test can notice some mutants: each explanation names a line of code.
@Suite("Explanations of mutants")
struct MutationPageTests {
  @Test("Each line that the page explains is in the file that it names")
  func eachLineStandsInItsFile() throws {
    let page = try String(contentsOf: packageFolder.appending(path: "Documentation/mutation.md"), encoding: .utf8)
    let explanations = page.matches(of: /(?m)^- `(?<path>[^`]+)`: `(?<line>[^`]+)` \([A-Za-z, ]+\): ./)
    #expect(explanations.count > 10)
    #expect(explanations.count == page.matches(of: /(?m)^- `/).count, "an explanation is not of this form")
    for explanation in explanations {
      let file = packageFolder.appending(path: String(explanation.path))
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        .map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(
        lines.contains(String(explanation.line)), "\(explanation.path) has this line no more: take it from the page")
    }
  }
}
