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
}
