import Foundation
import TestSupport
import Testing

/// What is asked of `dflatc check`: one file or many, of one app or of several, makes no harm pass.
@Suite("dflatc check of many files")
struct CheckModulesTests {
  /// Writes files, with their folders.
  private func write(_ files: [String: String], in folder: URL) throws {
    for (name, text) in files {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
  }

  private func git(_ arguments: String..., in folder: URL) throws {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    let result = try run(URL(fileURLWithPath: "/usr/bin/env"), ["git"] + identity + arguments, in: folder)
    #expect(result.status == 0, "\(result.error)")
  }

  /// Two apps that know nothing of one another, and define the same names.
  private let apps = [
    "a/color.fbs": "enum Color: byte { red, green }\n",
    "a/post.fbs": "include \"color.fbs\";\ntable Post { id: string (primary); color: Color; }\nroot_type Post;\n",
    "b/color.fbs": "enum Color: byte { blue, black }\n",
    "b/post.fbs": "include \"color.fbs\";\ntable Post { id: int (primary); colors: [Color]; }\nroot_type Post;\n",
    "c/note.fbs": "table Note { id: string (primary); }\nroot_type Note;\n",
  ]

  private func apps(_ changes: [String: String?]) -> [String: String] {
    apps.merging(changes.mapValues { $0 ?? "" }) { $1 }.filter { !$0.value.isEmpty }
  }

  private func check(_ changes: [String: String?]) throws -> ProcessResult {
    try withFolder { folder in
      try write(Dictionary(uniqueKeysWithValues: apps.map { ("old/\($0)", $1) }), in: folder)
      try write(Dictionary(uniqueKeysWithValues: apps(changes).map { ("new/\($0)", $1) }), in: folder)
      return try dflatc("check", "old", "new", in: folder)
    }
  }

  @Test("A library that breaks is stopped, whether or not its file has a root")
  func library() throws {
    try withFolder { folder in
      for root in ["", "table Root { x: int; }\nroot_type Root;\n"] {
        for (old, new, rule) in [
          ("struct Buffer { offset: long; length: long; }\n", "struct Buffer { offset: long; }\n", "struct-layout"),
          ("enum Kind: short { none, some }\n", "enum Kind: short { some, none }\n", "enum-value"),
        ] {
          try write(["old.fbs": old + root, "new.fbs": new + root], in: folder)
          let result = try dflatc("check", "old.fbs", "new.fbs", in: folder)
          #expect(result.status == 1 && result.error.contains("error[\(rule)]"), "\(result.error)")
        }
      }
    }
  }

  @Test("Folders of apps that define the same names are checked, each app for itself")
  func independentModules() throws {
    let same = try check([:])
    #expect(same.status == 0 && same.error.isEmpty, "\(same.error)")
    let added = try check(["a/color.fbs": "enum Color: byte { red, green, blue }\n"])
    #expect(added.status == 0 && added.error.contains("new/a/color.fbs"), "\(added.error)")
    #expect(!added.error.contains("b/color.fbs"))
    let broken = try check(["b/color.fbs": "enum Color: byte { black, blue }\n"])
    #expect(broken.status == 1 && broken.error.contains("--> new/b/color.fbs"), "\(broken.error)")
    #expect(broken.error.contains("::: old/b/color.fbs") && !broken.error.contains("a/color.fbs"))
  }

  @Test("An app of a folder may go, be renamed, or come, and the others are checked for themselves")
  func modulesThatComeAndGo() throws {
    let gone = try check(["b/color.fbs": nil, "b/post.fbs": nil])
    #expect(gone.status == 1 && gone.error.contains("error[root-type]"), "\(gone.error)")
    let renamed = try check([
      "b/color.fbs": nil, "b/post.fbs": nil, "d/color.fbs": apps["b/color.fbs"], "d/post.fbs": apps["b/post.fbs"],
    ])
    #expect(renamed.status == 0 && renamed.error.isEmpty, "\(renamed.error)")
    let came = try check(["d/color.fbs": "enum Color: byte { white }\n"])
    #expect(came.status == 0 && came.error.isEmpty, "\(came.error)")
  }

  @Test("A file that includes two definitions of one name has an error, and the others are checked")
  func clash() throws {
    let result = try check([
      "d/both.fbs": "include \"../a/color.fbs\";\ninclude \"../b/color.fbs\";\ntable Both { x: int; }\n",
      "b/color.fbs": "enum Color: byte { black, blue }\n",
    ])
    #expect(result.status == 3 && result.error.contains("error[D0205]"), "\(result.error)")
    #expect(result.error.contains("error[enum-value]"), "\(result.error)")
  }

  @Test("With --against and --staged, apps that define the same names are checked each for itself")
  func againstGit() throws {
    try withFolder { folder in
      try write(apps, in: folder)
      try git("init", "-q", in: folder)
      try git("add", ".", in: folder)
      try git("commit", "-qm", "one", in: folder)
      #expect(try dflatc("check", "--against", "git:HEAD", ".", in: folder).status == 0)
      try write(["b/color.fbs": "enum Color: byte { black, blue }\n"], in: folder)
      let changed = try dflatc("check", "--against", "git:HEAD", ".", in: folder)
      #expect(changed.status == 1 && changed.error.contains("b/color.fbs"), "\(changed.error)")
      #expect(try dflatc("check", "--staged", "--against", "git:HEAD", ".", in: folder).status == 0)
      try git("add", ".", in: folder)
      let staged = try dflatc("check", "--staged", "--against", "git:HEAD", ".", in: folder)
      #expect(staged.status == 1 && staged.error.contains("error[enum-value]"), "\(staged.error)")
    }
  }

  @Test("NEW that does not parse reports its errors, and the other files are checked, in every format")
  func faultyFile() throws {
    try withFolder { folder in
      let post = "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"
      let note = "table Note { id: string (primary); text: string; }\nroot_type Note;\n"
      try write(["old/post.fbs": post, "old/note.fbs": note], in: folder)
      try write(
        ["new/post.fbs": post.replacing("int;", with: "long;"), "new/note.fbs": note.replacing("text:", with: "text")],
        in: folder)
      let text = try dflatc("check", "old", "new", in: folder)
      #expect(text.status == 3 && text.error.hasPrefix("error: NEW: a schema has errors\nerror[D"), "\(text.error)")
      #expect(text.error.contains("--> new/note.fbs") && text.error.contains("error[field-type]"), "\(text.error)")
      #expect(!text.error.contains("error[root-type]"), "\(text.error)")
      let json = try dflatc("check", "--format", "json", "old", "new", in: folder)
      let report = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      try checkAgainstSchema(report)
      #expect(json.status == 3 && report["compatible"] as? Bool == false)
      let fault = try #require((report["faults"] as? [[String: Any]])?.first)
      #expect(fault["version"] as? String == "new" && fault["file"] as? String == "new/note.fbs")
      #expect((report["findings"] as? [[String: Any]])?.map { $0["rule"] as? String } == ["field-type"])
      let sarif = try dflatc("check", "--format", "sarif", "old", "new", in: folder)
      let log = try #require(try JSONSerialization.jsonObject(with: Data(sarif.output.utf8)) as? [String: Any])
      #expect(sarif.status == 3 && SARIFRule.log.violations(in: log) == [])
      #expect((((log["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]]) ?? []).count == 2)
      let commands = try dflatc("check", "--format", "github", "old", "new", in: folder)
      #expect(commands.output.contains("file=new/note.fbs") && commands.output.contains("file=new/post.fbs"))
      // OLD is no different.
      let old = try dflatc("check", "new", "old", in: folder)
      #expect(old.status == 3 && old.error.hasPrefix("error: OLD: a schema has errors"), "\(old.error)")
      #expect(old.error.contains("error[field-type]"))
      // A file that includes the faulty one cannot be compared either.
      try write(["new/post.fbs": "include \"note.fbs\";\n" + post], in: folder)
      let including = try dflatc("check", "old", "new", in: folder)
      #expect(including.status == 3 && !including.error.contains("type-removed"), "\(including.error)")
    }
  }

  @Test("A type that moved to another file is found there, and judged; one that is gone is not")
  func movedTypes() throws {
    let both = "table A { x: int; }\ntable B { y: int; }\n"
    let first = "table A { x: int; }\n"
    try withFolder { folder in
      try write(["old/a.fbs": both, "new/a.fbs": first], in: folder)
      let gone = try dflatc("check", "old/a.fbs", "new/a.fbs", in: folder)
      #expect(gone.status == 1 && gone.error.contains("error[type-removed]"), "\(gone.error)")
      try write(["new/b.fbs": "table B { y: int; }\n"], in: folder)
      let moved = try dflatc("check", "old/a.fbs", "new/a.fbs", in: folder)
      #expect(moved.status == 0 && moved.error.isEmpty, "\(moved.error)")
      try write(["new/b.fbs": "table B { y: long; }\n"], in: folder)
      let changed = try dflatc("check", "old/a.fbs", "new/a.fbs", in: folder)
      #expect(changed.status == 1 && changed.error.contains("error[field-type]"), "\(changed.error)")
      #expect(changed.error.contains("--> new/b.fbs") && !changed.error.contains("type-removed"))
      // In another namespace, it is the same table still.
      try write(["new/b.fbs": "namespace N;\ntable B { y: int; }\n"], in: folder)
      let renamed = try dflatc("check", "old/a.fbs", "new/a.fbs", in: folder)
      #expect(renamed.status == 0 && renamed.error.contains("warning[type-renamed]"), "\(renamed.error)")
      // What had a type of that name before did not get it from there.
      try write(["old/b.fbs": "table B { y: long; }\n", "new/b.fbs": "table B { y: long; }\n"], in: folder)
      let copy = try dflatc("check", "old/a.fbs", "new/a.fbs", in: folder)
      #expect(copy.status == 1 && copy.error.contains("error[type-removed]"), "\(copy.error)")
    }
    // The file that it moved to has another table A, so that the two files are no schema together.
    try withFolder { folder in
      let kind = "enum Kind: byte { a, b }\ntable B { y: int; kind: Kind; }\n"
      try write(["old/a.fbs": "table A { x: int; }\n" + kind, "new/a.fbs": first], in: folder)
      try write(["new/b.fbs": "table A { other: string; }\n" + kind], in: folder)
      let moved = try dflatc("check", "old/a.fbs", "new/a.fbs", in: folder)
      #expect(moved.status == 0 && moved.error.isEmpty, "\(moved.error)")
      let other = "table A { other: string; }\nenum Kind: byte { b, a }\ntable B { y: long; kind: Kind; }\n"
      try write(["new/b.fbs": other], in: folder)
      for file in ["/a.fbs", ""] {
        let changed = try dflatc("check", "old" + file, "new" + file, in: folder)
        #expect(changed.status == 1 && changed.error.contains("error[field-type]"), "\(changed.error)")
        #expect(changed.error.contains("--> new/b.fbs:3:14") && changed.error.contains("error[enum-value]"))
        #expect(!changed.error.contains("type-removed") && !changed.error.contains("`A`"), "\(changed.error)")
      }
      // A file with mistakes is not judged, unless it is given.
      try write(["new/b.fbs": other + "table C { x: Missing; }\n"], in: folder)
      let faulty = try dflatc("check", "old/a.fbs", "new/a.fbs", in: folder)
      #expect(faulty.status == 0 && faulty.error.isEmpty, "\(faulty.error)")
    }
    // A root that moved takes its root_type along.
    try withFolder { folder in
      let rooted = "table A { id: string (primary); }\nroot_type A;\n"
      try write(["old/a.fbs": rooted + "enum E: byte { a }\n", "new/a.fbs": "enum E: byte { a }\n"], in: folder)
      #expect(try dflatc("check", "old/a.fbs", "new/a.fbs", in: folder).error.contains("error[root-type]"))
      try write(["new/b.fbs": rooted], in: folder)
      let moved = try dflatc("check", "old/a.fbs", "new/a.fbs", in: folder)
      #expect(moved.status == 0 && moved.error.isEmpty, "\(moved.error)")
    }
    try withFolder { folder in
      try write(["s/a.fbs": both], in: folder)
      try git("init", "-q", in: folder)
      try git("add", ".", in: folder)
      try git("commit", "-qm", "one", in: folder)
      try write(["s/a.fbs": first, "other/b.fbs": "table B { y: int; }\n"], in: folder)
      let moved = try dflatc("check", "--against", "git:HEAD", "s/a.fbs", in: folder)
      #expect(moved.status == 0 && moved.error.isEmpty, "\(moved.error)")
      // In the index there is no such file yet.
      try git("add", "s", in: folder)
      let staged = try dflatc("check", "--staged", "--against", "git:HEAD", "s/a.fbs", in: folder)
      #expect(staged.status == 1 && staged.error.contains("type-removed"), "\(staged.error)")
      try git("add", ".", in: folder)
      #expect(try dflatc("check", "--staged", "--against", "git:HEAD", "s/a.fbs", in: folder).status == 0)
    }
  }

  @Test("A root that moved to a file that clashes with its own must be a root there")
  func aRootThatMovedToAClashingFileMustBeARootThere() throws {
    try withFolder { folder in
      let (first, other) = ("table A { x: int; }\n", "table A { y: string; }\n")
      let table = "table T { id: string (primary); }\n"
      let last = "table B { id: string (primary); }\nroot_type B;\n"
      try write(["old/a/post.fbs": first + table + "root_type T;\n", "old/b/other.fbs": other + last], in: folder)
      try write(["new/a/post.fbs": first, "new/b/other.fbs": other + table + last], in: folder)
      let result = try dflatc("check", "old", "new", in: folder)
      #expect(result.status == 1 && result.error.contains("error[root-type]: `T` is no root"), "\(result.error)")
      #expect(result.error.contains("--> new/b/other.fbs:2:7\n") && !result.error.contains("`B`"), "\(result.error)")
      // A file of its own names it as its root.
      try write(["new/b/other.fbs": other + last, "new/c/t.fbs": other + table + "root_type T;\n"], in: folder)
      let moved = try dflatc("check", "old", "new", in: folder)
      #expect(moved.status == 0 && moved.error.isEmpty, "\(moved.error)")
    }
  }

  @Test("A moved table stays a root if a file that includes its new file names it as the root")
  func aMovedTableMayBeTheRootOfAFileThatIncludesIt() throws {
    try withFolder { folder in
      let (tag, otherTag) = ("table Tag { x: int; }\n", "table Tag { y: string; }\n")
      let table = "table Post { id: string (primary); }\n"
      let root = "include \"post_model.fbs\";\nroot_type Post;\n"
      try write(["old/app1/post.fbs": tag + table + "root_type Post;\n", "old/app2/tag.fbs": otherTag], in: folder)
      try write(
        [
          "new/app1/post.fbs": tag, "new/app2/tag.fbs": otherTag,
          "new/app2/post_model.fbs": "include \"tag.fbs\";\n" + table, "new/app2/post.fbs": root,
        ], in: folder)
      let moved = try dflatc("check", "old", "new", in: folder)
      #expect(moved.status == 0 && moved.error.isEmpty, "\(moved.error)")
      // The file must make this table its root.
      try write(["new/app2/post.fbs": root.replacing("root_type Post", with: "root_type Tag")], in: folder)
      let lost = try dflatc("check", "old", "new", in: folder)
      #expect(lost.status == 1 && lost.error.contains("error[root-type]: `Post` is no root"), "\(lost.error)")
    }
  }

  @Test("A root that is looked for from one file is found in a file beside it")
  func theRootOfOneFileMayBeNamedInAFileBesideIt() throws {
    try withFolder { folder in
      let table = "namespace A;\ntable Post { id: string (primary); }\n"
      try write(["post.fbs": table + "root_type Post;\n"], in: folder)
      try git("init", "-q", in: folder)
      try git("add", ".", in: folder)
      try git("commit", "-qm", "post", in: folder)
      try write(
        [
          "post.fbs": "table Rest { x: int; }\n", "model.fbs": table,
          "root.fbs": "include \"model.fbs\";\nroot_type A.Post;\n",
        ], in: folder)
      let moved = try dflatc("check", "--against", "git:HEAD", "post.fbs", in: folder)
      #expect(moved.status == 0 && moved.error.isEmpty, "\(moved.error)")
    }
  }

  @Test("A file that is no longer included takes no type away")
  func noLongerIncluded() throws {
    try withFolder { folder in
      let lib = "table B { y: int; }\nenum E: byte { a }\n"
      try write(["old/a.fbs": "include \"b.fbs\";\ntable A { x: int; }\n", "old/b.fbs": lib], in: folder)
      try write(["new/a.fbs": "table A { x: int; }\n"], in: folder)
      let result = try dflatc("check", "old/a.fbs", "new/a.fbs", in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      // The folder knows that the file itself is gone.
      let whole = try dflatc("check", "old", "new", in: folder)
      #expect(whole.status == 1 && whole.error.contains("error[type-removed]"), "\(whole.error)")
    }
  }

  @Test("A file of one of several apps includes the file of its own app, if each has one")
  func nearestInclude() throws {
    try withFolder { folder in
      let main = "include \"color.fbs\";\ntable Post { color: Color; }\nroot_type Post;\n"
      let files = [
        "a/color.fbs": "enum Color: byte { red, green }\n", "a/app/post.fbs": main,
        "b/color.fbs": "enum Color: byte { red, green }\n", "b/app/post.fbs": main,
      ]
      try write(Dictionary(uniqueKeysWithValues: files.map { ("old/\($0)", $1) }), in: folder)
      try write(Dictionary(uniqueKeysWithValues: files.map { ("new/\($0)", $1) }), in: folder)
      try write(["new/b/color.fbs": "enum Color: byte { green }\n"], in: folder)
      let result = try dflatc("check", "--format", "json", "old", "new", in: folder)
      let report = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      let findings = try #require(report["findings"] as? [[String: Any]])
      // It is data that shows it: the root of `b` holds the color of `b`.
      #expect(result.status == 1 && !findings.isEmpty)
      #expect(findings.allSatisfy { $0["evidence"] as? String == "data" }, "\(result.output)")
    }
  }

  @Test("Each version has include folders of its own; neither reads the other one's files by a common one")
  func includeFolders() throws {
    try withFolder { folder in
      let main = "include \"common.fbs\";\ntable Post { id: string (primary); c: Color; }\nroot_type Post;\n"
      try write(
        [
          "old/a/post.fbs": main, "old/inc/common.fbs": "enum Color: byte { red, green }\n",
          "new/a/post.fbs": main, "new/inc/common.fbs": "enum Color: byte { green, red }\n",
          "third/common.fbs": "enum Color: byte { red, green }\n",
        ], in: folder)
      let apart = try dflatc(
        "check", "--old-include", "old/inc", "--new-include", "new/inc", "old/a/post.fbs", "new/a/post.fbs", in: folder)
      #expect(apart.status == 1 && apart.error.contains("error[enum-value]"), "\(apart.error)")
      // They come before the common ones.
      let before = try dflatc(
        "check", "-I", "third", "--old-include", "old/inc", "--new-include", "new/inc", "old/a/post.fbs",
        "new/a/post.fbs", in: folder)
      #expect(before.status == 1, "\(before.error)")
      // A folder is searched before the common ones.
      let folders = try dflatc("check", "-I", "third", "-I", "new/inc", "old", "new", in: folder)
      #expect(folders.status != 0, "\(folders.error)")
      let third = try dflatc("check", "-I", "third", "old/a/post.fbs", "new/a/post.fbs", in: folder)
      #expect(third.status == 0 && third.error.isEmpty, "\(third.error)")
      // By -I, OLD would read what is NEW's, or the reverse.
      try FileManager.default.moveItem(
        at: folder.appending(path: "old/inc/common.fbs"), to: folder.appending(path: "old/a/common.fbs"))
      try write(["new/a/common.fbs": "enum Color: byte { green, red }\n"], in: folder)
      for (shared, reader) in [("old/a", "new/a"), ("new/a", "old/a")] {
        try FileManager.default.removeItem(at: folder.appending(path: "\(reader)/common.fbs"))
        let result = try dflatc("check", "-I", shared, "old/a/post.fbs", "new/a/post.fbs", in: folder)
        #expect(result.status == 2 && result.error.contains("both versions would read \(shared)/common.fbs"))
        #expect(result.error.contains("--old-include") && result.error.contains("--new-include"))
        // Who names the folder for that version means it.
        let option = reader == "new/a" ? "--new-include" : "--old-include"
        let meant = try dflatc("check", option, shared, "old/a/post.fbs", "new/a/post.fbs", in: folder)
        #expect(meant.status == 0, "\(meant.error)")
        try write(["\(reader)/common.fbs": "enum Color: byte { green, red }\n"], in: folder)
      }
    }
  }
}
