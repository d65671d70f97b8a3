import Emitters
import FBSParser
import FBSSchema
import Testing

/// Resolves a schema that is given as text.
func schema(_ text: String) -> Schema {
  let compilation = SchemaCompiler.compile(
    inputs: ["test.fbs"], includePaths: [], provider: InMemoryProvider(["test.fbs": text]))
  #expect(compilation.diagnostics.isEmpty, "\(compilation.diagnostics.map(\.message))")
  return compilation.schema
}

/// What one emitter makes of a schema that is given as text.
func emit(_ name: String, _ text: String) throws -> String {
  let emitter = try #require(EmitterRegistry.emitter(named: name))
  let schema = schema(text)
  let generator = Generator(schema: schema, emitters: [emitter])
  #expect(generator.diagnostics.isEmpty, "\(generator.diagnostics.map(\.message))")
  let file = try #require(try generator.files().first)
  return String(decoding: file.content, as: UTF8.self)
}

/// What stops the emitters at a schema that is given as text: codes and messages.
func complaints(_ text: String) -> [String] {
  Generator(schema: schema(text), emitters: EmitterRegistry.defaults).diagnostics.map {
    "\($0.code.id) \($0.message)"
  }
}

/// Files that are only texts.
struct InMemoryProvider: SourceProvider {
  private let files: [String: String]

  init(_ files: [String: String]) {
    self.files = files
  }

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    guard let text = files[path] else { throw .notFound }
    return Array(text.utf8)
  }
}
