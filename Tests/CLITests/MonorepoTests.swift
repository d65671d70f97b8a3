import Foundation
import TestSupport
import Testing

/// The monorepo of Documentation/schemas-in-git.md, in a real repository.
@Suite("A monorepo")
struct MonorepoTests {
  private func withMonorepo(_ body: (GitRepository) throws -> Void) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder.appending(path: "repo"))
      try repository.write(
        """
        {
          // Where includes are looked for.
          "include": ["common", "services"],
          "vendored": ["third_party"],
          "exclude": ["drafts"],
          "against": "merge-base:main",
          "rules": { "field-renamed": "error" },
          "overrides": [
            { "paths": ["legacy"], "rules": { "field-renamed": "off" }, "lint": { "rules": { "names": "off" } } }
          ]
        }
        """, to: ".dflatc.json")
      try repository.write("namespace geo;\n\ntable Point {\n  x: int;\n  y: int;\n}\n", to: "common/geo/point.fbs")
      try repository.write(
        "include \"geo/point.fbs\";\ninclude \"vendor.fbs\";\n\ntable Order {\n  at: geo.Point;\n  vendor: Vendor;\n}\n\n"
          + "root_type Order;\n", to: "services/orders/order.fbs")
      try repository.write(
        "include \"../third_party/v.fbs\";\n\ntable Vendor {\n  thing: Thing;\n}\n", to: "services/vendor.fbs")
      try repository.write("table Thing {badName:int; other:int;}\n", to: "third_party/v.fbs")
      try repository.write("table old_post {\n  likeCount: int;\n}\n\nroot_type old_post;\n", to: "legacy/old.fbs")
      try repository.write("table Draft { y: Nope; }\n", to: "drafts/draft.fbs")
      try repository.write("table Gone {\n  a: int;\n}\n\nroot_type Gone;\n", to: "services/gone/gone.fbs")
      try repository.commitAll("one")
      try repository.git("checkout", "-q", "-b", "feature")
      try body(repository)
    }
  }

  @Test("In a monorepo without mistakes, every command says nothing")
  func everyCommandIsQuietAboutWhatIsInOrder() throws {
    try withMonorepo { repository in
      for arguments in [["lint", "."], ["format", "--check", "."], ["check", "."]] {
        let result = try run(productsFolder.appending(path: "dflatc"), arguments, in: repository.folder)
        #expect(result.status == 0 && result.output.isEmpty && result.error.isEmpty, "\(arguments): \(result.error)")
      }
      let compiled = try repository.dflatc("compile", "-o", "out", "--emit", "bfbs", ".")
      #expect(compiled.status == 0 && compiled.error.isEmpty, "\(compiled.error)")
      #expect(try !repository.folder.appending(path: "out").names().contains { $0.hasPrefix("draft") })
      // From a folder of it, too.
      #expect(try repository.dflatc("lint", "orders", in: "services").status == 0)
      #expect(try repository.dflatc("check", "orders/order.fbs", in: "services").status == 0)
    }
  }

  @Test("Each folder has its own rules, and vendored schemas are not reported")
  func eachFolderHasItsRulesAndWhatIsSomebodyElsesIsNotReported() throws {
    try withMonorepo { repository in
      try repository.write("namespace geo;\n\ntable Point {\n  lon: int;\n  y: int;\n}\n", to: "common/geo/point.fbs")
      try repository.write("table old_post {\n  likes: int;\n}\n\nroot_type old_post;\n", to: "legacy/old.fbs")
      try repository.write("table Thing {badName:int; other:string;}\n", to: "third_party/v.fbs")
      let result = try repository.dflatc("check", "--format", "line", ".")
      let lines = result.output.split(separator: "\n")
      #expect(result.status == 1 && lines.count == 2, "\(result.output)")
      #expect(lines.first?.hasPrefix("common/geo/point.fbs:4:3: error: `x` is called `lon`") == true)
    }
  }

  @Test(
    "A removed file or folder is shown at its place in the old version",
    arguments: [["services/gone/gone.fbs"], ["services/gone"], ["services"], ["."]])
  func whatWasRemovedIsShownWhereItWas(_ paths: [String]) throws {
    try withMonorepo { repository in
      try repository.remove("services/gone")
      let short = try repository.git("rev-parse", "--short", "main").trimmingCharacters(in: .newlines)
      let arguments = ["check", "--against", "merge-base:main"] + paths
      let program = productsFolder.appending(path: "dflatc")
      let text = try run(program, arguments, in: repository.folder)
      #expect(text.status == 1 && text.error.contains("--> \(short):services/gone/gone.fbs:1:7\n"), "\(text.error)")
      // Programs look for the path.
      for (format, place) in [
        ("github", "file=services/gone/gone.fbs,line=1"), ("gitlab", #""path": "services/gone/gone.fbs""#),
        ("junit", "file=\"services/gone/gone.fbs\" line=\"1\""), ("sarif", #""uri": "services/gone/gone.fbs""#),
      ] {
        let report = try run(program, arguments + ["--format", format], in: repository.folder)
        #expect(report.status == 1 && report.output.contains(place), "\(format): \(report.output)")
      }
      let json = try run(program, arguments + ["--format", "json"], in: repository.folder)
      try checkAgainstSchema(
        try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]))
    }
  }

  @Test("The configuration lets through what was removed on purpose")
  func whatWasRemovedOnPurposeIsLetThroughByTheConfiguration() throws {
    try withMonorepo { repository in
      try repository.remove("services/gone")
      func check(_ allowance: String) throws -> Int32 {
        try repository.write("{ \"allow\": [\(allowance)] }", to: ".dflatc.json")
        return try repository.dflatc("check", "--against", "git:main", "services/gone").status
      }
      let rule = "\"rule\": \"type-removed\", \"reason\": \"no release had it\""
      #expect(try check("{ \(rule), \"path\": \"services/gone\" }") == 0)
      #expect(try check("{ \(rule), \"path\": \"services/gone/gone.fbs\", \"name\": \"Gone\" }") == 0)
      #expect(try check("{ \(rule), \"name\": \"Gone\" }") == 0)
      #expect(try check("{ \(rule), \"name\": \"Other\" }") == 1)
      #expect(try check("{ \(rule), \"path\": \"services/other\" }") == 1)
      #expect(try check("{ \"rule\": \"field-removed\", \"reason\": \"x\", \"name\": \"Gone\" }") == 1)
    }
  }

  @Test("What a configuration leaves out of --gen-all is left out of the commit, too, from every folder")
  func leftOutOfCommits() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      let kept = "table G { x: int; }\n"
      try repository.write(#"{ "exclude": ["libs/gen"] }"#, to: ".dflatc.json")
      try repository.write(kept + "table Gone { y: int; }\n", to: "libs/gen/g.fbs")
      try repository.write("include \"../libs/gen/g.fbs\";\ntable A { g: G; }\n", to: "services/a.fbs")
      try repository.commitAll()
      try repository.write(kept, to: "libs/gen/g.fbs")
      for (place, path) in [(".", "services/a.fbs"), ("services", "a.fbs"), ("libs", "../services/a.fbs")] {
        let result = try repository.dflatc("check", "--gen-all", "--against", "git:HEAD", path, in: place)
        #expect(result.status == 0 && result.error.isEmpty, "\(place): \(result.error)")
      }
    }
  }

  @Test("Schemas are compared in a repository of 100,000 files")
  func manyFiles() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder.appending(path: "repo"))
      let files = (0..<100_000).map { "M 100644 :1 data/\($0 % 100)/\($0).txt\n" }.joined()
      let history = "blob\nmark :1\ndata 2\nx\n\ncommit refs/heads/main\ncommitter t <t@example.com> 1700000000 +0000\n"
      try folder.write(history + "data 2\nc\n\n" + files, to: "history")
      try repository.git("-c", "alias.load=!git fast-import --quiet <../history", "load")
      try repository.git("reset", "-q", "--hard")
      let post = "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"
      try repository.write(post, to: "schemas/post.fbs")
      try repository.git("add", "schemas")
      try repository.git("commit", "-qm", "schemas")
      let program = productsFolder.appending(path: "dflatc")
      let forms = [["schemas"], ["."], ["--staged", "."]]
      for arguments in forms {
        let result = try run(program, ["check", "--against", "git:HEAD"] + arguments, in: repository.folder)
        #expect(result.status == 0 && result.error.isEmpty, "\(arguments): \(result.error)")
      }
      try repository.write(post.replacing("int", with: "long"), to: "schemas/post.fbs")
      try repository.git("add", "schemas")
      for arguments in forms {
        let result = try run(program, ["check", "--against", "git:HEAD"] + arguments, in: repository.folder)
        #expect(result.status == 1 && result.error.contains("error[field-type]"), "\(arguments): \(result.error)")
      }
    }
  }

  @Test("The last schema of a repository may be removed")
  func theLastSchemaMayBeRemoved() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write("table Post {}\nroot_type Post;\n", to: "s/post.fbs")
      try repository.commitAll()
      try repository.remove("s/post.fbs")
      try repository.write("", to: "s/readme")
      for arguments in [["s"], ["--staged", "s"], ["s/post.fbs"]] {
        if arguments.contains("--staged") { try repository.git("add", "-A", ".") }
        let result = try run(
          productsFolder.appending(path: "dflatc"), ["check", "--against", "git:HEAD"] + arguments,
          in: repository.folder)
        #expect(
          result.status == 1 && result.error.contains("--> HEAD:s/post.fbs:1:7\n"), "\(arguments): \(result.error)")
      }
    }
  }
}
