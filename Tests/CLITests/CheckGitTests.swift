import Foundation
import TestSupport
import Testing

/// A repository of git with schemas, for `dflatc check --against`.
private func git(_ arguments: String..., in folder: URL) throws {
  let identity = [
    "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main",
    "-c", "protocol.file.allow=always",
  ]
  let result = try run(URL(fileURLWithPath: "/usr/bin/env"), ["git"] + identity + arguments, in: folder)
  #expect(result.status == 0, "\(result.error)")
}

private let post = "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"
private let widerPost = "table Post { id: string (primary); likes: long; }\nroot_type Post;\n"
private let longerPost = "table Post { id: string (primary); likes: int; more: int; }\nroot_type Post;\n"
private let other = "table Other { id: string (primary); }\nroot_type Other;\n"

private func remove(_ name: String, in folder: URL) throws {
  try FileManager.default.removeItem(at: folder.appending(path: name))
}

@Suite("dflatc check --against git")
struct CheckGitTests {
  @Test("OLD is read from a git commit, with its includes, renamed files and folders; the work tree is not touched")
  func against() throws {
    try withFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appending(path: "s/common"), withIntermediateDirectories: true)
      try FileManager.default.createDirectory(at: folder.appending(path: "t"), withIntermediateDirectories: true)
      let text = "include \"common/c.fbs\";\ntable Post { id: string (primary); c: Color; }\nroot_type Post;\n"
      try folder.write(text, to: "s/post.fbs")
      try folder.write("enum Color: byte { red, green }\n", to: "s/common/c.fbs")
      try git("init", "-q", in: folder)
      try git("add", ".", in: folder)
      try git("commit", "-qm", "one", in: folder)
      try folder.write("enum Color: byte { green, red }\n", to: "s/common/c.fbs")
      let changed = try dflatc("check", "--against", "git:HEAD", "s/post.fbs", in: folder)
      #expect(changed.status == 1 && changed.error.contains("::: HEAD:s/common/c.fbs:1:20"))
      #expect(try dflatc("check", "--against", "git:HEAD", "s", in: folder).status == 1)
      #expect(try dflatc("check", "--against", "git:HEAD", "post.fbs", in: folder.appending(path: "s")).status == 1)
      #expect(try dflatc("check", "--against", "git:HEAD:s", "post.fbs", in: folder.appending(path: "s")).status == 1)
      // The absolute path of a file in the current folder is another name of it, with a folder of the commit, too.
      for place in ["git:HEAD", "git:HEAD:s"] {
        let path = folder.appending(path: "s/post.fbs").path
        #expect(try dflatc("check", "--against", place, path, in: folder.appending(path: "s")).status == 1)
      }
      try folder.write("table Post { id: string (primary); n: int; }\nroot_type Post;\n", to: "t/post.fbs")
      #expect(try dflatc("check", "--against", "git:HEAD:s", "post.fbs", in: folder.appending(path: "t")).status == 1)
      let absolute = folder.appending(path: "t/post.fbs").path
      #expect(try dflatc("check", "--against", "git:HEAD:s", absolute, in: folder.appending(path: "t")).status == 1)
      try FileManager.default.removeItem(at: folder.appending(path: "t"))
      let status = try run(URL(fileURLWithPath: "/usr/bin/env"), ["git", "status", "--porcelain"], in: folder)
      #expect(status.output == " M s/common/c.fbs\n")

      try FileManager.default.moveItem(at: folder.appending(path: "s/post.fbs"), to: folder.appending(path: "s/p.fbs"))
      let lost = try dflatc("check", "--against", "git:HEAD", "s/p.fbs", in: folder)
      #expect(lost.status == 3 && lost.error.contains("none of the files is in HEAD"))
      let found = try dflatc("check", "--against", "git:HEAD", "--rename", "s/post.fbs=s/p.fbs", "s/p.fbs", in: folder)
      #expect(found.status == 1 && found.error.contains("enum-value"))
      // In a folder, the root table is found again wherever it is.
      #expect(try dflatc("check", "--against", "git:HEAD", "s", in: folder).error.contains("enum-value"))

