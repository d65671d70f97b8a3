import FBSDiagnostics
import FBSSchema
import SchemaEvolution

/// Applies the configurations to the findings of a check: severities for the files that a finding is about, and entries
/// of `allow` that let findings through.
final class FindingJudge {
  private let configurations: Configurations
  private let sources: (old: SourceMap, new: SourceMap)
  private var settings: [String: [String: EvolutionReport.Setting]] = [:]
  private var oldNames: [FileID: DeclaredNames] = [:]
  private var newNames: [FileID: DeclaredNames] = [:]
  private var usedAllowances: Set<EntryID> = []

  /// Identifies an entry of `allow`.
  private struct EntryID: Hashable {
    let path: String
    let start: Int

    init(_ allowance: TeamConfiguration.Allowance) {
      path = FileSystem().identity(of: allowance.file.path)
      start = allowance.range.start
    }
  }

  init(_ configurations: Configurations, _ sources: (old: SourceMap, new: SourceMap)) {
    self.configurations = configurations
    self.sources = sources
  }

  /// Returns the setting of a finding; nil if no configuration sets one.
  func setting(of finding: Finding) -> EvolutionReport.Setting? {
    let oldPath = sources.old[finding.oldRange.file].path
    let path = finding.isAboutGoneFile ? oldPath : sources.new[finding.range.file].path
    if configurations.isVendored(path) { return .off }
    if isAllowed(finding, path, oldPath) { return .off }
    let own = settings[path] ?? configurations[path].checkSettings(for: path)
    settings[path] = own
    return own[finding.rule.id]
  }

  private func isAllowed(_ finding: Finding, _ path: String, _ oldPath: String) -> Bool {
    let allowances = allowances(for: finding, path, oldPath)
    usedAllowances.formUnion(allowances.map(EntryID.init))
    return !allowances.isEmpty
  }

  /// Returns the entries of `allow` that let a finding through.
  private func allowances(
    for finding: Finding, _ path: String, _ oldPath: String
  ) -> [TeamConfiguration.Allowance] {
    let candidates = configurations[path].allowances.filter { allowance in
      // A table is gone with the `root_type` of its file.
      (allowance.rule == finding.rule.id || finding.isAboutGoneFile && allowance.rule == "type-removed")
        && (allowance.paths.map { $0.contains(path) || $0.contains(oldPath) } ?? true)
    }
    guard !candidates.isEmpty else { return [] }
    let names = names(of: finding)
    return candidates.filter { $0.isAbout(names) }
  }

  /// Returns a warning for each entry of `allow` that lets none of the findings through, with the configurations that
  /// have the entries.
  ///
  /// Entries about rules of programs are not judged, since the other command may find what they let through.
  /// Findings count that comments silence or that `--level` leaves out, too, since other runs report them. An entry is judged only if
  /// everything that it may be about was compared.
  /// - Parameters:
  ///   - findings: all findings of the run.
  ///   - compared: the files and folders that were compared as a whole.
  func unusedAllowances(
    among findings: [Finding], _ compared: ComparedPaths
  ) -> (warnings: [Diagnostic], sources: SourceMap) {
    var judged: [TeamConfiguration.Allowance] = []
    for configuration in configurations.all {
      for allowance in configuration.allowances
      where EvolutionRule.named(allowance.rule) != nil
        && compared.holdAll(of: allowance, in: configuration, isExplicit: configurations.isExplicit)
      {
        judged.append(allowance)
      }
    }
    guard !judged.isEmpty else { return ([], SourceMap()) }
    for finding in findings {
      let oldPath = sources.old[finding.oldRange.file].path
      _ = isAllowed(finding, finding.isAboutGoneFile ? oldPath : sources.new[finding.range.file].path, oldPath)
    }
    var join = SourceJoin()
    var warnings: [Diagnostic] = []
    // Several configurations may extend the one that has an entry.
    var reported = usedAllowances
    for allowance in judged where reported.insert(EntryID(allowance)).inserted {
      var own = SourceMap()
      let id = own.add(path: allowance.file.path, bytes: allowance.file.bytes)
      let place = join.add(own)
      let range = SourceRange(file: id, start: allowance.range.start, end: allowance.range.end)
      warnings.append(
        place(
          Diagnostic(
            OptionsCode.unusedAllowance, .warning, "nothing to allow: there is no such `\(allowance.rule)`", at: range,
            advice: "remove the entry", notes: ["what it allowed is in the old version, too, or stands elsewhere"])))
    }
    return (warnings, join.sources)
  }

  /// Returns the types and members of both versions that the finding is about.
  private func names(of finding: Finding) -> [String] {
    let old = oldNames[finding.oldRange.file] ?? DeclaredNames(sources.old[finding.oldRange.file])
    oldNames[finding.oldRange.file] = old
    var names = old.names(at: finding.oldRange)
    guard !finding.isAboutGoneFile else { return names }
    let new = newNames[finding.range.file] ?? DeclaredNames(sources.new[finding.range.file])
    newNames[finding.range.file] = new
    // If the finding is about a removed type, or its range in NEW is empty, NEW declares nothing that it is about.
    if finding.rule.id != "type-removed", finding.range.start < finding.range.end {
      names += new.names(at: finding.range)
    }
    return names
  }
}
