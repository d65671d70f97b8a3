import FBSDiagnostics
import FBSParser

/// The result of compiling a run's inputs.
public struct Compilation: Sendable {
  /// An input that could not be read.
  public struct UnreadableInput: Hashable, Sendable {
    /// The path, as it was given.
    public let path: String
    /// The reason why the input could not be read.
    public let error: SourceReadError
  }

  /// The schema, as far as it could be understood. With errors among the diagnostics it is incomplete: no file may be
  /// made from it.
  public let schema: Schema
  /// The files that were read.
  public let sources: SourceMap
  /// The diagnostics, each once, in the order of the files and of their text.
  public let diagnostics: [Diagnostic]
  /// The inputs that could not be read. They have no diagnostic, since there is no place to show.
  public let unreadableInputs: [UnreadableInput]

  /// Whether every input was read, and none has an error.
  public var isValid: Bool {
    unreadableInputs.isEmpty && !diagnostics.contains { $0.severity == .error }
  }
}

/// Turns files into a resolved schema.
public enum SchemaCompiler {
  /// Reads, parses and resolves files and all that they include. A function of its arguments: it holds no state.
  /// - Parameters:
  ///   - inputs: The paths of the files.
  ///   - includePaths: The folders in which includes are looked for, after the including file's own.
  ///   - included: How files that the inputs include are treated.
  ///   - provider: Where files come from.
  public static func compile(
    inputs: [String], includePaths: [String] = [], included: IncludedFiles = .read, provider: some SourceProvider
  ) -> Compilation {
    let compilation = run(
      inputs: inputs, includePaths: includePaths, included: included, provider: provider
    ).compilation
    let verification = FixVerification(
      inputs: inputs, includePaths: includePaths, included: included, provider: provider)
    return Compilation(
      schema: compilation.schema, sources: compilation.sources,
      diagnostics: verification.verify(compilation.diagnostics, in: compilation.sources),
      unreadableInputs: compilation.unreadableInputs)
  }

  /// Compiles, and also returns the symbols, by which further text can be resolved.
  static func run(
    inputs: [String], includePaths: [String], included: IncludedFiles = .read, provider: some SourceProvider
  ) -> (compilation: Compilation, scope: ResolutionScope) {
    var parsed: ParsedFiles?
    var resolved = ResolvedTables()
    return run(
      inputs: inputs, includePaths: includePaths, included: included, provider: provider, parsed: &parsed,
      resolved: &resolved)
  }

  /// Compiles with the trees of earlier compilations and the tables of the last one, if there are any.
  /// - Parameter neighbours: The paths of schemas that are compiled apart. Includes are looked for in their folders as in
  ///   those of the inputs.
  static func run(
    inputs: [String], neighbours: [String] = [], includePaths: [String], included: IncludedFiles,
    provider: some SourceProvider, parsed: inout ParsedFiles?, resolved: inout ResolvedTables
  ) -> (compilation: Compilation, scope: ResolutionScope) {
    var loader = SourceLoader(provider: provider, includePaths: includePaths)
    swap(&loader.parsed, &parsed)
    loader.load(inputs: inputs, neighbours: neighbours)
    swap(&loader.parsed, &parsed)
    loader.markInputs(included)
    var faults: [FileID: Int] = [:]
    for diagnostic in loader.diagnostics.elements where diagnostic.severity == .error {
      faults[diagnostic.range.file] = min(faults[diagnostic.range.file] ?? .max, diagnostic.range.start)
    }
    let scope = Resolution.run(files: loader.files, order: loader.order, faults: faults, resolved: &resolved)
    let compilation = Compilation(
      schema: scope.schema, sources: loader.sources,
      diagnostics: (loader.diagnostics.elements + scope.diagnostics.elements).inSourceOrder(),
      unreadableInputs: loader.unreadable)
    return (compilation, scope)
  }
}

extension [Diagnostic] {
  /// Returns the diagnostics by file, then by place, each once.
  public func inSourceOrder() -> [Diagnostic] {
    var seen: Set<Diagnostic> = []
    return filter { seen.insert($0).inserted }.enumerated().sorted { first, second in
      let (a, b) = (first.element.range, second.element.range)
      if a.file != b.file { return a.file < b.file }
      if a.start != b.start { return a.start < b.start }
      if a.end != b.end { return a.end < b.end }
      return first.offset < second.offset
    }.map(\.element)
  }
}
