import TestSupport
import Testing

@testable import Dflat

@Suite("A part of a text is found wherever it is")
struct TextSearchTests {
  private func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    text.withUnsafeBytes { text in
      part.withUnsafeBytes { TextSearch.contains(text, $0, anchor: TextSearch.anchor(of: $0)) }
    }
  }

  private func containsRepeating(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    text.withUnsafeBytes { text in part.withUnsafeBytes { TextSearch.containsRepeating(text, $0) } }
  }

  private func model(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    text.count >= part.count && (0...text.count - part.count).contains { text[$0...].starts(with: part) }
  }

  @Test("Both algorithms find the same in random texts of few bytes")
  func randomTexts() {
    var random = SeededGenerator(seed: 1 as UInt64)
    let bytes: [UInt8] = [0, UInt8(ascii: "a"), UInt8(ascii: "z"), 0xC3, 0xA9]
    var found = 0
    for _ in 0..<20_000 {
      let kinds = 1 + random.next(bytes.count)
      let text = (0..<random.next(40)).map { _ in bytes[random.next(kinds)] }
      let part = (0..<random.next(6)).map { _ in bytes[random.next(kinds)] }
      let expected = model(text, part)
      if expected { found += 1 }
      #expect(contains(text, part) == expected, "\(part) in \(text)")
      if !part.isEmpty { #expect(containsRepeating(text, part) == expected, "\(part) in \(text)") }
    }
    #expect(found > 2_000 && found < 18_000)
  }

  @Test("A long part that repeats itself takes a time that grows with the sum of the lengths")
  func repetition() {
    // The product of the lengths would be 3 * 10^10.
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 2 << 17)
    let half = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 17)
    let b = UInt8(ascii: "b")
    #expect(!contains(text, half + [b]) && !contains(text, [b] + half) && contains(text, half))
    #expect(!contains(text, half + [b] + half))
    #expect(contains(text + [b], half + [b]) && contains([b] + text, [b] + half))
  }

  @Test("The byte that is looked for first is a rare one, and not the first of a character")
  func anchors() {
    func anchor(_ text: String) -> Int { Array(text.utf8).withUnsafeBytes { TextSearch.anchor(of: $0) } }
    #expect(anchor("") == 0 && anchor("the X") == 4 && anchor("ни") == 1 && anchor("ease") == 0 && anchor("eagle") == 2)
  }

  @Test("The length of a text is the number of its Unicode scalars")
  func lengths() {
    for text in ["", "a", "a\0b", "é", "e\u{301}", "日本", "\u{10FFFF}", "👩‍👩‍👧", "\u{301}"] {
      let bytes = Array(text.utf8)
      #expect(bytes.withUnsafeBytes { TextSearch.scalarCount(of: $0) } == text.unicodeScalars.count, "\(bytes)")
      for count in 0..<20 {
        let long = Array(String(repeating: "x", count: count).utf8) + bytes + bytes + bytes
        let expected = count + 3 * text.unicodeScalars.count
        #expect(long.withUnsafeBytes { TextSearch.scalarCount(of: $0) } == expected, "\(long)")
      }
    }
  }
}
