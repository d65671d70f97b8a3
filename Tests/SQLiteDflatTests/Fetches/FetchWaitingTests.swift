import EngineTestSupport
import Dflat
import Dispatch
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("A fetch never waits for user code")
struct FetchWaitingTests {
  /// More than a workspace keeps connections for, on any machine: it keeps at most 16 now.
  private static let snapshotCount = 20
  /// In seconds: long for a fetch on a loaded machine.
  private static let patience = 120.0

  private func storeWithAPost() throws -> TestStore {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    return store
  }

  /// Threads that are inside a snapshot until the gate opens.
  private func holdSnapshots(_ workspace: SQLiteWorkspace, until gate: Gate) -> BackgroundThreads {
    let inside = Locked(0)
    let threads = BackgroundThreads(FetchWaitingTests.snapshotCount) { number in
      workspace.fetchWithinASnapshot {
        if number % 2 == 0 { _ = workspace.fetch(for: Post.self).all().count }
        inside.change { $0 += 1 }
        gate.wait()
        #expect(workspace.fetch(for: Post.self).all().count == 1)
      }
    }
    // Where snapshots wait for each other, too, those that are inside hold all connections that there are.
    _ = eventually(within: FetchWaitingTests.patience) { inside.value == FetchWaitingTests.snapshotCount }
    #expect(inside.value == FetchWaitingTests.snapshotCount, "a snapshot waits for the snapshots of others")
    return threads
  }

  @Test("A fetch returns while more snapshots are held than there are idle readers")
  func besideSnapshots() throws {
    let store = try storeWithAPost()
    let workspace = store.workspace
    let gate = Gate()
    let holders = holdSnapshots(workspace, until: gate)
    let fetches = BackgroundThreads(4) { _ in
      for _ in 0..<20 {
        #expect(workspace.fetch(for: Post.self).all().count == 1)
        #expect(workspace.fetch(for: Post.self).where(Post.priority == 0).first?.title == "a")
        #expect(workspace.fetch(for: Post.self).count() == 1)
      }
    }
    #expect(fetches.end(within: FetchWaitingTests.patience))
    gate.open()
    #expect(holders.end() && fetches.end())
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A fetch in a transaction returns while more snapshots are held than there are idle readers")
  func inATransactionBesideSnapshots() throws {
    let store = try storeWithAPost()
    let workspace = store.workspace
    let gate = Gate()
    let holders = holdSnapshots(workspace, until: gate)
    let counts = Collected<Int>()
    let transactions = (0..<4).map { number in
      PendingTransaction([Post.self], in: workspace) { context in
        counts.append(workspace.fetch(for: Post.self).all().count)
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
        counts.append(workspace.fetch(for: Post.self).all().count)
        counts.append(workspace.fetchWithinASnapshot { workspace.fetch(for: Post.self).count() })
      }
    }
    for each in transactions { #expect(each.outcome(within: FetchWaitingTests.patience) == true) }
    #expect(counts.values == [1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5])
    gate.open()
    #expect(holders.end() && transactions.allSatisfy { $0.outcome() == true })
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A closure of a snapshot may wait for the fetch of another thread")
  func waitingForAFetch() throws {
    let store = try storeWithAPost()
    let workspace = store.workspace
    let inside = Locked(0)
    let holders = BackgroundThreads(FetchWaitingTests.snapshotCount) { _ in
      workspace.fetchWithinASnapshot {
        inside.change { $0 += 1 }
        // All are inside before the first one waits for a fetch; or as many as there can be.
        _ = eventually(within: FetchWaitingTests.patience) { inside.value == FetchWaitingTests.snapshotCount }
        let fetch = BackgroundThreads { _ in #expect(workspace.fetch(for: Post.self).all().count == 1) }
        #expect(fetch.end(within: FetchWaitingTests.patience))
      }
    }
    #expect(holders.end(within: 4 * FetchWaitingTests.patience))
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A fetch returns while transactions of several types are in their closures", arguments: [false, true])
  func besideTransactions(haveSubmitted: Bool) throws {
    let store = try storeWithAPost()
    let workspace = store.workspace
    let gate = Gate()
    let types = RegisterType.all
    let transactions = types.map { type in
      PendingTransaction([type.type], in: workspace) { context in
        _ = type.readAll(workspace)
        if haveSubmitted { #expect(throws: Never.self) { try type.create(context, 1, 1) } }
        gate.wait()
      }
    }
    // With what they have submitted, they may take turns.
    #expect(transactions[0].starts() || transactions[1].starts())
    let fetches = BackgroundThreads(4) { _ in
      for _ in 0..<20 {
        #expect(workspace.fetch(for: Post.self).count() == 1)
        for type in types { #expect(type.readAll(workspace).isEmpty) }
      }
    }
    #expect(fetches.end(within: FetchWaitingTests.patience))
    gate.open()
    for each in transactions { #expect(each.outcome() == true) }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  #if os(Linux)
    @Test("Connections that only snapshots needed are closed again")
    func connectionsAreClosed() throws {
      let store = try storeWithAPost()
      let workspace = store.workspace
      func holdSnapshots() {
        let gate = Gate()
        let inside = Locked(0)
        let holders = BackgroundThreads(60) { _ in
          workspace.fetchWithinASnapshot {
            inside.change { $0 += 1 }
            gate.wait()
          }
        }
        #expect(eventually(within: FetchWaitingTests.patience) { inside.value == 60 })
        gate.open()
        #expect(holders.end())
        #expect(workspace.fetch(for: Post.self).count() == 1)
      }
      holdSnapshots()
      // SQLite keeps the descriptors of the database file for later connections, as long as one is open: to close one would
      // give up the process's locks. Those of the log go with the connections.
      let areLogsClosed = try eventually { try openFiles(store.path + "-wal") <= 20 }
      #expect(areLogsClosed)
      let before = try openFiles(store.path)
      for _ in 0..<3 { holdSnapshots() }
      let areReused = try eventually { try openFiles(store.path) <= before + 2 }
      #expect(areReused)
      workspace.shutdown()
      let areClosed = try eventually { try openFiles(store.folder) == 0 }
      #expect(areClosed)
    }

    private func openFiles(_ prefix: String) throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        // A descriptor of another test may be closed by now.
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }.count { $0.hasPrefix(prefix) }
    }
  #endif
}
