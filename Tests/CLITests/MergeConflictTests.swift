import Foundation
import TestSupport
import Testing

@Suite("dflatc check while a merge has conflicts")
struct MergeConflictTests {
  @Test("With --staged, a file with a merge conflict is named as such, and its types do not count as removed")
  func stagedConflict() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write("table A { x: int; }\n", to: "s/a.fbs")
      try repository.write("include \"a.fbs\";\ntable B { a: A; }\n", to: "s/b.fbs")
      try repository.write("table C { x: int; }\n", to: "s/c.fbs")
      try repository.commitAll()
      try repository.git("checkout", "-q", "-b", "other")
      try repository.write("table A { x: int; y: int; }\n", to: "s/a.fbs")
      try repository.commitAll()
      try repository.git("checkout", "-q", "main")
      try repository.write("table A { x: int; z: int; }\n", to: "s/a.fbs")
      try repository.commitAll()
      // A merge that leaves all conflicts to the user.
      try repository.git("read-tree", "-m", "main~1", "main", "other")
      for path in ["s", "s/a.fbs", "s/b.fbs"] {
        let result = try repository.dflatc("check", "--staged", "--against", "git:HEAD", path)
        #expect(result.status == 3, "\(path): \(result.error)")
        #expect(
          result.error.contains("it has a merge conflict: resolve it, and `git add` the file"),
          "\(path): \(result.error)")
        #expect(result.error.contains("s/a.fbs") && !result.error.contains("is gone"), "\(path): \(result.error)")
      }
      #expect(try repository.dflatc("check", "--staged", "--against", "git:HEAD", "s/c.fbs").status == 0)
      try repository.git("add", "s/a.fbs")
      #expect(try repository.dflatc("check", "--staged", "--against", "git:HEAD", "s").status == 0)
    }
  }
}
