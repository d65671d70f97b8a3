import FBSDiagnostics
import FBSParser

/// Compiles files again and again, as an editor does while a person types, and parses only those that changed.
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
  }

  private var parsed: ParsedFiles? = ParsedFiles()

  /// The number of files that were parsed, and not taken from an earlier compilation.
  package var parsedCount: Int { parsed?.parsedCount ?? 0 }

  /// A compiler that has read nothing.
  public init() {}

  /// Reads, parses and resolves files and all that they include.
  /// - Parameters:
  ///   - inputs: The paths of the files.
  ///   - includePaths: The folders in which includes are looked for, after the including file's own.
  ///   - included: How files that the inputs include are treated.
  ///   - provider: Where files come from.
  public mutating func compile(
    inputs: [String], includePaths: [String] = [], included: IncludedFiles = .read, provider: some SourceProvider
  ) -> Result {
    parsed?.startCompilation()
    let (compilation, scope) = SchemaCompiler.run(
      inputs: inputs, includePaths: includePaths, included: included, provider: provider, parsed: &parsed)
    return Result(compilation: compilation, trees: scope.files.map(\.tree))
  }

  /// Compiles inputs as modules, as `SchemaModules` does.
  public mutating func modules(
    inputs: [String], includePaths: [String] = [], included: IncludedFiles = .read, provider: some SourceProvider
  ) -> SchemaModules {
    SchemaModules(inputs: inputs, included: included, provider: provider) { inputs, included in
      compile(inputs: inputs, includePaths: includePaths, included: included, provider: provider).compilation
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
