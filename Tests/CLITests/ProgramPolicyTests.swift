import Foundation
import TestSupport
import Testing

@Suite("Policies for rules of a team's own")
struct ProgramPolicyTests {
  private func configure(_ rules: String, beside others: String = "", in folder: URL) throws {
    try folder.write(RulePrograms.configuration("./rules", rules, beside: others), to: ".dflatc.json")
  }

  @Test("A check runs programs for each of several schemas that define the same name")
  func eachModuleIsAskedAbout() throws {
    try withFolder { folder in
      for version in ["old", "new"] {
        for app in ["a", "b"] {
          try folder.write("table Post { id: int; }\nroot_type Post;\n", to: "\(version)/\(app)/post.fbs")
        }
      }
      try folder.write("table Note { id: int; }\nroot_type Note;\n", to: "new/c/note.fbs")
      try RulePrograms.answer(#"{"rule":"acme-a","message":"a post","name":"Post"}"#, in: folder)
      try configure(#""acme-a": "error""#, in: folder)
      let result = try dflatc("check", "--format", "line", "old", "new", in: folder)
      let found = result.output.split(separator: "\n").map(String.init).filter { $0.hasSuffix("[acme-a]") }
      #expect(
        result.status == 1
          && found.filter { $0.contains("error: a post") } == [
            "new/a/post.fbs:1:7: error: a post [acme-a]", "new/b/post.fbs:1:7: error: a post [acme-a]",
          ], "\(result.output)\(result.error)")
      try RulePrograms.script("exit 3", in: folder)
      let failed = try dflatc("check", "old", "new", in: folder)
      #expect(failed.status == 3 && failed.error.contains("error[D0405]"), "\(failed.error)")
    }
  }

  @Test("A baseline lets findings of programs through, of each command its own", arguments: ["lint", "check"])
  func baselinesHoldFindingsOfPrograms(_ command: String) throws {
    try withFolder { folder in
      try folder.write("table Post { id: int; }\nroot_type Post;\n", to: "s/post.fbs")
      try RulePrograms.answer(
        #"{"rule":"acme-a","message":"a post","name":"Post"},{"rule":"acme-n","message":"a note","name":"Post"}"#,
        in: folder)
      try configure(#""acme-a": "error", "acme-n": "note""#, in: folder)
      func run(_ command: String, _ options: String...) throws -> ProcessResult {
        let paths = command == "check" ? ["s/post.fbs", "s/post.fbs"] : ["s/post.fbs"]
        return try CLITests.run(productsFolder.appending(path: "dflatc"), [command] + options + paths, in: folder)
      }
      #expect(try run(command).status == 1)
      let written = try run(command, "--write-baseline", "base.json")
      #expect(written.status == 0 && written.error == "note: 1 finding written to base.json\n", "\(written.error)")
      let known = try run(command, "--format", "line", "--baseline", "base.json")
      #expect(known.status == 0 && known.output == "s/post.fbs:1:7: note: a note [acme-n]\n", "\(known.output)")
      // The other command has an entry of its own, and leaves this one alone.
      let other = command == "lint" ? "check" : "lint"
      #expect(try run(other, "--baseline", "base.json").status == 1)
      let both = try run(other, "--write-baseline", "base.json")
      #expect(both.error == "note: 1 finding written to base.json, beside 1 of another command\n", "\(both.error)")
      #expect(try run(command, "--baseline", "base.json").status == 0)
      #expect(try run(other, "--baseline", "base.json").status == 0)
      // What is not found any more is counted.
      try RulePrograms.answer("", in: folder)
      let gone = try run(command, "--baseline", "base.json")
      #expect(
        gone.status == 0 && gone.error.hasPrefix("note: 1 finding of base.json is not found any more"), "\(gone.error)")
    }
  }

  @Test("Rules of programs are set for some paths, and let through by allow", arguments: ["lint", "check"])
  func configurationsSetRulesOfPrograms(_ command: String) throws {
    try withFolder { folder in
      try folder.write("namespace N;\ntable Post { id: int; }\nroot_type Post;\n", to: "s/post.fbs")
      try RulePrograms.answer(
        #"{"rule":"acme-a","message":"a post","name":"N.Post"},{"rule":"acme-a","message":"an id","name":"N.Post.id"}"#,
        in: folder)
      func found(_ others: String) throws -> [String] {
        try configure(#""acme-a": "error""#, beside: others + ", ", in: folder)
        let paths = command == "check" ? ["s/post.fbs", "s/post.fbs"] : ["s/post.fbs"]
        let result = try run(
          productsFolder.appending(path: "dflatc"), [command, "--format", "line"] + paths, in: folder)
        #expect(result.status < 2, "\(result.output)\(result.error)")
        return result.output.split(separator: "\n").map { String($0.dropFirst("s/post.fbs:".count)) }
      }
      let (post, id) = ("2:7: error: a post [acme-a]", "2:14: error: an id [acme-a]")
      #expect(try found(#""rules": {}"#) == [post, id])
      #expect(try found(#""rules": { "acme-a": "off" }"#) == [])
      #expect(try found(#""overrides": [{ "paths": ["s"], "rules": { "acme-a": "off" } }]"#) == [])
      #expect(try found(#""overrides": [{ "paths": ["t"], "rules": { "acme-a": "off" } }]"#) == [post, id])
      #expect(
        try found(#""overrides": [{ "paths": ["s"], "rules": { "acme-a": "note" } }]"#)
          == [post, id].map { $0.replacing("error", with: "note") })
      #expect(try found(#""allow": [{ "rule": "acme-a", "path": "s/post.fbs", "reason": "old" }]"#) == [])
      #expect(try found(#""allow": [{ "rule": "acme-a", "name": "Post", "reason": "old" }]"#) == [])
      #expect(try found(#""allow": [{ "rule": "acme-a", "name": "Post.id", "reason": "old" }]"#) == [post])
      #expect(try found(#""allow": [{ "rule": "acme-a", "name": "Note", "reason": "old" }]"#) == [post, id])
    }
  }

  @Test(
    "An id that neither dflatc nor a program of the configuration has is an error, wherever the program is declared")
  func unknownRulesAreErrors() throws {
    try withFolder { folder in
      try folder.write("table Post { id: int; }\n", to: "post.fbs")
      try RulePrograms.answer("", in: folder)
      try folder.write(RulePrograms.configuration("./rules", #""acme-owner": "error""#), to: "base.json")
      func lint(_ text: String) throws -> ProcessResult {
        try folder.write(text, to: ".dflatc.json")
        return try dflatc("lint", "--format", "line", "post.fbs", in: folder)
      }
      // The program may be that of the configuration that is extended, and be named behind.
      for text in [
        #"{ "rules": { "acme-owner": "off" }, "extends": "base.json" }"#,
        #"{ "overrides": [{ "paths": ["x"], "rules": { "acme-owner": "off" } }], "extends": "base.json" }"#,
        #"{ "allow": [{ "rule": "acme-owner", "path": "x", "reason": "r" }], "extends": "base.json" }"#,
      ] {
        let result = try lint(text)
        #expect(result.status == 0 && result.output.isEmpty, "\(result.output)\(result.error)")
        let alone = try lint(text.replacing(#", "extends": "base.json""#, with: ""))
        #expect(alone.status == 2 && alone.output.contains("there is no rule \"acme-owner\""), "\(alone.output)")
      }
      let near = try lint(#"{ "rules": { "acme-ownr": "off" }, "extends": "base.json" }"#)
      #expect(near.status == 2 && near.output.contains("did you mean \"acme-owner\"?"), "\(near.output)")
      let misplaced = try lint(#"{ "lint": { "rules": { "acme-owner": "off" } }, "extends": "base.json" }"#)
      #expect(
        misplaced.status == 2 && misplaced.output.contains("rules of programs stand in \"rules\""),
        "\(misplaced.output)")
    }
  }
}
