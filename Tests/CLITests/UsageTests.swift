import Foundation
import TestSupport
import Testing

@Suite("Arguments that dflatc does not understand are answered with what was meant")
struct UsageTests {
  @Test(
    "Misspelled commands and options, and those of another tool, are answered with the right ones",
    arguments: [
      (["complie", "-o", "out", "x.fbs"], "no command 'complie'. Did you mean 'compile'?"),
      (["fmt", "x.fbs"], "Did you mean 'format'?"),
      (["frobnicate"], "There are: compile, check, diff, format, lint, explain, convert, import"),
      (["x.fbs"], "such as: dflatc compile -o Generated x.fbs"),
      (["compile", "--out", "out", "x.fbs"], "no option '--out'. Did you mean '-o' or '--output'?"),
      (["compile", "--ouptut=out", "x.fbs"], "no option '--ouptut'. Did you mean '-o' or '--output'?"),
      (["compile", "-o", "out", "--warnings-as-errors", "x.fbs"], "Did you mean '--strict'?"),
      (["compile", "--swift", "-o", "out", "x.fbs"], "dflatc writes Swift, so leave it out"),
      (["check", "--agianst", "git:main", "x.fbs"], "Did you mean '--against'?"),
      (["--verson"], "Did you mean '--version'?"),
      (["-v"], "Did you mean '--version'?"),
      (["help", "compil"], "no command 'compil'. Did you mean 'compile'?"),
      (["compil", "--help"], "no command 'compil'. Did you mean 'compile'?"),
      (["compile", "-out", "x.fbs"], "no option '-out'. Did you mean '-o' or '--output'?"),
      (["compile", "-output", "out", "x.fbs"], "no option '-output'. Did you mean '-o' or '--output'?"),
      (["lint", "-include", "x", "x.fbs"], "no option '-include'. Did you mean '-I' or '--include'?"),
      (["compile", "x.fbs"], "there is no folder to write to: say -o FOLDER"),
      (["compile", "-o", "", "x.fbs"], "-o takes the path of a folder, such as Generated, or . for the current one"),
      (["compile", "--diff", "--output", "", "x.fbs"], "-o takes the path of a folder, such as Generated"),
      (["import", "-o", "", "x.proto"], "-o takes the path of a folder, such as Generated"),
      (["convert", "x.fbs", "x.json", "-o", ""], "-o takes the path of a file or a folder, or - for standard output"),
      (["manual", "-o", ""], "-o takes the path of a folder, such as Generated"),
    ])
  func mistakes(_ arguments: [String], _ answer: String) throws {
    let result = try run(productsFolder.appending(path: "dflatc"), arguments)
    #expect(result.status == 2)
    #expect(result.error.contains(answer), "\(result.error)")
    #expect(result.output.isEmpty)
  }

  @Test(
    "The descriptions of a command's options name no option that the command lacks",
    arguments: [
      "compile", "check", "diff", "format", "lint", "explain", "convert", "import", "inspect", "sql", "lsp",
      "plugin-schema",
    ])
  func optionsThatDescriptionsName(_ command: String) throws {
    let help = try dflatc(command, "--help").output
    let lines = try #require(help.components(separatedBy: "\nOPTIONS:\n").last).split(separator: "\n")
    let option = /--[a-z]+(?:-[a-z]+)*/
    let options = Set(lines.filter { $0.hasPrefix("  -") }.compactMap { $0.firstMatch(of: option)?.output })
    let named = Set(lines.flatMap { $0.matches(of: option).map(\.output) })
    #expect(options.contains("--help"))
    #expect(named.subtracting(options).isEmpty, "\(named.subtracting(options))")
  }

