import Dflat
import EngineTestSupport
import FlatBuffersCore
import Foundation
import TestSupport
import Testing

@testable import SQLiteDflat

/// Dflat 0.6 and a workspace change a file in turn. 0.6 keeps the entries of some changes as it does, and of others none.
@Suite("Beside a writer like Dflat 0.6, every query and every refusal is that of a model")
struct ForeignWriteModelTests {
  private static let notes = (0..<14).map { "note \($0)" } + ["\u{E9}", "e\u{301}", ""]

  private final class Run {
    let store: TestStore
    /// What is stored, by the id.
    var model: [Int64: Thing] = [:]
    var generator: PostGenerator
    var nextID: Int64 = 1
    /// How often a unique value was refused, and how often two objects had one.
    var refusals = 0
    var violations = 0

    init(seed: Int) throws {
      store = try TestStore()
      generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    }

    func thing(_ id: Int64) -> Thing {
      Thing(
        id: id, big: UInt64.random(in: 0..<5, using: &generator.random),
        ratio: Double(Int.random(in: 0..<4, using: &generator.random)) / 2, flag: generator.chance(50),
        note: generator.chance(15) ? nil : generator.pick(ForeignWriteModelTests.notes))
    }

    /// The ids of those that have a note, byte for byte.
    func holders(_ note: String?) -> [Int64] {
      guard let note else { return [] }
      return model.values.filter { $0.note.map { $0.utf8.elementsEqual(note.utf8) } ?? false }.map(\.id)
    }

    var hasDuplicates: Bool {
      model.values.contains { holders($0.note).count > 1 }
    }

    // MARK: Dflat 0.6

    func changeByOldVersion(_ comment: Comment) throws {
      let old = try OldStore(store.path, isIndexed: generator.chance(70))
      let indexing = generator.chance(50)
      let rows = old.things.sorted { $0.key < $1.key }
      if rows.count > 20 || !rows.isEmpty && generator.chance(20) {
        let row = generator.pick(rows)
        try old.delete(row.key)
      } else if rows.count < 5 || generator.chance(30) {
        var thing = thing(nextID)
        nextID += 1
        // It refuses a value that has an entry.
        if indexing, try !store.sql("SELECT 1 FROM test__thing_v1_1__f14 WHERE f14 NOTNULL").isEmpty {
          thing = Thing(id: thing.id, big: thing.big, ratio: thing.ratio, flag: thing.flag, note: "note of \(thing.id)")
        }
        do {
          try old.insert(thing, indexing: indexing)
        } catch let refusal as PlainSQL.Failure where indexing && refusal.message.hasPrefix("UNIQUE") {
          // The workspace has filled the index since it was looked at. The row is stored, without an entry.
        }
      } else {
        let row = generator.pick(rows)
        // Sometimes with the primary key of another row.
        let id = generator.chance(15) ? generator.pick(rows).value.id : row.value.id
        try old.update(row.key, to: thing(id), indexing: indexing)
      }
      model = Dictionary(old.things.values.map { ($0.id, $0) }) { first, _ in
        Issue.record("two things have one id, \(comment)")
        return first
      }
    }

    // MARK: The workspace

    /// Whether a unique value is stored already.
    private func isTaken(_ thing: Thing) -> Bool { holders(thing.note).contains { $0 != thing.id } }

    func changeByWorkspace(_ comment: Comment) {
      let ids = model.keys.sorted()
      if hasDuplicates, generator.chance(50) { return repair(comment) }
      if !ids.isEmpty, generator.chance(20) {
        let id = generator.pick(ids)
        model[id] = nil
        return store.perform([Thing.self]) { context in
          guard let request = ThingChangeRequest.deletion(Thing(id: id)) else {
            Issue.record("\(id) is not found, \(comment)")
            return
          }
          context.try(submit: request)
        }
      }
      let isNew = ids.count < 5 || generator.chance(50)
      let thing = thing(isNew ? nextID : generator.pick(ids))
      if isNew { nextID += 1 }
      submit(thing, isNew: isNew, comment)
    }

    private func repair(_ comment: Comment) {
      for thing in model.values.sorted(by: { $0.id < $1.id }) where holders(thing.note).count > 1 {
        submit(
          Thing(id: thing.id, big: thing.big, ratio: thing.ratio, flag: thing.flag, note: "repaired \(thing.id)"),
          isNew: false, comment)
      }
    }

