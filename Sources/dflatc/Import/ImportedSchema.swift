import FBSDiagnostics
import FBSParser
import FBSSchema
import ProtobufImport

/// A schema that was made of a file of Protocol Buffers, with the compiler's diagnostics.
struct ImportedSchema {
  /// The text, laid out.
  let text: [UInt8]
  /// The errors in the schema and in those that it includes, and one about the file that it was made of. Empty if the schema is
  /// valid, or if it is known already why it is not.
  let diagnostics: [Diagnostic]
  /// The schema, and those that it includes.
  let sources: SourceMap

  /// Lays a translation out, and compiles it.
  /// - Parameters:
  ///   - name: The path of the schema, from the folder that it will be written to.
  ///   - path: The path of the file that it was made of.
  ///   - imports: The translations that it includes, by the paths of their schemas from the same folder.
  init(_ translation: ProtoTranslation, name: String, of path: String, imports: [String: ProtoTranslation]) {
    var made = SourceMap()
    let id = made.add(path: name, bytes: Array(translation.text.utf8))
    text = SchemaFormatter.format(Parser.parse(made[id]).tree)
    var texts = imports.mapValues { Array($0.text.utf8) }
    texts[name] = text
    let compilation = SchemaCompiler.compile(inputs: [name], includePaths: ["."], provider: MadeSchemas(texts: texts))
    sources = compilation.sources
    let errors = compilation.diagnostics.filter { $0.severity == .error }
    guard let last = errors.last, ([translation] + imports.values).allSatisfy(\.mistakes.isEmpty) else {
      diagnostics = []
      return
    }
    diagnostics =
      errors + [
        Diagnostic(
          ProtoCode.invalidResult, .error, "no valid schema can be made of \(path)", at: last.range,
          advice: "change what this comes from in \(path)")
      ]
  }
}

/// The schemas that were made, by their paths.
private struct MadeSchemas: SourceProvider {
  let texts: [String: [UInt8]]

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    guard let text = texts[identity(of: path)] ?? texts[path] else { throw .notFound }
    return text
  }
}
