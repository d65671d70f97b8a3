import EngineTestSupport
import Dflat
import Foundation
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Queries are right, however wrong an index without a mark is, and the index is repaired")
struct IndexCorruptionTests {
  private static let keys = ["f8", "f10", "f12", "f14"]

  /// Makes entries wrong, takes some away, and adds some that have no row. Now and then all looks complete.
  private func corrupt(_ store: TestStore, _ generator: inout PostGenerator) throws {
    for key in IndexCorruptionTests.keys {
      let table = "test__thing_v1_1__\(key)"
      try store.sql("DROP TRIGGER IF EXISTS verified__\(table)")
      for _ in 0..<generator.pick([0, 1, 3, 20]) {
        let row = Int.random(in: 1...90, using: &generator.random)
        let other = Int.random(in: 1...90, using: &generator.random)
        // What a unique index refuses is passed over.
        try store.sql(
          generator.pick([
            "UPDATE OR IGNORE \(table) SET \(key) = (SELECT \(key) FROM \(table) WHERE rowid = \(other)) WHERE rowid = \(row)",
            "UPDATE OR REPLACE \(table) SET \(key) = (SELECT \(key) FROM \(table) WHERE rowid = \(other)) WHERE rowid = \(row)",
            "UPDATE OR IGNORE \(table) SET \(key) = x'0000000000000001' WHERE rowid = \(row)",
            "UPDATE OR IGNORE \(table) SET \(key) = 'text \(other)' WHERE rowid = \(row)",
            "UPDATE \(table) SET \(key) = NULL WHERE rowid = \(row)",
            "UPDATE OR IGNORE \(table) SET rowid = \(row) WHERE rowid = \(other)",
            "DELETE FROM \(table) WHERE rowid = \(row)",
            "INSERT OR IGNORE INTO \(table) (rowid) VALUES (\(row)), (\(row - 90)), (\(row + 90))",
            "DELETE FROM \(table) WHERE rowid > (SELECT max(rowid) FROM test__thing_v1_1)",
          ]))
      }
    }
  }

  private func change(_ store: TestStore, in workspace: SQLiteWorkspace, _ generator: inout PostGenerator) {
    let stored = Array(workspace.fetch(for: Thing.self).all())
    var changes: [ThingChange] = []
    for _ in 0..<generator.pick([1, 3, 8]) {
      let id = Int64.random(in: 0..<100, using: &generator.random)
      let thing = Thing(
        id: id, big: generator.pick(EdgeValueTests.unsigned), ratio: generator.pick(EdgeValueTests.reals),
        flag: generator.chance(50), note: generator.chance(30) ? nil : generator.title())
      changes.append(generator.chance(25) && !stored.isEmpty ? .delete(generator.pick(stored)) : .store(thing))
    }
    store.perform([Thing.self], in: workspace) { context in
      for change in changes {
        do {
          switch change {
          case .delete(let thing):
            if let request = ThingChangeRequest.deletion(thing) { try context.submit(request) }
          case .store(let thing): try context.submit(ThingChangeRequest.upsert(thing))
          }
        } catch TransactionError.objectAlreadyExists {
          // Another thing has the note.
        } catch {
          Issue.record(error)
        }
      }
    }
  }

  private enum ThingChange {
    case store(Thing)
    case delete(Thing)
  }

  /// Compares what each index finds with what is stored.
  private func query(_ workspace: SQLiteWorkspace, _ generator: inout PostGenerator, _ comment: Comment) {
    let things = workspace.fetch(for: Thing.self)
    let all = Array(things.all())
    let big = generator.pick(EdgeValueTests.unsigned)
    let ratio = generator.pick(EdgeValueTests.reals)
    let note = generator.pick(all.map(\.note) + ["text 7"])
    func expect(_ query: QueryExpression<Bool, Thing>, _ holds: (Thing) -> Bool) {
      let expected = all.filter(holds).map(\._rowid)
      #expect(things.where(query).map(\._rowid) == expected, comment)
      #expect(things.count(where: query) == expected.count, comment)
      #expect(things.where(query, limit: .limit(2)).map(\._rowid) == Array(expected.prefix(2)), comment)
    }
    expect(Thing.big == big) { $0.big == big }
    expect(Thing.ratio <= ratio) { $0.ratio <= ratio }
    expect(Thing.flag) { $0.flag }
    expect(Thing.note.isNull) { $0.note == nil }
    if let note { expect(Thing.note == note) { $0.note.map { Array($0.utf8) } == Array(note.utf8) } }
  }

  @Test(
    "Random queries are right after random corruptions and changes, in one workspace after the other",
    arguments: LongForm.seeds(12))
  func random(seed: Int) throws {
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    let store = try TestStore()
    PageTests.fill(store, &generator)
    store.workspace.shutdown()
    for round in 0..<8 {
      let comment = Comment(rawValue: "seed \(seed), round \(round)")
      try corrupt(store, &generator)
      let workspaces = (0..<generator.pick([1, 1, 2])).map { _ in store.reopened() }
      for _ in 0..<6 {
        let workspace = generator.pick(workspaces)
        if generator.chance(50) { change(store, in: workspace, &generator) }
        query(workspace, &generator, comment)
      }
      if generator.chance(60) {
        // A fetch that misses an index has it verified.
        let isRight = try eventually {
          query(workspaces[0], &generator, comment)
          return try workspaces[0].reliesOnIndexes(of: Thing._record)
        }
        #expect(isRight, comment)
        #expect(try store.wrongEntries() == 0, comment)
        query(workspaces[0], &generator, comment)
      }
      for workspace in workspaces { workspace.shutdown() }
    }
    #expect(store.errors.values.isEmpty, "seed \(seed): \(store.errors.values)")
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }
}
