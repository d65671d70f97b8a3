import ArgumentParser
import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution
import SchemaLinting

/// `dflatc check`: may this schema replace that one?
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that a schema may replace an older version: that data already written stays readable.",
    usage: """
      dflatc check [<options>] OLD NEW
      dflatc check [<options>] --against git:REF[:DIR] [--staged] [--rename OLD=NEW]... FILE...
      dflatc check [<options>] --against OLD NEW
      """,
    discussion: """
      OLD and NEW are schemas (.fbs), folders of them, or binary schemas (.bfbs). A folder is checked as a whole: types may \
      move between its files. Where two files define the same name, as those of several apps do, each is checked with the \
      files that it includes. With --against, OLD is what stands at the same paths in a git commit, includes and all; the \
      work tree is not touched. With --staged, NEW is what is going to be committed.

      Each finding has a rule, a severity, a place in NEW and one in OLD, what goes wrong for a user's data, and what to do \
      instead:

        error    stored data would be lost, misread or refused
        warning  code stops building, or something may go wrong that no stored object shows
        note     all is well; this is what happens at run time

      All that the given files define is judged, whether or not a root leads to it. A type of an included file that nothing \
      in them holds is at most a warning: its own file is to be checked, or --gen-all given, which judges all that is included. \
      A file with errors is reported, and the others are \
      checked.

      -I names folders for what both versions include, and neither may find the other one's files there; --old-include and \
      --new-include name those of one version.

      Fields are matched by their numbers, enum values by theirs, and types by the ways that lead to them: so what was only \
      renamed or moved to another file is not taken for another thing.

      A rule is set to error, warning, note or off in the nearest \(RuleConfiguration.fileName):

        { "rules": { "field-renamed": "off" } }

      One place is let through by a comment in NEW, above the field or type or at the end of its line, with the reason. For \
      a type it holds for all in it:

        // dflatc:allow field-type nothing was released with it
        likes: long;

      EXAMPLES
        dflatc check released/post.fbs Schemas/post.fbs
        dflatc check --level storage released/ Schemas/
        dflatc check --gen-all released/all.fbs Schemas/all.fbs
        dflatc check --old-include released/common --new-include Schemas/common released/post.fbs Schemas/post.fbs
        dflatc check --against git:v1.4 Schemas/*.fbs
        dflatc check --against git:origin/main --rename Schemas/note.fbs=Schemas/post.fbs Schemas/post.fbs
        dflatc check --format sarif --against git:origin/main Schemas > results.sarif
        dflatc check --staged --against git:HEAD Schemas
        dflatc explain field-type

      Exit codes: 0 compatible, 1 there is a finding of severity error, 2 wrong usage, 3 a side cannot be read or parsed.
      """)

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
      How to show findings: text on standard error, for people; json, sarif (2.1.0) or github (workflow commands) on \
      standard output, for programs.
      """)
  var format: ReportFormat = .text

  /// The levels of findings to report.
  enum Level: String, CaseIterable, ExpressibleByArgument {
    case storage, source
  }

  @Option(name: .long, help: "storage: only what harms stored data; source: also what keeps code from building.")
  var level: Level = .source

  @Option(
    name: .long, help: "The configuration, instead of the nearest \(RuleConfiguration.fileName).",
    completion: .file(extensions: ["json"]))
  var config: String?

  @Option(name: .long, help: "What to compare with: git:REF, git:REF:DIR for files that stood below DIR, or OLD.")
  var against: String?

  @Option(name: .long, help: "With --against: a file that had another path, as OLD=NEW. May be given several times.")
  var rename: [String] = []

  @Option(name: .long, help: ArgumentHelp(SchemaPaths.excludeHelp, valueName: "path"), completion: .file())
  var exclude: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A JSON file with include, genAll, exclude and against, as the plug-ins of SwiftPM read it.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var options: String?

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

  func validate() throws {
    // The file of options may name the version to compare with.
    if options == nil { try validateVersions() }
  }

  private func validateVersions() throws {
    if let against, !against.hasPrefix("git:"), FileManager.default.fileExists(atPath: against) {
      guard paths.count == 1 else { throw ValidationError("Name one file or folder to check against \(against).") }
      guard rename.isEmpty, !isStaged else { throw ValidationError("--rename and --staged go with --against git:REF.") }
    } else if let against {
      guard !paths.isEmpty else { throw ValidationError("Name at least one schema, or a folder, to check.") }
      guard GitReference(against) != nil else {
        throw ValidationError(
          "--against takes git:REF or git:REF:DIR, such as git:main, or an older file or folder, and not '\(against)'.")
      }
      for pair in rename where pair.split(separator: "=", omittingEmptySubsequences: false).count != 2 {
        throw ValidationError("--rename takes OLD=NEW, and not '\(pair)'.")
      }
    } else {
      guard paths.count == 2 else {
        throw ValidationError("Name two versions, OLD and NEW; or use --against git:REF with the files to check.")
      }
      guard rename.isEmpty else { throw ValidationError("--rename goes with --against.") }
      guard !isStaged else { throw ValidationError("--staged goes with --against.") }
    }
  }

  func run() throws {
    var command = self
    try command.takeOptions()
    try command.check()
  }

  /// Adds the options of the file. The command line has precedence.
  private mutating func takeOptions() throws {
    guard let options else { return }
    let file = try CompileOptionsFile.read(options, format, all: all)
    exclude += file.exclude
    checksIncludes = checksIncludes || file.compilesIncludes
    if against == nil { against = file.against }
    // An earlier version in a folder has its own copies of what it includes. In git, each version is looked up by path.
    if against?.hasPrefix("git:") == true {
      includePaths += file.includePaths
    } else {
      newIncludePaths += file.includePaths
    }
    do {
      try validateVersions()
    } catch {
      Terminal.printError("error: \(error)")
      throw ExitStatus.usage.exitCode
    }
  }

  private func check() throws {
    let configuration = try RuleConfiguration.find(config)
    let (old, new, oldPath) = try readSides()
    let transition = Transition(old: old, new: new)
    let report = EvolutionReport(
      transition, settings: configuration.check, levels: level == .storage ? [.storage] : [.storage, .source],
      otherRules: Set(LintRule.all.map(\.id)))
    if !transition.faults.old.isEmpty || !transition.faults.new.isEmpty {
      try fail(transition, report, old, new, oldPath)
    }
    show(report, transition, oldPath)
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
      ("OLD", old, transition.faults.old, transition.sources.old),
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

  // MARK: Reading

  private typealias Sides = (old: VersionFiles, new: VersionFiles, oldPath: (String) -> String)

  private func readSides() throws -> Sides {
    if let reference = against.flatMap(GitReference.init) { return try readAgainst(reference) }
    let (common, excluded, takesIncludes) = (includePaths, exclude, checksIncludes)
    let paths = (against.map { [$0] } ?? []) + paths
    let sides = [(paths[0], oldIncludePaths), (paths[1], newIncludePaths)].mapInParallel { path, own in
      Result { () throws(InputError) in
        try CheckInput.read(
          path, ownIncludePaths: own, includePaths: common, excluding: excluded, takesIncludes: takesIncludes)
      }
    }
    let (old, new) = (try input(sides[0], "OLD"), try input(sides[1], "NEW"))
    let folders = CheckFolders(old: paths[0], new: paths[1])
    if let file = folders.sharedFile(old: old, new: new, ownIncludePaths: (oldIncludePaths, newIncludePaths)) {
      Terminal.printError("error: \(explanation(of: file))")
      throw ExitStatus.usage.exitCode
    }
    return (
      old.version { folders.neighbours(isOld: true) }, new.version { folders.neighbours(isOld: false) }, { $0 }
    )
  }

  /// Returns why a file must not be read by both versions, and which options make each version read its own.
  private func explanation(of file: CheckFolders.SharedFile) -> String {
    let (owner, other) = (file.owner.rawValue, file.owner == .new ? "OLD" : "NEW")
    let reader = file.isReadByBoth ? "both versions" : other
    let problem = "\(reader) would read \(file.path), which belongs to \(owner), so that no change of it could be seen"
    let (own, others) = file.owner == .new ? ("--new-include", "--old-include") : ("--old-include", "--new-include")
    guard let folder = includePaths.first(where: { file.path.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }) else {
      return "\(problem): name the folder where \(other) has its own with \(others)"
    }
    return """
      \(problem): instead of -I \(folder) write \(own) \(folder) \(others) DIR, where DIR has \(other)'s own (\(folder) \
      again if both are to share it)
      """
  }

  private func readAgainst(_ reference: GitReference) throws -> Sides {
    var renames: [String: String] = [:]
    for pair in rename {
      let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      renames[parts[1]] = parts[0]
    }
    let sides: GitSides
    do throws(InputError) {
      sides = try GitSides.read(
        .init(
          reference: reference, paths: paths, renames: renames, includePaths: includePaths,
          oldIncludePaths: oldIncludePaths, newIncludePaths: newIncludePaths, excluded: exclude,
          takesIncludes: checksIncludes,
          isStaged: isStaged))
    } catch {
      throw failure(error, "OLD")
    }
    for path in sides.added {
      Terminal.printError(
        "note: \(path) is not in \(reference.name): there is nothing to compare it with (--rename tells its old path)")
    }
    return (try input(sides.old, "OLD"), try input(sides.new, "NEW"), { "\(reference.name):\($0)" })
  }

  private func input<Input>(_ result: Result<Input, InputError>, _ side: String) throws -> Input {
    do throws(InputError) {
      return try result.get()
    } catch {
      throw failure(error, side)
    }
  }

  private func failure(_ error: InputError, _ side: String) -> any Error {
    Terminal.printError("error: \(error.version?.rawValue ?? side): \(error.message)")
    if format == .text {
      ReportFormat.text.show(error.diagnostics, in: error.sources, all: all)
    } else {
      format.show(error.diagnostics, in: error.sources, all: all)
    }
    return ExitStatus.inputOutput.exitCode
  }

  // MARK: Showing

  private func show(_ report: EvolutionReport, _ transition: Transition, _ oldPath: (String) -> String) {
    let (old, new) = transition.sources
    if format == .json {
      return Terminal.write(EvolutionJSON.text(of: report, old: old, new: new, oldPath: oldPath))
    }
    let (diagnostics, sources) = report.diagnostics(old: old, new: new, oldPath: oldPath)
    switch format {
    case .text:
      guard !diagnostics.isEmpty else { return }
      ReportFormat.showText(diagnostics, in: sources, all: all)
      Terminal.printError(Self.summary(of: diagnostics))
    case .sarif:
      let hasFaults = !report.faults.old.isEmpty || !report.faults.new.isEmpty
      let reporter = SARIFReporter(
        toolVersion: CompilerVersion.current, explanations: Explanation.evolution + (hasFaults ? Explanation.all : []))
      Terminal.write(reporter.report(diagnostics, in: sources))
    case .github:
      Terminal.write(GitHubReporter().report(diagnostics, in: sources))
    case .json: break  // Done above.
    }
  }

  /// Reports once which attributes were not compared, since a binary schema lacks them, or may lack them.
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

extension Array where Element: Sendable {
  /// Maps the elements concurrently.
  func mapInParallel<Result: Sendable>(_ body: @Sendable (Element) -> Result) -> [Result] {
    let results = Slots<Result>(count)
    DispatchQueue.concurrentPerform(iterations: count) { results.set(body(self[$0]), at: $0) }
    return results.all
  }
}

/// The results of concurrent work.
private final class Slots<Value: Sendable>: @unchecked Sendable {
  // Unchecked, since the lock guards it: every access goes through `set` and `all`.
  private var values: [Value?]
  private let lock = NSLock()

  init(_ count: Int) { values = Array(repeating: nil, count: count) }

  func set(_ value: Value, at index: Int) { lock.withLock { values[index] = value } }

  var all: [Value] { lock.withLock { values.compactMap { $0 } } }
}
