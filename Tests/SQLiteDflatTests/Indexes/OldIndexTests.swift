import EngineTestSupport
import Dflat
import Foundation
import Golden_contents
import Golden_structs
import Testing

@testable import SQLiteDflat

/// Dflat 0.6 leaves entries that are wrong or missing, where it has changed rows while an index was half built; and then the index
/// has an entry for the last row, as a complete one has.
@Suite("Queries are right beside indexes that Dflat 0.6 has left wrong, and those are repaired")
struct OldIndexTests {
  private static let tables = ["f10", "f12", "f14", "f8"].map { "test__thing_v1_1__\($0)" }

  private static func thing(_ id: Int, note: String? = nil) -> Thing {
    Thing(
      id: Int64(id), big: UInt64(id % 10), ratio: Double(id % 7) / 2, flag: id % 3 == 0, note: note ?? "note \(id)")
  }

  /// A file in which wrong entries, missing ones, and ones without a row stand in every index.
  private static func file(_ path: String) throws {
    let old = try OldStore(path, isIndexed: false)
    for id in 1...60 { try old.insert(thing(id), indexing: false) }
    try old.addIndexes()
    try old.buildIndexes(limit: 40)
    // Their entries stay as they are.
    for id in 5...14 { try old.update(Int64(id), to: thing(id + 100), indexing: false) }
    try old.buildIndexes()
    // One of its connections takes the indexes for half built, another one does not.
    for id in 61...70 { try old.insert(thing(id), indexing: false) }
    for id in 71...80 { try old.insert(thing(id), indexing: true) }
  }

