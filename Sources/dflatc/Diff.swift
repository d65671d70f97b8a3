import ArgumentParser
import FBSDiagnostics
import FBSParser
import Foundation
import SchemaEvolution
import SchemaLinting

/// `dflatc diff`: tells in words what has changed between two versions.
struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Tell what changed between two versions of a schema, for a change log or a review.",
    usage: """
      dflatc diff [<options>] OLD NEW
      dflatc diff [<options>] --against git:REF[:DIR]|merge-base[:REF] FILE...
      dflatc diff [<options>] --against OLD NEW
      """,
    discussion: """
      All changes are told, also those that harm nobody, by file and by type:

        post.fbs
          table Post
            + the field `many_likes: long` is new
            ! `likes` was `int`, and is `long`
                error[field-type]: stored values of 4 bytes are read as 8, ...

      + is new, - is gone, ~ is another than it was, and ! breaks: what `dflatc check` says of a change stands below it. With \
      --format markdown the text fits a pull request or a change log.

      OLD and NEW are named as for `dflatc check`: schemas (.fbs), folders of them, binary schemas (.bfbs), or a commit. With \
      "against" in \(TeamConfiguration.fileName), all that is named is NEW.

      EXAMPLES
        dflatc diff released/post.fbs Schemas/post.fbs
        dflatc diff --against git:v1.4 Schemas
        dflatc diff --against merge-base --format markdown Schemas >> "$GITHUB_STEP_SUMMARY"

      Exit codes: 0 done, whatever differs, 2 wrong usage, 3 a side cannot be read or parsed. `dflatc check` tells by its exit \
      code whether NEW may replace OLD.
      """)

  /// How a difference is shown.
  enum Form: String, CaseIterable, ExpressibleByArgument {
    case text, markdown, json
  }

  @Option(name: .long, help: "How to show changes: text or markdown for people, json for programs.")
  var format: Form = .text

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

  @Option(
    name: .long, help: "What to compare with: git:REF, git:REF:DIR, merge-base, merge-base:REF, or OLD.")
  var against: String?

  @Option(name: .long, help: "With --against: a file that had another path, as OLD=NEW. May be given several times.")
  var rename: [String] = []

  @Option(name: .long, help: ArgumentHelp(SchemaPaths.excludeHelp, valueName: "path"), completion: .file())
  var exclude: [String] = []

  @Option(
    name: .long, help: "The configuration, instead of the nearest \(TeamConfiguration.fileName).",
    completion: .file(extensions: ["json"]))
  var config: String?

  @Argument(
    help: "OLD and NEW; with --against, files or folders.", completion: .file(extensions: ["fbs", "bfbs"]))
  var paths: [String] = []

  func run() throws {
    let configurations = Configurations(config)
    var reader = VersionReader(
      paths: paths, against: against, renames: rename, includePaths: includePaths, oldIncludePaths: oldIncludePaths,
      newIncludePaths: newIncludePaths, excluded: exclude)
    try reader.takeAgainst(configurations)
    do throws(UsageFailure) {
      try reader.validate()
    } catch {
      Terminal.printError("Error: \(error)\n  See 'dflatc diff --help' for more information.")
      throw ExitStatus.usage.exitCode
    }
    let versions = try reader.read(configurations)
    try configurations.throwMistakes(.text)
    let transition = Transition(old: versions.old, new: versions.new)
    for (side, faults, sources) in [
      ("OLD", transition.faults.old, transition.sources.old.renamed(versions.oldPath)),
      ("NEW", transition.faults.new, transition.sources.new),
    ] where !faults.isEmpty {
      Terminal.printError("error: \(side) has errors")
      ReportFormat.text.show(faults, in: sources, all: false)
    }
    guard transition.faults.old.isEmpty, transition.faults.new.isEmpty else { throw ExitStatus.inputOutput.exitCode }
    let judge = FindingJudge(configurations, transition.sources)
    let report = EvolutionReport(
      transition, levels: Set(EvolutionRule.Level.allCases).subtracting([.json]),
      otherRules: Set(LintRule.all.map(\.id)).union(configurations.programRules), judge: judge.setting)
    let difference = SchemaDifference(
      old: versions.old, new: versions.new, report: report, sources: transition.sources)
    let text = DifferenceText(difference, isCompatible: report.isCompatible)
    switch format {
    case .text: Terminal.writeText(text.text)
    case .markdown: Terminal.writeText(text.markdown)
    case .json: Terminal.write(text.json)
    }
  }
}
