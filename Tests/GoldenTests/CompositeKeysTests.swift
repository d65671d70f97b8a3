import FlatBuffersCore
import Golden_keys
import TestSupport
import Testing

@Suite(
  "Vectors sorted by structs and arrays, searched by C++'s LookupByKey", .enabled(if: CompositeKeysOracle.isAvailable))
struct CompositeKeysTests {
  private static let oracle = Result { try CompositeKeysOracle() }
  private let oracle: CompositeKeysOracle
  private var random = SeededGenerator(seed: 20_230)

  init() throws { oracle = try Self.oracle.get() }

  private func buffer(_ write: (inout FlatBufferBuilder) -> Offset) throws -> ByteBuffer {
    try IndexReader.buffer(write)
  }

  /// Few numbers, so that most keys agree in a part of theirs, and many are found.
  private mutating func point() -> PointValue {
    PointValue(x: random.pick([-300, -1, 0, 1, 256, .max, .min]), y: random.pick([-1e300, -0.5, 0, 1, .infinity]))
  }

  /// Compares what C++ finds with what we find. Among elements of one key either may be found.
  private func compare(
    _ vector: Character, _ haystack: ByteBuffer, _ needles: ByteBuffer, isSorted: Bool = true,
    indexes: (IndexReader, IndexReader) -> [Int?], isEqual: (IndexReader, Int, Int) -> Bool
  ) throws {
    let (first, second) = (haystack.withUnsafeBytes(Array.init), needles.withUnsafeBytes(Array.init))
    let answer = try oracle.lookUp(vector, in: first, keysOf: second)
    let reader = try IndexReader(verifying: haystack)
    let ours = indexes(reader, try IndexReader(verifying: needles))
    #expect(answer.isSorted == isSorted)
    try #require(answer.found.count == ours.count)
    #expect(!isSorted || (ours.contains { $0 == nil } && ours.contains { $0 != nil }), "there is nothing to compare")
    for (theirs, ours) in zip(answer.found, ours) where isSorted {
      #expect((theirs == nil) == (ours == nil))
      if let theirs, let ours { #expect(isEqual(reader, theirs, ours)) }
    }
  }

  @Test("C++ finds each struct by a key that is a struct")
  mutating func structs() throws {
    let (cells, keys) = ((0..<24).map { _ in point() }, (0..<60).map { _ in point() })
    func write(_ points: [PointValue], sorted: Bool) throws -> ByteBuffer {
      let cells = points.map { CellValue(tag: 7, at: $0) }
      return try buffer { builder in
        let vector = sorted ? builder.create(sortedVector: cells) : builder.create(vector: cells)
        return IndexReader.create(in: &builder, cells: vector)
      }
    }
    for sorted in [true, false] {
      try compare("c", write(cells, sorted: sorted), write(keys, sorted: false), isSorted: sorted) {
        haystack, needles in
        needles.cells.map { haystack.cells.firstIndex(withKey: PointValue(x: $0.at.x, y: $0.at.y)) }
      } isEqual: { reader, a, b in
        (reader.cells[a].at.x, reader.cells[a].at.y) == (reader.cells[b].at.x, reader.cells[b].at.y)
      }
    }
  }

  @Test("C++ finds each struct by a key that is an array of numbers")
  mutating func arrays() throws {
    func key() -> [UInt8] { (0..<4).map { _ in random.pick([0, 1, 127, 128, 255]) } }
    let (digests, keys) = ((0..<200).map { _ in key() }, (0..<200).map { _ in key() })
    func write(_ keys: [[UInt8]], sorted: Bool) throws -> ByteBuffer {
      let digests = keys.map { DigestValue(size: 9, bytes: $0) }
      return try buffer { builder in
        let vector = sorted ? builder.create(sortedVector: digests) : builder.create(vector: digests)
        return IndexReader.create(in: &builder, digests: vector)
      }
    }
    try compare("d", write(digests, sorted: true), write(keys, sorted: false)) { haystack, needles in
      needles.digests.map { haystack.digests.firstIndex(withKey: Array($0.bytes)) }
    } isEqual: { reader, a, b in
      Array(reader.digests[a].bytes) == Array(reader.digests[b].bytes)
    }
  }

  @Test("C++ finds each struct by a key that is an array of enums")
  mutating func enums() throws {
    func key() -> [SuitValue] { (0..<2).map { _ in random.pick([.clubs, .hearts, .spades]) } }
    let (hands, keys) = ((0..<5).map { _ in key() }, (0..<30).map { _ in key() })
    func write(_ keys: [[SuitValue]], sorted: Bool) throws -> ByteBuffer {
      let hands = keys.map { HandValue(suits: $0) }
      return try buffer { builder in
        let vector = sorted ? builder.create(sortedVector: hands) : builder.create(vector: hands)
        return IndexReader.create(in: &builder, hands: vector)
      }
    }
    try compare("h", write(hands, sorted: true), write(keys, sorted: false)) { haystack, needles in
      needles.hands.map { haystack.hands.firstIndex(withKey: Array($0.suits)) }
    } isEqual: { reader, a, b in
      Array(reader.hands[a].suits) == Array(reader.hands[b].suits)
    }
  }

  /// C++ reads through the key of each table, so all have one.
  @Test("C++ finds each table by a struct key that holds an array of structs")
  mutating func tables() throws {
    func line() -> LineValue {
      LineValue(isDashed: random.once(in: 2), ends: [point(), PointValue(x: random.pick([0, 1]))])
    }
    let (rows, keys) = ((0..<60).map { _ in line() }, (0..<200).map { _ in line() })
    func write(_ lines: [LineValue], sorted: Bool) throws -> ByteBuffer {
      try buffer { builder in
        let rows = lines.map { RowReader.create(in: &builder, line: $0) }
        let vector =
          sorted ? builder.create(sortedVector: rows, of: RowReader.self) : builder.create(vector: rows)
        return IndexReader.create(in: &builder, rows: vector)
      }
    }
    func value(_ line: LineReader?) -> LineValue {
      LineValue(isDashed: line?.isDashed ?? false, ends: line?.ends.map { PointValue(x: $0.x, y: $0.y) } ?? [])
    }
    try compare("r", write(rows, sorted: true), write(keys, sorted: false)) { haystack, needles in
      needles.rows.map { haystack.rows.firstIndex(withKey: value($0.line)) }
    } isEqual: { reader, a, b in
      value(reader.rows[a].line) == value(reader.rows[b].line)
    }
  }
}
