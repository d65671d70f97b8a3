import Foundation
import Testing

@Suite("dflatc compile --format")
struct ReportFormatTests {
  private let wrong = "table Post {\r\n\ttitle: string (primary, v: \"😀\"); tag: sting;\r\n}\r\nroot_type Post;\n"

  private func json(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test("--format json writes the diagnostics to standard output and exits with 1")
  func jsonGoesToStandardOutputWithExitCode1() throws {
    try withFolder { folder in
      try folder.write(wrong, to: "post.fbs")
      let result = try dflatc("compile", "-o", "out", "--format", "json", "post.fbs", in: folder)
      #expect(result.status == 1)
      #expect(result.error.isEmpty)
      let diagnostics = try #require(try json(result.output)["diagnostics"] as? [[String: Any]])
      let unknown = try #require(diagnostics.first { $0["code"] as? String == "D0204" })
      #expect(unknown["file"] as? String == "post.fbs")
      #expect(unknown["start"] as? [String: Int] == ["offset": 56, "line": 2, "column": 40, "utf16Column": 41])
      #expect(unknown["end"] as? [String: Int] == ["offset": 61, "line": 2, "column": 45, "utf16Column": 46])
      #expect(unknown["advice"] as? String == "did you mean `string`?")
    }
  }

  @Test("--format sarif names the rule of each finding and explains it")
  func sarifNamesTheRuleAndTellsAboutIt() throws {
    try withFolder { folder in
      try folder.write(wrong, to: "post.fbs")
      let result = try dflatc("compile", "-o", "out", "--format=sarif", "post.fbs", in: folder)
      #expect(result.status == 1)
      let log = try json(result.output)
      #expect(log["version"] as? String == "2.1.0")
      let run = try #require((log["runs"] as? [[String: Any]])?.first)
      let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
      let rules = try #require(driver["rules"] as? [[String: Any]])
      let rule = try #require(rules.first { $0["id"] as? String == "D0204" })
      #expect(((rule["help"] as? [String: String])?["text"])?.contains("Nothing defines a type") == true)
      let results = try #require(run["results"] as? [[String: Any]])
      #expect(results.contains { $0["ruleId"] as? String == "D0204" })
    }
  }

  @Test("--format github writes one line for each diagnostic")
  func gitHubGetsALineForEachDiagnostic() throws {
    try withFolder { folder in
      try folder.write(wrong, to: "post.fbs")
      let result = try dflatc("compile", "-o", "out", "--format", "github", "post.fbs", in: folder)
      #expect(result.status == 1)
      #expect(
        result.output.contains(
          "::error file=post.fbs,line=2,col=41,endLine=2,endColumn=46,title=D0204%3A an unknown type::"
            + "`sting` is not defined%0Adid you mean `string`?\n"))
      #expect(result.output.split(separator: "\n").allSatisfy { $0.hasPrefix("::") })
    }
  }

