import Foundation
import TestSupport
import Testing

@Suite("dflatc check in sparse checkouts")
struct SparseCheckoutTests {
  private let post = "include \"../common/id.fbs\";\ntable Post { name: string (primary); id: ID; }\nroot_type Post;\n"
  private let id = "table ID { x: int; }\n"

  /// A repository with the folders `app`, which is checked out, and `common` and `other`, which are not.
  private func withSparseCheckout(_ body: (GitRepository) throws -> Void) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write(post, to: "app/post.fbs")
      try repository.write(id, to: "common/id.fbs")
      try repository.write("include \"../app/post.fbs\";\ntable Other { post: Post; }\n", to: "other/other.fbs")
      try repository.commitAll()
      try leaveOut(["common", "other"], of: repository)
      try body(repository)
    }
  }

  /// Has git leave folders out of the work tree. Git before version 2.25 has no command for it.
  private func leaveOut(_ folders: [String], of repository: GitRepository) throws {
    try repository.git("config", "core.sparseCheckout", "true")
    try repository.write("/*\n" + folders.map { "!/\($0)/\n" }.joined(), to: ".git/info/sparse-checkout")
    try repository.git("read-tree", "-mu", "HEAD")
    for name in folders {
      #expect(!FileManager.default.fileExists(atPath: repository.folder.appending(path: name).path))
    }
  }

  @Test(
    "Files that git leaves out of the work tree are unchanged, also where they are named or included",
    arguments: [
      (".", "."), (".", "app"), (".", "app/post.fbs"), (".", "common"), (".", "common/id.fbs"),
      (".", "other/other.fbs"), ("app", "."), ("app", "post.fbs"), ("app", "../common"), ("app", ".."),
    ])
  func unchanged(_ place: String, _ path: String) throws {
    try withSparseCheckout { repository in
      let same = try repository.dflatc("check", "--against", "git:HEAD", path, in: place)
      #expect(same.status == 0 && same.error.isEmpty, "\(same.error)")
      let difference = try repository.dflatc("diff", "--against", "git:HEAD", path, in: place)
      #expect(difference.status == 0, "\(difference.error)")
    }
  }

  @Test("A file that git leaves out is found by its absolute path")
  func absolutePath() throws {
    try withSparseCheckout { repository in
      for name in ["common", "common/id.fbs"] {
        let result = try repository.dflatc("check", "--against", "git:HEAD", "\(repository.folder.path)/\(name)")
        #expect(result.status == 0 && result.error.isEmpty, "\(name): \(result.error)")
      }
    }
  }

  @Test("A file that is left out is compared as the index has it")
  func changedInTheIndex() throws {
    try withSparseCheckout { repository in
      try repository.git("read-tree", "--empty")
      try repository.git("config", "core.sparseCheckout", "false")
      try repository.git("reset", "-q", "--hard")
      try repository.write(id.replacing("int", with: "long"), to: "common/id.fbs")
      try repository.commitAll()
      try leaveOut(["common"], of: repository)
      for path in [".", "common", "common/id.fbs"] {
        let result = try repository.dflatc("check", "--against", "git:HEAD~1", path)
        #expect(result.status == 1 && result.error.contains("error[field-type]"), "\(path): \(result.error)")
        #expect(result.error.contains("common/id.fbs:1:15"), "\(path): \(result.error)")
        #expect(!result.error.contains("error[type-removed]"), "\(path): \(result.error)")
      }
    }
  }

  @Test("A removed file is reported, whether it was in the work tree or left out")
  func removed() throws {
    try withSparseCheckout { repository in
      try repository.remove("app/post.fbs")
      let removed = try repository.dflatc("check", "--against", "git:HEAD", "app")
      #expect(removed.status == 1 && removed.error.contains("table `Post` is gone"), "\(removed.error)")
      try repository.git("update-index", "--force-remove", "common/id.fbs")
      let left = try repository.dflatc("check", "--against", "git:HEAD", "common")
      #expect(left.status == 1 && left.error.contains("table `ID` is gone"), "\(left.error)")
    }
  }

  @Test("A file on disk is compared as it is there, although git would leave it out")
  func onDisk() throws {
    try withSparseCheckout { repository in
      try repository.write(id.replacing("int", with: "long"), to: "common/id.fbs")
      let result = try repository.dflatc("check", "--against", "git:HEAD", "common")
      #expect(result.status == 1 && result.error.contains("error[field-type]"), "\(result.error)")
    }
  }

  @Test("Links lead to files that git leaves out, and from them to files on disk")
  func links() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write(id, to: "common/id.fbs")
      try repository.write("table A { x: int; }\n", to: "app/a.fbs")
      for (link, target) in [("app/link.fbs", "../common/id.fbs"), ("common/back.fbs", "../app/a.fbs")] {
        try FileManager.default.createSymbolicLink(
          atPath: folder.appending(path: link).path, withDestinationPath: target)
      }
      try repository.commitAll()
      try leaveOut(["common"], of: repository)
      for path in [".", "app", "app/link.fbs", "common", "common/back.fbs"] {
        let same = try repository.dflatc("check", "--against", "git:HEAD", path)
        #expect(same.status == 0 && same.error.isEmpty, "\(path): \(same.error)")
      }
      try repository.write("table A { x: long; }\n", to: "app/a.fbs")
      let changed = try repository.dflatc("check", "--against", "git:HEAD", "common/back.fbs")
      #expect(changed.status == 1 && changed.error.contains("error[field-type]"), "\(changed.error)")
      try repository.remove("app/link.fbs")
      let removed = try repository.dflatc("check", "--against", "git:HEAD", "app")
      #expect(removed.status == 1 && removed.error.contains("table `ID` is gone"), "\(removed.error)")
    }
  }
}
