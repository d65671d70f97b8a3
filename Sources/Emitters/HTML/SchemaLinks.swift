import FBSDiagnostics
import FBSParser
import FBSSchema

/// How the types and files of a run lead to one another: made once, for the pages of all inputs.
final class SchemaLinks: Sendable {
  /// The page that leads to those of all inputs.
  let indexPage: String
  private let users: [DefinitionID: [DefinitionID]]
  private let includers: [FileID: [FileID]]
  private let pages: [FileID: String]

  /// - Parameters:
  ///   - emitter: What makes the pages.
  ///   - outputNames: What inputs are called in their outputs, by their paths, if not by the last component of them.
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

  /// The types that hold a type, in the order of the files and of their text.
  func users(of definition: DefinitionID) -> [DefinitionID] { users[definition] ?? [] }

  /// The files that include a file.
  func includers(of file: FileID) -> [FileID] { includers[file] ?? [] }

  /// The page of a file. Nil for one that is no input.
  func page(of file: FileID) -> String? { pages[file] }
}
