import Foundation
import TestSupport
import Testing

@Suite("dflatc check in repositories with submodules")
struct SubmoduleTests {
  private let kept = "table Kept { id: string (primary); }\nroot_type Kept;\n"
  private let gone = "table Gone { id: string (primary); }\nroot_type Gone;\n"

  /// A repository with a submodule, whose folder `deep` has two schemas.
  private func withSubmodule(
    at path: String = "sub", _ body: (_ outer: GitRepository, _ submodule: GitRepository) throws -> Void
  ) throws {
    try withFolder { folder in
      let origin = try GitRepository(in: folder.appending(path: "origin"))
      try origin.write(kept, to: "deep/kept.fbs")
      try origin.write(gone, to: "deep/gone.fbs")
      try origin.commitAll()
      let outer = try GitRepository(in: folder.appending(path: "outer"))
      try outer.write("table Outer { x: int; }\n", to: "outer.fbs")
      try outer.git("submodule", "--quiet", "add", origin.folder.path, path)
      try outer.commitAll()
      try body(outer, GitRepository(at: outer.folder.appending(path: path)))
    }
  }

  @Test("A file that was removed from a submodule is found in each folder", arguments: [".", "sub", "sub/deep"])
  func removedFiles(_ path: String) throws {
    try withSubmodule { outer, submodule in
      #expect(try outer.dflatc("check", "--against", "git:HEAD", path).status == 0)
      #expect(try outer.dflatc("check", "--staged", "--against", "git:HEAD", path).status == 0)
      try submodule.remove("deep/gone.fbs")
      let result = try outer.dflatc("check", "--against", "git:HEAD", path)
      #expect(result.status == 1 && result.error.contains("--> HEAD:sub/deep/gone.fbs:1:7\n"), "\(result.error)")
      // What still stands there is compared with itself, and not with nothing.
      #expect(!result.error.contains("Kept"), "\(result.error)")
      try submodule.commitAll()
      try outer.git("add", "sub")
      let staged = try outer.dflatc("check", "--staged", "--against", "git:HEAD", path)
      #expect(staged.status == 1 && staged.error.contains("--> HEAD:sub/deep/gone.fbs:1:7\n"), "\(staged.error)")
    }
  }

  @Test("A removed file is found in a submodule whose path git writes in quotes", arguments: ["lib#1", #"a "b" c;"#])
  func quotedPaths(_ path: String) throws {
    try withSubmodule(at: path) { outer, submodule in
      try submodule.remove("deep/gone.fbs")
      for place in [".", path] {
        let result = try outer.dflatc("check", "--against", "git:HEAD", place)
        #expect(
          result.status == 1 && result.error.contains("--> HEAD:\(path)/deep/gone.fbs:1:7\n"), "\(result.error)")
        #expect(!result.error.contains("Kept"), "\(result.error)")
      }
    }
  }

  @Test("A .gitmodules that git cannot parse is warned of")
  func malformedPaths() throws {
    try withSubmodule { outer, _ in
      let file = outer.folder.appending(path: ".gitmodules")
      let text = try String(contentsOf: file, encoding: .utf8)
      try outer.write("[submodule \"sub\"\n", to: ".gitmodules")
      try outer.commitAll()
      try outer.write(text, to: ".gitmodules")
      let result = try outer.dflatc("check", "--against", "git:HEAD", ".")
      #expect(
        result.error.contains("warning: git cannot parse .gitmodules, so that submodules are left out: "),
        "\(result.error)")
    }
  }

