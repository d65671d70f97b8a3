import Foundation
import TestSupport
import Testing

/// What Swift does not check has a reason: see Documentation/unsafe-code.md.
@Suite("Code that Swift does not check")
struct UnsafeCodeTests {
  private static func sources() throws -> [UnsafeCode] {
    let folder = packageFolder.appending(path: "Sources")
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") && !$0.hasSuffix("_generated.swift") }.sorted()
      .map { UnsafeCode(path: $0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
  }

  @Test("Every unsafe construct in Sources has a comment with its reason")
  func everyUseHasItsReasonAtItsPlace() throws {
    let sources = try Self.sources()
    #expect(sources.count > 300)
    let uses = sources.flatMap(\.uses)
    // The rules see something.
    for construct in UnsafeCode.Construct.allCases where construct != .forced {
      #expect(uses.contains { $0.construct == construct }, "\(construct)")
    }
    for use in uses where !use.hasReason {
      Issue.record("Sources/\(use.path):\(use.line): \(use.construct.demand)")
    }
  }

  @Test("The page lists exactly the files that use pointers")
  func everyFileWithPointersIsOnThePage() throws {
    let page = try String(
      contentsOf: packageFolder.appending(path: "Documentation/unsafe-code.md"), encoding: .utf8)
    let listed = UnsafeCode.files(listedBy: page)
    #expect(Set(listed).count == listed.count, "a file is listed twice")
    let using = try Self.sources().filter(\.usesPointers).map(\.path)
    #expect(using.count > 50)
    #expect(Set(using).subtracting(listed).sorted() == [], "they use pointers: say on the page why that is safe")
    #expect(Set(listed).subtracting(using).sorted() == [], "they use none: take them from the page")
  }

  @Test(
    "A construct counts as explained if a comment or message gives its reason",
    arguments: [
      ("final class A: @unchecked Sendable {\n  // Unchecked because the lock guards it.\n  var a = 0\n}", true),
      ("final class A: @unchecked Sendable {\n  var a = 0\n}", false),
      ("// Set before any thread starts.\nnonisolated(unsafe) var a = 0", true),
      ("nonisolated(unsafe) var a = 0", false),
      ("// Exclusivity is unchecked: nothing leads back here.\n@exclusivity(unchecked) var a = 0", true),
      ("// Fast.\n@exclusivity(unchecked) var a = 0", false),
      ("// All are of this class.\nlet a = unsafeDowncast(b, to: A.self)", true),
      ("let a = unsafeDowncast(b, to: A.self)", false), ("let a = Unmanaged.passRetained(b)", false),
      ("let a = unsafeBitCast(b, to: C.self)", false), ("let a = try! b()", false), ("let a = b as! C", false),
      ("// It is a constant.\nlet a = try! b()", true), ("preconditionFailure(\"only once\")", true),
      ("preconditionFailure()", false), ("fatalError()", false), ("fatalError(\n  \"why\")", true),
      ("// let a = try! b()", true), ("let a = \"try! it\"", true),
    ])
  func reasons(_ text: String, _ hasReason: Bool) {
    #expect(UnsafeCode(path: "a.swift", text).uses.allSatisfy(\.hasReason) == hasReason)
  }

  @Test("Pointers are found in code and ignored in comments")
  func pointersAreFoundInCodeAndNotInComments() {
    #expect(UnsafeCode(path: "", "func f(_ a: UnsafeRawPointer)").usesPointers)
    #expect(UnsafeCode(path: "", "a.withUnsafeBytes { $0 }").usesPointers)
    #expect(!UnsafeCode(path: "", "// An UnsafeRawPointer\nlet a = 1").usesPointers)
  }
}

/// The lines of a file, and what in them Swift does not check.
private struct UnsafeCode {
  enum Construct: CaseIterable {
    case sendable, isolation, exclusivity, cast, trap, forced

    /// What it looks like.
    var marks: [String] {
      switch self {
      case .sendable: ["@unchecked Sendable"]
      case .isolation: ["nonisolated(unsafe)"]
      case .exclusivity: ["@exclusivity(unchecked)"]
      case .cast: ["unsafeBitCast", "unsafeDowncast", "Unmanaged.", "Unmanaged<"]
      case .trap: ["fatalError(", "preconditionFailure("]
      case .forced: ["try!", " as! "]
      }
    }

    var demand: String {
      switch self {
      case .sendable: "say in a comment beside it why no data race can be: `// Unchecked because ...`"
      case .exclusivity: "say in a comment above it why accesses do not overlap: `// Exclusivity is unchecked: ...`"
      case .trap: "give it a message, which says what rule the program has broken"
      case .isolation, .cast, .forced: "say in a comment above it why it is right"
      }
    }
  }

  struct Use {
    let path: String
    let line: Int
    let construct: Construct
    let hasReason: Bool
  }

  private static let pointers = [
    "UnsafePointer", "UnsafeMutablePointer", "UnsafeRawPointer", "UnsafeMutableRawPointer", "UnsafeBufferPointer",
    "UnsafeMutableBufferPointer", "UnsafeRawBufferPointer", "UnsafeMutableRawBufferPointer", "withUnsafe",
    "assumingMemoryBound", "withMemoryRebound",
  ]

  let path: String
  private let text: String
  private let lines: [Substring]

  init(path: String, _ text: String) {
    self.path = path
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// A line without its comment and the text of its strings.
  private static func code(of line: Substring) -> String {
    String(line.replacing(/"[^"]*"/, with: "\"\"").prefix { $0 != "/" || !line.contains("//") })
  }

  private func comments(from first: Int, through last: Int) -> String {
    lines[max(0, first)...min(last, lines.count - 1)]
      .compactMap { line in line.range(of: "//").map { line[$0.lowerBound...] } }.joined(separator: "\n")
  }

  var uses: [Use] {
    Construct.allCases.flatMap { construct in
      places(of: construct.marks).map { index, code in
        Use(path: path, line: index + 1, construct: construct, hasReason: hasReason(construct, at: index, code))
      }
    }
  }

  /// The lines whose code has one of some words. Most files have none.
  private func places(of marks: [String]) -> [(index: Int, code: String)] {
    let marks = marks.filter(text.contains)
    guard !marks.isEmpty else { return [] }
    return lines.indices.filter { index in marks.contains { lines[index].contains($0) } }
      .map { ($0, Self.code(of: lines[$0])) }.filter { _, code in marks.contains { code.contains($0) } }
  }

  private func hasReason(_ construct: Construct, at index: Int, _ code: String) -> Bool {
    switch construct {
    case .sendable: comments(from: index - 3, through: index + 8).contains(/[Uu]nchecked/)
    // One comment may speak for several variables.
    case .exclusivity: comments(from: 0, through: index).contains(/[Ee]xclusivity is unchecked/)
    case .isolation, .forced: !comments(from: index - 3, through: index).isEmpty
    case .cast: !comments(from: index - 6, through: index).isEmpty
    case .trap: !code.contains("()") || comments(from: index - 3, through: index).contains("//")
    }
  }

  var usesPointers: Bool { !places(of: Self.pointers).isEmpty }

  /// The paths below Sources that a page lists in the first column of its tables, by the folder of the section.
  static func files(listedBy page: String) -> [String] {
    var folder = ""
    var files: [String] = []
    for line in page.split(separator: "\n") {
      if let start = line.firstMatch(of: /^In `Sources\/?([^`]*)`/) { folder = start.1.isEmpty ? "" : start.1 + "/" }
      guard line.hasPrefix("| `"), let column = line.split(separator: "|").first else { continue }
      files += column.matches(of: /`([^`]+)`/).map { folder + $0.1 }
    }
    return files
  }
}
