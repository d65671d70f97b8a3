import ConformanceSupport
import Emitters
import FBSParser
import FBSSchema
import Testing

/// What the binary schema depends on. What is in it, the conformance tests compare with flatc's.
@Suite("Binary schemas")
struct BinarySchemaEmitterTests {
  private static let files = [
    "a/post.fbs": "include \"common.fbs\"; table Post { id: int; color: C.Color; } root_type Post;",
    "a/common.fbs": "include \"../shared/base.fbs\"; namespace C; enum Color: byte { Red }",
    "shared/base.fbs": "table Base { a: int; }",
    "a/other.fbs": "include \"../shared/base.fbs\"; table Aardvark { b: Base; }",
  ]

  private func binarySchema(_ inputs: [String], of stem: String) throws -> [UInt8] {
    let provider = SchemaTexts(Self.files)
    let compilation = SchemaCompiler.compile(inputs: inputs, provider: provider)
    #expect(compilation.diagnostics.isEmpty)
    let emitter = try #require(EmitterRegistry.emitter(named: "bfbs"))
    let files = try #require(CheckedSchema(compilation, emitters: [emitter]).generator).files()
    return try #require(files.first { $0.name == stem + ".bfbs" }).content
  }

  private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    let text = Array(text.utf8)
    return bytes.indices.dropLast(text.count).contains { bytes[$0..<$0 + text.count].elementsEqual(text) }
  }

  @Test("A binary schema depends on what its input reaches, not on other inputs or their order")
  func otherInputs() throws {
    let alone = try binarySchema(["a/post.fbs"], of: "post")
    #expect(try binarySchema(["a/other.fbs", "a/post.fbs"], of: "post") == alone)
    #expect(try binarySchema(["a/post.fbs", "shared/base.fbs", "a/other.fbs"], of: "post") == alone)
    #expect(contains(alone, "C.Color") && contains(alone, "Base"))
    #expect(!contains(alone, "Aardvark"))
  }

  @Test("Files are named from the input's folder")
  func fileNames() throws {
    let bytes = try binarySchema(["a/post.fbs"], of: "post")
    for name in ["//post.fbs", "//common.fbs", "//../shared/base.fbs"] { #expect(contains(bytes, name)) }
    #expect(!contains(bytes, "a/post"))
  }

  @Test("A binary schema has the file identifier BFBS")
  func identifier() throws {
    let bytes = try binarySchema(["shared/base.fbs"], of: "base")
    #expect(Array(bytes[4..<8]) == Array("BFBS".utf8))
  }

  @Test("A binary schema is written for any schema, with a root type or without, and only when asked for")
  func anySchema() throws {
    for name in ["bfbs", "json"] {
      let emitter = try #require(EmitterRegistry.emitter(named: name))
      #expect(!emitter.isDefault && !emitter.needsStore && !emitter.emitsSwift)
    }
  }
}