  @Test("Programs are told the path of an included file without folders that `..` leaves again")
  func includedFilesHaveTheShortestPath() throws {
    try withFolder { folder in
      try folder.write("include \"../c/c.fbs\";\ntable Post { c: C; }\n", to: "s/post.fbs")
      try folder.write("table C { x: sting; }\n", to: "c/c.fbs")
      for (format, file) in [
        ("line", "c/c.fbs:1:14: "), ("json", "\"file\": \"c/c.fbs\""), ("sarif", "\"uri\": \"c/c.fbs\""),
        ("github", "::error file=c/c.fbs,"), ("gitlab", "\"path\": \"c/c.fbs\""), ("junit", " file=\"c/c.fbs\""),
      ] {
        let result = try dflatc("compile", "-o", "out", "--format", format, "s/post.fbs", in: folder)
        #expect(result.status == 1 && result.output.contains(file), "\(format): \(result.output)")
        #expect(!result.output.contains("s/../c"), "\(format): \(result.output)")
      }
      // After a link, `..` leads elsewhere than the text says.
      try folder.write("include \"../c/c.fbs\";\ntable Post { c: C; }\n", to: "deep/t/post.fbs")
      try folder.write("table C { x: sting; }\n", to: "deep/c/c.fbs")
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: "link").path, withDestinationPath: "deep/t")
      let linked = try dflatc("compile", "-o", "out", "--format", "line", "link/post.fbs", in: folder)
      #expect(linked.output.hasPrefix("link/../c/c.fbs:1:14: "), "\(linked.output)")
    }
  }

  @Test("The JSON of a check has the path of an included file without folders that `..` leaves again")
  func includedFilesOfACheckHaveTheShortestPath() throws {
    try withFolder { folder in
      for (side, type) in [("old", "int"), ("new", "long")] {
        try folder.write("include \"../c/c.fbs\";\ntable Post { c: C; }\n", to: "\(side)/s/post.fbs")
        try folder.write("table C { x: \(type); }\n", to: "\(side)/c/c.fbs")
      }
      let result = try dflatc("check", "--format", "json", "old/s/post.fbs", "new/s/post.fbs", in: folder)
      #expect(result.status == 1 && result.output.contains("\"new/c/c.fbs\""), "\(result.output)")
      #expect(result.output.contains("\"old/c/c.fbs\"") && !result.output.contains(".."), "\(result.output)")
    }
  }

  @Test("A good schema gives an empty report in each format, and its files")
  func aGoodSchemaGivesAnEmptyReportAndItsFiles() throws {
    try withFolder { folder in
      try folder.write("table Post { title: string (primary); }\nroot_type Post;\n", to: "post.fbs")
      for format in ["json", "sarif", "github", "text"] {
        let result = try dflatc("compile", "-o", "out-\(format)", "--format", format, "post.fbs", in: folder)
        #expect(result.status == 0)
        #expect(result.error.isEmpty)
        switch format {
        case "json": #expect((try json(result.output)["diagnostics"] as? [Any])?.isEmpty == true)
        case "sarif":
          let run = try #require((try json(result.output)["runs"] as? [[String: Any]])?.first)
          #expect((run["results"] as? [Any])?.isEmpty == true)
        default: #expect(result.output.isEmpty)
        }
        #expect(try folder.appending(path: "out-\(format)").names().count == 4)
      }
    }
  }

  @Test("A schema with warnings alone is reported and exits with 0")
  func warningsAreReportedAndExitWith0() throws {
    try withFolder { folder in
      try folder.write(
        "table Post (bit_flags) { title: string (primary); }\nroot_type Post;\n", to: "post.fbs")
      let result = try dflatc("compile", "-o", "out", "--format", "github", "post.fbs", in: folder)
      #expect(result.status == 0)
      #expect(result.output.hasPrefix("::warning file=post.fbs,line=1,col=13,"))
    }
  }

  @Test("An input that cannot be read exits with 3 and leaves a valid report of the others")
  func anInputThatCannotBeReadExitsWith3AndLeavesAValidReport() throws {
    try withFolder { folder in
      try folder.write(wrong, to: "post.fbs")
      let result = try dflatc("compile", "-o", "out", "--format", "json", "missing.fbs", "post.fbs", in: folder)
      #expect(result.status == 3)
      #expect(result.error.contains("cannot read missing.fbs: there is no such file"))
      #expect((try json(result.output)["diagnostics"] as? [Any])?.isEmpty == false)
    }
  }

  @Test(
    "Each format names a file without ./, whichever path leads to it",
    arguments: ["text", "line", "json", "sarif", "github", "gitlab", "junit"])
  func pathsOfReports(_ format: String) throws {
    try withFolder { folder in
      try folder.write("table bad_name { x: int; }\n", to: "s/post.fbs")
      func report(_ path: String) throws -> String {
        let result = try dflatc("lint", "--format", format, path, in: folder)
        #expect(result.status == 1, "\(path)")
        return result.output + result.error
      }
      let usual = try report("s/post.fbs")
      #expect(usual.contains("s/post.fbs") && !usual.contains("./s"), "\(usual)")
      for path in ["./s/post.fbs", "././s/post.fbs", "s", "./s/", "."] { #expect(try report(path) == usual, "\(path)") }
    }
  }

  @Test("An unknown format exits with 2 and lists the known ones")
  func anUnknownFormatIsWrongUsage() throws {
    let result = try dflatc("compile", "-o", "out", "--format", "xml", "a.fbs")
    #expect(result.status == 2)
    #expect(result.error.contains("sarif"))
  }

  @Test("help compile names the formats")
  func helpNamesTheFormats() throws {
    let help = try dflatc("help", "compile").output
    for word in ["--format", "json", "sarif", "github", "standard output"] { #expect(help.contains(word)) }
  }
}
