import Foundation
import TestSupport
import Testing

@Suite("dflatc check")
struct CheckTests {
  private let old = "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"
  private let wider = "table Post { id: string (primary); likes: long; }\nroot_type Post;\n"
  private let renamed = "table Post { id: string (primary); stars: int; }\nroot_type Post;\n"

  @Test("The exit code says whether the new version may replace the old one")
  func exitCodes() throws {
    try withFolder { folder in
      try folder.write(old, to: "old.fbs")
      try folder.write(wider, to: "wider.fbs")
      try folder.write(renamed, to: "renamed.fbs")
      try folder.write("table {", to: "broken.fbs")
      let same = try dflatc("check", "old.fbs", "old.fbs", in: folder)
      #expect(same.status == 0 && same.output.isEmpty && same.error.isEmpty)
      let warned = try dflatc("check", "old.fbs", "renamed.fbs", in: folder)
      #expect(warned.status == 0 && warned.error.contains("warning[field-renamed]"))
      #expect(try dflatc("check", "--level", "storage", "old.fbs", "renamed.fbs", in: folder).error.isEmpty)
      let failed = try dflatc("check", "old.fbs", "wider.fbs", in: folder)
      #expect(failed.status == 1)
      #expect(failed.error.contains("--> wider.fbs:1:43") && failed.error.contains("::: old.fbs:1:43"))
      #expect(try dflatc("check", "old.fbs", in: folder).status == 2)
      #expect(try dflatc("check", "--rename", "a=b", "old.fbs", "old.fbs", in: folder).status == 2)
      let broken = try dflatc("check", "broken.fbs", "old.fbs", in: folder)
      #expect(broken.status == 3 && broken.error.hasPrefix("error: OLD: broken.fbs has errors"))
      #expect(try dflatc("check", "old.fbs", "broken.fbs", in: folder).error.hasPrefix("error: NEW: "))
      let missing = try dflatc("check", "old.fbs", "none.fbs", in: folder)
      #expect(missing.status == 3 && missing.error.contains("NEW: cannot read none.fbs"))
    }
  }

