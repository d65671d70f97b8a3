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

  /// The independent judge: carries a diff out, as POSIX describes it, and checks every line that it says is there.
  private func apply(_ diff: String, to old: [Substring]) throws -> [Substring] {
    var result: [Substring] = []
    var next = 0
    for line in diff.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2).dropLast() {
      if line.hasPrefix("@@") {
        let numbers = try #require(line.firstMatch(of: #/-(\d+)(?:,(\d+))? /#))
        let start = try #require(Int(numbers.1))
        let count = try numbers.2.map { try #require(Int($0)) } ?? 1
        let first = count == 0 ? start : start - 1
        // A hunk out of order is a failure to report, not one to end the run with.
        try #require((next...old.count).contains(first))
        result += old[next..<first]
        next = first
      } else if line.hasPrefix("+") {
        result.append(line.dropFirst())
      } else {
        try #require(next < old.count)
        #expect(old[next] == line.dropFirst())
        if line.hasPrefix(" ") { result.append(old[next]) }
        next += 1
      }
    }
    return result + old[next...]
  }

  @Test("Applying a diff to the old text gives the new text")
  func carriedOutADiffGivesTheNewText() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let old = (0..<Int.random(in: 0...30, using: &generator)).map { _ in "\(Int.random(in: 0...5, using: &generator))"
      }
      var new = old
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        let place = Int.random(in: 0...new.count, using: &generator)
        if Bool.random(using: &generator) || place == new.count {
          new.insert("new \(place)", at: place)
        } else {
          new.remove(at: place)
        }
      }
      let text = { (lines: [String]) in lines.map { $0 + "\n" }.joined() }
      let diff = UnifiedDiff(from: text(old), to: text(new)).text(oldName: "old", newName: "new")
      #expect(diff.isEmpty == (old == new))
      if !diff.isEmpty {
        #expect(try apply(diff, to: old.map { $0[...] }).map(String.init) == new, "\(old) to \(new):\n\(diff)")
      }
    }
  }
}
