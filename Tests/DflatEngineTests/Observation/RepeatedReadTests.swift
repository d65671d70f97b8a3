import DflatEngine
import Dispatch
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
    #expect(eventually { told.count == 2 })
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
    // It has one thread, so that nothing else is read during the read.
    let queue = DispatchQueue(label: "test")
    let store = ObservedStore(on: queue) { number in
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
    #expect(eventually { told.count >= 2 && reads.value >= 4 })
    // What has waited for the queue is over then.
    queue.sync {}
    #expect(reads.value == 4)
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
    // The reads of another subscription are repeated after pauses that are as long: when some are over, the cancelled one would have
    // read as often. One of its reads may have begun before.
    let others = Locked(0)
    let other = ObservedStore { _ in
      others.change { $0 += 1 }
      throw ObservedStore.Failure(description: "no server")
    }
    let beside = other.subscribeToAll {}
    #expect(eventually { others.value > 3 })
    #expect(reads.value <= count + 1)
    beside.cancel()
    withExtendedLifetime((store, subscription)) {}
  }
}