  @Test("Programs get JSON, SARIF and GitHub's commands on standard output")
  func formats() throws {
    try withFolder { folder in
      try folder.write(old, to: "old.fbs")
      try folder.write(wider, to: "new.fbs")
      let json = try dflatc("check", "--format", "json", "old.fbs", "new.fbs", in: folder)
      #expect(json.status == 1 && json.error.isEmpty)
      let report = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      #expect(report["version"] as? Int == 1 && report["compatible"] as? Bool == false)
      let finding = try #require((report["findings"] as? [[String: Any]])?.first)
      #expect(finding["rule"] as? String == "field-type" && finding["level"] as? String == "storage")
      let place = try #require(finding["new"] as? [String: Any])
      let start = try #require(place["start"] as? [String: Any])
      #expect(
        place["file"] as? String == "new.fbs" && start["offset"] as? Int == 42 && start["utf16Column"] as? Int == 43)
      #expect((finding["fix"] as? [String: Any])?["replacement"] as? String == "int")
      try checkAgainstSchema(report)

      let sarif = try dflatc("check", "--format", "sarif", "old.fbs", "new.fbs", in: folder)
      let log = try #require(try JSONSerialization.jsonObject(with: Data(sarif.output.utf8)) as? [String: Any])
      let result = try #require(
        ((log["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]])?.first)
      #expect(result["ruleId"] as? String == "field-type" && result["level"] as? String == "error")
      #expect((result["relatedLocations"] as? [Any])?.count == 1)
      #expect((result["fixes"] as? [Any])?.count == 1)
      #expect(SARIFRule.log.violations(in: log) == [])

      let commands = try dflatc("check", "--format", "github", "old.fbs", "new.fbs", in: folder)
      #expect(commands.output.hasPrefix("::error file=new.fbs,line=1,col=43,endLine=1,endColumn=47,title=field-type"))
    }
  }

  @Test("Notes of what an older version drops are in every format, and change no exit code")
  func additions() throws {
    try withFolder { folder in
      let before = """
        table Text { text: string; }
        union Content { Text }
        table Post { id: string (primary); cover: Content; contents: [Content]; }
        root_type Post;

        """
      try folder.write(before, to: "old.fbs")
      try folder.write(before.replacing("{ Text }", with: "{ Text, Link: string }"), to: "new.fbs")
      func check(_ arguments: String...) throws -> ProcessResult {
        let result = try run(
          productsFolder.appending(path: "dflatc"), ["check"] + arguments + ["old.fbs", "new.fbs"], in: folder)
        #expect(result.status == 0)
        return result
      }
      let fields = [
        "`Post.cover`: an older version stores nothing instead",
        "`Post.contents`: an older version leaves such elements out",
      ]
      let text = try check()
      #expect(
        text.output.isEmpty && text.error.hasPrefix("note[union-member-added]: `Link` is new in union `Content`\n"))
      #expect(fields.allSatisfy { text.error.contains($0) })

      let json = try check("--format", "json")
      let report = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      #expect(report["compatible"] as? Bool == true)
      let finding = try #require((report["findings"] as? [[String: Any]])?.first)
      #expect(finding["rule"] as? String == "union-member-added" && finding["severity"] as? String == "note")
      #expect((finding["labels"] as? [[String: Any]])?.compactMap { $0["text"] as? String } == fields)
      try checkAgainstSchema(report)

      let sarif = try check("--format", "sarif")
      let log = try #require(try JSONSerialization.jsonObject(with: Data(sarif.output.utf8)) as? [String: Any])
      let result = try #require(
        ((log["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]])?.first)
      #expect(result["ruleId"] as? String == "union-member-added" && result["level"] as? String == "note")
      // The two fields, and the union in OLD.
      #expect((result["relatedLocations"] as? [Any])?.count == 3)
      #expect(SARIFRule.log.violations(in: log) == [])

      let commands = try check("--format", "github")
      #expect(commands.output.hasPrefix("::notice file=new.fbs,line=2,col=23,"))
      #expect(fields.allSatisfy { commands.output.contains($0) })

      try folder.write(#"{ "rules": { "union-member-added": "off" } }"#, to: "off.json")
      #expect(try check("--config", "off.json").error.isEmpty)
      try folder.write(#"{ "rules": { "union-member-added": "error" } }"#, to: "error.json")
      #expect(try dflatc("check", "--config", "error.json", "old.fbs", "new.fbs", in: folder).status == 1)
    }
  }

  @Test("A configuration changes severities, and an unknown rule in it is an error")
  func configuration() throws {
    try withFolder { folder in
      try folder.write(old, to: "old.fbs")
      try folder.write(wider, to: "new.fbs")
      try folder.write(#"{ "rules": { "field-type": "off" } }"#, to: ".dflatc.json")
      #expect(try dflatc("check", "old.fbs", "new.fbs", in: folder).status == 0)
      try folder.write(#"{ "rules": { "field-type": "warning" } }"#, to: "other.json")
      let warned = try dflatc("check", "--config", "other.json", "old.fbs", "new.fbs", in: folder)
      #expect(warned.status == 0 && warned.error.contains("warning[field-type]"))
      try folder.write(#"{ "rules": { "feild-type": "off" } }"#, to: ".dflatc.json")
      let unknown = try dflatc("check", "old.fbs", "new.fbs", in: folder)
      #expect(unknown.status == 2 && unknown.error.contains("did you mean \"field-type\"?"))
      for wrong in ["[]", "{", #"{ "rules": { "field-type": 1 } }"#, #"{ "rule": {} }"#] {
        try folder.write(wrong, to: ".dflatc.json")
        #expect(try dflatc("check", "old.fbs", "new.fbs", in: folder).status == 2, "\(wrong)")
      }
      #expect(try dflatc("check", "--config", "none.json", "old.fbs", "new.fbs", in: folder).status == 3)
    }
  }

  @Test("A comment silences the field below it, with a reason; one that silences nothing is a warning")
  func comments() throws {
    try withFolder { folder in
      try folder.write(old, to: "old.fbs")
      func check(_ comment: String, _ type: String = "long") throws -> ProcessResult {
        try folder.write(
          "table Post { id: string (primary);\n  \(comment)\n  likes: \(type);\n}\nroot_type Post;\n", to: "new.fbs")
        return try dflatc("check", "old.fbs", "new.fbs", in: folder)
      }
      let allowed = try check("// dflatc:allow field-type nothing was released")
      #expect(allowed.status == 0 && allowed.error.isEmpty)
      let two = try check("// dflatc:allow field-default because\n  // dflatc:allow field-type nothing was released")
      #expect(two.status == 0 && two.error.contains("warning[allow-unused]"))
      let unused = try check("// dflatc:allow field-type nothing was released", "int")
      #expect(unused.status == 0 && unused.error.contains("warning[allow-unused]"))
      for wrong in ["// dflatc:allow field-type", "// dflatc:allow feild-type why", "// dflatc:allow"] {
        let result = try check(wrong)
        #expect(result.status == 1 && result.error.contains("error[allow-malformed]"), "\(wrong)")
      }
      let documentation = try check("/// dflatc:allow field-type part of the schema")
      #expect(documentation.status == 1 && documentation.error.contains("warning[allow-malformed]"))
      let blank = try check("// dflatc: allow field-type nothing was released")
      #expect(blank.status == 0 && blank.error.isEmpty, "\(blank.error)")
    }
  }

  @Test("A comment in one file does not silence the removal of another file")
  func commentsAndGoneFiles() throws {
    try withFolder { folder in
      let gone = "table Gone { id: string (primary); }\nroot_type Gone;\n"
      try folder.write(old, to: "old/post.fbs")
      try folder.write(gone, to: "old/gone.fbs")
      try folder.write("// dflatc:allow type-removed of a release that nobody has\n\(old)", to: "new/post.fbs")
      let result = try dflatc("check", "old", "new", in: folder)
      #expect(result.status == 1 && result.error.contains("error[type-removed]: table `Gone`"), "\(result.error)")
      #expect(result.error.contains("warning[allow-unused]"), "\(result.error)")
    }
  }

  @Test("Formatting changes nothing of what comments allow, for check and lint")
  func formattedComments() throws {
    let text = """
      // dflatc:allow type-case it is released

      /// A post.
      table post{ id:string(primary);a:long;// dflatc:allow field-type nothing was released
        b
        // dflatc:allow field-type nothing was released
        :long; // dflatc: allow field-case it is released
        myC:int;}
      root_type post;
      // dflatc:allow field-type nothing was released
      table T{x:long;y:long;}

      """
    try withFolder { folder in
      try folder.write(
        "table post { id: string (primary); a: int; b: int; myC: int; }\nroot_type post;\ntable T { x: int; y: int; }\n",
        to: "old.fbs")
      try folder.write(text, to: "new.fbs")
      for round in ["as it is written", "formatted"] {
        let check = try dflatc("check", "old.fbs", "new.fbs", in: folder)
        #expect(check.status == 0 && check.error.isEmpty, "\(round): \(check.error)")
        let lint = try dflatc("lint", "new.fbs", in: folder)
        #expect(lint.error.contains("warning[field-case]: the field `myC`"), "\(round): \(lint.error)")
        #expect(lint.error.contains("there is no `field-case` here"), "\(round): \(lint.error)")
        #expect(!lint.error.contains("[type-case]"), "\(round): \(lint.error)")
        #expect(try dflatc("format", "new.fbs", in: folder).status == 0)
      }
    }
  }

  @Test("A folder is one schema: types may move between its files")
  func folders() throws {
    try withFolder { folder in
      for side in ["old", "new"] {
        try FileManager.default.createDirectory(
          at: folder.appending(path: side), withIntermediateDirectories: true)
      }
      try folder.write(
        "table A { x: int; }\ntable Post { id: string (primary); a: A; }\nroot_type Post;\n", to: "old/p.fbs")
      try folder.write(
        "include \"a.fbs\";\ntable Post { id: string (primary); a: A; }\nroot_type Post;\n", to: "new/q.fbs")
      try folder.write("table A { x: int; }\n", to: "new/a.fbs")
      let moved = try dflatc("check", "old", "new", in: folder)
      #expect(moved.status == 0 && moved.error.isEmpty, "\(moved.error)")
      try folder.write("table A { x: long; }\n", to: "new/a.fbs")
      try folder.write("table POST { id: int (primary); }\nroot_type POST;\n", to: "new/z.fbs")
      let broken = try dflatc("check", "old", "new", in: folder)
      #expect(broken.status == 1 && broken.error.contains("field-type") && broken.error.contains("table-collision"))
      #expect(try dflatc("check", "old", ".", in: folder.appending(path: "new")).status == 3)
    }
  }

  @Test("Binary schemas of dflatc and of flatc are read; damaged ones are refused, and say on which side")
  func binary() throws {
    try withFolder { folder in
      let text = """
        namespace N; enum E: ubyte (bit_flags) { A, B = 3 } enum L: ulong { Z, Y = 18446744073709551615 }
        struct S (force_align: 16) { a: int; b: [short:3]; e: E; } table X { y: int; } union U { X, Al: S, Text: string }
        table T { s: string (key); n: int = 3 (deprecated); f: float = 1.5; o: long = null; l: L = Y; st: S; un: U;
          v: [ubyte] (nested_flatbuffer: "X"); e: E = B; h: uint (hash: "fnv1_32"); r: [X] (required);
          u8: ulong = 18446744073709551615; inf: double = inf; nn: float = nan; b: bool = true; ids: [E]; }
        root_type T; file_identifier "ABCD";

        """
      try folder.write(text, to: "t.fbs")
      try FileManager.default.createDirectory(at: folder.appending(path: "ours"), withIntermediateDirectories: true)
      let compiled = try dflatc("compile", "--emit", "bfbs", "-o", "ours", "t.fbs", in: folder)
      #expect(compiled.status == 0, "\(compiled.error)")
      let ours = try dflatc("check", "t.fbs", "ours/t.bfbs", in: folder)
      #expect(ours.status == 0 && ours.error.isEmpty, "\(ours.error)")
      let flatc = URL(fileURLWithPath: "/usr/bin/flatc")
      if FileManager.default.isExecutableFile(atPath: flatc.path) {
        let made = try run(flatc, ["-b", "--schema", "--bfbs-builtins", "t.fbs"], in: folder)
        #expect(made.status == 0, "\(made.output)\(made.error)")
        let theirs = try dflatc("check", "t.bfbs", "t.fbs", in: folder)
        #expect(theirs.status == 0 && theirs.error.isEmpty, "\(theirs.error)")
      }
      try folder.write(text.replacingOccurrences(of: "n: int = 3", with: "n: int = 4"), to: "new.fbs")
      #expect(try dflatc("check", "ours/t.bfbs", "new.fbs", in: folder).error.contains("field-default"))

      let bytes = try Data(contentsOf: folder.appending(path: "ours/t.bfbs"))
      for count in [0, 4, 8, 40, bytes.count / 2, bytes.count - 8] {
        try bytes.prefix(count).write(to: folder.appending(path: "cut.bfbs"))
        let result = try dflatc("check", "cut.bfbs", "t.fbs", in: folder)
        #expect(result.status == 3 && result.error.hasPrefix("error: OLD: cannot read cut.bfbs"), "\(count)")
      }
      try Data("this is a text, and no binary schema".utf8).write(to: folder.appending(path: "text.bfbs"))
      #expect(
        try dflatc("check", "t.fbs", "text.bfbs", in: folder).error.contains("NEW: cannot read text.bfbs: it is no"))
    }
  }

  @Test("dflatc explain tells about rules")
  func explain() throws {
    let result = try dflatc("explain", "field-removed")
    #expect(result.status == 0 && result.output.hasPrefix("field-removed: a field is gone"))
    #expect(result.output.contains("old/post.fbs:") && result.output.contains("Mark the field as deprecated"))
    #expect(try dflatc("explain", "--rules").output.contains("\nversion-required  "))
    let page = try dflatc("explain", "--rules", "--format", "markdown").output
    let file = packageFolder.appending(path: "Documentation/evolution-rules.md")
    #expect(page == (try String(contentsOf: file, encoding: .utf8)), "run `make pages`")
    #expect(try dflatc("explain", "field-remvoed").error.contains("did you mean field-removed?"))
  }
}
