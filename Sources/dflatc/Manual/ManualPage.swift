import ArgumentParser
import Emitters

/// A manual page, in the macros of man(7), which man-db, mandoc and groff all read.
struct ManualPage {
  /// The name without its section: `dflatc-compile`.
  let name: String
  let text: String

  /// Returns the page of `dflatc`, and the pages of the commands that its help lists.
  static func all() throws -> [ManualPage] {
    let tool = try CommandDescription.ofDflatc()
    let commands = (tool.subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    let types = Dictionary(uniqueKeysWithValues: Dflatc.configuration.subcommands.map { ($0._commandName, $0) })
    let names = [tool.commandName] + commands.map { "\(tool.commandName)-\($0.commandName)" }
    return [ManualPage(tool, name: names[0], usage: Dflatc.usageString(), commands: commands, all: names)]
      + zip(commands, names.dropFirst()).map { command, name in
        let usage = types[command.commandName].map { Dflatc.usageString(for: $0) } ?? ""
        return ManualPage(command, name: name, usage: usage, commands: [], all: names)
      }
  }

  private init(
    _ command: CommandDescription, name: String, usage: String, commands: [CommandDescription], all: [String]
  ) {
    self.name = name
    var roff = Roff()
    roff.request(".TH", name.uppercased(), "1", "", "dflatc \(CompilerVersion.current)", "dflatc Manual")
    // No hyphenation: the only hyphens are those of names, which can be copied.
    roff.request(".nh")
    roff.section("NAME")
    roff.running(name + " - " + (command.abstract ?? "").prefix { $0 != ":" }.trimmingSuffix("."))
    roff.section("SYNOPSIS")
    roff.literal(usage.split(separator: "\n").map { $0.drop { $0 == " " }.trimmingPrefix("Usage: ") }.map(String.init))
    roff.section("DESCRIPTION")
    roff.paragraph(command.abstract ?? "")
    // The parts that follow the description in the help, examples and exit codes, follow the options here.
    var (description, others) = DiscussionBlock.parse(command.discussion ?? "").separated()
    roff.blocks(&description)
    if !commands.isEmpty {
      roff.section("COMMANDS")
      for command in commands { roff.entry(bold: command.commandName, command.abstract ?? "") }
    }
    let arguments = (command.arguments ?? []).filter(\.shouldDisplay)
    let positional = arguments.filter { $0.kind == "positional" }
    if !positional.isEmpty {
      roff.section("ARGUMENTS")
      for argument in positional { roff.argument(argument) }
    }
    roff.section("OPTIONS")
    for argument in arguments where argument.kind != "positional" { roff.argument(argument) }
    roff.blocks(&others)
    roff.section("SEE ALSO")
    let related = commands.isEmpty ? [all[0]] + all.dropFirst().filter { $0 != name } : Array(all.dropFirst())
    for (index, page) in related.enumerated() {
      roff.request(".BR", page, "(1)" + (index + 1 < related.count ? "," : ""))
    }
    text = roff.text
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : String(self)
  }
}