  /// What queries by each index find, and ought to.
  private static func check(_ workspace: SQLiteWorkspace, _ comment: Comment) {
    let things = workspace.fetch(for: Thing.self)
    let all = things.all().map(\.self)
    #expect(all.count == 80, comment)
    func expect(
      _ query: QueryExpression<Bool, Thing>, _ holds: (Thing) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let expected = all.filter(holds).map(\.id)
      #expect(things.where(query).map(\.id) == expected, comment, sourceLocation: sourceLocation)
      #expect(things.count(where: query) == expected.count, comment, sourceLocation: sourceLocation)
      #expect(things.exists(where: query) == !expected.isEmpty, comment, sourceLocation: sourceLocation)
      #expect(
        things.where(query, limit: .limit(3)).map(\.id) == Array(expected.prefix(3)), comment,
        sourceLocation: sourceLocation)
    }
    for number in 0..<10 { expect(Thing.big == UInt64(number)) { $0.big == UInt64(number) } }
    for number in 0..<7 { expect(Thing.ratio < Double(number) / 2) { $0.ratio < Double(number) / 2 } }
    expect(Thing.flag) { $0.flag }
    for id in [5, 14, 20, 60, 65, 70, 80, 105, 114] { expect(Thing.note == "note \(id)") { $0.note == "note \(id)" } }
    let byNumber = all.sorted { ($0.big, $0._rowid) < ($1.big, $1._rowid) }.map(\.id)
    #expect(things.all(orderBy: [Thing.big.ascending]).map(\.id) == byNumber, comment)
    let first = things.all(limit: .limit(9), orderBy: [Thing.big.ascending])
    #expect(first.map(\.id) == Array(byNumber.prefix(9)), comment)
  }

  @Test("Each query is answered rightly at once, and the indexes are right soon after")
  func rightAtOnce() throws {
    let store = try TestStore(prepare: OldIndexTests.file)
    #expect(try store.wrongEntries() > 50)
    #expect(try store.markedIndexes() == [])
    OldIndexTests.check(store.workspace, "at once")
    store.workspace.fetchWithinASnapshot { OldIndexTests.check(store.workspace, "in a snapshot") }
    #expect(try eventually { try store.markedIndexes() == OldIndexTests.tables })
    #expect(try store.wrongEntries() == 0)
    OldIndexTests.check(store.workspace, "when they are verified")
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A transaction fetches the right objects from an index of Dflat 0.6, before and after it writes")
  func aTransactionSeesTheRightObjectsBeforeAndAfterItWrites() throws {
    let store = try TestStore(prepare: OldIndexTests.file)
    store.perform([Thing.self]) { context in
      OldIndexTests.check(store.workspace, "before it writes")
      context.try(submit: ThingChangeRequest.creation(Thing(id: 1000)))
      ThingChangeRequest.deletion(Thing(id: 1000)).map { _ = context.try(submit: $0) }
      OldIndexTests.check(store.workspace, "after it has written")
    }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("An index that was verified is used when the file is opened again, and is not verified again")
  func theMarkStays() throws {
    let store = try TestStore(prepare: OldIndexTests.file)
    OldIndexTests.check(store.workspace, "at once")
    #expect(try eventually { try store.markedIndexes() == OldIndexTests.tables })
    store.workspace.shutdown(flags: .truncate)
    for _ in 0..<2 {
      let workspace = store.reopened()
      #expect(try workspace.reliesOnIndexes(of: Thing._record))
      let version = workspace.core.sequence.version
      OldIndexTests.check(workspace, "opened again")
      workspace.core.catchUp.stop()
      #expect(workspace.core.sequence.version == version, "something was committed")
      workspace.shutdown(flags: [.vacuum, .truncate])
    }
  }

  // MARK: Unique indexes

  @Test("A unique index refuses what is stored, and nothing else, from the first transaction on")
  func aUniqueIndex() throws {
    let store = try TestStore(prepare: OldIndexTests.file)
    store.perform([Thing.self]) { context in
      // The value of an entry that is wrong, and one whose entry is missing.
      context.try(submit: ThingChangeRequest.creation(Thing(id: 1001, note: "note 5")))
      for note in ["note 105", "note 65", "note 20"] {
        #expect(throws: TransactionError.objectAlreadyExists) {
          try context.submit(ThingChangeRequest.creation(Thing(id: 1002, note: note)))
        }
      }
    }
    #expect(store.workspace.fetch(for: Thing.self).where(Thing.note == "note 5").map(\.id) == [1001])
    #expect(store.workspace.fetch(for: Thing.self).count() == 81)
    #expect(try store.markedIndexes().contains("test__thing_v1_1__f14"))
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("Rows get their right entries, although wrong entries of a unique index are in the way")
  func entriesInEachOthersWay() throws {
    let store = try TestStore { path in
      let old = try OldStore(path)
      for id in 1...9 { try old.insert(OldIndexTests.thing(id), indexing: true) }
      // Round in a circle, and to and fro.
      for (id, other) in [(1, 2), (2, 3), (3, 1), (4, 9), (9, 4)] {
        try old.update(Int64(id), to: OldIndexTests.thing(id, note: "note \(other)"), indexing: false)
      }
    }
    #expect(store.workspace.fetch(for: Thing.self).where(Thing.note == "note 9").map(\.id) == [4])
    #expect(try eventually { try store.markedIndexes() == OldIndexTests.tables })
    #expect(try store.wrongEntries() == 0)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("Two rows with one unique value, the second without an entry, are reported and both found")
  func violated() throws {
    let store = try TestStore { path in
      let old = try OldStore(path, isIndexed: false)
      for id in 1...20 { try old.insert(OldIndexTests.thing(id, note: "note \(id % 19)"), indexing: false) }
      try old.addIndexes()
      try old.buildIndexes()
      try old.insert(OldIndexTests.thing(21), indexing: true)
    }
    let things = store.workspace.fetch(for: Thing.self)
    #expect(things.where(Thing.note == "note 1").map(\.id) == [1, 20])
    #expect(eventually { store.errors.count == 1 })
    #expect(things.where(Thing.note == "note 1").map(\.id) == [1, 20])
    #expect(try eventually { try store.markedIndexes().count == 3 })
    #expect((store.errors.values.first as? SQLiteError)?.purpose == "Filling a unique index")
  }

  // MARK: Unions

  @Test("Indexes of a union's type and members answer rightly while wrong, and are repaired")
  func indexesOfAUnionAndOfItsMembers() throws {
    let store = try TestStore()
    let covers: [Item?] = [.note(Note(text: "a", stars: 3)), .warning(Note(stars: 4)), .link("b"), nil]
    store.perform([Page.self]) { context in
      for number in 0..<40 {
        context.try(
          submit: PageChangeRequest.creationRequest(
            Page(number: Int32(number), extras: [], letter: [], cover: covers[number % 4])))
      }
    }
    store.workspace.shutdown()
    for key in ["f8__type", "f8__u1__f6", "f8__u2__f6"] {
      // Each entry but that of the last row is another row's, or gone.
      try store.sql(
        """
        DROP TRIGGER verified__page__\(key);
        UPDATE page__\(key) SET \(key) = (SELECT o.\(key) FROM page__\(key) AS o WHERE o.rowid = page__\(key).rowid + 1)
          WHERE rowid < 20;
        DELETE FROM page__\(key) WHERE rowid BETWEEN 25 AND 30
        """)
    }
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    let pages = workspace.fetch(for: Page.self)
    func check() {
      func numbers(_ kind: Int...) -> [Int32] { (0..<40).filter { kind.contains($0 % 4) }.map(Int32.init) }
      #expect(pages.where(Page.cover.match(Note.self)).map(\.number) == numbers(0, 1))
      #expect(pages.where(Page.cover.isNull).map(\.number) == numbers(3))
      #expect(pages.where(Page.cover.as(note: Note.self).stars == 3).map(\.number) == numbers(0))
    }
    check()
    #expect(try eventually { try store.markedIndexes().count == 3 })
    check()
    #expect(try workspace.reliesOnIndexes(of: Page._record))
    #expect(
      try store.sql("SELECT group_concat(ifnull(f8__type, '-'), '') FROM (SELECT * FROM page__f8__type ORDER BY rowid)")
        == [[String(repeating: "1210-", count: 10)]])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  // MARK: To and fro

  /// The mark says that entries were right, not that they are: a version without the indexes changes none of them.
  @Test("An index is verified again after Dflat 0.6 has stored objects, even if it is right")
  func writtenByAVersionWithoutTheIndexes() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 1...80 { context.try(submit: ThingChangeRequest.creation(OldIndexTests.thing(id))) }
    }
    store.workspace.shutdown()
    #expect(try store.markedIndexes() == OldIndexTests.tables)
    let old = try OldStore(store.path, isIndexed: false)
    for id in 5...14 { try old.update(Int64(id), to: OldIndexTests.thing(id + 100), indexing: false) }
    try old.delete(80)
    try old.insert(OldIndexTests.thing(80), indexing: false)
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    OldIndexTests.check(workspace, "at once")
    #expect(try eventually { try store.markedIndexes() == OldIndexTests.tables && store.wrongEntries() == 0 })
    OldIndexTests.check(workspace, "when they are verified")
  }

  @Test("An index that Dflat 0.6 has continued to build is verified before it is used")
  func goneOnWith() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 1...80 { context.try(submit: ThingChangeRequest.creation(OldIndexTests.thing(id))) }
    }
    store.workspace.shutdown()
    // Half built, as a workspace leaves it that is shut down meanwhile.
    for table in OldIndexTests.tables {
      try store.sql("DROP TRIGGER verified__\(table); DELETE FROM \(table) WHERE rowid > 40")
    }
    let old = try OldStore(store.path)
    for id in 5...14 { try old.update(Int64(id), to: OldIndexTests.thing(id + 100), indexing: false) }
    try old.buildIndexes()
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    OldIndexTests.check(workspace, "at once")
    #expect(try eventually { try store.markedIndexes() == OldIndexTests.tables })
    #expect(try store.wrongEntries() == 0)
  }

  @Test("An index loses its mark as soon as its verification begins again, so that Dflat 0.6 can continue it")
  func goneOnWithAfterAMark() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 1...1200 { context.try(submit: ThingChangeRequest.creation(OldIndexTests.thing(id))) }
    }
    store.workspace.shutdown()
    do {
      let old = try OldStore(store.path, isIndexed: false)
      for id in 700...720 { try old.update(Int64(id), to: OldIndexTests.thing(id + 10_000), indexing: false) }
      try old.insert(OldIndexTests.thing(1201), indexing: false)
    }
    let first = store.reopened()
    #expect(try !first.core.database.writer().fillIndexes(Thing._record.indexes.indices, of: Thing._record))
    first.shutdown()
    try OldStore(store.path).buildIndexes()
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    let things = workspace.fetch(for: Thing.self)
    #expect(things.where(Thing.note == "note 10710").map(\.id) == [10_710])
    #expect(things.count(where: Thing.note == "note 710") == 0)
    #expect(try eventually { try store.markedIndexes() == OldIndexTests.tables })
    #expect(try store.wrongEntries() == 0)
  }

  @Test("After Dflat 0.6 writes to a file with marked indexes, they are not relied on until they are verified")
  func dflat06WritesToAFileWithMarks() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 1...80 { context.try(submit: ThingChangeRequest.creation(OldIndexTests.thing(id))) }
    }
    store.workspace.shutdown()
    let old = try OldStore(store.path)
    for id in 5...14 { try old.update(Int64(id), to: OldIndexTests.thing(id + 100), indexing: true) }
    try old.delete(80)
    try old.insert(OldIndexTests.thing(80), indexing: true)
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    #expect(try !workspace.reliesOnIndexes(of: Thing._record))
    #expect(try store.wrongEntries() == 0)
    OldIndexTests.check(workspace, "at once")
    #expect(try eventually { try workspace.reliesOnIndexes(of: Thing._record) })
    OldIndexTests.check(workspace, "when they are verified")
    #expect(try store.wrongEntries() == 0)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}

extension SQLiteWorkspace {
  /// Whether fetches use all indexes of a type.
  func reliesOnIndexes(of record: RecordDescription) throws -> Bool {
    guard let connection = try core.database.acquireReader(.fetch, inTransaction: false) else { return false }
    defer { core.database.release(connection, .fetch) }
    let reader = connection.reader(for: record)
    return try record.indexes.indices.allSatisfy { try reader.isComplete(index: $0) }
  }
}
