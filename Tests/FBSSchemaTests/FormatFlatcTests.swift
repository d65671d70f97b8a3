import FBSDiagnostics
import FBSParser
import Foundation
import TestSupport
import Testing

@Suite("flatc cannot tell a formatted schema from the one before", .enabled(if: Flatc.isInstalled))
struct FormatFlatcTests {
  /// The binary schema that flatc makes of a text, comments and all. Nothing if it refuses the text.
  private func binarySchema(_ text: [UInt8], in folder: URL) throws -> Data? {
    let output = folder.appendingPathComponent("a.bfbs")
    try Data(text).write(to: folder.appendingPathComponent("a.fbs"))
    if FileManager.default.fileExists(atPath: output.path) { try FileManager.default.removeItem(at: output) }
    let options = ["-b", "--schema", "--bfbs-comments", "--bfbs-builtins", "a.fbs"]
    guard try runProgram(try #require(Flatc.path), options, in: folder).isSuccess else { return nil }
    return try Data(contentsOf: output)
  }

  @Test("flatc writes the same binary schema, or the same refusal, for a schema before and after formatting")
  func binarySchemas() throws {
    try withTemporaryFolder { folder in
      var compared = 0
      for text in FlatcAgreementCases.all {
        let bytes = Array(text.utf8)
        let (tree, diagnostics) = Parser.parse(SourceFile(id: FileID(0), path: "a.fbs", bytes: bytes))
        guard diagnostics.isEmpty else { continue }
        let formatted = SchemaFormatter.format(tree)
        guard formatted != bytes else { continue }
        let before = try binarySchema(bytes, in: folder)
        let isSame = try binarySchema(formatted, in: folder) == before
        #expect(isSame, "\(text)")
        if before != nil { compared += 1 }
      }
      #expect(compared > 50)
    }
  }
}
