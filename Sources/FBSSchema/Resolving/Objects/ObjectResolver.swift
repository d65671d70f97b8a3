import FBSDiagnostics
import FBSParser

/// A compiled schema, with which JSON objects are read.
///
/// The schema is compiled once, for as many objects as there are. For one thread: reading an object adds its names to the
/// symbols of the schema.
public final class ObjectResolver {
  /// How objects are read.
  public struct Options: Hashable, Sendable {
    /// Whether the text must be strict JSON (RFC 8259): names and strings in double quotes, no comma after the last entry,
    /// only its numbers and escapes. As in flatc, comments may stand in it.
    public var isStrict: Bool
    /// Whether fields that a table does not have are passed over. Otherwise they are errors.
    public var ignoresUnknownFields: Bool
    /// Whether strings may be bytes that are no UTF-8, written as they are or as `\xNN`. Otherwise they are errors.
    public var allowsInvalidUTF8: Bool

    /// How objects are read: by default, as leniently as schemas are, in UTF-8 and without unknown fields.
    public init(isStrict: Bool = false, ignoresUnknownFields: Bool = false, allowsInvalidUTF8: Bool = false) {
      self.isStrict = isStrict
      self.ignoresUnknownFields = ignoresUnknownFields
      self.allowsInvalidUTF8 = allowsInvalidUTF8
    }
  }

  /// The result of reading a JSON object.
  public struct Result {
    /// The object. Nil if it has errors.
    public let object: ResolvedObject?
    /// The files of the schema, and the object's.
    public let sources: SourceMap
    /// The diagnostics about the object, in the order of its text. Diagnostics about the schema are not repeated.
    public let diagnostics: [Diagnostic]
  }

  /// The schema. It must be valid for objects to be read by it.
  public let compilation: Compilation
  private let scope: ResolutionScope

  /// Compiles a schema: see `SchemaCompiler.compile`.
  public init(inputs: [String], includePaths: [String] = [], provider: some SourceProvider) {
    (compilation, scope) = SchemaCompiler.run(inputs: inputs, includePaths: includePaths, provider: provider)
  }

  /// Reads a JSON object.
  /// - Parameters:
  ///   - path: The path of the text, as diagnostics show it.
  ///   - root: The table whose object the text is.
  public func resolve(json bytes: [UInt8], path: String, as root: TableID, options: Options = Options()) -> Result {
    var sources = compilation.sources
    let file = sources.add(path: path, bytes: bytes)
    let (tree, found) = Parser.parse(sources[file], isData: true, allowsInvalidUTF8: options.allowsInvalidUTF8)
    var diagnostics = found
    if !found.contains(where: { $0.severity == .error }) {
      diagnostics += ObjectText(tree: tree, options: options).faults()
    }
    guard !tree.json.isEmpty, case .object? = tree.items.first else {
      return Result(object: nil, sources: sources, diagnostics: diagnostics.inSourceOrder())
    }
    // A list is no object, which was reported.
    guard tree.tokens[tree.json[0].span.first].kind == .leftBrace else {
      return Result(object: nil, sources: sources, diagnostics: diagnostics.inSourceOrder())
    }
    return result(tree, root, sources, diagnostics, options) { $0.check(tree, as: root) }
  }

  /// The inputs that end with a JSON object, an object of the file's root type.
  public var filesWithObjects: [FileID] {
    scope.objects.map(\.file).filter { scope.schema.files[$0].isInput }.map { FileID($0) }
  }

  /// Reads the JSON object that ends a file of a valid schema; nil if there is none, or the file has no root table.
  public func resolveObject(endOf file: FileID, options: Options = Options()) -> Result? {
    guard let object = scope.objects.first(where: { $0.file == file.index }),
      let root = scope.schema.files[file.index].rootTable
    else { return nil }
    let tree = scope.tree(object.file)
    let faults = ObjectText(tree: tree, options: options).looseTokens(in: object.span)
    return result(tree, root, compilation.sources, faults, options) { $0.record(object, as: root) }
  }

  private func result(
    _ tree: SyntaxTree, _ root: TableID, _ sources: SourceMap, _ found: [Diagnostic], _ options: Options,
    _ check: (inout ObjectChecker) -> ObjectRecording?
  ) -> Result {
    scope.startText()
    var checker = ObjectChecker(scope, ignoresUnknownFields: options.ignoresUnknownFields)
    let recording = check(&checker)
    let diagnostics = found + scope.diagnostics.elements
    let isValid = !diagnostics.contains { $0.severity == .error }
    let object = recording.flatMap { isValid ? ResolvedObject(tree: tree, root: root, recording: $0) : nil }
    return Result(object: object, sources: sources, diagnostics: diagnostics.inSourceOrder())
  }
}
