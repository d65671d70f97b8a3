import Foundation
import TestSupport
import Testing

@Suite("The comparison with buf")
struct ComparisonPageTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: packageFolder.appending(path: path), encoding: .utf8)
  }

  @Test("The page gives the number of lint rules that dflatc has")
  func theNumberOfLintRulesIsRight() throws {
    let page = try text("Documentation/comparison-with-buf.md")
    let number = try #require(page.firstMatch(of: /`dflatc` (\d+) in groups/)).1
    let rules = try withTemporaryFolder { try Shell(folder: $0).run("dflatc explain --lint-rules") }
    let lines = rules.text.split(separator: "\n").filter { $0.contains(/^[a-z-]+ {2}/) && !$0.hasPrefix("allow-") }
    #expect(rules.isSuccess && Int(number) == lines.count, "\(lines.count)")
  }

  @Test("Every option that the page names beside a command of dflatc is one of the command's")
  func everyOptionIsOneOfItsCommand() throws {
    let page = try text("Documentation/comparison-with-buf.md")
    let pairs = page.matches(of: /`dflatc ([a-z]+) (--[a-z-]+)/)
    #expect(pairs.count >= 4)
    for pair in pairs {
      let help = try withTemporaryFolder { try Shell(folder: $0).run("dflatc \(pair.1) --help") }
      #expect(help.text.contains("\(pair.2)"), "\(pair.0)")
    }
  }
}
