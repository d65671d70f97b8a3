import ArgumentParser
import FBSDiagnostics
import FBSParser

/// The messages about arguments that dflatc does not understand. They say what was probably meant, and what to do next.
enum UsageMistake {
  /// Returns the message about the mistake in the arguments.
  /// - Parameter arguments: the arguments after the program's name.
  /// - Returns: nil if the argument parser's own message says more.
  static func message(for arguments: [String]) -> String? {
    guard let first = arguments.first else { return nil }
    let commands = Dflatc.configuration.subcommands
    guard !first.hasPrefix("-") else { return unknownOption(in: arguments, of: Dflatc.self) }
    if let command = commands.first(where: { $0._commandName == first }) {
      return unknownOption(in: Array(arguments.dropFirst()), of: command)
    }
    if first == "help" { return nil }
    return unknownCommand(first)
  }

  /// Returns the message for a mistake that the argument parser would misread: an unknown command before `--help`, or
  /// the name of a long option after a single dash, which the parser takes for a short option with its value. Returns
  /// nil if there is no such mistake.
  static func obvious(in arguments: [String]) -> String? {
    guard let first = arguments.first, !first.hasPrefix("-") else { return nil }
    let commands = Dflatc.configuration.subcommands
    if first == "help" {
      guard let topic = arguments.dropFirst().first, !topic.hasPrefix("-"),
        !commands.contains(where: { $0._commandName == topic }), topic != "help"
      else { return nil }
      return unknownCommand(topic)
    }
    guard let command = commands.first(where: { $0._commandName == first }) else { return unknownCommand(first) }
    let words = arguments.dropFirst().prefix { $0 != "--" }
    guard words.contains(where: { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.utf8.count > 3 }) else { return nil }
    let options = options(of: command)
    for word in words where word.hasPrefix("-") && !word.hasPrefix("--") && word.utf8.count > 3 {
      let name = "-" + word.prefix { $0 != "=" }
      let meant = optionAliases[name] ?? options.joined().first { $0.hasPrefix(name) }
      guard let meant, let names = options.first(where: { $0.contains(meant) }) else { continue }
      return
        "There is no option '\(name.dropFirst())'. Did you mean \(names.map { "'\($0)'" }.joined(separator: " or "))?"
    }
    return nil
  }

  private static func unknownCommand(_ first: String) -> String {
    let commands = Dflatc.configuration.subcommands
    if first.hasSuffix(".fbs") || first.hasSuffix(".bfbs") {
      return "Say what to do with \(first), such as: dflatc compile -o Generated \(first)"
    }
    let names = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
    let meant = aliases[first] ?? nearestName(to: first, in: names)
    return "There is no command '\(first)'. "
      + (meant.map { "Did you mean '\($0)'?" } ?? "There are: \(names.joined(separator: ", ")).")
  }

  /// The commands of `dflatc`, by their names in other tools.
  private static let aliases = [
    "build": "compile", "generate": "compile", "gen": "compile", "breaking": "check",
    "conform": "check", "fmt": "format", "decode": "convert", "encode": "convert",
  ]

  /// The options of `dflatc`, by their names in other tools.
  private static let optionAliases = [
    "--out": "--output", "--output-dir": "--output", "--out-dir": "--output", "--include-dir": "--include",
    "-v": "--version", "-V": "--version", "-version": "--version", "--warnings-as-errors": "--strict",
    "--dry-run": "--diff", "--generator": "--emit", "--lang": "--emit",
  ]

  private static func unknownOption(in arguments: [String], of command: any ParsableCommand.Type) -> String? {
    let options = options(of: command)
    let known = Set(options.joined())
    for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("-") && argument.count > 1 {
      let name = argument.hasPrefix("--") ? String(argument.prefix { $0 != "=" }) : argument
      // The value may follow a short option without a blank.
      guard !known.contains(name), argument.hasPrefix("--") || !known.contains(String(argument.prefix(2))) else {
        continue
      }
      if name == "--swift" { return "There is no option '--swift': dflatc writes Swift, so leave it out." }
      let candidates = known.filter { $0.hasPrefix("--") }.sorted()
      guard
        let meant = optionAliases[name].flatMap({ known.contains($0) ? $0 : nil })
          ?? candidates.first(where: { name.count > 3 && $0.hasPrefix(name) }) ?? nearestName(to: name, in: candidates),
        let names = options.first(where: { $0.contains(meant) })
      else { return "There is no option '\(name)'." }
      return "There is no option '\(name)'. Did you mean \(names.map { "'\($0)'" }.joined(separator: " or "))?"
    }
    return nil
  }

  /// Returns the names of each option of a command, as its help lists them.
  private static func options(of command: any ParsableCommand.Type) -> [[String]] {
    Dflatc.helpMessage(for: command, columns: 200).split(separator: "\n").compactMap { line in
      let words = line.drop { $0 == " " }.split(separator: " ").prefix { $0.hasPrefix("-") }
      let names = words.map { String($0.prefix { $0 != "," }) }
      return names.isEmpty ? nil : names
    }
  }
}
