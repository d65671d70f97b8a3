import EngineTestSupport
import Testing

@Suite("Fetches of tasks")
struct AsyncFetchTests {
  @Test("Async fetches find what other fetches find, and throw after a shutdown")
  func fetches() async throws {
    let store = try TestStore()
    try await checkAsyncFetches(in: store.workspace)
    #expect(store.errors.values.isEmpty)
  }
}
