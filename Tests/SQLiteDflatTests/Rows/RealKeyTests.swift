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
    store.perform([Reading.self], in: workspace, completing: false) { context in
      _ = try? context.submit(ReadingRequest(.update(nan), place: nan.place, note: "new"))
    }
    #expect(store.errors.values.map { "\($0)" }.contains { $0.contains("NaN (place)") })
    store.errors.removeAll()
    store.perform([Reading.self], in: workspace) { context in
      context.try(submit: ReadingRequest(.delete(nan), place: nan.place))
    }
    #expect(workspace.fetch(for: Reading.self).all().map(\.place) == [2])
    workspace.shutdown()
    #expect(try store.sql("SELECT count(*) FROM reading") == [["1"]])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
