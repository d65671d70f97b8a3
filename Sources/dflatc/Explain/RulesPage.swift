import FBSDiagnostics
import FBSParser
import SchemaEvolution
import SchemaLinting

/// The pages of the documentation about rules, which `make pages` writes.
enum RulesPage {
  /// The page about the rules of `dflatc check`.
  static var evolution: String {
    var output = """
      # The rules of `dflatc check`

      <!-- Written by `make pages` from the rules in Sources/SchemaEvolution: change it there. -->

      What `dflatc check` reports, and what to do instead. `dflatc explain RULE` tells what stands here. A rule never changes
      its name. [evolution.md](evolution.md) tells how to use the command.

      | rule | level | severity | what changed |
      |---|---|---|---|

      """
    for rule in EvolutionRule.all {
      output += "| [\(rule.id)](#\(rule.id)) | \(rule.level.rawValue) | \(rule.severity.rawValue) | \(rule.summary) |\n"
    }
    return output + sections(Explanation.evolution)
  }

  /// The page about the rules of `dflatc lint`.
  static var linting: String {
    var output = """
      # The rules of `dflatc lint`

      <!-- Written by `make pages` from the rules in Sources/SchemaLinting: change it there. -->

      What `dflatc lint` reports, and what to do instead. `dflatc explain RULE` tells what stands here. A rule never changes
      its name. [linting.md](linting.md) tells how to use the command.

      | rule | group | unless configured | what it finds |
      |---|---|---|---|

      """
    for rule in LintRule.all {
      output +=
        "| [\(rule.id)](#\(rule.id)) | \(rule.group.rawValue) | \(rule.isOn ? "on" : "off") | \(rule.summary) |\n"
    }
    return output + sections(Explanation.linting)
  }

  private static func sections(_ explanations: [Explanation]) -> String {
    explanations.map { explanation in
      """

      ## \(explanation.code.id)

      **\(explanation.code.title.prefix(1).uppercased() + explanation.code.title.dropFirst()).**


      """
        + ExplanationText.markdown(explanation)
        .replacing("\nWrong:\n", with: "\nReported:\n").replacing("\nRight:\n", with: "\nNot reported:\n")
    }.joined()
  }
}
