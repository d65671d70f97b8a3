import ConformanceSupport
import Foundation
import TestSupport

/// A program of all Swift code blocks, of whatever pages, that belong to the same schemas.
///
/// A code block is a file of its own, so that it has the imports that it shows and no others. Its declarations stand in an
/// enum, so that two code blocks may declare the same names; a body stands in a function. Errors are shown at the line of
/// the page.
struct SnippetModule {
  struct Key: Hashable {
    let schemas: [Page.Schema]
    let emitters: String

    /// Whether there is a store for the schemas: then each body has a workspace.
    var isStore: Bool { emitters.contains("query") && !schemas.isEmpty }
  }

  /// Bodies that follow each other, and what each of them is to print, or nil.
  struct Run {
    let page: String
    let line: Int
    var outputs: [String?]
  }

  let key: Key
  private(set) var files: [(name: String, text: String)] = []
  private(set) var runs: [(name: String, run: Run)] = []
  /// Pages with code blocks that are run, and commands: these find the files that the code has written.
  private(set) var pagesWithCommands: [Page] = []

  /// The modules of pages.
  static func modules(of pages: [Page]) throws -> [SnippetModule] {
    var modules: [Key: SnippetModule] = [:]
    var order: [Key] = []
    for page in pages where !page.isGenerated && !page.isWalkThrough {
      let source = try page.directive("schema").map(Page.init) ?? page
      let emitters =
        page.directive("emitters") ?? source.directive("emitters") ?? "accessors,data-model,mutating,query"
      let key = Key(schemas: source.schemas, emitters: emitters)
      if modules[key] == nil { order.append(key) }
      modules[key, default: SnippetModule(key: key)].add(page)
    }
    return order.compactMap { modules[$0] }.filter { !$0.files.isEmpty }
  }

  private mutating func add(_ page: Page) {
    let prefix = String(page.path.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    if page.fences.contains(where: { $0.has("run") }) { pagesWithCommands.append(page) }
    var index = 0
    while index < page.fences.count {
      let fence = page.fences[index]
      index += 1
      guard fence.language == "swift", !fence.has("other"), !fence.has("program"), fence.file == nil
      else { continue }
      let name = "\(prefix)_\(fence.line)"
      var parts = [Self.lines(of: fence)]
      var outputs: [String?] = []
      func takeOutput() {
        guard index < page.fences.count, page.fences[index].has("output") else { return outputs.append(nil) }
        outputs.append(page.fences[index].text)
        index += 1
      }
      takeOutput()
      // Between the parts of a body there may be code of others.
      while let next = page.fences[index...].firstIndex(where: { !$0.has("other") }), page.fences[next].has("continues")
      {
        parts.append(Self.lines(of: page.fences[next]))
        index = next + 1
        takeOutput()
      }
      let isRun = outputs.contains { $0 != nil }
      var imports = parts.flatMap(\.imports)
      if imports.isEmpty {
        imports = key.isStore ? ["import Dflat", "import SQLiteDflat"] : ["import FlatBuffersCore"]
      }
      var text = imports.joined(separator: "\n") + "\n"
      if fence.has("body") {
        text += "\nextension Snippets {\n  static func \(name)"
        text += "(\(key.isStore ? "_ workspace: SQLiteWorkspace" : "")) async throws {\n"
        for (number, part) in parts.enumerated() {
          if number > 0, isRun { text += "    print(\"\(Self.partMark)\")\n" }
          text += "#sourceLocation(file: \"\(page.path)\", line: \(part.line))\n\(part.text)\n#sourceLocation()\n"
        }
        text += "  }\n}\n"
        if key.isStore, !text.contains("import SQLiteDflat") { text = "import SQLiteDflat\n" + text }
      } else {
        text += "\nenum \(name) {\n#sourceLocation(file: \"\(page.path)\", line: \(parts[0].line))\n\(parts[0].text)\n"
        text += "#sourceLocation()\n}\n"
      }
      files.append((name + ".swift", text))
      if isRun { runs.append((name, Run(page: page.path, line: fence.line, outputs: outputs))) }
    }
  }

  /// The imports of a code block, with the conditions under which they stand, and its text without them.
  private static func lines(of fence: Fence) -> (imports: [String], text: String, line: Int) {
    var imports: [String] = []
    var conditions: [String] = []
    let rest = fence.text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> Substring in
      let content = line.drop { $0 == " " }
      if content.hasPrefix("#if ") {
        conditions.append(String(content.dropFirst("#if ".count)))
      } else if content == "#else", let condition = conditions.popLast() {
        conditions.append("!(\(condition))")
      } else if content == "#endif" {
        conditions.removeLast()
      } else if content.hasPrefix("import ") {
        imports += conditions.map { "#if \($0)" } + [String(content)] + conditions.map { _ in "#endif" }
        return ""
      }
      return line
    }
    return (imports, rest.joined(separator: "\n"), fence.line)
  }

