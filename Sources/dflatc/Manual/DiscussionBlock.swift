/// A part of the text that the help of a command shows below its abstract.
enum DiscussionBlock: Equatable {
  case heading(String)
  case paragraph(String)
  /// Lines of code, which keep their breaks.
  case literal([String])
  /// An entry of a list of bullets.
  case bullet(String)
  /// A word of a list, and what it means.
  case term(String, String)

  /// Parses a discussion: a line in capital letters is a heading, an indented line is an entry of a list or code.
  static func parse(_ text: String) -> [DiscussionBlock] {
    var blocks: [DiscussionBlock] = []
    var isContinued = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      defer { isContinued = line.hasPrefix("  ") }
      if line.isEmpty { continue }
      if let match = line.wholeMatch(of: #/  \* (.*)/#) {
        blocks.append(.bullet(String(match.1)))
      } else if let match = line.wholeMatch(of: #/  (\S+) {2,}(.*)/#) {
        blocks.append(.term(String(match.1), String(match.2).replacing(#/ {2,}/#, with: ": ")))
      } else if line.hasPrefix("  ") {
        let code = String(line.dropFirst(2))
        if isContinued, case .literal(let lines) = blocks.last {
          blocks[blocks.count - 1] = .literal(lines + [code])
        } else {
          blocks.append(.literal([code]))
        }
      } else if line.allSatisfy({ $0.isUppercase || $0 == " " }) {
        blocks.append(.heading(String(line)))
      } else if let match = line.wholeMatch(of: #/Exit codes: (.*)/#) {
        blocks += [.heading("EXIT STATUS"), .paragraph(String(match.1))]
      } else {
        blocks.append(.paragraph(String(line)))
      }
    }
    return blocks
  }
}

extension [DiscussionBlock] {
  /// Returns the blocks before the first heading, and the other blocks.
  func separated() -> (ArraySlice<DiscussionBlock>, ArraySlice<DiscussionBlock>) {
    let index = firstIndex { if case .heading = $0 { true } else { false } } ?? endIndex
    return (self[..<index], self[index...])
  }
}
