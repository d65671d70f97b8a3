import Foundation
import TestSupport
import Testing

@Suite("dflatc check --against merge-base")
struct MergeBaseTests {
  private let post = "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"
  private let narrower = "table Post { id: string (primary); likes: short; }\nroot_type Post;\n"
  private let longer = "table Post { id: string (primary); likes: int; more: int; }\nroot_type Post;\n"

  /// A clone on the branch `feature`, whose origin has gone on: its `main` has another field since.
  private func withClone(_ body: (_ clone: GitRepository, _ origin: GitRepository) throws -> Void) throws {
    try withFolder { folder in
      let origin = try GitRepository(in: folder.appending(path: "origin"))
      try origin.write(post, to: "post.fbs")
      try origin.commitAll()
      try origin.git("clone", "-q", origin.folder.path, folder.appending(path: "clone").path)
      let clone = GitRepository(at: folder.appending(path: "clone"))
      try clone.git("checkout", "-q", "-b", "feature")
      try clone.write("table Other {}\n", to: "other.fbs")
      try clone.commitAll()
      try origin.write(longer, to: "post.fbs")
      try origin.commitAll()
      try clone.git("fetch", "-q")
      try body(clone, origin)
    }
  }

  @Test("Against the merge base, only changes of the branch are found")
  func onlyWhatTheBranchHasChangedCounts() throws {
    try withClone { clone, _ in
      // Beside main itself, the branch has lost a field.
      #expect(try clone.dflatc("check", "--against", "git:origin/main", "post.fbs").status == 1)
      for name in ["merge-base:origin/main", "merge-base"] {
        #expect(try clone.dflatc("check", "--against", name, "post.fbs").status == 0, "\(name)")
      }
      try clone.write(narrower, to: "post.fbs")
      for name in ["merge-base:origin/main", "merge-base", "merge-base:origin/main:."] {
        let result = try clone.dflatc("check", "--against", name, "post.fbs")
        #expect(result.status == 1 && result.error.contains("error[field-type]"), "\(name): \(result.error)")
      }
      let missing = try clone.dflatc("check", "--against", "merge-base:origin/nowhere", "post.fbs")
      #expect(missing.status == 3)
      #expect(missing.error.contains("`git fetch origin nowhere:refs/remotes/origin/nowhere` gets it"))
      #expect(try clone.dflatc("check", "--against", "merge-base:", "post.fbs").status == 2)
    }
  }

