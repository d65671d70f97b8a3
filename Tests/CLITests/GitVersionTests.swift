import Foundation
import TestSupport
import Testing

@Suite("dflatc check with older versions of git")
struct GitVersionTests {
  private let post = "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"

  @Test("A git before 2.30, which refuses --end-of-options, finds commits and their files, also in a submodule")
  func endOfOptions() throws {
    try withFolder { folder in
      let inner = try GitRepository(in: folder.appending(path: "inner"))
      try inner.write(post, to: "s/post.fbs")
      try inner.commitAll()
      let outer = try GitRepository(in: folder.appending(path: "outer"))
      try outer.write(post, to: "s/post.fbs")
      try outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.folder.path, "sub")
      try outer.commitAll()
      // It calls the git that comes after it on PATH.
      try folder.write(
        """
        #!/bin/sh
        for argument in "$@"; do [ "$argument" != --end-of-options ] || exit 1; done
        PATH=${PATH#*:}
        exec git "$@"

        """, to: "bin/git")
      let bin = folder.appending(path: "bin").path
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bin + "/git")
      let path = bin + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
      for place in ["s", "sub/s"] {
        try outer.write(post.replacing("int", with: "long"), to: "\(place)/post.fbs")
        for against in ["git:HEAD", "merge-base:HEAD"] {
          let result = try dflatc(
            "check", "--against", against, place, in: outer.folder, environment: ["PATH": path])
          #expect(
            result.status == 1 && result.error.contains("error[field-type]"), "\(against) \(place): \(result.error)")
        }
      }
    }
  }
}
