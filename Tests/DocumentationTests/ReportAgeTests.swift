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
    "A report is at most 100 commits old",
    .enabled(
      if: GitHistory(of: packageFolder) != nil,
      "This copy has no git history, or only its end: how old the reports are cannot be told."),
    arguments: Report.allCases)
  func age(of report: Report) throws {
    let history = try #require(GitHistory(of: packageFolder))
    let page = try String(contentsOf: packageFolder.appending(path: report.rawValue), encoding: .utf8)
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
      let shell = Shell(folder: folder)
      let commit = "git commit -q --allow-empty -m A"
      try #require(
        shell.run(
          "git init -q && for i in $(seq 102); do \(commit); done && git tag 100 HEAD~100 && git tag 101 HEAD~101"
        )
        .isSuccess)
      let history = try #require(GitHistory(of: folder))
      func complaint(_ line: String) -> String? { Report.benchmarks.complaint(about: "\n" + line, in: history) }
      #expect(complaint("| commit | 100, with changes that are not committed |") == nil)
      #expect(complaint("| commit | 101 |")?.contains("101 commits ago: `make bench` makes it anew") == true)
      #expect(complaint("| commit | 0123abc |")?.contains("which is no commit: `make bench`") == true)
      #expect(complaint("| date | 100 |")?.contains("names no commit: `make bench`") == true)
    }
  }

  @Test("Every report names its commit")
  func commits() throws {
    for report in Report.allCases {
      let page = try String(contentsOf: packageFolder.appending(path: report.rawValue), encoding: .utf8)
      #expect(report.commit(in: page)?.isEmpty == false, "\(report.rawValue)")
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
