import Foundation
import TestSupport
import Testing

@Suite("The pages about PostgreSQL")
struct PostgresPageTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: packageFolder.appendingPathComponent(path), encoding: .utf8)
  }

  /// The names that follow a word in the lines of a source which begin with it.
  private static func names(after word: String, in source: String) -> [String] {
    source.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix(word) }
      .map { String($0.dropFirst(word.count).prefix { $0.isLetter }) }
  }

  @Test("Every option is explained in a row of the table of options, and set in the example")
  func options() throws {
    let source = try Self.text("Sources/DflatRuntime/PostgresDflat/Lifecycle/PostgresOptions.swift")
    let options = Self.names(after: "public var ", in: source)
    #expect(options.count >= 10)
    let page = try Self.text("Documentation/postgres.md")
    for option in options {
      #expect(page.contains("\n| `\(option)` |"), "\(option)")
      #expect(option == "connection" || page.contains("options.\(option) = "), "\(option)")
    }
  }

  @Test("Every cause of a PostgresError is listed")
  func causes() throws {
    let source = try Self.text("Sources/DflatRuntime/PostgresDflat/Postgres/PostgresError.swift")
    let declaration = try #require(source.range(of: "public enum Cause"))
    let end = try #require(source.range(of: "\n  }", range: declaration.upperBound..<source.endIndex))
    let causes = Self.names(after: "case ", in: String(source[declaration.upperBound..<end.lowerBound]))
    #expect(causes.count >= 17)
    let page = try Self.text("Documentation/postgres-running.md")
    let errors = try #require(page.range(of: "\n## Errors\n"))
    for cause in causes { #expect(page[errors.upperBound...].contains("`.\(cause)`"), "\(cause)") }
  }
}