  @Test("The value of -I and -o may touch the option, as in other compilers")
  func joinedValues() throws {
    try withFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appending(path: "inc"), withIntermediateDirectories: true)
      try folder.write("table User { name: string; }\n", to: "inc/user.fbs")
      try folder.write("include \"user.fbs\";\ntable Post { author: User; }\nroot_type Post;\n", to: "post.fbs")
      let result = try dflatc("compile", "-Iinc", "-oGenerated", "--emit", "accessors", "post.fbs", in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(FileManager.default.fileExists(atPath: folder.appending(path: "Generated/post_generated.swift").path))
      #expect(try dflatc("lint", "-Iinc", "post.fbs", in: folder).status == 0)
    }
  }

  @Test("The command `version` is --version")
  func version() throws {
    let result = try dflatc("version")
    #expect(result.status == 0)
    #expect(try result.output == dflatc("--version").output)
  }

  @Test(
    "Data in place of a schema is called data, with the command that reads it",
    arguments: ["", "{}", "{ \"a\": 1 }\n{ \"a\": 2 }\n", "[1, 2]", "FB\0\0"])
  func dataInPlaceOfASchema(_ text: String) throws {
    try withFolder { folder in
      try folder.write(text, to: "post.json")
      for command in [["compile", "-o", "out"], ["lint"], ["format"]] {
        // There is nothing to lay out in an empty file, whatever it is.
        if text.isEmpty, command == ["format"] { continue }
        let result = try run(productsFolder.appending(path: "dflatc"), command + ["post.json"], in: folder)
        #expect(result.status == 1)
        #expect(result.error.contains("`dflatc convert SCHEMA.fbs post.json`"), "\(result.error)")
        #expect(result.error.components(separatedBy: "error[").count == 2, "\(result.error)")
      }
    }
  }

  @Test("An output folder that is a file is called one")
  func outputIsAFile() throws {
    try withFolder { folder in
      try folder.write("table Post { title: string (primary); }\nroot_type Post;\n", to: "post.fbs")
      try folder.write("", to: "out")
      let result = try dflatc("compile", "-o", "out", "post.fbs", in: folder)
      #expect(result.status == 3)
      #expect(result.error == "error: cannot write out: it is a file, and the output goes to a folder\n")
    }
  }

  @Test("With --strict, a warning is an error, and nothing is written")
  func strict() throws {
    try withFolder { folder in
      let schema = "table A { x: int; }\ntable B { x: int; }\nroot_type A;\nroot_type B;\n"
      try folder.write(schema, to: "x.fbs")
      let lenient = try dflatc("compile", "--emit", "accessors", "-o", "lenient", "x.fbs", in: folder)
      #expect(lenient.status == 0 && lenient.error.contains("warning[D0244]"))
      let strict = try dflatc("compile", "--strict", "--emit", "accessors", "-o", "out", "x.fbs", in: folder)
      #expect(strict.status == 1)
      #expect(strict.error.contains("warning[D0244]"))
      #expect(strict.error.hasSuffix("error: there are warnings, which --strict takes for errors\n"))
      #expect(try folder.names() == ["lenient", "x.fbs"])
      try folder.write("table A { x: int; }\nroot_type A;\n", to: "old.fbs")
      try folder.write("table A { y: int; }\nroot_type A;\n", to: "new.fbs")
      let check = try dflatc("check", "old.fbs", "new.fbs", in: folder)
      #expect(check.status == 0 && check.error.contains("warning["))
      #expect(try dflatc("check", "--strict", "old.fbs", "new.fbs", in: folder).status == 1)
    }
  }

  @Test("The first of a thousand diagnostics are shown with their number, and all of them with --all")
  func manyOfOneKind() throws {
    try withFolder { folder in
      let fields = (0..<1000).map { "  f\($0): Missing\($0);\n" }.joined()
      try folder.write("table T {\n\(fields)  g: int = x;\n}\n", to: "x.fbs")
      let short = try dflatc("compile", "--emit", "accessors", "-o", "out", "x.fbs", in: folder)
      #expect(short.status == 1)
      #expect(short.error.components(separatedBy: "error[D0204]").count == 21)
      #expect(short.error.contains("error[D0211]"))
      #expect(short.error.hasSuffix("... and 980 more of D0204, an unknown type; --all shows them\n"))
      let long = try dflatc("compile", "--all", "--emit", "accessors", "-o", "out", "x.fbs", in: folder)
      #expect(long.error.components(separatedBy: "error[D0204]").count == 1001)
      #expect(!long.error.contains("--all"))
      let json = try dflatc("compile", "--format", "json", "--emit", "accessors", "-o", "out", "x.fbs", in: folder)
      #expect(json.output.components(separatedBy: "D0204").count > 1000)
    }
  }

  @Test("A mistake in the arguments that only the files show names the help of the command")
  func mistakesThatTheFilesShow() throws {
    try withFolder { folder in
      try folder.write("table T { a: int; }\n", to: "a.fbs")
      try folder.write("{ a: 1 }\n", to: "a.json")
      let compiled = try dflatc("compile", "-o", "out", "--root", "other", "a.fbs", in: folder)
      #expect(
        compiled.error == """
          Error: a.fbs is not below other, which --root names.
            See 'dflatc compile --help' for more information.

          """)
      let converted = try dflatc("convert", "a.fbs", "a.json", "-o", "a.bin", in: folder)
      #expect(
        converted.error == """
          Error: The schema has no root_type: name the table with --root-type.
            See 'dflatc convert --help' for more information.

          """)
      #expect(compiled.status == 2 && converted.status == 2)
    }
  }

  @Test("The number of errors is exact, even if not all of them are kept")
  func moreOfOneKindThanAreKept() throws {
    try withFolder { folder in
      try folder.write(String(repeating: "table T {}\n", count: 30_001), to: "x.fbs")
      let short = try dflatc("compile", "-o", "out", "x.fbs", in: folder)
      #expect(short.status == 1)
      #expect(
        short.error.hasSuffix("... and 29980 more of D0205, a name is defined twice; --all shows the first 10000\n"))
      let long = try dflatc("compile", "--all", "-o", "out", "x.fbs", in: folder)
      #expect(long.error.components(separatedBy: "error[D0205]").count == 10_001)
      #expect(long.error.contains("= note: there are 20000 more of D0205, which are not listed\n"))
    }
  }
}
