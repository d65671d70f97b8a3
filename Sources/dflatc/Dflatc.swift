import ArgumentParser
import CBuildCommit
import Emitters

/// The command line: arguments, file system and terminal. No rule of the language lives here.
@main
struct Dflatc: ParsableCommand {
  // Each command states its name: deriving names from types would cost the parser a millisecond of each run.
  static let configuration = CommandConfiguration(
    commandName: "dflatc",
    abstract: "Compiles FlatBuffers schemas to Swift that stores, queries and observes objects in SQLite.",
    discussion: """
      Describe your objects in a schema, compile it, and add the files to your target:

        dflatc compile -o Sources/MyApp/Generated post.fbs

      Check that a schema may replace the version that users have data of:

        dflatc check --against git:v1.0 post.fbs

      Tell in words what changed, for a review or a change log:

        dflatc diff --against git:v1.0 Schemas

      Lay schemas out in the canonical way, or learn what a diagnostic's code means:

        dflatc format Schemas/*.fbs
        dflatc explain D0203

      Find what breaks a team's rules of naming and style:

        dflatc lint Schemas

      See what is in a FlatBuffer, or make one of JSON:

        dflatc convert post.fbs post.bin
        dflatc convert post.fbs post.json -o post.bin

      See what is in the file of a store:

        dflatc inspect app.sqlite3 --schema post.fbs Post --where "priority > 3"

      Have an editor say all this while you type:

        dflatc lsp

      Set a PostgreSQL database up for an app whose role may not create tables:

        dflatc sql --postgres --app-role app post.fbs | psql -v ON_ERROR_STOP=1 app

      Exit codes: 0 done, 1 a schema or data is wrong, or there are findings, 2 wrong usage, 3 a file cannot be read or written.
      """,
    version: "dflatc \(CompilerVersion.current)\(commit.map { " (\($0))" } ?? "")",
    subcommands: [
      Compile.self, Check.self, Diff.self, Format.self, Lint.self, Explain.self, Convert.self, Import.self,
      Inspect.self, SQL.self, LSP.self, PluginSchema.self, Manual.self,
    ])

  /// The commit that this program was built from, if the build knew it. Generated files do not name it, since they
  /// would change with each commit.
  static let commit = dflat_build_commit().map { String(cString: $0) }

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    // Other compilers take these words for options.
    if arguments == ["version"] { arguments = ["--version"] }
    if let mistake = UsageMistake.obvious(in: arguments) {
      Terminal.printError("Error: \(mistake)\n  See 'dflatc --help' for more information.")
      Terminal.exit(ExitStatus.usage.rawValue)
    }
    do {
      var command = try parseAsRoot(arguments)
      do {
        try command.run()
      } catch let mistake as ValidationError {
        // A mistake that only the files show. The argument parser would name the help of `dflatc` alone.
        let name = type(of: command)._commandName
        Terminal.printError("Error: \(mistake.description)\n  See 'dflatc \(name) --help' for more information.")
        Terminal.exit(ExitStatus.usage.rawValue)
      }
    } catch let failure as ExitCode {
      // The command has shown its messages already.
      Terminal.exit(failure.rawValue)
    } catch {
      // An exit of the argument parser: help and version are a success, everything else is wrong usage.
      let isSuccess = exitCode(for: error).isSuccess
      if isSuccess {
        Terminal.print(fullMessage(for: error))
      } else if let mistake = UsageMistake.message(for: arguments) {
        Terminal.printError("Error: \(mistake)\n  See 'dflatc --help' for more information.")
      } else {
        Terminal.printError(fullMessage(for: error))
      }
      Terminal.exit(isSuccess ? 0 : ExitStatus.usage.rawValue)
    }
  }
}

/// The exit codes, as `--help` documents them.
enum ExitStatus: Int32 {
  case done = 0
  case wrongSchema = 1
  case usage = 2
  case inputOutput = 3

  /// The status as something to throw from a command.
  var exitCode: ExitCode { ExitCode(rawValue) }
}
