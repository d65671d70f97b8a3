import FBSDiagnostics
import FBSParser

extension Explanation {
  /// The explanations of the rules of `dflatc check`, in the order of the rules, then of its comments.
  public static let evolution: [Explanation] =
    EvolutionRule.all.map { rule in
      Explanation(
        rule.code, rule.introduction + "\n\n" + rule.explanation, wrong: Example(rule.reported),
        right: Example(rule.allowed))
    } + allowComments
}

extension EvolutionRule {
  /// The description of the rule, in a sentence.
  var introduction: String {
    let what =
      switch level {
      case .storage: "stored data"
      case .source: "source code"
      case .rpc: "calls of remote methods"
      case .json: "JSON"
      }
    return "A rule of `dflatc check` about \(what), of severity \(severity.rawValue) unless configured otherwise."
  }
}

extension Explanation.Example {
  /// Creates the two versions side by side.
  fileprivate init(_ example: EvolutionRule.Example) {
    self.init(
      files: example.old.map { File("old/\($0.path)", $0.text) } + example.new.map { File("new/\($0.path)", $0.text) })
  }
}