      let none = try dflatc("check", "--against", "git:nowhere", "s/p.fbs", in: folder)
      #expect(none.status == 3 && none.error.contains("there is no git commit nowhere"))
      #expect(try dflatc("check", "--against", "git:--all", "s/p.fbs", in: folder).status == 3)
      #expect(try dflatc("check", "--against", "HEAD", "s/p.fbs", in: folder).status == 2)
    }
    try withFolder { folder in
      try folder.write(post, to: "a.fbs")
      let result = try dflatc("check", "--against", "git:HEAD", "a.fbs", in: folder)
      #expect(result.status == 3 && result.error.contains("not a git repository"))
    }
  }

  /// A repository whose one commit has `post.fbs` and `other.fbs` in the folder `s`.
  private func withRepository(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      try FileManager.default.createDirectory(at: folder.appending(path: "s"), withIntermediateDirectories: true)
      try folder.write(post, to: "s/post.fbs")
      try folder.write(other, to: "s/other.fbs")
      try git("init", "-q", in: folder)
      try git("add", ".", in: folder)
      try git("commit", "-qm", "one", in: folder)
      try body(folder)
    }
  }

  @Test("With --staged, the staged schemas are checked, and not those of the work tree")
  func staged() throws {
    try withRepository { folder in
      func check(_ path: String = "s", in other: URL? = nil) throws -> ProcessResult {
        try dflatc("check", "--staged", "--against", "git:HEAD", path, in: other ?? folder)
      }
      // The work tree is broken; what is staged is not.
      try folder.write(longerPost, to: "s/post.fbs")
      try git("add", ".", in: folder)
      try folder.write(widerPost, to: "s/post.fbs")
      try folder.write("no schema", to: "s/new.fbs")
      for path in ["s", "s/", ".", "s/post.fbs", folder.path] {
        let result = try check(path)
        #expect(result.status == 0 && result.error.hasPrefix("note[field-added]"), "\(path): \(result.error)")
        #expect(!result.error.contains("error") && !result.error.contains("warning"), "\(path): \(result.error)")
      }
      #expect(try check("post.fbs", in: folder.appending(path: "s")).status == 0)
      #expect(try check("../s", in: folder.appending(path: "s")).status == 0)
      #expect(try dflatc("check", "--against", "git:HEAD", "s/post.fbs", in: folder).status == 1)
      // What is staged is broken; the work tree is not.
      try git("add", "s/post.fbs", in: folder)
      try folder.write(post, to: "s/post.fbs")
      let broken = try check()
      #expect(broken.status == 1 && broken.error.contains("--> s/post.fbs:1:43"), "\(broken.error)")
      #expect(broken.error.contains("::: HEAD:s/post.fbs:1:43"))
      // What is not staged is not there, and the index is as it was.
      let missing = try check("s/new.fbs")
      #expect(missing.status == 3 && missing.error.hasPrefix("error: NEW: cannot read s/new.fbs: git's index has no"))
      try git("add", "s/new.fbs", in: folder)
      #expect(try check().error.hasPrefix("error: NEW: a schema has errors\nerror[D0112]"))
      #expect(try dflatc("check", "--staged", "s", "s", in: folder).status == 2)
    }
  }

  @Test("Files that are added, deleted or renamed in the index are seen as such, includes and all")
  func stagedFiles() throws {
    try withRepository { folder in
      func check(_ more: String...) throws -> ProcessResult {
        try run(
          productsFolder.appending(path: "dflatc"), ["check", "--staged", "--against", "git:HEAD"] + more, in: folder)
      }
      try git("mv", "s/post.fbs", "s/note.fbs", in: folder)
      let moved = try check("s")
      #expect(moved.status == 0 && !moved.error.contains("error"), "\(moved.error)")
      #expect(try check("--rename", "s/post.fbs=s/note.fbs", "s/note.fbs").status == 0)
      // A file that is included is read from the index, too.
      try folder.write("struct Point { x: float; }\n", to: "s/point.fbs")
      try folder.write(
        "include \"point.fbs\";\n" + longerPost.replacing("more: int", with: "at: Point"), to: "s/note.fbs")
      try git("add", "s", in: folder)
      try folder.write("struct {", to: "s/point.fbs")
      let added = try check("s")
      #expect(added.status == 0, "\(added.error)")
      try git("rm", "-q", "--cached", "s/other.fbs", in: folder)
      let deleted = try check("s")
      #expect(deleted.status == 1 && deleted.error.contains("error[root-type]"), "\(deleted.error)")
      #expect(try folder.appending(path: "s").names() == ["note.fbs", "other.fbs", "point.fbs"])
      try git("rm", "-q", "--cached", "-r", "-f", "s", in: folder)
      try git("add", "-N", "s/other.fbs", in: folder)
      let emptied = try check("s")
      #expect(emptied.status == 1 && emptied.error.contains("--> HEAD:s/post.fbs:1:7"), "\(emptied.error)")
    }
  }

  @Test("A file of which git only knows that it will be added is not staged, and stops no commit")
  func intentToAdd() throws {
    try withRepository { folder in
      func check(_ path: String, _ more: String...) throws -> ProcessResult {
        try run(
          productsFolder.appending(path: "dflatc"), ["check", "--staged", "--against", "git:HEAD", path] + more,
          in: folder)
      }
      try folder.write("table New { x: int; }\n", to: "s/new.fbs")
      try git("add", "-N", "s/new.fbs", in: folder)
      for path in ["s", ".", "s/post.fbs", folder.path + "/s"] {
        let result = try check(path)
        #expect(result.status == 0 && result.error.isEmpty, "\(path): \(result.error)")
      }
      // It is named itself, or needed.
      #expect(try check("s/new.fbs").error.contains("git's index has no such file"))
      try folder.write("include \"new.fbs\";\n" + post, to: "s/post.fbs")
      try git("add", "s/post.fbs", in: folder)
      let needed = try check("s")
      #expect(needed.status == 3 && needed.error.contains("`new.fbs` is not found"), "\(needed.error)")
      // It makes no difference that the work tree no longer has it.
      try git("checkout", "-q", "HEAD", "s/post.fbs", in: folder)
      try remove("s/new.fbs", in: folder)
      #expect(try check("s").status == 0)
      // An empty file that is staged is judged.
      try folder.write("", to: "s/new.fbs")
      try git("add", "s/new.fbs", in: folder)
      let empty = try check("s")
      #expect(empty.status == 3 && empty.error.contains("error[D0110]"), "\(empty.error)")
    }
  }

  @Test("Before the first commit, the staged schemas are compared with nothing")
  func firstCommit() throws {
    try withFolder { folder in
      try git("init", "-q", in: folder)
      try folder.write(post, to: "s/post.fbs")
      try git("add", ".", in: folder)
      let first = try dflatc("check", "--staged", "--against", "git:HEAD", "s", in: folder)
      #expect(first.status == 0 && first.error.hasPrefix("note: s/post.fbs is not in HEAD"), "\(first.error)")
      // It is read nevertheless.
      try folder.write("no schema", to: "s/post.fbs")
      try git("add", ".", in: folder)
      let wrong = try dflatc("check", "--staged", "--against", "git:HEAD", "s", in: folder)
      #expect(wrong.status == 3 && wrong.error.contains("error[D0112]"), "\(wrong.error)")
      // Only HEAD may be without a commit.
      let other = try dflatc("check", "--staged", "--against", "git:main", "s", in: folder)
      #expect(other.status == 3 && other.error.contains("there is no git commit main"), "\(other.error)")
    }
  }

  @Test("The pre-commit hook lets through what is compatible as it is staged, and stops what is not")
  func hook() throws {
    try withFolder { folder in
      try git("init", "-q", in: folder)
      let hook = folder.appending(path: ".git/hooks/pre-commit")
      try FileManager.default.copyItem(at: packageFolder.appending(path: "Examples/ci/pre-commit"), to: hook)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hook.path)
      func commit(_ more: String...) throws -> ProcessResult {
        try run(
          URL(fileURLWithPath: "/usr/bin/env"),
          ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "more"] + more, in: folder,
          environment: ["DFLATC": productsFolder.appending(path: "dflatc").path])
      }
      // The first commit, one without a schema, and the first with one.
      try folder.write("text", to: "readme")
      try git("add", ".", in: folder)
      #expect(try commit().status == 0)
      try folder.write(post, to: "a post.fbs")
      try folder.write("no schema", to: "left alone.fbs")
      try git("add", "a post.fbs", in: folder)
      #expect(try commit().status == 0)
      // Staged is broken, the work tree is well; and the reverse; and all of it by `commit -a`.
      try folder.write(widerPost, to: "a post.fbs")
      try git("add", "a post.fbs", in: folder)
      try folder.write(longerPost, to: "a post.fbs")
      let stopped = try commit()
      #expect(stopped.status == 1 && stopped.error.contains("error[field-type]"), "\(stopped.error)")
      try git("add", "a post.fbs", in: folder)
      try folder.write(widerPost, to: "a post.fbs")
      let passed = try commit()
      #expect(passed.status == 0, "\(passed.error)")
      #expect(try commit("-a").status == 1)
      #expect(try commit("a post.fbs").status == 1)
      try git("checkout", "-q", "a post.fbs", in: folder)
      // Renamed, deleted, and a commit that changes no schema.
      try git("mv", "a post.fbs", "post.fbs", in: folder)
      #expect(try commit().status == 0)
      try folder.write(other, to: "other.fbs")
      try git("add", "other.fbs", in: folder)
      try git("rm", "-q", "post.fbs", in: folder)
      #expect(try commit().status == 1)
      try git("reset", "-q", "--hard", in: folder)
      try folder.write("other text", to: "readme")
      #expect(try commit("-a").status == 0)
      // Only the folder that is configured counts.
      try git("config", "dflatc.schemas", "Schemas", in: folder)
      try folder.write(widerPost, to: "post.fbs")
      #expect(try commit("-a").status == 0)
    }
  }

  @Test("References that look like options are none, and do nothing")
  func hostileReferences() throws {
    try withRepository { folder in
      for reference in [
        "--upload-pack=touch x", "--help", "-p", "--output=x", "HEAD --output=x", "HEAD;touch x", "$(touch x)", "\n",
        "..",
        "HEAD..HEAD", "HEAD^{tree}", "^HEAD", "@{-1}", "\u{1F600}", String(repeating: "a", count: 100_000),
      ] {
        let result = try dflatc("check", "--against", "git:\(reference)", "s/post.fbs", in: folder)
        #expect(result.status == 3, "\(reference.prefix(40)): \(result.status) \(result.error.prefix(200))")
        #expect(result.error.hasPrefix("error: OLD: there is no git commit"), "\(result.error.prefix(200))")
      }
      #expect(try folder.names() == [".git", "s"])
      #expect(try dflatc("check", "--against", "git:", "s", in: folder).status == 2)
      for place in ["--help", "../..", "/", "s/../../..", "-p", ":", "s\n"] {
        let result = try dflatc("check", "--against", "git:HEAD:\(place)", "post.fbs", in: folder.appending(path: "s"))
        #expect(result.status == 3 || result.status == 0, "\(place): \(result.error)")
      }
      for path in ["--help.fbs", "-x.fbs", "a\nb.fbs", ":(glob)*.fbs", "*.fbs"] {
        try folder.write(post, to: path)
        let result = try dflatc("check", "--against", "git:HEAD", "--", path, in: folder)
        #expect(result.status == 3 && result.error.contains("none of the files is in HEAD"), "\(path): \(result.error)")
        try git("add", "--", "./\(path)", in: folder)
        let staged = try dflatc("check", "--staged", "--against", "git:HEAD", "--", path, in: folder)
        #expect(staged.status == 3, "\(path): \(staged.error)")
      }
    }
  }

  @Test("The error for a repository that git does not take, or that lacks something, says what to do")
  func oddRepositories() throws {
    try withRepository { folder in
      func check(in place: URL, _ path: String = "s/post.fbs", _ reference: String = "HEAD") throws -> String {
        let result = try dflatc("check", "--against", "git:\(reference)", path, in: place)
        #expect(result.status == 3)
        return result.error
      }
      try git("clone", "-q", "--bare", ".", "bare.git", in: folder)
      #expect(try check(in: folder.appending(path: "bare.git")).contains("this git repository is bare"))

      try folder.write(longerPost, to: "s/post.fbs")
      try git("commit", "-qam", "two", in: folder)
      try git("tag", "base", "HEAD~1", in: folder)
      try git("clone", "-q", "--depth", "1", "file://\(folder.path)", "shallow", in: folder)
      let shallow = folder.appending(path: "shallow")
      #expect(try check(in: shallow, "s/post.fbs", "HEAD~1").contains("this clone is shallow; `git fetch --unshallow`"))
      #expect(try dflatc("check", "--against", "git:HEAD", "s/post.fbs", in: shallow).status == 0)
      #expect(try check(in: folder, "s/post.fbs", "nowhere").contains("`git fetch` gets what is elsewhere"))

      // A submodule is a repository of its own.
      try git("submodule", "--quiet", "add", "./shallow", "sub", in: folder)
      try git("commit", "-qm", "three", in: folder)
      #expect(try dflatc("check", "--against", "git:HEAD", "sub/s/post.fbs", in: folder).status == 0)
      // One that git knows nothing of is another repository.
      try git("clone", "-q", "shallow", "other", in: folder)
      let inside = try check(in: folder, "other/s/post.fbs")
      #expect(inside.contains("is in another git repository") && inside.contains("/other, a submodule perhaps"))
      #expect(
        try dflatc("check", "--against", "git:HEAD", "s/post.fbs", in: folder.appending(path: "sub")).status == 0)

      // What git says of a repository that belongs to somebody else is passed on. Its tests have a variable for that.
      let foreign = try dflatc(
        "check", "--against", "git:HEAD", "s/post.fbs", in: folder,
        environment: ["GIT_TEST_ASSUME_DIFFERENT_OWNER": "1", "HOME": folder.path])
      #expect(
        foreign.status == 3 && foreign.error.contains("dubious ownership")
          && foreign.error.contains("git config --global --add safe.directory"), "\(foreign.error)")

      let lost = try dflatc(
        "check", "--against", "git:HEAD", "s/post.fbs", in: folder, environment: ["PATH": folder.path])
      #expect(lost.status == 3 && lost.error.contains("cannot run git"), "\(lost.error)")
    }
  }

  @Test("If git ends because it cannot get a file, the error has its words")
  func endOfGit() throws {
    try withFolder { folder in
      let origin = try GitRepository(in: folder.appending(path: "origin"))
      try origin.git("config", "uploadpack.allowFilter", "true")
      for text in [post, longerPost] {
        try origin.write(text, to: "a.fbs")
        try origin.write(text.replacing("Post", with: "Note"), to: "b.fbs")
        try origin.commitAll()
      }
      // A clone that asks its origin for the files of each commit, and an origin that is elsewhere now.
      let clone = folder.appending(path: "clone")
      try git("clone", "-q", "--filter=blob:none", "file://\(origin.folder.path)", clone.path, in: folder)
      try FileManager.default.moveItem(at: origin.folder, to: folder.appending(path: "elsewhere"))
      for path in [".", "a.fbs"] {
        let result = try dflatc("check", "--against", "git:HEAD~1", path, in: clone)
        #expect(result.status == 3 && result.error.contains("could not fetch"), "\(path): \(result.error)")
      }
    }
  }

  @Test("A link in the commit stands for the file that it leads to")
  func links() throws {
    try withRepository { folder in
      let s = folder.appending(path: "s")
      try FileManager.default.createSymbolicLink(
        atPath: s.appending(path: "link.fbs").path, withDestinationPath: "post.fbs")
      try FileManager.default.createSymbolicLink(
        atPath: s.appending(path: "out.fbs").path, withDestinationPath: "../../post.fbs")
      try git("add", ".", in: folder)
      try git("commit", "-qm", "links", in: folder)
      #expect(try dflatc("check", "--against", "git:HEAD", "s/link.fbs", in: folder).status == 0)
      try remove("s/out.fbs", in: folder)
      try folder.write(post, to: "s/out.fbs")
      let out = try dflatc("check", "--against", "git:HEAD", "s/out.fbs", in: folder)
      #expect(out.status == 3 && out.error.contains("a link that leads to no file of the commit"), "\(out.error)")
    }
  }

  @Test("A folder that a link names is compared as the folder itself, in the work tree and in the index")
  func linkedFolders() throws {
    try withRepository { folder in
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: "link").path, withDestinationPath: "s")
      try git("add", ".", in: folder)
      try git("commit", "-qm", "link", in: folder)
      for path in ["link", "link/post.fbs"] {
        #expect(try dflatc("check", "--against", "git:HEAD", path, in: folder).status == 0)
        let staged = try dflatc("check", "--staged", "--against", "git:HEAD", path, in: folder)
        #expect(staged.status == 0 && staged.error.isEmpty, "\(path): \(staged.error)")
      }
      try remove("s/other.fbs", in: folder)
      let removed = try dflatc("check", "--against", "git:HEAD", "link", in: folder)
      #expect(removed.status == 1 && removed.error.contains("--> HEAD:link/other.fbs:1:7\n"), "\(removed.error)")
      try git("add", ".", in: folder)
      let staged = try dflatc("check", "--staged", "--against", "git:HEAD", "link", in: folder)
      #expect(staged.status == 1 && staged.error.contains("--> HEAD:link/other.fbs:1:7\n"), "\(staged.error)")
    }
  }

  @Test("A link to a file of the same folder is no second file, in the commit and in the index")
  func linksInFolders() throws {
    try withRepository { folder in
      let s = folder.appending(path: "s")
      for (name, target) in [("a.fbs", "post.fbs"), ("z.fbs", "a.fbs"), ("other.txt", "nowhere")] {
        try FileManager.default.createSymbolicLink(
          atPath: s.appending(path: name).path, withDestinationPath: target)
      }
      try git("add", ".", in: folder)
      try git("commit", "-qm", "links", in: folder)
      for more in [[], ["--staged"]] {
        for path in ["s", "s/z.fbs"] {
          let result = try run(
            productsFolder.appending(path: "dflatc"), ["check", "--against", "git:HEAD", path] + more, in: folder)
          #expect(result.status == 0 && result.error.isEmpty, "\(path) \(more): \(result.error)")
        }
      }
      try folder.write(widerPost, to: "s/post.fbs")
      #expect(try dflatc("check", "--against", "git:HEAD", "s/z.fbs", in: folder).status == 1)
      try git("add", ".", in: folder)
      #expect(try dflatc("check", "--staged", "--against", "git:HEAD", "s/z.fbs", in: folder).status == 1)
    }
  }
}
