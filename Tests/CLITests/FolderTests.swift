import Foundation
import TestSupport
import Testing

@Suite("Folders as inputs, and what becomes of files whose schemas are gone")
struct FolderTests {
  private func table(_ name: String) -> String { "table \(name) { x: int; }\n" }

  private func withSchemas(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      try folder.write(table("A"), to: "schemas/a.fbs")
      try folder.write(table("B"), to: "schemas/deep/b.fbs")
      try folder.write(table("C"), to: "schemas/drafts/c.fbs")
      try folder.write("table Hidden {", to: "schemas/.hidden/d.fbs")
      try folder.write("not a schema", to: "schemas/readme.txt")
      try body(folder)
    }
  }

  private func compile(_ arguments: String..., in folder: URL) throws -> ProcessResult {
    try run(
      productsFolder.appending(path: "dflatc"), ["compile", "--emit", "accessors", "-o", "out"] + arguments, in: folder)
  }

  @Test("All schemas below a folder are compiled, but for those that are left out")
  func compileFolders() throws {
    try withSchemas { folder in
      let out = folder.appending(path: "out")
      let result = try compile("schemas", "schemas/a.fbs", in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      #expect(try out.names() == ["a_generated.swift", "b_generated.swift", "c_generated.swift"])
      for excluded in ["schemas/drafts", "./schemas/drafts/", "drafts", "schemas/drafts/c.fbs", "c.fbs"] {
        try FileManager.default.removeItem(at: out)
        #expect(try compile("./schemas", "--exclude", excluded, in: folder).status == 0)
        #expect(try out.names() == ["a_generated.swift", "b_generated.swift"], "--exclude \(excluded)")
      }
      try folder.write("", to: "empty/readme.txt")
      let empty = try compile("empty", in: folder)
      #expect(empty.status == 3 && empty.error == "error: there is no schema (.fbs) in empty\n")
    }
  }

  @Test("A folder that is a link is entered, and its files keep the paths that lead through it")
  func linkedFolders() throws {
    try withSchemas { folder in
      try folder.write("table  B{x:int;}", to: "schemas/deep/b.fbs")
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: "linked").path, withDestinationPath: "schemas")
      for argument in ["linked", "linked/"] {
        let check = try dflatc("format", "--check", argument, "--exclude", "drafts", in: folder)
        #expect(check.status == 1 && check.output == "linked/deep/b.fbs\n", "\(check.error)")
      }
      #expect(try compile("linked", in: folder).status == 0)
      #expect(try folder.appending(path: "out").names().count == 3)
    }
  }

  @Test("Folders are formatted with their subfolders, except excluded ones")
  func formatFolders() throws {
    try withSchemas { folder in
      try folder.write("table  B{x:int;}", to: "schemas/deep/b.fbs")
      let check = try dflatc("format", "--check", "schemas", "--exclude", "drafts", in: folder)
      #expect(check.status == 1 && check.output == "schemas/deep/b.fbs\n")
      #expect(try dflatc("format", "schemas", in: folder).status == 0)
      #expect(try dflatc("format", "--check", "schemas", in: folder).status == 0)
    }
  }

  @Test("Generated files that no input accounts for are named, and with --clean they are removed; others stay")
  func strays() throws {
    try withSchemas { folder in
      let out = folder.appending(path: "out")
      _ = try compile("schemas", in: folder)
      try folder.write("// Written by hand\n", to: "out/own_generated.swift")
      try FileManager.default.removeItem(at: folder.appending(path: "schemas/deep"))
      let named = try compile("--diff", "schemas", in: folder)
      #expect(named.status == 0 && named.output.isEmpty)
      #expect(
        named.error == "note: out/b_generated.swift is generated, and no input accounts for it; --clean removes it\n")
      let difference = try compile("--diff", "--clean", "schemas", in: folder)
      #expect(difference.status == 1 && difference.output == "out/b_generated.swift would be removed\n")
      #expect(try out.names().count == 4)
      #expect(try compile("--clean", "schemas", in: folder).status == 0)
      #expect(try out.names() == ["a_generated.swift", "c_generated.swift", "own_generated.swift"])
      // What is wrong removes nothing.
      try folder.write("table C { x: Missing; }", to: "schemas/drafts/c.fbs")
      #expect(try compile("--clean", "schemas/drafts", in: folder).status == 1)
      #expect(try out.names().count == 3)
    }
  }

  /// A second name of a file stands for one that differs in case, which some file systems take for the same.
  @Test("No name of an output is taken for a file that no input accounts for, and --clean keeps it")
  func namesOfOutputs() throws {
    try withSchemas { folder in
      let out = folder.appending(path: "out")
      _ = try compile("schemas", in: folder)
      try FileManager.default.linkItem(
        at: out.appending(path: "a_generated.swift"), to: out.appending(path: "other_generated.swift"))
      let difference = try compile("--diff", "--clean", "schemas", in: folder)
      #expect(difference.status == 0 && difference.output.isEmpty, "\(difference.output)")
      #expect(try compile("--clean", "schemas", in: folder).status == 0)
      #expect(try out.names().contains("other_generated.swift"))
      // The same holds if the run writes the output anew.
      try folder.write("table A { x: int; y: int; }\n", to: "schemas/a.fbs")
      #expect(try compile("--clean", "schemas", in: folder).status == 0)
      #expect(try out.names().contains("other_generated.swift"))
    }
  }

  @Test("Make goes on when an included file is gone, and compiles again")
  func removedInclude() throws {
    try withFolder { folder in
      try folder.write("include \"b.fbs\";\ntable A { b: B; }\n", to: "a.fbs")
      try folder.write(table("B"), to: "b.fbs")
      let dflatc = productsFolder.appending(path: "dflatc").path
      try folder.write(
        "out/a_generated.swift: a.fbs\n\t\(dflatc) compile --emit accessors --depfile a.d -o out a.fbs\n-include a.d\n",
        to: "Makefile")
      let make = URL(fileURLWithPath: "/usr/bin/env")
      #expect(try run(make, ["make"], in: folder).status == 0)
      #expect(try run(make, ["make", "-q"], in: folder).status == 0, "nothing has changed")
      try folder.write("table A { x: int; }\n", to: "a.fbs")
      try FileManager.default.removeItem(at: folder.appending(path: "b.fbs"))
      let again = try run(make, ["make"], in: folder)
      #expect(again.status == 0, "\(again.error)")
      #expect(try String(contentsOf: folder.appending(path: "a.d"), encoding: .utf8).contains("b.fbs") == false)
    }
  }
}
