import Foundation
import TestSupport
import Testing

@Suite("--gen-all of dflatc check and dflatc lint")
struct GenAllCheckTests {
  private let project = [
    "all.fbs":
      "include \"attributes.fbs\";\ninclude \"types/post.fbs\";\ninclude \"types/tag.fbs\";\ntable All { x: int; }\nroot_type All;\n",
    "attributes.fbs": "attribute \"mark\";\n",
    "types/post.fbs": "table Post { title: string (mark); tag: Tag; }\n",
    "types/tag.fbs": "table Tag { name: string; count: int (mark); }\n",
  ]

  /// Writes two versions, in which the tag's count has another type.
  private func withVersions(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      for (name, text) in project {
        try folder.write(text, to: "old/\(name)")
        try folder.write(text.replacing("count: int", with: "count: long"), to: "new/\(name)")
      }
      try body(folder)
    }
  }

  @Test("check finds what changed in files that are only included, and that nothing in the entry file holds")
  func check() throws {
    try withVersions { folder in
      for sides in [["old/all.fbs", "new/all.fbs"], ["old", "new"]] {
        let result = try run(productsFolder.appending(path: "dflatc"), ["check", "--gen-all"] + sides, in: folder)
        #expect(result.status == 1, "\(result.error)")
        #expect(
          result.error.contains("error[field-type]: `count` was `int`, and is `long`\n --> new/types/tag.fbs:1:34"))
        #expect(result.error.hasSuffix("1 error: the new version may not replace the old one\n"), "\(result.error)")
      }
      // Without it, the entry file's includes are at most warned of, and a folder's files do not mean anything alone.
      let entry = try dflatc("check", "old/all.fbs", "new/all.fbs", in: folder)
      #expect(entry.status == 0, "\(entry.error)")
      #expect(try dflatc("check", "old", "new", in: folder).status == 3)
      let excluded = try dflatc(
        "check", "--gen-all", "--exclude", "types", "old/all.fbs", "new/all.fbs", in: folder)
      #expect(excluded.status == 0, "\(excluded.error)")
    }
  }

  @Test("check knows an included file as the same in a commit, in folders of includes and by another name")
  func git() throws {
    try withVersions { folder in
      let work = folder.appending(path: "new")
      func git(_ arguments: String...) throws {
        let result = try run(
          URL(fileURLWithPath: "/usr/bin/env"), ["git", "-c", "user.name=T", "-c", "user.email=t@t"] + arguments,
          in: work)
        try #require(result.status == 0, "\(result.error)")
      }
      for (name, text) in project { try work.write(text, to: name) }
      try git("init", "-q")
      try git("add", ".")
      try git("commit", "-q", "-m", "old")
      try work.write(
        "file_identifier \"ABCD\";\ntable Tag { name: string; count: int (mark); }\nroot_type Tag;\n",
        to: "types/label.fbs")
      try FileManager.default.removeItem(at: work.appending(path: "types/tag.fbs"))
      try work.write((project["all.fbs"] ?? "").replacing("tag.fbs", with: "label.fbs"), to: "all.fbs")
      // A file identifier belongs to a file: it is new in that one only if the files are known to be the same.
      let unknown = try dflatc("check", "--gen-all", "--against", "git:HEAD", "all.fbs", in: work)
      #expect(!unknown.error.contains("file-identifier"), "\(unknown.error)")
      let renamed = try dflatc(
        "check", "--gen-all", "--against", "git:HEAD", "--rename", "types/tag.fbs=types/label.fbs", "all.fbs", in: work)
      #expect(renamed.error.contains("[file-identifier]: a file identifier was added"), "\(renamed.error)")
    }
    try withFolder { folder in
      // No root, by whose name the files would be known.
      for (side, identifier) in [("old", "AAAA"), ("new", "BBBB")] {
        try folder.write(
          "include \"tag.fbs\";\ninclude \"../up.fbs\";\ntable Post { tag: Tag; up: Up; }\n", to: "\(side)/app/post.fbs"
        )
        try folder.write("file_identifier \"\(identifier)\";\ntable Tag { x: int; }\n", to: "\(side)/inc/tag.fbs")
        try folder.write("file_identifier \"\(identifier)\";\ntable Up { x: int; }\n", to: "\(side)/up.fbs")
      }
      for version in ["app/post.fbs", "app"] {
        let result = try dflatc(
          "check", "--gen-all", "--old-include", "old/inc", "--new-include", "new/inc", "old/\(version)",
          "new/\(version)",
          in: folder)
        for file in ["new/inc/tag.fbs", "new/app/../up.fbs"] {
          #expect(
            result.error.contains("the file identifier was \"AAAA\", and is \"BBBB\"\n --> \(file):1:17"),
            "\(result.error)")
        }
      }
    }
  }

  @Test("Included files of the same path in two folders are told apart")
  func samePathInTwoFolders() throws {
    try withFolder { folder in
      for side in ["old", "new"] {
        // No root, by whose name the files would be known.
        try folder.write(
          "include \"common.fbs\";\ninclude \"other.fbs\";\ntable Post { c: Common; o: Other; }\n",
          to: "\(side)/app/post.fbs")
        try folder.write("file_identifier \"AAAA\";\ntable Common { x: int; }\n", to: "\(side)/inc-a/common.fbs")
        try folder.write("file_identifier \"BBBB\";\ntable Deep { x: int; }\n", to: "\(side)/inc-b/common.fbs")
        try folder.write("include \"common.fbs\";\ntable Other { d: Deep; }\n", to: "\(side)/inc-b/other.fbs")
      }
      func check(_ version: String) throws -> ProcessResult {
        try dflatc(
          "check", "--gen-all", "--old-include", "old/inc-a", "--old-include", "old/inc-b", "--new-include",
          "new/inc-a", "--new-include", "new/inc-b", "old/\(version)", "new/\(version)", in: folder)
      }
      for version in ["app/post.fbs", "app"] {
        let same = try check(version)
        #expect(same.status == 0 && !same.error.contains("identifier"), "\(version): \(same.error)")
      }
      // In another order, they are the same files.
      try folder.write(
        "include \"other.fbs\";\ninclude \"common.fbs\";\ntable Post { c: Common; o: Other; }\n",
        to: "new/app/post.fbs")
      try folder.write("file_identifier \"CCCC\";\ntable Deep { x: int; }\n", to: "new/inc-b/common.fbs")
      for version in ["app/post.fbs", "app"] {
        let result = try check(version)
        #expect(
          result.error.contains("the file identifier was \"BBBB\", and is \"CCCC\"\n --> new/inc-b/common.fbs:1:17"),
          "\(version): \(result.error)")
        #expect(!result.error.contains("AAAA"), "\(version): \(result.error)")
      }
    }
  }

  @Test("An included file that both versions would read is still refused")
  func sharedFile() throws {
    try withVersions { folder in
      try folder.write("include \"types/tag.fbs\";\ntable P { t: Tag; }\n", to: "old/p.fbs")
      try folder.write("include \"../old/types/tag.fbs\";\ntable P { t: Tag; }\n", to: "new/p.fbs")
      try folder.write("table Tag { name: string; }\n", to: "old/types/tag.fbs")
      for more in [[], ["--gen-all"]] {
        let result = try run(
          productsFolder.appending(path: "dflatc"), ["check"] + more + ["old/p.fbs", "new/p.fbs"], in: folder)
        #expect(result.status == 2 && result.error.contains("both versions would read"), "\(result.error)")
      }
    }
  }

  @Test("An error in an included file is reported, and names the entry file")
  func faults() throws {
    try withVersions { folder in
      try folder.write("table Tag { name: strin; }\n", to: "new/types/tag.fbs")
      let result = try dflatc("check", "--gen-all", "old/all.fbs", "new/all.fbs", in: folder)
      #expect(result.status == 3)
      #expect(result.error.hasPrefix("error: NEW: new/all.fbs has errors\n"), "\(result.error)")
      #expect(result.error.contains("new/types/tag.fbs:1:19"), "\(result.error)")
    }
  }

  @Test("lint finds what is in included files, and takes no include away that they lean on")
  func lint() throws {
    try withFolder { folder in
      for (name, text) in project { try folder.write(text, to: name) }
      try folder.write("table Tag { tagName: string; count: int (mark); }\n", to: "types/tag.fbs")
      #expect(try dflatc("lint", "types/tag.fbs", in: folder).status == 1)
      for inputs in ["all.fbs", "."] {
        let result = try dflatc("lint", "--gen-all", "--fix", inputs, in: folder)
        #expect(result.status == 1)
        #expect(result.error.hasSuffix("\n1 warning\n"), "\(result.error)")
        #expect(result.error.contains("[field-case]: the field `tagName`"), "\(result.error)")
      }
      let excluded = try dflatc("lint", "--gen-all", "--exclude", "types", "all.fbs", in: folder)
      #expect(excluded.status == 0 && excluded.error.isEmpty, "\(excluded.error)")
    }
  }

  @Test("lint still takes an include away that another makes needless")
  func needlessInclude() throws {
    try withFolder { folder in
      try folder.write("include \"a.fbs\";\ninclude \"b.fbs\";\ntable All { a: A; }\n", to: "all.fbs")
      try folder.write("include \"b.fbs\";\ntable A { b: B; }\n", to: "a.fbs")
      try folder.write("include \"unused.fbs\";\ntable B { x: int; }\n", to: "b.fbs")
      try folder.write("table Unused { x: int; }\n", to: "unused.fbs")
      let result = try dflatc("lint", "--gen-all", "all.fbs", in: folder)
      #expect(
        result.status == 0 && result.error.isEmpty, "b.fbs is used, and unused.fbs has no other way in: \(result.error)"
      )
      try folder.write("include \"b.fbs\";\ninclude \"unused.fbs\";\ntable A { b: B; u: Unused; }\n", to: "a.fbs")
      let more = try dflatc("lint", "--gen-all", "all.fbs", in: folder)
      #expect(more.error.isEmpty, "a file that is linted with it uses it: \(more.error)")
      try folder.write("include \"unused.fbs\";\n", to: "c.fbs")
      try folder.write(
        "include \"a.fbs\";\ninclude \"b.fbs\";\ninclude \"c.fbs\";\ntable All { a: A; }\n", to: "all.fbs")
      try folder.write("include \"b.fbs\";\ntable A { b: B; }\n", to: "a.fbs")
      let needless = try dflatc("lint", "--gen-all", "all.fbs", in: folder)
      #expect(
        needless.error.contains("b.fbs:1:9") && needless.error.contains("nothing of unused.fbs is used"),
        "\(needless.error)")
    }
  }
}
