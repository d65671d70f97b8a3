import Foundation
import TestSupport

/// Figures that a command measures and writes to a page, with the commit of which they are.
enum Report: CaseIterable {
  case benchmarks, soak, ledger, fuzzing, mutation

  /// The page, from the root folder.
  var path: String {
    switch self {
    case .benchmarks: "Quality/Benchmarks/REPORT.md"
    case .soak, .ledger, .fuzzing: "Documentation/reliability.md"
    case .mutation: "Documentation/mutation.md"
    }
  }

  /// The command that makes the report anew, in the root folder.
  var command: String {
    switch self {
    case .benchmarks: "make bench"
    case .soak: "make -C Quality soak MINUTES=120"
    case .ledger: "make -C Quality ledger MINUTES=60"
    case .fuzzing: "make -C Quality fuzz-record"
    case .mutation: "make -C Quality mutate-record"
    }
  }

  /// After so many commits a report has to be made anew.
  var limit: Int {
    switch self {
    // A few weeks of work.
    case .benchmarks, .soak: 100
    // They take hours of a machine that does nothing else. Their figures say how well the code is searched, and age more
    // slowly than times: what they find becomes a test or an input of the corpus, which every run of the tests repeats.
    case .ledger, .fuzzing, .mutation: 400
    }
  }

  /// The word in the comment `<!-- word -->` before the figures that a command writes into a page of text.
  private var mark: String? {
    switch self {
    case .benchmarks: nil
    case .soak: "soak"
    case .ledger: "ledger"
    case .fuzzing: "fuzz"
    case .mutation: "mutation"
    }
  }

  /// The commit that the page names, in a form that git knows; nil if it names none. Of figures that were added up over several
  /// commits, it is the first.
  func commit(in page: String) -> String? {
    let name: Substring?
    if let mark {
      // Figures of other reports stand before and behind.
      let figures = page.range(of: "\n<!-- \(mark) -->\n\n").map { page[$0.upperBound...].prefix { $0 != "\n" } }
      name = figures?.firstMatch(of: /\bcommit (?<commit>[^ ,]+)/)?.commit
    } else {
      name = page.firstMatch(of: /\n\| commit \| (?<commit>[^ ,|]+)/)?.commit
    }
    // `git describe` says so when files had changed since the commit.
    return name.map { $0.hasSuffix("-dirty") ? String($0.dropLast("-dirty".count)) : String($0) }
  }

  /// Says why the report has to be made anew, and how; nil if it is young enough.
  func complaint(about page: String, in history: GitHistory) -> String? {
    let advice = "`\(command)` makes it anew"
    guard let commit = commit(in: page) else { return "\(path) names no commit: \(advice)" }
    guard let count = history.count(since: commit) else {
      return "\(path) is of \(commit), which is no commit: \(advice)"
    }
    return count > limit ? "\(path) is of \(commit), \(count) commits ago: \(advice)" : nil
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
