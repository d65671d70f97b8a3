import FBSDiagnostics
import FBSParser
import SchemaEvolution

/// The page of the documentation about the rules of `dflatc check`, which `make docs` writes.
enum RulesPage {
  static func text() -> String {
    var output = introduction + "\n| rule | level | severity | what changed |\n|---|---|---|---|\n"
    for rule in EvolutionRule.all {
      output += "| [\(rule.id)](#\(rule.id)) | \(rule.level.rawValue) | \(rule.severity.rawValue) | \(rule.summary) |\n"
    }
    for explanation in Explanation.evolution {
      output += "\n## \(explanation.code.id)\n\n"
      output += "**\(explanation.code.title.prefix(1).uppercased() + explanation.code.title.dropFirst()).**\n\n"
      output += ExplanationText.markdown(explanation)
        .replacing("\nWrong:\n", with: "\nReported:\n").replacing("\nRight:\n", with: "\nNot reported:\n")
    }
    return output
  }

  private static let introduction = """
    # The rules of `dflatc check`

    <!-- Written by `make docs` from the rules in Sources/SchemaEvolution: change it there. -->

    What `dflatc check` reports, and what to do instead. `dflatc explain RULE` tells what stands here. A rule never changes
    its name. [evolution.md](evolution.md) tells how to use the command.

    """
}
