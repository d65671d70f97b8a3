import Foundation
import TestSupport
import Testing

@Suite("Rules of a team's own")
struct RuleProgramTests {
  private func configure(_ path: String, _ rules: String, _ more: String = "", in folder: URL) throws {
    try folder.write(RulePrograms.configuration(path, rules, more), to: ".dflatc.json")
  }

  @Test("A finding of a program stands where the name in it is declared")
  func findingsStandWhereTheirNamesAreDeclared() throws {
    try withFolder { folder in
      try folder.write("namespace Shop;\n\ntable Post {\n  title: string;\n}\n", to: "s/post.fbs")
      try RulePrograms.answer(
        #"{"rule":"acme-a","message":"a type","name":"Shop.Post"},"#
          + #"{"rule":"acme-b","message":"a field","advice":"call it x","name":"Shop.Post.title"},"#
          + #"{"rule":"acme-c","message":"a file"},{"rule":"acme-off","message":"nothing"}"#, in: folder)
      try configure(
        "./rules", #""acme-a": "error", "acme-b": "warning", "acme-c": "note", "acme-off": "off""#, in: folder)
      let result = try dflatc("lint", "--format", "line", "s", in: folder)
      #expect(
        result.output == """
          s/post.fbs:1:1: note: a file [acme-c]
          s/post.fbs:3:7: error: a type [acme-a]
          s/post.fbs:4:3: warning: a field: call it x [acme-b]

          """, "\(result.error)")
      #expect(result.status == 1)
      // Comments let findings through, and have to be of use.
      try folder.write(
        "namespace Shop;\n\n// dflatc:allow acme-a it is old\ntable Post {\n  title: string;  // dflatc:allow acme-b so what\n}\n",
        to: "s/post.fbs")
      let allowed = try dflatc("lint", "--format", "line", "s", in: folder)
      #expect(allowed.status == 0 && allowed.output == "s/post.fbs:1:1: note: a file [acme-c]\n", "\(allowed.output)")
      let check = try dflatc("check", "s/post.fbs", "s/post.fbs", in: folder)
      #expect(check.status == 0 && !check.error.contains("allow-malformed"), "\(check.error)")
    }
  }

  @Test("A program that checks is given both versions")
  func aCheckTellsBothVersions() throws {
    try withFolder { folder in
      try folder.write("table Post { a: int; }\n", to: "old.fbs")
      try folder.write("table Post { a: int; b: int; }\n", to: "new.fbs")
      try RulePrograms.answer(#"{"rule":"acme-a","message":"it grew","name":"Post"}"#, in: folder)
      try configure("./rules", #""acme-a": "error""#, in: folder)
      let result = try dflatc("check", "--level", "storage", "old.fbs", "new.fbs", in: folder)
      #expect(
        result.status == 1 && result.error.contains("error[acme-a]: it grew\n --> new.fbs:1:7"), "\(result.error)")
      let request = try dflatc(
        "convert", "-t", "--root-type", "CodeGeneratorRequest", "--raw-binary", "-o", "request.json", "plugin.fbs",
        "request.bin", in: folder)
      #expect(request.status == 0, "\(request.error)")
      let text = try String(contentsOf: folder.appending(path: "request.json"), encoding: .utf8)
      #expect(text.contains("task: \"check\"") && text.contains("old_schema: ["))
      let json = try dflatc("check", "--format", "json", "old.fbs", "new.fbs", in: folder)
      let report = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      try checkAgainstSchema(report)
      #expect(report["compatible"] as? Bool == false && (report["programs"] as? [Any])?.count == 1)
    }
  }

  @Test(
    "A program that fails is a diagnostic at its entry in the configuration",
    arguments: [
      ("sleep 60", "it did not answer within 1 seconds"), ("kill -9 $$", "it was ended by signal 9"),
      ("exit 3", "it exited with 3"), ("echo nonsense", "is no CodeGeneratorResponse"),
      ("head -c 100000000 /dev/zero", "it wrote more than 16 MiB"), ("true", "it wrote nothing"),
      ("exec yes >&2", "it did not answer within 1 seconds"),
      ("exec yes >&2 >/dev/null", "it did not answer within 1 seconds"),
    ])
  func aProgramThatFailsIsADiagnosticAtItsEntry(_ text: String, _ message: String) throws {
    try withFolder { folder in
      try folder.write("table Post { a: int; }\n", to: "post.fbs")
      try RulePrograms.script(text, in: folder)
      try configure("rules", #""acme-a": "error""#, #""timeout": 1, "#, in: folder)
      for command in [["lint", "post.fbs"], ["check", "post.fbs", "post.fbs"]] {
        let result = try run(productsFolder.appending(path: "dflatc"), command, in: folder)
        #expect(result.status == 3, "\(command)")
        #expect(
          result.error.contains("error[D0405]") && result.error.contains(message)
            && result.error.contains("--> .dflatc.json:1:"), "\(result.error.suffix(1000))")
        // The first MiB of its errors is shown.
        #expect(result.error.utf8.count < 1 << 21)
      }
    }
  }

  @Test("Of what a program writes to standard error the first MiB is shown, and a note says that there was more")
  func longErrorsAreCut() throws {
    try withFolder { folder in
      try folder.write("table Post { a: int; }\n", to: "post.fbs")
      try RulePrograms.answer(#"{"rule":"acme-a","message":"a type","name":"Post"}"#, in: folder)
      try RulePrograms.script("yes | head -c 100000000 >&2; cat response.bin", in: folder)
      try configure("./rules", #""acme-a": "error""#, in: folder)
      let result = try dflatc("lint", "post.fbs", in: folder)
      #expect(result.status == 1 && result.error.contains("error[acme-a]: a type"))
      #expect(result.error.utf8.count < 1 << 21, "\(result.error.utf8.count)")
      #expect(
        result.error.matches(of: /note: .*rules wrote more than 1 MiB to its standard error: the rest is not shown\n/)
          .count == 1)
    }
  }

  @Test("A mistake in the entry of a program is an error with its place")
  func mistakesOfAnEntryAreSaid() throws {
    try withFolder { folder in
      try folder.write("table Post { a: int; }\n", to: "post.fbs")
      try RulePrograms.answer(#"{"rule":"acme-x","message":"m","name":"Post"}"#, in: folder)
      try configure("./rules", #""acme-a": "error""#, in: folder)
      let unknown = try dflatc("lint", "post.fbs", in: folder)
      #expect(unknown.status == 3 && unknown.error.contains("`acme-x`, which is none of its \"rules\": acme-a"))
      for (rules, message) in [
        (#""acme-a": "loud""#, "should be \"error\", \"warning\", \"note\" or \"off\""),
        (#""type-case": "error""#, "is a rule of dflatc itself"), (#""A b": "error""#, "a rule's id has"),
      ] {
        try configure("./rules", rules, in: folder)
        let wrong = try dflatc("lint", "post.fbs", in: folder)
        #expect(wrong.status == 2 && wrong.error.contains(message), "\(wrong.error)")
      }
      try folder.write(#"{ "programs": [{ "path": "./rules" }] }"#, to: ".dflatc.json")
      #expect(try dflatc("lint", "post.fbs", in: folder).error.contains("has no \"name\""))
    }
  }
}
