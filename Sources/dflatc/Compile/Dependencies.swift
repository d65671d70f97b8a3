import Emitters
import FBSSchema
import Foundation

/// The files that the outputs of a run depend on, in the format that Make and Ninja read.
struct Dependencies {
  /// The outputs, or the stamp that stands for them.
  let outputs: [String]
  let inputs: [String]
  /// The inputs that the build tool does not know: included files, and the programs of plug-ins.
  let found: [String]

  /// An error for a path that the format cannot express.
  struct UnwritablePath: Error {
    let path: String
    /// The reason: how Make or Ninja would misread it.
    let reason: String
  }

  /// Returns a rule without commands: outputs, a colon, inputs. Then follows a rule without prerequisites for each file
  /// in `found`: if such a file is gone, Make compiles again instead of failing because it cannot make the file.
  func text() throws(UnwritablePath) -> String {
    var text = ""
    for (index, output) in outputs.enumerated() { text += (index == 0 ? "" : " \\\n  ") + (try Self.escape(output)) }
    text += ":"
    for input in inputs { text += " \\\n  " + (try Self.escape(input)) }
    text += "\n"
    for file in found { text += "\n\(try Self.escape(file)):\n" }
    return text
  }

  /// The first path that Make reads, and that Ninja 1.11 takes for several paths; nil if there is none. Ninja 1.13 is
  /// known to read it.
  var pathForNewNinja: String? {
    (outputs + inputs).first {
      $0.utf8.contains { [UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "&")].contains($0) }
    }
  }

  /// Returns a path escaped so that both Make and Ninja read it back unchanged: with a backslash before each blank,
  /// colon and number sign, and a dollar sign before each dollar sign.
  ///
  /// Both tools read bytes, so that a combining character does not hide the blank before it.
  private static func escape(_ path: String) throws(UnwritablePath) -> String {
    var result: [UInt8] = []
    var backslashes = 0
    func fail(_ reason: String) -> UnwritablePath { UnwritablePath(path: path, reason: reason) }
    for byte in path.utf8 {
      let character = Character(UnicodeScalar(byte))
      switch character {
      case "\\":
        backslashes += 1
        result.append(byte)
        continue
      case " ":
        // Here, and only here, the backslashes before it are doubled by both.
        result += Array(repeating: UInt8(ascii: "\\"), count: backslashes + 1) + [byte]
      case "#", ":", "$":
        guard backslashes == 0 else {
          throw fail("Make and Ninja do not read a backslash before `\(character)` as the same path")
        }
        result += [character == "$" ? byte : UInt8(ascii: "\\"), byte]
      default:
        if let reason = reasonAgainst(character) { throw fail(reason) }
        result.append(byte)
      }
      backslashes = 0
    }
    if let reason = reasonAgainstEnds(of: path) { throw fail(reason) }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns why a path cannot contain a character; nil if it can. Make and Ninja do not both read such a character as
  /// part of a name, escaped or not.
  private static func reasonAgainst(_ character: Character) -> String? {
    switch character {
    case ";": "Make takes what follows `;` for a command"
    case "=": "Make takes `=` for an assignment"
    case "%", "*", "?", "[": "Make takes `\(character)` for a pattern"
    case "|": "Make takes `|` for the start of what need not be newer"
    case "`", "<", ">", "^": "Ninja does not take `\(character)` for part of a path"
    case "\n", "\r": "Make and Ninja end a line there"
    case "\t": "Make and Ninja end a path at a tab"
    case "\0"..."\u{1F}", "\u{7F}": "Ninja does not take a control character for part of a path"
    default: nil
    }
  }

  private static func reasonAgainstEnds(of path: String) -> String? {
    // Bytes that are not UTF-8 were replaced by this character.
    if path.unicodeScalars.contains("\u{FFFD}") { return "it is not UTF-8" }
    switch path.utf8.first.map({ Character(UnicodeScalar($0)) }) {
    case nil: return "it is empty"
    case "~": return "Make takes `~` for a home folder"
    default: break
    }
    switch path.utf8.last.map({ Character(UnicodeScalar($0)) }) {
    case " ", "\\", ":": return "Make and Ninja do not read a path back that ends so"
    case "&": return "Make takes `&` before a colon for a group of targets"
    case ")": return "Make takes what ends so for a member of an archive"
    default: return nil
    }
  }
}
