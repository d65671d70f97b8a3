import DflatEngine
import EngineTestSupport
import Testing

@Suite("A subscriber that comes while a commit is published is told nothing before that commit")
struct HeldSubscriberTests {
  @Test(
    "A commit of another process that is told meanwhile, with a lower or higher version, does not release a subscriber",
    arguments: [-1, 0, 1])
  func foreignCommit(difference: Int) {
    let store = ObservedStore { _ in }
    // Two transactions are committed together, and the subscriber has the state after both.
    let version = store.beginPublishing(title: "b")
    let told = Collected<String>()
    let subscription = store.subscribeToPost(titled: "b") { told.append($0) }
    store.tellOfOthers(version: UInt64(Int(version) + difference))
    store.endPublishing(version, titles: ["a", "b"])
    let next = store.beginPublishing(title: "c")
    store.endPublishing(next, titles: ["c"])
    #expect(eventually { told.values.last == "c" })
    #expect(Set(told.values) == ["c"], "\(told.values)")
    subscription.cancel()
  }

  @Test("A subscriber that comes after a commit of another process was told waits for the commit being published")
  func subscriptionAfterForeignCommit() {
    let store = ObservedStore { _ in }
    // Without a subscriber, nobody would be told of the other process.
    let first = store.subscribeToPost(titled: "1") { _ in }
    let version = store.beginPublishing(title: "b")
    store.tellOfOthers(version: version + 1)
    let told = Collected<String>()
    let second = store.subscribeToPost(titled: "b") { told.append($0) }
    store.endPublishing(version, titles: ["a", "b"])
    let next = store.beginPublishing(title: "c")
    store.endPublishing(next, titles: ["c"])
    #expect(eventually { told.values.last == "c" })
    #expect(Set(told.values) == ["c"], "\(told.values)")
    first.cancel()
    second.cancel()
  }

  @Test("A subscriber that has waited for a commit that was none is told of the commit of another process")
  func rollback() {
    let store = ObservedStore { _ in }
    _ = store.beginPublishing(title: "b")
    let told = Collected<String>()
    let subscription = store.subscribeToPost(titled: "a") { told.append($0) }
    store.cancelPublishing()
    store.tellOfOthers(version: 1)
    #expect(eventually { told.values == ["b"] })
    subscription.cancel()
  }

  @Test("A commit whose changes were not collected releases the subscribers that have waited for it")
  func unknownChanges() {
    let store = ObservedStore { _ in }
    let version = store.beginPublishing(title: "b")
    let told = Collected<String>()
    let subscription = store.subscribeToPost(titled: "a") { told.append($0) }
    store.endPublishing(version, titles: nil)
    #expect(eventually { told.values == ["b"] })
    subscription.cancel()
  }
}
