import FlatBuffersCore
import Golden_keys
import Testing

@Suite("The output for keys, compiled and run")
struct KeysTests {
  private func index(_ write: (inout FlatBufferBuilder) -> Offset) throws -> IndexReader {
    try IndexReader(verifying: IndexReader.buffer(write))
  }

  private func words(_ texts: [String], sorted: Bool = true) throws -> IndexReader {
    try index { builder in
      var words: [Offset] = []
      for (count, text) in texts.enumerated() {
        let text = builder.create(text)
        words.append(WordReader.create(in: &builder, text: text, count: Int32(count)))
      }
      let vector =
        sorted ? builder.create(sortedVector: words, of: WordReader.self) : builder.create(vector: words)
      return IndexReader.create(in: &builder, words: vector)
    }
  }

  @Test func stringsAreSortedByTheirBytes() throws {
    let texts = ["b", "", "a\u{0}", "a", "é", "z", "ab", "B", "日本", "\u{1F600}", "b"]
    let reader = try words(texts)
    let expected = texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(reader.words.map { Array(($0.text ?? "").utf8) } == expected)
    for (count, text) in texts.enumerated() where text != "b" {
      #expect(reader.words.first(withKey: text)?.count == Int32(count), "\(text)")
    }
    #expect(reader.words.firstIndex(withKey: "b").map { reader.words[$0].text } == "b")
    for text in ["0", "aa", "c", "\u{10FFFF}", "a\u{0}\u{0}"] { #expect(reader.words.first(withKey: text) == nil) }
  }

  @Test func manyStringsAreAllFound() throws {
    let reader = try words((0..<500).map { "word \($0 * 7919 % 500)" })
    for number in 0..<500 { #expect(reader.words.first(withKey: "word \(number)")?.text == "word \(number)") }
  }

  @Test func unsortedVectorsAreNoTrap() throws {
    let reader = try words(["c", "a", "b"], sorted: false)
    for text in ["a", "b", "c", "d", ""] {
      if let found = reader.words.first(withKey: text) { #expect(found.text == text) }
    }
    #expect(FlatBufferVector<WordReader>.empty.first(withKey: "a") == nil)
  }

  @Test func enumsAreSortedByTheirNumbers() throws {
    let reader = try index { builder in
      var cards: [Offset] = []
      for suit in [SuitValue.spades, .clubs, .hearts] { cards.append(CardReader.create(in: &builder, suit: suit)) }
      let vector = builder.create(sortedVector: cards, of: CardReader.self)
      let ranked = builder.create(sortedVector: [RankedValue(suit: .spades), RankedValue(suit: .clubs)])
      return IndexReader.create(in: &builder, cards: vector, ranked: ranked)
    }
    #expect(reader.cards.map(\.suit) == [.clubs, .hearts, .spades])
    #expect(reader.cards.first(withKey: SuitValue.hearts)?.suit == .hearts)
    #expect(reader.cards.first(withKey: 3)?.suit == .spades)
    #expect(reader.cards.first(withKey: 2) == nil)
    #expect(reader.ranked.first(withKey: SuitValue.clubs)?.suit == .clubs)
  }

  @Test func numbersThatAreNoneAreTheLast() throws {
    let values: [Double] = [2, .nan, -.infinity, 0, -0.5, .infinity, 1e300, .nan]
    let reader = try index { builder in
      var readings: [Offset] = []
      for value in values { readings.append(ReadingReader.create(in: &builder, at: value)) }
      let vector = builder.create(sortedVector: readings, of: ReadingReader.self)
      return IndexReader.create(in: &builder, readings: vector)
    }
    #expect(reader.readings.prefix(6).map(\.at) == [-.infinity, -0.5, 0, 2, 1e300, .infinity])
    #expect(reader.readings.suffix(2).allSatisfy { $0.at.isNaN })
    for value in values where !value.isNaN { #expect(reader.readings.first(withKey: value)?.at == value) }
    #expect(reader.readings.first(withKey: -0.0)?.at == 0)
    #expect(reader.readings.first(withKey: .nan)?.at.isNaN == true)
    #expect(reader.readings.first(withKey: 3) == nil)
  }

  @Test func structsAreSortedByTheirKey() throws {
    let reader = try index { builder in
      let entries = builder.create(
        sortedVector: (0..<100).map { EntryValue(place: UInt16($0), id: UInt32($0 * 37 % 100) * 42_000_000) })
      let switches = builder.create(
        sortedVector: [SwitchValue(isOn: true, suit: .spades), SwitchValue(isOn: false, suit: .clubs)])
      return IndexReader.create(in: &builder, entries: entries, switches: switches)
    }
    #expect(reader.entries.map(\.id) == (0..<100).map { $0 * 42_000_000 })
    for id in 0..<100 as Range<UInt32> {
      #expect(reader.entries.first(withKey: id * 42_000_000)?.id == id * 42_000_000)
      #expect(reader.entries.first(withKey: id * 42_000_000 + 1) == nil)
    }
    #expect(reader.switches.first(withKey: true)?.suit == .spades)
    #expect(reader.switches.first(withKey: false)?.suit == .clubs)
  }
}
