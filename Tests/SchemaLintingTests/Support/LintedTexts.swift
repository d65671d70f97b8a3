import ConformanceSupport
import FBSDiagnostics
import FBSSchema
import SchemaLinting
import Testing

/// What the linter says of files that are all inputs, or of some of them.
func lint(
  _ files: [String: String], inputs: [String]? = nil, _ linter: Linter = Linter()
) -> LintReport {
  linter.lint(SchemaModules(inputs: inputs ?? files.keys.sorted(), provider: SchemaTexts(files)))
}

/// The findings in a file, each as `rule line:column`, with the rules that are on unless configured, and further ones.
func findings(
  _ text: String, path: String = "a.fbs", on rules: [LintRule] = [], sourceLocation: SourceLocation = #_sourceLocation
) -> [String] {
  findings([path: text], on: rules, sourceLocation: sourceLocation)
}

/// The findings in files that are all inputs.
func findings(
  _ files: [String: String], inputs: [String]? = nil, on rules: [LintRule] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) -> [String] {
  var configuration = LintConfiguration()
  for rule in rules { configuration.set(rule, to: .on) }
  let report = lint(files, inputs: inputs, Linter(configuration))
  #expect(report.faults.isEmpty, sourceLocation: sourceLocation)
  return report.findings.map { finding in
    let position = report.sources.position(of: finding.range.start, in: finding.range.file)
    let place = files.count == 1 ? "" : report.sources[finding.range.file].path + ":"
    return "\(finding.code.id) \(place)\(position.line):\(position.column)"
  }
}

/// A rule that there is.
func rule(_ id: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> LintRule {
  try #require(LintRule.named(id), sourceLocation: sourceLocation)
}
