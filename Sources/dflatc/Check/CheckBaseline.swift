import FBSDiagnostics
import SchemaEvolution

extension FindingBaseline.Entry {
  /// Creates the entry of a finding of `dflatc check`.
  /// - Parameter sources: The files of both versions.
  init(_ finding: Finding, _ sources: (old: SourceMap, new: SourceMap)) {
    let path =
      finding.isAboutGoneFile ? sources.old[finding.oldRange.file].path : sources.new[finding.range.file].path
    self.init(rule: finding.rule.id, path: path, message: finding.message)
  }
}

extension FindingBaseline {
  /// The rules of `dflatc check`.
  static let checkRules = Set(EvolutionRule.all.map(\.id))
}
