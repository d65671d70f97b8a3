import FBSDiagnostics
import FBSParser

struct FoldingRange: Encodable, Hashable {
  var startLine: Int
  var endLine: Int
  var kind: String?
}

extension DocumentContext {
  /// Returns the ranges that can be folded: the contents of brackets, comments of several lines, and consecutive
  /// includes.
  func foldingRanges() -> [FoldingRange] {
    let tree = tree
    var ranges: [FoldingRange] = []
    var openers: [Int] = []
    var gap = 0
    for token in tree.tokens {
      addComments(in: gap..<Int(token.start), to: &ranges)
      gap = Int(token.end)
      switch token.kind {
      case .leftBrace, .leftParenthesis, .leftBracket: openers.append(text.position(of: Int(token.start)).line)
      case .rightBrace, .rightParenthesis, .rightBracket:
        guard let line = openers.popLast() else { continue }
        // The line of the closing bracket stays visible.
        let end = text.position(of: Int(token.start)).line - 1
        if end > line { ranges.append(FoldingRange(startLine: line, endLine: end)) }
      default: break
      }
    }
    let includes = tree.items.compactMap { item -> Int? in
      guard case .include(let path, _) = item else { return nil }
      return text.position(of: Int(tree.tokens[path].start)).line
    }
    if let first = includes.first, let last = includes.last, last > first {
      ranges.append(FoldingRange(startLine: first, endLine: last, kind: "imports"))
    }
    return ranges
  }

  /// Adds comments that span lines, and runs of `//` on consecutive lines.
  private func addComments(in gap: Range<Int>, to ranges: inout [FoldingRange]) {
    let bytes = text.bytes
    guard bytes[gap].contains(UInt8(ascii: "/")) else { return }
    let (first, last) = (text.position(of: gap.lowerBound).line, text.position(of: gap.upperBound).line)
    var start: Int?
    var isBlock = false
    for line in first...last {
      let range = text.lineRange(line)
      let content = bytes[
        max(
          range.lowerBound, gap.lowerBound)..<max(
            range.lowerBound, gap.lowerBound, min(range.upperBound, gap.upperBound))
      ]
      .drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      let opens = content.starts(with: "/*".utf8)
      let isComment = isBlock || opens || content.starts(with: "//".utf8)
      if isComment, start == nil { start = line }
      if isBlock || opens {
        let text = String(decoding: content, as: UTF8.self)
        isBlock = !text.contains("*/")
      }
      if !isComment || line == last, let begun = start {
        let end = isComment ? line : line - 1
        if end > begun { ranges.append(FoldingRange(startLine: begun, endLine: end, kind: "comment")) }
        start = nil
      }
    }
  }
}
