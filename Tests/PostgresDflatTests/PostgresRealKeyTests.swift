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
}
