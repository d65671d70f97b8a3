import FBSDiagnostics
import FBSParser

/// Collects findings. Each gets the severity of its file's configuration; silenced ones are left out.
struct LintCollector {
  private(set) var findings = DiagnosticList()
  private(set) var silencedCount = 0
  private var comments: AllowComments
  private let configuration: (FileID) -> LintConfiguration
  private let linted: Set<FileID>
  /// The rule that is running.
  var rule: LintRule?

  init(_ subject: LintSubject, otherRules: Set<String>) {
    configuration = subject.configuration
    linted = Set(subject.files.map(\.file.id))
    // Linted files have no errors.
    comments = AllowComments(
      trees: subject.files.map(\.tree), rules: .init(own: Set(LintRule.all.map(\.id)), others: otherRules))
  }

  /// Returns whether a rule is on in one of the files.
  func isOn(_ rule: LintRule) -> Bool { linted.contains { configuration($0).severity(of: rule) != nil } }

  /// Reports a finding of the rule that is running.
  /// - Parameters:
  ///   - message: the finding, in one line, without a full stop.
  ///   - range: the location. Files that are not linted have no findings.
  ///   - advice: the advice.
  mutating func report(
    _ message: String, at range: SourceRange, advice: String, labels: [Diagnostic.Label] = [], notes: [String] = [],
    fixes: [Diagnostic.Fix] = []
  ) {
    guard let rule, linted.contains(range.file), let severity = configuration(range.file).severity(of: rule) else {
      return
    }
    if comments.silences(rule.id, at: range) {
      silencedCount += 1
      return
    }
    findings.append(
      Diagnostic(
        rule.code, severity, message, at: range, advice: advice, labels: labels, notes: notes, fixes: fixes))
  }

  /// Returns the diagnostics about comments that silence findings. Called after all rules have run.
  func commentDiagnostics() -> [Diagnostic] {
    comments.diagnostics
      + comments.unusedWarnings(note: "what it allowed is gone, or stands elsewhere") { id, file in
        LintRule.named(id).map { configuration(file).severity(of: $0) != nil } ?? false
      }
  }
}