  @Test("Submodules of submodules are compared")
  func nestedSubmodules() throws {
    try withSubmodule { middle, _ in
      let folder = middle.folder.deletingLastPathComponent()
      let outer = try GitRepository(in: folder.appending(path: "outermost"))
      let text = "include \"middle/sub/deep/kept.fbs\";\ntable Outermost { kept: Kept; }\nroot_type Outermost;\n"
      try outer.write(text, to: "outermost.fbs")
      try outer.git("submodule", "--quiet", "add", middle.folder.path, "middle")
      try outer.git("submodule", "--quiet", "update", "--init", "--recursive")
      try outer.commitAll()
      for path in [".", "middle", "middle/sub", "middle/sub/deep", "outermost.fbs"] {
        let same = try outer.dflatc("check", "--against", "git:HEAD", path)
        #expect(same.status == 0 && same.error.isEmpty, "\(path): \(same.error)")
      }
      try outer.remove("middle/sub/deep/gone.fbs")
      try outer.write(kept.replacing("string", with: "int"), to: "middle/sub/deep/kept.fbs")
      for path in [".", "middle", "middle/sub", "middle/sub/deep"] {
        let result = try outer.dflatc("check", "--against", "git:HEAD", path)
        #expect(result.status == 1, "\(path)")
        for place in ["--> HEAD:middle/sub/deep/gone.fbs:1:7\n", "::: HEAD:middle/sub/deep/kept.fbs:1:18\n"] {
          #expect(result.error.contains(place), "\(path): \(result.error)")
        }
      }
      let including = try outer.dflatc("check", "--against", "git:HEAD", "outermost.fbs")
      #expect(including.error.contains("::: HEAD:middle/sub/deep/kept.fbs:1:18\n"), "\(including.error)")
    }
  }

  @Test("A submodule that git does not take is no submodule that is missing: the error has git's words")
  func foreignSubmodules() throws {
    try withSubmodule { outer, submodule in
      // Git's tests have a variable that makes all repositories somebody else's. The outer one is declared safe.
      let home = outer.folder.deletingLastPathComponent()
      let root = try outer.git("rev-parse", "--show-toplevel").trimmingCharacters(in: .newlines)
      try home.write("[safe]\n\tdirectory = \(root)\n", to: ".gitconfig")
      try submodule.remove("deep/gone.fbs")
      let result = try outer.dflatc(
        "check", "--against", "git:HEAD", ".",
        environment: [
          "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1", "HOME": home.path, "XDG_CONFIG_HOME": home.path,
        ])
      #expect(result.status == 3 && result.error.contains("the submodule sub"), "\(result.error)")
      #expect(result.error.contains("dubious ownership") && !result.error.contains("checked out"), "\(result.error)")
    }
  }

  @Test("Variables that git sets for the hooks of a linked worktree do not hold in its submodules")
  func variablesOfHooks() throws {
    try withSubmodule { outer, _ in
      try outer.git("worktree", "add", "-q", "../tree", "-b", "second")
      let tree = GitRepository(at: outer.folder.deletingLastPathComponent().appending(path: "tree"))
      try tree.git("submodule", "--quiet", "update", "--init")
      let environment = ["GIT_DIR": try tree.git("rev-parse", "--absolute-git-dir").trimmingCharacters(in: .newlines)]
      for arguments in [["--staged"], []] {
        func check() throws -> ProcessResult {
          try run(
            productsFolder.appending(path: "dflatc"), ["check", "--against", "git:HEAD"] + arguments + ["."],
            in: tree.folder, environment: environment)
        }
        let same = try check()
        #expect(same.status == 0 && same.error.isEmpty, "\(arguments): \(same.error)")
      }
      try tree.remove("sub/deep/gone.fbs")
      let result = try run(
        productsFolder.appending(path: "dflatc"), ["check", "--against", "git:HEAD", "."], in: tree.folder,
        environment: environment)
      #expect(result.status == 1 && result.error.contains("--> HEAD:sub/deep/gone.fbs:1:7\n"), "\(result.error)")
    }
  }

  @Test("A hook that names a submodule checks its files as they are")
  func hooks() throws {
    try withSubmodule { outer, submodule in
      let hook = outer.folder.appending(path: ".git/hooks/pre-commit")
      let program = productsFolder.appending(path: "dflatc").path
      try outer.write("#!/bin/sh\nexec '\(program)' check --against git:HEAD sub\n", to: ".git/hooks/pre-commit")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hook.path)
      func commit() throws -> ProcessResult {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
        return try run(
          URL(fileURLWithPath: "/usr/bin/env"), ["git"] + identity + ["commit", "-q", "--allow-empty", "-m", "change"],
          in: outer.folder)
      }
      let same = try commit()
      #expect(same.status == 0 && same.error.isEmpty, "\(same.error)")
      try submodule.remove("deep/gone.fbs")
      let stopped = try commit()
      #expect(stopped.status == 1 && stopped.error.contains("--> HEAD:sub/deep/gone.fbs:1:7\n"), "\(stopped.error)")
    }
  }
}
