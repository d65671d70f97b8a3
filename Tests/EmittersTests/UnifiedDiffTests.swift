import Emitters
import Testing

@Suite("Unified diffs")
struct UnifiedDiffTests {
  @Test("The diff of equal texts is empty")
  func equalTextsHaveNone() {
    #expect(UnifiedDiff(from: "a\nb\n", to: "a\nb\n").text(oldName: "x", newName: "y") == "")
    #expect(UnifiedDiff(from: "", to: "").text(oldName: "x", newName: "y") == "")
  }

  @Test("A change is shown with three lines of context")
  func aChangeStandsInItsContext() {
    let old = (1...12).map { "\($0)\n" }.joined()
    let new = old.replacing("6\n", with: "six\n")
    #expect(
      UnifiedDiff(from: old, to: new).text(oldName: "old", newName: "new") == """
        --- old
        +++ new
        @@ -3,7 +3,7 @@
         3
         4
         5
        -6
        +six
         7
         8
         9

        """)
  }

  @Test("Distant changes are separate hunks, and near ones share a hunk")
  func distantChangesAreHunksOfTheirOwnAndNearOnesShareOne() {
    let old = (1...40).map { "\($0)\n" }.joined()
    func hunks(_ changed: [Int]) -> Int {
      let new = (1...40).map { changed.contains($0) ? "changed \($0)\n" : "\($0)\n" }.joined()
      return UnifiedDiff(from: old, to: new).text(oldName: "x", newName: "y").split(separator: "\n")
        .count { $0.hasPrefix("@@") }
    }
    #expect(hunks([5, 30]) == 2)
    #expect(hunks([5, 11]) == 1)
    #expect(hunks([5, 13]) == 2)
  }

  @Test("A new file and a removed one count lines from zero")
  func aNewFileAndARemovedOneCountFromZero() {
    #expect(UnifiedDiff(from: "", to: "a\nb\n").text(oldName: "x", newName: "y").contains("@@ -0,0 +1,2 @@\n+a\n+b\n"))
    #expect(UnifiedDiff(from: "a\n", to: "").text(oldName: "x", newName: "y").contains("@@ -1 +0,0 @@\n-a\n"))
  }

  @Test("A line that ends with a carriage return is shown alone")
  func carriageReturns() {
    let diff = UnifiedDiff(from: "a\r\nb\r\nc\r\n", to: "a\r\nB\r\nc\r\n").text(oldName: "x", newName: "y")
    #expect(Array(diff.utf8) == Array("--- x\n+++ y\n@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r\n c\r\n".utf8))
    let endings = UnifiedDiff(from: "a\r\n", to: "a\n").text(oldName: "x", newName: "y")
    #expect(Array(endings.utf8) == Array("--- x\n+++ y\n@@ -1 +1 @@\n-a\r\n+a\n".utf8))
  }

  @Test("Lines of other bytes differ, even if Swift finds them equal")
  func composedCharacters() {
    let diff = UnifiedDiff(from: "\u{E9}\n", to: "e\u{301}\n").text(oldName: "x", newName: "y")
    #expect(Array(diff.utf8) == Array("--- x\n+++ y\n@@ -1 +1 @@\n-\u{E9}\n+e\u{301}\n".utf8))
  }

  /// The independent judge: carries a diff out, as POSIX describes it, and checks every line that it says is there.
  private func apply(_ diff: String, to old: [[UInt8]]) throws -> [[UInt8]] {
    var result: [[UInt8]] = []
    var next = 0
    for line in Self.lines(diff).dropFirst(2) {
      if line.starts(with: "@@".utf8) {
        let numbers = try #require(String(decoding: line, as: UTF8.self).firstMatch(of: #/-(\d+)(?:,(\d+))? /#))
        let start = try #require(Int(numbers.1))
        let count = try numbers.2.map { try #require(Int($0)) } ?? 1
        let first = count == 0 ? start : start - 1
        // A hunk out of order is a failure to report, not one to end the run with.
        try #require((next...old.count).contains(first))
        result += old[next..<first]
        next = first
      } else if line.first == UInt8(ascii: "+") {
        result.append(Array(line.dropFirst()))
      } else {
        try #require(next < old.count)
        #expect(old[next].elementsEqual(line.dropFirst()))
        if line.first == UInt8(ascii: " ") { result.append(old[next]) }
        next += 1
      }
    }
    return result + old[next...]
  }

  /// The lines of a text, each of which ends with a line feed.
  private static func lines(_ text: String) -> [[UInt8]] {
    Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map { Array($0) }
  }

  @Test("Applying a diff to the old text gives the new text")
  func carriedOutADiffGivesTheNewText() throws {
    var generator = SystemRandomNumberGenerator()
    let words = ["0", "1", "2", "2\r", "\u{E9}", "e\u{301}", "\u{301}", ""]
    for _ in 0..<500 {
      let old = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
        words[Int.random(in: words.indices, using: &generator)]
      }
      var new = old
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        let place = Int.random(in: 0...new.count, using: &generator)
        if Bool.random(using: &generator) || place == new.count {
          new.insert("new \(place)\r", at: place)
        } else {
          new.remove(at: place)
        }
      }
      let (oldText, newText) = (Self.text(old), Self.text(new))
      let diff = UnifiedDiff(from: oldText, to: newText).text(oldName: "old", newName: "new")
      #expect(diff.isEmpty == oldText.utf8.elementsEqual(newText.utf8))
      if !diff.isEmpty {
        #expect(try apply(diff, to: Self.lines(oldText)) == Self.lines(newText), "\(old) to \(new):\n\(diff)")
      }
    }
  }

  private static func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
}
