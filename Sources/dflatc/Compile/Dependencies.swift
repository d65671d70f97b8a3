import Emitters
import FBSSchema
import Foundation

/// What the outputs of a run depend on, in the form that Make and Ninja read.
struct Dependencies {
  /// The outputs, or the stamp that stands for them.
  let outputs: [String]
  let inputs: [String]
  /// Those of the inputs that others include.
  let includes: [String]

  /// A rule without commands: outputs, a colon, inputs. Then one for each included file, which has no prerequisites: Make
  /// goes on when the file is gone, and compiles again, instead of not knowing how to make it.
  var text: String {
    let targets = outputs.map(Self.escape).joined(separator: " \\\n  ")
    let prerequisites = inputs.map { " \\\n  " + Self.escape($0) }.joined()
    let rules = includes.map { "\n\(Self.escape($0)):\n" }.joined()
    return "\(targets):\(prerequisites)\n\(rules)"
  }

  /// Make's escapes: spaces and number signs take a backslash, a dollar sign another dollar sign.
  private static func escape(_ path: String) -> String {
    var result = ""
    for character in path {
      switch character {
      case " ", "#", "\\": result += "\\\(character)"
      case "$": result += "$$"
      default: result.append(character)
      }
    }
    return result
  }
}
