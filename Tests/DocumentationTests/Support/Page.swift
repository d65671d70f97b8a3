import Foundation
import TestSupport

/// A code block of a page: its text between the fences, and what the info string behind the first fence says.
///
/// The first word of an info string is the language, as everywhere. The words after it are for the tests:
///
/// | word | the code block |
/// |---|---|
/// | `body` | is a function's body, in which `workspace` is a new, empty workspace |
/// | `continues` | goes on in the body of the code block of Swift before it |
/// | `program` | is a whole program; it is run twice, and prints each time what the code block after it says |
/// | `other` | is not ours, or not meant to be compiled: code of another library, or of this package's inside |
/// | `output` | is what the code block before it prints |
/// | `run` | is run by the shell, in a folder with the files of the page so far |
/// | `file=NAME` | is a file of that name |
/// | `before=WORD` | is inserted in its file, before the comment with that word |
struct Fence {
  let language: String
  let words: Set<String>
  private let values: [String: String]
  let text: String
  /// The line of the page on which the text begins, from 1.
  let line: Int

  init(info: Substring, lines: [Substring], line: Int) {
    let parts = info.split(separator: " ").map(String.init)
    language = parts.first ?? ""
    words = Set(parts.dropFirst().filter { !$0.contains("=") })
    let pairs = parts.dropFirst().map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    values = Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
    text = lines.joined(separator: "\n") + "\n"
    self.line = line
  }

  func value(_ key: String) -> String? { values[key] }
  var file: String? { value("file") }
  func has(_ word: String) -> Bool { words.contains(word) }
}

/// A page of the documentation.
///
/// A comment `<!-- snippets schema=README.md emitters=accessors -->` says whose schemas the page's Swift belongs to, and
/// by which emitters they are compiled. Without it they are the page's own, and the emitters are those of a store.
struct Page {
  /// The path from the repository's root.
  let path: String
  let fences: [Fence]
  /// The lines outside of fences.
  let prose: [(line: Int, text: Substring)]

  init(_ path: String) throws {
    self.path = path
    let text = try String(contentsOf: packageFolder.appendingPathComponent(path), encoding: .utf8)
    var fences: [Fence] = []
    var prose: [(line: Int, text: Substring)] = []
    var open: (info: Substring, indent: Int, lines: [Substring], line: Int)?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let content = line.drop { $0 == " " }
      if var fence = open {
        if content == "```" {
          fences.append(Fence(info: fence.info, lines: fence.lines, line: fence.line))
          open = nil
        } else {
          // A fence in a list is indented, and so is its text.
          fence.lines.append(line.dropFirst(min(fence.indent, line.count - content.count)))
          open = fence
        }
      } else if content.hasPrefix("```") {
        open = (content.dropFirst(3), line.count - content.count, [], index + 2)
      } else {
        prose.append((index + 1, line))
      }
    }
    guard open == nil else { throw ProgramFailure("\(path): a code block is not closed") }
    self.fences = fences
    self.prose = prose
  }

  /// What the page's comment for the tests says about a key.
  func directive(_ key: String) -> String? {
    for (_, line) in prose where line.hasPrefix("<!-- snippets ") {
      for word in line.split(separator: " ") where word.hasPrefix(key + "=") {
        return String(word.dropFirst(key.count + 1))
      }
    }
    return nil
  }

  /// A schema of a page.
  struct Schema: Hashable {
    let name: String
    let text: String
  }

  /// The page's own schemas that are complete, in files of their own.
  var schemas: [Schema] {
    fences.filter { $0.language == "fbs" && $0.words.isEmpty }.map { fence in
      Schema(name: fence.file ?? "at\(fence.line).fbs", text: fence.text)
    }
  }

  /// Whether `make pages` writes the page. What it shows is tested where it is written.
  var isGenerated: Bool { prose.contains { $0.text.hasPrefix("<!-- Written by `make pages`") } }

  /// Whether the page has Swift that is run, in whose folder its commands are run too.
  var hasRuns: Bool { zip(fences, fences.dropFirst()).contains { $0.language == "swift" && $1.has("output") } }

  /// Whether the page is a walk through many versions of its files, with a test of its own.
  var isWalkThrough: Bool { directive("test") == "walk-through" }

  /// The texts of the page's headings.
  var headings: [String] {
    prose.filter { $0.text.hasPrefix("#") }.map { String($0.text.drop { $0 == "#" }.drop { $0 == " " }) }
  }

  /// The anchors of the page's headings, as GitHub makes them.
  var anchors: Set<String> {
    var anchors: Set<String> = []
    for heading in headings {
      let anchor = heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
        .replacing(" ", with: "-")
      var number = 0
      var unique = anchor
      while !anchors.insert(unique).inserted {
        number += 1
        unique = "\(anchor)-\(number)"
      }
    }
    return anchors
  }

  /// The targets of the page's links, without those to other sites, and without code in backticks.
  var links: [(line: Int, target: String)] {
    prose.flatMap { line, text in
      text.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map { (line, String($0.1)) }
    }.filter { !$0.target.contains("://") && !$0.target.hasPrefix("mailto:") }
  }

  /// All pages: those beside the package's manifest, of the documentation, and of the examples; and the landing pages of the
  /// runtime's reference.
  static func all() throws -> [Page] {
    var paths: [String] = []
    for folder in ["", "Documentation", "Examples", "Quality", "Sources/DflatRuntime"] {
      let root = packageFolder.appendingPathComponent(folder)
      guard let names = FileManager.default.enumerator(atPath: root.path) else { continue }
      for case let name as String in names {
        if folder.isEmpty || name.hasPrefix(".") || name.hasSuffix(".build") { names.skipDescendants() }
        guard name.hasSuffix(".md"), !name.contains(".build/") else { continue }
        paths.append(folder.isEmpty ? name : "\(folder)/\(name)")
      }
    }
    return try paths.sorted().map(Page.init)
  }
}
