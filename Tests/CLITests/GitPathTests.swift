import Foundation
import TestSupport
import Testing

@Suite("Paths of dflatc check in a repository")
struct GitPathTests {
  private let post = "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"
  private let wider = "table Post { id: string (primary); likes: long; }\nroot_type Post;\n"

  /// The place in OLD that a report names, without its line and column.
  private func oldFile(in text: String) throws -> String {
    String(try #require(text.firstMatch(of: /::: ([^\n]*):\d+:\d+/)).1)
  }

  @Test(
    "git show prints the file of OLD by the name that a report gives it, from any folder", arguments: [".", "s", "t"])
  func gitShowTakesTheNameOfOld(_ place: String) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write(post, to: "s/deep/post.fbs")
      try repository.write("text", to: "t/readme")
      try repository.commitAll()
      try repository.write(wider, to: "s/deep/post.fbs")
      let path = ["s": "deep/post.fbs", "t": "../s/deep/post.fbs"][place] ?? "s/deep/post.fbs"
      for paths in [path, folder.path + "/s/deep/post.fbs"] {
        let result = try repository.dflatc("check", "--against", "git:HEAD", paths, in: place)
        let name = try oldFile(in: result.error)
        #expect(name == "HEAD:s/deep/post.fbs")
        let shown = try run(
          URL(fileURLWithPath: "/usr/bin/env"), ["git", "show", name], in: folder.appending(path: place))
        #expect(shown.output == post)
      }
    }
  }

  @Test("An error of OLD is shown in the file of the commit, since the work tree has another text")
  func errorsOfOldAreShownInTheCommit() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write(post.replacing("int", with: "sting"), to: "s/post.fbs")
      try repository.write(post.replacing("Post", with: "Note"), to: "s/note.fbs")
      try repository.commitAll()
      try repository.write(post, to: "s/post.fbs")
      // With another file that can be compared, and without.
      for path in ["s", "s/post.fbs"] {
        let text = try repository.dflatc("check", "--against", "git:HEAD", path)
        #expect(text.status == 3 && text.error.contains("--> HEAD:s/post.fbs:1:43\n"), "\(path): \(text.error)")
        let line = try repository.dflatc("check", "--against", "git:HEAD", "--format", "line", path)
        #expect(line.status == 3 && line.output.hasPrefix("HEAD:s/post.fbs:1:43: error: "), "\(path): \(line.output)")
        let difference = try repository.dflatc("diff", "--against", "git:HEAD", path)
        #expect(difference.status == 3)
        #expect(difference.error.contains("--> HEAD:s/post.fbs:1:43\n"), "\(path): \(difference.error)")
      }
    }
  }

  @Test("A removed file is found by an absolute path through a link to the repository")
  func removedFileBehindLink() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder.appending(path: "real"))
      try repository.write(post, to: "s/post.fbs")
      try repository.commitAll()
      try repository.remove("s/post.fbs")
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: "link").path, withDestinationPath: "real")
      for path in ["link/s/post.fbs", "link/none/../s/post.fbs"] {
        let result = try repository.dflatc("check", "--against", "git:HEAD", "\(folder.path)/\(path)")
        #expect(result.status == 1 && result.error.contains("HEAD:s/post.fbs"), "\(path): \(result.error)")
      }
    }
  }

  @Test("A file that has replaced a folder of the same path counts as added")
  func replacedFolders() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write("text", to: "post.fbs/readme")
      try repository.write("table Kept { x: int; }\n", to: "kept.fbs")
      try repository.commitAll()
      try repository.remove("post.fbs")
      try repository.write(post, to: "post.fbs")
      let whole = try repository.dflatc("check", "--against", "git:HEAD", ".")
      #expect(whole.status == 0 && !whole.error.contains("error"), "\(whole.error)")
      let named = try repository.dflatc("check", "--against", "git:HEAD", "kept.fbs", "post.fbs")
      #expect(named.status == 0 && named.error.contains("post.fbs is not in HEAD"), "\(named.error)")
    }
  }

  @Test("An include with a line break in its path leads to no file of a commit, and keeps no other from being read")
  func lineBreakInPath() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      let text = "include \"c.fbs\";\ntable Post { c: C; }\n"
      try repository.write("include \"a\\r\\nb.fbs\";\n" + text, to: "post.fbs")
      try repository.write("table C { x: int; }\n", to: "c.fbs")
      try repository.commitAll()
      try repository.write(text, to: "post.fbs")
      let result = try repository.dflatc("check", "--against", "git:HEAD", "post.fbs")
      #expect(result.status == 3 && result.error.contains(" is not found"), "\(result.error)")
      #expect(!result.error.contains("`c.fbs` is not found"), "\(result.error)")
    }
  }

  @Test("A schema with a line break in its name is compared", arguments: [[], ["--staged"]])
  func lineBreakInName(_ options: [String]) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write(post, to: "s/a\nb.fbs")
      try repository.commitAll()
      func check(_ path: String) throws -> ProcessResult {
        try run(
          productsFolder.appending(path: "dflatc"), ["check", "--against", "git:HEAD"] + options + [path], in: folder)
      }
      for path in ["s", "s/a\nb.fbs"] {
        let same = try check(path)
        #expect(same.status == 0 && same.error.isEmpty, "\(same.error)")
      }
      try repository.write(wider, to: "s/a\nb.fbs")
      try repository.git("add", ".")
      for path in ["s", "s/a\nb.fbs"] {
        let changed = try check(path)
        #expect(changed.status == 1 && changed.error.contains("error[field-type]"), "\(changed.error)")
      }
    }
  }

  @Test("Git may have more warnings than a pipe holds")
  func manyWarnings() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder.appending(path: "repository"))
      try repository.write(post, to: "s/post.fbs")
      try repository.commitAll()
      try repository.write(wider, to: "s/post.fbs")
      // It calls the git that comes after it on PATH.
      try folder.write(
        """
        #!/bin/sh
        PATH=${PATH#*:}
        case " $* " in *" ls-files "*) yes warning | head -n 20000 >&2 ;; esac
        exec git "$@"

        """, to: "bin/git")
      let bin = folder.appending(path: "bin").path
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bin + "/git")
      let path = bin + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
      let result = try repository.dflatc("check", "--against", "git:HEAD", "s", environment: ["PATH": path])
      #expect(result.status == 1 && result.error.contains("error[field-type]"), "\(result.error)")
    }
  }

  @Test("A removed file is found from a folder inside of the repository, too", arguments: [".", "s", "s/deep"])
  func aRemovedFileIsFoundInEveryFolder(_ place: String) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write(post, to: "s/deep/post.fbs")
      try repository.write("table Gone { id: string (primary); }\nroot_type Gone;\n", to: "s/deep/gone.fbs")
      try repository.commitAll()
      try repository.remove("s/deep/gone.fbs")
      let result = try repository.dflatc("check", "--against", "git:HEAD", ".", in: place)
      #expect(result.status == 1 && result.error.contains("--> HEAD:s/deep/gone.fbs:1:7\n"), "\(result.error)")
    }
  }

  @Test(
    "A copy of a removed type is no place that it moved to: one that git ignores, or one in another repository",
    arguments: ["gone.fbs", "."])
  func copiesHideNoRemoval(_ path: String) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder.appending(path: "repository"))
      let color = "enum Color: byte { red, green }\n"
      let table = "table Gone { id: string (primary); c: Color; }\nroot_type Gone;\n"
      try repository.write("/build/\n", to: ".gitignore")
      try repository.write(post, to: "post.fbs")
      try repository.write(color + table, to: "gone.fbs")
      try repository.commitAll()
      try repository.write(color, to: "gone.fbs")
      try repository.git("worktree", "add", "-q", "worktrees/old", "-b", "old")
      try repository.write(color + table, to: "build/gone.fbs")
      let result = try repository.dflatc("check", "--against", "git:HEAD", path)
      #expect(result.status == 1 && result.error.contains("error[type-removed]"), "\(result.error)")
      // A file that git would add is one that the type moved to.
      try repository.write(table.replacing("c: Color", with: "c: byte"), to: "moved.fbs")
      let moved = try repository.dflatc("check", "--against", "git:HEAD", path)
      #expect(!moved.error.contains("type-removed") && moved.error.contains("--> "), "\(moved.error)")
      #expect(moved.error.contains("moved.fbs:1:39\n"), "\(moved.error)")
    }
  }

  @Test("A file is compared also if its name has another case in git's index, where file systems ignore case")
  func namesOfAnotherCase() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write(post, to: "Post.fbs")
      try repository.commitAll()
      try repository.git("config", "core.ignorecase", "true")
      try FileManager.default.moveItem(
        at: folder.appending(path: "Post.fbs"), to: folder.appending(path: "post.fbs"))
      let same = try repository.dflatc("check", "--against", "git:HEAD", ".")
      #expect(same.status == 0 && same.error.isEmpty, "\(same.error)")
      try repository.write(wider, to: "post.fbs")
      let changed = try repository.dflatc("check", "--against", "git:HEAD", ".")
      #expect(changed.status == 1 && changed.error.contains("error[field-type]"), "\(changed.error)")
    }
  }

  @Test("A folder that git ignores is compared if it is named", arguments: ["generated", "generated/"])
  func ignoredFolders(_ path: String) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write("/generated/\n", to: ".gitignore")
      try repository.write(post, to: "released/a.fbs")
      try repository.commitAll()
      try repository.write(post, to: "generated/a.fbs")
      let rename = ["--rename", "released/a.fbs=generated/a.fbs"]
      func check() throws -> ProcessResult {
        try run(
          productsFolder.appending(path: "dflatc"), ["check", "--against", "git:HEAD"] + rename + [path], in: folder)
      }
      let same = try check()
      #expect(same.status == 0 && same.error.isEmpty, "\(same.error)")
      try repository.write(wider, to: "generated/a.fbs")
      let result = try check()
      #expect(result.status == 1 && result.error.contains("error[field-type]"), "\(result.error)")
    }
  }

  @Test("Variables that git sets for hooks change no answer about a folder", arguments: ["relative", "absolute"])
  func variablesOfHooks(_ kind: String) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      let gone = "table Gone { id: string (primary); }\nroot_type Gone;\n"
      try repository.write("/s/build/\n", to: ".gitignore")
      try repository.write(post, to: "s/post.fbs")
      try repository.write(gone, to: "s/gone.fbs")
      try repository.commitAll()
      let gitFolder =
        kind == "relative"
        ? ".git" : try repository.git("rev-parse", "--absolute-git-dir").trimmingCharacters(in: .newlines)
      let environment = ["GIT_DIR": gitFolder, "GIT_LITERAL_PATHSPECS": "1"]
      let same = try repository.dflatc("check", "--against", "git:HEAD", "s", environment: environment)
      #expect(same.status == 0 && same.error.isEmpty, "\(same.error)")
      // What a build has copied hides no removal.
      try repository.write(gone, to: "s/build/gone.fbs")
      try repository.remove("s/gone.fbs")
      let result = try repository.dflatc("check", "--against", "git:HEAD", "s", environment: environment)
      #expect(result.status == 1 && result.error.contains("error[type-removed]"), "\(result.error)")
    }
  }

  @Test("With git:REF:DIR, the name of an old file has DIR")
  func aFolderOfTheCommitIsInTheNameOfOld() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write(post, to: "before/post.fbs")
      try repository.write("table Old { id: string (primary); x: int; }\nroot_type Old;\n", to: "before/old.fbs")
      try repository.commitAll()
      try repository.write(wider, to: "s/post.fbs")
      let result = try repository.dflatc("check", "--against", "git:HEAD:before", ".", in: "s")
      #expect(try oldFile(in: result.error) == "HEAD:before/post.fbs")
      #expect(result.error.contains("--> HEAD:before/old.fbs:1:7\n"), "\(result.error)")
      let json = try repository.dflatc("check", "--against", "git:HEAD:before", "--format", "json", ".", in: "s")
      #expect(json.output.contains("\"HEAD:before/post.fbs\""), "\(json.output)")
    }
  }

  @Test("A colon in braces belongs to the name of a commit, as it does for git")
  func aColonInBracesIsInTheNameOfACommit() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write(post, to: "s/post.fbs")
      try repository.commitAll("post: begin")
      try repository.write(wider, to: "s/post.fbs")
      try repository.commitAll("two")
      let name = "HEAD^{/post: begin}"
      let whole = try repository.dflatc("check", "--against", "git:\(name)", "s")
      #expect(whole.status == 1 && whole.error.contains("::: \(name):s/post.fbs:1:43"), "\(whole.error)")
      let inside = try repository.dflatc("check", "--against", "git:\(name):s", ".", in: "s")
      #expect(inside.status == 1 && inside.error.contains("::: \(name):s/post.fbs:1:43"), "\(inside.error)")
      let base = try repository.dflatc("check", "--against", "merge-base:\(name)", "s")
      #expect(base.status == 1 && base.error.contains("error[field-type]"), "\(base.error)")
    }
  }

  @Test("A type that moved to another folder of the repository is found, whatever the current folder is")
  func theAnswerDoesNotDependOnTheCurrentFolder() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      let color = "enum Color: byte { red, green }\n"
      try repository.write(color + "table Post { c: Color; }\nroot_type Post;\n", to: "services/post/post.fbs")
      try repository.write("table Shared { x: int; }\n", to: "common/shared.fbs")
      try repository.commitAll()
      // The type is not used here any more.
      try repository.write("table Post { c: byte; }\nroot_type Post;\n", to: "services/post/post.fbs")
      try repository.write(color + "table Shared { x: int; }\n", to: "common/shared.fbs")
      var answers: Set<String> = []
      for (place, path) in [
        (".", "services/post/post.fbs"), ("services", "post/post.fbs"), ("services/post", "post.fbs"),
        ("common", "../services/post/post.fbs"),
      ] {
        let result = try repository.dflatc(
          "check", "--against", "git:HEAD", "--format", "gitlab", path, in: place)
        let entries = try #require(
          try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
        answers.insert(entries.compactMap { $0["check_name"] as? String }.sorted().joined(separator: " "))
      }
      #expect(answers.count == 1 && answers.first?.contains("type-removed") == false, "\(answers)")
    }
  }

  @Test("A check that is not told what to compare with names the three forms, and exits with 2")
  func aCheckWithoutAnEarlierVersionNamesTheForms() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write(post, to: "s/post.fbs")
      try repository.commitAll()
      let result = try repository.dflatc("check", "s")
      #expect(result.status == 2)
      #expect(
        result.error == """
          Error: Name the version to compare with, in one of three ways:
            --against git:REF s     a commit, branch or tag: `git:v1.0` if users have that
            --against merge-base s  the commit where this branch left its base: for pull requests
            OLD s                   two files or folders
            `"against": "merge-base"` in .dflatc.json says it once for all.
            See 'dflatc check --help' for more information.

          """)
      #expect(try repository.dflatc("check").error.contains("--against git:REF FILE... "))
      #expect(try repository.dflatc("diff", "s").error.contains("See 'dflatc diff --help'"))
      for form in [["--against", "git:HEAD", "s"], ["--against", "merge-base", "s"], ["s", "s"]] {
        #expect(try run(productsFolder.appending(path: "dflatc"), ["check"] + form, in: folder).status == 0, "\(form)")
      }
      try repository.write("{ \"against\": \"merge-base\" }", to: ".dflatc.json")
      #expect(try repository.dflatc("check", "s").status == 0)
    }
  }
}
