import Foundation
import TestSupport
import Testing

@Suite("dflatc lint")
struct LintTests {
  private func content(_ name: String, in folder: URL) throws -> String {
    String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
  }

  @Test("A clean schema gives no output")
  func aCleanSchemaSaysNothing() throws {
    try withFolder { folder in
      try folder.write("table Post { title: string; }\n", to: "post.fbs")
      let result = try dflatc("lint", "post.fbs", in: folder)
      #expect(result.status == 0 && result.output.isEmpty && result.error.isEmpty, "\(result)")
    }
  }

  @Test("A finding shows its rule, its location and what to do")
  func aFindingHasARuleAPlaceAndWhatToDo() throws {
    try withFolder { folder in
      try folder.write("table blog_post { title: string; }\n", to: "post.fbs")
      let result = try dflatc("lint", "post.fbs", in: folder)
      #expect(result.status == 1 && result.output.isEmpty)
      #expect(
        result.error == """
          warning[type-case]: `blog_post` is a table, and is not written in UpperCamelCase
           --> post.fbs:1:7
            |
          1 | table blog_post { title: string; }
            |       ^^^^^^^^^ call it `BlogPost`

          1 warning

          """)
    }
  }

  @Test("A folder is linted with its subfolders, except those that --exclude names")
  func foldersAreLintedAsAWhole() throws {
    try withFolder { folder in
      try folder.write("include \"color.fbs\";\ntable Post { title: string; }\n", to: "Schemas/post.fbs")
      try folder.write("enum Color: byte { Red }", to: "Schemas/color.fbs")
      try folder.write("table bad {}\n", to: "Schemas/third/bad.fbs")
      let result = try dflatc("lint", "Schemas", "--exclude", "third", in: folder)
      #expect(result.status == 1)
      #expect(result.error.contains("--> Schemas/color.fbs:1:25\n"), "\(result.error)")
      #expect(result.error.contains("--> Schemas/post.fbs:1:9\n"))
      #expect(result.error.hasSuffix("\n2 warnings: --fix mends 2\n"))
    }
  }

  @Test("--fix writes the fixes into the files")
  func fixesAreMadeInPlace() throws {
    try withFolder { folder in
      try folder.write("include \"color.fbs\"; \ntable post { title: string; }", to: "post.fbs")
      try folder.write("enum Color: byte { Red }\n", to: "color.fbs")
      let result = try dflatc("lint", "--fix", "post.fbs", "color.fbs", in: folder)
      #expect(result.status == 1)
      #expect(try content("post.fbs", in: folder) == "table post { title: string; }\n")
      #expect(try content("color.fbs", in: folder) == "enum Color: byte { Red }\n")
      #expect(result.error.hasSuffix("1 warning, 2 mended\n"), "\(result.error)")
      try folder.write("table Post {}", to: "post.fbs")
      let second = try dflatc("lint", "--fix", "post.fbs", "color.fbs", in: folder)
      #expect(second.status == 0 && second.error == "1 mended\n")
      #expect(try folder.names() == ["color.fbs", "post.fbs"])
    }
  }

  @Test("The configuration sets the severity of rules and of groups")
  func theConfigurationSetsRulesAndGroups() throws {
    try withFolder { folder in
      try folder.write("table post { likeCount: int; }\n", to: "post.fbs")
      try folder.write(
        #"{ "lint": { "fieldCase": "camel", "rules": { "docs": "note", "type-case": "error" } } }"#, to: ".dflatc.json")
      let result = try dflatc("lint", "--format", "json", "post.fbs", in: folder)
      #expect(result.status == 1)
      #expect(result.output.contains(#""code": "type-case""#) && result.output.contains(#""severity": "error""#))
      #expect(result.output.contains(#""code": "field-doc""#) && !result.output.contains("field-case"))
      // Both commands read the one file.
      let check = try dflatc("check", "post.fbs", "post.fbs", in: folder)
      #expect(check.status == 0, "\(check.error)")
    }
  }

  @Test(
    "A mistake in the configuration is an error with its place",
    arguments: [
      (#"{ "lint": [] }"#, "\"lint\" should be an object"),
      (#"{ "lint": { "rules": { "typ-case": "on" } } }"#, "did you mean \"type-case\"?"),
      (#"{ "lint": { "rules": { "type-case": true } } }"#, "\"type-case\" should be \"on\", \"error\""),
      (#"{ "lint": { "rules": [] } }"#, "\"rules\" should be an object"),
      (#"{ "lint": { "fieldCase": "pascal" } }"#, "\"fieldCase\" should be \"snake\" or \"camel\""),
      (#"{ "lint": { "docs": "on" } }"#, "rules of `dflatc lint` stand in \"rules\" of \"lint\""),
      (#"{ "rules": { "type-case": "off" } }"#, "rules of `dflatc lint` stand in \"rules\" of \"lint\""),
    ])
  func mistakesOfTheConfigurationAreSaid(_ text: String, _ message: String) throws {
    try withFolder { folder in
      try folder.write("table Post {}\n", to: "post.fbs")
      try folder.write(text, to: ".dflatc.json")
      let result = try dflatc("lint", "post.fbs", in: folder)
      #expect(result.status == 2)
      #expect(result.error.contains("--> .dflatc.json:1:") && result.error.contains(message), "\(result.error)")
    }
  }

  @Test("Findings of standard input carry the name that --stdin-name gives")
  func standardInputHasTheNameThatItIsGiven() throws {
    try withFolder { folder in
      try folder.write("table bad {}\n", to: "in.txt")
      let result = try run(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", "'\(productsFolder.appending(path: "dflatc").path)' lint --stdin-name Schemas/post.fbs - < in.txt"],
        in: folder)
      #expect(result.status == 1)
      #expect(result.error.contains("--> Schemas/post.fbs:1:7\n"), "\(result.error)")
      #expect(try dflatc("lint", "--fix", "-", in: folder).status == 2)
    }
  }

  @Test("A schema with errors shows them and exits with 1")
  func aSchemaWithErrorsShowsThem() throws {
    try withFolder { folder in
      try folder.write("table Post { a: Missing; }\n", to: "post.fbs")
      let result = try dflatc("lint", "--fix", "post.fbs", in: folder)
      #expect(result.status == 1 && result.error.contains("error[D02"), "\(result.error)")
      #expect(try dflatc("lint", "missing.fbs", in: folder).status == 3)
      #expect(try dflatc("lint", in: folder).status == 2)
    }
  }

  @Test("Reports as SARIF and for GitHub name the rule of each finding")
  func programsGetReportsWithTheRules() throws {
    try withFolder { folder in
      try folder.write("table bad {}\n", to: "post.fbs")
      let sarif = try dflatc("lint", "--format", "sarif", "post.fbs", in: folder)
      #expect(sarif.status == 1 && sarif.error.isEmpty)
      #expect(sarif.output.contains("\"type-case\"") && sarif.output.contains("UpperCamelCase"))
      let github = try dflatc("lint", "--format", "github", "post.fbs", in: folder)
      #expect(github.output.hasPrefix("::warning file=post.fbs,line=1,"), "\(github.output)")
    }
  }

  @Test("explain prints each lint rule, and the page holds the same text")
  func theRulesAreExplained() throws {
    let rule = try dflatc("explain", "type-case")
    #expect(rule.status == 0 && rule.output.hasPrefix("type-case: a type whose name is not in UpperCamelCase\n"))
    let list = try dflatc("explain", "--lint-rules")
    #expect(list.status == 0 && list.output.split(separator: "\n").count == 25)
    let page = try dflatc("explain", "--lint-rules", "--format", "markdown").output
    let file = packageFolder.appending(path: "Documentation/lint-rules.md")
    #expect(page == (try String(contentsOf: file, encoding: .utf8)), "run `make pages`")
    #expect(try dflatc("explain", "--lint-rules", "--rules").status == 2)
    #expect(try dflatc("explain", "type-cas").error.contains("did you mean type-case?"))
  }

  @Test("Each command reports only the unused allow comments of its own rules")
  func commentsOfBothCommandsStandInOneFile() throws {
    try withFolder { folder in
      try folder.write("table T { a: int; }\n", to: "old.fbs")
      try folder.write(
        """
        // dflatc:allow type-case it is released
        // dflatc:allow field-renamed nobody uses it
        table T { b: int; }

        """, to: "new.fbs")
      let check = try dflatc("check", "old.fbs", "new.fbs", in: folder)
      #expect(check.status == 0 && !check.error.contains("type-case"), "\(check.error)")
      let lint = try dflatc("lint", "new.fbs", in: folder)
      #expect(lint.error.contains("there is no `type-case` here") && !lint.error.contains("field-renamed"))
    }
  }
}
