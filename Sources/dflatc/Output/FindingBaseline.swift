import FBSDiagnostics
import Foundation

/// The findings that a team has accepted and lets through: `--baseline` of `dflatc check` and `dflatc lint`.
///
/// A finding is known by its rule, file and message, so that it may move within the file. One file may hold the
/// findings of both commands.
struct FindingBaseline {
  /// The version of the file's format.
  private static let version = 1

  /// A finding, as the file has it.
  struct Entry: Codable, Hashable {
    let rule: String
    /// The path from the current folder, which is the same however the file was named or included.
    let path: String
    let message: String
    /// The command that ran the program which has found it. Nil for a finding of dflatc itself, whose rule tells the command.
    let task: String?

    init(rule: String, path: String, message: String, task: String? = nil) {
      self.rule = rule
      self.path = AbsolutePath(path).fromCurrentFolder
      self.message = message
      self.task = task
    }
  }

  /// A command, which writes and judges its own entries alone.
  struct Owner {
    /// The task of programs that the command runs.
    let task: String
    /// The ids of the command's own rules.
    let rules: Set<String>

    func owns(_ entry: Entry) -> Bool { entry.task.map { $0 == task } ?? rules.contains(entry.rule) }
  }

  private struct Content: Codable {
    let version: Int
    let findings: [Entry]
  }

  private let path: String
  let owner: Owner
  /// How many of each were written.
  private let counts: [Entry: Int]
  /// How many findings of each entry may still be let through.
  private var left: [Entry: Int]

  /// Reads a file. Says what is wrong with it, and ends the command.
  init(_ path: String, of owner: Owner) throws {
    let bytes: [UInt8]
    do {
      bytes = try FileSystem().read(path)
    } catch {
      Terminal.printError("error: cannot read \(path): \(error.description)")
      throw ExitStatus.inputOutput.exitCode
    }
    guard let entries = Self.entries(of: bytes) else {
      Terminal.printError("error: \(path) is no baseline of this dflatc: write it with --write-baseline \(path)")
      throw ExitStatus.usage.exitCode
    }
    self.path = path
    self.owner = owner
    counts = entries.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    left = counts
  }

  /// Returns the entries of a file; nil if the file is no baseline of this version, and has to be written anew.
  private static func entries(of bytes: [UInt8]) -> [Entry]? {
    // `try?`: the cause does not matter, since the command says that the file is no baseline.
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)), content.version == version else {
      return nil
    }
    return content.findings.map { Entry(rule: $0.rule, path: $0.path, message: $0.message, task: $0.task) }
  }

  /// Lets a finding through if it is in the baseline. Each entry lets one finding through.
  /// - Returns: whether the finding is let through.
  mutating func take(_ entry: Entry) -> Bool {
    guard let count = left[entry], count > 0 else { return false }
    left[entry] = count - 1
    return true
  }

  /// Prints a note with the number of entries that are not found any more, if there are any.
  /// - Parameters:
  ///   - found: all findings of the run, also those that this run does not report.
  ///   - compared: the files and folders that were read as a whole. Entries about other files are not judged.
  func noteGoneEntries(found: [Entry], _ compared: ComparedPaths) {
    var rest = counts.filter { owner.owns($0.key) && compared.contains(AbsolutePath($0.key.path)) }
    for entry in found {
      if let count = rest[entry] { rest[entry] = max(count - 1, 0) }
    }
    let count = rest.values.reduce(0, +)
    guard count > 0 else { return }
    Terminal.printError(
      """
      note: \(count) finding\(count == 1 ? "" : "s") of \(path) \(count == 1 ? "is" : "are") not found any more: when nothing else \
      is found, --write-baseline \(path) writes it anew
      """)
  }

  /// Returns the entries of a file that is written anew: none if there is no such file, or if it is no baseline. If the
  /// file cannot be read, prints the error and ends the command, since the entries of the other command would be lost.
  private static func entriesToKeep(in path: String) throws -> [Entry] {
    // Who reads a pipe that this process writes would wait for itself.
    guard !FileSystem.isStream(path) else { return [] }
    do {
      return entries(of: try FileSystem().read(path)) ?? []
    } catch .notFound {
      return []
    } catch {
      Terminal.printError("error: cannot read \(path), which is written anew: \(error.description)")
      throw ExitStatus.inputOutput.exitCode
    }
  }

  /// Writes findings to a file. Prints the error and ends the command if that fails.
  ///
  /// The entries of the other command in the file are kept: `dflatc check` and `dflatc lint` may share a file.
  static func write(_ entries: [Entry], of owner: Owner, to path: String) throws {
    let kept = try entriesToKeep(in: path).filter { !owner.owns($0) }
    var writer = JSONWriter()
    writer.object {
      $0.member("version", Self.version)
      $0.array("findings", entries + kept) { writer, entry in
        writer.object {
          $0.member("rule", entry.rule)
          $0.member("path", entry.path)
          $0.member("message", entry.message)
          if let task = entry.task { $0.member("task", task) }
        }
      }
    }
    do {
      try FileSystem.replace(path, with: Array((writer.text + "\n").utf8))
    } catch {
      Terminal.printError("error: cannot write \(error.path): \(error.reason)")
      throw ExitStatus.inputOutput.exitCode
    }
    Terminal.printError(
      "note: \(entries.count) finding\(entries.count == 1 ? "" : "s") written to \(path)"
        + (kept.isEmpty ? "" : ", beside \(kept.count) of another command"))
  }
}
