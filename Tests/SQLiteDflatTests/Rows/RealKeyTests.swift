import Dflat
import EngineTestSupport
import SQLiteDflat
import Testing

@Suite("A primary key that is a floating-point number")
struct RealKeyTests {
  @Test("A primary key of NaN is refused with an error that names the field")
  func refusal() throws {
    let store = try TestStore()
    RealKeyChecks(store.workspace, store.errors).check()
  }

  @Test("A NaN among the fields of a primary key is refused with an error that names the field")
  func refusalOfComposite() throws {
    let store = try TestStore()
    CompositeRealKeyChecks(store.workspace, store.errors).checkRefusals()
  }

  @Test("Objects with a NaN among the fields of their keys can be read and deleted, but not stored again")
  func compositeStoredByOthers() throws {
    let store = try TestStore()
    store.perform([Sighting.self]) { context in
      context.try(submit: SightingRequest(.create, Sighting("owl", 0, 0)))
    }
    try store.sql("DELETE FROM sighting")
    for sighting in CompositeRealKeyChecks.storedByOthers {
      let numbers = [sighting.longitude, Double(sighting.latitude)].map { $0.isNaN ? "NULL" : "\($0)" }
      try store.sql(
        """
        INSERT INTO sighting (__pk0, __pk1, __pk2, p)
        VALUES ('owl', \(numbers[0]), \(numbers[1]), x'\(try CompositeRealKeyChecks.hex(sighting))')
        """)
    }
    let workspace = store.reopened()
    try CompositeRealKeyChecks(workspace, store.errors).check(CompositeRealKeyChecks.storedByOthers)
    workspace.shutdown()
    #expect(try store.sql("SELECT __pk0 FROM sighting") == [["kite"]])
  }

  @Test("An object whose key is NaN in a file can be read and deleted, but not stored again")
  func storedByOthers() throws {
    let store = try TestStore()
    store.perform([Reading.self]) { context in
      for place in [1.0, 2.0] { context.try(submit: ReadingRequest(.create, place: place)) }
    }
    // A double of NaN at the end of the row's bytes, where 1.0 was. SQLite takes NaN for NULL.
    try store.sql(
      """
      UPDATE reading SET __pk0 = NULL,
        p = CAST(replace(hex(p), '000000000000F03F', '000000000000F87F') AS TEXT) WHERE __pk0 = 1
      """)
    let hex = try #require(try store.sql("SELECT p FROM reading WHERE __pk0 IS NULL").first?.first ?? nil)
    try store.sql("UPDATE reading SET p = x'\(hex)' WHERE __pk0 IS NULL")
    let workspace = store.reopened()
    let readings = workspace.fetch(for: Reading.self).all()
    let nan = try #require(readings.first { $0.place.isNaN })
    #expect(readings.count == 2)
    // After a commit of others, the workspace looks for the object in its row.
    let deletions = Locked(0)
    let subscription = workspace.subscribe(object: nan) { if case .deleted = $0 { deletions.change { $0 += 1 } } }
    store.perform([Reading.self]) { $0.try(submit: ReadingRequest(.create, place: 3)) }
    let told = Locked(0)
    let all = workspace.subscribe(fetchedResult: readings) { told.value = $0.count }
    #expect(eventually { told.value == 3 })
    #expect(deletions.value == 0)
    store.perform([Reading.self], in: workspace, completing: false) { context in
      _ = try? context.submit(ReadingRequest(.update(nan), place: nan.place, note: "new"))
    }
    #expect(store.errors.values.map { "\($0)" }.contains { $0.contains("NaN (place)") })
    store.errors.removeAll()
    store.perform([Reading.self], in: workspace) { context in
      context.try(submit: ReadingRequest(.delete(nan), place: nan.place))
    }
    #expect(workspace.fetch(for: Reading.self).all().map(\.place) == [2, 3])
    #expect(eventually { deletions.value == 1 })
    subscription.cancel()
    all.cancel()
    workspace.shutdown()
    #expect(try store.sql("SELECT count(*) FROM reading") == [["2"]])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
