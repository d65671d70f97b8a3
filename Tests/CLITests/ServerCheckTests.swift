import Foundation
import TestSupport
import Testing

/// `dflatc lsp` in a repository of git: it says of unsaved texts what `dflatc check` says of the same texts in files.
@Suite("Findings of check in an editor")
struct ServerCheckTests {
  /// A finding by what is compared. Paths in notes differ from run to run.
  private struct Found: Hashable, CustomStringConvertible {
    let rule: String
    let severity: Int
    let line: Int
    let character: Int
    let message: String
    var description: String { "\(line):\(character) \(rule) \(severity) \(message)" }
  }

  /// The findings of a report that was pulled: what is no diagnostic of the compiler.
  private func findings(_ report: [String: Any]?) throws -> [Found] {
    let items = try #require(report?["items"] as? [[String: Any]])
    return try items.compactMap { item in
      let code = try #require(item["code"] as? String)
      guard !code.hasPrefix("D0") else { return nil }
      let start = try #require((item["range"] as? [String: Any])?["start"] as? [String: Int])
      let message = try #require(item["message"] as? String)
      return Found(
        rule: code, severity: item["severity"] as? Int ?? 0, line: start["line"] ?? -1,
        character: start["character"] ?? -1, message: String(message.split(separator: "\n").first ?? ""))
    }.sorted { $0.description < $1.description }
  }

  /// What `dflatc check` says of a file of a repository. Nothing of one with errors.
  private func checked(_ path: String, in repository: GitRepository) throws -> [Found] {
    let result = try repository.dflatc("check", "--against", "merge-base", "--format", "json", path)
    guard result.status < 2 else { return [] }
    let report = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    let found = try #require(report?["findings"] as? [[String: Any]])
    let comments = try #require(report?["comments"] as? [[String: Any]])
    return try (found.filter { $0["gone"] == nil } + comments).compactMap { finding in
      // The place of a comment is among its own members.
      let place = finding["new"] as? [String: Any] ?? finding
      let rule = try #require((finding["rule"] ?? finding["code"]) as? String)
      guard place["file"] as? String == path, !rule.hasPrefix("D0") else { return nil }
      let start = try #require(place["start"] as? [String: Int])
      let severity = ["error": 1, "warning": 2, "note": 3][finding["severity"] as? String ?? ""] ?? 0
      return Found(
        rule: rule, severity: severity, line: (start["line"] ?? 0) - 1, character: (start["utf16Column"] ?? 0) - 1,
        message: finding["message"] as? String ?? "")
    }.sorted { $0.description < $1.description }
  }

  private static let base = "namespace N;\nenum Color : ubyte { Red, Green, Blue }\nstruct Point { x: int; y: int; }\n"
  private static let post =
    "include \"base file.fbs\";\nnamespace N;\ntable Post {\n  title: string;\n  likes: int;\n  color: Color;\n  at: Point;\n}\n"
    + "root_type Post;\n"