  @Test("The base branch is taken from the environment of each CI system")
  func whatPipelinesSetIsUnderstood() throws {
    try withClone { clone, origin in
      try origin.git("branch", "release", "HEAD~1")
      try clone.git("fetch", "-q")
      try clone.write(narrower, to: "post.fbs")
      let base = try clone.git("rev-parse", "origin/release").trimmingCharacters(in: .newlines)
      for environment in [
        ["GITHUB_BASE_REF": "release"], ["CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "release"],
        ["CI_MERGE_REQUEST_DIFF_BASE_SHA": base], ["SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/release"],
      ] {
        let result = try clone.dflatc("check", "--against", "merge-base", "post.fbs", environment: environment)
        #expect(result.status == 1 && result.error.contains("::: \(base.prefix(7))"), "\(environment): \(result.error)")
      }
      let unknown = try clone.dflatc(
        "check", "--against", "merge-base", "post.fbs", environment: ["GITHUB_BASE_REF": "gone"])
      #expect(unknown.status == 3 && unknown.error.contains("there is no git commit origin/gone"))
      let far = try clone.dflatc(
        "check", "--against", "merge-base", "post.fbs",
        environment: ["CI_MERGE_REQUEST_DIFF_BASE_SHA": String(repeating: "1", count: 40)])
      #expect(far.status == 3 && far.error.contains("which this clone does not have"))
    }
  }

  @Test("In a shallow clone without the merge base, the error says what to fetch")
  func aShallowCloneSaysWhatToFetch() throws {
    try withClone { clone, origin in
      try origin.git("fetch", "-q", clone.folder.path, "feature:feature")
      let folder = origin.folder.deletingLastPathComponent()
      try origin.git(
        "clone", "-q", "--depth", "1", "--branch", "feature", "--no-single-branch", "file://\(origin.folder.path)",
        folder.appending(path: "shallow").path)
      let shallow = GitRepository(at: folder.appending(path: "shallow"))
      let result = try shallow.dflatc("check", "--against", "merge-base:origin/main", "post.fbs")
      #expect(result.status == 3 && result.error.contains("this clone is shallow, and ends before"), "\(result.error)")
      #expect(result.error.contains("`fetch-depth: 0`") && result.error.contains("GIT_DEPTH: 0"))
      try shallow.git("fetch", "-q", "--unshallow")
      #expect(try shallow.dflatc("check", "--against", "merge-base:origin/main", "post.fbs").status == 0)
    }
  }

  @Test("A second worktree is checked as the first one is; files of git add -N have no content")
  func aSecondWorktreeIsARepositoryLikeAnother() throws {
    try withClone { clone, _ in
      try clone.git("worktree", "add", "-q", "../tree", "-b", "second", "origin/main")
      let tree = GitRepository(at: clone.folder.deletingLastPathComponent().appending(path: "tree"))
      #expect(try tree.dflatc("check", "--against", "merge-base:origin/main", "post.fbs").status == 0)
      try tree.write(post, to: "post.fbs")
      #expect(try tree.dflatc("check", "--against", "merge-base:origin/main", "post.fbs").status == 1)
      // A file that git only intends to add has no content in the index.
      try tree.write("table New {}\n", to: "new.fbs")
      try tree.git("add", "-N", "new.fbs")
      #expect(try tree.dflatc("check", "--against", "merge-base", "new.fbs", "other.fbs").status == 3)
      #expect(try tree.dflatc("check", "--staged", "--against", "git:HEAD", ".").status == 0)
    }
  }

  @Test("The files of a submodule are read at the commit that it had")
  func whatASubmoduleHasIsReadAtTheCommitThatItHad() throws {
    try withFolder { folder in
      let inner = try GitRepository(in: folder.appending(path: "inner"))
      try inner.write("enum Color: byte { red, green }\n", to: "color.fbs")
      try inner.commitAll()
      let outer = try GitRepository(in: folder.appending(path: "outer"))
      try outer.write("include \"sub/color.fbs\";\ntable Post { c: Color; }\nroot_type Post;\n", to: "post.fbs")
      try outer.git("submodule", "--quiet", "add", inner.folder.path, "sub")
      try outer.commitAll()
      #expect(try outer.dflatc("check", "--against", "git:HEAD", "post.fbs").status == 0)
      try outer.write("enum Color: byte { green, red }\n", to: "sub/color.fbs")
      for paths in ["post.fbs", "."] {
        let result = try outer.dflatc("check", "--against", "git:HEAD", paths)
        #expect(result.status == 1 && result.error.contains("::: HEAD:sub/color.fbs:1:20"), "\(paths): \(result.error)")
      }
      try outer.git("submodule", "--quiet", "deinit", "-f", "sub")
      let absent = try outer.dflatc("check", "--against", "git:HEAD", "post.fbs")
      #expect(
        absent.status == 3 && absent.error.contains("`git submodule update --init sub` gets it"), "\(absent.error)")
    }
  }

  @Test(
    "If the clone of a submodule lacks the old commit, the error says what to fetch")
  func shallowSubmodule() throws {
    try withFolder { folder in
      let inner = try GitRepository(in: folder.appending(path: "inner"))
      try inner.write("enum Color: byte { red, green }\n", to: "color.fbs")
      try inner.commitAll()
      let outer = try GitRepository(in: folder.appending(path: "outer"))
      try outer.write("table Post { c: int; }\nroot_type Post;\n", to: "post.fbs")
      try outer.git("submodule", "--quiet", "add", "file://\(inner.folder.path)", "sub")
      try outer.commitAll()
      // Only the list of OLD's files has it.
      try inner.remove("color.fbs")
      try inner.commitAll()
      try outer.git("-C", "sub", "pull", "-q", "origin", "main")
      try outer.commitAll()
      try outer.git(
        "clone", "-q", "--recurse-submodules", "--shallow-submodules", "file://\(outer.folder.path)", "../clone")
      let clone = GitRepository(at: folder.appending(path: "clone"))
      let result = try clone.dflatc("check", "--against", "git:HEAD~1", ".")
      #expect(result.status == 3, "\(result.output)\(result.error)")
      #expect(result.error.contains("the submodule sub") && result.error.contains("fetch origin"), "\(result.error)")
    }
  }
}
