import Foundation
import TestSupport
import Testing

@Suite("Paths that --exclude takes")
struct ExcludedPathTests {
  private static let forms = [
    "old/a", "./old/a", "old/a/", "old//a", "old/../old/a", "old/a/../a", "ABSOLUTE/old/a", "ABSOLUTE/./old/a/", "link",
    "link/", "linked/a",
  ]

  /// Writes two versions of schemas. In their folders `a` there is what lint, format and check report.
  private func withVersions(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      for (version, type) in [("old", "int"), ("new", "long")] {
        try folder.write("table Post {\n  x: int;\n}\n", to: "\(version)/post.fbs")
        try folder.write("table bad_name { y: \(type) ; }\n", to: "\(version)/a/bad.fbs")
        try folder.write("table Inner { z: int; }\n", to: "\(version)/b/a/inner.fbs")
      }
      let manager = FileManager.default
      try manager.createSymbolicLink(atPath: folder.appending(path: "link").path, withDestinationPath: "old/a")
      try manager.createSymbolicLink(atPath: folder.appending(path: "linked").path, withDestinationPath: "old")
      try body(folder)
    }
  }

  @Test("A folder is left out by every path that leads to it, whichever path leads to its schemas", arguments: forms)
  func everyPath(_ form: String) throws {
    try withVersions { folder in
      let excluded = form.replacing("ABSOLUTE", with: folder.path)
      for place in ["old", "./old/", "linked", folder.path + "/old"] {
        for command in [["lint"], ["format", "--check"]] {
          let arguments = command + ["--exclude", excluded, place]
          let result = try run(productsFolder.appending(path: "dflatc"), arguments, in: folder)
          #expect(result.status == 0, "\(arguments): \(result.output)\(result.error)")
        }
      }
      let compiled = try dflatc("compile", "--emit", "bfbs", "-o", "out", "--exclude", excluded, "old", in: folder)
      #expect(compiled.status == 0, "\(compiled.error)")
      #expect(try folder.appending(path: "out").names() == ["inner.bfbs", "post.bfbs"])
      // What is left out of one version is left out of the other.
      let checked = try dflatc("check", "--exclude", excluded, "old", "new", in: folder)
      #expect(checked.status == 0 && checked.error.isEmpty, "\(checked.error)")
    }
  }

  @Test("A folder is left out of a commit by every path that leads to it", arguments: forms)
  func commits(_ form: String) throws {
    try withVersions { folder in
      let repository = try GitRepository(in: folder)
      try repository.commitAll()
      try repository.write("table bad_name { y: long; }\n", to: "old/a/bad.fbs")
      #expect(try repository.dflatc("check", "--against", "git:HEAD", "old").status == 1)
      let excluded = form.replacing("ABSOLUTE", with: folder.path)
      let result = try repository.dflatc("check", "--against", "git:HEAD", "--exclude", excluded, "old")
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    }
  }

  @Test("A name stands for folders at any depth, with a slash at its end or without, and ./ makes a path of it")
  func names() throws {
    try withVersions { folder in
      func compiled(_ excluded: String) throws -> [String] {
        let out = "out-" + excluded.replacing("/", with: "-")
        let result = try dflatc("compile", "--emit", "bfbs", "-o", out, "--exclude", excluded, "old", in: folder)
        #expect(result.status == 0, "\(result.error)")
        return try folder.appending(path: out).names()
      }
      #expect(try compiled("a") == ["post.bfbs"])
      #expect(try compiled("./a") == ["bad.bfbs", "inner.bfbs", "post.bfbs"])
      try folder.write("include \"a/bad.fbs\";\ntable Post {\n  b: bad_name;\n}\n", to: "old/post.fbs")
      for name in ["a", "a/"] {
        let result = try dflatc("lint", "--gen-all", "--exclude", name, "old/post.fbs", in: folder)
        #expect(!result.error.contains("type-case"), "\(name): \(result.error)")
      }
    }
  }

  @Test("A link to a schema is left out without the schema, and the schema without the link")
  func linksToFiles() throws {
    try withVersions { folder in
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: "old/latest.fbs").path, withDestinationPath: "post.fbs")
      for (excluded, kept) in [("old/latest.fbs", "post"), ("old/post.fbs", "latest")] {
        let result = try dflatc(
          "compile", "--emit", "bfbs", "-o", kept, "--exclude", excluded, "--exclude", "a", "old", in: folder)
        #expect(result.status == 0, "\(result.error)")
        #expect(try folder.appending(path: kept).names() == ["\(kept).bfbs"], "\(excluded)")
      }
    }
  }
}
