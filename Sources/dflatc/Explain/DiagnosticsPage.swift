import FBSDiagnostics
import FBSParser

/// The page of the documentation about diagnostics, which `make pages` writes.
enum DiagnosticsPage {
  static func text(_ explanations: [Explanation]) -> String {
    var output = introduction + "\n## All codes\n\n| code | what is wrong |\n|---|---|\n"
    for explanation in explanations {
      let id = explanation.code.id
      output += "| [\(id)](#\(id.lowercased())) | \(explanation.code.title) |\n"
    }
    for explanation in explanations {
      output += "\n### \(explanation.code.id)\n\n"
      output += "**\(explanation.code.title.prefix(1).uppercased() + explanation.code.title.dropFirst()).**\n\n"
      output += ExplanationText.markdown(explanation)
    }
    return output
  }

  private static let introduction = """
    # Diagnostics

    <!-- Written by `make pages` from the explanations in Sources: change it there. -->

    Every diagnostic of `dflatc` has a code that never changes its meaning. `dflatc explain CODE` tells what stands here;
    `dflatc explain` lists the codes. D01xx are mistakes in the text, D02xx in what it means or in what a store asks for,
    D03xx keep Swift from being generated, or are about it. D04xx are mistakes in a `.dflatc.json` or
    `dflatc.json`, D05xx in a condition of `dflatc inspect`, and D06xx in a file of Protocol Buffers.

    ## For programs

    `dflatc compile --format FORMAT` chooses how diagnostics are shown:

    | format | where | what |
    |---|---|---|
    | `text` | standard error | for people: the lines that a diagnostic is about |
    | `json` | standard output | everything that is known, in the form below |
    | `sarif` | standard output | SARIF 2.1.0, for code scanners and editors |
    | `github` | standard output | workflow commands, which GitHub shows beside the lines of a pull request |
    | `gitlab` | standard output | a report of code quality, which GitLab shows in a merge request |
    | `junit` | standard output | XML of JUnit, a failed case a diagnostic |
    | `line` | standard output | `path:line:column: error: what is wrong [code]`, for editors |

    All but `text` and `line` write a valid report when there is nothing to say as well, and the exit codes are the same for all.
    Inputs that cannot be read are named on standard error.

    The JSON is one object:

    | member | what |
    |---|---|
    | `version` | 1. It changes when a member goes or changes its meaning; others may be added. |
    | `diagnostics` | an array, by file and then by place |

    Each diagnostic:

    | member | what |
    |---|---|
    | `code` | such as `D0203` |
    | `severity` | `error`, `warning` or `note` |
    | `message` | what is wrong |
    | `advice` | what to do, or `""` |
    | `file` | the path by which the file was read |
    | `start`, `end` | the first byte, and the one after the last. They are the same for a place between two bytes. |
    | `labels` | further places, each with `text` (or `""`), `file`, `start` and `end` |
    | `notes` | further facts, as strings |
    | `fixes` | changes of the text that mend it, each on its own, with a `title` and `edits`; SARIF has them, too |

    An edit has `file`, `start` and `end`, which say what to take away (nothing, if they are the same), and `replacement`, which
    says what to put there. The edits of a fix belong together, and do not overlap.

    Each of `start` and `end`:

    | member | what |
    |---|---|
    | `offset` | in bytes of the file, from 0 |
    | `line` | from 1. LF, CR LF and a lone CR end a line. |
    | `column` | from 1, in characters as people count them; a tab is one. This is what `text` shows. |
    | `utf16Column` | from 1, in UTF-16 code units, as many editors count them |

    SARIF and `github` count columns in UTF-16 code units.

    """
}
