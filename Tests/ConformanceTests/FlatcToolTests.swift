import Foundation
import TestSupport
import Testing

/// The library stands in for the tool, which is what people run: on every hand-written schema, they must say the same.
@Suite("The library that judges is the tool flatc", .enabled(if: SchemaOracle.isAvailable))
struct FlatcToolTests {
  @Test("The tool flatc accepts the schemas that the library accepts")
  func valid() throws {
    let cases = try Corpus.valid.get()
    let oracle = try SchemaOracle.shared.get()
    var judged: [(SchemaCase, BinarySchemaContent)] = []
    var buffers: [[UInt8]] = []
    for (schemaCase, judgement) in zip(cases, try oracle.judge(cases)) {
      // flatc writes no binary schema with defaults of strings or vectors (feature 8): not all languages have them.
      guard case .valid(let content) = judgement, (Int(content["advanced_features"] ?? "") ?? 0) & 8 == 0 else {
        continue
      }
      let buffer = try #require(try schemaCase.binarySchema(by: .system), "flatc refuses \(schemaCase.name)")
      judged.append((schemaCase, content))
      buffers.append(buffer)
    }
    #expect(judged.count > 150)
    for ((schemaCase, content), tool) in zip(judged, try oracle.decode(buffers)) {
      if tool != content { Issue.record("\(schemaCase.name): the library and the tool differ") }
    }
  }

  @Test("The tool flatc refuses each invalid schema")
  func invalid() throws {
    for schemaCase in try Corpus.invalid.get() {
      if try schemaCase.binarySchema(by: .system) != nil { Issue.record("flatc takes \(schemaCase.name)") }
    }
  }
}

extension SchemaCase {
  /// What a tool writes, with all that it can say. Nil if it refuses the schema.
  func binarySchema(by tool: FlatcTool) throws -> [UInt8]? {
    try withTemporaryFolder { directory in
      for file in files {
        let url = directory.appendingPathComponent(file.path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(file.bytes).write(to: url)
      }
      return try tool.binarySchema(
        of: files[0].path, in: directory,
        ["--bfbs-comments", "--bfbs-builtins", "--bfbs-filenames", directory.path])
    }
  }
}
