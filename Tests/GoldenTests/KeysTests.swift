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

  @Test("A vector sorted by a string key is ordered by bytes, and each key is found")
  func stringsAreSortedByTheirBytes() throws {
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

  @Test("Each of 500 string keys is found")
  func manyStringsAreAllFound() throws {
    let reader = try words((0..<500).map { "word \($0 * 7919 % 500)" })
    for number in 0..<500 { #expect(reader.words.first(withKey: "word \(number)")?.text == "word \(number)") }
  }

  @Test("A lookup in an unsorted vector returns nil or an element with the key")
  func unsortedVectorsAreNoTrap() throws {
    let reader = try words(["c", "a", "b"], sorted: false)
    for text in ["a", "b", "c", "d", ""] {
      if let found = reader.words.first(withKey: text) { #expect(found.text == text) }
    }
    #expect(FlatBufferVector<WordReader>.empty.first(withKey: "a") == nil)
  }

  @Test("A vector sorted by an enum key is ordered by the enum's numbers")
  func enumsAreSortedByTheirNumbers() throws {
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

  @Test("A vector sorted by a floating-point key has NaN at its end, and each key is found")
  func numbersThatAreNoneAreTheLast() throws {
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

  @Test("A vector of structs is sorted by the struct's key, and each key is found")
  func structsAreSortedByTheirKey() throws {
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

  @Test("Keys that are structs are compared field by field, and as numbers, not as bytes")
  func structKeys() throws {
    let points: [PointValue] = [
      PointValue(x: 256, y: 0), PointValue(x: 1, y: -1), PointValue(x: -2, y: 9), PointValue(x: 1, y: 2),
      PointValue(x: 1, y: .nan), PointValue(x: 1, y: -.infinity), PointValue(x: 0, y: 0),
    ]
    let reader = try index { builder in
      let cells = builder.create(
        sortedVector: points.enumerated().map { CellValue(tag: UInt8(200 - $0.offset), at: $0.element) })
      return IndexReader.create(in: &builder, cells: cells)
    }
    // By hand: x first, then y, with NaN last. The tags, which are no key, fall.
    #expect(reader.cells.map(\.tag) == [198, 194, 195, 199, 197, 196, 200])
    for (index, point) in points.enumerated() {
      #expect(reader.cells.first(withKey: point)?.tag == UInt8(200 - index))
    }
    for point in [PointValue(y: 1), PointValue(x: 1, y: 0), PointValue(x: 257), PointValue(x: -3)] {
      #expect(reader.cells.firstIndex(withKey: point) == nil)
    }
    #expect(FlatBufferVector<CellReader>.empty.first(withKey: PointValue()) == nil)
  }

  @Test("Keys that are fixed arrays are compared element by element")
  func arrayKeys() throws {
    let keys: [[UInt8]] = [[1, 2, 3, 4], [1, 2, 3], [0, 255, 255, 255], [255], [1, 3, 0, 0], []]
    let suits: [[SuitValue]] = [[.spades, .clubs], [.clubs, .spades], [.clubs, .hearts], [.hearts]]
    let reader = try index { builder in
      let digests = builder.create(
        sortedVector: keys.enumerated().map { DigestValue(size: UInt32($0.offset), bytes: $0.element) })
      let hands = builder.create(sortedVector: suits.map { HandValue(suits: $0) })
      return IndexReader.create(in: &builder, digests: digests, hands: hands)
    }
    #expect(reader.digests.map(\.size) == [5, 2, 1, 0, 4, 3])
    for (index, key) in keys.enumerated() { #expect(reader.digests.first(withKey: key)?.size == UInt32(index)) }
    #expect(reader.digests.first(withKey: [1, 2, 3, 5]) == nil)
    #expect(reader.digests.first(withKey: [1, 2, 3, 4, 0]) == nil, "longer than any key")
    let sorted: [[SuitValue]] = [[.clubs, .hearts], [.clubs, .spades], [.hearts, .hearts], [.spades, .clubs]]
    #expect(reader.hands.map { Array($0.suits) } == sorted)
    for suits in sorted { #expect(reader.hands.first(withKey: suits).map { Array($0.suits) } == suits) }
  }

  @Test("Tables are sorted by a struct that holds an array of structs; those without it come first")
  func tablesWithStructKeys() throws {
    func line(_ isDashed: Bool, _ x: Int16, _ y: Double) -> LineValue {
      LineValue(isDashed: isDashed, ends: [PointValue(x: 5), PointValue(x: x, y: y)])
    }
    let lines = [line(true, 0, 0), line(false, 2, -1), line(false, -2, 7), line(false, 2, -3)]
    let reader = try index { builder in
      var rows: [Offset] = [RowReader.create(in: &builder)]
      for (number, line) in lines.enumerated() {
        let name = builder.create(String(number))
        rows.insert(RowReader.create(in: &builder, name: name, line: line), at: 0)
      }
      let vector = builder.create(sortedVector: rows, of: RowReader.self)
      return IndexReader.create(in: &builder, rows: vector)
    }
    #expect(reader.rows.map(\.name) == [nil, "2", "3", "1", "0"])
    for (number, line) in lines.enumerated() { #expect(reader.rows.first(withKey: line)?.name == String(number)) }
    #expect(reader.rows.first(withKey: line(false, 2, -2)) == nil)
    #expect(reader.rows.first(withKey: LineValue()) == nil)
  }

  @Test("A struct with too many elements in its key is refused when it is written")
  func tooLongKeys() {
    guard case .arrayTooLong(count: 5, limit: 4)? = failure(of: [1, 2, 3, 4, 5]) else {
      Issue.record("accepted")
      return
    }
  }

  private func failure(of key: [UInt8]) -> FlatBufferError? {
    do throws(FlatBufferError) {
      _ = try IndexReader.buffer { builder in
        let digests = builder.create(sortedVector: [DigestValue(bytes: [1]), DigestValue(bytes: key)])
        return IndexReader.create(in: &builder, digests: digests)
      }
      return nil
    } catch {
      return error
    }
  }
}
