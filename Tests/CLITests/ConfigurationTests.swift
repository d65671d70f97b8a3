import Foundation
import TestSupport
import Testing

@Suite(".dflatc.json")
struct ConfigurationTests {
  @Test("Each schema has the nearest configuration, whatever the current folder is")
  func eachSchemaHasTheNearestConfigurationWhereverACommandIsRun() throws {
    try withFolder { folder in
      try folder.write("table bad_name {}\n", to: "a/x.fbs")
      try folder.write("table bad_name {}\n", to: "b/deep/y.fbs")
      try folder.write(#"{ "lint": { "rules": { "type-case": "off" } } }"#, to: "b/.dflatc.json")
      let result = try dflatc("lint", "--format", "line", ".", in: folder)
      #expect(result.status == 1)
      #expect(result.output.contains("a/x.fbs:1:7: warning") && !result.output.contains("y.fbs"), "\(result.output)")
      #expect(try dflatc("lint", "deep/y.fbs", in: folder.appending(path: "b")).status == 0)
      #expect(try dflatc("lint", "y.fbs", in: folder.appending(path: "b/deep")).status == 0)
      #expect(try dflatc("lint", "../b/deep", in: folder.appending(path: "a")).status == 0)
    }
  }

  @Test("The paths of a configuration that is extended start at its own folder")
  func aConfigurationExtendsOthersWhosePathsStartAtTheirOwnFolders() throws {
    try withFolder { folder in
      try folder.write("table Common { x: int; }\n", to: "team/common/common.fbs")
      try folder.write(
        #"{ "include": ["common"], "lint": { "rules": { "type-case": "error", "field-case": "off" } } }"#,
        to: "team/base.json")
      try folder.write(
        """
        // The app's own settings.
        { "extends": ["../team/base.json"], /* and one more */ "lint": { "rules": { "field-case": "note" } } }
        """, to: "app/.dflatc.json")
      try folder.write("include \"common.fbs\";\ntable bad { aB: Common; }\nroot_type bad;\n", to: "app/x.fbs")
      let result = try dflatc("lint", "--format", "line", "app", in: folder)
      #expect(result.output.contains("app/x.fbs:2:7: error") && result.output.contains("app/x.fbs:2:13: note"))
      #expect(try dflatc("compile", "-o", "out", "--emit", "bfbs", "app", in: folder).status == 0)
      try folder.write("{}", to: "app/data.json")
      let converted = try dflatc("convert", "-b", "-o", "out/", "app/x.fbs", "app/data.json", in: folder)
      #expect(converted.status == 0, "\(converted.error)")
      #expect(try dflatc("format", "--check", "app/x.fbs", in: folder).status == 0)
    }
  }

  @Test(
    "Every command reports a mistake in the configuration with its place",
    arguments: [
      ("{ \"extends\": \".dflatc.json\" }", "error[D0404]: .dflatc.json would extend itself", "1:14"),
      ("{ \"extends\": [\"a.json\"] }", "error[D0404]: .dflatc.json would extend itself", "a.json:1:14"),
      ("{ \"extends\": \"none.json\" }", "error[D0404]: cannot read none.json: there is no such file", "1:14"),
      ("{\n  \"frobnicate\": 1 }", "error[D0402]: there is no setting \"frobnicate\"", "2:3"),
      ("{ \"includes\": [] }", "did you mean \"include\"?", "1:3"),
      ("{ \"emit\": [] }", "options of generated Swift stand in \"swift\"", "1:3"),
      ("{ \"swift\": { \"include\": [] } }", "it stands beside \"swift\", and not in it", "1:14"),
      ("{ \"swift\": { \"access\": 3 } }", "error[D0403]: `access` takes another value", "1:24"),
      ("{ \"vendored\": [\"x\", 3] }", "\"vendored\" should be an array of strings", "1:21"),
      ("{ \"rules\": {}, \"rules\": {} }", "error[D0402]: \"rules\" is given twice", "1:16"),
      ("{ \"overrides\": [{ \"rules\": {} }] }", "an override says nothing of its paths", "1:17"),
      ("{ \"overrides\": {} }", "\"overrides\" should be an array", "1:16"),
      ("{ \"allow\": [{ \"rule\": \"type-removed\", \"path\": \"x\" }] }", "has no \"reason\"", "1:13"),
      ("{ \"allow\": [{ \"rule\": \"typ-removed\" }] }", "did you mean \"type-removed\"?", "1:23"),
      ("{ \"against\": 1 }", "\"against\" should be a string", "1:14"),
      ("{ /* not closed", "error[D0401]: this is not JSON: this comment is not closed", "1:3"),
    ])
  func aMistakeIsSaidWithItsPlaceByEveryCommand(_ text: String, _ message: String, _ place: String) throws {
    try withFolder { folder in
      try folder.write("table Post {}\n", to: "post.fbs")
      try folder.write("{ \"extends\": \".dflatc.json\" }", to: "a.json")
      try folder.write(text, to: ".dflatc.json")
      for arguments in [
        ["lint", "post.fbs"], ["format", "post.fbs"], ["check", "post.fbs", "post.fbs"],
        ["compile", "-o", "out", "--emit", "bfbs", "post.fbs"], ["convert", "-b", "post.fbs"],
      ] {
        let result = try run(productsFolder.appending(path: "dflatc"), arguments, in: folder)
        #expect(result.status == 2, "\(arguments): \(result.error)")
        #expect(result.error.contains(message) && result.error.contains("\(place)\n"), "\(arguments): \(result.error)")
      }
      #expect(try folder.names() == [".dflatc.json", "a.json", "post.fbs"])
    }
  }

  @Test("Options of generated Swift hold unless the command line sets others")
  func whatIsSetOfGeneratedSwiftHoldsUnlessTheCommandLineSaysOtherwise() throws {
    try withFolder { folder in
      try folder.write("table Post { id: string (primary); }\nroot_type Post;\n", to: "s/post.fbs")
      try folder.write(
        #"{ "swift": { "output": "../Generated", "emit": ["accessors"], "access": "internal" } }"#, to: "s/.dflatc.json"
      )
      #expect(try dflatc("compile", "s", in: folder).status == 0)
      #expect(try folder.appending(path: "Generated").names() == ["post_generated.swift"])
      let text = try String(contentsOf: folder.appending(path: "Generated/post_generated.swift"), encoding: .utf8)
      #expect(!text.contains("public struct"))
      #expect(try dflatc("compile", "-o", "other", "--emit", "bfbs", "s", in: folder).status == 0)
      #expect(try folder.appending(path: "other").names() == ["post.bfbs"])
      // The plug-in of SwiftPM has to know its outputs beforehand.
      #expect(try dflatc("compile", "--ignore-swift", "-o", "plain", "s", in: folder).status == 0)
      #expect(try folder.appending(path: "plain").names().contains("post_data_model_generated.swift"))
      // A depfile names what the outputs depend on.
      #expect(try dflatc("compile", "--depfile", "d", "s", in: folder).status == 0)
      #expect(try String(contentsOf: folder.appending(path: "d"), encoding: .utf8).contains("s/.dflatc.json"))
      // Without a configuration there is no folder to write to.
      let missing = try dflatc("compile", "--config", "/dev/null", "s", in: folder)
      #expect(missing.status == 2)
      try folder.write("table A { x: int; }\n", to: "t/a.fbs")
      let several = try dflatc("compile", "s", "t", in: folder)
      #expect(several.status == 2 && several.error.contains("several configurations of what is generated"))
    }
  }

  @Test("Excluded and vendored files are left out by lint and format even if they are named")
  func namedFilesAreLeftOutToo() throws {
    try withFolder { folder in
      try folder.write("table bad_name {a:int;}\n", to: "third_party/x.fbs")
      try folder.write("table bad_name {a:int;}\n", to: "gen_x.fbs")
      try folder.write(#"{ "vendored": ["third_party"], "exclude": ["gen_*.fbs"] }"#, to: ".dflatc.json")
      // As hooks name what was changed.
      for command in [["lint"], ["format", "--check"]] {
        let arguments = command + ["third_party/x.fbs", "gen_x.fbs"]
        let result = try run(productsFolder.appending(path: "dflatc"), arguments, in: folder)
        #expect(result.status == 0 && result.output.isEmpty && result.error.isEmpty, "\(arguments) \(result.error)")
      }
      // To compile them is a wish of its own.
      #expect(try dflatc("compile", "-o", "o", "--emit", "bfbs", "third_party/x.fbs", in: folder).status == 0)
    }
  }

  @Test("format --diff shows what it would change")
  func formatShowsWhatItWouldChange() throws {
    try withFolder { folder in
      try folder.write("table Post {a:int;}\n", to: "post.fbs")
      let result = try dflatc("format", "--diff", ".", in: folder)
      #expect(result.status == 1)
      #expect(
        result.output == """
          --- post.fbs
          +++ post.fbs
          @@ -1 +1 @@
          -table Post {a:int;}
          +table Post { a: int; }

          """)
      #expect(try String(contentsOf: folder.appending(path: "post.fbs"), encoding: .utf8) == "table Post {a:int;}\n")
      #expect(try dflatc("format", "post.fbs", in: folder).status == 0)
      #expect(try dflatc("format", "--diff", "post.fbs", in: folder).output.isEmpty)
    }
  }

  @Test("What the configuration of either version leaves out is compared in neither")
  func whatOneVersionLeavesOutIsLeftOutOfBoth() throws {
    try withFolder { folder in
      let text = "table G { id: string (primary); x: int; }\nroot_type G;\n"
      for version in ["old", "new"] {
        try folder.write("table A { x: int; }\n", to: "\(version)/a.fbs")
        try folder.write(text, to: "\(version)/gen/g.fbs")
      }
      try folder.write(text.replacing("x: int", with: "x: long"), to: "new/gen/g.fbs")
      #expect(try dflatc("check", "old", "new", in: folder).status == 1)
      for arguments in [["old/gen", "new/gen"], ["old/gen/g.fbs", "new/gen/g.fbs"], ["old", "new/"]] {
        try folder.write(#"{ "exclude": ["gen"] }"#, to: "new/.dflatc.json")
        let result = try run(productsFolder.appending(path: "dflatc"), ["check"] + arguments, in: folder)
        #expect(result.status == 0 && result.error.isEmpty, "\(arguments): \(result.error)")
      }
      try FileManager.default.removeItem(at: folder.appending(path: "new/.dflatc.json"))
      let option = try dflatc("check", "--exclude", "new/gen", "old", "new", in: folder)
      #expect(option.status == 0 && option.error.isEmpty, "\(option.error)")
      // An earlier version that is named counts, whatever else is done with its files.
      try folder.write(#"{ "exclude": ["gen"] }"#, to: "old/.dflatc.json")
      #expect(try dflatc("check", "old/gen/g.fbs", "new/gen/g.fbs", in: folder).status == 1)
    }
  }
}
