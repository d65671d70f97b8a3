#if compiler(>=6.3) && os(Linux)
  import EngineTestSupport
  import Dflat
  import Foundation
  import SQLiteDflat
  import Testing

  @Suite("A key that another process sets shows after its commit")
  struct DictionaryProcessTests {
    @Test("Readers and subscribers get no older value of the key, while both processes set keys")
    func anotherProcess() async throws {
      let store = try TestStore()
      let dictionary = store.workspace.dictionary
      dictionary["counter"] = 0
      dictionary["removed"] = "here"
      dictionary.synchronize()
      let told = Collected<Int>()
      let subscription = dictionary.subscribe("counter", of: Int.self) {
        if let value = $0.value { told.append(value) }
      }
      let isOver = Gate()
      let reader = BackgroundThreads(1) { _ in
        var last = 0
        var number = 0
        while !isOver.isOpen || number < 50 {
          let counter = dictionary["counter", default: 0]
          #expect(counter >= last, "the counter of the other process went back")
          last = counter
          dictionary["parent \(number % 50)"] = number
          number += 1
        }
      }
      await #expect(processExitsWith: .success) { [path = store.path as String] in
        let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
        for number in 1...200 {
          workspace.dictionary["counter"] = number
          workspace.dictionary["child \(number % 50)"] = number
          #expect(workspace.dictionary.synchronize())
        }
        let isStored = await workspace.performChanges([]) { context in
          context.dictionary["removed", String.self] = nil
          context.dictionary["counter"] = 201
        }
        #expect(isStored)
        await workspace.shutdown()
      }
      // The process has committed all, so that it shows at once.
      #expect(dictionary["counter"] == 201 && dictionary["removed", String.self] == nil)
      for number in 151...200 { #expect(dictionary["child \(number % 50)"] == number) }
      let hasEnded = await onThread {
        isOver.open()
        return reader.end() && eventually { told.values.last == 201 }
      }
      #expect(hasEnded)
      #expect(told.values == told.values.sorted() && told.values.first == 0)
      #expect(dictionary.synchronize())
      #expect(store.errors.values.isEmpty)
      subscription.cancel()
      let stored = try store.sql("SELECT count(*) FROM dictitem_v_dflat_internal__ WHERE __pk0 LIKE 'parent %'")
      #expect(stored == [["50"]])
    }
  }
#endif
