import FBSSchema
import Foundation

/// A commit that `--against git:REF[:DIR]` names, and perhaps a folder in it.
struct GitReference: Equatable {
  /// The name of the commit, as the user has written it.
  let name: String
  /// The folder of the commit with the earlier version of the current folder, as a path from the repository's root; nil
  /// if it is the current folder's own path.
  let folder: String?

  init(name: String, folder: String?) {
    self.name = name
    self.folder = folder.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Parses `git:REF` or `git:REF:DIR`; nil for any other text.
  init?(_ text: String) {
    guard text.hasPrefix("git:") else { return nil }
    let (name, folder) = Self.split(text.dropFirst(4))
    guard !name.isEmpty else { return nil }
    self.init(name: name, folder: folder)
  }

  /// Splits `REF:DIR` as git does: at the first colon outside of braces, since `HEAD^{/fix: crash}` is a name, too. The
  /// folder is nil if there is no such colon.
  static func split(_ text: Substring) -> (name: String, folder: String?) {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "{": depth += 1
      case "}" where depth > 0: depth -= 1
      case ":" where depth == 0: return (String(text[..<index]), String(text[text.index(after: index)...]))
      default: break
      }
    }
    return (String(text), nil)
  }
}

extension Git {
  /// Returns the id of the commit that a name stands for; nil if there is no such commit.
  static func commit(_ name: String) throws(InputError) -> String? {
    // No reference begins with these characters. Git takes such a name for an option, or answers the id with a `^`
    // before it. `git rev-parse --end-of-options` would not do: git has it since version 2.30.
    guard !name.hasPrefix("-"), !name.hasPrefix("^") else { return nil }
    let answer = try run(["rev-parse", "--verify", "--quiet", "\(name)^{commit}"])
    return answer.isSuccess ? answer.output.trimmingCharacters(in: .whitespacesAndNewlines) : nil
  }
}
