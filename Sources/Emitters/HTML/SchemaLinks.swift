import FBSDiagnostics
import FBSParser
import FBSSchema

/// The links between the types, files and pages of a run. They are found once for the pages of all inputs.
final class SchemaLinks: Sendable {
  /// The file name of the page that links to the pages of all inputs.
  let indexPage: String
  private let users: [DefinitionID: [DefinitionID]]
  private let includers: [FileID: [FileID]]
  private let pages: [FileID: String]

  /// Finds the links between the types and files of `schema`.
  /// - Parameters:
  ///   - emitter: the emitter that makes the pages.
  ///   - outputNames: the names of inputs in their outputs, by the inputs' paths. Without one, it is the last component
  ///     of the path.
  init(_ schema: Schema, of emitter: any Emitter, _ outputNames: [String: String]) {
    var users: [DefinitionID: [DefinitionID]] = [:]
    var includers: [FileID: [FileID]] = [:]
    for file in schema.files {
      for included in file.includes { includers[included, default: []].append(file.id) }
      for definition in file.definitions {
        for held in Set(schema.contents(of: definition)) { users[held, default: []].append(definition) }
      }
    }
    self.users = users
    self.includers = includers
    pages = Dictionary(
      uniqueKeysWithValues: schema.files.filter(\.isInput).map { file in
        (file.id, emitter.outputName(forStem: Generator.stem(of: outputNames[file.path] ?? file.fileName)))
      })
    indexPage = SchemaIndexPage.name(besides: Set(pages.values))
  }

  /// Returns the types that hold a type, in the order of the files and of their text.
  func users(of definition: DefinitionID) -> [DefinitionID] { users[definition] ?? [] }

  /// Returns the files that include a file.
  func includers(of file: FileID) -> [FileID] { includers[file] ?? [] }

  /// Returns the file name of a file's page; nil for a file that is no input.
  func page(of file: FileID) -> String? { pages[file] }
}
