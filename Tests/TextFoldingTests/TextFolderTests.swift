import Foundation
import TestSupport
import Testing

@testable import TextFolding

@Suite("Texts are folded by a table that no system changes")
struct TextFolderTests {
  private static let scalars = (0...0x10FFFF as ClosedRange<UInt32>).compactMap { Unicode.Scalar($0) }

  @Test(
    "Both foldings of the examples give the expected texts",
    arguments: [
      ("", "", ""), ("Straße", "strasse", "strasse"), ("CAFÉ", "café", "cafe"), ("cafe\u{301}", "cafe\u{301}", "cafe"),
      ("\u{301}", "\u{301}", ""), ("İI", "i\u{307}i", "ii"), ("ΣΊΣΥΦΟΣς", "σίσυφοσσ", "σισυφοσσ"),
      ("Ǆﬃ", "ǆffi", "ǆffi"),
      ("Ørsted Łódź", "ørsted łódź", "ørsted łodz"), ("Йод", "йод", "иод"), ("שָׁלוֹם", "שָׁלוֹם", "שלום"),
      ("أحمد", "أحمد", "احمد"),
      ("がか", "がか", "がか"), ("हिन्दी", "हिन्दी", "हिन्दी"), ("한국", "한국", "한국"), ("ประเทศ", "ประเทศ", "ประเทศ"), ("≠=", "≠=", "≠="),
      ("A\0Z\u{378}\u{10FFFF}", "a\0z\u{378}\u{10FFFF}", "a\0z\u{378}\u{10FFFF}"),
    ])
  func examples(text: String, foldedCase: String, folded: String) {
    #expect(Array(TextFolder.fold(text, .case).utf8) == Array(foldedCase.utf8))
    #expect(Array(TextFolder.fold(text, .caseAndDiacritics).utf8) == Array(folded.utf8))
  }

  @Test("A folded text is folded, and the folding of two texts is that of one behind the other")
  func foldingTwice() {
    var last = "x"
    for scalar in Self.scalars {
      for folding in [TextFolder.Folding.case, .caseAndDiacritics] {
        let folded = TextFolder.fold(String(scalar), folding)
        if folded.utf8.elementsEqual(String(scalar).utf8) { continue }
        #expect(TextFolder.fold(folded, folding).utf8.elementsEqual(folded.utf8), "\(scalar.value)")
        let both = TextFolder.fold(last, folding) + folded
        #expect(TextFolder.fold(last + String(scalar), folding).utf8.elementsEqual(both.utf8), "\(scalar.value)")
        last = String(scalar)
      }
    }
  }

