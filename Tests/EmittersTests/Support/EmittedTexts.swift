import ConformanceSupport
import Emitters
import FBSParser
import FBSSchema
import Testing

/// Resolves a schema that is given as text.
func schema(_ text: String) -> Schema {
  let compilation = SchemaCompiler.compile(
    inputs: ["test.fbs"], includePaths: [], provider: SchemaTexts(["test.fbs": text]))
  #expect(compilation.diagnostics.isEmpty, "\(compilation.diagnostics.map(\.message))")
  return compilation.schema
}

/// What one emitter makes of a schema that is given as text.
func emit(_ name: String, _ text: String) throws -> String {
  let emitter = try #require(EmitterRegistry.emitter(named: name))
  let schema = schema(text)
  let checked = CheckedSchema(schema: schema, emitters: [emitter])
  let errors = checked.diagnostics.filter { $0.severity != .note }
  #expect(errors.isEmpty, "\(errors.map(\.message))")
  let file = try #require(try checked.generator?.files().first)
  return String(decoding: file.content, as: UTF8.self)
}

/// What the emitters say of a schema that is given as text: codes and messages.
func complaints(_ text: String, emitters: [any Emitter] = EmitterRegistry.defaults) -> [String] {
  CheckedSchema(schema: schema(text), emitters: emitters).diagnostics.map { "\($0.code.id) \($0.message)" }
}

/// What is called otherwise in Swift than in the schema, such as "the field `self` is called `self_`". Nothing else is said.
func renamed(_ text: String, emitters: String...) -> [String] {
  let chosen = emitters.compactMap(EmitterRegistry.emitter(named:))
  return complaints(text, emitters: emitters.isEmpty ? EmitterRegistry.defaults : chosen).map { complaint in
    #expect(complaint.hasPrefix("D0308 ") && complaint.hasSuffix(" in Swift"), "\(complaint)")
    return String(complaint.dropFirst("D0308 ".count).dropLast(" in Swift".count))
  }
}