  /// Gives `body` a repository with two schemas in a commit of `main`.
  private func withRepository(_ body: (GitRepository) throws -> Void) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder.resolvingSymlinksInPath().appending(path: "a b%20"))
      try repository.write(Self.base, to: "base file.fbs")
      try repository.write(Self.post, to: "post.fbs")
      try repository.commitAll()
      try body(repository)
    }
  }

  @Test("A field that an unsaved text removes is a finding, whose fix keeps it as deprecated")
  func removedField() throws {
    try withRepository { repository in
      let file = repository.folder.appending(path: "post.fbs")
      let text = Self.post.replacingOccurrences(of: "  likes: int;\n", with: "")
      var editor = try ServedEditor(in: repository.folder)
      try editor.open(file, Self.post)
      let before = try editor.pull(file)
      try editor.change(file, to: text)
      let after = try editor.pull(file)
      let actions = try editor.request(
        "textDocument/codeAction",
        [
          "textDocument": ["uri": file.absoluteString], "context": ["diagnostics": [], "only": ["quickfix"]],
          "range": ["start": ["line": 4, "character": 2], "end": ["line": 4, "character": 2]],
        ])
      let answers = try editor.run(in: repository.folder)
      #expect(try findings(answers[before]) == [])
      let found = try findings(answers[after])
      #expect(found.map(\.rule) == ["field-removed"])
      #expect(found.map(\.line) == [4])
      let titles = (answers[actions]?["items"] as? [[String: Any]] ?? []).compactMap { $0["title"] as? String }
      #expect(titles == ["Keep it as deprecated", "Silence field-removed here"])
    }
  }

  @Test("Nothing is compared if the editor says so, where there is no repository, and of a file that is new")
  func nothing() throws {
    try withRepository { repository in
      let text = Self.post.replacingOccurrences(of: "  likes: int;\n", with: "")
      func count(_ name: String, in folder: URL, options: [String: Any] = [:]) throws -> Int {
        var editor = try ServedEditor(in: folder, options: options)
        try editor.open(folder.appending(path: name), text)
        let id = try editor.pull(folder.appending(path: name))
        return try findings(try editor.run(in: folder)[id]).count
      }
      #expect(try count("post.fbs", in: repository.folder) == 1)
      #expect(try count("post.fbs", in: repository.folder, options: ["check": false]) == 0)
      #expect(try count("new.fbs", in: repository.folder) == 0)
      let other = repository.folder.deletingLastPathComponent().appending(path: "other")
      try other.write(Self.base, to: "base file.fbs")
      #expect(try count("post.fbs", in: other) == 0)
    }
  }

  @Test("A copy in another repository of the workspace hides no removal")
  func repositoriesSideBySide() throws {
    try withFolder { folder in
      let workspace = folder.resolvingSymlinksInPath()
      let kept = "enum Kept: byte { a }\n"
      for name in ["first", "second"] {
        let repository = try GitRepository(in: workspace.appending(path: name))
        try repository.write(kept + "table Gone { id: string (primary); }\nroot_type Gone;\n", to: "post.fbs")
        try repository.commitAll()
      }
      let file = workspace.appending(path: "first/post.fbs")
      var editor = try ServedEditor(in: workspace)
      try editor.open(file, kept)
      let id = try editor.pull(file)
      let found = try findings(try editor.run(in: workspace)[id])
      #expect(found.map(\.rule).contains("type-removed"), "\(found)")
    }
  }

  @Test("The configuration names the version, and its rules hold")
  func configuration() throws {
    try withRepository { repository in
      let file = repository.folder.appending(path: "post.fbs")
      let text = Self.post.replacingOccurrences(of: "  likes: int;\n", with: "")
      try repository.git("tag", "v1")
      try repository.write(text, to: "post.fbs")
      try repository.commitAll()
      func rules(_ configuration: String) throws -> [String] {
        try repository.write(configuration, to: ".dflatc.json")
        var editor = try ServedEditor(in: repository.folder)
        try editor.open(file, text)
        let id = try editor.pull(file)
        return try findings(try editor.run(in: repository.folder)[id]).map(\.rule)
      }
      #expect(try rules("{}") == [])
      #expect(try rules("{ \"against\": \"git:v1\" }") == ["field-removed"])
      #expect(try rules("{ \"against\": \"git:v1\", \"rules\": { \"field-removed\": \"off\" } }") == [])
    }
  }

  @Test("However many folders have schemas that are compared, a limited number of processes of git is left")
  func manyFolders() throws {
    try withFolder { scratch in
      let folder = scratch.resolvingSymlinksInPath()
      let repository = try GitRepository(in: folder.appending(path: "repository"))
      let names = (0..<20).map { "s\($0)" }
      for name in names {
        try repository.write("table \(name) { id: string; likes: int; at: int; }\n", to: "\(name)/post.fbs")
      }
      try repository.commitAll()
      // Notes when a process that gives objects begins and ends.
      let log = folder.appending(path: "log")
      try folder.write("", to: "log")
      try folder.write(
        """
        #!/bin/sh
        PATH="$REAL_PATH"
        for word in "$@"; do
          [ "$word" = cat-file ] || continue
          echo begin >>"$GIT_LOG"
          git "$@"
          status=$?
          echo end >>"$GIT_LOG"
          exit $status
        done
        exec git "$@"
        """, to: "bin/git")
      let program = folder.appending(path: "bin/git").path
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      var editor = try ServedEditor(in: repository.folder)
      var pulls: [Int] = []
      for name in names {
        let file = repository.folder.appending(path: "\(name)/post.fbs")
        try editor.open(file, "table \(name) { id: string; at: int; }\n")
        pulls.append(try editor.pull(file))
      }
      var counts = (begun: 0, ended: 0)
      editor.perform {
        let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        counts = (lines.count { $0 == "begin" }, lines.count { $0 == "end" })
      }
      let answers = try editor.run(
        in: repository.folder,
        environment: [
          "PATH": folder.appending(path: "bin").path + ":" + path, "REAL_PATH": path, "GIT_LOG": log.path,
        ])
      for pull in pulls { #expect(try findings(answers[pull]).map(\.rule).contains("field-removed")) }
      #expect(counts.begun >= names.count)
      #expect(counts.begun - counts.ended <= 16)
    }
  }

  /// A text of a table and a root, or of shared types, after a random change.
  private func edited(_ text: String, _ random: inout SeededGenerator) -> String {
    var lines = text.components(separatedBy: "\n")
    let fields = lines.indices.filter { lines[$0].hasPrefix("  ") }
    guard let line = fields.isEmpty ? nil : random.pick(fields) else {
      return random.pick([
        text.replacingOccurrences(of: "Green, ", with: ""), text.replacingOccurrences(of: "ubyte", with: "int"),
        text.replacingOccurrences(of: "y: int; ", with: ""), text.replacingOccurrences(of: "Red", with: "Rose"),
        Self.base,
      ])
    }
    switch random.next(8) {
    case 0: lines.remove(at: line)
    case 1: lines.insert("  f\(random.next(100)): \(random.pick(["int", "string", "[Color]", "Point"]));", at: line)
    case 2: lines[line] = lines[line].replacingOccurrences(of: "int", with: "long")
    case 3: lines[line] = lines[line].replacingOccurrences(of: ";", with: " (deprecated);")
    case 4: lines.swapAt(line, random.pick(fields))
    case 5: lines[line] = lines[line].replacingOccurrences(of: ":", with: "x:")
    case 6: lines.insert("  // dflatc:allow field-type nothing was released", at: line)
    default: return Self.post
    }
    return lines.joined(separator: "\n")
  }

  @Test("Findings about unsaved texts are those of dflatc check about the same texts", arguments: LongForm.seeds(2))
  func randomEdits(_ seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    try withRepository { repository in
      let other = GitRepository(at: repository.folder.deletingLastPathComponent().appending(path: "copy"))
      try FileManager.default.copyItem(at: repository.folder, to: other.folder)
      var texts = ["base file.fbs": Self.base, "post.fbs": Self.post]
      var editor = try ServedEditor(in: repository.folder)
      for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
        try editor.open(repository.folder.appending(path: name), text)
      }
      var expected: [(id: Int, name: String, texts: [String: String], findings: [Found])] = []
      for _ in 0..<12 {
        let name = random.chance(75) ? "post.fbs" : "base file.fbs"
        let text = edited(texts[name] ?? "", &random)
        texts[name] = text
        try editor.change(repository.folder.appending(path: name), to: text)
        try other.write(text, to: name)
        for name in texts.keys.sorted() {
          let id = try editor.pull(repository.folder.appending(path: name))
          expected.append((id, name, texts, try checked(name, in: other)))
        }
      }
      let answers = try editor.run(in: repository.folder)
      #expect(expected.contains { !$0.findings.isEmpty })
      for (id, name, texts, wanted) in expected {
        #expect(try findings(answers[id]) == wanted, "\(name): \(texts)")
      }
    }
  }
}
