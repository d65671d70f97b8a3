import Dflat
import DflatEngine
import Dispatch
import EngineTestSupport
import Testing

@testable import PostgresDflat

@Suite("Received commits of keys, for which reads wait")
struct ReceivedKeyChangesTests {
  private let path = DictionaryPath("key", in: DictionaryKey(""))

  @Test("Reads wait for a commit until they show it, or for an hour")
  func waiting() {
    var received = ReceivedKeyChanges()
    received.append(10, setting: [path])
    let awaited = received.awaited(settingOf: path)
    #expect(awaited.xids == [10])
    #expect(received.isAwaited(awaited))
    #expect(!received.isAwaited(awaited, at: .now() + .seconds(7_200)))
    received.remove(awaited)
    #expect(!received.isAwaited(received.awaited(settingOf: path)))
  }

  @Test("Reads do not wait for a commit that was received from another server than the present one")
  func otherServer() {
    var received = ReceivedKeyChanges()
    received.append(10, setting: [path])
    let awaited = received.awaited(settingOf: path)
    received.forgetServer()
    #expect(!received.isAwaited(awaited))
    #expect(received.awaited(settingOf: path).xids.isEmpty)
    // The new server gives the number to another transaction.
    received.append(10, setting: [path])
    received.remove(awaited)
    #expect(received.awaited(settingOf: path).xids == [10])
  }

  @Test("The dictionary is told that a standby has taken over, and not of another stream of the same server")
  func streams() {
    let options = PostgresOptions(connection: "host=/nonexistent")
    let tables = ObservedTables(options, ConnectionPool(options), TableCatalog()) { _ in }
    let feed = ReplicationFeed(options, tables) { _ in }
    let count = Locked(0)
    feed.observe(
      ReplicationFeed.ObservedKeys(
        table: "keys", tell: { _, _ in }, serverHasChanged: { count.change { $0 += 1 } }), DictionaryTable.record)
    for (timeline, expected) in [(1, 0), (1, 0), (2, 1), (2, 1)] {
      feed.begin(on: "server \(timeline)")
      #expect(count.value == expected)
    }
  }
}
