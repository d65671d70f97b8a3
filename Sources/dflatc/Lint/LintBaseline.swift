import FBSDiagnostics
import SchemaLinting

extension FindingBaseline.Entry {
  /// Creates the entry of a finding of `dflatc lint`.
  init(_ finding: Diagnostic, in sources: SourceMap) {
    self.init(rule: finding.code.id, path: sources[finding.range.file].path, message: finding.message)
  }
}

extension FindingBaseline {
  /// The rules of `dflatc lint`.
  static let lintRules = Set(LintRule.all.map(\.id))
}

extension LintReport {
  /// The findings of `dflatc lint` itself, as entries of a baseline. Notes are left out, since they fail no run.
  var baselineEntries: [FindingBaseline.Entry] {
    findings.filter { $0.severity != .note }.map { FindingBaseline.Entry($0, in: sources) }
  }
}
