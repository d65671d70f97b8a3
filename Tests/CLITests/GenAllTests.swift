import Foundation
import TestSupport
import Testing

@Suite("--gen-all of dflatc compile")
struct GenAllTests {
  /// Projects whose files cannot be compiled one by one, with what `-I` they need. The entry file is `all.fbs`.
  struct Layout: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let files: [String: String]
    var includePaths: [String] = []
    /// The stems of all outputs, but for namespaces.
    let stems: [String]
    /// A word of the Swift for each type.
    let types: [String]
  }

  static let layouts = [
    Layout(
      testDescription: "attributes that only the entry file's first include declares",
      files: [
        "all.fbs":
          "include \"attributes.fbs\";\ninclude \"types/post.fbs\";\ntable All { post: Post; }\nroot_type All;\n",
        "attributes.fbs": "attribute \"mark\";\nattribute \"derive\";\n",
        "types/post.fbs":
          "enum Kind: byte { A, B }\ntable Post (derive: \"Eq\") { title: string (mark); kind: Kind; }\n",
      ], stems: ["all", "attributes", "post"], types: ["AllReader", "PostReader", "KindValue"]),
    Layout(
      testDescription: "files that include each other, and whose umbrella defines nothing",
      files: [
        "all.fbs": "include \"a.fbs\";\ninclude \"b.fbs\";\n",
        "a.fbs": "include \"b.fbs\";\ntable A { b: B; }\n",
        "b.fbs": "include \"a.fbs\";\ntable B { a: [A]; c: C; }\nunion U { A, B }\ntable C { u: U; }\n",
      ], stems: ["a", "all", "b"], types: ["AReader", "BReader", "CReader", "UReader"]),
    Layout(
      testDescription: "a diamond with equal file names, and names of a sibling and of the entry file",
      files: [
        "all.fbs": "include \"left/types.fbs\";\ninclude \"right/types.fbs\";\ntable Top { l: Left; r: Right; }\n",
        "base.fbs": "struct Point { x: float; y: float; }\n",
        "left/types.fbs": "include \"../base.fbs\";\ntable Left { p: Point; r: Right; }\n",
        "right/types.fbs": "include \"../base.fbs\";\ntable Right { p: Point; l: [Left]; top: Top; }\n",
      ], stems: ["all", "base", "left_types", "right_types"],
      types: ["TopReader", "PointReader", "LeftReader", "RightReader"]),
    Layout(
      testDescription: "namespaces across files, found by -I, outside of the entry file's folder",
      files: [
        "all.fbs":
          "include \"shop/order.fbs\";\ninclude \"shop/money.fbs\";\nnamespace Shop;\ntable Index { o: Order; }\n",
        "vendor/shop/order.fbs": "namespace Shop;\ntable Order { sum: Shop.Base.Money; lines: [Line]; }\n",
        "vendor/shop/money.fbs":
          "namespace Shop.Base;\nstruct Money { cents: long; }\nnamespace Shop;\ntable Line { m: Base.Money; }\n",
      ], includePaths: ["vendor"], stems: ["all", "money", "order"],
      types: ["IndexReader", "OrderReader", "MoneyReader", "LineReader"]),
  ]

  @Test("The configuration of an included file vendors no other one, in whatever order they are looked at")
  func configurationsOfIncludedFiles() throws {
    try withFolder { folder in
      let names = (0..<8).map { "c\($0)" }
      let includes = names.map { "include \"../third/\($0).fbs\";\n" }.joined()
      try folder.write("include \"lib/b.fbs\";\ntable App { b: B; }\n", to: "app.fbs")
      try folder.write(includes + "table B { c: C0; }\n", to: "lib/b.fbs")
      try folder.write(#"{ "vendored": ["third"] }"#, to: "lib/.dflatc.json")
      for name in names { try folder.write("table \(name.uppercased()) { x: int; }\n", to: "third/\(name).fbs") }
      // The order is that of a dictionary, which is another one in each run.
      for output in ["first", "second", "third"].map({ "out/" + $0 }) {
        let result = try dflatc("compile", "--gen-all", "--emit", "accessors", "-o", output, "app.fbs", in: folder)
        #expect(result.status == 0, "\(result.error)")
        let written = try folder.appending(path: output).names()
        #expect(names.allSatisfy { written.contains("\($0)_generated.swift") }, "\(written)")
      }
    }
  }

  private func write(_ layout: Layout, to folder: URL) throws {
    for (name, text) in layout.files { try folder.write(text, to: name) }
  }

  private func compile(_ arguments: [String], in folder: URL) throws -> ProcessResult {
    try run(
      productsFolder.appending(path: "dflatc"), ["compile", "-o", "out", "--emit", "accessors"] + arguments, in: folder)
  }

  @Test("One run from the entry file writes Swift that compiles, of all that flatc generates", arguments: layouts)
  func projects(layout: Layout) throws {
    try withFolder { folder in
      try write(layout, to: folder)
      let includes = layout.includePaths.flatMap { ["-I", $0] }
      let flatc = try run(
        URL(fileURLWithPath: "/usr/bin/env"), ["flatc", "--cpp", "--gen-all", "-o", "cpp"] + includes + ["all.fbs"],
        in: folder)
      #expect(flatc.status == 0, "\(flatc.output) \(flatc.error)")
      let result = try compile(["--gen-all", "all.fbs"] + includes, in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      let out = folder.appending(path: "out")
      let names = try out.names()
      #expect(
        names.filter { !$0.hasSuffix("_namespace_generated.swift") } == layout.stems.map { $0 + "_generated.swift" })
      let swift = try names.map { try String(contentsOf: out.appending(path: $0), encoding: .utf8) }.joined()
      for type in layout.types {
        #expect(swift.contains("public struct \(type)") || swift.contains("public enum \(type)"), "\(type)")
      }
      let checked = try typecheck(names, in: out)
      #expect(checked.status == 0, "\(checked.error.prefix(2000))")
      // Without it, the entry file alone is compiled, and no file that leans on it can be.
      let alone = layout.files.keys.filter { $0 != "all.fbs" }.sorted()
      #expect(try alone.contains { try compile([$0] + includes, in: folder).status == 1 } || layout.stems.contains("a"))
    }
  }

  @Test(
    "Inputs that an entry file leads to mean what it makes of them, in whatever order they are named",
    arguments: layouts)
  func folders(layout: Layout) throws {
    try withFolder { folder in
      try write(layout, to: folder)
      let includes = layout.includePaths.flatMap { ["-I", $0] }
      let paths = layout.files.keys.sorted()
      for inputs in [["."], paths, paths.reversed()] {
        let result = try compile(["--gen-all"] + inputs + includes, in: folder)
        #expect(result.status == 0 && result.error.isEmpty, "\(inputs): \(result.error)")
      }
    }
  }

  private let project = [
    "Schemas/all.fbs": "include \"attributes.fbs\";\ninclude \"own/post.fbs\";\ninclude \"third_party/tag.fbs\";\n",
    "Schemas/attributes.fbs": "attribute \"mark\";\n",
    "Schemas/own/post.fbs": "table Post { title: string (primary, mark); tag: Tag; }\nroot_type Post;\n",
    "Schemas/third_party/tag.fbs": "table Tag { name: string (mark); }\n",
  ]

  private func withProject(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      for (name, text) in project { try folder.write(text, to: name) }
      try body(folder)
    }
  }

  @Test("--gen-all writes the outputs of each file below --root, and the depfile lists them")
  func outputs() throws {
    try withProject { folder in
      let out = folder.appending(path: "out")
      let result = try compile(
        ["--gen-all", "--root", "Schemas", "--depfile", "d", "--stamp", "s", "Schemas/all.fbs"], in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      #expect(
        try out.names() == [
          "all_generated.swift", "attributes_generated.swift", "own_post_generated.swift",
          "third_party_tag_generated.swift",
        ])
      let dependencies = try String(contentsOf: folder.appending(path: "d"), encoding: .utf8)
      #expect(dependencies.hasPrefix("s: \\\n  Schemas/all.fbs \\\n  Schemas/attributes.fbs \\\n"))
      #expect(dependencies.contains("\nSchemas/own/post.fbs:\n"))
      #expect(!dependencies.contains("\nSchemas/all.fbs:\n"))
      let same = try compile(["--gen-all", "--root", "Schemas", "--diff", "Schemas"], in: folder)
      #expect(same.status == 0 && same.output.isEmpty && same.error.isEmpty, "\(same)")
      // An include that is gone takes its output along.
      try folder.write("include \"attributes.fbs\";\ntable All { x: int (mark); }\n", to: "Schemas/all.fbs")
      #expect(try compile(["--gen-all", "--root", "Schemas", "--clean", "Schemas/all.fbs"], in: folder).status == 0)
      #expect(try out.names() == ["all_generated.swift", "attributes_generated.swift"])
      let outside = try compile(["--gen-all", "--root", "Schemas/own", "Schemas/own/post.fbs"], in: folder)
      #expect(outside.status == 1)
    }
  }

  @Test("An included file outside of --root is called by its path below a folder of -I, or refused with what to do")
  func outsideOfRoot() throws {
    try withFolder { folder in
      try folder.write("include \"../common/deep/tag.fbs\";\ntable Post { tag: Tag; }\n", to: "app/post.fbs")
      try folder.write("table Tag { name: string; }\n", to: "common/deep/tag.fbs")
      let arguments = ["--gen-all", "--root", "app", "app/post.fbs"]
      let result = try compile(arguments, in: folder)
      #expect(result.status == 2)
      #expect(result.error.contains("tag.fbs is not below app, which --root names."), "\(result.error)")
      #expect(result.error.contains("name a folder around it with -I"), "\(result.error)")
      #expect(try compile(arguments + ["-I", "common"], in: folder).status == 0)
      let out = folder.appending(path: "out")
      #expect(try out.names() == ["deep_tag_generated.swift", "post_generated.swift"])
      #expect(try compile(arguments + ["--exclude", "common", "--clean"], in: folder).status == 0)
      #expect(try out.names() == ["post_generated.swift"])
      // A file that is named has to be below it.
      #expect(try compile(arguments + ["-I", "common", "common/deep/tag.fbs"], in: folder).status == 2)
    }
  }

  @Test(
    "--exclude and --compiled leave included files out, and the former is noted",
    arguments: [
      "Schemas/third_party", "./Schemas/third_party/", "third_party", "tag.fbs", "Schemas/third_party/tag.fbs",
    ])
  func exclusion(excluded: String) throws {
    try withProject { folder in
      let expected = ["all_generated.swift", "attributes_generated.swift", "post_generated.swift"]
      let result = try compile(["--gen-all", "--exclude", excluded, "Schemas/all.fbs"], in: folder)
      #expect(result.status == 0)
      #expect(result.error.hasPrefix("note[D0310]: the generated code needs `Tag` of Schemas/third_party/tag.fbs"))
      #expect(!result.error.contains("--gen-all"), "\(result.error)")
      #expect(try folder.appending(path: "out").names() == expected)
      let compiled = try compile(
        ["--gen-all", "--clean", "--compiled", "Schemas/third_party/tag.fbs", "Schemas/all.fbs"], in: folder)
      #expect(compiled.status == 0 && compiled.error.isEmpty, "\(compiled.error)")
      #expect(try folder.appending(path: "out").names() == expected)
      // The folders above those that are named have names of their own.
      let above = try compile(
        ["--gen-all", "--exclude", folder.lastPathComponent, folder.appending(path: "Schemas/all.fbs").path], in: folder
      )
      #expect(above.status == 0 && above.error.isEmpty, "\(above.error)")
      #expect(try folder.appending(path: "out").names().contains("tag_generated.swift"))
    }
  }

  @Test("Without --gen-all, errors name the missing includes, and a note advises --gen-all")
  func notes() throws {
    try withProject { folder in
      let folderRun = try compile(["Schemas"], in: folder)
      #expect(folderRun.status == 1)
      #expect(folderRun.error.contains("`mark` is declared in a file that this file does not include"))
      #expect(
        folderRun.error.contains("`Tag` is defined in Schemas/third_party/tag.fbs, which this file does not include"))
      #expect(
        folderRun.error.contains(
          "note: Schemas/all.fbs includes both: `--gen-all` lets an included file use what those that include it bring")
      )
      try folder.write("include \"third_party/tag.fbs\";\ntable A { t: Tag; }\n", to: "Schemas/a.fbs")
      try folder.write("table Tag { name: string; }\n", to: "Schemas/third_party/tag.fbs")
      let entry = try compile(["Schemas/a.fbs"], in: folder)
      #expect(entry.status == 0)
      #expect(entry.error.contains("or use `--gen-all`, which compiles all that is included"), "\(entry.error)")
    }
  }

  @Test("Attributes hold for what is included after them, as in flatc")
  func lateAttributes() throws {
    try withFolder { folder in
      try folder.write("include \"t.fbs\";\nattribute \"mark\";\ntable A { t: T; }\n", to: "all.fbs")
      try folder.write("table T { x: int (mark); }\n", to: "t.fbs")
      let flatc = try run(
        URL(fileURLWithPath: "/usr/bin/env"), ["flatc", "--cpp", "--gen-all", "-o", "cpp", "all.fbs"], in: folder)
      #expect(flatc.status == 1)
      let result = try compile(["--gen-all", "all.fbs"], in: folder)
      #expect(result.status == 1)
      #expect(result.error.contains("declare it in a file that is included before this one"), "\(result.error)")
    }
  }

  @Test("The binary schema of a file that leans on others is whole")
  func binarySchemas() throws {
    try withProject { folder in
      #expect(try compile(["--gen-all", "--emit", "bfbs,json", "Schemas/all.fbs"], in: folder).status == 0)
      let json = try String(contentsOf: folder.appending(path: "out/post_schema.json"), encoding: .utf8)
      #expect(json.contains("\"Tag\""))
      let check = try dflatc("check", "out/post.bfbs", "out/all.bfbs", in: folder)
      #expect(check.error.contains("`Post` is no root type any more"), "\(check.error)")
      try folder.write("{ title: \"a\", tag: { name: \"b\" } }", to: "post.json")
      let binary = try run(
        URL(fileURLWithPath: "/usr/bin/env"), ["flatc", "-b", "out/post.bfbs", "post.json"], in: folder)
      #expect(binary.status == 0, "\(binary.output) \(binary.error)")
    }
  }

  @Test(".dflatc.json can turn --gen-all on, for compile and check")
  func options() throws {
    try withProject { folder in
      try folder.write(
        "{ \"genAll\": true, \"emit\": [\"accessors\"], \"exclude\": [\"third_party\"] }", to: "Schemas/dflatc.json")
      let arguments = ["compile", "-o", "out", "--options", "Schemas/dflatc.json"]
      let result = try run(productsFolder.appending(path: "dflatc"), arguments + ["Schemas"], in: folder)
      #expect(result.status == 0 && result.error.contains("note[D0310]"), "\(result.error)")
      #expect(
        try folder.appending(path: "out").names() == [
          "all_generated.swift", "attributes_generated.swift", "post_generated.swift",
        ])
      let check = try dflatc("check", "--options", "Schemas/dflatc.json", "Schemas", "Schemas", in: folder)
      #expect(check.status == 0, "\(check.error)")
    }
  }

  @Test("Files that lean on entry files of two modules are written once")
  func modules() throws {
    try withFolder { folder in
      for app in ["a", "b"] {
        try folder.write(
          "include \"../mark.fbs\";\ninclude \"../common.fbs\";\ntable App { c: Common; }\n", to: "\(app)/app.fbs")
      }
      try folder.write("attribute \"mark\";\n", to: "mark.fbs")
      try folder.write("table Common { x: int (mark); }\n", to: "common.fbs")
      let result = try compile(["--gen-all", "--emit", "json", "a/app.fbs", "b/app.fbs"], in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.error.contains("warning[D0205]"), "\(result.error)")
      #expect(
        try folder.appending(path: "out").names().filter { $0.hasSuffix(".json") } == [
          "a_app_schema.json", "b_app_schema.json", "common_schema.json", "mark_schema.json",
        ])
    }
  }
}
