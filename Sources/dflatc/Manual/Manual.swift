import ArgumentParser
import Foundation

/// `dflatc manual`: the manual pages, written from the definitions of the commands and their arguments.
///
/// Hidden from the help: `make install` runs it.
struct Manual: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Write the manual pages: dflatc.1, and one for each command.",
    shouldDisplay: false)

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("output")],
    help: "The folder to write to. It is made if it is missing.",
    completion: .directory)
  var output: String

  func validate() throws { try OutputOption.check(output, is: OutputOption.folder) }

  func run() throws {
    do {
      let folder = URL(fileURLWithPath: output, isDirectory: true)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for page in try ManualPage.all() {
        try Data(page.text.utf8).write(to: folder.appendingPathComponent(page.name + ".1"), options: .atomic)
      }
    } catch {
      Terminal.printError("error: cannot write to \(output): \(error.localizedDescription)")
      throw ExitStatus.inputOutput.exitCode
    }
  }
}
