import DflatEngine
import EngineTestSupport
import Golden_post
import Testing

@Suite("Reads for subscribers that fail are repeated without another commit")
struct RepeatedReadTests {
  @Test("A query is fetched until that succeeds, and each different error is reported once")
  func query() {
    let store = ObservedStore { number in
      if number < 4 { throw ObservedStore.Failure(description: number < 3 ? "no server" : "no table") }
    }
    let told = Gate()
    let subscription = store.subscribeToAll { told.open() }
    #expect(told.wait())
    #expect(store.errors.values == ["no server", "no table"])
    subscription.cancel()
  }

  @Test("A query is fetched again although the fetch of an earlier commit fails at the commit of another one")
  func overlappingFetches() {
    let (isFetching, mayFail) = (Gate(), Gate())
    let store = ObservedStore { number in
      // The subscription's own fetch succeeds.
      guard number == 2 else { return }
      isFetching.open()
      mayFail.wait()
      throw ObservedStore.Failure(description: "no server")
    }
    let told = Collected<Bool>()
    let subscription = store.subscribeToAll { told.append(true) }
    #expect(eventually { told.count == 1 })
    store.commit()
    #expect(isFetching.wait())
    let other = Gate()
    store.commit()
    // Calls are made in their order: the second commit's fetch has begun and relies on the first one.
    let second = store.subscribeToAll(limit: .limit(5)) { other.open() }
    #expect(other.wait())
    mayFail.open()
    #expect(eventually(within: 30) { told.count == 2 })
    #expect(store.errors.values == ["no server"])
    subscription.cancel()
    second.cancel()
  }

  @Test("An object is looked up, and its row is read, until both succeed")
  func object() {
    let store = ObservedStore { number in
      if number == 1 || number == 2 || number == 4 { throw ObservedStore.Failure(description: "\(number)") }
    }
    let told = Gate()
    let subscription = store.subscribeToPost { told.open() }
    #expect(told.wait())
    #expect(store.errors.values == ["1", "2", "4"])
    subscription.cancel()
  }

  @Test("A failure that has ended is reported when it comes back")
  func anotherFailure() {
    let fails = Locked(true)
    let store = ObservedStore { _ in if fails.value { throw ObservedStore.Failure(description: "no server") } }
    let told = Collected<Bool>()
    let subscription = store.subscribeToAll { told.append(true) }
    #expect(eventually { store.errors.count == 1 })
    fails.value = false
    #expect(eventually { told.count == 1 })
    fails.value = true
    store.commit()
    #expect(eventually { store.errors.count == 2 })
    subscription.cancel()
  }

  @Test("Commits of other processes during a read of the subscribed objects need one more read, not one each")
  func manyCommits() {
    let (isReading, mayGoOn) = (Gate(), Gate())
    let reads = Locked(0)
    let store = ObservedStore { number in
      reads.value = number
      // The look-up and the read of the subscription come first.
      guard number == 3 else { return }
      isReading.open()
      mayGoOn.wait()
    }
    let told = Collected<Bool>()
    let subscription = store.subscribeToPost { told.append(true) }
    #expect(eventually { told.count == 1 })
    store.commit()
    #expect(isReading.wait())
    for _ in 0..<100 { store.commit() }
    mayGoOn.open()
    #expect(eventually { told.count >= 2 })
    // Other threads make the calls that wait meanwhile.
    #expect(!eventually(within: 0.2) { reads.value > 10 })
    subscription.cancel()
  }

  @Test("Nothing is read any more once the subscription is cancelled")
  func cancelled() {
    let reads = Locked(0)
    let store = ObservedStore { _ in
      reads.change { $0 += 1 }
      throw ObservedStore.Failure(description: "no server")
    }
    let subscription = store.subscribeToAll {}
    subscription.cancel()
    let count = reads.value
    // Longer than the first pause.
    #expect(!eventually(within: 0.3) { reads.value > count + 1 })
  }
}
