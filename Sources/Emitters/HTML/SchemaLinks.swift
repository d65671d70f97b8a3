import FBSDiagnostics
import FBSParser
import FBSSchema

/// The links between the types and files of a module, and to the pages of the run. They are found once for the pages of
/// all inputs of the module.
final class SchemaLinks: Sendable {
  private let pages: PageNames
  private let users: [DefinitionID: [DefinitionID]]
  private let includers: [FileID: [FileID]]

  /// Finds the links between the types and files of `schema`. `pages` are those of the whole run.
  init(_ schema: Schema, _ pages: PageNames) {
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
    self.pages = pages
  }

  /// The file name of the page that links to the pages of all inputs.
  var indexPage: String { pages.index }

  /// Returns the types that hold a type, in the order of the files and of their text.
  func users(of definition: DefinitionID) -> [DefinitionID] { users[definition] ?? [] }

  /// Returns the files that include a file.
  func includers(of file: FileID) -> [FileID] { includers[file] ?? [] }

  /// Returns the file name of a file's page; nil for a file that is no input of the run.
  func page(of file: SchemaFile) -> String? { pages.page(of: file) }
}