    private func submit(_ thing: Thing, isNew: Bool, _ comment: Comment) {
      let isTaken = isTaken(thing)
      // An index that cannot be built refuses nothing, unless Dflat 0.6 has left it an entry.
      let isEnforced = isTaken && !hasDuplicates
      var isRefused = false
      store.perform([Thing.self]) { context in
        do {
          if isNew {
            try context.submit(ThingChangeRequest.creation(thing))
          } else if let request = ThingChangeRequest.change(Thing(id: thing.id)) {
            request.thing = thing
            try context.submit(request)
          } else {
            Issue.record("\(thing.id) is not found, \(comment)")
          }
        } catch TransactionError.objectAlreadyExists {
          isRefused = true
        } catch {
          Issue.record("\(error), \(comment)")
        }
      }
      #expect(isEnforced ? isRefused : !isRefused || isTaken, "\(thing.note ?? "NULL"), \(comment)")
      if isRefused { refusals += 1 } else { model[thing.id] = thing }
    }

    // MARK: Comparing

    func compare(_ comment: Comment) throws {
      var stored: [Int64: Thing] = [:]
      for row in try StoredRows.read("SELECT rowid, p FROM test__thing_v1_1", in: store.path) {
        guard case .integer(let rowid) = row[0], case .blob(let bytes) = row[1],
          let thing = FlatBufferTable(rootOf: ByteBuffer(bytes)).map({ Thing($0, _rowid: rowid, _commitVersion: 0) })
        else { continue }
        stored[thing.id] = thing
      }
      #expect(stored == model, comment)
      let rows = stored.values.sorted { $0._rowid < $1._rowid }
      let things = store.workspace.fetch(for: Thing.self)
      func expect(
        _ query: QueryExpression<Bool, Thing>, _ text: String, _ holds: (Thing) -> Bool
      ) {
        let expected = rows.filter(holds).map(\.id)
        #expect(things.where(query).map(\.id) == expected, "\(text), \(comment)")
        #expect(things.count(where: query) == expected.count, "\(text), \(comment)")
      }
      for note in ForeignWriteModelTests.notes {
        let ids = Set(holders(note))
        expect(Thing.note == note, "note \(note)") { ids.contains($0.id) }
      }
      for big in 0..<5 as Range<UInt64> { expect(Thing.big == big, "big \(big)") { $0.big == big } }
      for ratio in [0.5, 1, 1.5] { expect(Thing.ratio < ratio, "ratio \(ratio)") { $0.ratio < ratio } }
      expect(Thing.flag, "flag", \.flag)
      let byNumber = rows.sorted { ($0.big, $0._rowid) < ($1.big, $1._rowid) }.map(\.id)
      #expect(
        things.all(limit: .limit(6), orderBy: [Thing.big.ascending]).map(\.id) == Array(byNumber.prefix(6)), comment)
      func precedes(_ lhs: Thing, _ rhs: Thing) -> Bool {
        guard let a = lhs.note, let b = rhs.note, !a.utf8.elementsEqual(b.utf8) else {
          return (lhs.note == nil) == (rhs.note == nil) ? lhs._rowid < rhs._rowid : lhs.note == nil
        }
        return a.utf8.lexicographicallyPrecedes(b.utf8)
      }
      #expect(
        things.all(limit: .limit(6), orderBy: [Thing.note.ascending]).map(\.id)
          == rows.sorted(by: precedes).prefix(6).map(\.id), comment)
    }

    /// Waits until the indexes are verified, but for one that cannot be built.
    func waitUntilVerified(_ comment: Comment) throws {
      let count = hasDuplicates ? 3 : 4
      let isVerified = try eventually {
        _ = store.workspace.fetch(for: Thing.self).where(Thing.note == "a")
        return try store.markedIndexes().count == count && (count == 3 || store.wrongEntries() == 0)
      }
      #expect(isVerified, comment)
    }
  }

  @Test("Queries are right after each of 200 changes, by this runtime and by others in turn", arguments: 1...3)
  func inTurn(seed: Int) throws {
    let run = try Run(seed: seed)
    for step in 0..<200 {
      let comment: Comment = "seed \(seed), step \(step)"
      if step % 2 == 0 { try run.changeByOldVersion(comment) } else { run.changeByWorkspace(comment) }
      if run.hasDuplicates { run.violations += 1 }
      try run.compare(comment)
      if run.generator.chance(40) {
        try run.waitUntilVerified(comment)
        try run.compare(comment)
      }
    }
    #expect(run.refusals > 5 && run.violations > 5)
    // Nothing but duplicates is reported.
    #expect(run.store.errors.values.allSatisfy { ($0 as? SQLiteError)?.purpose == "Filling a unique index" })
  }
}
