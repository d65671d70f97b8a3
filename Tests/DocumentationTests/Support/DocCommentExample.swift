import Foundation
import TestSupport

/// A code block of Swift in a doc comment.
struct DocCommentExample {
  /// The path of the source file, from the repository's root.
  let path: String
  /// The line of the source file on which the code begins, from 1.
  let line: Int
  /// The text without the slashes before each line.
  let text: String
  /// The module whose sources have the comment, by the name of its folder.
  let module: String

  /// The imports of the example.
  var imports: [Substring] { text.split(separator: "\n").filter { $0.hasPrefix("import ") } }

  /// The text with empty lines in place of the imports.
  var body: String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.hasPrefix("import ") ? "" : $0 }
      .joined(separator: "\n")
  }

  /// Returns the examples of the runtime's sources, in the order of the files.
  static func all() throws -> [DocCommentExample] {
    let folder = packageFolder.appendingPathComponent("Sources/DflatRuntime")
    guard let names = FileManager.default.enumerator(atPath: folder.path) else { return [] }
    let files = names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
    return try files.sorted().flatMap { name in
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      return examples(of: text, path: "Sources/DflatRuntime/" + name)
    }
  }

  static func examples(of source: String, path: String) -> [DocCommentExample] {
    var examples: [DocCommentExample] = []
    var open: (lines: [Substring], line: Int)?
    for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let content = line.drop { $0 == " " }
      guard content.hasPrefix("///") else { continue }
      let words = content.dropFirst(3).hasPrefix(" ") ? content.dropFirst(4) : content.dropFirst(3)
      if let (lines, start) = open {
        if words == "```" {
          let module = path.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
          examples.append(
            DocCommentExample(path: path, line: start, text: lines.joined(separator: "\n"), module: module))
          open = nil
        } else {
          open = (lines + [words], start)
        }
      } else if words == "```swift" {
        open = ([], index + 2)
      }
    }
    return examples
  }
}
