import Foundation

/// Survivors that a page explains: each with why no test can notice it, or need not.
///
/// A line of the page's list: ``- `path`: `line` (comparison moved): reason``. The line of code is as in the file, so that an
/// explanation ends when the code changes.
struct Explanations {
  private var keys: Set<String> = []
  private(set) var lines: [String] = []

  init() {}

  init(page: String) {
    for line in page.split(separator: "\n") where line.hasPrefix("- `") {
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      guard parts.count >= 5, let open = parts[4].firstIndex(of: "("), let close = parts[4].firstIndex(of: ")"),
        open < close
      else { continue }
      keys.insert("\(parts[1])\n\(parts[3])\n\(parts[4][parts[4].index(after: open)..<close])")
      lines.append(String(line))
    }
  }

  func explains(_ mutant: Mutant) -> Bool {
    keys.contains("\(mutant.path)\n\(mutant.text.replacing("`", with: ""))\n\(mutant.kind.rawValue)")
  }
}
