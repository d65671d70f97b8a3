import Dflat
import DflatEngine
import Dispatch
import EngineTestSupport
import Golden_post
import Testing

@testable import PostgresDflat

@Suite("The version of a snapshot among the commits that the stream has reported")
struct SnapshotVersionTests {
  private let feed: ReplicationFeed

  init() {
    let options = PostgresOptions(connection: "host=/nonexistent")
    let tables = ObservedTables(options, ConnectionPool(options), TableCatalog()) { _ in }
    feed = ReplicationFeed(options, tables) { _ in }
  }

  /// The snapshot that shows the transactions with numbers below `end` that are not running.
  private func version(_ end: Int, running: String = "", since first: UInt64) throws -> UInt64? {
    feed.version(of: try #require(ServerSnapshot("1:\(end):\(running)")), since: first)
  }

  private func report(_ xids: UInt32...) {
    feed.state.withLock { state in
      for xid in xids {
        state.version += 1
        state.recent.append(ReplicationFeed.Commit(version: state.version, xid: xid))
      }
    }
  }

  @Test("A snapshot has the version of the last commit that it shows, even if later ones are never reported")
  func lastShownCommit() throws {
    let first = feed.version
    report(10, 11)
    // It shows 12, too, before which the stream has broken.
    #expect(try version(13, since: first) == first + 2)
    #expect(try version(11, since: first) == first + 1)
    #expect(try version(10, since: first) == first)
  }

  @Test("A number without a commit in between, after which results are fetched again, is passed over")
  func gaps() throws {
    let first = feed.version
    report(10)
    feed.state.withLock { $0.version += 1 }
    report(11)
    #expect(try version(12, since: first) == first + 3)
  }

  @Test("A snapshot that lacks a commit and shows a later one, or lacks one from before it, has none")
  func otherOrders() throws {
    let first = feed.version
    report(10, 11)
    #expect(try version(12, running: "10", since: first) == nil)
    #expect(try version(12, running: "11", since: first) == first + 1)
    #expect(try version(12, running: "10", since: first + 1) == nil)
  }

  @Test("A snapshot from before a stream has begun cannot be compared with the commits of that stream")
  func forgottenCommits() throws {
    let first = feed.version
    report(10)
    feed.begin()
    #expect(try version(12, since: first) == nil)
    let second = feed.version
    report(11)
    #expect(try version(12, since: second) == second + 1)
  }

  @Test("A snapshot for the first observer of a table shows the commits to it that were received before")
  func commitsBeforeTheObserver() throws {
    func receive(_ xid: UInt32, _ table: String) {
      var transaction = ReceivedTransaction(xid: xid, schema: "public")
      transaction.changes = [(.deleted, table, 1, nil)]
      feed.publish(transaction)
    }
    let record = DictionaryTable.record
    let rows = ReplicationFeed.ObservedRows(record: record) { _, _, _ in throw StoreError.shutDown }
    receive(10, "posts")
    receive(11, "others")
    #expect(feed.observe("posts", rows))
    let first = feed.version
    #expect(try version(12, running: "10", since: first) == nil)
    // Nobody observes the other table.
    #expect(try version(12, running: "11", since: first) == first)
    // Keys that were set before somebody observes them are read once reads show them.
    receive(12, "dictionary")
    let told = Locked<[UInt32?]>([])
    feed.observe(
      ReplicationFeed.ObservedKeys(table: "dictionary") { rows, xid in
        #expect(rows == nil)
        told.change { $0.append(xid) }
      }, record)
    #expect(told.value == [12])
  }

  @Test("A commit of hours ago is shown by every snapshot, also if its number looks like one of the future")
  func oldCommits() throws {
    let later = DispatchTime.now() + .seconds(7_200)
    // More than 2^31 transactions after the one of number 10.
    let snapshot = try #require(ServerSnapshot("2200000000:2200000000:"))
    #expect(!snapshot.shows(10))
    let first = feed.version
    report(10)
    #expect(feed.version(of: snapshot, since: first + 1) == nil)
    #expect(feed.version(of: snapshot, since: first + 1, at: later) == first + 1)
    var unobserved = UnobservedCommits()
    unobserved.append(10, to: ["posts"])
    #expect(unobserved.commits(to: "posts").map(\.xid) == [10])
    #expect(unobserved.commits(to: "posts", at: later).isEmpty)
  }

  /// Counts what it is told. When it is first told of unknown changes, the stream reports another commit.
  private final class Listener: ChangeFeedListener {
    let known = Locked(0)
    let unknown = Locked(0)
    private let whenTold: @Sendable () -> Void

    init(_ whenTold: @escaping @Sendable () -> Void) { self.whenTold = whenTold }

    func transactionsHaveCommitted(_ transactions: [CommittedTransaction], version: UInt64) {
      known.change { $0 += 1 }
    }

    func othersHaveCommitted(version: UInt64) {
      let isFirst = unknown.change { count in
        count += 1
        return count == 1
      }
      if isFirst { whenTold() }
    }

    // No transaction of this test is applied.
    func makeCollector() -> any ChangeCollector { fatalError("not called") }
  }

  @Test("Until subscribers know that they have to fetch a table anew, its commits are unknown changes")
  func tablesInThePublicationAgain() throws {
    let feed = feed
    func receive(_ xid: UInt32) {
      var transaction = ReceivedTransaction(xid: xid, schema: "public")
      transaction.changes = [(.deleted, "post", 1, nil)]
      feed.publish(transaction)
    }
    let listener = Listener {
      var transaction = ReceivedTransaction(xid: 10, schema: "public")
      transaction.changes = [(.deleted, "post", 1, nil)]
      feed.publish(transaction)
    }
    feed.setListener(listener)
    feed.state.withLock { $0.isOpen = true }
    _ = feed.observe(
      "post", ReplicationFeed.ObservedRows(record: Post._record) { _, rowid, _ in Post(.empty, _rowid: rowid) })
    let first = feed.version
    feed.setStreamed(["post"], true)
    #expect(listener.known.value == 0 && listener.unknown.value == 2)
    // What was fetched before may show commits that the stream has not reported yet.
    #expect(try version(12, since: first) == nil)
    receive(11)
    #expect(listener.known.value == 1)
  }
}
