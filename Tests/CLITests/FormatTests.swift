import Foundation
import TestSupport
import Testing

@Suite("dflatc format")
struct FormatTests {
  private let ugly = "table T{a:int;// a\n}\n"
  private let pretty = "table T {\n  a: int; // a\n}\n"

  private func content(_ name: String, in folder: URL) throws -> String {
    String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
  }

  private func attributes(_ name: String, in folder: URL) throws -> [FileAttributeKey: Any] {
    try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
  }

  @Test("A file is formatted in place")
  func aFileIsLaidOutInPlace() throws {
    try withFolder { folder in
      try folder.write(ugly, to: "a.fbs")
      try folder.write(ugly, to: "b.fbs")
      let result = try dflatc("format", "a.fbs", "b.fbs", in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.output.isEmpty && result.error.isEmpty)
      #expect(try content("a.fbs", in: folder) == pretty)
      #expect(try content("b.fbs", in: folder) == pretty)
      #expect(try folder.names() == ["a.fbs", "b.fbs"])
    }
  }

  @Test("A file that is already formatted is not written")
  func aFileThatWouldNotChangeIsLeftAlone() throws {
    try withFolder { folder in
      try folder.write(pretty, to: "a.fbs")
      let before = try attributes("a.fbs", in: folder)[.systemFileNumber] as? Int
      #expect(try dflatc("format", "a.fbs", in: folder).status == 0)
      #expect(try attributes("a.fbs", in: folder)[.systemFileNumber] as? Int == before)
    }
  }

