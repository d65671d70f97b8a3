import FlatBuffersCore
import TestSupport
import Testing

@testable import Dflat

@Suite("A tree of intervals")
struct IntervalTreeTests {
  /// Intervals in orders that make a tree deep that is not balanced.
  private enum Order: CaseIterable {
    case ascending, descending, same, nested, sameLower, sameUpper, random

    func ranges(_ count: Int) -> [ValueRange] {
      var random = SeededGenerator(seed: 1)
      return (0..<Int64(count)).map { number in
        let middle = Int64.random(in: 0...100_000, using: &random)
        let (lower, upper): (Int64, Int64) =
          switch self {
          case .ascending: (number * 2, number * 2 + 3)
          case .descending: (-number * 2, -number * 2 + 3)
          case .same: (5, 9)
          case .nested: (-number, number)
          case .sameLower: (0, number)
          case .sameUpper: (-number, 0)
          case .random: (middle - Int64.random(in: 0...50, using: &random), middle)
          }
        return ValueRange(
          lower: ValueRange.Bound(value: .integer(lower), isInclusive: true),
          upper: ValueRange.Bound(value: .integer(upper), isInclusive: true))
      }
    }
  }

  private func check(_ tree: borrowing IntervalTree, _ ranges: [Int: (ValueRange, Int32)], _ order: Order) {
    for value in [-20_000, -40, -1, 0, 1, 5, 9, 10, 39, 40, 5_000, 50_000] as [Int64] {
      var filings: ContiguousArray<Int32> = []
      if !tree.isEmpty { tree.appendTargets(around: .integer(value), to: &filings) }
      let expected = ranges.filter { _, entry in
        guard case .integer(let lower)? = entry.0.lower?.value, case .integer(let upper)? = entry.0.upper?.value else {
          return false
        }
        return lower <= value && value <= upper
      }.keys.sorted()
      #expect(filings.sorted().map(Int.init) == expected, "\(order), \(value)")
    }
  }

  @Test("A tree is balanced after any order of insertion, frees its nodes, and finds all intervals around a value")
  func ordersOfInsertion() {
    let count = 5_000
    for order in Order.allCases {
      var tree = IntervalTree(hasUpperBounds: true)
      var ranges: [Int: (ValueRange, Int32)] = [:]
      for (number, range) in order.ranges(count).enumerated() {
        ranges[number] = (range, tree.insert(Int32(number), under: range))
      }
      // Half-full nodes of 32 have room for 16^4 intervals.
      let height = tree.height
      #expect(height <= 3, "\(order)")
      check(tree, ranges, order)
      var random = SeededGenerator(seed: 2)
      for number in Array(0..<count).shuffled(using: &random) {
        guard let (_, index) = ranges.removeValue(forKey: number) else { continue }
        tree.remove(at: index)
        if ranges.count == count / 2 || ranges.count == 40 { check(tree, ranges, order) }
        if ranges.count == 40 {
          let (height, nodeCount) = (tree.height, tree.nodeCount)
          #expect(height <= 1 && nodeCount <= 10, "\(order): height \(height), \(nodeCount) nodes")
        }
      }
      let isEmpty = tree.isEmpty
      #expect(isEmpty)
    }
  }
}
