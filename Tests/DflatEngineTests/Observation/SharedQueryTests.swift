import DflatEngine
import Dispatch
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

  @Test(
    "A subscriber is told later and later states while another process commits during each fetch",
    arguments: [false, true])
  func commitsDuringFetches(onOneThread: Bool) {
    let (held, isOver) = (Locked<ObservedStore?>(nil), Gate())
    let queue = onOneThread ? DispatchQueue(label: "test") : nil
    let store = ObservedStore(on: queue) { _ in
      if !isOver.isOpen { held.value?.commit() }
    }
    held.value = store
    let told = Collected<String>()
    let subscription = store.subscribeToPresent { told.append($0) }
    store.commit()
    #expect(eventually { told.count >= 3 })
    if let queue {
      let hasRun = Gate()
      queue.async { hasRun.open() }
      #expect(hasRun.wait(), "A transaction of the queue would wait without end.")
    }
    isOver.open()
    #expect(eventually { told.values.last == "\(store.version)" })
    let versions = told.values.compactMap { Int($0) }
    #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }, "\(versions)")
    subscription.cancel()
    held.value = nil
  }
}
