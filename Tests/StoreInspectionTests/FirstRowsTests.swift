import FlatBuffersJSON
import StoreInspection
import TestSupport
import Testing

@Suite("The first rows in an order")
struct FirstRowsTests {
  @Test("The first rows are those at the start of all rows in the order, with equal keys in the order of the rows")
  func selection() {
    var random = SeededGenerator(seed: 3)
    for limit in [0, 1, 2, 3, 10, 99, 100, 101, 1_000, Int.max, nil] as [Int?] {
      for isDescending in [false, true] {
        let keys = (0..<100).map { _ in random.next(20) }
        var first = FirstRows<Int>(isDescending: isDescending, limit: limit)
        for (row, key) in keys.enumerated() { first.add(-row, Int64(row), key: .integer(Int64(key))) }
        let all = keys.indices.sorted { a, b in
          keys[a] == keys[b] ? a < b : (keys[a] < keys[b]) != isDescending
        }
        let expected = Array(all.prefix(limit ?? .max))
        #expect(first.sorted().map { Int($0.row) } == expected, "\(String(describing: limit)) \(isDescending)")
        #expect(first.sorted().map { -$0.content } == expected)
      }
    }
  }

  @Test("A large limit takes no time that grows with its square", .timeLimit(.minutes(10)))
  func largeLimits() {
    let (count, limit) = (600_000, 200_000)
    // Each row comes before all earlier ones.
    var first = FirstRows<Void>(isDescending: true, limit: limit)
    for row in 0..<count { first.add((), Int64(row), key: .integer(Int64(row))) }
    let rows = first.sorted().map(\.row)
    #expect(rows.count == limit && rows.first == Int64(count - 1) && rows.last == Int64(count - limit))
  }
}