  @Test("Formatting through a link changes the file, and keeps the link and the permissions")
  func aLinkStaysALinkAndPermissionsStay() throws {
    try withFolder { folder in
      try folder.write(ugly, to: "a.fbs")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o640], ofItemAtPath: folder.appending(path: "a.fbs").path)
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: "link.fbs").path, withDestinationPath: "a.fbs")
      #expect(try dflatc("format", "link.fbs", in: folder).status == 0)
      #expect(try content("a.fbs", in: folder) == pretty)
      #expect(try attributes("link.fbs", in: folder)[.type] as? FileAttributeType == .typeSymbolicLink)
      #expect(try attributes("a.fbs", in: folder)[.posixPermissions] as? Int == 0o640)
    }
  }

  @Test("--check lists the files that would change and writes nothing")
  func checkListsWhatWouldChangeAndWritesNothing() throws {
    try withFolder { folder in
      try folder.write(ugly, to: "ugly.fbs")
      try folder.write(pretty, to: "pretty.fbs")
      let result = try dflatc("format", "--check", "pretty.fbs", "ugly.fbs", in: folder)
      #expect(result.status == 1)
      #expect(result.output == "ugly.fbs\n")
      #expect(result.error.isEmpty)
      #expect(try content("ugly.fbs", in: folder) == ugly)
      #expect(try dflatc("format", "--check", "pretty.fbs", in: folder).status == 0)
    }
  }

  @Test("A file with syntax errors is left alone, and the others are formatted")
  func aFileWithSyntaxErrorsIsLeftAloneAndOthersAreNot() throws {
    try withFolder { folder in
      try folder.write("table T { a int }", to: "wrong.fbs")
      try folder.write(ugly, to: "ugly.fbs")
      for arguments in [["format"], ["format", "--check"]] {
        let result = try run(
          productsFolder.appending(path: "dflatc"), arguments + ["wrong.fbs", "ugly.fbs"], in: folder)
        #expect(result.status == 1)
        #expect(result.error.contains("error[D0120]"))
        #expect(result.error.contains("--> wrong.fbs:1:11"))
        #expect(try content("wrong.fbs", in: folder) == "table T { a int }")
        if arguments.count == 1 {
          #expect(try content("ugly.fbs", in: folder) == pretty)
        }
      }
    }
  }

  @Test("A file with unknown types and missing includes is formatted")
  func whatTheNamesMeanDoesNotMatter() throws {
    try withFolder { folder in
      try folder.write("include \"nowhere.fbs\";table T{a:Unknown;}", to: "a.fbs")
      #expect(try dflatc("format", "a.fbs", in: folder).status == 0)
      #expect(try content("a.fbs", in: folder) == "include \"nowhere.fbs\";\ntable T { a: Unknown; }\n")
    }
  }

  @Test("An input that cannot be read exits with 3, and the others are formatted")
  func aFileThatCannotBeReadExitsWith3AndOthersAreLaidOut() throws {
    try withFolder { folder in
      try folder.write(ugly, to: "a.fbs")
      try folder.write("table", to: "wrong.fbs")
      try folder.write("", to: "empty/readme.txt")
      let result = try dflatc("format", "missing.fbs", "empty", "wrong.fbs", "a.fbs", in: folder)
      #expect(result.status == 3)
      #expect(result.error.contains("error: cannot read missing.fbs: there is no such file\n"))
      #expect(result.error.contains("error: there is no schema (.fbs) in empty\n"))
      #expect(try content("a.fbs", in: folder) == pretty)
    }
  }

  @Test("A mistake in the configuration of a later path keeps all files as they are")
  func aWrongConfigurationComesBeforeTheFirstFile() throws {
    try withFolder { folder in
      try folder.write(ugly, to: "good/a.fbs")
      try folder.write(ugly, to: "bad/b.fbs")
      try folder.write("{ \"exclude\": 5 }", to: "bad/.dflatc.json")
      let result = try dflatc("format", "good", "bad", in: folder)
      #expect(result.status != 0)
      #expect(result.error.contains(".dflatc.json"))
      #expect(try content("good/a.fbs", in: folder) == ugly)
    }
  }

  @Test("A file that cannot be written exits with 3 and keeps its content")
  func aFileThatCannotBeWrittenExitsWith3() throws {
    // Nothing is forbidden to the superuser but to write files that are too large.
    try withFolder { folder in
      let ugly = ugly + String(repeating: "// A line of a comment.\n", count: 200)
      try folder.write(ugly, to: "a.fbs")
      let path = folder.appending(path: "a.fbs").path
      let script = "trap '' XFSZ; ulimit -f 2; exec \"$0\" format a.fbs"
      let result = try run(
        URL(fileURLWithPath: "/bin/sh"), ["-c", script, productsFolder.appending(path: "dflatc").path], in: folder)
      #expect(result.status == 3)
      #expect(result.error.hasPrefix("error: cannot write a.fbs: "))
      #expect(String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self) == ugly)
    }
  }

  @Test("A dash reads standard input and writes standard output")
  func aDashReadsStandardInputAndWritesStandardOutput() throws {
    try withFolder { folder in
      try folder.write(ugly, to: "a.fbs")
      try folder.write("table", to: "wrong.fbs")
      let program = productsFolder.appending(path: "dflatc").path
      func pipe(_ command: String) throws -> ProcessResult {
        try run(URL(fileURLWithPath: "/bin/sh"), ["-c", command, program], in: folder)
      }
      let result = try pipe("\"$0\" format - < a.fbs")
      #expect(result.status == 0, "\(result.error)")
      #expect(result.output == pretty)
      #expect(try content("a.fbs", in: folder) == ugly)
      let checked = try pipe("\"$0\" format --check - < a.fbs")
      #expect(checked.status == 1)
      #expect(checked.output == "-\n")
      let wrong = try pipe("\"$0\" format - < wrong.fbs")
      #expect(wrong.status == 1)
      #expect(wrong.output.isEmpty)
      #expect(wrong.error.contains("--> <stdin>:1:6"))
    }
  }

  @Test("A file of comments alone is laid out, and needs no declaration")
  func commentsAlone() throws {
    try withFolder { folder in
      try folder.write("// a\n\n\n// b  \n", to: "a.fbs")
      #expect(try dflatc("format", "--check", "a.fbs", in: folder).status == 1)
      let result = try dflatc("format", "a.fbs", in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      #expect(try content("a.fbs", in: folder) == "// a\n\n// b\n")
      try folder.write("", to: "empty.fbs")
      #expect(try dflatc("format", "--check", "a.fbs", "empty.fbs", in: folder).status == 0)
      try folder.write("// a\n}", to: "a.fbs")
      #expect(try dflatc("format", "a.fbs", in: folder).status == 1)
    }
  }

  @Test("format and lint agree on how lines end, whatever ends them", arguments: ["\n", "\r\n", "\r"])
  func lineEnds(_ end: String) throws {
    try withFolder { folder in
      let lines = ["// a", "table T {", "  a: int;", "}", ""]
      func verdicts() throws -> [Int32] {
        try [dflatc("format", "--check", "a.fbs", in: folder), dflatc("lint", "a.fbs", in: folder)].map(\.status)
      }
      try folder.write(lines.joined(separator: end), to: "a.fbs")
      #expect(try verdicts() == [0, 0])
      for other in ["\n", "\r\n", "\r"] where other != end {
        // A CR and an LF are one end of a line.
        guard end + other != "\r\n" else { continue }
        let mixed = lines.prefix(2).joined(separator: end) + end + lines.dropFirst(2).joined(separator: other)
        for command in [["format"], ["lint", "--fix"]] {
          try folder.write(mixed, to: "a.fbs")
          #expect(try verdicts() == [1, 1])
          let result = try run(productsFolder.appending(path: "dflatc"), command + ["a.fbs"], in: folder)
          #expect(result.status == 0, "\(result.error)")
          #expect(try content("a.fbs", in: folder) == lines.joined(separator: end), "\(command)")
          #expect(try verdicts() == [0, 0])
        }
      }
    }
  }

  @Test("Format without a file or with an unknown option exits with 2")
  func withoutAFileTheUsageIsWrong() throws {
    #expect(try dflatc("format").status == 2)
    #expect(try dflatc("format", "--unknown", "a.fbs").status == 2)
  }

  @Test("help format shows examples, the line width and the exit codes")
  func helpTeachesTheRulesWithExamples() throws {
    let help = try dflatc("help", "format").output
    for word in ["EXAMPLES", "--check", "100 columns", "Exit codes: 0 done"] { #expect(help.contains(word), "\(word)") }
  }

  @Test("The repository's own schemas are formatted")
  func theRepositorysOwnSchemasAreLaidOut() throws {
    for name in ["Examples/PostExample/post.fbs", "Fixtures/post/schema.fbs", "Fixtures/scalars/schema.fbs"] {
      #expect(try dflatc("format", "--check", name, in: packageFolder).status == 0, "\(name)")
    }
  }
}
