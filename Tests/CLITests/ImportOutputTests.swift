import Foundation
import TestSupport
import Testing

@Suite("Outputs of dflatc import")
struct ImportOutputTests {
  private static let texts = [
    "a/types.proto": "message A {}", "b/types.proto": "message B {}", "c/Types.proto": "message C {}",
  ]

  private func withFiles(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      for (path, text) in Self.texts { try folder.write(text, to: path) }
      try body(folder)
    }
  }

  private func importing(_ arguments: [String], in folder: URL) throws -> ProcessResult {
    try run(productsFolder.appending(path: "dflatc"), ["import", "-o", "out"] + arguments, in: folder)
  }

  @Test(
    "Two files whose schemas would have one name are refused, also where only case tells the names apart",
    arguments: [
      ["a/types.proto", "b/types.proto"], ["-I", "a", "-I", "b", "a/types.proto", "b/types.proto"],
      ["a/types.proto", "c/Types.proto"],
    ])
  func sharedName(_ arguments: [String]) throws {
    try withFiles { folder in
      let result = try importing(arguments, in: folder)
      #expect(result.status == 2, "\(result.error)")
      let files = arguments.suffix(2).joined(separator: " and ")
      #expect(result.error.contains("\(files) would both be "), "\(result.error)")
      #expect(try !folder.names().contains("out"))
    }
  }

  @Test("Below a folder that -I names, files of one name keep their paths")
  func pathsBelowFolder() throws {
    try withFiles { folder in
      let result = try importing(["-I", ".", "a/types.proto", "b/types.proto"], in: folder)
      #expect(result.status == 0, "\(result.error)")
      for (path, table) in [("a/types.fbs", "table A"), ("b/types.fbs", "table B")] {
        #expect(try String(contentsOf: folder.appending(path: "out/\(path)"), encoding: .utf8).contains(table))
      }
    }
  }

  @Test("A file that is named twice is made once, with its notes")
  func namedTwice() throws {
    try withFiles { folder in
      try folder.write("message D { int32 x = 2; }", to: "d.proto")
      let result = try importing(["d.proto", "./d.proto"], in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.error.components(separatedBy: "note: ").count == 2, "\(result.error)")
      #expect(try folder.appending(path: "out").names() == ["d.fbs"])
    }
  }

  /// Files, with the path that each imports or nothing; arguments; a schema that is made; and the path of its include.
  static let layouts: [([String: String], [String], String, String)] = [
    (["p/m.proto": "q/t.proto", "p/q/t.proto": ""], ["p/m.proto", "p/q/t.proto"], "m.fbs", "t.fbs"),
    (["p/m.proto": "q/t.proto", "p/q/t.proto": ""], ["-I", "p", "p/m.proto", "p/q/t.proto"], "m.fbs", "q/t.fbs"),
    (
      ["p/m.proto": "t.proto", "p/q/t.proto": ""], ["-I", "p", "-I", "p/q", "p/m.proto", "p/q/t.proto"], "m.fbs",
      "q/t.fbs"
    ),
    (["p/q/m.proto": "../t.proto", "p/t.proto": ""], ["p/q/m.proto", "p/t.proto"], "m.fbs", "t.fbs"),
    (["p/q/m.proto": "../t.proto", "p/t.proto": ""], ["-I", "p", "p/q/m.proto", "p/t.proto"], "q/m.fbs", "../t.fbs"),
    (
      ["p/q/m.proto": "t.proto", "r/t.proto": ""], ["-I", "p", "-I", "r", "p/q/m.proto", "r/t.proto"], "q/m.fbs",
      "t.fbs"
    ),
    (
      ["p/q/m.proto": "t.proto", "r/t.proto": "", "s/q/t.proto": ""],
      ["-I", "p", "-I", "r", "-I", "s", "p/q/m.proto", "r/t.proto", "s/q/t.proto"], "q/m.fbs", "../t.fbs"
    ),
    (["m.proto": "t.protodevel", "t.protodevel": ""], ["m.proto", "t.protodevel"], "m.fbs", "t.fbs"),
  ]

  @Test(
    "A schema includes another one where that is written, whatever path the import has",
    arguments: ImportOutputTests.layouts)
  func includes(_ files: [String: String], _ arguments: [String], _ schema: String, _ include: String) throws {
    try withFolder { folder in
      for (path, imported) in files {
        let text = imported.isEmpty ? "message T {}" : "import \"\(imported)\"; message M { T t = 1; }"
        try folder.write(text, to: path)
      }
      let result = try importing(arguments, in: folder)
      try #require(result.status == 0, "\(result.error)")
      #expect(!result.error.contains("note: "), "\(result.error)")
      let text = try String(contentsOf: folder.appending(path: "out/\(schema)"), encoding: .utf8)
      #expect(text.contains("include \"\(include)\";"), "\(text)")
      try expectValid(schema, in: folder)
    }
  }

  @Test("An imported file that no schema is made of is named in a note, with those that it needs, until it is imported")
  func missingIncludes() throws {
    try withFolder { folder in
      try folder.write("import \"a.proto\"; message M { B b = 1; }", to: "m.proto")
      try folder.write("import public \"d/b.proto\";", to: "a.proto")
      try folder.write("message B {}", to: "d/b.proto")
      let note = """
        m.proto:1:8: note: the schema needs a.fbs, d/b.fbs, which this run does not write: import a.proto, d/b.proto as well
        """
      let alone = try importing(["m.proto"], in: folder)
      #expect(alone.status == 0 && alone.error.contains(note), "\(alone.error)")
      let together = try importing(["-I", ".", "m.proto", "a.proto", "d/b.proto"], in: folder)
      #expect(together.status == 0 && !together.error.contains("note: "), "\(together.error)")
      try expectValid("m.fbs", in: folder)
      // The schemas of the others are there now.
      let again = try importing(["m.proto"], in: folder)
      #expect(again.status == 0 && !again.error.contains("note: "), "\(again.error)")
    }
  }

  @Test("A file that is imported, and would be the schema of another one that is written, is refused")
  func takenByAnImport() throws {
    try withFiles { folder in
      try folder.write("import \"types.proto\"; message M { A a = 1; }", to: "a/m.proto")
      let result = try importing(["a/m.proto", "b/types.proto"], in: folder)
      #expect(result.status == 2, "\(result.error)")
      #expect(result.error.contains("b/types.proto and a/types.proto would both be types.fbs"), "\(result.error)")
    }
  }

  @Test("Files below google/protobuf are imported as any other, and imports for options alone are left out")
  func importsOfProtobuf() throws {
    try withFolder { folder in
      let plugin = "google/protobuf/compiler/plugin.proto"
      try folder.write("package google.protobuf.compiler; message Version { int32 major = 1; }", to: plugin)
      try folder.write("message O {}", to: "o.proto")
      try folder.write(
        """
        edition = "2024"; import "\(plugin)"; import "google/protobuf/any.proto"; import option "o.proto";
        message M { google.protobuf.compiler.Version v = 1; google.protobuf.Any a = 2; }
        """, to: "m.proto")
      let result = try importing(["m.proto", plugin, "-I", "."], in: folder)
      try #require(result.status == 0, "\(result.error)")
      #expect(!result.error.contains("the schema needs"), "\(result.error)")
      let text = try String(contentsOf: folder.appending(path: "out/m.fbs"), encoding: .utf8)
      #expect(text.hasPrefix("include \"google/protobuf/compiler/plugin.fbs\";\n\n"), "\(text)")
      #expect(text.contains("  v: google.protobuf.compiler.Version;\n  a: [ubyte];"), "\(text)")
      try expectValid("m.fbs", in: folder)
      let (a, b) = ("google/protobuf/a.proto", "google/protobuf/b.proto")
      try folder.write("package google.protobuf; message A {}", to: a)
      try folder.write("package google.protobuf; import \"\(a)\"; message B { A a = 1; }", to: b)
      let own = try importing([b, a, "-I", "."], in: folder)
      #expect(own.status == 0, "\(own.error)")
      try expectValid("google/protobuf/b.fbs", in: folder)
    }
  }

  private func expectValid(_ schema: String, in folder: URL) throws {
    let compiled = try dflatc("compile", "-o", "made", "-I", "out", "--emit", "bfbs", "out/\(schema)", in: folder)
    #expect(compiled.status == 0, "\(compiled.error)")
  }

  @Test(
    "An import that is refused shows its errors, and no notes of what it would have made",
    arguments: [
      ["d.proto", "e.proto"], ["d.proto", "a/types.proto", "b/types.proto"], ["d.proto", "none.proto"],
    ])
  func refused(_ files: [String]) throws {
    try withFiles { folder in
      // The numbers of fields are not kept, which is a note.
      try folder.write("message D { int32 x = 2; }", to: "d.proto")
      try folder.write("message E {", to: "e.proto")
      let result = try importing(files, in: folder)
      #expect(result.status != 0 && !result.error.isEmpty, "\(result.error)")
      #expect(!result.error.contains("d.proto:"), "\(result.error)")
      #expect(try !folder.names().contains("out"))
      #expect(try importing(["d.proto"], in: folder).error.contains("d.proto:1:"))
    }
  }
}
