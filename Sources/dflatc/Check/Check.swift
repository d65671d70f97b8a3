import ArgumentParser
import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution
import SchemaLinting

/// `dflatc check`: tells whether one version of a schema may replace another.
struct Check: ParsableCommand {
  @Option(
    name: [.customShort("I", allowingJoined: true), .customLong("include")],
    help: """
      A folder to search for what both versions include, after the including file's own. May be given several times.
      """, completion: .directory)
  var includePaths: [String] = []

  @Option(
    name: .customLong("old-include"),
    help: "A folder to search for what OLD includes, before those of -I. May be given several times.",
    completion: .directory)
  var oldIncludePaths: [String] = []

  @Option(
    name: .customLong("new-include"),
    help: "A folder to search for what NEW includes, before those of -I. May be given several times.",
    completion: .directory)
  var newIncludePaths: [String] = []

  @Flag(
    name: .customLong("gen-all"),
    help: """
      Check all that both versions include as well. An included file may use what only a file that includes it brings.
      """)
  var checksIncludes = false

  @Option(
    name: .long,
    help: """
      How to show findings: text on standard error, for people; \(ReportFormat.programsHelp)
      """)
  var format: ReportFormat = .text

  @Option(
    name: .long,
    help: """
      What to report besides what harms stored data: storage (nothing else), source (what keeps code from building), rpc \
      (calls of remote methods), json (names that JSON holds), or several with commas between them. Otherwise source,rpc.
      """,
    completion: .list(EvolutionRule.Level.allCases.map(\.rawValue)), transform: Self.parseLevels)
  var level: Set<EvolutionRule.Level>?

  @Option(
    name: .long, help: "The configuration, instead of the nearest \(TeamConfiguration.fileName).",
    completion: .file(extensions: ["json"]))
  var config: String?

  @Option(
    name: .long,
    help: """
      What to compare with: git:REF, git:REF:DIR for files that stood below DIR, merge-base, merge-base:REF, or OLD.
      """)
  var against: String?

  @Option(
    name: .long, help: ArgumentHelp("The schema that the files are compared with, as of flatc.", valueName: "base"),
    completion: .file(extensions: ["fbs", "bfbs"]))
  var conform: String?

  @Option(
    name: .customLong("conform-includes"), help: "With --conform: a folder to search for what BASE includes.",
    completion: .directory)
  var conformIncludes: [String] = []

