import FBSDiagnostics
import SchemaLinting

extension FindingBaseline.Entry {
  /// Creates the entry of a finding of `dflatc lint`.
  init(_ finding: Diagnostic, in sources: SourceMap) {
    self.init(rule: finding.code.id, path: sources[finding.range.file].path, message: finding.message)
  }
}

extension FindingBaseline.Owner {
  /// `dflatc lint`.
  static let lint = FindingBaseline.Owner(task: "lint", rules: Set(LintRule.all.map(\.id)))
}

extension LintReport {
  /// The findings of the report, as a baseline has them. Notes are left out, as they fail no run.
  var baselineEntries: [FindingBaseline.Entry] {
    findings.filter { $0.severity != .note }.map { FindingBaseline.Entry($0, in: sources) }
      + FindingBaseline.Owner.lint.entries(ofPrograms: outsideFindings.filter { $0.severity != .note }, in: sources)
  }

  /// Returns the report without the findings that a baseline lets through.
  func without(_ baseline: inout FindingBaseline) -> LintReport {
    filtered { !baseline.take(FindingBaseline.Entry($0, in: sources)) }
      .filteringOutsideFindings { !baseline.take($0, ofProgramIn: sources) }
  }
}
