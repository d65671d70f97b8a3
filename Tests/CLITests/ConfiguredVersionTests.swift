import Foundation
import TestSupport
import Testing

/// What is compared when a configuration names the earlier version.
@Suite("against in .dflatc.json")
struct ConfiguredVersionTests {
  private func withRepository(_ against: String?, _ body: (GitRepository) throws -> Void) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder.appending(path: "repo"))
      if let against { try repository.write("{ \"against\": \"\(against)\" }\n", to: ".dflatc.json") }
      try repository.write("table Post { id: string (primary); likes: int; }\nroot_type Post;\n", to: "a/post.fbs")
      try repository.write("table Note { id: string (primary); }\nroot_type Note;\n", to: "b/note.fbs")
      try repository.write("table Tag { id: string (primary); }\nroot_type Tag;\n", to: "c/tag.fbs")
      try repository.commitAll()
      try body(repository)
    }
  }

  @Test("With a version of git in the configuration, one, two and three paths are compared with it")
  func everyNumberOfPathsMeansGit() throws {
    try withRepository("git:HEAD") { repository in
      for paths in [["a"], ["a", "b"], ["b/note.fbs", "a/post.fbs"], ["a", "b", "c"]] {
        let arguments = ["check", "--format", "line"] + paths
        func check() throws -> ProcessResult {
          try run(productsFolder.appending(path: "dflatc"), arguments, in: repository.folder)
        }
        try repository.write("table Post { id: string (primary); likes: int; }\nroot_type Post;\n", to: "a/post.fbs")
        let same = try check()
        #expect(same.status == 0 && same.output.isEmpty, "\(paths): \(same.output)\(same.error)")
        try repository.write("table Post { id: string (primary); likes: long; }\nroot_type Post;\n", to: "a/post.fbs")
        let broken = try check()
        #expect(broken.status == 1 && broken.output.hasPrefix("a/post.fbs:1:"), "\(paths): \(broken.output)")
        let note =
          "note: \(paths[0]) and \(paths.last ?? "") are both compared with git:HEAD, as \"against\" in .dflatc.json says; "
          + "--against \(paths[0]) \(paths.last ?? "") compares the one with the other\n"
        #expect(broken.error == (paths.count == 2 ? note : ""), "\(broken.error)")
      }
      let words = try repository.dflatc("diff", "a", "b")
      #expect(words.output.contains("`likes` was `int`") && words.error.hasPrefix("note: a and b are both compared"))
    }
  }

  @Test("Two versions are compared with each other by --against OLD NEW, or if no configuration names a version")
  func twoVersionsAreComparedWhenTheyAreNamedAsSuch() throws {
    try withRepository("git:HEAD") { repository in
      let named = try repository.dflatc("check", "--against", "a/post.fbs", "b/note.fbs")
      #expect(named.status == 1 && named.error.contains("error[table-renamed]") && !named.error.contains("are both"))
      try repository.remove(".dflatc.json")
      let plain = try repository.dflatc("check", "a/post.fbs", "b/note.fbs")
      #expect(plain.status == 1 && plain.error.contains("error[table-renamed]") && !plain.error.contains("are both"))
    }
  }

  @Test("Paths whose configurations name different versions are refused, whatever their order is")
  func differentVersionsAreRefused() throws {
    try withRepository("git:HEAD") { repository in
      try repository.write("{ \"against\": \"git:main\" }\n", to: "b/.dflatc.json")
      for paths in [["a", "b"], ["a", "b", "c"]] {
        let result = try run(productsFolder.appending(path: "dflatc"), ["check"] + paths, in: repository.folder)
        #expect(
          result.status == 2
            && result.error.hasPrefix(
              "error: .dflatc.json compares a with git:HEAD, and b with git:main: run dflatc for each of them, or name one"
            ),
          "\(result.error)")
      }
      // A configuration that names none does not matter.
      try repository.write("{}\n", to: "b/.dflatc.json")
      #expect(try repository.dflatc("check", "b", "a").status == 0)
    }
  }

  @Test("An older folder in the configuration is compared with one path, and the message for two says how to go on")
  func anOlderFolderIsComparedWithOnePath() throws {
    try withRepository("old") { repository in
      try repository.write("table Post { id: string (primary); likes: int; }\nroot_type Post;\n", to: "old/post.fbs")
      #expect(try repository.dflatc("check", "a").status == 0)
      let result = try repository.dflatc("check", "old", "a")
      #expect(result.status == 2 && result.error.contains("or write --against old a to compare the one with the other"))
    }
  }
}
