import CSQLite
import Dflat
import EngineTestSupport
import Foundation
import Testing

@testable import SQLiteDflat

@Suite("A unique index that stored objects violate reports them, and is valid once they are repaired")
struct UniqueViolationTests {
  /// A store of things with the ids and rows 1, 2, ..., and the note that `note` gives for each id.
  private func store(_ count: Int, _ note: (Int) -> String) throws -> TestStore {
    try TestStore { path in
      let old = try OldStore(path, isIndexed: false)
      for id in 1...count { try old.insert(Thing(id: Int64(id), big: UInt64(id), note: note(id)), indexing: false) }
    }
  }

  private func messages(_ store: TestStore) -> [String] { store.errors.values.map { "\($0)" } }

  private func change(_ id: Int64, _ note: String, in store: TestStore) {
    store.perform([Thing.self]) { context in
      guard let request = ThingChangeRequest.change(Thing(id: id)) else {
        Issue.record("\(id) is not found")
        return
      }
      request.thing = Thing(id: id, big: UInt64(id), note: note)
      context.try(submit: request)
    }
  }

  private func isMarked(_ store: TestStore) throws -> Bool {
    try store.markedIndexes().contains("test__thing_v1_1__f14")
  }

  // MARK: What is told

  @Test("The error names the table, the field, the values and the rows")
  func message() throws {
    // Rows 3, 11 and 1500 have one note, and 5 and 600 another one.
    let store = try store(1600) { [11: "3", 1500: "3", 600: "5"][$0] ?? "\($0)" }
    #expect(store.workspace.fetch(for: Thing.self).where(Thing.note == "3").map(\.id) == [3, 11, 1500])
    #expect(eventually { store.errors.count == 1 })
    let error = try #require(store.errors.values.first as? SQLiteError)
    #expect(error.extendedCode == 2067 && error.purpose == "Filling a unique index")
    #expect(error.message.contains("test__thing_v1_1__f14"), "\(error)")
    #expect(error.message.contains("\"3\" in the rows 3, 11, 1500"), "\(error)")
    #expect(error.message.contains("\"5\" in the rows 5, 600"), "\(error)")
    // It is told before the transaction commits that empties the index.
    #expect(eventually { (try? store.sql("SELECT count(*) FROM test__thing_v1_1__f14")) == [["0"]] })
    #expect(try !isMarked(store) && store.markedIndexes().count == 3)
  }

  @Test("Who waits for the indexes gets the same error, also when it was told before")
  func waiting() async throws {
    let store = try store(50) { [11: "3"][$0] ?? "\($0)" }
    for _ in 0..<2 {
      let failure = await #expect(throws: StoreError.self) { try await store.workspace.waitForIndexes(of: Thing.self) }
      guard case .failed(let error as SQLiteError) = failure else {
        Issue.record("\(String(describing: failure))")
        continue
      }
      #expect(error.extendedCode == 2067 && error.message.contains("\"3\" in the rows 3, 11"), "\(error)")
    }
    #expect(eventually { store.errors.count == 1 })
    store.errors.removeAll()
    change(11, "11", in: store)
    try await store.workspace.waitForIndexes(of: Thing.self)
    #expect(try store.workspace.indexesAreComplete(Thing.self))
    try await store.workspace.suspend(within: .seconds(patience))
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("The report of many rows with long values names a part of them")
  func manyDuplicates() throws {
    let long = String(repeating: "long text ", count: 200)
    let store = try store(300) { $0 % 2 == 0 ? long : "\($0)\n" }
    #expect(store.workspace.fetch(for: Thing.self).count(where: Thing.note == long) == 150)
    #expect(eventually { store.errors.count == 1 })
    let message = messages(store).joined()
    #expect(message.utf8.count < 1000 && message.contains("long text long text"), "\(message)")
    #expect(message.contains("in the rows 2, 4, 6, 8"), "\(message)")
  }

  // MARK: Repairs

  @Test(
    "After the app has repaired them, the next transaction refuses a duplicate, and the index is used",
    arguments: [false, true])
  func repaired(fetching: Bool) throws {
    let store = try store(1200) { [700: "1", 800: "1", 1100: "2"][$0] ?? "\($0)" }
    let things = store.workspace.fetch(for: Thing.self)
    if fetching {
      #expect(things.where(Thing.note == "1").map(\.id) == [1, 700, 800])
      #expect(eventually { store.errors.count == 1 })
    }
    change(700, "new 700", in: store)
    #expect(eventually { store.errors.count >= 1 })
    change(800, "new 800", in: store)
    // One pair is left: the index is of no use, and nothing is refused.
    store.perform([Thing.self]) { context in
      context.try(submit: ThingChangeRequest.creation(Thing(id: 2000, note: "3")))
      ThingChangeRequest.deletion(Thing(id: 2000)).map { _ = context.try(submit: $0) }
    }
    #expect(try !isMarked(store))
    change(1100, "new 1100", in: store)
    store.perform([Thing.self]) { context in
      for note in ["1", "2", "3", "new 700", "1200"] {
        #expect(throws: TransactionError.objectAlreadyExists) {
          try context.submit(ThingChangeRequest.creation(Thing(id: 3000, note: note)))
        }
      }
      context.try(submit: ThingChangeRequest.creation(Thing(id: 3001, note: "700")))
    }
    #expect(try eventually { try store.workspace.reliesOnIndexes(of: Thing._record) })
    #expect(try store.wrongEntries() == 0)
    #expect(things.where(Thing.note == "1").map(\.id) == [1])
    #expect(things.where(Thing.note == "700").map(\.id) == [3001])
    // Nothing that was repaired is told again.
    #expect(store.errors.count <= 2, "\(messages(store))")
  }

