import Foundation
import TestSupport
import Testing

/// Attributes that only make code faster have a figure behind them: see Documentation/unsafe-code.md.
@Suite("Attributes for the optimizer")
struct TuningTests {
  private static let attributes = ["@inline(__always)", "@inline(never)", "@exclusivity(unchecked)"]

  /// Returns whether the code of a file has one of the attributes. In comments and strings, they do not count.
  private static func isTuned(_ text: String) -> Bool {
    guard attributes.contains(where: text.contains) else { return false }
    return text.split(separator: "\n").contains { line in
      let code = String(line).replacing(/"[^"]*"/, with: "\"\"")
      let end = code.range(of: "//")?.lowerBound ?? code.endIndex
      return attributes.contains { code[..<end].contains($0) }
    }
  }

  /// Returns the rows of the benchmark report that the comments of a file name.
  private static func rows(namedBy text: String) -> [String] {
    let comments = text.split(separator: "\n").compactMap { line -> String? in
      let content = line.drop { $0 == " " }
      return content.hasPrefix("//") ? String(content.drop { $0 == "/" || $0 == " " }) : nil
    }
    return comments.joined(separator: " ")
      .matches(of: /benchmark rows? ("[^"]+"(?:,? (?:and )?(?:for )?"[^"]+")*)/)
      .flatMap { match in String(match.1).matches(of: /"([^"]+)"/).map { String($0.1) } }
  }

  /// Returns the titles of the rows of a benchmark report, without the memory policy under which each is measured.
  private static func rows(of report: String) -> Set<String> {
    var rows: Set<String> = []
    var isTable = false
    for line in report.split(separator: "\n", omittingEmptySubsequences: false) {
      if isTable, line.hasPrefix("| "), let title = line.split(separator: "|").first {
        rows.insert(
          title.replacing(" †", with: "").replacing(/, memory (kept|released)/, with: "")
            .trimmingCharacters(in: .whitespaces))
      }
      isTable = line.hasPrefix("| job |") || isTable && line.hasPrefix("|")
    }
    return rows
  }

  private static func sources() throws -> [(path: String, text: String)] {
    let folder = packageFolder.appending(path: "Sources")
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") && !$0.hasSuffix("_generated.swift") }.sorted()
      .map { (path: $0, text: try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
  }

  @Test("Every file with an attribute for the optimizer names a row of the benchmark report that needs it")
  func rowsOfTunedFiles() throws {
    let report = try String(
      contentsOf: packageFolder.appending(path: "Quality/Benchmarks/REPORT.md"), encoding: .utf8)
    let rows = Self.rows(of: report)
    #expect(rows.count > 50)
    let tuned = try Self.sources().filter { Self.isTuned($0.text) }
    #expect(tuned.count > 20)
    for file in tuned where Self.rows(namedBy: file.text).isEmpty {
      Issue.record(
        """
        Sources/\(file.path): say in a comment which row of REPORT.md needs it, `the benchmark row "TITLE"`, or take the \
        attribute away
        """)
    }
  }

  @Test("Every row that a comment names is in the benchmark report")
  func namedRows() throws {
    let report = try String(
      contentsOf: packageFolder.appending(path: "Quality/Benchmarks/REPORT.md"), encoding: .utf8)
    let rows = Self.rows(of: report)
    for (path, text) in try Self.sources() {
      for row in Self.rows(namedBy: text) {
        #expect(rows.contains(row), "Sources/\(path): REPORT.md has no row \"\(row)\"")
      }
    }
  }

  @Test("An attribute counts in code alone")
  func attributesInCode() {
    #expect(Self.isTuned("  @inlinable @inline(__always)\n  func a() {}"))
    #expect(Self.isTuned("@exclusivity(unchecked) var a = \"//\""))
    #expect(!Self.isTuned("// Not @inline(never).\n@inlinable func a() {}"))
    #expect(!Self.isTuned("writer.line(\"@inline(never)\")"))
  }

  @Test("Rows are found in comments of several lines, and in the tables of a report")
  func rowsOfTexts() {
    let text = """
      // Inlined for the benchmark rows "fetch
      // all", "verify" and "a, b". "c" is none.
      let text = "the benchmark row \\"d\\""
      """
    #expect(Self.rows(namedBy: text) == ["fetch all", "verify", "a, b"])
    let report = """
      | date | today |

      | job | dflat |
      |---|---|
      | fetch all, memory kept † | 1 ms |
      | verify | 2 ns |

      | other | 3 |
      """
    #expect(Self.rows(of: report) == ["fetch all", "verify"])
  }
}
