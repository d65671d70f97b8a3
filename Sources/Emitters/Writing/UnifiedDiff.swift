/// The difference of two texts in the unified format of POSIX `diff -u`, for people and for `patch`.
///
/// Lines end at line feeds, and are compared byte by byte. To Swift's `String`, a carriage return and a line feed are one
/// character, and an é is equal to an e with an accent of its own.
public struct UnifiedDiff: Sendable {
  private let old: [ArraySlice<UInt8>]
  private let new: [ArraySlice<UInt8>]
  private let context: Int

  /// Compares two texts.
  /// - Parameter context: how many equal lines are shown around each difference.
  public init(from old: String, to new: String, context: Int = 3) {
    self.old = Self.lines(old)
    self.new = Self.lines(new)
    self.context = context
  }

  /// Returns the difference, headed by the names of the two texts; empty if there is none. A text without a final line
  /// break is shown as if it had one.
  public func text(oldName: String, newName: String) -> String {
    let hunks = hunks()
    guard !hunks.isEmpty else { return "" }
    return "--- \(oldName)\n+++ \(newName)\n" + hunks.joined()
  }

  private static func lines(_ text: String) -> [ArraySlice<UInt8>] {
    var lines = Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty ?? false { lines.removeLast() }
    return lines
  }

  /// A line of the difference, with the numbers of the lines before it.
  private struct Line {
    let sign: Character
    let text: ArraySlice<UInt8>
    let oldBefore: Int
    let newBefore: Int

    var printed: String { "\(sign)\(String(decoding: text, as: UTF8.self))\n" }
  }

  private func edits() -> [Line] {
    // Equal lines at both ends are left out of the comparison of each line with each.
    let head = zip(old, new).prefix { $0 == $1 }.count
    let tail = zip(old.dropFirst(head).reversed(), new.dropFirst(head).reversed()).prefix { $0 == $1 }.count
    let oldMiddle = Array(old[head..<(old.count - tail)])
    let newMiddle = Array(new[head..<(new.count - tail)])
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in newMiddle.difference(from: oldMiddle) {
      switch change {
      case .remove(let offset, _, _): removed.insert(head + offset)
      case .insert(let offset, _, _): inserted.insert(head + offset)
      }
    }
    var lines: [Line] = []
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      if i < old.count, removed.contains(i) {
        lines.append(Line(sign: "-", text: old[i], oldBefore: i, newBefore: j))
        i += 1
      } else if j < new.count, inserted.contains(j) {
        lines.append(Line(sign: "+", text: new[j], oldBefore: i, newBefore: j))
        j += 1
      } else {
        lines.append(Line(sign: " ", text: old[i], oldBefore: i, newBefore: j))
        i += 1
        j += 1
      }
    }
    return lines
  }

  private func hunks() -> [String] {
    let lines = edits()
    var ranges: [Range<Int>] = []
    for (index, line) in lines.enumerated() where line.sign != " " {
      let range = max(0, index - context)..<min(lines.count, index + context + 1)
      if let last = ranges.last, last.upperBound >= range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
      } else {
        ranges.append(range)
      }
    }
    return ranges.map { range in
      let hunk = lines[range]
      let first = lines[range.lowerBound]
      let oldRange = Self.range(first.oldBefore, hunk.count(where: { $0.sign != "+" }))
      let newRange = Self.range(first.newBefore, hunk.count(where: { $0.sign != "-" }))
      return "@@ -\(oldRange) +\(newRange) @@\n" + hunk.map(\.printed).joined()
    }
  }

  /// Returns `start,count`: an empty range starts at the line before it, and a count of one is left out.
  private static func range(_ before: Int, _ count: Int) -> String {
    switch count {
    case 0: "\(before),0"
    case 1: "\(before + 1)"
    default: "\(before + 1),\(count)"
    }
  }
}
