import Foundation
import TestSupport
import Testing

/// Python with the package `flatbuffers`: the one of the machine, or the one that Scripts/install-tools.sh made.
private let python: URL? = {
  let environment = packageFolder.appending(path: ".build/plugin-python/bin/python3")
  for program in [environment.path, "/usr/bin/env python3"] {
    let words = program.split(separator: " ").map(String.init) + ["-c", "import flatbuffers"]
    // A machine without it has no such program, or one that fails.
    let result = try? run(URL(fileURLWithPath: words[0]), Array(words.dropFirst()))
    if result?.status == 0 { return URL(fileURLWithPath: words[0]) }
  }
  return nil
}()

@Suite(
  "The plug-in in Python",
  .enabled(if: python != nil, "needs python3 with the package flatbuffers: Scripts/install-tools.sh test installs it"))
struct PythonPluginTests {
  private func compile(_ arguments: [String], parameter: String = "", in folder: URL) throws -> ProcessResult {
    let program = packageFolder.appending(path: "Examples/plugin-python/dflatc-gen-fields").path
    return try run(
      productsFolder.appending(path: "dflatc"),
      ["compile", "-o", "out", "--emit", "accessors", "--plugin", "fields=\(program)\(parameter)"] + arguments,
      in: folder, environment: environment)
  }

  @Test("The plug-in lists the fields of each schema")
  func itListsTheFieldsOfEachSchema() throws {
    try withFolder { folder in
      try folder.write("namespace A; enum E: byte { X } struct V { x: float; y: [int:3]; }", to: "a.fbs")
      try folder.write(
        "include \"a.fbs\"; table T { v: A.V; e: [A.E]; s: string; t: [T]; u: U; } union U { T } table W { l: ulong; }",
        to: "b.fbs")
      let result = try compile(["b.fbs", "a.fbs"], in: folder)
      #expect(result.status == 0, "\(result.error)")
      let out = folder.appending(path: "out")
      #expect(
        try String(contentsOf: out.appending(path: "a_fields.csv"), encoding: .utf8)
          == "type,id,field,kind\nA.V,0,x,float\nA.V,1,y,[int:3]\n")
      #expect(
        try String(contentsOf: out.appending(path: "b_fields.csv"), encoding: .utf8) == """
          type,id,field,kind
          T,0,v,A.V
          T,1,e,[A.E]
          T,2,s,string
          T,3,t,[T]
          T,4,u_type,U
          T,5,u,U
          W,0,l,ulong

          """)
      let tabs = try compile(["a.fbs"], parameter: ":tab", in: folder)
      #expect(tabs.status == 0, "\(tabs.error)")
      #expect(
        try String(contentsOf: out.appending(path: "a_fields.csv"), encoding: .utf8).contains("A.V\t0\tx\tfloat\n"))
    }
  }

  @Test("The plug-in lists vectors of 64-bit length")
  func largeVectors() throws {
    try withFolder { folder in
      try folder.write(
        "struct S { x: int; } table T { a: [ubyte] (vector64); b: [S] (vector64); c: string (offset64); d: int; }",
        to: "a.fbs")
      let result = try compile(["a.fbs"], in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(
        try String(contentsOf: folder.appending(path: "out/a_fields.csv"), encoding: .utf8)
          == "type,id,field,kind\nS,0,x,int\nT,0,a,[ubyte]\nT,1,b,[S]\nT,2,c,string\nT,3,d,int\n")
    }
  }

  @Test("An error of the plug-in becomes a diagnostic, and nothing is written")
  func whatItRefusesIsADiagnostic() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }", to: "t.fbs")
      let result = try compile(["t.fbs"], parameter: ":semicolon", in: folder)
      #expect(result.status == 1)
      #expect(result.error.contains("D0306") && result.error.contains("not 'semicolon'"), "\(result.error)")
      #expect(try !folder.names().contains("out"))
    }
  }

  /// Writes a configuration with the example's rules.
  private func configureRules(beside others: String = "", in folder: URL) throws {
    let program = packageFolder.appending(path: "Examples/plugin-python/dflatc-rules-acme").path
    try folder.write(
      RulePrograms.configuration(
        program, #""acme-owner": "error", "acme-no-shrinking": "warning""#, beside: others), to: ".dflatc.json")
  }

  private var environment: [String: String] {
    let folders = [
      packageFolder.appending(path: ".build/plugin-python/bin").path, ProcessInfo.processInfo.environment["PATH"] ?? "",
    ]
    return ["PATH": folders.joined(separator: ":")]
  }

  @Test("A comment for a rule of one task is not called unused by the other task")
  func commentsOfTheOtherTaskAreNotJudged() throws {
    try withFolder { folder in
      try configureRules(beside: #""rules": { "field-removed": "off" }, "#, in: folder)
      try folder.write("/// Owner: blog\ntable Post { a: int; b: int; }\ntable Note { a: int; }\n", to: "old.fbs")
      let post = "// dflatc:allow acme-no-shrinking it was never stored\n/// Owner: blog\ntable Post { a: int; }\n"
      let note = "// dflatc:allow acme-owner it is about to go\n"
      try folder.write(post + note + "table Note { a: int; }\n", to: "new.fbs")
      let lint = try dflatc("lint", "--format", "line", "new.fbs", in: folder, environment: environment)
      #expect(lint.status == 0 && lint.output.isEmpty, "\(lint.output)\(lint.error)")
      let check = try dflatc(
        "check", "--strict", "--format", "line", "old.fbs", "new.fbs", in: folder, environment: environment)
      #expect(check.status == 0 && check.output.isEmpty, "\(check.output)\(check.error)")
      // The task that checks the rule finds a comment without use.
      try folder.write(post + note + "/// Owner: blog\ntable Note { a: int; }\n", to: "new.fbs")
      let unused = try dflatc("lint", "--format", "line", "new.fbs", in: folder, environment: environment)
      #expect(
        unused.status == 1
          && unused.output.hasPrefix("new.fbs:4:1: warning: nothing to allow: there is no `acme-owner` here"),
        "\(unused.output)")
      let same = try dflatc(
        "check", "--strict", "--format", "line", "new.fbs", "new.fbs", in: folder, environment: environment)
      #expect(
        same.status == 1
          && same.output.hasPrefix("new.fbs:1:1: warning: nothing to allow: there is no `acme-no-shrinking` here"),
        "\(same.output)")
      #expect(same.output.split(separator: "\n").count == 1)
    }
  }

  @Test("The example in Python reports what its page shows")
  func itsRulesAreThoseOfTheExample() throws {
    try withFolder { folder in
      try configureRules(in: folder)
      try folder.write(
        "/// A post.\n/// Owner: blog\ntable Post { a: int; b: int; }\ntable Note { a: int; }\n", to: "old.fbs")
      try folder.write("/// Owner: blog\ntable Post { a: int; }\ntable Note { a: int; }\n", to: "new.fbs")
      let lint = try dflatc("lint", "--format", "line", "old.fbs", in: folder, environment: environment)
      #expect(
        lint.output == "old.fbs:4:7: error: nobody owns `Note`: add a comment `/// Owner: NAME` [acme-owner]\n",
        "\(lint.error)")
      let check = try dflatc("check", "--format", "line", "old.fbs", "new.fbs", in: folder, environment: environment)
      #expect(check.output.contains("new.fbs:2:7: warning: `Post` has fewer fields than it had"), "\(check.error)")
    }
  }
}
