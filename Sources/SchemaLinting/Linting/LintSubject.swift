import FBSDiagnostics
import FBSParser
import FBSSchema

/// The input of rules: a valid schema, with the text of the files that are linted.
struct LintSubject {
  /// An input file. Files that are only included are not linted, unless `IncludedFiles` makes inputs of them.
  struct File {
    let file: SchemaFile
    let tree: SyntaxTree

    var source: SourceFile { tree.source }

    /// Returns the range of the file's bytes from `start` up to `end`.
    func range(_ start: Int, _ end: Int) -> SourceRange { SourceRange(file: file.id, start: start, end: end) }
  }

  let schema: Schema
  /// The texts of all files of the schema, also of those that are not linted.
  let sources: SourceMap
  let files: [File]
  /// Returns the settings of the rules in a file.
  let configuration: (FileID) -> LintConfiguration

  /// Prepares the input files for the rules.
  /// - Parameters:
  ///   - configuration: returns the settings of the rules in a file, given its path.
  ///   - trees: the trees of all files of the compilation; nil to parse the files.
  init(
    _ compilation: Compilation, _ configuration: (String) -> LintConfiguration, trees: [SyntaxTree]? = nil
  ) {
    schema = compilation.schema
    sources = compilation.sources
    let all = compilation.sources.files.map { configuration($0.path) }
    self.configuration = { all[$0.index] }
    files = compilation.schema.files.filter(\.isInput).map { file in
      File(file: file, tree: trees?[file.id.index] ?? Parser.parse(compilation.sources[file.id]).tree)
    }
  }
}