  @Test("Bytes that are no UTF-8 stay as they are, and what stands between them is folded")
  func damagedBytes() {
    let a = UInt8(ascii: "A")
    for bytes: [UInt8] in [
      [0x80], [0xC3], [0xC1, 0x81], [0xE0, 0x81, 0x81], [0xE1, 0xB8], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x81, 0x81],
      [0xF4, 0x90, 0x80, 0x80], [0xFF, 0xFE],
    ] {
      for folding in [TextFolder.Folding.case, .caseAndDiacritics] {
        #expect(TextFolder.fold([a] + bytes + [a], folding) == [a + 32] + bytes + [a + 32], "\(bytes)")
        #expect(TextFolder.fold(bytes, folding) == bytes)
      }
    }
    var random = SeededGenerator(seed: 1 as UInt64)
    for _ in 0..<10_000 {
      let bytes = (0..<random.next(30)).map { _ in random.pick([a, 0xC3, 0x89, 0xCC, 0x81, 0xE1, 0xBA, 0x9E, 0xF0]) }
      let folded = TextFolder.fold(bytes, .caseAndDiacritics)
      #expect(TextFolder.fold(folded, .caseAndDiacritics).count <= folded.count)
    }
  }

  @Test("A text that grows is folded as a whole")
  func growingTexts() {
    let text = String(repeating: "ΐ", count: 10_000)
    #expect(TextFolder.fold(text, .case).unicodeScalars.count == 30_000)
    #expect(TextFolder.fold(text, .caseAndDiacritics).utf8.elementsEqual(String(repeating: "ι", count: 10_000).utf8))
  }

  @Test("The table has less than 40,000 bytes")
  func size() {
    let words =
      TextFoldingTable.caseIndex.count + TextFoldingTable.caseAndDiacriticsIndex.count + TextFoldingTable.entries.count
      + TextFoldingTable.pool.count
    #expect(words * 8 < 40_000)
  }

  // MARK: Foundation

  /// Where Foundation on Linux folds case otherwise. Documentation/text-folding.md has the reasons.
  private static let otherCases: [ClosedRange<UInt32>] = [
    // Cherokee: Unicode folds its small letters, which are younger, to the capital ones.
    0x13A0...0x13FD, 0xAB70...0xABBF,
    // Variants of Cyrillic letters of 2016.
    0x1C80...0x1C88,
  ]

  /// Where Foundation on Linux takes diacritics away from other letters.
  private static let otherDiacritics: [ClosedRange<UInt32>] = [
    // Replaced by the equal character: only letters that lose a mark are decomposed here.
    0x374...0x374, 0x37E...0x37E, 0x387...0x387, 0x1FEF...0x1FEF, 0x1FFD...0x1FFD,
    // Arabic letters with hamza or madda, and Hebrew letters with points: Foundation leaves scripts behind Cyrillic alone.
    0x622...0x626, 0x6C0...0x6D3, 0xFB1D...0xFB4E,
    // Marks of Greek by themselves.
    0x1FCD...0x1FCF, 0x1FDD...0x1FDF,
    // Signs with a stroke, which means not.
    0x2260...0x2260, 0x226E...0x226F,
  ]

  /// Foundation takes other tables on Apple's systems.
  private static var isLinux: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  @Test("Folding agrees with Foundation for all of Unicode", .enabled(if: isLinux))
  func foundation() {
    var differences: [ClosedRange<UInt32>: Int] = [:]
    var unexplained: [String] = []
    func compare(_ scalar: Unicode.Scalar, _ folding: TextFolder.Folding, _ options: String.CompareOptions) -> Bool {
      let text = String(scalar)
      let folded = TextFolder.fold(text, folding)
      if folded.utf8.elementsEqual(text.folding(options: options, locale: nil).utf8) { return true }
      // Foundation takes marks only from a letter before them.
      if folded.isEmpty { return true }
      let known = folding == .case ? Self.otherCases : Self.otherCases + Self.otherDiacritics
      guard let range = known.first(where: { $0.contains(scalar.value) }) else { return false }
      differences[range, default: 0] += 1
      return true
    }
    for scalar in Self.scalars {
      if !compare(scalar, .case, .caseInsensitive) { unexplained.append("case of \(scalar.value)") }
      if !compare(scalar, .caseAndDiacritics, [.caseInsensitive, .diacriticInsensitive]) {
        unexplained.append("\(scalar.value)")
      }
    }
    #expect(unexplained.isEmpty)
    #expect(Set(differences.keys) == Set(Self.otherCases + Self.otherDiacritics))
  }

  @Test("Capital and small letters are the same, by the system's tables, but for ı and letters with an iota below")
  func letters() {
    func isKnown(_ text: String) -> Bool {
      text.unicodeScalars.allSatisfy { $0.properties.age.map { $0.major <= 15 } ?? false }
    }
    for scalar in Self.scalars {
      for mapping in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
        guard isKnown(String(scalar)), isKnown(mapping), scalar != "ı" else { continue }
        for folding in [TextFolder.Folding.case, .caseAndDiacritics] {
          let folded = TextFolder.fold(String(scalar), folding)
          if TextFolder.fold(mapping, folding).utf8.elementsEqual(folded.utf8) { continue }
          // The iota is a mark, which is taken away, and among capital letters a letter.
          let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
          #expect(folding == .caseAndDiacritics && parts.contains("\u{345}"), "\(scalar.value)")
        }
      }
    }
  }
}
