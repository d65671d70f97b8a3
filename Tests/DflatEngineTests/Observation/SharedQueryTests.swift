import DflatEngine
import EngineTestSupport
import Testing

@Suite("Subscribers that share a query")
struct SharedQueryTests {
  @Test("A new subscriber, whose result shows a commit that is not told yet, is not told the result before it")
  func untoldCommit() {
    let store = ObservedStore { _ in }
    let told = Collected<String>()
    let first = store.subscribeToPresent { _ in }
    store.commitWithoutTelling()
    let second = store.subscribeToPresent { told.append($0) }
    store.commit()
    #expect(eventually { told.values.last == "3" })
    #expect(told.values == ["3"])
    first.cancel()
    second.cancel()
  }
}
