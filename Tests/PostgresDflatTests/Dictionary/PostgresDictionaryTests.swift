import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("Subscribers to keys of the dictionary on PostgreSQL")
struct PostgresDictionaryTests {
  @Test("Subscribers get the values that other workspaces set, remove and commit, in their order")
  func otherWorkspaces() throws {
    let database = try TestDatabase()
    let (own, other) = (database.workspace.dictionary, database.other())
    let told = Collected<Int?>()
    let subscription = own.subscribe("counter", of: Int.self) { told.append($0.value) }
    #expect(told.values == [nil])
    for number in 1...20 { other.dictionary["counter"] = number }
    #expect(other.dictionary.synchronize())
    #expect(eventually { told.values.last == 20 })
    let isStored = TestDatabase.perform([], in: other) { $0.dictionary["counter"] = 21 }
    #expect(isStored)
    #expect(eventually { told.values.last == 21 })
    other.dictionary["counter", Int.self] = nil
    #expect(eventually { told.values.last == .some(nil) })
    let numbers = told.values.compactMap { $0 }
    #expect(numbers == numbers.sorted())
    subscription.cancel()
    other.dictionary["counter"] = 30
    #expect(other.dictionary.synchronize())
    other.shutdown()
    #expect(told.values.last == .some(nil))
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Subscribers get values of their own workspace at once, and at last the value that is stored")
  func ownAndForeign() throws {
    let database = try TestDatabase()
    let workspaces = [database.workspace, database.other()]
    let told = workspaces.map { _ in Collected<Int?>() }
    let subscriptions = zip(workspaces, told).map { workspace, told in
      workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    }
    let threads = BackgroundThreads(2) { number in
      for count in 0..<LongForm.dictionarySteps.size {
        workspaces[number].dictionary["key"] = 2 * count + number
        // With a transaction between some of them.
        if count % 7 == 3 {
          let isStored = TestDatabase.perform([], in: workspaces[number]) { $0.dictionary["key"] = -count }
          #expect(isStored)
        }
        if count % 10 == 0 { _ = workspaces[number].dictionary.synchronize() }
      }
      #expect(workspaces[number].dictionary.synchronize())
    }
    #expect(threads.end())
    LongForm.record(2 * LongForm.dictionarySteps.size, "values that two workspaces set on PostgreSQL, and hear of")
    let stored = try #require(workspaces[0].dictionary["key", Int.self])
    for told in told { #expect(eventually { told.values.last == stored }) }
    for subscription in subscriptions { subscription.cancel() }
    workspaces[1].shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A subscription to a key ends with its last reference and with the workspace")
  func end() async throws {
    let database = try TestDatabase()
    await checkEndOfDictionarySubscriptions(in: database.workspace)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A subscriber may wait for a transaction that shares a type with the one that has set its key")
  func waitingForATransaction() throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    let hasWaited = Gate()
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { change in
      guard change.value == 1 else { return }
      let next = PendingTransaction([Post.self], in: workspace) { _ in }
      if next.outcome() == true { hasWaited.open() }
    }
    let transaction = PendingTransaction([Post.self], in: workspace) { $0.dictionary["key"] = 1 }
    #expect(hasWaited.wait())
    #expect(transaction.outcome() == true)
    subscription.cancel()
  }

  @Test("A subscriber that waits keeps no subscriber to another key waiting")
  func waitingSubscriber() throws {
    let database = try TestDatabase()
    let (dictionary, other) = (database.workspace.dictionary, database.other())
    let isTold = Gate()
    let first = dictionary.subscribe("first", of: Int.self) { change in
      if change.value == 1 { #expect(isTold.wait()) }
    }
    let second = dictionary.subscribe("second", of: Int.self) { change in
      if change.value == 1 { isTold.open() }
    }
    for key in ["first", "second"] {
      other.dictionary[key] = 1
      #expect(other.dictionary.synchronize())
    }
    #expect(isTold.wait())
    first.cancel()
    second.cancel()
    other.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  /// A commit that waits for a standby is in the log, and nobody sees it yet: every commit is, for a moment.
  @Test("A subscriber gets a value that the server sends before a read shows it")
  func changeThatDoesNotShowYet() throws {
    let server = try PostgresServer("late")
    defer { try? server.stop() }
    let database = try TestDatabase(on: server)
    let other = database.other()
    let told = Collected<Int?>()
    let subscription = database.workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    other.dictionary["key"] = 1
    #expect(eventually { told.values.last == 1 })
    try server.holdCommits()
    other.dictionary["key"] = 2
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    #expect(try eventually { try server.psql(waiting) == "1" })
    // Long enough, as a rule, for what was sent to be received and looked at.
    usleep(300_000)
    #expect(told.values.last == 1)
    try server.releaseCommits()
    #expect(eventually { told.values.last == 2 })
    subscription.cancel()
    other.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  /// The only connection is held while another workspace sets the key, and then this one: what is read of the one by then is older
  /// than what subscribers have been told of the other.
  @Test("A subscriber gets no older value of another workspace after a newer one of its own")
  func staleRead() throws {
    let database = try TestDatabase { $0.connectionLimit = 1 }
    let (workspace, other) = (database.workspace, database.other())
    let told = Collected<Int?>()
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    other.dictionary["key"] = 0
    #expect(other.dictionary.synchronize())
    #expect(eventually { told.values.last == 0 })
    // In some rounds the new value is written before the older one is read, and there is nothing to see.
    for round in 1...10 {
      let (isHeld, isOver) = (Gate(), Gate())
      let holder = BackgroundThreads { _ in
        workspace.fetchWithinASnapshot {
          isHeld.open()
          isOver.wait()
        }
      }
      #expect(isHeld.wait())
      other.dictionary["key"] = 2 * round - 1
      #expect(other.dictionary.synchronize())
      // Time for the news to come in. Without it, the round shows less.
      usleep(50_000)
      workspace.dictionary["key"] = 2 * round
      isOver.open()
      #expect(holder.end())
      #expect(workspace.dictionary.synchronize())
      #expect(eventually { told.values.last == 2 * round })
    }
    let numbers = told.values.compactMap { $0 }
    #expect(numbers == numbers.sorted(), "\(numbers)")
    subscription.cancel()
    other.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
