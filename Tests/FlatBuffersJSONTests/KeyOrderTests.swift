import FlatBuffersCore
import FlatBuffersJSON
import Foundation
import Golden_keys
import TestSupport
import Testing

/// `CompositeKeysTests` hold the runtime's search against that of C++.
@Suite("Vectors of JSON objects are sorted by their key")
struct KeyOrderTests {
  private var random = SeededGenerator(seed: 3)
  private let schema: JSONSchema

  init() throws {
    let url = packageFolder.appendingPathComponent("Fixtures/keys/schema.fbs")
    schema = try JSONSchema(String(contentsOf: url, encoding: .utf8), root: "Index")
  }

  private func index(_ json: String) throws -> IndexReader {
    let (bytes, diagnostics) = schema.binary(json)
    return try IndexReader(verifying: ByteBuffer(#require(bytes, "\(diagnostics.map(\.message))")))
  }

  /// Keys of two numbers, each once, in no order. Many agree in their first number, and -300 has larger bytes than 256.
  private mutating func points() -> [PointValue] {
    var points = [-300, -1, 0, 1, 256].flatMap { x in
      [-1e300, -0.5, 0, 1, 2e10].map { PointValue(x: x, y: $0) }
    }
    for place in points.indices { points.swapAt(place, random.next(place + 1)) }
    return points
  }

  private func json(_ point: PointValue) -> String { "{ x: \(point.x), y: \(point.y) }" }

  @Test("Structs are found by a struct that is their key")
  mutating func structsByStruct() throws {
    let points = points()
    let cells = points.enumerated().map { "{ tag: \($0), at: \(json($1)) }" }.joined(separator: ", ")
    let index = try index("{ cells: [\(cells)] }")
    for (tag, point) in points.enumerated() {
      #expect(index.cells.first(withKey: point)?.tag == UInt8(tag), "\(point)")
    }
  }

  @Test("Structs are found by an array of numbers, or of enums, that is their key")
  mutating func structsByArray() throws {
    let keys = (0..<40).map { [UInt8(truncatingIfNeeded: $0 * 77), 200, UInt8(truncatingIfNeeded: $0 * 31), 0] }
    let digests = keys.enumerated().map { "{ size: \($0), bytes: \($1) }" }.joined(separator: ", ")
    let suits = [
      ("Spades", "Clubs"), ("Hearts", "Spades"), ("Clubs", "Spades"), ("Clubs", "Clubs"), ("Hearts", "Clubs"),
    ]
    let hands = suits.map { "{ suits: [\($0.0), \($0.1)] }" }.joined(separator: ", ")
    let index = try index("{ digests: [\(digests)], hands: [\(hands)] }")
    for (size, key) in keys.enumerated() { #expect(index.digests.first(withKey: key)?.size == UInt32(size), "\(key)") }
    let values = ["Clubs": SuitValue.clubs, "Hearts": .hearts, "Spades": .spades]
    for (first, second) in suits {
      let key = [try #require(values[first]), try #require(values[second])]
      #expect(index.hands.firstIndex(withKey: key) != nil, "\(key)")
    }
  }

  @Test(
    "Tables are found by a struct of several numbers and structs that is their key, and those without it stand first")
  mutating func tablesByStruct() throws {
    let points = points()
    let lines = points.indices.map { (isDashed: $0 % 3 == 0, ends: [points[$0 % 4], points[$0]]) }
    let rows = lines.enumerated().map { number, line in
      "{ name: \"\(number)\", line: { isDashed: \(line.isDashed), ends: [\(json(line.ends[0])), \(json(line.ends[1]))] } }"
    }
    let index = try index("{ rows: [\((rows + ["{ name: \"none\" }"]).joined(separator: ", "))] }")
    #expect(index.rows[0].name == "none")
    for (number, line) in lines.enumerated() {
      let key = LineValue(isDashed: line.isDashed, ends: line.ends)
      #expect(index.rows.first(withKey: key)?.name == "\(number)", "\(line)")
    }
  }

  @Test("Keys of one number and of text are in the order of numbers and of bytes")
  func simpleKeys() throws {
    let index = try index(
      """
      { words: [{ text: "b" }, { text: "é" }, { text: "a" }, { text: "ab" }, { text: "" }],
        cards: [{ suit: Spades }, { suit: Clubs }, { name: "hearts" }], readings: [{ at: 2 }, { at: -1e9 }, { at: inf }],
        entries: [[1, 4000000000], [2, 5], [3, 70000]], switches: [[true, Clubs], [false, Hearts]],
        ranked: [[Hearts], [Clubs]] }
      """)
    #expect(index.words.map(\.text) == ["", "a", "ab", "b", "é"])
    #expect(index.cards.map(\.suit) == [.clubs, .hearts, .spades])
    #expect(index.readings.map(\.at) == [-1e9, 2, .infinity])
    #expect(index.entries.map(\.place) == [2, 3, 1])
    #expect(index.switches.map(\.isOn) == [false, true])
    #expect(index.ranked.map(\.suit) == [.clubs, .hearts])
  }

  @Test("Keys that are NaN stand last, and all others are found beside them", arguments: 0..<8)
  func keysThatAreNaN(_ shift: Int) throws {
    let numbers = ["3", "nan", "-1e9", "2", "nan", "inf", "0", "-inf"]
    let turned = numbers[shift...] + numbers[..<shift]
    let readings = turned.map { "{ at: \($0) }" }.joined(separator: ", ")
    let cells = turned.enumerated().map { "{ tag: \($0), at: { x: 1, y: \($1) } }" }.joined(separator: ", ")
    let index = try index("{ readings: [\(readings)], cells: [\(cells)] }")
    let order = [-Double.infinity, -1e9, 0, 2, 3, .infinity]
    #expect(index.readings.prefix(order.count).map(\.at) == order)
    #expect(index.readings.suffix(2).allSatisfy { $0.at.isNaN })
    #expect(index.readings.firstIndex(withKey: .nan) == order.count)
    for (tag, number) in turned.enumerated() {
      guard let key = Double(number), !key.isNaN else { continue }
      #expect(index.readings.first(withKey: key)?.at == key)
      #expect(index.cells.first(withKey: PointValue(x: 1, y: key))?.tag == UInt8(tag))
    }
    #expect(index.cells.firstIndex(withKey: PointValue(x: 1, y: .nan)) == order.count)
  }
}
