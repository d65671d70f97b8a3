import FBSParser
import FBSSchema
import Foundation
import TestSupport
import Testing

/// flatc is what the language is measured by: what it takes, we take, and what it refuses, we refuse.
@Suite("Agreement with flatc on what is a schema", .enabled(if: Flatc.isInstalled))
struct FlatcAgreementTests {
  @Test("flatc's verdict is ours", arguments: FlatcAgreementCases.all)
  func verdict(_ text: String) throws {
    let compilation = compile(text)
    let flatc = try Flatc.accepts(text)
    let messages = compilation.errors.map(\.message)
    #expect(messages.isEmpty == flatc, "flatc \(flatc ? "takes" : "refuses") it, we say \(messages)")
  }

  @Test(
    "Defaults of strings and vectors are those that flatc takes for Rust", arguments: FlatcAgreementCases.objectDefaults
  )
  func objectDefault(_ text: String) throws {
    #expect(try compile(text).errors.isEmpty == Flatc.accepts(text, ["--rust"]))
  }

  @Test("Where dflatc differs from flatc on purpose, it does as designed", arguments: FlatcAgreementCases.differences)
  func difference(_ text: String, isOurs: Bool) throws {
    #expect(compile(text).errors.isEmpty == isOurs)
    #expect(try Flatc.accepts(text) != isOurs)
  }
}

/// The compiler of the FlatBuffers project.
enum Flatc {
  static let path = ["/usr/bin/flatc", "/usr/local/bin/flatc", "/opt/homebrew/bin/flatc"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static var isInstalled: Bool { path != nil }

  /// Whether flatc makes a binary schema of a text, or code, with other options: it takes defaults of strings and vectors
  /// for some languages only.
  static func accepts(_ text: String, _ options: [String] = ["-b", "--schema"]) throws -> Bool {
    try withTemporaryFolder { folder in
      try Data(text.utf8).write(to: folder.appendingPathComponent("a.fbs"))
      return try runProgram(try #require(path), options + ["a.fbs"], in: folder).isSuccess
    }
  }
}
