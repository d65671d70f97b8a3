import Foundation
import TestSupport
import Testing

@Suite("Entries of allow that let nothing through")
struct UnusedAllowanceTests {
  /// A repository with schemas in two folders, and a configuration with these entries of `allow`.
  private func withRepository(_ entries: String..., body: (GitRepository) throws -> Void) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder.appending(path: "repo"))
      try repository.write("table Post { id: string (primary); likes: int; }\nroot_type Post;\n", to: "a/post.fbs")
      try repository.write("table Gone { id: string (primary); }\nroot_type Gone;\n", to: "a/gone.fbs")
      try repository.write("table Note { id: string (primary); }\nroot_type Note;\n", to: "b/note.fbs")
      try repository.write("{ \"allow\": [\n\(entries.joined(separator: ",\n"))\n] }\n", to: ".dflatc.json")
      try repository.commitAll()
      try body(repository)
    }
  }

  private func check(_ repository: GitRepository, _ arguments: String..., in folder: String = ".") throws
    -> ProcessResult
  {
    try run(
      productsFolder.appending(path: "dflatc"), ["check", "--against", "git:HEAD"] + arguments,
      in: repository.folder.appending(path: folder))
  }

  private func entry(_ rule: String, _ rest: String) -> String {
    "{ \"rule\": \"\(rule)\", \(rest), \"reason\": \"no release had it\" }"
  }

  @Test("An entry that no finding needs is a warning at its line and column, and one that is needed is none")
  func anEntryThatNoFindingNeedsIsAWarningAtItsPlace() throws {
    try withRepository(
      entry("type-removed", "\"path\": \"a/gone.fbs\""),
      entry("field-type", "\"path\": \"a/post.fbs\", \"name\": \"Post.likes\"")
    ) { repository in
      let unused = try check(repository, ".")
      #expect(unused.status == 0)
      #expect(
        unused.error.contains(
          """
          warning[D0406]: nothing to allow: there is no such `type-removed`
           --> .dflatc.json:2:1
          """), "\(unused.error)")
      #expect(unused.error.contains(" --> .dflatc.json:3:1\n") && unused.error.contains("remove the entry"))
      #expect(try check(repository, "--strict", ".").status == 1)
      try repository.remove("a/gone.fbs")
      let half = try check(repository, ".")
      #expect(half.status == 0 && !half.error.contains("json:2:1"), "\(half.error)")
      #expect(half.error.contains("json:3:1"))
      let github = try check(repository, "--format", "github", ".")
      #expect(github.output.hasPrefix("::warning file=.dflatc.json,line=3,col=1,"), "\(github.output)")
      let json = try check(repository, "--format", "json", ".")
      let report = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      try checkAgainstSchema(report)
      let warnings = try #require(report["configuration"] as? [[String: Any]])
      #expect(warnings.map { $0["file"] as? String } == [".dflatc.json"])
      let start = try #require(warnings.first?["start"] as? [String: Any])
      #expect(start["line"] as? Int == 3 && start["column"] as? Int == 1)
      let sarif = try check(repository, "--format", "sarif", ".")
      #expect(sarif.output.contains("\"ruleId\": \"D0406\"") && sarif.output.contains("\"id\": \"D0406\""))
      // From a folder inside, too.
      #expect(try check(repository, ".", in: "a").error.contains(" --> ../.dflatc.json:3:1\n"))
    }
  }

  @Test("A run that does not compare all that an entry may be about says nothing of it")
  func anEntryAboutOtherFilesIsNotJudged() throws {
    try withRepository(
      entry("type-removed", "\"path\": \"a\""), entry("type-removed", "\"name\": \"Old\""),
      entry("type-removed", "\"path\": \"old.fbs\""), entry("type-removed", "\"path\": \"a/*/old.fbs\"")
    ) { repository in
      for arguments in [["a/post.fbs"], ["b"], ["a/post.fbs", "b/note.fbs"], [".", "--exclude", "drafts"]] {
        let result = try run(
          productsFolder.appending(path: "dflatc"), ["check", "--against", "git:HEAD"] + arguments,
          in: repository.folder)
        #expect(result.status == 0 && result.error.isEmpty, "\(arguments): \(result.error)")
      }
      func lines(_ arguments: String..., in folder: String = ".") throws -> [String] {
        try run(
          productsFolder.appending(path: "dflatc"), ["check", "--against", "git:HEAD", "--format", "line"] + arguments,
          in: repository.folder.appending(path: folder)
        ).output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
      }
      // A name as the path stands for files and folders at whatever depth.
      #expect(try lines("a") == [".dflatc.json:5:1:"])
      #expect(try lines(".") == [2, 3, 4, 5].map { ".dflatc.json:\($0):1:" })
      // A configuration that was named may be about schemas elsewhere: only paths say where.
      #expect(try lines("--config", ".dflatc.json", ".") == [".dflatc.json:5:1:"])
      // A file with errors is not compared.
      try repository.write("table", to: "b/note.fbs")
      #expect(try !lines(".").contains { $0.hasPrefix(".dflatc.json") })
    }
  }

  @Test("An entry counts as used by findings that a comment silences or a level leaves out")
  func whatOtherRunsReportCounts() throws {
    try withRepository(entry("field-renamed", "\"path\": \"a/post.fbs\"")) { repository in
      try repository.write(
        "table Post { id: string (primary); like_count: int; }\nroot_type Post;\n", to: "a/post.fbs")
      for level in ["storage", "source"] {
        let result = try check(repository, "--level", level, ".")
        #expect(result.status == 0 && result.error.isEmpty, "\(level): \(result.error)")
      }
      try repository.write(
        "// dflatc:allow field-renamed it is meant\ntable Post { id: string (primary); like_count: int; }\nroot_type Post;\n",
        to: "a/post.fbs")
      #expect(try check(repository, ".").error.isEmpty)
    }
  }

  @Test("An entry of a configuration that two others extend is reported once")
  func anEntryThatIsExtendedTwiceIsReportedOnce() throws {
    try withRepository { repository in
      try repository.write("{ \"allow\": [\(entry("type-removed", "\"path\": \"a/old.fbs\""))] }\n", to: "base.json")
      for folder in ["a", "b"] {
        try repository.write("{ \"extends\": \"../base.json\" }\n", to: "\(folder)/.dflatc.json")
      }
      let result = try check(repository, "--format", "line", ".")
      #expect(result.output.matches(of: /base\.json:1:13: warning/).count == 1, "\(result.output)")
    }
  }
}
