import Foundation

/// `dflatc check --against` in a git repository: what a pull request waits for.
struct RepositoryBenchmark {
  private let compiler: String
  private let folder: URL
  private let rounds: Int
  private let reporter: Reporter

  init(_ measurement: Measurement) {
    compiler = URL(fileURLWithPath: measurement.compiler).path
    folder = measurement.folder.appending(path: "repository")
    rounds = measurement.rounds
    reporter = measurement.reporter
  }

  func run() throws {
    let schemas = 300
    let commits = 2_000
    reporter.print("check of a git repository: \(schemas) schemas, \(commits) commits, each with a field more")
    try makeRepository(schemas: schemas, commits: commits)
    // As in a pull request of ten commits, with the commit that it left found by git.
    try git("branch", "base", "HEAD~10")
    for reference in ["git:HEAD~1000", "merge-base:base"] {
      var timings = Timings(.check)
      for _ in 0..<rounds {
        _ = try timings.measure("check") {
          try shell("cd \"$1\" && exec \"$2\" check --against \"$3\" schemas", folder.path, compiler, reference)
        }
      }
      var row = ReportRow(
        .check, "\(schemas) schemas in a repository of \(commits) commits, --against \(reference)", .seconds,
        timings.series("check"))
      row.reach = 0.3
      try reporter.add(row)
    }
    try FileManager.default.removeItem(at: folder)
  }

  /// Makes a repository whose commits each append a field to the next of its schemas.
  private func makeRepository(schemas: Int, commits: Int) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try git("init", "--quiet")
    let history = folder.appending(path: ".git/history")
    try Data(self.history(schemas: schemas, commits: commits).utf8).write(to: history)
    try shell("git -C \"$1\" fast-import --quiet < \"$2\"", folder.path, history.path)
    try git("symbolic-ref", "HEAD", "refs/heads/main")
    try git("reset", "--quiet", "--hard")
  }

  /// The commits, in the form that `git fast-import` reads.
  private func history(schemas: Int, commits: Int) -> String {
    var fields = Array(repeating: 10, count: schemas)
    var text = ""
    for commit in 0..<commits {
      text += "commit refs/heads/main\ncommitter A <a@example.com> \(1_700_000_000 + commit * 60) +0000\n"
      text += "data 1\nc\n"
      let changed = commit == 0 ? Array(0..<schemas) : [commit % schemas]
      for schema in changed {
        fields[schema] += 1
        let content = GeneratedSchema.tables(1, fields: fields[schema], prefix: "Schema\(schema)")[0].text
        text +=
          "M 100644 inline schemas/group\(schema % 20)/schema\(schema).fbs\ndata \(content.utf8.count)\n\(content)\n"
      }
    }
    return text
  }

  /// Runs a command of the shell, with its parameters.
  private func shell(_ command: String, _ parameters: String...) throws {
    try launch("/bin/sh", ["-c", command, "sh"] + parameters, isQuiet: true)
  }

  private func git(_ arguments: String...) throws {
    try launch("/usr/bin/env", ["git", "-C", folder.path] + arguments)
  }
}
