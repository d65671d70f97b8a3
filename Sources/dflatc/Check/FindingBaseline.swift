import FBSDiagnostics
import FBSSchema
import Foundation
import SchemaEvolution

/// Findings that a team has seen and lets through: `--baseline`. It knows them by rule, file and message, so that they may move
/// within the file.
struct FindingBaseline {
  /// The version of the form.
  private static let version = 1

  private struct Entry: Codable, Hashable {
    let rule: String
    let path: String
    let message: String

    init(_ finding: Finding, _ sources: (old: SourceMap, new: SourceMap)) {
      rule = finding.rule.id
      path =
        finding.isAboutGoneFile
        ? sources.old[finding.oldRange.file].path : sources.new[finding.range.file].path
      message = finding.message
    }
  }

  private struct Content: Codable {
    let version: Int
    let findings: [Entry]
  }

  /// How many of each are left to be let through.
  private var counts: [Entry: Int] = [:]
  private var entries: [Entry] = []

  /// The findings of a report.
  init(_ report: EvolutionReport, _ sources: (old: SourceMap, new: SourceMap)) {
    entries = report.findings.filter { $0.severity != .note }.map { Entry($0, sources) }
  }

  private init(_ entries: [Entry]) {
    self.entries = entries
    for entry in entries { counts[entry, default: 0] += 1 }
  }

  /// Reads a file. What is wrong with it is said, and ends the command.
  static func read(_ path: String) throws -> FindingBaseline {
    let bytes: [UInt8]
    do {
      bytes = try FileSystem().read(path)
    } catch {
      Terminal.printError("error: cannot read \(path): \(error.description)")
      throw ExitStatus.inputOutput.exitCode
    }
    // `try?`: whatever is wrong with the text, the remedy is to write the file anew.
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)), content.version == version else {
      Terminal.printError("error: \(path) is no baseline of this dflatc: write it with --write-baseline \(path)")
      throw ExitStatus.usage.exitCode
    }
    return FindingBaseline(content.findings)
  }

  /// Whether a finding is one of those that are let through. Each lets one through.
  mutating func takes(_ finding: Finding, _ sources: (old: SourceMap, new: SourceMap)) -> Bool {
    let entry = Entry(finding, sources)
    guard let count = counts[entry], count > 0 else { return false }
    counts[entry] = count - 1
    return true
  }

  /// Writes the file. What goes wrong is said, and ends the command.
  func write(to path: String) throws {
    var writer = JSONWriter()
    writer.object {
      $0.member("version", Self.version)
      $0.array("findings", entries) { writer, entry in
        writer.object {
          $0.member("rule", entry.rule)
          $0.member("path", entry.path)
          $0.member("message", entry.message)
        }
      }
    }
    do {
      try FileSystem.replace(path, with: Array((writer.text + "\n").utf8))
    } catch {
      Terminal.printError("error: cannot write \(error.path): \(error.reason)")
      throw ExitStatus.inputOutput.exitCode
    }
    Terminal.printError("note: \(entries.count) finding\(entries.count == 1 ? "" : "s") written to \(path)")
  }
}
