import ArgumentParser
import Emitters

/// `dflatc plugin-schema`: prints the schema of the messages between dflatc and plug-ins.
struct PluginSchema: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin-schema",
    abstract: "Print the schema of what the compiler and its plug-ins say to each other.",
    discussion: """
      A plug-in is a program called dflatc-gen-NAME. `dflatc compile --plugin NAME` gives it a CodeGeneratorRequest on \
      standard input, and writes the files that its CodeGeneratorResponse on standard output holds.

      EXAMPLES
        dflatc plugin-schema > plugin.fbs
        flatc --python plugin.fbs
      """)

  func run() throws {
    Terminal.write(PluginExchange.schema)
  }
}
