import Foundation
import TestSupport
import Testing

@Suite("Options of dflatc compile in a file")
struct OptionsFileTests {
  private func withSchemas(_ options: String, _ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      try folder.write("attribute \"mark\";\n", to: "common/marks.fbs")
      try folder.write(
        "include \"marks.fbs\";\nnamespace N;\ntable A { x: int (primary, mark); }\nroot_type A;\n", to: "app/a.fbs")
      try folder.write("table", to: "app/drafts/b.fbs")
      try folder.write(options, to: "app/dflatc.json")
      try body(folder)
    }
  }

  private func compile(_ arguments: String..., in folder: URL) throws -> ProcessResult {
    try run(
      productsFolder.appending(path: "dflatc"),
      ["compile", "-o", "out", "--options", "app/dflatc.json"] + arguments, in: folder)
  }

  @Test("Options in a file act like those of the command line, with paths from the file's folder")
  func options() throws {
    let options = """
      { "emit": ["accessors", "json"], "include": ["../common"], "namespaces": "none", "exclude": ["drafts"] }
      """
    try withSchemas(
      options,
      { folder in
        let result = try compile("--depfile", "d", "app", in: folder)
        #expect(result.status == 0, "\(result.error)")
        let out = folder.appending(path: "out")
        #expect(try out.names() == ["a_generated.swift", "a_schema.json"])
        #expect(try String(contentsOf: folder.appending(path: "d"), encoding: .utf8).contains("app/dflatc.json"))
        // The command line comes first.
        try FileManager.default.removeItem(at: out)
        #expect(try compile("--emit", "accessors", "--namespaces", "each", "app", in: folder).status == 0)
        #expect(try out.names() == ["N_namespace_generated.swift", "a_generated.swift"])
      })
  }

  @Test(
    "A mistake is shown with its place, and nothing is written",
    arguments: [
      ("{\n  \"emitters\": []\n}", "error[D0402]: there is no option `emitters`", "2:3", "did you mean \"emit\"?"),
      ("{\n  \"frobnicate\": 1\n}", "error[D0402]: there is no option `frobnicate`", "2:3", "remove it"),
      ("{\"emit\": [],\n\"emit\": []}", "error[D0402]: `emit` is given twice", "2:1", "keep one of them"),
      (
        "{\"emit\":\n[\"acessors\"]}", "error[D0403]: there is no emitter called `acessors`", "2:2",
        "did you mean \"accessors\"?"
      ),
      (
        "{\"emit\": [\"query\"]}", "error[D0403]: the output of query needs that of accessors and data-model", "1:10",
        "add"
      ),
      ("{\"include\": \"x\"}", "error[D0403]: `include` takes an array of strings", "1:13", "write strings in [ ]"),
      (
        "{\"exclude\": [\"x\", 3]}", "error[D0403]: `exclude` takes an array of strings", "1:19", "write strings in [ ]"
      ),
      ("{\"namespaces\": true}", "error[D0403]: `namespaces` takes another value", "1:16", "write \"each\", \"none\""),
      ("{\"output\": []}", "error[D0403]: `output` takes a string", "1:12", "write the path of a folder"),
      ("{\"against\": \"\"}", "error[D0403]: `against` takes a string", "1:13", "write \"git:REF\""),
      ("{\"baseline\": \"x\"}", "error[D0402]: there is no option `baseline`", "1:2", "did you mean \"against\"?"),
      ("[]", "error[D0403]: the options are no object", "1:1", "write an object"),
      ("{\"emit\": [\"accessors\",]}", "error[D0401]: this is not JSON: a value belongs here", "1:23", ""),
      ("{\"emit\" [", "error[D0401]: this is not JSON: a `:` belongs behind the key", "1:9", ""),
      ("{emit: []}", "error[D0401]: this is not JSON: a key in double quotes belongs here", "1:2", ""),
      ("{\"emit\": [accessors]}", "error[D0401]: this is not JSON: this is no value", "1:11", ""),
      ("{\"emit\": \"acc", "error[D0401]: this is not JSON: this string is not closed", "1:10", ""),
      ("{} {}", "error[D0401]: this is not JSON: nothing may follow the value", "1:4", ""),
      ("", "error[D0401]: this is not JSON: a value belongs here", "1:1", ""),
      (
        String(repeating: "[", count: 100_000), "error[D0401]: this is not JSON: values are nested too deeply", "1:33",
        ""
      ),
    ])
  func mistakes(options: String, message: String, place: String, advice: String) throws {
    try withSchemas(
      options,
      { folder in
        let result = try compile("app", in: folder)
        #expect(result.status == 2)
        #expect(
          result.error.contains(message) && (advice.isEmpty || result.error.contains(advice)),
          "\(result.error.prefix(2000))")
        #expect(result.error.contains("--> app/dflatc.json:\(place)\n"), "\(result.error.prefix(2000))")
        #expect(try folder.names() == ["app", "common"])
      })
  }

  @Test("The options name the output folder, and the version that dflatc check compares with")
  func outputAndEarlierVersion() throws {
    try withFolder { folder in
      try folder.write("table A { x: int; }\nroot_type A;\n", to: "app/a.fbs")
      try folder.write("table A { x: long; }\nroot_type A;\n", to: "released/a.fbs")
      try folder.write("table", to: "app/drafts/b.fbs")
      try folder.write(
        #"{ "emit": ["accessors"], "output": "Generated", "against": "../released", "exclude": ["drafts"] }"#,
        to: "app/dflatc.json")
      let compiled = try dflatc("compile", "--options", "app/dflatc.json", "app", in: folder)
      #expect(compiled.status == 0, "\(compiled.error)")
      #expect(try folder.appending(path: "app/Generated").names() == ["a_generated.swift"])
      let checked = try dflatc("check", "--options", "app/dflatc.json", "app", in: folder)
      #expect(checked.status == 1)
      #expect(
        checked.error.contains("error[field-type]") && checked.error.contains("released/a.fbs:1:14"), "\(checked.error)"
      )
      // The command line comes first.
      #expect(
        try dflatc("check", "--options", "app/dflatc.json", "--against", "app/a.fbs", "app/a.fbs", in: folder).status
          == 0)
      #expect(try dflatc("compile", "-o", "out", "--options", "app/dflatc.json", "app", in: folder).status == 0)
      #expect(try folder.appending(path: "out").names() == ["a_generated.swift"])
      // Without them, both are needed.
      try folder.write("{}", to: "none.json")
      let noOutput = try dflatc("compile", "--options", "none.json", "app/a.fbs", in: folder)
      #expect(noOutput.status == 2 && noOutput.error.contains("say -o FOLDER, or \"output\" in none.json"))
      let noVersion = try dflatc("check", "--options", "none.json", "app/a.fbs", in: folder)
      #expect(
        noVersion.status == 2 && noVersion.error.contains("Name the version to compare with"), "\(noVersion.error)")
    }
  }

  @Test("A dot among what is left out is the folder of the options, wherever dflatc runs")
  func excludedFolderOfTheOptions() throws {
    try withFolder { folder in
      try folder.write("table A { x: int; }\n", to: "a.fbs")
      try folder.write("table B { x: int; }\n", to: "app/b.fbs")
      try folder.write(#"{ "exclude": ["."] }"#, to: "app/dflatc.json")
      let result = try dflatc(
        "compile", "--emit", "bfbs", "-o", "out", "--options", "app/dflatc.json", ".", in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(try folder.appending(path: "out").names() == ["a.bfbs"])
    }
  }

  @Test(
    "What is left out is the same for a file of options and a configuration",
    arguments: [
      ("drafts", ["c"]), ("drafts/", ["c"]), ("./drafts", ["b", "c"]), ("./drafts/", ["b", "c"]),
      ("models/drafts/", ["a", "c"]), ("c.fbs", ["a", "b"]),
    ])
  func excludedPathsAsInConfigurations(excluded: String, kept: [String]) throws {
    try withFolder { folder in
      for (table, schema) in [("A", "drafts/a"), ("B", "models/drafts/b"), ("C", "models/c")] {
        try folder.write("table \(table) { x: int; }\n", to: "app/\(schema).fbs")
      }
      let text = "{ \"exclude\": [\"\(excluded)\"] }"
      for name in ["dflatc.json", ".dflatc.json"] {
        try folder.write(text, to: "app/" + name)
        let options = name.hasPrefix(".") ? [] : ["--options", "app/dflatc.json"]
        let result = try run(
          productsFolder.appending(path: "dflatc"), ["compile", "--emit", "bfbs", "-o", "out"] + options + ["app"],
          in: folder)
        #expect(result.status == 0, "\(name): \(result.error)")
        let out = folder.appending(path: "out")
        #expect(try out.names() == kept.map { $0 + ".bfbs" }, "\(name)")
        try FileManager.default.removeItem(at: out)
        try FileManager.default.removeItem(at: folder.appending(path: "app/" + name))
      }
    }
  }

  @Test(
    "The name of a folder beside the options leaves it out where it is an argument itself",
    arguments: ["drafts", "drafts/"])
  func excludedFolderThatIsNamed(excluded: String) throws {
    try withFolder { folder in
      try folder.write("table A { x: int; }\n", to: "app/drafts/a.fbs")
      try folder.write("table B { x: int; }\n", to: "app/models/b.fbs")
      try folder.write("{ \"exclude\": [\"\(excluded)\"] }", to: "app/dflatc.json")
      let result = try dflatc(
        "compile", "--emit", "bfbs", "-o", "out", "--options", "app/dflatc.json", "app/drafts", "app/models",
        in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(try folder.appending(path: "out").names() == ["b.bfbs"])
    }
  }

  @Test("A note says where the options of a file belong in .dflatc.json, once, and not to programs or plug-ins")
  func noteWhereToMove() throws {
    try withFolder { folder in
      try folder.write("table A { x: int; }\nroot_type A;\n", to: "app/a.fbs")
      try folder.write(#"{ "include": ["."], "emit": ["accessors"], "output": "Generated" }"#, to: "both.json")
      try folder.write(#"{ "exclude": ["drafts"], "against": "app/a.fbs" }"#, to: "common.json")
      try folder.write("{}", to: "none.json")
      func error(_ arguments: String...) throws -> String {
        let result = try run(productsFolder.appending(path: "dflatc"), arguments, in: folder)
        #expect(result.status == 0, "\(arguments): \(result.error)")
        return result.error
      }
      let rest = "goes on to work, and is what the plug-ins of SwiftPM and Xcode read\n"
      #expect(
        try error("compile", "--options", "both.json", "app")
          == "note: dflatc finds .dflatc.json without --options: move \"emit\", \"output\" into \"swift\" of .dflatc.json, and "
          + "\"include\" to the top of it; both.json " + rest)
      #expect(
        try error("check", "--options", "common.json", "app/a.fbs")
          == "note: dflatc finds .dflatc.json without --options: move \"exclude\", \"against\" to .dflatc.json; common.json "
          + rest)
      #expect(try error("compile", "-o", "out", "--emit", "accessors", "--options", "none.json", "app").isEmpty)
      #expect(try error("compile", "--format", "line", "--options", "both.json", "app").isEmpty)
      #expect(try error("compile", "--ignore-swift", "--options", "both.json", "app").isEmpty)
      #expect(try error("compile", "--run-by-plugin", "--options", "both.json", "app").isEmpty)
      #expect(try error("check", "--run-by-plugin", "--options", "common.json", "app/a.fbs").isEmpty)
      // What the note says is so.
      try FileManager.default.removeItem(at: folder.appending(path: "Generated"))
      try folder.write(
        #"{ "include": ["."], "swift": { "emit": ["accessors"], "output": "Generated" } }"#, to: ".dflatc.json")
      #expect(try error("compile", "app").isEmpty)
      #expect(try folder.appending(path: "Generated").names() == ["a_generated.swift"])
    }
  }

  @Test("A file that is not there is named")
  func missing() throws {
    let result = try dflatc("compile", "-o", "out", "--options", "missing.json", "a.fbs")
    #expect(result.status == 3 && result.error == "error: cannot read missing.json: there is no such file\n")
  }
}
