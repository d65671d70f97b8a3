import Foundation
import TestSupport
import Testing

@Suite("Baselines")
struct BaselineTests {
  @Test("A baseline of lint lets its findings through, and no others")
  func aBaselineOfLintLetsItsFindingsThroughAndNoOthers() throws {
    try withFolder { folder in
      try folder.write("table blog_post {\n  likeCount: int;\n}\n", to: "s/post.fbs")
      let written = try dflatc("lint", "--write-baseline", "base.json", "s", in: folder)
      #expect(written.status == 0 && written.error == "note: 2 findings written to base.json\n", "\(written.error)")
      let known = try dflatc("lint", "--baseline", "base.json", "s", in: folder)
      #expect(known.status == 0 && known.error.isEmpty && known.output.isEmpty, "\(known.error)")
      // Findings may move within the file.
      try folder.write("// A comment.\ntable blog_post {\n  likeCount: int;\n  editCount: int;\n}\n", to: "s/post.fbs")
      let more = try dflatc("lint", "--format", "line", "--baseline", "base.json", "s", in: folder)
      #expect(more.status == 1 && more.output.hasPrefix("s/post.fbs:4:3: warning: the field `editCount`"))
      #expect(more.output.split(separator: "\n").count == 1, "\(more.output)")
      // Errors are no findings.
      try folder.write("table", to: "s/post.fbs")
      #expect(try dflatc("lint", "--baseline", "base.json", "s", in: folder).status == 1)
      #expect(try dflatc("lint", "--write-baseline", "other.json", "s", in: folder).status == 1)
      #expect(try folder.names() == ["base.json", "s"])
      #expect(try dflatc("lint", "--baseline", "none.json", "s", in: folder).status == 3)
      try folder.write("{}", to: "wrong.json")
      #expect(try dflatc("lint", "--baseline", "wrong.json", "s", in: folder).status == 2)
    }
  }

