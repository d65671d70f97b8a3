import Foundation
import TestSupport
import Testing

/// No change of a file can be seen if both versions read the same one. `dflatc check` says so instead of calling it compatible.
@Suite("dflatc check of includes that both versions would share")
struct CheckIncludeTests {
  private let main = "include \"q/t.fbs\";\ntable M { id: string (primary); c: C; }\nroot_type M;\n"
  private let before = "enum C: byte { red, green }\n"
  private let after = "enum C: byte { green, red }\n"

  private func write(_ files: [String: String], in folder: URL) throws {
    for (name, text) in files { try folder.write(text, to: name) }
  }

  private func link(_ name: String, to target: String, in folder: URL) throws {
    let link = folder.appending(path: name)
    try FileManager.default.createDirectory(at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: target)
  }

  private func check(_ arguments: [String], in folder: URL) throws -> ProcessResult {
    try run(productsFolder.appending(path: "dflatc"), ["check"] + arguments, in: folder)
  }

  /// Two versions with an include folder each, which breaks, and folders of neither.
  private func withVersions(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      try write(
        [
          "o/p/m.fbs": main, "o/q/t.fbs": before, "n/p/m.fbs": main, "n/q/t.fbs": after, "vendor/q/t.fbs": before,
        ], in: folder)
      try link("current", to: "n", in: folder)
      try link("shared", to: "vendor", in: folder)
      try body(folder)
    }
  }

  @Test("Includes that both versions would read are an error, whatever path leads there")
  func sharedFiles() throws {
    try withVersions { folder in
      for include in [
        "n", "n/", "./n", "o/../n", folder.path + "/n", "current", folder.path + "/current", "vendor/../current", "o",
      ] {
        for versions in [["o/p/m.fbs", "n/p/m.fbs"], ["o/p", "n/p"], ["o/p/m.fbs", "current/p"]] {
          let result = try check(["-I", include] + versions, in: folder)
          #expect(result.status == 2, "-I \(include) \(versions): \(result.error)")
          #expect(result.error.hasPrefix("error: both versions would read \(include)"), "\(result.error)")
        }
      }
      // The folders of each version show what changed, and so does the advice.
      let advice = try check(["-I", "n", "o/p/m.fbs", "n/p/m.fbs"], in: folder)
      #expect(advice.error.contains("instead of -I n write --new-include n --old-include DIR"), "\(advice.error)")
      let apart = try check(
        ["--new-include", "n", "--old-include", "o", "o/p/m.fbs", "n/p/m.fbs"], in: folder)
      #expect(apart.status == 1 && apart.error.contains("error[enum-value]"), "\(apart.error)")
      // Who names the folder for both means it.
      let meant = try check(["--new-include", "n", "--old-include", "n", "o/p/m.fbs", "n/p/m.fbs"], in: folder)
      #expect(meant.status == 0, "\(meant.error)")
    }
  }

  @Test("An included file may include one of the other version")
  func nestedIncludes() throws {
    try withVersions { folder in
      try write(["vendor/x/q/t.fbs": "include \"u.fbs\";\nstruct S { c: C; }\n", "n/u.fbs": after], in: folder)
      let nested = try check(["-I", "vendor/x", "-I", "n", "o/p/m.fbs", "n/p/m.fbs"], in: folder)
      #expect(nested.status == 2 && nested.error.contains("both versions would read n/u.fbs"), "\(nested.error)")
      try write(["o/p/m.fbs": main.replacingOccurrences(of: "q/t", with: "../../n/q/t")], in: folder)
      let relative = try check(["--new-include", "n", "o/p/m.fbs", "n/p/m.fbs"], in: folder)
      #expect(relative.status == 2 && relative.error.contains("--old-include"), "\(relative.error)")
    }
  }

  @Test("A folder of neither version is shared, also through links, and however the versions stand to one another")
  func foldersOfNeither() throws {
    try withVersions { folder in
      for include in ["vendor", "shared", folder.path + "/vendor", "n/../vendor"] {
        for versions in [["o/p/m.fbs", "n/p/m.fbs"], ["o/p", "n/p"], ["o/p/m.fbs", "current/p/m.fbs"]] {
          let result = try check(["-I", include] + versions, in: folder)
          #expect(result.status == 0, "-I \(include) \(versions): \(result.error)")
        }
      }
      // Versions side by side, and those that stand in one folder.
      try write(
        ["s/v1/m.fbs": main, "s/v2/m.fbs": main, "s/common/q/t.fbs": before, "s/common/m1.fbs": main], in: folder)
      for versions in [["s/v1/m.fbs", "s/v2/m.fbs"], ["s/v1", "s/v2"], ["s/common/m1.fbs", "s/common/m1.fbs"]] {
        let result = try check(["-I", "s/common"] + versions, in: folder)
        #expect(result.status == 0, "\(versions): \(result.error)")
      }
    }
  }

  @Test("A link in one version's tree is that version's, wherever it leads")
  func links() throws {
    try withVersions { folder in
      try link("n/inc/q", to: "../../vendor/q", in: folder)
      let result = try check(["-I", "n/inc", "o/p/m.fbs", "n/p/m.fbs"], in: folder)
      #expect(result.status == 2, "\(result.error)")
      // Each may have one.
      try link("o/inc/q", to: "../../vendor/q", in: folder)
      let both = try check(
        ["--new-include", "n/inc", "--old-include", "o/inc", "o/p/m.fbs", "n/p/m.fbs"], in: folder)
      #expect(both.status == 0, "\(both.error)")
      // A version that is itself reached by a link in the other one's tree is the one that the link leads to.
      try link("o/next", to: "../n", in: folder)
      try write(["o/p/q/t.fbs": before, "n/p/q/t.fbs": after], in: folder)
      let named = try check(["o/p/m.fbs", "o/next/p/m.fbs"], in: folder)
      #expect(named.status == 1 && named.error.contains("error[enum-value]"), "\(named.error)")
    }
  }

  @Test("If one version is in a folder of the other, each has the files that mirror the other's")
  func mirrors() throws {
    try withFolder { folder in
      try write(
        [
          "releases/1/p/m.fbs": main, "releases/1/q/t.fbs": before, "p/m.fbs": main, "q/t.fbs": after,
          "vendor/q/t.fbs": before,
        ], in: folder)
      let result = try check(["-I", ".", "releases/1/p/m.fbs", "p/m.fbs"], in: folder)
      #expect(result.status == 2 && result.error.contains("both versions would read ./q/t.fbs"), "\(result.error)")
      let vendor = try check(["-I", "vendor", "releases/1/p/m.fbs", "p/m.fbs"], in: folder)
      #expect(vendor.status == 0, "\(vendor.error)")
      let apart = try check(
        ["--old-include", "releases/1", "--new-include", ".", "releases/1/p", "p"], in: folder)
      #expect(apart.status == 1, "\(apart.error)")
    }
  }

  @Test("A binary schema reads nothing, and the other version may not read what stands with it")
  func binarySchemas() throws {
    try withVersions { folder in
      let made = try run(
        productsFolder.appending(path: "dflatc"),
        ["compile", "--emit", "bfbs", "-I", "o", "-o", "o/out", "o/p/m.fbs"], in: folder)
      #expect(made.status == 0, "\(made.error)")
      let own = try check(["-I", "n", "o/out/m.bfbs", "n/p/m.fbs"], in: folder)
      #expect(own.status == 1 && own.error.contains("error[enum-value]"), "\(own.error)")
      let other = try check(["-I", "o", "o/out/m.bfbs", "n/p/m.fbs"], in: folder)
      #expect(other.status == 2 && other.error.hasPrefix("error: NEW would read o/q/t.fbs"), "\(other.error)")
    }
  }

  @Test("A path that leaves the repository and comes back to it is read from the commit, too")
  func repositories() throws {
    try withFolder { folder in
      try write(["repo/p/m.fbs": main, "repo/q/t.fbs": before, "vendor/q/t.fbs": before], in: folder)
      let repository = folder.appending(path: "repo")
      func git(_ arguments: String...) throws {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
        let result = try run(URL(fileURLWithPath: "/usr/bin/env"), ["git"] + identity + arguments, in: repository)
        #expect(result.status == 0, "\(result.error)")
      }
      try git("init", "-q")
      try git("add", ".")
      try git("commit", "-qm", "one")
      try write(["repo/q/t.fbs": after], in: folder)
      try git("add", ".")
      try link("link", to: "repo", in: folder)
      for include in [".", "../repo", "../link", folder.path + "/link", "../vendor/../repo"] {
        for more in [[], ["--staged"]] {
          let result = try check(more + ["-I", include, "--against", "git:HEAD", "p/m.fbs"], in: repository)
          #expect(result.status == 1, "-I \(include) \(more): \(result.error)")
        }
      }
      let vendor = try check(["-I", "../vendor", "--against", "git:HEAD", "p/m.fbs"], in: repository)
      #expect(vendor.status == 0, "\(vendor.error)")
    }
  }
}