  @Option(
    name: .long, help: ArgumentHelp("A file with findings that are let through.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var baseline: String?

  @Option(
    name: .long,
    help: ArgumentHelp("A file to write all findings to, for --baseline. The exit code is then 0.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var writeBaseline: String?

  @Option(name: .long, help: "With --against: a file that had another path, as OLD=NEW. May be given several times.")
  var rename: [String] = []

  @Option(name: .long, help: ArgumentHelp(SchemaPaths.excludeIncludedHelp, valueName: "path"), completion: .file())
  var exclude: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A JSON file with include, genAll, exclude and against, as the plug-ins of SwiftPM read it.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var options: String?

  @Flag(name: .customLong("run-by-plugin"), help: .hidden)
  var isRunByPlugin = false

  @Flag(name: .long, help: "Take warnings for errors: with one, the exit code is 1.")
  var strict = false

  @Flag(
    name: .long,
    help: "Show every finding: of one rule, the text otherwise shows the first \(ReportFormat.shownOfOneKind).")
  var all = false

  @Flag(
    name: .customLong("staged"),
    help: "With --against: NEW is what is staged, in git's index, rather than what is in the work tree.")
  var isStaged = false

  @Argument(
    help: "OLD and NEW; with --against, the files or folders to check.", completion: .file(extensions: ["fbs", "bfbs"]))
  var paths: [String] = []

  static func parseLevels(_ text: String) throws -> Set<EvolutionRule.Level> {
    var levels: Set<EvolutionRule.Level> = [.storage]
    for name in text.split(separator: ",") {
      guard let level = EvolutionRule.Level(rawValue: String(name)) else {
        let names = EvolutionRule.Level.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no level '\(name)'. There are: \(names).")
      }
      levels.insert(level)
    }
    return levels
  }

  func validate() throws {
    if conform != nil {
      guard against == nil, options == nil, rename.isEmpty, !isStaged else {
        throw ValidationError("--conform goes without --against, --options, --rename and --staged.")
      }
      guard !paths.isEmpty else { throw ValidationError("Name the schemas that are to conform to the base.") }
      guard paths.count == 1 || format == .text || format == .line else {
        throw ValidationError("--format \(format.rawValue) writes one report: name one schema with --conform.")
      }
    }
    guard conformIncludes.isEmpty || conform != nil else {
      throw ValidationError("--conform-includes goes with --conform.")
    }
  }

  /// The reader of the two versions that the arguments name.
  private var reader: VersionReader {
    VersionReader(
      paths: paths, against: against, renames: rename, includePaths: includePaths, oldIncludePaths: oldIncludePaths,
      newIncludePaths: newIncludePaths, excluded: exclude, takesIncludes: checksIncludes, isStaged: isStaged,
      format: format, all: all)
  }

  func run() throws {
    var command = self
    try command.takeOptions()
    // The entries of a baseline that is written: those of all files in one.
    var entries: [FindingBaseline.Entry] = []
    guard let base = command.conform else {
      try command.check(&entries)
      return try write(entries)
    }
    // As flatc has it: each file is compared with the base.
    command.oldIncludePaths += conformIncludes
    command.newIncludePaths += includePaths
    command.includePaths = []
    var failure: ExitCode?
    for path in paths {
      command.paths = [base, path]
      do {
        try command.check(&entries)
      } catch let code as ExitCode {
        failure = ExitCode(max(failure?.rawValue ?? 0, code.rawValue))
      }
    }
    if let failure { throw failure }
    try write(entries)
  }

  /// Writes the baseline that `--write-baseline` asks for.
  private func write(_ entries: [FindingBaseline.Entry]) throws {
    guard let writeBaseline else { return }
    try FindingBaseline.write(entries, of: .check, to: writeBaseline)
  }

  /// Adds the options of the file that `--options` names, and the version to compare with from the configuration. The
  /// command line has precedence.
  private mutating func takeOptions() throws {
    guard conform == nil else { return }
    if let options { try take(options) }
    var reader = reader
    try reader.takeAgainst(Configurations(config))
    against = reader.against
    do throws(UsageFailure) {
      try reader.validate()
    } catch {
      Terminal.printError("Error: \(error)\n  See 'dflatc check --help' for more information.")
      throw ExitStatus.usage.exitCode
    }
  }

  private mutating func take(_ options: String) throws {
    let file = try CompileOptionsFile.read(options, format, all: all)
    if format == .text, !isRunByPlugin { file.noteWhereToMove(options) }
    exclude += file.exclude
    checksIncludes = checksIncludes || file.compilesIncludes
    if against == nil { against = file.against }
    // An earlier version in a folder has its own copies of what it includes. In git, each version is looked up by path.
    if against.map({ OldVersion($0) != nil }) == true {
      includePaths += file.includePaths
    } else {
      newIncludePaths += file.includePaths
    }
  }

  /// Compares two versions and shows the findings, or adds them to `entries` if a baseline is to be written.
  private func check(_ entries: inout [FindingBaseline.Entry]) throws {
    let configurations = Configurations(config)
    let baseline = try self.baseline.map { try FindingBaseline($0, of: .check) }
    let versions: VersionReader.Versions
    do {
      versions = try reader.read(configurations)
    } catch {
      // A mistake in a configuration may be the reason why something cannot be read. It is then reported instead.
      try configurations.throwMistakes(format, all: all)
      throw error
    }
    let (old, new, oldPath) = versions
    let transition = Transition(old: old, new: new)
    let judge = FindingJudge(configurations, transition.sources)
    var report = EvolutionReport(
      transition, levels: level ?? EvolutionRule.Level.usual,
      otherRules: Set(LintRule.all.map(\.id)).union(configurations.programRules),
      judge: judge.setting)
    try configurations.throwMistakes(format, all: all)
    let hasFaults = !transition.faults.old.isEmpty || !transition.faults.new.isEmpty
    let sources = transition.sources
    if !hasFaults {
      report.add(
        outside: try configurations.programFindings(
          in: transition.comparedModules.map { ($0.new, $0.old) }, among: sources.new, format))
    }
    if writeBaseline != nil, !hasFaults {
      entries += report.baselineEntries(in: sources)
      return
    }
    // What `--level` leaves out is found, too.
    let found =
      transition.findings.map { FindingBaseline.Entry($0, sources) }
      + FindingBaseline.Owner.check.entries(ofPrograms: report.outsideFindings, in: sources.new)
    if var baseline { report = report.without(&baseline, in: sources) }
    if hasFaults { try fail(transition, report, old, new, oldPath) }
    // Of what was left out nothing is known.
    let compared = ComparedPaths(exclude.isEmpty ? reader.comparedPaths : [])
    let unused = judge.unusedAllowances(among: transition.findings, compared)
    report.add(aboutConfiguration: unused.warnings, in: unused.sources)
    show(report, transition, oldPath)
    if format == .text { baseline?.noteGoneEntries(found: found, compared) }
    nameUnknownAttributes(old, new)
    guard report.isCompatible else { throw ExitStatus.wrongSchema.exitCode }
    if strict, report.hasWarnings {
      Terminal.printError("error: there are warnings, which --strict takes for errors")
      throw ExitStatus.wrongSchema.exitCode
    }
  }

  /// Shows the errors in files of either side, and the findings about the other files.
  private func fail(
    _ transition: Transition, _ report: EvolutionReport, _ old: VersionFiles, _ new: VersionFiles,
    _ oldPath: (String) -> String
  ) throws {
    for (side, version, faults, sources) in [
      ("OLD", old, transition.faults.old, transition.sources.old.renamed(oldPath)),
      ("NEW", new, transition.faults.new, transition.sources.new),
    ] where !faults.isEmpty {
      Terminal.printError("error: \(side): \(version.onlyPath ?? "a schema") has errors")
      // Programs get one report: of everything, if there was anything to compare, or else of the first side.
      if format == .text || !transition.hasComparison { format.show(faults, in: sources, all: all) }
      if !transition.hasComparison { break }
    }
    if transition.hasComparison { show(format == .text ? report.withoutFaults() : report, transition, oldPath) }
    throw ExitStatus.inputOutput.exitCode
  }

  // MARK: Showing

  private func show(_ report: EvolutionReport, _ transition: Transition, _ oldPath: (String) -> String) {
    let (old, new) = transition.sources
    if format == .json {
      return Terminal.write(
        EvolutionJSON.text(of: report, old: old.withPlainPaths(), new: new.withPlainPaths(), oldPath: oldPath))
    }
    // Programs look files up by their paths. People and editors are told which version has it.
    let isForPeople = format == .text || format == .line
    let (diagnostics, sources) = report.diagnostics(
      old: old, new: new, oldPath: oldPath, gonePath: isForPeople ? nil : { $0 })
    guard format == .text else {
      let hasFaults = !report.faults.old.isEmpty || !report.faults.new.isEmpty
      return format.showToPrograms(
        diagnostics, in: sources,
        explanations: Explanation.evolution
          + (hasFaults ? Explanation.all : report.configurationWarnings.isEmpty ? [] : Explanation.options))
    }
    guard !diagnostics.isEmpty else { return }
    ReportFormat.showText(diagnostics, in: sources, all: all)
    Terminal.printError(Self.summary(of: diagnostics))
  }

  /// Reports in a note which attributes were not compared, since a binary schema lacks them or may lack them.
  private func nameUnknownAttributes(_ old: VersionFiles, _ new: VersionFiles) {
    for (side, version, other) in [("OLD", old, new), ("NEW", new, old)] {
      let names = version.lacksAttributes ? version.unknownAttributes.sorted() : other.attributes(unknownTo: version)
      guard !names.isEmpty else { continue }
      Terminal.printError(
        """
        note: \(side)\(version.onlyPath.map { ", \($0)," } ?? "") holds no attributes of the language, which flatc leaves out of \
        binary schemas: \(names.map { "`\($0)`" }.joined(separator: ", ")) \(names.count == 1 ? "was" : "were") not compared; \
        \(SchemaText.howToHoldAttributes)
        """)
    }
  }

  private static func summary(of diagnostics: [Diagnostic]) -> String {
    let counts = [Severity.error, .warning, .note].compactMap { severity -> String? in
      let count = diagnostics.filter { $0.severity == severity }.count
      return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    let isCompatible = !diagnostics.contains { $0.severity == .error }
    return "\(counts.joined(separator: ", ")): the new version \(isCompatible ? "may" : "may not") replace the old one"
  }
}
