import Dflat
import DflatEngine
import EngineTestSupport
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import PostgresDflat

/// Between the moment at which the server has committed a transaction and the moment at which the workspace knows it, other processes,
/// and subscribers, already see what is stored.
@Suite("Keys that are set and read while a transaction that sets them is committing")
struct KeyCommitTests {
  private let database: TestDatabase
  private let other: PostgresWorkspace
  private let path = DictionaryPath("key", in: DictionaryKey(""))

  init() throws {
    database = try TestDatabase()
    other = database.other()
  }

  private var table: DictionaryTable { database.workspace.core.dictionary }

  /// Sets the key as if the server had committed it with a transaction of the workspace.
  private func commit(_ value: Int) {
    other.dictionary["key"] = value
    #expect(other.dictionary.synchronize())
  }

  private var stored: Int? { other.dictionary["key"] }

  @Test("A value that is set then is the later one")
  func setting() throws {
    let turn = table.beginTransaction(setting: [path])
    commit(1)
    let isSet = Gate()
    let setter = BackgroundThreads { [workspace = database.workspace] _ in
      workspace.dictionary["key"] = 2
      isSet.open()
    }
    // It waits for the transaction, whose value would replace it.
    #expect(!isSet.wait(0.2))
    #expect(table.endTransaction(turn, committing: [path: .integer(1)]).isEmpty)
    #expect(setter.end())
    #expect(database.workspace.dictionary.synchronize())
    #expect(stored == 2)
    other.shutdown()
  }

  @Test("A value that is set while the answer to COMMIT is late is kept, and told last")
  func lateAnswer() throws {
    let told = Collected<Int?>()
    let workspace = database.workspace
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    let turn = table.beginTransaction(setting: [path])
    commit(1)
    let setter = BackgroundThreads { _ in workspace.dictionary["key"] = 2 }
    #expect(setter.end())
    #expect(workspace.dictionary["key"] == 2)
    table.tell(table.endTransaction(turn, committing: [path: .integer(1)]))
    #expect(workspace.dictionary.synchronize())
    #expect(stored == 2)
    #expect(eventually { told.values.last == 2 })
    subscription.cancel()
    other.shutdown()
  }

  @Test("Nobody reads the value that was pending before the transaction")
  func reading() throws {
    // Nothing pending is written during the turns of transactions.
    let first = table.beginTransaction(setting: [])
    database.workspace.dictionary["key"] = 1
    let turn = table.beginTransaction(setting: [path])
    commit(2)
    let read = Locked<Int?>(nil)
    let reader = BackgroundThreads { [workspace = database.workspace] _ in read.value = workspace.dictionary["key"] }
    #expect(!reader.end(within: 0.1))
    _ = table.endTransaction(turn, committing: [path: .integer(2)])
    #expect(reader.end())
    #expect(read.value == 2)
    _ = table.endTransaction(first, committing: [:])
    #expect(database.workspace.dictionary.synchronize())
    #expect(stored == 2)
    other.shutdown()
  }

  @Test("A value of another process that was told before the answer to COMMIT came is not followed by the older one")
  func othersMeanwhile() throws {
    let told = Collected<Int?>()
    let subscription = database.workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    let turn = table.beginTransaction(setting: [path])
    commit(1)
    #expect(eventually { told.values.last == 1 })
    commit(2)
    #expect(eventually { told.values.last == 2 })
    let count = told.values.count
    table.tell(table.endTransaction(turn, committing: [path: .integer(1)]))
    commit(3)
    #expect(eventually { told.values.last == 3 })
    #expect(!told.values[count...].contains(1), "\(told.values)")
    subscription.cancel()
    other.shutdown()
  }

  @Test("A transaction whose snapshot is older than the commit runs again, although the pending value is gone")
  func transactions() throws {
    commit(0)
    let first = table.beginTransaction(setting: [])
    database.workspace.dictionary["key"] = 1
    let (hasSnapshot, isCommitting) = (Gate(), Gate())
    let read = Collected<Int?>()
    let workspace = database.workspace
    let transaction = PendingTransaction([Post.self], in: workspace) { context in
      _ = workspace.fetch(for: Post.self).count()
      hasSnapshot.open()
      isCommitting.wait()
      let value: Int? = context.dictionary["key"]
      read.append(value)
      context.try(submit: PostChangeRequest.upsertRequest(Post(title: "\(value ?? -1)")))
    }
    #expect(hasSnapshot.wait())
    let turn = table.beginTransaction(setting: [path])
    commit(2)
    isCommitting.open()
    #expect(!transaction.hasCompleted)
    usleepRandomly(upTo: 0.1)
    _ = table.endTransaction(turn, committing: [path: .integer(2)])
    #expect(transaction.outcome() == true)
    // Neither the value before the one that was pending, nor that which was never stored.
    #expect(read.values.last == 2, "\(read.values)")
    _ = table.endTransaction(first, committing: [:])
    other.shutdown()
  }

  @Test("The list of keys waits for the transaction, too, so that removing all keys removes its key")
  func keys() throws {
    let first = table.beginTransaction(setting: [])
    database.workspace.dictionary["key"] = nil as Int?
    let turn = table.beginTransaction(setting: [path])
    commit(2)
    let reader = BackgroundThreads { [workspace = database.workspace] _ in workspace.dictionary.removeAll() }
    #expect(!reader.end(within: 0.1))
    _ = table.endTransaction(turn, committing: [path: .integer(2)])
    #expect(reader.end())
    _ = table.endTransaction(first, committing: [:])
    #expect(database.workspace.dictionary.synchronize())
    #expect(stored == nil)
    other.shutdown()
  }

  @Test("A later subscriber is told a value that was received before it came, and was not visible then")
  func laterSubscriber() throws {
    let server = try PostgresServer("later")
    let database = try TestDatabase(on: server)
    let (workspace, other) = (database.workspace, database.other())
    other.dictionary["key"] = 1
    #expect(other.dictionary.synchronize())
    let first = workspace.dictionary.subscribe("first", of: Int.self) { _ in }
    let (core, table) = (workspace.core, workspace.core.dictionary)
    let name = DictionaryTable.record.tableName
    #expect(eventually { core.feed.tells(of: name) })
    try server.holdCommits()
    other.dictionary["key"] = 2
    #expect(eventually { table.state.withLock { !$0.received.awaited(settingOf: path).xids.isEmpty } })
    let told = Collected<Int?>()
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    #expect(told.values == [1])
    try server.releaseCommits()
    #expect(eventually { told.values == [1, 2] }, "\(told.values)")
    first.cancel()
    subscription.cancel()
    self.other.shutdown()
    other.shutdown()
  }

  @Test("A key that another process has set is told even if the database cannot be asked for a while")
  func busyPool() throws {
    let workspace = database.other {
      $0.connectionLimit = 1
      // Longer than a look into the catalog has the connection on a busy machine.
      $0.poolTimeout = 2
    }
    let told = Collected<Int?>()
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { told.append($0.value) }
    let table = workspace.core.dictionary
    #expect(eventually { !told.values.isEmpty })
    let connection = try workspace.core.pool.acquire(for: .readOnly)
    table.refresh([path], setBy: table.state.withLock { $0.received.awaited([3]) })
    #expect(eventually { database.errors.values.contains { ($0 as? DictionaryError)?.key == "key" } })
    commit(1)
    workspace.core.pool.release(connection)
    #expect(eventually { told.values.last == 1 })
    #expect(database.errors.values.count == 1, "\(database.errors.values)")
    subscription.cancel()
    workspace.shutdown()
    other.shutdown()
  }
}
