import EngineTestSupport
import PostgresDflat
import Testing

@Suite("A primary key on PostgreSQL that is a floating-point number")
struct PostgresRealKeyTests {
  @Test("A primary key of NaN is refused with an error that names the field")
  func refusal() throws {
    let database = try TestDatabase()
    RealKeyChecks(database.workspace, database.errors).check()
  }

  @Test("A NaN among the fields of a primary key is refused with an error that names the field")
  func refusalOfComposite() throws {
    let database = try TestDatabase()
    CompositeRealKeyChecks(database.workspace, database.errors).checkRefusals()
  }

  /// As a program without this check stores NaN, and as plain SQL does.
  private static let nans = ["NULL", "'NaN'"]

  @Test("An object whose key is NaN in a row can be read and deleted, but not stored again", arguments: nans)
  func storedByOthers(nan: String) throws {
    let database = try TestDatabase()
    database.perform([Reading.self]) { $0.try(submit: ReadingRequest(.create, place: 2)) }
    let bytes = try CompositeRealKeyChecks.hex(Reading(place: .nan, note: "old"))
    try database.sql("INSERT INTO reading (__pk0, p) VALUES (\(nan), '\\x\(bytes)')")
    let workspace = database.other()
    let readings = workspace.fetch(for: Reading.self).all()
    #expect(readings.count == 2)
    let old = try #require(readings.first { $0.place.isNaN && $0.note == "old" })
    database.perform([Reading.self], in: workspace, completing: false) { context in
      _ = try? context.submit(ReadingRequest(.update(old), place: old.place, note: "new"))
    }
    #expect(database.errors.values.map { "\($0)".contains("NaN (place)") } == [true], "\(database.errors.values)")
    database.errors.removeAll()
    database.perform([Reading.self], in: workspace) { context in
      context.try(submit: ReadingRequest(.delete(old), place: old.place))
    }
    #expect(workspace.fetch(for: Reading.self).all().map(\.place) == [2])
    workspace.shutdown()
    #expect(try database.sql("SELECT count(*) FROM reading") == "1")
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test(
    "Objects with a NaN among the fields of their keys can be read and deleted, but not stored again", arguments: nans)
  func compositeStoredByOthers(nan: String) throws {
    let database = try TestDatabase()
    database.perform([Sighting.self]) { $0.try(submit: SightingRequest(.create, Sighting("owl", 0, 0))) }
    try database.sql("DELETE FROM sighting")
    // 'NaN' equals itself in a unique constraint, so that no two rows may be alike.
    let others = CompositeRealKeyChecks.storedByOthers.filter { nan == "NULL" || $0.altitude != 2 }
    for sighting in others {
      let numbers = [sighting.longitude, Double(sighting.latitude)].map { $0.isNaN ? nan : "\($0)" }
      try database.sql(
        """
        INSERT INTO sighting (__pk0, __pk1, __pk2, p)
        VALUES ('owl', \(numbers[0]), \(numbers[1]), '\\x\(try CompositeRealKeyChecks.hex(sighting))')
        """)
    }
    let workspace = database.other()
    try CompositeRealKeyChecks(workspace, database.errors).check(others)
    workspace.shutdown()
    #expect(try database.sql("SELECT __pk0 FROM sighting") == "\\x6b697465")
  }
}
