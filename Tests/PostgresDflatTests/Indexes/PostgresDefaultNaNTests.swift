import EngineTestSupport
import Foundation
import PostgresDflat
import TestSupport
import Testing

@Suite("A unique number on PostgreSQL that is NaN by default")
struct PostgresDefaultNaNTests {
  @Test(
    "Objects with the default are stored beside each other, and the index answers conditions, also if dflatc made it",
    arguments: [false, true])
  func index(isSetUpByScript: Bool) async throws {
    let database = try TestDatabase()
    if isSetUpByScript {
      try withTemporaryFolder { folder in
        try Data(Probe.schema.utf8).write(to: folder.appendingPathComponent("probe.fbs"))
        try database.run(try setupScript("probe.fbs", in: folder))
      }
      let check = try await database.workspace.check([Probe.self])
      #expect(check.isComplete, "\(check)")
    }
    let checks = DefaultNaNChecks(database.workspace, database.errors)
    checks.store()
    try await database.workspace.waitForIndexes(of: Probe.self)
    try checks.check()
  }
}
