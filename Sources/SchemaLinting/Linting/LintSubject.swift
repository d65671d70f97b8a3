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

    /// Returns a range in the file.
    func range(_ start: Int, _ end: Int) -> SourceRange { SourceRange(file: file.id, start: start, end: end) }
  }

  let schema: Schema
  let files: [File]
  let configuration: LintConfiguration

  /// Prepares a compilation for linting.
  ///
  /// - Parameter trees: the trees of all files of the compilation; nil to parse the files again.
  init(_ compilation: Compilation, _ configuration: LintConfiguration, trees: [SyntaxTree]? = nil) {
    schema = compilation.schema
    self.configuration = configuration
    files = compilation.schema.files.filter(\.isInput).map { file in
      File(file: file, tree: trees?[file.id.index] ?? Parser.parse(compilation.sources[file.id]).tree)
    }
  }
}
