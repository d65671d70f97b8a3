import ArgumentParser
import Foundation
import LanguageServer

/// `dflatc lsp`: runs the language server for an editor.
struct LSP: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp",
    abstract: "Serve an editor: diagnostics while typing, completion, renaming and more.",
    discussion: """
      Speaks the Language Server Protocol (3.17) over standard input and output. Editors start it; Documentation/in-your-editor.md \
      has the settings of each. What it says is what `dflatc compile` and `dflatc lint` say of the same texts, with those of \
      open documents in place of the files, and it lays documents out as `dflatc format` does.

      The rules of lint, the folders of includes, the emitters, and what is vendored or excluded are those of the nearest \
      \(TeamConfiguration.fileName), from the schema's folder upwards. An editor may send further settings as initialization \
      options:

        { "includePaths": ["Schemas/common"], "emit": ["accessors"], "lint": true, "check": true, "pages": "https://..." }

      check compares each open schema with its earlier version, as `dflatc check FILE` does: with the "against" of the \
      configuration, or else with the commit where HEAD left the main branch.

      emit names the emitters whose rules schemas follow, as `dflatc compile --emit` does: those of the configuration, or else \
      those of the data model, unless it is set. pages is the address of a folder with diagnostics.md and lint-rules.md, to which codes link.

      EXAMPLES
        dflatc lsp
        dflatc lsp --log /tmp/dflatc-lsp.log

      Exit codes: 0 the editor has shut it down, 1 the editor is gone without that, 2 wrong usage, 3 the log cannot be written.
      """)

  @Option(
    name: .long, help: ArgumentHelp("A file to append what is received and sent to.", valueName: "file"),
    completion: .file())
  var log: String?

  @Flag(name: .long, help: .hidden)
  var stdio = false

  func run() throws {
    let log = try self.log.map(ServerLog.init)
    var session = LanguageServerSession(host: ServerFiles(), isLogging: log != nil)
    var framing = MessageFraming()
    var isAtEnd = false
    /// Whether the editor has sent nothing for a while.
    var isQuiet = true
    while session.exitCode == nil {
      // Waiting messages come before any work: one of them may make the work pointless.
      while framing.failure == nil, !isAtEnd, StandardInput.isReady(within: Self.patience(session, isQuiet: isQuiet)) {
        guard let chunk = StandardInput.read() else {
          isAtEnd = true
          break
        }
        isQuiet = false
        for body in framing.append(chunk) { session.enqueue(body) }
      }
      // Nothing has come in the time that a comparison waits.
      if session.hasOnlyComparisons { isQuiet = true }
      // An editor may close the pipe as soon as it has sent `exit`. What it has sent before is handled first.
      if isAtEnd, !session.hasMessages { throw ExitStatus.wrongSchema.exitCode }
      // The messages before the failure are answered first.
      if let failure = framing.failure, !session.hasWork {
        Terminal.printError("error: \(failure.reason), and nothing after it can be read")
        throw ExitStatus.wrongSchema.exitCode
      }
      for body in session.step() { Terminal.write(MessageFraming.frame(body)) }
      try log?.write(session.takeLog())
    }
    if let code = session.exitCode, code != 0 { throw ExitCode(code) }
  }

  /// Returns how many milliseconds to wait for the editor before the session goes on with its work; negative for as
  /// long as it takes.
  private static func patience(_ session: LanguageServerSession<ServerFiles>, isQuiet: Bool) -> Int32 {
    guard session.hasWork else { return -1 }
    // While a person types, the next key follows within this time, and would wait for the comparison.
    return session.hasOnlyComparisons && !isQuiet ? 300 : 0
  }
}

/// The log file that `--log` names.
private struct ServerLog {
  private let file: FileHandle
  private let path: String

  init(_ path: String) throws {
    self.path = path
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path) }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  func write(_ lines: [String]) throws {
    guard !lines.isEmpty else { return }
    let time = ISO8601DateFormatter.string(
      from: Date(), timeZone: .current, formatOptions: [.withInternetDateTime, .withFractionalSeconds])
    do {
      try file.write(contentsOf: Data(lines.map { "\(time) \($0)\n" }.joined().utf8))
    } catch {
      throw Self.failure(path)
    }
  }

  private static func failure(_ path: String) -> ExitCode {
    Terminal.printError("error: cannot write \(path): \(String(cString: strerror(errno)))")
    return ExitStatus.inputOutput.exitCode
  }
}

/// Reads standard input in chunks, as soon as bytes arrive.
private enum StandardInput {
  private static let chunkSize = 1 << 16

  /// Returns whether bytes, or the end of the input, can be read without waiting.
  /// - Parameter milliseconds: how long to wait until there is something to read; negative for as long as it takes.
  static func isReady(within milliseconds: Int32) -> Bool {
    var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&request, 1, milliseconds)
      // A failure of `poll` shows in the read that follows.
      if count >= 0 || errno != EINTR { return count != 0 }
    }
  }

  /// Returns the bytes that can be read now; nil at the end, or after an error.
  static func read() -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: chunkSize)
    while true {
      let count = chunk.withUnsafeMutableBytes { Foundation.read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      return count > 0 ? Array(chunk[..<count]) : nil
    }
  }
}
