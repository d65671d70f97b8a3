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
    let folders = [
      packageFolder.appending(path: ".build/plugin-python/bin").path, ProcessInfo.processInfo.environment["PATH"] ?? "",
    ]
    return try run(
      productsFolder.appending(path: "dflatc"),
      ["compile", "-o", "out", "--emit", "accessors", "--plugin", "fields=\(program)\(parameter)"] + arguments,
      in: folder, environment: ["PATH": folders.joined(separator: ":")])
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

  @Test("The example in Python reports what its page shows")
  func itsRulesAreThoseOfTheExample() throws {
    try withFolder { folder in
      let program = packageFolder.appending(path: "Examples/plugin-python/dflatc-rules-acme").path
      try folder.write(
        "{ \"programs\": [{ \"name\": \"acme\", \"path\": \"\(program)\", \"rules\": "
          + "{ \"acme-owner\": \"error\", \"acme-no-shrinking\": \"warning\" } }] }", to: ".dflatc.json")
      try folder.write(
        "/// A post.\n/// Owner: blog\ntable Post { a: int; b: int; }\ntable Note { a: int; }\n", to: "old.fbs")
      try folder.write("/// Owner: blog\ntable Post { a: int; }\ntable Note { a: int; }\n", to: "new.fbs")
      let folders = [
        packageFolder.appending(path: ".build/plugin-python/bin").path,
        ProcessInfo.processInfo.environment["PATH"] ?? "",
      ]
      let environment = ["PATH": folders.joined(separator: ":")]
      let lint = try dflatc("lint", "--format", "line", "old.fbs", in: folder, environment: environment)
      #expect(
        lint.output == "old.fbs:4:7: error: nobody owns `Note`: add a comment `/// Owner: NAME` [acme-owner]\n",
        "\(lint.error)")
      let check = try dflatc("check", "--format", "line", "old.fbs", "new.fbs", in: folder, environment: environment)
      #expect(check.output.contains("new.fbs:2:7: warning: `Post` has fewer fields than it had"), "\(check.error)")
    }
  }
}
