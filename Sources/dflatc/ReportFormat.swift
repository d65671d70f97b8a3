import ArgumentParser
import Emitters
import FBSParser
import FBSSchema

/// How `--format` shows diagnostics.
enum ReportFormat: String, CaseIterable, ExpressibleByArgument {
  case text, json, sarif, github

  /// Shows diagnostics: text to people on standard error, the rest to programs on standard output.
  ///
  /// Programs get a report when there is nothing to say, too.
  func show(_ diagnostics: [Diagnostic], in sources: SourceMap) {
    let diagnostics = diagnostics.inSourceOrder()
    switch self {
    case .text:
      guard !diagnostics.isEmpty else { return }
      Terminal.printError(DiagnosticRenderer(usesColor: Terminal.isColored).render(diagnostics, in: sources))
    case .json:
      Terminal.write(JSONReporter().report(diagnostics, in: sources))
    case .sarif:
      let reporter = SARIFReporter(toolVersion: CompilerVersion.current, explanations: Explanation.all)
      Terminal.write(reporter.report(diagnostics, in: sources))
    case .github:
      Terminal.write(GitHubReporter().report(diagnostics, in: sources))
    }
  }
}

extension Explanation {
  /// The explanations of all codes, in the order of the codes.
  static let all = parser + schema + emitters
}
