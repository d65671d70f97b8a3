import FlatBuffersCore
import TestSupport
import Testing

@testable import Dflat

@Suite("The memory of an index of predicates")
struct PredicateIndexMemoryTests {
  private let fields = [
    RecordField(.root, .int64, at: 4), RecordField(.root, .string, at: 8), RecordField(.root, .double, at: 6),
  ]

  private func predicate(_ number: Int) -> QueryNode {
    switch number % 3 {
    case 0: .comparison(.equal, .field(fields[0]), .constant(.integer(Int64(number))))
    case 1: .comparison(.equal, .field(fields[1]), .constant(.text("\(number)")))
    default: .comparison(.less, .field(fields[2]), .constant(.real(Double(number))))
    }
  }

  @Test("A lookup reads each field once, however many queries are filed under it, and no field that has none")
  func readFields() {
    let index = PredicateIndex()
    for number in 0..<300 { index.insert(predicate(number), as: number) }
    #expect(index.readFieldCount == 3)
    for number in 0..<300 where number % 3 != 1 { index.remove(number) }
    #expect(index.readFieldCount == 1)
    for number in 0..<300 { index.remove(number) }
    #expect(index.readFieldCount == 0)
  }

  @Test("Queries on a field whose default is NaN are filed under one field")
  func defaultOfNaN() {
    let index = PredicateIndex()
    for number in 0..<3 {
      let field = QueryNode.field(RecordField(.root, .double, at: 6, default: .real(.nan)))
      index.insert(QueryNode.comparison(.less, field, .constant(.real(Double(number)))), as: number)
    }
    #expect(index.readFieldCount == 1)
    for number in 0..<3 { index.remove(number) }
    #expect(index.readFieldCount == 0)
  }

  @Test("When most queries are removed, most of the memory is freed, and the others are still found")
  func removal() throws {
    var generator = PredicateGenerator(random: SeededGenerator(seed: 3))
    let predicates = (0..<6_000).map { _ in generator.predicate() }
    let index = PredicateIndex()
    for (id, predicate) in predicates.enumerated() { index.insert(predicate, as: id) }
    let capacity = index.filingCapacity
    let remaining = stride(from: 0, to: 6_000, by: 20)
    for id in 0..<6_000 where !id.isMultiple(of: 20) { index.remove(id) }
    #expect(index.filingCapacity < capacity / 4)
    let programs = remaining.map { id in (id: id, program: predicates[id].map { QueryProgram($0) }) }
    for _ in 0..<20 {
      guard let row = FlatBufferTable(rootOf: try generator.row()) else { continue }
      var ids: ContiguousArray<Int32> = []
      index.appendMatches(of: row, to: &ids)
      #expect(ids.sorted().map(Int.init) == programs.filter { $0.program?.matches(row) ?? true }.map(\.id))
    }
    for id in 0..<6_000 { index.remove(id) }
    #expect(index.filingCapacity == 0)
    #expect(index.readFieldCount == 0)
  }

  @Test("Queries are found, each once, when the numbers of lookups begin anew")
  func overflow() throws {
    var generator = PredicateGenerator(random: SeededGenerator(seed: 4))
    let predicates = (0..<300).map { _ in generator.predicate() }
    let index = PredicateIndex()
    for (id, predicate) in predicates.enumerated() { index.insert(predicate, as: id) }
    let programs = predicates.map { predicate in predicate.map { QueryProgram($0) } }
    let rows = try (0..<12).compactMap { _ in FlatBufferTable(rootOf: try generator.row()) }
    func check(_ row: FlatBufferTable) {
      var ids: ContiguousArray<Int32> = []
      index.appendMatches(of: row, to: &ids)
      #expect(ids.sorted().map(Int.init) == programs.indices.filter { programs[$0]?.matches(row) ?? true })
    }
    for row in rows {
      // This lookup gets the number of the one before.
      index.lookupNumber = .max
      check(row)
      #expect(index.lookupNumber == 1)
    }
  }
}
