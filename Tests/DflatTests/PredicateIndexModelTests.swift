import Dflat
import FlatBuffersCore
import Foundation
import TestSupport
import Testing

@Suite("An index of predicates finds what evaluating all of them finds")
struct PredicateIndexModelTests {
  /// DFLAT_MATCHES sets how many histories are checked, and DFLAT_MATCH_SEED the first of their seeds.
  private static let count = setting("DFLAT_MATCHES") ?? 12
  private static let firstSeed = setting("DFLAT_MATCH_SEED") ?? 1

  private static func setting(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  /// The index, and the same predicates in the plainest form.
  private struct History {
    let seed: Int
    var generator: PredicateGenerator
    let index = PredicateIndex()
    var programs: [Int: (predicate: QueryNode?, program: QueryProgram?)] = [:]
    /// The number of matches that were found.
    var found = 0

    init(seed: Int) {
      self.seed = seed
      generator = PredicateGenerator(random: SeededGenerator(seed: seed))
    }

    mutating func insert(below limit: Int) {
      let id = Int.random(in: 0..<limit, using: &generator.random)
      let predicate = generator.predicate()
      index.insert(predicate, as: id)
      programs[id] = (predicate, predicate.map { QueryProgram($0) })
    }

    mutating func remove() {
      guard let id = programs.keys.sorted().randomElement(using: &generator.random) else { return }
      index.remove(id)
      programs[id] = nil
    }

    mutating func check() throws {
      let buffer = try generator.row()
      guard let row = FlatBufferTable(rootOf: buffer) else { return }
      var ids: ContiguousArray<Int32> = []
      index.appendMatches(of: row, to: &ids)
      let expected = programs.filter { $0.value.program?.matches(row) ?? true }.keys.sorted()
      found += expected.count
      if ids.sorted().map(Int.init) == expected { return }
      let wrong = Set(ids.map(Int.init)).symmetricDifference(expected).sorted()
      let predicates = wrong.map { "\($0): \(programs[$0]?.predicate as Any)" }.joined(separator: "\n")
      Issue.record("DFLAT_MATCH_SEED=\(seed): found \(ids.sorted()), expected \(expected); of these\n\(predicates)")
    }
  }

  @Test("An index of random predicates finds those that are true for random rows")
  func randomHistories() throws {
    for seed in Self.firstSeed..<Self.firstSeed + Self.count {
      var history = History(seed: seed)
      // Few and many at a time: what is searched from end to end, and what is not.
      let limit = [4, 40, 400][seed % 3]
      for _ in 0..<3 {
        for step in 0..<limit * 2 {
          history.insert(below: limit)
          if step % max(1, limit / 10) == 0 { try history.check() }
        }
        for step in 0..<limit * 2 {
          if history.generator.random.chance(70) { history.remove() } else { history.insert(below: limit) }
          if step % max(1, limit / 10) == 0 { try history.check() }
        }
        while !history.programs.isEmpty {
          history.remove()
          if history.programs.count % max(1, limit / 10) == 0 { try history.check() }
        }
        try history.check()
      }
      #expect(history.found > 0)
    }
  }
}
