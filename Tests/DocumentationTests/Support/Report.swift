import Foundation
import TestSupport

/// A page of figures that a command measures, and that names the commit of which they are.
enum Report: String, CaseIterable {
  case benchmarks = "Quality/Benchmarks/REPORT.md"
  case soak = "Documentation/reliability.md"

  /// The command that makes the report anew, in the root folder.
  var command: String {
    switch self {
    case .benchmarks: "make bench"
    case .soak: "make -C Quality soak MINUTES=120"
    }
  }

  /// The commit that the page names, in a form that git knows; nil if it names none.
  func commit(in page: String) -> String? {
    let match =
      switch self {
      case .benchmarks: page.firstMatch(of: /\n\| commit \| (?<commit>[^ ,|]+)/)?.commit
      // The table that a soak writes stands between two comments.
      case .soak: page.firstMatch(of: /\n<!-- soak -->\n\n[^\n]* commit (?<commit>[^ ,]+)/)?.commit
      }
    // `git describe` says so when files had changed since the commit.
    return match.map { $0.hasSuffix("-dirty") ? String($0.dropLast("-dirty".count)) : String($0) }
  }

  /// After so many commits a report has to be made anew: a few weeks of work.
  static let limit = 100

  /// Says why the report has to be made anew, and how; nil if it is young enough.
  func complaint(about page: String, in history: GitHistory) -> String? {
    let advice = "`\(command)` makes it anew"
    guard let commit = commit(in: page) else { return "\(rawValue) names no commit: \(advice)" }
    guard let count = history.count(since: commit) else {
      return "\(rawValue) is of \(commit), which is no commit: \(advice)"
    }
    return count > Report.limit ? "\(rawValue) is of \(commit), \(count) commits ago: \(advice)" : nil
  }
}

/// The whole history of a git repository.
struct GitHistory {
  private let folder: URL

  /// Returns nil if the folder is not the root of a repository, as that of an exported copy, or has only the latest commits.
  init?(of folder: URL) {
    self.folder = folder
    guard let root = git("rev-parse", "--show-toplevel"),
      URL(fileURLWithPath: root).resolvingSymlinksInPath().path == folder.resolvingSymlinksInPath().path,
      git("rev-parse", "--is-shallow-repository") == "false"
    else { return nil }
  }

  /// The number of commits since `commit`; nil if there is no such commit.
  func count(since commit: String) -> Int? { git("rev-list", "--count", "\(commit)..HEAD").flatMap { Int($0) } }

  /// The text that git prints; nil if it fails, or is missing.
  private func git(_ arguments: String...) -> String? {
    guard let result = try? runProgram("git", arguments, in: folder), result.isSuccess else { return nil }
    return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
