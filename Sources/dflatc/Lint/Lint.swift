import ArgumentParser
import FBSDiagnostics
import FBSParser
import FBSSchema
import SchemaEvolution
import SchemaLinting

/// `dflatc lint`: checks schemas against the style rules of a team.
struct Lint: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Find what breaks rules of naming and style in schemas.",
    discussion: """
      All files that are named, and all below folders that are named, are linted together; files that they only include are \
      linted with --gen-all. Each finding has a rule, a place and what to do:

        warning[type-case]: `blog_post` is a table, and is not written in UpperCamelCase
         --> post.fbs:1:7

      The rules that are on find names in another case than FlatBuffers' style guide writes them, enums without a value for \
      0, includes that nothing needs, and untidy line ends. Those about doc comments and about what is to be said explicitly \
      are off until a team asks for them. `dflatc explain --lint-rules` lists all.

      Nothing is said of what the configuration takes for somebody else's ("vendored") or leaves out ("exclude"), also \
      where such a file is named, or by --stdin-name. "overrides" set rules for some paths alone.

      A rule, or a whole group (\(LintRule.Group.allCases.map(\.rawValue).joined(separator: ", "))), is set to on, error, \
      warning, note or off in a schema's nearest \(TeamConfiguration.fileName):

        { "lint": { "fieldCase": "camel", "rules": { "docs": "on", "type-case": "off" } } }

      --write-baseline FILE writes what is found today to a file, and --baseline FILE lets it through: what is new is found. The \
      file may be that of `dflatc check`.

      One place is let through by a comment above the field or type, or at the end of its line, with the reason. For a type \
      it holds for all in it:

        // dflatc:allow type-case the name is part of a released store
        table blog_post {

      EXAMPLES
        dflatc lint Schemas
        dflatc lint --fix Schemas --exclude third_party
        dflatc lint --gen-all Schemas/all.fbs
        dflatc lint --format github Schemas
        dflatc lint --stdin-name Schemas/post.fbs - < post.fbs
        dflatc explain type-case

      Exit codes: 0 nothing is found, or notes alone, 1 there are findings, or a schema has errors, 2 wrong usage, 3 a file \
      cannot be read or written.
      """)

  @Flag(
    name: .long,
    help: """
      Mend in place what is safe to mend: remove unused includes and trailing whitespace, make line endings uniform, and write \
      out ids and numbers where a rule asks for them. The findings that are left are shown.
      """)
  var fix = false

  @Option(
    name: [.customShort("I", allowingJoined: true), .customLong("include")],
    help: "A folder to search for included schemas, after the including file's own. May be given several times.",
    completion: .directory)
  var includePaths: [String] = []

  @Flag(
    name: .customLong("gen-all"),
    help: """
      Lint all that the schemas include as well. An included file may use what only a file that includes it brings.
      """)
  var lintsIncludes = false

  @Option(
    name: .long,
    help: """
      How to show findings: text on standard error, for people; \(ReportFormat.programsHelp)
      """)
  var format: ReportFormat = .text

  @Option(
    name: .long, help: "The configuration, instead of the nearest \(TeamConfiguration.fileName).",
    completion: .file(extensions: ["json"]))
  var config: String?

  @Option(
    name: .long, help: ArgumentHelp("A file with findings that are let through.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var baseline: String?

  @Option(
    name: .long,
    help: ArgumentHelp("A file to write all findings to, for --baseline. The exit code is then 0.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var writeBaseline: String?

  @Option(name: .long, help: ArgumentHelp(SchemaPaths.excludeIncludedHelp, valueName: "path"), completion: .file())
  var exclude: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The path that standard input stands for. Nothing is said of one that the configuration leaves out.",
      valueName: "path"), completion: .file())
  var stdinName: String?

  @Flag(
    name: .long,
    help: "Show every finding: of one rule, the text otherwise shows the first \(ReportFormat.shownOfOneKind).")
  var all = false

  @Argument(
    help: "The schemas (.fbs) to lint, or folders of them. - reads standard input.", completion: .schemas)
  var paths: [String]

  func validate() throws {
    guard !paths.isEmpty else { throw ValidationError("Name at least one schema, or a folder, to lint.") }
    guard !fix || !paths.contains("-") else { throw ValidationError("--fix changes files: it does not go with -.") }
    guard stdinName == nil || paths.contains("-") else {
      throw ValidationError("--stdin-name is the name of standard input: give - as an input, too.")
    }
  }

  func run() throws {
    let configurations = Configurations(config)
    let files = try LintedFiles(paths, excluding: exclude, configurations, stdinName: stdinName)
    let folders = IncludeFolders(for: files.paths, configurations, after: includePaths)
    try configurations.throwMistakes(format, all: all)
    let baseline = try self.baseline.map { try FindingBaseline($0, of: .lint) }
    let schemas = try read(files, folders, configurations)
    var linter = Linter()
    linter.otherRules = Set(EvolutionRule.all.map(\.id)).union(configurations.programRules)
    for file in schemas.whole.sources.files {
      linter.configurations[file.path] = configurations[file.path].lint(for: file.path)
    }
    var report = linter.lint(schemas)
    var mended = 0
    if fix {
      (report, mended) = try makeFixes(report, files, linter) { files in try read(files, folders, configurations) }
    }
    // What was mended is on disk by now.
    let linted =
      mended > 0
      ? try read(
        try LintedFiles(paths, excluding: exclude, configurations, stdinName: stdinName), folders, configurations)
      : schemas
    report.add(
      outside: try configurations.programFindings(
        in: linted.modules.filter(\.isValid).map { ($0, nil) }, among: report.sources, format))
    let found = report.baselineEntries
    if let writeBaseline, report.faults.isEmpty {
      return try FindingBaseline.write(found, of: .lint, to: writeBaseline)
    }
    if var baseline { report = report.without(&baseline) }
    show(report, mended: mended)
    if format == .text, report.faults.isEmpty, exclude.isEmpty {
      baseline?.noteGoneEntries(found: found, ComparedPaths(paths))
    }
    guard report.isClean else { throw ExitStatus.wrongSchema.exitCode }
  }

  private func read(
    _ files: LintedFiles, _ folders: IncludeFolders, _ configurations: Configurations
  ) throws -> SchemaModules {
    let schemas = SchemaModules(
      inputs: files.paths, includePaths: folders.common,
      included: lintsIncludes
        ? SchemaPaths.included(
          excluding: exclude, configurations: configurations, arguments: paths, folders: folders.common, files)
        : .read,
      provider: files.including(from: folders))
    for input in schemas.whole.unreadableInputs {
      Terminal.printError("error: cannot read \(input.path): \(input.error.description)")
    }
    guard schemas.whole.unreadableInputs.isEmpty else { throw ExitStatus.inputOutput.exitCode }
    return schemas
  }

  /// The most rounds of fixes. One fix may make another possible, and overlapping fixes need a round each.
  private static let maximumRounds = 10

  /// Applies fixes until there are none, and writes the files. Fixes after which the schemas would not compile are not
  /// written.
  /// - Returns: the report about the rest, and the number of findings that were fixed.
  private func makeFixes(
    _ first: LintReport, _ unfixed: LintedFiles, _ linter: Linter, read: (LintedFiles) throws -> SchemaModules
  ) throws -> (LintReport, Int) {
    var (report, files, mended) = (first, unfixed, 0)
    for _ in 0..<Self.maximumRounds {
      let fixed = FixedSources(report.findings, in: report.sources)
      guard !fixed.texts.isEmpty else { break }
      var changed = files
      for (file, text) in fixed.texts { changed.replace(report.sources[file].path, with: text) }
      let next = linter.lint(try read(changed))
      guard next.faults.count <= report.faults.count else {
        Terminal.printError("error: the fixes would make the schemas wrong: nothing more is mended")
        break
      }
      (report, files, mended) = (next, changed, mended + fixed.count)
    }
    do {
      try files.writeChanges()
    } catch {
      Terminal.printError("error: cannot write \(error.path): \(error.reason)")
      throw ExitStatus.inputOutput.exitCode
    }
    return (report, mended)
  }

  private func show(_ report: LintReport, mended: Int) {
    format.show(
      report.diagnostics, in: report.sources, all: all,
      explanations: Explanation.lintReports + (report.faults.isEmpty ? [] : Explanation.all))
    guard format == .text else { return }
    var parts = [Severity.error, .warning, .note].compactMap { severity -> String? in
      let count = report.diagnostics.reduce(0) { $1.severity == severity ? $0 + 1 + $1.omittedCount : $0 }
      return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    if mended > 0 { parts.append("\(mended) mended") }
    guard !parts.isEmpty else { return }
    let fixable = report.findings.filter { !$0.fixes.isEmpty }.count
    Terminal.printError(
      parts.joined(separator: ", ") + (fixable > 0 && !fix ? ": --fix mends \(fixable)" : ""))
  }
}
