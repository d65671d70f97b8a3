import FBSDiagnostics
import FBSParser

extension Explanation {
  /// The explanations of the rules of `dflatc lint`, in the order of the rules.
  public static let linting: [Explanation] = LintRule.all.map { rule in
    Explanation(
      rule.code, rule.introduction + "\n\n" + rule.explanation, wrong: Example(rule.reported),
      right: Example(rule.allowed))
  }

  /// The explanations of all diagnostics of `dflatc lint`: those of its rules, and of comments that silence findings.
  public static let lintReports: [Explanation] = linting + allowComments
}

extension LintRule {
  /// A sentence that introduces the rule.
  fileprivate var introduction: String {
    "A rule of `dflatc lint`, in the group \(group.rawValue), \(isOn ? "on" : "off") unless configured otherwise."
  }
}

extension Explanation.Example {
  fileprivate init(_ example: LintRule.Example) {
    self.init(files: example.files.map { File($0.path, $0.text) })
  }
}
