import FBSDiagnostics
import FBSParser

/// Compiles files again and again, as an editor does while a person types. Parses only the files that changed, and
/// resolves only the tables that depend on the change.
///
/// The results are those of `SchemaCompiler`, except that fixes are not verified until `verified` is called, which
/// takes a compilation for each.
public struct IncrementalCompiler: Sendable {
  /// A compilation with the syntax trees that it was made from.
  public struct Result: Sendable {
    /// The result of compiling the inputs. Fixes of its diagnostics are not verified.
    public let compilation: Compilation
    /// The tree of each file, in the order of `Compilation.sources`.
    public let trees: [SyntaxTree]
    /// The identities of the files; see `SourceProvider.identity(of:)`.
    public let identities: Set<String>
    /// The shape of the schema, by which `IncrementalChecker` notices that no type has changed. The shape of a schema
    /// with errors differs from all others.
    public let shape: SchemaShape
  }

  /// The inputs of a compilation.
  private struct Inputs: Hashable {
    let paths: [String]
    let includePaths: [String]
  }

  private var parsed: ParsedFiles? = ParsedFiles()
  /// The tables of the last compilations, the latest last. An editor compiles the documents that a change concerns in
  /// turn.
  private var resolved: [(inputs: Inputs, tables: ResolvedTables)] = []
  private static let maximumResolved = 8

  /// The number of files that were parsed, and not taken from an earlier compilation.
  package var parsedCount: Int { parsed?.parsedCount ?? 0 }
  /// The number of tables that were resolved, and not taken from an earlier compilation.
  package private(set) var resolvedCount = 0

  /// Creates a compiler that has read nothing.
  public init() {}

  /// Reads, parses and resolves files and all that they include.
  /// - Parameters:
  ///   - inputs: The paths of the files.
  ///   - neighbours: The paths of schemas that are compiled apart. Includes are looked for in their folders as in those of
  ///     the inputs.
  ///   - includePaths: The folders in which includes are looked for, after the including file's own.
  ///   - included: How files that the inputs include are treated.
  ///   - provider: Where files come from.
  public mutating func compile(
    inputs: [String], neighbours: [String] = [], includePaths: [String] = [], included: IncludedFiles = .read,
    provider: some SourceProvider
  ) -> Result {
    parsed?.startCompilation()
    let key = Inputs(paths: inputs, includePaths: includePaths)
    var tables = resolved.firstIndex { $0.inputs == key }.map { resolved.remove(at: $0).tables } ?? ResolvedTables()
    let count = tables.resolvedCount
    let (compilation, scope) = SchemaCompiler.run(
      inputs: inputs, neighbours: neighbours, includePaths: includePaths, included: included, provider: provider,
      parsed: &parsed, resolved: &tables)
    resolvedCount += tables.resolvedCount - count
    resolved.append((key, tables))
    if resolved.count > Self.maximumResolved { resolved.removeFirst() }
    return Result(
      compilation: compilation, trees: scope.files.map(\.tree), identities: Set(scope.files.map(\.identity)),
      shape: compilation.isValid ? tables.shape : SchemaShape())
  }

  /// Compiles inputs as modules, as `SchemaModules` does.
  /// - Parameter neighbours: The paths of schemas that are compiled apart; see `compile`.
  public mutating func modules(
    inputs: [String], neighbours: [String] = [], includePaths: [String] = [], included: IncludedFiles = .read,
    provider: some SourceProvider
  ) -> SchemaModules {
    SchemaModules(inputs: inputs, included: included, provider: provider) { inputs, included in
      compile(
        inputs: inputs, neighbours: neighbours, includePaths: includePaths, included: included, provider: provider
      ).compilation
    }
  }

  /// Returns diagnostics of a compilation without the fixes that lead from one mistake to the next.
  /// - Parameters:
  ///   - diagnostics: Diagnostics of `compilation`, or some of them.
  ///   - inputs: The paths of the files that were compiled.
  public static func verified(
    _ diagnostics: [Diagnostic], of compilation: Compilation, inputs: [String], includePaths: [String] = [],
    included: IncludedFiles = .read, provider: some SourceProvider
  ) -> [Diagnostic] {
    FixVerification(inputs: inputs, includePaths: includePaths, included: included, provider: provider)
      .verify(diagnostics, among: compilation.diagnostics, in: compilation.sources)
  }
}
