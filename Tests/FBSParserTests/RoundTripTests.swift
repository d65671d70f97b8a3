import TestSupport
import Testing

@testable import FBSParser

@Suite("A tree holds the whole text")
struct RoundTripTests {
  @Test("Fixtures of schemas are found")
  func fixturesExist() {
    #expect(fixtures.count > 50)
  }

  /// The tree of a text writes the text. One that is given up, such as a binary file, at least its beginning.
  private func check(_ bytes: [UInt8]) -> Bool {
    let (tree, _) = parse(bytes)
    var end = 0
    for token in tree.tokens {
      if token.start < end || token.end < token.start { return false }
      end = Int(token.end)
    }
    return tree.written == bytes
  }

  @Test("Every fixture is written back byte for byte")
  func fixturesRoundTrip() {
    for (path, bytes) in fixtures { #expect(check(bytes), "\(path)") }
  }

  /// The time that a fixture takes grows with the square of its size: the large ones are cut off less often.
  @Test("The tree of a fixture that is cut off at any byte holds the whole text")
  func truncations() {
    for (path, bytes) in fixtures {
      for count in stride(from: 0, through: bytes.count, by: bytes.count < 600 ? 1 : 7)
      where !check(Array(bytes[..<count])) { Issue.record("\(path) up to \(count)") }
    }
  }

  @Test("The tree of a fixture with a token deleted, doubled or swapped holds the whole text")
  func mutations() {
    for (path, bytes) in fixtures {
      let tokens = parse(bytes).tree.tokens.dropLast()
      func slice(_ index: Int) -> ArraySlice<UInt8> { bytes[Int(tokens[index].start)..<Int(tokens[index].end)] }
      for index in stride(from: path.utf8.count % mutationStride, to: tokens.count, by: mutationStride) {
        let before = bytes[..<Int(tokens[index].start)]
        let after = bytes[Int(tokens[index].end)...]
        var texts = [before + after, before + slice(index) + [0x20] + slice(index) + after]
        if index + 1 < tokens.count {
          let between = bytes[Int(tokens[index].end)..<Int(tokens[index + 1].start)]
          texts.append(before + slice(index + 1) + between + slice(index) + bytes[Int(tokens[index + 1].end)...])
        }
        for text in texts where !check(Array(text)) { Issue.record("\(path), token \(index)") }
      }
    }
  }

  @Test("The tree of a fixture with random bytes changed holds the whole text")
  func randomChanges() {
    var generator = SeededGenerator(seed: 7)
    for (path, bytes) in fixtures.sorted(by: { $0.key < $1.key }) {
      for _ in 0..<20 {
        var changed = bytes
        for _ in 0..<3 where !changed.isEmpty {
          changed[Int.random(in: changed.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        if !check(changed) { Issue.record("\(path) as \(changed)") }
      }
    }
  }
}
