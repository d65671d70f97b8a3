import TestSupport
import Testing

@testable import Dflat

@Suite("Which results have a row")
struct MembershipTests {
  private final class Box {}

  @Test("Objects that were read from a row at the same version are shared, and no others")
  func sharing() {
    var membership = Membership()
    let (first, second, later) = (Box(), Box(), Box())
    let kept = [
      membership.insert(0, for: 5, first, readAt: 7), membership.insert(1, for: 5, second, readAt: 7),
      membership.insert(1, for: 6, second, readAt: 7), membership.insert(2, for: 5, later, readAt: 8),
      membership.insert(3, for: 5, first, readAt: 8),
    ]
    #expect(kept.map { ObjectIdentifier($0) } == [first, first, second, later, later].map { ObjectIdentifier($0) })
    #expect(membership.queries(ofChangedRow: 5) == [0, 1, 2, 3])
  }

  @Test("Objects of an unknown version are not shared")
  func unknownVersions() {
    var membership = Membership()
    let (first, second) = (Box(), Box())
    let kept = [membership.insert(0, for: 5, first, readAt: 0), membership.insert(1, for: 5, second, readAt: 0)]
    #expect(kept.map { ObjectIdentifier($0) } == [first, second].map { ObjectIdentifier($0) })
  }

  @Test("The object of a row that has changed, or that no result has, is kept no longer")
  func forgetting() {
    var membership = Membership()
    weak var changed: Box?
    weak var removed: Box?
    do {
      let (first, second) = (Box(), Box())
      (changed, removed) = (first, second)
      _ = membership.insert(0, for: 5, first, readAt: 7)
      _ = membership.insert(0, for: 6, second, readAt: 7)
    }
    #expect(changed != nil && removed != nil)
    #expect(membership.queries(ofChangedRow: 5) == [0])
    membership.remove(0, from: 6)
    #expect(changed == nil && removed == nil)
    #expect(membership.queries(ofChangedRow: 6) == [])
  }

  @Test("A row that many results have is in those that it was put into and not taken out of", arguments: 0..<10)
  func manyResults(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var membership = Membership()
    var model: [Int64: Set<Int32>] = [:]
    for _ in 0..<5_000 {
      let rowid = Int64.random(in: 0..<3, using: &generator)
      let query = Int.random(in: 0..<200, using: &generator)
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: #expect(Set(membership.queries(ofChangedRow: rowid)) == model[rowid, default: []])
      // Now and then a row leaves nearly all results.
      case 1 where query < 8:
        for known in model[rowid, default: []].sorted().dropLast(query) {
          membership.remove(Int(known), from: rowid)
          model[rowid]?.remove(known)
        }
      case _ where model[rowid, default: []].contains(Int32(query)):
        membership.remove(query, from: rowid)
        model[rowid]?.remove(Int32(query))
      default:
        membership.insert(query, for: rowid)
        model[rowid, default: []].insert(Int32(query))
      }
    }
    for rowid in 0..<Int64(3) {
      let queries = membership.queries(ofChangedRow: rowid)
      #expect(queries.count == model[rowid, default: []].count)
      #expect(Set(queries) == model[rowid, default: []])
    }
  }
}
