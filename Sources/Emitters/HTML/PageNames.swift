import FBSSchema

/// The file names of the pages of a run, which its modules share.
struct PageNames: Sendable {
  /// The name of the page that links to the pages of all inputs.
  let index: String
  /// By the paths of the inputs: each module numbers its files anew.
  private let pages: [String: String]

  /// Finds the names for all inputs of a run.
  /// - Parameters:
  ///   - schema: the inputs of all modules, compiled together.
  ///   - emitter: the emitter that makes the pages.
  ///   - outputNames: the names of inputs in their outputs, by the inputs' paths. Without one, it is the last component
  ///     of the path.
  init(_ schema: Schema, of emitter: any Emitter, _ outputNames: [String: String]) {
    var pages: [String: String] = [:]
    for file in schema.files where file.isInput {
      pages[file.path] = emitter.outputName(forStem: Generator.stem(of: outputNames[file.path] ?? file.fileName))
    }
    self.pages = pages
    index = SchemaIndexPage.name(besides: pages.values)
  }

  /// Returns the name of a file's page; nil for a file that is no input of the run.
  func page(of file: SchemaFile) -> String? { pages[file.path] }
}
