import FBSDiagnostics
import FBSParser

extension Explanation {
  /// The explanations of the rules of `dflatc check`, in the order of the rules, then of its comments.
  public static let evolution: [Explanation] =
    EvolutionRule.all.map { rule in
      Explanation(
        rule.code, rule.introduction + "\n\n" + rule.explanation, wrong: Example(rule.reported),
        right: Example(rule.allowed))
    } + [
      Explanation(
        withoutExamples: AllowComments.malformed,
        """
        A comment that silences a finding of `dflatc check` names a rule and a reason: `// dflatc:allow field-type nothing was \
        released with it`. It stands on a line of its own, above the place of the finding in the new version.
        """),
      Explanation(
        withoutExamples: AllowComments.unused,
        """
        Nothing is found on the line below the comment that it could silence. As a rule the change that it allowed has been \
        released since, so that it can go.
        """),
    ]
}

extension EvolutionRule {
  /// What the rule is, in a sentence.
  var introduction: String {
    let what = level == .storage ? "stored data" : "source code"
    return "A rule of `dflatc check` about \(what), of severity \(severity.rawValue) unless configured otherwise."
  }
}

extension Explanation.Example {
  /// The two versions side by side.
  fileprivate init(_ example: EvolutionRule.Example) {
    self.init(
      files: example.old.map { File("old/\($0.path)", $0.text) } + example.new.map { File("new/\($0.path)", $0.text) })
  }
}
