import Foundation
import TestSupport
import Testing

@Suite("Programs that several configurations name")
struct ProgramSettingsTests {
  /// Two folders with a schema each.
  private func withFolders(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      try folder.write("table Post { x: int; }\n", to: "a/post.fbs")
      try folder.write("table Note { x: int; }\n", to: "b/note.fbs")
      try body(folder)
    }
  }

  private func lint(in folder: URL) throws -> ProcessResult {
    try dflatc("lint", "--format", "line", "a", "b", in: folder)
  }

  @Test("Each configuration's rules hold for its own schemas")
  func eachConfigurationHasItsRules() throws {
    try withFolders { folder in
      try RulePrograms.answer(
        #"{"rule":"acme-a","message":"a post","name":"Post"},{"rule":"acme-a","message":"a note","name":"Note"}"#,
        in: folder)
      for (a, b, expected) in [
        ("error", "off", ["a/post.fbs:1:7: error: a post [acme-a]"]),
        ("off", "error", ["b/note.fbs:1:7: error: a note [acme-a]"]),
        ("note", "warning", ["a/post.fbs:1:7: note: a post [acme-a]", "b/note.fbs:1:7: warning: a note [acme-a]"]),
      ] {
        try folder.write(RulePrograms.configuration("../rules", "\"acme-a\": \"\(a)\""), to: "a/.dflatc.json")
        try folder.write(RulePrograms.configuration("../rules", "\"acme-a\": \"\(b)\""), to: "b/.dflatc.json")
        let result = try lint(in: folder)
        #expect(result.output.split(separator: "\n").map(String.init) == expected, "\(result.output)\(result.error)")
      }
    }
  }

  @Test("A rule that only one of the configurations lists is no mistake of the other one")
  func rulesMayDiffer() throws {
    try withFolders { folder in
      try RulePrograms.answer(
        #"{"rule":"acme-a","message":"a post","name":"Post"},{"rule":"acme-b","message":"a note","name":"Note"}"#,
        in: folder)
      try folder.write(RulePrograms.configuration("../rules", "\"acme-a\": \"error\""), to: "a/.dflatc.json")
      try folder.write(RulePrograms.configuration("../rules", "\"acme-b\": \"note\""), to: "b/.dflatc.json")
      let result = try lint(in: folder)
      #expect(
        result.status == 1
          && result.output == "a/post.fbs:1:7: error: a post [acme-a]\nb/note.fbs:1:7: note: a note [acme-b]\n",
        "\(result.output)\(result.error)")
    }
  }

  @Test("Each configuration hands on its own parameter, and programs with the same settings are run once")
  func parametersAreTheirOwn() throws {
    try withFolders { folder in
      try RulePrograms.answer(#"{"rule":"acme-a","message":"m","name":"Post"}"#, in: folder)
      let path = folder.path
      try RulePrograms.script(
        "cat > '\(path)/request.bin'; grep -ao 'for-[ab]' '\(path)/request.bin' >> '\(path)/runs'; cat '\(path)/response.bin'",
        in: folder)
      func configure(_ parameters: (a: String, b: String)) throws {
        for (name, parameter) in [("a", parameters.a), ("b", parameters.b)] {
          try folder.write(
            RulePrograms.configuration("../rules", "\"acme-a\": \"note\"", "\"parameter\": \"\(parameter)\", "),
            to: "\(name)/.dflatc.json")
        }
        try folder.write("", to: "runs")
      }
      try configure(("for-a", "for-b"))
      #expect(try lint(in: folder).status == 0)
      #expect(try String(contentsOf: folder.appending(path: "runs"), encoding: .utf8) == "for-a\nfor-b\n")
      try configure(("for-a", "for-a"))
      #expect(try lint(in: folder).output == "a/post.fbs:1:7: note: m [acme-a]\n")
      #expect(try String(contentsOf: folder.appending(path: "runs"), encoding: .utf8) == "for-a\n")
    }
  }
}
