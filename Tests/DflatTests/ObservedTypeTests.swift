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

  /// The rows of a fetch that finds one object, named as the version.
  private func row(version: UInt64) -> StandingQuery.Rows {
    var rows = rows(version: version)
    rows.objects = [Sample(id: 1, name: "\(version)")]
    rows.rowids = [1]
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
      let number = try #require(query.beginFetch(in: 1))
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
    let number = try #require(query.beginFetch(in: 1))
    var changes = type.beginCollecting()
    type.apply(collected: &changes, of: CommittedTransaction(), version: 5, &deliveries)
    type.finishFetch(number, of: query, rows(version: 4), &deliveries)
    #expect(query.isCurrent)
  }

  @Test("A query names the callback that fetches it in turn, which has the fetch to itself, until the fetch has ended")
  func fetchingCallback() throws {
    var deliveries = Deliveries()
    let query = type.query(for: FetchRequest(predicate: nil))
    query.add(
      ObservationSubscriber(.stream, buffering: .unbounded) { $0 === $1 }, from: 0, hasList: false, &deliveries)
    let outOfTurn = try #require(query.beginFetch(in: nil))
    #expect(query.fetchingCallback == nil)
    let number = try #require(query.beginFetch(in: 7))
    #expect(query.fetchingCallback == 7)
    #expect(query.beginFetch(in: 8) == nil && query.beginFetch(in: nil) == nil)
    type.finishFetch(outOfTurn, of: query, rows(version: 4), &deliveries)
    #expect(query.fetchingCallback == 7)
    type.finishFetch(number, of: query, rows(version: 4), &deliveries)
    #expect(query.fetchingCallback == nil && query.isCurrent)
  }

  @Test("If others commit during each fetch, subscribers are told what the third and each later one finds")
  func commitsDuringFetches() throws {
    var deliveries = Deliveries()
    let query = type.query(for: FetchRequest(predicate: nil))
    let (first, second) = (makeSubscriber(), makeSubscriber())
    query.add(first, from: 0, hasList: false, &deliveries)
    for version: UInt64 in 4...7 {
      let number = try #require(query.beginFetch(in: 1))
      // It may have a later state than the fetch finds.
      if version == 6 { query.add(second, from: 0, hasList: false, &deliveries) }
      type.expireAll(&deliveries)
      let isTold = type.finishFetch(number, of: query, row(version: version), &deliveries)
      #expect(isTold == (version >= 6) && !query.isCurrent)
      #expect(told(first) == (version >= 6 ? ["\(version)"] : []))
      #expect(told(second) == (version >= 7 ? ["\(version)"] : []))
    }
    let number = try #require(query.beginFetch(in: 1))
    type.finishFetch(number, of: query, row(version: 8), &deliveries)
    #expect(query.isCurrent)
    #expect(told(first) == ["8"] && told(second) == ["8"])
    // A commit during one fetch is no reason to tell the state before it.
    type.expireAll(&deliveries)
    let next = try #require(query.beginFetch(in: 1))
    type.expireAll(&deliveries)
    type.finishFetch(next, of: query, row(version: 9), &deliveries)
    #expect(told(first).isEmpty && told(second).isEmpty)
  }

  @Test(
    "A subscriber that has a commit which is yet to be told is told no state that was fetched before it",
    arguments: [false, true])
  func fetchBeforeHeldCommit(isToldDuringFetch: Bool) throws {
    var deliveries = Deliveries()
    let query = type.query(for: FetchRequest(predicate: nil))
    let subscriber = makeSubscriber()
    subscriber.beginHold(having: nil)
    query.add(subscriber, from: 0, hasList: false, &deliveries)
    for version: UInt64 in 4...6 {
      let number = try #require(query.beginFetch(in: 1))
      type.expireAll(&deliveries)
      if version == 6, isToldDuringFetch { subscriber.endHold(&deliveries) }
      type.finishFetch(number, of: query, row(version: version), &deliveries)
    }
    if !isToldDuringFetch { subscriber.endHold(&deliveries) }
    #expect(told(subscriber).isEmpty)
    let number = try #require(query.beginFetch(in: 1))
    type.finishFetch(number, of: query, row(version: 7), &deliveries)
    #expect(told(subscriber) == ["7"])
  }

  @Test("A fetch that finds an older state than was told, as in a store that is released, tells it to nobody")
  func olderFetch() throws {
    var deliveries = Deliveries()
    let query = type.query(for: FetchRequest(predicate: nil))
    let subscriber = makeSubscriber()
    query.add(subscriber, from: 0, hasList: false, &deliveries)
    let first = try #require(query.beginFetch(in: 1))
    type.finishFetch(first, of: query, row(version: 4), &deliveries)
    #expect(told(subscriber) == ["4"])
    type.expireAll(&deliveries)
    for _ in 0..<5 {
      let number = try #require(query.beginFetch(in: 1))
      type.expireAll(&deliveries)
      type.finishFetch(number, of: query, StandingQuery.Rows(), &deliveries)
    }
    #expect(told(subscriber).isEmpty)
  }

  @Test("A fetch that is requested while a callback fetches in turn needs no other call, since that one fetches again")
  func requestDuringFetch() throws {
    var deliveries = Deliveries()
    let query = type.query(for: FetchRequest(predicate: nil))
    query.add(makeSubscriber(), from: 0, hasList: false, &deliveries)
    let number = try #require(query.beginFetch(in: 1))
    type.expireAll(&deliveries)
    let requested = deliveries.outdated.count
    #expect(requested == 0)
    type.finishFetch(number, of: query, rows(version: 4), &deliveries)
    #expect(query.beginFetch(in: 1) != nil)
  }

  @Test("An object's subscriber is told no older state after a later commit of another process")
  func olderState() throws {
    var deliveries = Deliveries()
    let subscriber = ObservationSubscriber(.callback { _ in }, buffering: .unbounded) { $0 === $1 }
    _ = type.add(subscriber, to: Sample(id: 1, name: "read"), inRow: 1, readAt: 4, &deliveries)
    // The thread that has committed version 5 tells it after another thread has noticed version 6.
    type.update(1, to: Sample(id: 1, name: "theirs"), readAt: 6, &deliveries)
    let own = CommittedTransaction()
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    own.append(.updated, Sample._record, 1, Sample(id: 1, name: "own"), keptBytes: none)
    type.apply(own, version: 5, &deliveries)
    #expect(told(subscriber) == ["theirs"])
  }

  @Test("A second subscriber, whose object shows a commit that is not told yet, is not told the state before it")
  func newerObject() {
    var deliveries = Deliveries()
    let (first, second) = (makeSubscriber(), makeSubscriber())
    let newer = Sample(id: 1, name: "newer")
    _ = type.add(first, to: Sample(id: 1, name: "old"), inRow: 1, readAt: 4, &deliveries)
    let isKnown = type.add(second, to: newer, inRow: 1, readAt: 5, &deliveries)
    #expect(!isKnown)
    #expect(told(second).isEmpty)
    read(newer, at: 6, &deliveries)
    #expect(told(first) == ["newer"])
    #expect(told(second).isEmpty)
    read(Sample(id: 1, name: "newest"), at: 7, &deliveries)
    #expect(told(second) == ["newest"])
  }

  @Test("A second subscriber with an object that is out of date is told the state that the row is found to have")
  func olderObject() {
    var deliveries = Deliveries()
    let (first, second) = (makeSubscriber(), makeSubscriber())
    let present = Sample(id: 1, name: "present")
    _ = type.add(first, to: present, inRow: 1, readAt: 4, &deliveries)
    _ = type.add(second, to: Sample(id: 1, name: "old"), inRow: 1, readAt: 3, &deliveries)
    read(present, at: 5, &deliveries)
    #expect(told(first).isEmpty)
    #expect(told(second) == ["present"])
  }

  @Test("Commits that are told before the row is read do not lead back a subscriber whose object has no known version")
  func laterTelling() {
    var deliveries = Deliveries()
    let subscriber = makeSubscriber()
    let object = Sample(id: 1, name: "read")
    _ = type.add(subscriber, to: object, inRow: 1, readAt: 0, &deliveries)
    commit(.updated, Sample(id: 1, name: "before"), version: 5, &deliveries)
    read(object, at: 6, &deliveries)
    #expect(told(subscriber).isEmpty)
  }

  @Test("A subscriber is told that its object was deleted although the row is never read")
  func deletionBeforeRead() {
    var deliveries = Deliveries()
    let subscriber = makeSubscriber()
    let object = Sample(id: 1, name: "read")
    _ = type.add(subscriber, to: object, inRow: 1, readAt: 0, &deliveries)
    commit(.deleted, object, version: 5, &deliveries)
    #expect(subscriber.isEnded)
    guard case .deleted? = subscriber.takeForCallback(as: 1, isFirst: true)?.update else {
      Issue.record("The subscriber is told nothing.")
      return
    }
  }

  @Test("A second subscriber with the object of one that awaits a read is not told the commits before it either")
  func twoOfUnknownVersion() {
    var deliveries = Deliveries()
    let (first, second) = (makeSubscriber(), makeSubscriber())
    let object = Sample(id: 1, name: "read")
    _ = type.add(first, to: object, inRow: 1, readAt: 0, &deliveries)
    let isKnown = type.add(second, to: object, inRow: 1, readAt: 0, &deliveries)
    #expect(!isKnown)
    commit(.updated, Sample(id: 1, name: "before"), version: 5, &deliveries)
    read(object, at: 6, &deliveries)
    #expect(told(first).isEmpty && told(second).isEmpty)
  }

  @Test("A failed read is repeated for a subscriber that awaits it, although an earlier read has succeeded since")
  func failureBesideEarlierRead() {
    var deliveries = Deliveries()
    let (first, second) = (makeSubscriber(), makeSubscriber())
    let old = Sample(id: 1, name: "old")
    _ = type.add(first, to: old, inRow: 1, readAt: 4, &deliveries)
    let awaiting = type.subscribersAwaitingRead(ofRow: 1)
    _ = type.add(second, to: Sample(id: 1, name: "newer"), inRow: 1, readAt: 5, &deliveries)
    _ = type.noteFailure(ofReading: 1, "The row cannot be read.")
    type.update(1, to: old, readAt: 4, &deliveries)
    type.endAwaiting(awaiting, ofRow: 1, &deliveries)
    #expect(type.awaitsRead(second, ofRow: 1))
    let rows = type.beginRetry(&deliveries).rows
    #expect(rows == [1])
  }

  private func makeSubscriber() -> ObservationSubscriber {
    ObservationSubscriber(.callback { _ in }, buffering: .unbounded) { $0 === $1 }
  }

  private func commit(_ kind: RowChange.Kind, _ object: Sample, version: UInt64, _ deliveries: inout Deliveries) {
    let transaction = CommittedTransaction()
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    transaction.append(kind, Sample._record, 1, object, keptBytes: none)
    type.apply(transaction, version: version, &deliveries)
  }

  /// Reads row 1 for its subscribers.
  private func read(_ object: Sample, at version: UInt64, _ deliveries: inout Deliveries) {
    let awaiting = type.subscribersAwaitingRead(ofRow: 1)
    type.update(1, to: object, readAt: version, &deliveries)
    type.endAwaiting(awaiting, ofRow: 1, &deliveries)
  }

  /// Takes the names of the objects that a subscriber is told, of a result that of the first one.
  private func told(_ subscriber: ObservationSubscriber) -> [String?] {
    var names: [String?] = []
    var isFirst = true
    while let update = subscriber.takeForCallback(as: 1, isFirst: isFirst)?.update {
      isFirst = false
      switch update {
      case .object(let object): names.append((object as? Sample)?.name)
      case .result(let result, _): names.append((result.list.objects.first as? Sample)?.name)
      case .deleted: break
      }
    }
    return names
  }
}
