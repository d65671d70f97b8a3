import FBSParser
import Foundation
import Testing

@Suite("flatc cannot tell a formatted schema from the one before", .enabled(if: Flatc.isInstalled))
struct FormatFlatcTests {
  /// The binary schema that flatc makes of a text, comments and all. Nothing if it refuses the text.
  private func binarySchema(_ text: [UInt8], in folder: URL) throws -> Data? {
    let output = folder.appendingPathComponent("a.bfbs")
    try Data(text).write(to: folder.appendingPathComponent("a.fbs"))
    if FileManager.default.fileExists(atPath: output.path) { try FileManager.default.removeItem(at: output) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Flatc.path))
    process.currentDirectoryURL = folder
    process.arguments = ["-b", "--schema", "--bfbs-comments", "--bfbs-builtins", "a.fbs"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else { return nil }
    return try Data(contentsOf: output)
  }

  @Test("Its binary schema of both is the same, byte for byte, and so is its refusal")
  func binarySchemas() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("flatc-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
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
