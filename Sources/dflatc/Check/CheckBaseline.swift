import FBSDiagnostics
import SchemaEvolution

extension FindingBaseline.Entry {
  /// Creates the baseline entry of a finding of `dflatc check`, from its rule, its message and the path of its file.
  /// - Parameter sources: The files of both versions. The path is the old version's if the new one lacks the file.
  init(_ finding: Finding, _ sources: (old: SourceMap, new: SourceMap)) {
    let path =
      finding.isAboutGoneFile ? sources.old[finding.oldRange.file].path : sources.new[finding.range.file].path
    self.init(rule: finding.rule.id, path: path, message: finding.message)
  }
}

extension FindingBaseline.Owner {
  /// `dflatc check`.
  static let check = FindingBaseline.Owner(task: "check", rules: Set(EvolutionRule.all.map(\.id)))
}

extension EvolutionReport {
  /// Returns the findings of the report, as a baseline has them. Notes are left out, as they fail no run.
  func baselineEntries(in sources: (old: SourceMap, new: SourceMap)) -> [FindingBaseline.Entry] {
    let outside = outsideFindings.filter { $0.severity != .note }
    return findings.filter { $0.severity != .note }.map { FindingBaseline.Entry($0, sources) }
      + FindingBaseline.Owner.check.entries(ofPrograms: outside, in: sources.new)
  }

  /// Returns the report without the findings that a baseline lets through.
  func without(
    _ baseline: inout FindingBaseline, in sources: (old: SourceMap, new: SourceMap)
  ) -> EvolutionReport {
    filtered { !baseline.take(FindingBaseline.Entry($0, sources)) }
      .filteringOutsideFindings { !baseline.take($0, ofProgramIn: sources.new) }
  }
}
