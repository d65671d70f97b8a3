import Foundation

/// The argument parser's description of a command, in the form of `--experimental-dump-help`.
struct CommandDescription: Decodable {
  struct Argument: Decodable {
    struct Name: Decodable {
      let kind: String
      let name: String

      /// The name as it is typed.
      var typed: String { (kind == "long" ? "--" : "-") + name }
    }

    let kind: String
    let names: [Name]?
    let valueName: String?
    let abstract: String?
    let defaultValue: String?
    let allValues: [String]?
    let isRepeating: Bool
    let shouldDisplay: Bool
  }

  let commandName: String
  let abstract: String?
  let discussion: String?
  let arguments: [Argument]?
  let subcommands: [CommandDescription]?
  let shouldDisplay: Bool

  /// Returns the description of `dflatc` and its commands.
  static func ofDflatc() throws -> CommandDescription {
    struct Dump: Decodable { let command: CommandDescription }
    return try JSONDecoder().decode(Dump.self, from: Data(Dflatc._dumpHelp().utf8)).command
  }
}
