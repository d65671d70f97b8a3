import Foundation
import TestSupport
import Testing

/// `dflatc lsp` beside a `.dflatc.json`: it says of each schema what the commands say that are given its path.
@Suite("Configurations in an editor")
struct ServerConfigurationTests {
  private static let files = [
    ".dflatc.json": """
    { "vendored": ["third_party"], "exclude": ["drafts"], "include": ["third_party"],
      "swift": { "output": "out", "emit": ["bfbs"] } }
    """,
    "sub/.dflatc.json": "{ \"exclude\": [\"gone*.fbs\"] }",
    // The default is a warning, and the layout another one.
    "third_party/v.fbs": "table v_type{a:string = \"x\" (required);}\n",
    "third_party/wrong.fbs": "table {",
    "drafts/d.fbs": "include \"v.fbs\";\ntable bad_name{v:v_type;}\nroot_type bad_name;\n",
    // No store holds the root, and the name is a finding.
    "own.fbs": "include \"v.fbs\";\ntable bad_name{v:v_type;}\nroot_type bad_name;\n",
    "tidy.fbs": "table T {\n  a: int;\n}\nroot_type T;\n",
    // Another configuration, with the default emitters.
    "sub/tidy.fbs": "table T {\n  a: int;\n}\nroot_type T;\n", "sub/gone1.fbs": "table bad_name{a:int;}\n",
  ]

  /// The codes that a command reports about a file, with the lines, from 0.
  private func reported(_ path: String, in folder: URL, by command: [String]) throws -> Set<String> {
    let result = try run(
      productsFolder.appending(path: "dflatc"), command + ["--format", "json", path], in: folder)
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any], "\(result.error)")
    let all = (report["diagnostics"] ?? report["findings"]) as? [[String: Any]] ?? []
    return Set(
      try all.filter { $0["file"] as? String == path }.map { diagnostic in
        let start = try #require(diagnostic["start"] as? [String: Int])
        return "\(diagnostic["code"] as? String ?? "") \((start["line"] ?? 0) - 1)"
      })
  }

  @Test("Diagnostics and layout of each schema are those of the commands that are given its path")
  func commands() throws {
    try withFolder { scratch in
      let folder = scratch.resolvingSymlinksInPath()
      for (name, text) in Self.files { try folder.write(text, to: name) }
      let paths = Self.files.keys.filter { $0.hasSuffix(".fbs") }.sorted()
      var editor = try ServedEditor(in: folder, saysAll: true)
      var pulls: [String: Int] = [:]
      var formattings: [String: Int] = [:]
      for path in paths {
        let file = folder.appending(path: path)
        try editor.open(file, try #require(Self.files[path]))
        pulls[path] = try editor.pull(file)
        formattings[path] = try editor.request(
          "textDocument/formatting", ["textDocument": ["uri": file.absoluteString]])
      }
      let answers = try editor.run(in: folder)
      var outcomes: Set<String> = []
      for path in paths {
        let items = try #require(pulls[path].flatMap { answers[$0]?["items"] } as? [[String: Any]])
        let served = Set(
          try items.map { item in
            let start = try #require((item["range"] as? [String: Any])?["start"] as? [String: Int])
            return "\(item["code"] as? String ?? "") \(start["line"] ?? -1)"
          })
        let compiled = try reported(path, in: folder, by: ["compile", "-o", "out"])
        let linted = try reported(path, in: folder, by: ["lint"])
        #expect(served == compiled.union(linted), "\(path)")
        let edits = formattings[path].flatMap { answers[$0]?["items"] } as? [Any]
        let checked = try dflatc("format", "--check", path, in: folder)
        // A text with errors is listed by neither.
        let isListed = checked.output.contains(path)
        #expect(edits?.isEmpty == !isListed, "\(path): \(checked.output) \(checked.error)")
        outcomes.formUnion(served.map { String($0.prefix { $0 != " " }) })
        outcomes.insert(isListed ? "untidy" : "tidy")
      }
      // Each of these differs between schemas of one configuration or the other.
      #expect(outcomes.isSuperset(of: ["type-case", "D0251", "untidy", "tidy"]), "\(outcomes)")
    }
  }

  @Test("A schema that the configuration leaves out is not compared with its earlier version")
  func check() throws {
    try withFolder { scratch in
      let repository = try GitRepository(in: scratch.resolvingSymlinksInPath().appending(path: "repository"))
      let before = "table T {\n  a: int;\n  b: int;\n}\n"
      for path in ["drafts/d.fbs", "third_party/v.fbs", "own.fbs"] { try repository.write(before, to: path) }
      try repository.write("{ \"vendored\": [\"third_party\"], \"exclude\": [\"drafts\"] }", to: ".dflatc.json")
      try repository.commitAll()
      for (path, rules) in [
        ("drafts/d.fbs", []), ("third_party/v.fbs", []), ("own.fbs", ["field-removed"]),
      ] as [(String, [String])] {
        let text = "table T {\n  a: int;\n}\n"
        var editor = try ServedEditor(in: repository.folder)
        try editor.open(repository.folder.appending(path: path), text)
        let id = try editor.pull(repository.folder.appending(path: path))
        let items = try editor.run(in: repository.folder)[id]?["items"] as? [[String: Any]]
        #expect(items?.compactMap { $0["code"] as? String } == rules, "\(path)")
        try repository.write(text, to: path)
        let result = try repository.dflatc("check", "--against", "merge-base", path)
        #expect(result.error.contains("field-removed") == !rules.isEmpty, "\(path): \(result.error)")
      }
    }
  }

  @Test("A mistake in a configuration that another one extends is gone once it is mended")
  func extendedMistake() throws {
    try withFolder { scratch in
      let folder = scratch.resolvingSymlinksInPath()
      try folder.write("{ \"extends\": \"team/rules.json\" }", to: ".dflatc.json")
      try folder.write("{ \"lint\": ", to: "team/rules.json")
      let file = folder.appending(path: "a.fbs")
      var editor = try ServedEditor(in: folder)
      try editor.open(file, "table T{a:int;}\n")
      let params: [String: Any] = [
        "textDocument": ["uri": file.absoluteString],
        "options": ["tabSize": 2, "insertSpaces": true] as [String: Any],
      ]
      let before = try editor.request("textDocument/formatting", params)
      editor.perform { try folder.write("{}", to: "team/rules.json") }
      let after = try editor.request("textDocument/formatting", params)
      let answers = try editor.run(in: folder)
      #expect((answers[before]?["items"] as? [Any])?.isEmpty == true)
      #expect((answers[after]?["items"] as? [Any])?.isEmpty == false)
    }
  }
}
