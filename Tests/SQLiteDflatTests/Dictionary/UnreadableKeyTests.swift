#if compiler(>=6.3) && os(Linux)
  import CSQLite
  import Dflat
  import EngineTestSupport
  import FaultVFS
  import Foundation
  import SQLiteDflat
  import Testing

  @Suite("Subscribers to keys that cannot be read are told what is stored once they can be")
  struct UnreadableKeyTests {
    @Test("Neither another process's change nor a failed read is told as an absent key, and the change is told later")
    func failedReads() async {
      // In a process of its own, whose file system fails for this test alone.
      await #expect(processExitsWith: .success) {
        let folder = NSTemporaryDirectory() + "dflat-fault-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/store.sqlite3"
        let errors = Collected<any Error>()
        func open() -> SQLiteWorkspace {
          SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection) { errors.append($0) }
        }
        let first = open()
        first.dictionary["known"] = 1
        first.dictionary["new"] = 2
        #expect(first.dictionary.synchronize())
        await first.shutdown()
        // A connection of the file system that does not fail.
        var other: OpaquePointer?
        try #require(sqlite3_open(path, &other) == SQLITE_OK)
        defer { sqlite3_close_v2(other) }
        try #require(FaultScenario.isInstalled)

        let workspace = open()
        let (known, new) = (Collected<Int?>(), Collected<Int?>())
        let subscription = workspace.dictionary.subscribe("known", of: Int.self) { known.append($0.value) }
        #expect(known.values == [1])
        fault_arm(Int32(FAULT_READ), 1, SQLITE_IOERR, 1)
        try PlainSQL.run("DELETE FROM dictitem_v_dflat_internal__ WHERE __pk0 = 'known'", on: other)
        #expect(eventually { !errors.values.isEmpty })
        // One that comes now hears that there is no value, since the first value comes at once.
        let second = workspace.dictionary.subscribe("new", of: Int.self) { new.append($0.value) }
        #expect(new.values == [nil])
        #expect(known.values == [1])
        #expect(fault_disarm() > 0)
        #expect(eventually { known.values == [1, nil] && new.values == [nil, 2] })
        let reasons = errors.values.compactMap { ($0 as? DictionaryError)?.key }
        #expect(reasons.sorted() == ["known", "new"], "\(errors.values)")
        subscription.cancel()
        second.cancel()
        await workspace.shutdown()
      }
    }
  }
#endif
