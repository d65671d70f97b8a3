import Foundation
import TestSupport
import Testing

@Suite("The hook for git")
struct PreCommitHookTests {
  private let text = "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"

  /// Makes a repository in a folder, with the hook.
  private func repository(in folder: URL) throws -> GitRepository {
    let repository = try GitRepository(in: folder)
    let hook = folder.appending(path: ".git/hooks/pre-commit")
    try FileManager.default.createDirectory(at: hook.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: packageFolder.appending(path: "Examples/ci/pre-commit"), to: hook)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hook.path)
    return repository
  }

  /// Adds all to the index and commits it, with the hook.
  private func commit(_ repository: GitRepository, _ options: String...) throws -> ProcessResult {
    try repository.git("add", "-A", ".")
    return try run(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"] + options + ["commit", "-qm", "change"],
      in: repository.folder, environment: ["DFLATC": productsFolder.appending(path: "dflatc").path])
  }

  @Test("Schemas whose paths git would put in quotes are checked", arguments: ["Schémas", "a \"b\""])
  func quotedPaths(_ name: String) throws {
    try withFolder { folder in
      let repository = try repository(in: folder.appending(path: "repository"))
      try repository.write(text, to: "\(name)/post.fbs")
      #expect(try commit(repository).status == 0)
      try repository.write(text.replacing("likes: int", with: "likes: long"), to: "\(name)/post.fbs")
      let stopped = try commit(repository)
      #expect(stopped.status == 1 && stopped.error.contains("error[field-type]"), "\(stopped.error)")
    }
  }

  @Test(
    "A change is checked however git is told to read paths",
    arguments: ["--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs"])
  func settingsOfPaths(_ option: String) throws {
    try withFolder { folder in
      let repository = try repository(in: folder.appending(path: "repository"))
      try repository.write(text, to: "schemas/post.fbs")
      #expect(try commit(repository, option).status == 0)
      try repository.write(text.replacing("likes: int", with: "likes: long"), to: "schemas/post.fbs")
      let stopped = try commit(repository, option)
      #expect(stopped.status == 1 && stopped.error.contains("error[field-type]"), "\(stopped.error)")
    }
  }

  @Test("The hook takes severities from the configuration of the repository")
  func configuration() throws {
    try withFolder { folder in
      let repository = try repository(in: folder.appending(path: "repository"))
      try repository.write(text, to: "schemas/post.fbs")
      try repository.write(#"{ "rules": { "field-type": "warning" } }"#, to: ".dflatc.json")
      #expect(try commit(repository).status == 0)
      try repository.write(text.replacing("likes: int", with: "likes: long"), to: "schemas/post.fbs")
      let passed = try commit(repository)
      #expect(passed.status == 0 && passed.error.contains("warning[field-type]"), "\(passed.error)")
    }
  }

  @Test("A commit that only moves a submodule is checked", arguments: [true, false])
  func movedSubmodules(_ hasOwnSchema: Bool) throws {
    try withFolder { folder in
      let origin = try GitRepository(in: folder.appending(path: "origin"))
      try origin.write(text, to: "post.fbs")
      try origin.commitAll()
      let outer = try repository(in: folder.appending(path: "outer"))
      if hasOwnSchema { try outer.write("table Own { x: int; }\n", to: "own.fbs") }
      try outer.write("text", to: "readme")
      try outer.git("submodule", "--quiet", "add", origin.folder.path, "sub")
      #expect(try commit(outer).status == 0)
      try outer.write("other text", to: "readme")
      #expect(try commit(outer).status == 0)
      let submodule = GitRepository(at: outer.folder.appending(path: "sub"))
      try submodule.write(text.replacing("likes: int", with: "likes: long"), to: "post.fbs")
      try submodule.commitAll()
      let stopped = try commit(outer)
      #expect(stopped.status == 1 && stopped.error.contains("error[field-type]"), "\(stopped.error)")
    }
  }

  @Test("A submodule without schemas keeps no commit from being made")
  func submodulesWithoutSchemas() throws {
    try withFolder { folder in
      let origin = try GitRepository(in: folder.appending(path: "origin"))
      try origin.write("text", to: "readme")
      try origin.commitAll()
      let outer = try repository(in: folder.appending(path: "outer"))
      try outer.git("submodule", "--quiet", "add", origin.folder.path, "sub")
      #expect(try commit(outer).status == 0)
      let submodule = GitRepository(at: outer.folder.appending(path: "sub"))
      try submodule.write("other text", to: "readme")
      try submodule.commitAll()
      let result = try commit(outer)
      #expect(result.status == 0, "\(result.error)")
    }
  }
}