  @Test("A fetch by the index finds that another process, or a deletion, has repaired the duplicates")
  func repairedByOthers() throws {
    let store = try store(30) { [20: "1", 25: "2"][$0] ?? "\($0)" }
    let things = store.workspace.fetch(for: Thing.self)
    #expect(things.where(Thing.note == "1").map(\.id) == [1, 20])
    #expect(eventually { store.errors.count == 1 })
    let old = try OldStore(store.path, isIndexed: false)
    try old.delete(20)
    #expect(things.where(Thing.note == "1").map(\.id) == [1])
    try old.update(2, to: Thing(id: 2, note: "new"), indexing: false)
    #expect(
      try eventually {
        _ = things.where(Thing.note == "2")
        return try store.workspace.reliesOnIndexes(of: Thing._record)
      })
    #expect(try store.wrongEntries() == 0)
    #expect(things.where(Thing.note == "2").map(\.id) == [25])
    #expect(store.errors.count <= 2, "\(messages(store))")
  }

  @Test("Duplicates beyond the first ten are reported after those are repaired")
  func furtherDuplicates() throws {
    let store = try store(60) { $0 > 30 ? "\($0 - 30)" : "\($0)" }
    let things = store.workspace.fetch(for: Thing.self)
    #expect(things.where(Thing.note == "1").map(\.id) == [1, 31])
    #expect(eventually { store.errors.count == 1 })
    for id in 31...60 { change(Int64(id), "new \(id)", in: store) }
    #expect(try eventually { try store.workspace.reliesOnIndexes(of: Thing._record) })
    #expect(try store.wrongEntries() == 0)
    #expect(things.where(Thing.note == "1").map(\.id) == [1])
    #expect(store.errors.values.allSatisfy { ($0 as? SQLiteError)?.extendedCode == 2067 })
    #expect(store.errors.count <= 30)
  }

  @Test("Duplicates that are repaired while the index is filled, or come about then, are seen")
  func changedMeanwhile() throws {
    for isRepaired in [true, false] {
      let store = try store(1800) { $0 == 100 ? "1" : "\($0)" }
      let workspace = store.workspace
      func step() throws -> Bool {
        workspace.core.committer.acquireWriter(.transaction)
        defer { workspace.core.committer.releaseWriter() }
        return try workspace.core.database.writer().fillIndexes(Thing._record.indexes.indices, of: Thing._record)
      }
      #expect(try !step())
      let old = try OldStore(store.path, isIndexed: false)
      try old.update(100, to: Thing(id: 100, note: isRepaired ? "100" : "2"), indexing: false)
      while try !step() {}
      #expect(try isMarked(store) == isRepaired)
      #expect(workspace.fetch(for: Thing.self).where(Thing.note == "2").map(\.id) == (isRepaired ? [2] : [2, 100]))
      #expect(eventually { store.errors.count == (isRepaired ? 0 : 1) })
      if isRepaired { #expect(try store.wrongEntries() == 0) }
    }
  }

  @Test(
    "An entry that Dflat 0.6 writes to the unused index prevents no value from being stored", arguments: [false, true])
  func strayEntries(isNew: Bool) throws {
    let store = try store(30) { $0 == 20 ? "1" : "\($0)" }
    #expect(store.workspace.fetch(for: Thing.self).where(Thing.note == "1").map(\.id) == [1, 20])
    #expect(eventually { store.errors.count == 1 })
    // It is told before the transaction commits that empties the index.
    #expect(eventually { (try? store.sql("SELECT count(*) FROM test__thing_v1_1__f14")) == [["0"]] })
    let old = try OldStore(store.path)
    // Row 5 has an entry, and then another value.
    try old.update(5, to: Thing(id: 5, note: "x"), indexing: true)
    try old.update(5, to: Thing(id: 5, note: "y"), indexing: false)
    try old.update(6, to: Thing(id: 6, note: "z"), indexing: true)
    #expect(try store.sql("SELECT * FROM test__thing_v1_1__f14") == [["5", "x"], ["6", "z"]])
    store.perform([Thing.self]) { context in
      do {
        if isNew {
          try context.submit(ThingChangeRequest.creation(Thing(id: 40, note: "x")))
        } else if let request = ThingChangeRequest.change(Thing(id: 6)) {
          request.thing = Thing(id: 6, note: "x")
          try context.submit(request)
        }
      } catch {
        Issue.record(error)
      }
    }
    #expect(store.workspace.fetch(for: Thing.self).where(Thing.note == "x").map(\.id) == [isNew ? 40 : 6])
    #expect(store.errors.count == 1, "\(messages(store))")
  }

  @Test("While duplicates are not repaired, fetches and transactions do not fill the index again")
  func nothingIsTriedInVain() throws {
    let store = try store(1200) { $0 == 1100 ? "7" : "\($0)" }
    let things = store.workspace.fetch(for: Thing.self)
    #expect(things.where(Thing.note == "7").map(\.id) == [7, 1100])
    #expect(try eventually { try store.errors.count == 1 && store.markedIndexes().count == 3 })
    let connection = try store.workspace.core.database.writer().connection
    let before = connection.changeCount
    for id in 1...5 {
      #expect(things.where(Thing.note == "7").map(\.id) == [7, 1100])
      change(Int64(id), "changed \(id)", in: store)
    }
    store.workspace.core.catchUp.stop()
    store.workspace.core.committer.acquireWriter(.transaction)
    // Each change writes its row, and the entries of the other indexes where they differ: none does.
    #expect(connection.changeCount - before <= 5 * 4)
    store.workspace.core.committer.releaseWriter()
    #expect(store.errors.count == 1)
  }
}
