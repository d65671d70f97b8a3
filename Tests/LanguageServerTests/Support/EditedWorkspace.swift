import ConformanceSupport
import Emitters
import FBSDiagnostics
import FBSSchema
import Foundation
import LanguageServer
import SchemaEvolution
import SchemaLinting
import TestSupport
import Testing

/// A diagnostic by what is compared: code, severity, message and place.
struct SaidDiagnostic: Hashable, CustomStringConvertible {
  let code: String
  let severity: Int
  let message: String
  let range: String
  var description: String { "\(code) \(range) \(message)" }
}

/// What a team has set for all schemas of a workspace, as a `.dflatc.json` does.
struct WorkspaceSettings: CustomStringConvertible {
  var emit: [String] = []
  var includePaths: [String] = []
  var vendored: Set<String> = []
  var excluded: Set<String> = []

  /// The defaults, or some that are chosen at random.
  init(of paths: [String], _ random: inout SeededGenerator) {
    guard random.chance(50) else { return }
    emit = random.pick([[], ["accessors"], ["bfbs"], ["accessors", "data-model"]])
    if random.chance(50) { includePaths = ["/inc"] }
    for path in paths {
      if random.chance(25) { vendored.insert(path) }
      if random.chance(25) { excluded.insert(path) }
    }
  }

  /// Whether `dflatc lint` and `dflatc format` leave a file alone.
  func leavesAlone(_ path: String) -> Bool { vendored.contains(path) || excluded.contains(path) }

  var host: HostConfiguration {
    HostConfiguration(
      otherRules: Set(EvolutionRule.all.map(\.id)), includePaths: includePaths, emit: emit,
      isVendored: { [vendored] in vendored.contains($0) }, isExcluded: { [excluded] in excluded.contains($0) })
  }

  var description: String {
    "emit \(emit), include \(includePaths), vendored \(vendored.sorted()), exclude \(excluded.sorted())"
  }
}

/// The comparison of a workspace's files with their first texts, by the engine of `dflatc check`.
///
/// A comparison is made anew for each file and each state of all texts, on which alone it depends. If the server has
/// asked for it with the right texts, the test need not make it again. An earlier version is compiled once.
private final class FirstTexts {
  private let texts: SchemaTexts
  private let settings: WorkspaceSettings
  private var versions: [String: VersionFiles] = [:]
  /// The last comparison of each file, with the texts that it was made of.
  private var last: [String: (texts: [String: [UInt8]], findings: [Diagnostic])] = [:]

  init(_ texts: SchemaTexts, _ settings: WorkspaceSettings) {
    self.texts = texts
    self.settings = settings
  }

  /// Returns what `dflatc check` says about a file, in the file itself.
  func findings(about path: String, in current: SchemaTexts) -> [Diagnostic] {
    guard texts.files[path] != nil, !settings.leavesAlone(path) else { return [] }
    if let last = last[path], last.texts == current.files { return last.findings }
    let old = versions[path] ?? version(of: path, texts)
    versions[path] = old
    let transition = Transition(old: old, new: version(of: path, current))
    let report = EvolutionReport(transition, otherRules: Set(LintRule.all.map(\.id))).withoutFaults()
    let (diagnostics, _) = report.diagnostics(old: transition.sources.old, new: transition.sources.new)
    let findings = diagnostics.filter { $0.range.file == FileID(0) }.map { diagnostic in
      Diagnostic(
        diagnostic.code, diagnostic.severity, diagnostic.message, at: diagnostic.range, advice: diagnostic.advice,
        notes: diagnostic.notes)
    }
    last[path] = (current.files, findings)
    return findings
  }

  private func version(of path: String, _ provider: SchemaTexts) -> VersionFiles {
    func compile(_ inputs: [String]) -> Compilation {
      SchemaCompiler.compile(inputs: inputs, includePaths: settings.includePaths, provider: provider)
    }
    return VersionFiles(compile([path]), keys: [FileID(0): path], compile: compile)
  }
}

/// A workspace of some files that include one another, in an editor and on the disk.
struct EditedWorkspace {
  let settings: WorkspaceSettings
  let paths: [String]
  private let pulls: Bool
  private let firstTexts: FirstTexts
  private var disk: [String: String]
  /// The texts of open documents, which count.
  var open: [String: String] = [:]
  var client: EditorClient

  /// Defines what another file uses. The default of a field is a warning.
  private static let second = """
    namespace A;
    enum Kind : ubyte { One, Two }
    struct Place {
      bytes: [ubyte:16];
    }
    table UserOfA {
      a: int;
      warned: string = "x" (required);
    }

    """