  @Test("Entries that are not found any more are counted in one line, if their files were read")
  func goneEntriesAreCountedInALine() throws {
    try withFolder { folder in
      try folder.write("table blog_post { likeCount: int; }\n", to: "s/post.fbs")
      try folder.write("table one_note { x: int; }\n", to: "s/note.fbs")
      _ = try dflatc("lint", "--write-baseline", "base.json", "s", in: folder)
      try folder.write("table BlogPost { like_count: int; }\n", to: "s/post.fbs")
      let result = try dflatc("lint", "--baseline", "base.json", "s", in: folder)
      #expect(result.status == 0)
      #expect(
        result.error == """
          note: 2 findings of base.json are not found any more: when nothing else is found, --write-baseline base.json writes it anew

          """)
      // Programs read what is found; of other files nothing is known.
      #expect(try dflatc("lint", "--format", "json", "--baseline", "base.json", "s", in: folder).error.isEmpty)
      #expect(try dflatc("lint", "--baseline", "base.json", "s/note.fbs", in: folder).error.isEmpty)
      #expect(try dflatc("lint", "--baseline", "base.json", "--exclude", "x", "s", in: folder).error.isEmpty)
      _ = try dflatc("lint", "--write-baseline", "base.json", "s", in: folder)
      #expect(try dflatc("lint", "--baseline", "base.json", "s", in: folder).error.isEmpty)
    }
  }

  @Test("A baseline of check counts as found what --level leaves out")
  func whatALevelLeavesOutIsFound() throws {
    try withFolder { folder in
      try folder.write("table Post { id: string (primary); likes: int; }\nroot_type Post;\n", to: "old/post.fbs")
      try folder.write("table Post { id: string (primary); like_count: int; }\nroot_type Post;\n", to: "new/post.fbs")
      _ = try dflatc("check", "--write-baseline", "base.json", "old", "new", in: folder)
      for level in ["storage", "source"] {
        let result = try dflatc("check", "--level", level, "--baseline", "base.json", "old", "new", in: folder)
        #expect(result.status == 0 && result.error.isEmpty, "\(level): \(result.error)")
      }
      let gone = try dflatc("check", "--baseline", "base.json", "old", "old", in: folder)
      #expect(gone.error.isEmpty, "\(gone.error)")
      try folder.write("table Post { id: string (primary); likes: int; }\nroot_type Post;\n", to: "new/post.fbs")
      let mended = try dflatc("check", "--baseline", "base.json", "old", "new", in: folder)
      #expect(mended.status == 0 && mended.error.contains("note: 1 finding of base.json is not found any more"))
    }
  }

  @Test("check and lint may share a file: each writes and judges its own entries")
  func bothCommandsMayShareAFile() throws {
    try withFolder { folder in
      try folder.write("table blog_post { id: string (primary); n: int; }\nroot_type blog_post;\n", to: "old/post.fbs")
      try folder.write("table blog_post { id: string (primary); n: long; }\nroot_type blog_post;\n", to: "new/post.fbs")
      _ = try dflatc("check", "--write-baseline", "base.json", "old", "new", in: folder)
      let written = try dflatc("lint", "--write-baseline", "base.json", "new", in: folder)
      #expect(written.error == "note: 1 finding written to base.json, beside 1 of another command\n")
      let checked = try dflatc("check", "--baseline", "base.json", "old", "new", in: folder)
      #expect(checked.status == 0 && checked.error.isEmpty, "\(checked.error)")
      let linted = try dflatc("lint", "--baseline", "base.json", "new", in: folder)
      #expect(linted.status == 0 && linted.error.isEmpty, "\(linted.error)")
    }
  }

  @Test("A baseline knows a file however the file is named or included")
  func aBaselineKnowsAFileByEachOfItsPaths() throws {
    try withFolder { folder in
      for (side, type) in [("old", "int"), ("new", "long")] {
        try folder.write("include \"../c/c.fbs\";\ntable Post { c: C; }\n", to: "\(side)/s/post.fbs")
        try folder.write("table C { x: \(type); }\n", to: "\(side)/c/c.fbs")
      }
      // The current folder as the program sees it: where temporary files are behind a link, `folder` has another path.
      let current = try run(URL(fileURLWithPath: "/bin/pwd"), ["-P"], in: folder).output
        .trimmingCharacters(in: .newlines)
      let files = [
        ["old/s/post.fbs", "new/s/post.fbs"], ["old/c/c.fbs", "new/c/c.fbs"],
        ["old/c/c.fbs", current + "/new/c/c.fbs"],
      ]
      let program = productsFolder.appending(path: "dflatc")
      var texts: Set<String> = []
      for (number, sides) in files.enumerated() {
        let base = "base\(number).json"
        #expect(try run(program, ["check", "--write-baseline", base] + sides, in: folder).status == 0)
        texts.insert(try String(contentsOf: folder.appending(path: base), encoding: .utf8))
        for others in files {
          let known = try run(program, ["check", "--baseline", base] + others, in: folder)
          #expect(known.status == 0 && known.error.isEmpty, "\(sides) \(others): \(known.error)")
        }
      }
      #expect(texts.count == 1 && texts.first?.contains("\"path\": \"new/c/c.fbs\"") == true, "\(texts)")
    }
  }

  @Test("A baseline that --conform writes has the findings of all files")
  func aBaselineOfConformHasTheFindingsOfAllFiles() throws {
    try withFolder { folder in
      let base = "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"
      try folder.write(base, to: "base.fbs")
      try folder.write(base.replacing("likes: int", with: "likes: long"), to: "a.fbs")
      try folder.write(base.replacing("likes: int", with: "stars: int"), to: "b.fbs")
      let arguments = ["check", "--conform", "base.fbs", "a.fbs", "b.fbs"]
      let program = productsFolder.appending(path: "dflatc")
      let written = try run(program, arguments + ["--write-baseline", "base.json"], in: folder)
      #expect(written.status == 0 && written.error == "note: 2 findings written to base.json\n", "\(written.error)")
      let known = try run(program, arguments + ["--baseline", "base.json"], in: folder)
      #expect(known.status == 0 && known.error.isEmpty, "\(known.error)")
      // Of a file with errors nothing is known, and the others do not replace what was written.
      try folder.write("table", to: "b.fbs")
      #expect(try run(program, arguments + ["--write-baseline", "other.json"], in: folder).status == 3)
      #expect(try folder.names() == ["a.fbs", "b.fbs", "base.fbs", "base.json"])
    }
  }

  @Test("A baseline that cannot be read is not written anew, since it may have entries of the other command")
  func unreadableFilesStay() throws {
    try withFolder { folder in
      try folder.write("table blog_post { n: int; }\n", to: "s/post.fbs")
      try folder.write("", to: "base.json/file")
      let result = try dflatc("lint", "--write-baseline", "base.json", "s", in: folder)
      #expect(result.status == 3)
      #expect(result.error.hasPrefix("error: cannot read base.json, which is written anew: "), "\(result.error)")
    }
  }
}
