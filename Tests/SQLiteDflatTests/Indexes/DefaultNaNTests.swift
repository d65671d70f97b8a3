import EngineTestSupport
import SQLiteDflat
import Testing

@Suite("A unique number that is NaN by default")
struct DefaultNaNTests {
  @Test("Objects with the default are stored beside each other, and the index answers conditions")
  func index() async throws {
    let store = try TestStore()
    let checks = DefaultNaNChecks(store.workspace, store.errors)
    checks.store()
    try await store.workspace.waitForIndexes(of: Probe.self)
    try checks.check()
  }
}