  /// Creates three files, the second of which may include the first and is included by the third, and a path for a
  /// fourth. The first file is a fixture or, in a quarter of the workspaces, a generated schema.
  /// - Parameters:
  ///   - number: the number of the fixture, and the seed of the generated schema.
  ///   - pulls: whether the editor asks for diagnostics.
  init(_ number: Int, pulls: Bool, _ random: inout SeededGenerator) throws {
    let name = FormattingTests.fixtures[number % FormattingTests.fixtures.count]
    let data = try Data(contentsOf: packageFolder.appendingPathComponent("Fixtures/\(name)"))
    var text = String(decoding: data, as: UTF8.self)
    // Larger ones take long to compile after each edit in a debug build.
    if text.utf8.count > 6_000 { text = String(text.prefix(3_000)) }
    let names = ["/w/a.fbs", "/w/b.fbs", "/w/c.fbs", "/w/new.fbs", "/inc/a.fbs", "/inc/b.fbs"]
    settings = WorkspaceSettings(of: names, &random)
    let folder = settings.includePaths.isEmpty ? "/w/" : "/inc/"
    // A generated schema may have a second file, which the first one includes.
    let generated = random.chance(25) ? RandomSchema(seed: number, index: 0, isForStore: random.chance(50)).files : []
    let further = generated.dropLast()
    paths = (settings.includePaths.isEmpty ? Array(names[..<4]) : names) + further.map { folder + $0.name }
    disk = [
      folder + "a.fbs": generated.last?.text ?? text,
      "/w/b.fbs": (random.chance(50) ? "include \"a.fbs\";\n" : "") + Self.second,
      "/w/c.fbs":
        "include \"b.fbs\";\ntable Last {\n  b: A.UserOfA;\n  kind: A.Kind = Two;\n  place: A.Place (uuid);\n}\n",
    ]
    for file in further { disk[folder + file.name] = file.text }
    firstTexts = FirstTexts(SchemaTexts(disk), settings)
    self.pulls = pulls
    client = try EditorClient(
      disk, capabilities: pulls ? ["textDocument": ["diagnostic": [:] as [String: Any]]] : [:])
    client.host.settings = settings.host
    client.host.comparison = { [firstTexts] path, texts in
      EvolutionAnswer(diagnostics: firstTexts.findings(about: path, in: texts))
    }
  }

  // MARK: Changes

  mutating func open(_ path: String) {
    open[path] = disk[path] ?? ""
    client.open(path, open[path])
  }

  mutating func close(_ path: String) {
    open[path] = nil
    client.close(path)
  }

  /// Writes a file or, without a text, removes it.
  mutating func write(_ text: String?, to path: String) {
    disk[path] = text
    client.host.files.files = disk.mapValues { Array($0.utf8) }
    client.notify("workspace/didChangeWatchedFiles", ["changes": []])
  }

  /// Renames a file, as editors do: they close its document, and open it under the new name with the same text.
  mutating func rename(_ path: String, to new: String) {
    guard path != new, open[new] == nil, disk[new] == nil, let text = disk[path] ?? open[path] else { return }
    let document = open[path]
    if document != nil { close(path) }
    disk[path] = nil
    write(text, to: new)
    guard let document else { return }
    open[new] = document
    client.open(new, document)
  }

  // MARK: Diagnostics

  /// Returns what the commands say about a file of fresh texts.
  func fresh(_ path: String) -> [SaidDiagnostic] {
    let provider = SchemaTexts(disk.merging(open) { $1 })
    let emitters =
      settings.emit.isEmpty
      ? EmitterRegistry.defaults : EmitterRegistry.all.filter { settings.emit.contains($0.name) }
    let pipeline = CompilationPipeline(emitters: emitters, includePaths: settings.includePaths)
    let schemas = pipeline.read(inputs: [path], provider: provider)
    let outcome = pipeline.emit(schemas.withoutWarnings(about: settings.vendored.contains))
    var said = Self.said(outcome.diagnostics, about: path, in: outcome.sources)
    if !settings.leavesAlone(path) {
      var linter = Linter()
      linter.otherRules = Set(EvolutionRule.all.map(\.id))
      let report = linter.lint(schemas)
      said += Self.said(report.diagnostics, about: path, in: report.sources)
    }
    if schemas.whole.isValid {
      said += Self.said(firstTexts.findings(about: path, in: provider), about: path, in: schemas.whole.sources)
    }
    return Set(said).sorted { $0.description < $1.description }
  }

  private static func said(
    _ diagnostics: [Diagnostic], about path: String, in sources: SourceMap
  ) -> [SaidDiagnostic] {
    diagnostics.filter { sources[$0.range.file].path == path }.map { diagnostic in
      let range = DocumentText(sources[diagnostic.range.file].bytes, .utf16).range(diagnostic.range)
      let lines =
        [diagnostic.message] + (diagnostic.advice.isEmpty ? [] : [diagnostic.advice])
        + diagnostic.notes.map { "note: \($0)" }
      return SaidDiagnostic(
        code: diagnostic.code.id,
        severity: diagnostic.severity == .error ? 1 : diagnostic.severity == .warning ? 2 : 3,
        message: lines.joined(separator: "\n"),
        range: "\(range.start.line):\(range.start.character)-\(range.end.line):\(range.end.character)")
    }
  }

  /// Returns what the server says about an open document.
  mutating func served(_ path: String) throws -> [SaidDiagnostic] {
    var diagnostics = client.diagnostics(path)
    if pulls {
      let report = try client.request("textDocument/diagnostic", client.document(path)) as? [String: Any]
      diagnostics = report?["items"] as? [[String: Any]]
    }
    let said = (diagnostics ?? []).map { diagnostic in
      SaidDiagnostic(
        code: diagnostic["code"] as? String ?? "", severity: diagnostic["severity"] as? Int ?? 0,
        message: diagnostic["message"] as? String ?? "",
        range: (diagnostic["range"] as? [String: Any])?.rangeText ?? "")
    }
    // Two may differ in their labels alone.
    return Set(said).sorted { $0.description < $1.description }
  }
}
