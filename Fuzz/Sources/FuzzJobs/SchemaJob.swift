import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema

/// Any bytes as a schema: compiled, checked, shown, laid out anew, and generated from.
public enum SchemaJob {
  /// Does all that with `bytes`.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    let (tree, _) = Parser.parse(SourceFile(id: FileID(0), path: path, bytes: bytes))
    var written: [UInt8] = []
    tree.write(to: &written)
    guard written == bytes else { throw Mistake("the tree does not print back to its text") }
    let compilation = compile(bytes)
    let schema = compilation.schema
    let diagnostics = CheckedSchema(compilation, emitters: EmitterRegistry.all).diagnostics
    for diagnostic in diagnostics where diagnostic.range.end > bytes.count {
      throw Mistake("`\(diagnostic.message)` is outside the file")
    }
    let shown = DiagnosticRenderer().render(diagnostics, in: compilation.sources)
    guard shown.isEmpty == diagnostics.isEmpty else { throw Mistake("a diagnostic is not shown") }
    if compilation.isValid {
      try checkFormat(tree, schema)
      try generate(schema)
    }
  }

  private static let path = "a.fbs"

  /// The canonical layout means the same, and is its own.
  private static func checkFormat(_ tree: SyntaxTree, _ schema: Schema) throws(Mistake) {
    let formatted = SchemaFormatter.format(tree)
    let again = compile(formatted)
    guard again.isValid else { throw Mistake("a valid schema is not valid once it is laid out") }
    guard try json(schema) == json(again.schema) else { throw Mistake("the layout changes the meaning") }
    let (formattedTree, _) = Parser.parse(SourceFile(id: FileID(0), path: path, bytes: formatted))
    guard SchemaFormatter.format(formattedTree) == formatted else { throw Mistake("laid out twice is another text") }
  }

  /// Each emitter writes something, or says why not.
  private static func generate(_ schema: Schema) throws(Mistake) {
    for emitter in EmitterRegistry.all where !emitter.needsStore {
      guard let generator = CheckedSchema(schema: schema, emitters: [emitter]).generator else { continue }
      _ = try files(generator)
    }
  }

  private static func json(_ schema: Schema) throws(Mistake) -> [[UInt8]] {
    let emitters = EmitterRegistry.emitter(named: "json").map { [$0] } ?? []
    guard let generator = CheckedSchema(schema: schema, emitters: emitters).generator else {
      throw Mistake("a valid schema has no JSON")
    }
    return try files(generator).map(\.content)
  }

  private static func files(_ generator: Generator) throws(Mistake) -> [GeneratedFile] {
    do throws(EmissionError) {
      return try generator.files()
    } catch {
      throw Mistake("a valid schema is not generated: \(error)")
    }
  }

  private static func compile(_ bytes: [UInt8]) -> Compilation {
    SchemaCompiler.compile(inputs: [path], provider: OneFile(bytes: bytes))
  }

  /// The file, and none that it may include.
  private struct OneFile: SourceProvider {
    let bytes: [UInt8]

    func read(_ path: String) throws(SourceReadError) -> [UInt8] {
      guard path == SchemaJob.path else { throw .notFound }
      return bytes
    }
  }
}