  private static let partMark = "---- the next part"
  private static let runMark = "---- the next run: "

  private var driver: String {
    """
    \(key.isStore ? "import Dflat\nimport Foundation\nimport SQLiteDflat" : "")

    enum Snippets {}

    @main
    struct Driver {
      static func main() async throws {
    \(runs.map { name, _ in
      """
          print("\(Self.runMark)\(name)")
          \(key.isStore ? "try await run(\"\(name)\", Snippets.\(name))" : "try await Snippets.\(name)()")
      """
    }.joined(separator: "\n"))
      }
    \(key.isStore ? Self.storeDriver : "")
    }
    """
  }

  private static let storeDriver = """
      static func run(_ name: String, _ body: (SQLiteWorkspace) async throws -> Void) async throws {
        let workspace = SQLiteWorkspace(filePath: name + ".sqlite3", fileProtectionLevel: .noProtection) { error in
          print("The store reports: \\(error)")
        }
        try await body(workspace)
        await workspace.shutdown()
      }
    """

  /// Compiles the schemas and the code blocks, runs those that have an output, and gives what each run has printed.
  func buildAndRun() throws -> [(run: Run, printed: [String])] {
    try withTemporaryFolder { folder in
      let dflatc = productsFolder.appendingPathComponent("dflatc").path
      var sources: [String] = []
      if !key.schemas.isEmpty {
        for schema in key.schemas { try folder.write(schema.text, to: schema.name) }
        try runTool(dflatc, ["compile", "--emit", key.emitters, "-o", "."] + key.schemas.map(\.name), in: folder)
        sources = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
      }
      var written = files
      // Bodies extend what the driver declares.
      if !key.schemas.isEmpty { written.append(("Driver.swift", driver)) }
      for (name, text) in written { try folder.write(text, to: name) }
      sources += written.map(\.name)
      guard !runs.isEmpty else {
        try Self.typecheck(sources.sorted(), in: folder)
        return []
      }
      var modules = ["FlatBuffersCore"]
      var more = ["-parse-as-library"]
      if key.isStore {
        modules += ["TextFolding", "Dflat", "DflatEngine", "SQLiteDflat"]
        more += ["-I", packageFolder.appendingPathComponent("Sources/CSQLite").path, "-lsqlite3"]
      }
      if files.contains(where: { $0.text.contains("import DflatPublishers") }) { modules.append("DflatPublishers") }
      if files.contains(where: { $0.text.contains("import PostgresDflat") }) {
        modules += ["PostgresDflat", "PostgresLayout"]
        more += try PostgresLibrary.options + ["-lpq"]
      }
      try buildSwift(sources.sorted(), modules: modules, more: more, in: folder)
      let output = String(
        decoding: try runTool(folder.appendingPathComponent("driver").path, [], in: folder), as: UTF8.self)
      for page in pagesWithCommands { try Shell(folder: folder).run(page) }
      return try zip(runs, output.split(separator: Self.runMark)).map { expected, text in
        guard text.hasPrefix(expected.name + "\n") else {
          throw ProgramFailure("\(expected.name) has not run: \(output)")
        }
        let parts = text.dropFirst(expected.name.count + 1)
          .split(separator: Self.partMark + "\n", omittingEmptySubsequences: false)
        return (expected.run, parts.map(String.init))
      }
    }
  }

  /// Checks Swift files against the modules that the build has made.
  static func typecheck(_ files: [String], in folder: URL, warningsAreErrors: Bool = true) throws {
    // The C module of OpenCombine, where that is used, has its module map among the products.
    let map = productsFolder.appendingPathComponent("COpenCombineHelpers.build/module.modulemap").path
    let options = FileManager.default.fileExists(atPath: map) ? ["-Xcc", "-fmodule-map-file=" + map] : []
    try runTool(
      "swiftc",
      [
        "-typecheck", "-parse-as-library", "-swift-version", "6",
        warningsAreErrors ? "-warnings-as-errors" : "-suppress-warnings", "-I",
        productsFolder.appendingPathComponent("Modules").path,
        "-I", packageFolder.appendingPathComponent("Sources/CSQLite").path,
      ] + options + PostgresLibrary.options + files, in: folder)
  }
}
