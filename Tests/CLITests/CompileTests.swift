import Foundation
import TestSupport
import Testing

@Suite("dflatc compile")
struct CompileTests {
  private let schema = "table Post { title: string (primary); }\nroot_type Post;\n"

  @Test("Compiling a schema writes the four Swift files into a new folder")
  func writesTheFourFiles() throws {
    try withFolder { folder in
      try folder.write(schema, to: "post.fbs")
      let result = try dflatc("compile", "-o", "out/deep", "post.fbs", in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.error.isEmpty)
      #expect(
        try folder.appending(path: "out/deep").names() == [
          "post_data_model_generated.swift", "post_generated.swift", "post_mutating_generated.swift",
          "post_query_generated.swift",
        ])
    }
  }

  @Test("--emit writes only the files of the emitters that it names")
  func writesWhatEmitNames() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }", to: "t.fbs")
      let result = try dflatc("compile", "-o", "out", "--emit", "accessors", "t.fbs", in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(try folder.appending(path: "out").names() == ["t_generated.swift"])
    }
  }

  @Test("Every path may have one character, with and without a slash behind it")
  func shortPaths() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }\n", to: "t")
      try folder.write("{}", to: "j")
      for output in ["o", "p/", "./q", "é"] {
        let result = try dflatc(
          "compile", "--emit", "accessors", "-o", output, "--stamp", "s", "--depfile", "d", "--options", "j", "t",
          in: folder)
        #expect(result.status == 0 && result.error.isEmpty, "-o \(output): \(result.error)")
        #expect(try folder.appending(path: output).names() == ["t_generated.swift"])
      }
      #expect(try dflatc("check", "t", "t", in: folder).status == 0)
    }
  }

  @Test("An output that would not change keeps its modification date")
  func leavesAFileThatWouldNotChangeAlone() throws {
    try withFolder { folder in
      try folder.write(schema, to: "post.fbs")
      _ = try dflatc("compile", "-o", "out", "post.fbs", in: folder)
      let file = folder.appending(path: "out/post_generated.swift")
      let past = Date(timeIntervalSince1970: 1_000_000)
      try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: file.path)
      _ = try dflatc("compile", "-o", "out", "post.fbs", in: folder)
      let date = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
      #expect(date == past)
    }
  }

  @Test("A wrong schema is shown with its line and column, and nothing is written")
  func showsAWrongSchemaWithItsPlaceAndWritesNothing() throws {
    try withFolder { folder in
      try folder.write(schema, to: "good.fbs")
      try folder.write(
        "table Page {\n  title: string (primary);\n  color: Colour;\n}\nroot_type Page;\n", to: "bad.fbs")
      let result = try dflatc("compile", "-o", "out", "good.fbs", "bad.fbs", in: folder)
      #expect(result.status == 1)
      #expect(result.error.contains("error[D"))
      #expect(result.error.contains("--> bad.fbs:3:10"))
      #expect(result.error.contains("^^^^^^"))
      #expect(result.output.isEmpty)
      #expect(try folder.names() == ["bad.fbs", "good.fbs"])
    }
  }

  @Test("A table without a primary key is refused only where an emitter is for stores")
  func theStoresRulesApplyOnlyWhereAStoreIsAskedFor() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }\nroot_type T;\n", to: "t.fbs")
      #expect(try dflatc("compile", "-o", "out", "t.fbs", in: folder).status == 1)
      #expect(try dflatc("compile", "-o", "out", "--emit", "accessors", "t.fbs", in: folder).status == 0)
    }
  }

  @Test("An input that cannot be read is named, with exit code 3")
  func namesAnInputThatCannotBeRead() throws {
    try withFolder { folder in
      for (path, reason) in [("missing.fbs", "cannot read missing.fbs:"), (".", "there is no schema (.fbs) in .")] {
        let result = try dflatc("compile", "-o", "out", path, in: folder)
        #expect(result.status == 3)
        #expect(result.error.contains(reason))
      }
      #expect(try folder.names().isEmpty)
    }
  }

  @Test("A folder that cannot be written is named, with exit code 3")
  func namesAFolderThatCannotBeWritten() throws {
    try withFolder { folder in
      try folder.write(schema, to: "post.fbs")
      let result = try dflatc("compile", "-o", "post.fbs/out", "post.fbs", in: folder)
      #expect(result.status == 3)
      #expect(result.error.contains("cannot write"))
      #expect(result.error.contains("post.fbs"))
    }
  }

  @Test("Wrong usage exits with 2 and a message")
  func wrongUsageExitsWith2AndSaysWhatToDo() throws {
    for arguments in [
      ["compile"], ["compile", "-o", "out"], ["compile", "a.fbs"],
      ["compile", "-o", "out", "--emit", "nothing", "a.fbs"],
      ["compile", "-o", "out", "--unknown", "a.fbs"], ["unknown"],
    ] {
      let result = try run(productsFolder.appending(path: "dflatc"), arguments)
      #expect(result.status == 2, "\(arguments)")
      #expect(!result.error.isEmpty, "\(arguments)")
    }
  }

  @Test("Bad input gives a diagnostic with its location, and no crash")
  func badInputGivesADiagnosticAndNeverACrashOrAHang() throws {
    try withFolder { folder in
      try folder.write("", to: "empty.fbs")
      try folder.write(String(repeating: "{", count: 1 << 20), to: "braces.fbs")
      try folder.write("table T { x: int = \"abc", to: "unterminated.fbs")
      try folder.write("include \"nowhere.fbs\";\ntable T { x: int; }", to: "include.fbs")
      var generator = SystemRandomNumberGenerator()
      let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      try Data(noise).write(to: folder.appending(path: "binary.fbs"))
      try Data([0x7F, 0x45, 0x4C, 0x46, 0, 0, 0, 1]).write(to: folder.appending(path: "elf.fbs"))
      for name in ["empty", "braces", "unterminated", "include", "binary", "elf"] {
        let result = try dflatc("compile", "-o", "out", "\(name).fbs", in: folder)
        #expect(result.status == 1, "\(name): \(result.error.prefix(2000))")
        #expect(result.error.contains("error[D"), "\(name)")
        #expect(result.error.contains("--> \(name).fbs:"), "\(name)")
      }
      #expect(try !folder.names().contains("out"))
    }
  }

  @Test("Output that is no terminal has no color codes")
  func colourIsForTerminalsOnly() throws {
    try withFolder { folder in
      try folder.write("table", to: "bad.fbs")
      #expect(try !dflatc("compile", "-o", "out", "bad.fbs", in: folder).error.contains("\u{1B}["))
    }
  }
}

@Suite("dflatc's help")
struct HelpTests {
  @Test("--version prints one line")
  func versionIsOneLine() throws {
    let result = try dflatc("--version")
    #expect(result.status == 0)
    // A plain build knows of no commit.
    #expect(result.output.contains(/^dflatc \d+\.\d+\.\d+\n$/))
  }

  @Test("--help shows the first command and the exit codes")
  func helpTeachesTheFirstCommand() throws {
    let result = try dflatc("--help")
    #expect(result.status == 0)
    #expect(result.output.contains("dflatc compile -o"))
    #expect(result.output.contains("Exit codes: 0 done"))
  }

  @Test("help compile lists every emitter with its file")
  func helpCompileListsEveryEmitterWithItsFile() throws {
    let result = try dflatc("help", "compile")
    #expect(result.status == 0)
    for word in ["accessors", "data-model", "mutating", "query", "post_query_generated.swift", "-I"] {
      #expect(result.output.contains(word))
    }
  }
}
