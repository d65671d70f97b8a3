import Foundation
import TestSupport
import Testing

@Suite("dflatc check in partial clones")
struct PartialCloneTests {
  private let post = "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"

  @Test("Links that no schema needs are not read, from the commit or from the index", arguments: [[], ["--staged"]])
  func unneededLinks(_ options: [String]) throws {
    try withFolder { folder in
      let origin = try GitRepository(in: folder.appending(path: "origin"))
      try origin.git("config", "uploadpack.allowFilter", "true")
      try origin.write(post, to: "schemas/post.fbs")
      try origin.write("text", to: "other/readme")
      try FileManager.default.createSymbolicLink(
        atPath: origin.folder.appending(path: "other/link").path, withDestinationPath: "readme")
      try origin.commitAll()
      // A clone that has the files of one folder, and an origin that is elsewhere now.
      let source = "file://\(origin.folder.path)"
      let clone = GitRepository(at: folder.appending(path: "clone"))
      let made = try run(
        URL(fileURLWithPath: "/usr/bin/env"),
        ["git", "clone", "-q", "--filter=blob:none", "--no-checkout", source, clone.folder.path], in: folder)
      #expect(made.status == 0, "\(made.error)")
      try clone.git("sparse-checkout", "set", "schemas")
      try clone.git("checkout", "-q", "main")
      try FileManager.default.moveItem(at: origin.folder, to: folder.appending(path: "elsewhere"))
      func check(_ path: String) throws -> ProcessResult {
        try run(
          productsFolder.appending(path: "dflatc"), ["check", "--against", "git:HEAD"] + options + [path],
          in: clone.folder)
      }
      for path in ["schemas", ".", "schemas/post.fbs"] {
        let result = try check(path)
        #expect(result.status == 0 && result.error.isEmpty, "\(path): \(result.error)")
      }
      let led = try check("other/link/post.fbs")
      #expect(led.status == 3, "\(led.error)")
    }
  }
}
