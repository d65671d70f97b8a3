import Foundation
import TestSupport
import Testing

/// The reports that are known to be too old: that is told as a known issue, and fails nothing. A report is put in here while a change is
/// under way after which it is made anew, and taken out with the new one.
private let knownOldReports: Set<Report> = []

/// Figures of code that has changed since say nothing of the code that is there.
@Suite("Reports of measurements")
struct ReportAgeTests {
  @Test(
    "A report is at most 100 commits old, and one that takes hours at most 400",
    .enabled(
      if: GitHistory(of: packageFolder) != nil,
      "This copy has no git history, or only its end: how old the reports are cannot be told."),
    arguments: Report.allCases)
  func age(of report: Report) throws {
    let history = try #require(GitHistory(of: packageFolder))
    let page = try String(contentsOf: packageFolder.appending(path: report.path), encoding: .utf8)
    guard let complaint = report.complaint(about: page, in: history) else { return }
    withKnownIssue("It is among knownOldReports") {
      Issue.record("\(complaint)")
    } when: {
      knownOldReports.contains(report)
    }
  }

  @Test(
    "A report of 101 commits ago, or of an unknown commit, is too old, and one of 100 commits ago is not")
  func limit() throws {
    try withTemporaryFolder { folder in
      let history = try historyOf(commits: 102, tags: [100, 101], in: folder)
      func complaint(_ line: String) -> String? { Report.benchmarks.complaint(about: "\n" + line, in: history) }
      #expect(complaint("| commit | 100, with changes that are not committed |") == nil)
      #expect(complaint("| commit | 101 |")?.contains("101 commits ago: `make bench` makes it anew") == true)
      #expect(complaint("| commit | 0123abc |")?.contains("which is no commit: `make bench`") == true)
      #expect(complaint("| date | 100 |")?.contains("names no commit: `make bench`") == true)
    }
  }

  @Test("A record of fuzzing or mutation of 401 commits ago is too old, and one of 400 commits ago is not")
  func longLimit() throws {
    try withTemporaryFolder { folder in
      let history = try historyOf(commits: 402, tags: [400, 401], in: folder)
      let fuzzed = "text\n<!-- fuzz -->\n\n1,000 inputs, 2026-11-24, commit 400 to HEAD, Linux.\n"
      #expect(Report.fuzzing.complaint(about: fuzzed, in: history) == nil)
      let older = fuzzed.replacing("commit 400", with: "commit 401")
      #expect(Report.fuzzing.complaint(about: older, in: history)?.contains("401 commits ago: `make -C") == true)
      let mutated = "text\n<!-- mutation -->\n\n2026-11-24, 90 mutants, commit 401-dirty, Linux.\n"
      #expect(Report.mutation.complaint(about: mutated, in: history)?.contains("mutate-record") == true)
    }
  }

  /// Makes a repository whose commit of so many commits ago has that number as its tag.
  private func historyOf(commits: Int, tags: [Int], in folder: URL) throws -> GitHistory {
    let shell = Shell(folder: folder)
    let commit = #"printf 'commit refs/heads/main\ncommitter A <a@b> %s +0000\ndata 1\nA\n' $i"#
    try #require(
      shell.run(
        """
        git init -q && git symbolic-ref HEAD refs/heads/main
        for i in $(seq \(commits)); do \(commit); done | git fast-import --quiet
        for i in \(tags.map(String.init).joined(separator: " ")); do git tag $i HEAD~$i; done
        """
      ).isSuccess)
    return try #require(GitHistory(of: folder))
  }

  @Test("Every report names its commit")
  func commits() throws {
    for report in Report.allCases {
      let page = try String(contentsOf: packageFolder.appending(path: report.path), encoding: .utf8)
      #expect(report.commit(in: page)?.isEmpty == false, "\(report.path)")
    }
    let soaked = "commit 1\n\n<!-- soak -->\n\n2026-11-23, 57 minutes from seed 1, commit abc123-dirty, Linux.\n"
    #expect(Report.soak.commit(in: soaked) == "abc123")
  }

  @Test("A copy with only the latest commits, or without git, has no history")
  func copies() throws {
    try withTemporaryFolder { folder in
      let shell = Shell(folder: folder)
      try #require(
        shell.run(
          """
          git init -q whole && cd whole && git commit -q --allow-empty -m A && git commit -q --allow-empty -m B
          cd .. && git clone -q --depth 1 "file://$PWD/whole" shallow && mkdir whole/export
          """
        ).isSuccess)
      #expect(GitHistory(of: folder.appending(path: "whole")) != nil)
      #expect(GitHistory(of: folder.appending(path: "shallow")) == nil)
      #expect(GitHistory(of: folder.appending(path: "whole/export")) == nil)
    }
  }
}
