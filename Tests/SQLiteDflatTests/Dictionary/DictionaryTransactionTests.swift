import EngineTestSupport
import Dflat
@testable import DflatEngine
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Keys that a transaction sets commit and roll back with it")
struct DictionaryTransactionTests {
  private let store: TestStore
  private var workspace: SQLiteWorkspace { store.workspace }
  private var dictionary: any WorkspaceDictionary { store.workspace.dictionary }

  init() throws { store = try TestStore() }

  private func check(_ body: (DictionaryTransactionChecks) -> Void) {
    let other = store.reopened()
    body(DictionaryTransactionChecks(workspace, other, store.errors))
    other.shutdown()
  }

  @Test("A transaction sees the keys that it has set, and nobody else sees them before its commit")
  func ownWrites() { check { $0.checkOwnWrites() } }

  @Test("An abort leaves no trace, and after it nothing can be set")
  func settingAfterAnAbort() { check { $0.checkAbort() } }

  @Test("A value that cannot be encoded fails the transaction")
  func encodingFails() { check { $0.checkEncodingFails() } }

  @Test("A value of another type is absent, and is reported once until its key is set")
  func unreadable() { check { $0.checkUnreadable() } }

  @Test(
    "An abort leaves no trace in memory, on disk or with subscribers", arguments: [false, true])
  func abort(hasRead: Bool) throws {
    dictionary["a"] = 1
    dictionary.synchronize()
    let told = Collected<SubscribedDictionaryValue<Int>>()
    let subscription = dictionary.subscribe("a", of: Int.self) { told.append($0) }
    store.perform([Post.self], completing: false) { context in
      context.dictionary["a"] = 2
      context.dictionary["b"] = 3
      if hasRead { #expect(context.dictionary["c", Int.self] == nil) }
      context.abort()
      context.dictionary["a"] = 4
      #expect(context.dictionary["a", Int.self] == nil)
      #expect(context.dictionary.keys.isEmpty)
    }
    #expect(dictionary["a"] == 1 && dictionary["b", Int.self] == nil && dictionary.keys == ["a"])
    #expect(told.values == [.initial(1)])
    dictionary.synchronize()
    #expect(try store.sql("SELECT __pk0 FROM dictitem_v_dflat_internal__") == [["a"]])
    subscription.cancel()
  }

  @Test("Subscribers are told before the completion handler, once, with the last value")
  func subscribers() throws {
    let told = Collected<SubscribedDictionaryValue<Int>>()
    let subscription = dictionary.subscribe("a", of: Int.self) { told.append($0) }
    for number in 1...20 {
      let transaction = PendingTransaction([Post.self], in: workspace) { _ in
        #expect(told.values.contains(.updated(number)))
      } _: { context in
        context.dictionary["a"] = -1
        context.dictionary["a"] = number
      }
      #expect(transaction.outcome() == true)
    }
    store.perform([]) { $0.dictionary["a"] = nil }
    #expect(told.values == [.initial(nil)] + (1...20).map { .updated($0) } + [.deleted])
    subscription.cancel()
  }

  @Test("A thread or snapshot that sees an object of a transaction sees its keys, and the other way round")
  func oneCommitVersion() throws {
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "p", priority: 0)))
      context.dictionary["n"] = 0
      context.dictionary["m"] = 0
    }
    let isOver = Locked(false)
    let readers = BackgroundThreads(3) { [workspace, dictionary] thread in
      func priority() -> Int { Int(workspace.fetch(for: Post.self).all().first?.priority ?? -1) }
      while !isOver.value {
        switch thread {
        case 0:
          let object = priority()
          let key = dictionary["n", default: -1]
          #expect(key >= object)
        case 1:
          let key = dictionary["n", default: -1]
          let object = priority()
          #expect(object >= key)
        default:
          workspace.fetchWithinASnapshot {
            let key = dictionary["n", default: -1]
            let object = priority()
            #expect(object == key)
            #expect(dictionary["m", default: -1] == key)
            #expect(Set(dictionary.keys).isSuperset(of: ["n", "m"]))
          }
        }
      }
    }
    // Others set keys all the time, so that there is something pending.
    let setter = BackgroundThreads(1) { [dictionary] _ in
      var count = 0
      while !isOver.value {
        count += 1
        dictionary["noise \(count % 7)"] = count
      }
    }
    for number in 1...300 {
      store.perform([Post.self]) { context in
        let request = PostChangeRequest.changeRequest(Post(title: "p"))
        request?.priority = Int32(number)
        request.map { _ = context.try(submit: $0) }
        context.dictionary["n"] = number
        context.dictionary["m"] = number
      }
    }
    isOver.value = true
    #expect(readers.end() && setter.end())
  }

  @Test("A snapshot shows what was set before it, on disk or not, and nothing that is set later")
  func snapshot() throws {
    dictionary["disk"] = 1
    dictionary.synchronize()
    dictionary["memory"] = 2
    workspace.fetchWithinASnapshot {
      #expect(dictionary["disk"] == 1 && dictionary["memory"] == 2)
      dictionary["disk"] = 10
      dictionary["memory"] = 20
      dictionary["later"] = 30
      dictionary.synchronize()
      #expect(dictionary["disk"] == 1 && dictionary["memory"] == 2 && dictionary["later", Int.self] == nil)
      #expect(Set(dictionary.keys) == ["disk", "memory"])
    }
    #expect(dictionary["disk"] == 10 && dictionary["memory"] == 20 && dictionary["later"] == 30)
  }

  @Test("Transactions of different types that count in one key lose no step")
  func counting() throws {
    let transactions = (0..<200).map { number in
      PendingTransaction(number % 2 == 0 ? [Post.self] : [Thing.self], in: workspace) { context in
        context.dictionary["count", default: 0] += 1
      }
    }
    for transaction in transactions { #expect(transaction.outcome() == true) }
    #expect(dictionary["count"] == 200)
  }

  @Test("A transaction fails if a key that it has read is set outside, or keys that it has listed")
  func conflict() throws {
    let dictionary = dictionary
    dictionary["k"] = 1
    store.perform([Post.self], completing: false) { context in
      #expect(context.dictionary["k"] == 1)
      dictionary["k"] = 10
      context.dictionary["k"] = 2
    }
    #expect(dictionary["k"] == 10)
    store.perform([Post.self], completing: false) { context in
      #expect(context.dictionary.keys == ["k"])
      dictionary["new"] = 1
      context.dictionary["count"] = 1
    }
    #expect(dictionary["count", Int.self] == nil)
    #expect(eventually { store.errors.count == 2 } && store.errors.values.allSatisfy { $0 is SubmissionError })
    // One that has only set the key comes later.
    store.perform([Post.self]) { context in
      context.dictionary["k"] = 3
      dictionary["k"] = 11
    }
    #expect(dictionary["k"] == 3)
    dictionary.synchronize()
    let other = store.reopened()
    #expect(other.dictionary["k"] == 3)
    other.shutdown()
  }

  @Test("A key that was set before a transaction's commit is not written after it")
  func orderOfCalls() throws {
    let dictionary = dictionary
    for number in 0..<50 {
      store.perform([Post.self]) { context in
        context.dictionary["k"] = number
        dictionary["k"] = -number
      }
      #expect(dictionary["k"] == number)
      dictionary.synchronize()
      let other = store.reopened()
      #expect(other.dictionary["k"] == number)
      other.shutdown()
    }
  }

  @Test("Removing all in a transaction removes what is stored and its own")
  func removeAllStored() { check { $0.checkRemoveAll() } }

  @Test("Removing all in a transaction removes what is on disk, pending and its own")
  func removeAll() throws {
    dictionary["disk"] = 1
    dictionary.synchronize()
    dictionary["memory"] = 2
    let space = dictionary.namespace("other")
    space["kept"] = 3
    store.perform([Post.self]) { context in
      context.dictionary["own"] = 4
      context.dictionary.removeAll()
      #expect(context.dictionary.keys.isEmpty)
      context.dictionary["later"] = 5
      #expect(context.dictionary.namespace("other")["kept"] == 3)
    }
    #expect(dictionary.keys == ["later"] && dictionary["later"] == 5 && space["kept"] == 3)
    dictionary.synchronize()
    #expect(
      try store.sql("SELECT __pk0 FROM dictitem_v_dflat_internal__ ORDER BY 1") == [["kept"], ["later"]])
  }

  @Test("A full disk fails a transaction with its keys, and leaves those of others")
  func fullDisk() throws {
    dictionary["small"] = 1
    dictionary.synchronize()
    try store.limitPages()
    store.perform([Post.self], completing: false) { context in
      context.dictionary["small"] = 2
      context.dictionary["large"] = String(repeating: "x", count: 1 << 16)
    }
    try store.limitPages(nil)
    #expect(dictionary["small"] == 1 && dictionary["large", String.self] == nil)
    #expect(dictionary.keys == ["small"])
  }

  @Test("Many keys in one transaction are all there, or none")
  func many() throws {
    store.perform([Post.self]) { context in
      for number in 0..<2000 { context.dictionary["\(number)"] = number }
    }
    #expect(dictionary.keys.count == 2000)
    store.perform([Post.self], completing: false) { context in
      for number in 0..<2000 { context.dictionary["\(number)"] = -number }
      context.abort()
    }
    for number in 0..<2000 { #expect(dictionary["\(number)"] == number) }
  }
}
