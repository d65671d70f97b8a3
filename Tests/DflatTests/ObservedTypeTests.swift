import FlatBuffersCore
import Testing

@testable import Dflat

@Suite("Standing queries of a type while a large transaction is applied")
struct ObservedTypeTests {
  private final class Store {}

  private let type = ObservedType(
    Sample._record,
    ObservedType.Access(
      fetch: { _ in StandingQuery.Rows() }, object: { _ in nil }, row: { _ in nil }, isSame: { $0 === $1 }),
    of: ObjectIdentifier(Store.self))

  private func rows(version: UInt64) -> StandingQuery.Rows {
    var rows = StandingQuery.Rows()
    rows.version = version
    return rows
  }

  @Test("A query that is being fetched at the commit is fetched again, unless the fetch shows the commit")
  func fetchBesideCommit() throws {
    var changes = type.beginCollecting()
    var deliveries = Deliveries()
    let query = type.query(for: FetchRequest(predicate: nil))
    query.add(
      ObservationSubscriber(.stream, buffering: .unbounded) { $0 === $1 }, from: 0, hasList: false, &deliveries)
    for fetchedVersion: UInt64 in [4, 5] {
      let number = try #require(query.beginFetch(inTurn: true))
      // Not all that it has changed was kept, since nobody waited for a fetch when it began.
      type.apply(collected: &changes, of: CommittedTransaction(), version: 5, &deliveries)
      type.finishFetch(number, of: query, rows(version: fetchedVersion), &deliveries)
      #expect(query.isCurrent == (fetchedVersion == 5))
    }
  }

  @Test("While one waits for a fetch, all changes of a transaction are kept, and the fetched list is changed by them")
  func keptChanges() throws {
    var deliveries = Deliveries()
    let query = type.query(for: FetchRequest(predicate: nil))
    query.add(
      ObservationSubscriber(.stream, buffering: .unbounded) { $0 === $1 }, from: 0, hasList: false, &deliveries)
    let number = try #require(query.beginFetch(inTurn: true))
    var changes = type.beginCollecting()
    type.apply(collected: &changes, of: CommittedTransaction(), version: 5, &deliveries)
    type.finishFetch(number, of: query, rows(version: 4), &deliveries)
    #expect(query.isCurrent)
  }
}
