import EngineTestSupport
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("A row that counts as unchanged has not changed")
struct RowVersionsTests {
  private static let post = ObjectIdentifier(Post._record)
  private static let thing = ObjectIdentifier(Thing._record)

  @Test("A change is noticed at its own version, and not at the next one")
  func changedRow() {
    var versions = RowVersions(horizon: 10)
    #expect(versions.isUnchanged(Self.post, 1, since: 10))
    versions.noteChange(of: Self.post, 1, at: 12)
    #expect(!versions.isUnchanged(Self.post, 1, since: 11))
    // An object that was read at version 12 may have been read before the commit that ends it, or after.
    #expect(!versions.isUnchanged(Self.post, 1, since: 12))
    #expect(versions.isUnchanged(Self.post, 1, since: 13))
  }

  @Test("A change does not concern the neighbouring rows")
  func neighbouringRows() {
    var versions = RowVersions(horizon: 1)
    versions.noteChange(of: Self.post, 100, at: 1)
    for row in Int64(1)...200 where row != 100 { #expect(versions.isUnchanged(Self.post, row, since: 1)) }
  }

  @Test("While rows are changed one after another, those to come are known to be unchanged")
  func rowsInOrder() {
    var versions = RowVersions(horizon: 1)
    var unknown = 0
    for row in Int64(1)...50_000 {
      if !versions.isUnchanged(Self.post, row, since: 1) { unknown += 1 }
      versions.noteChange(of: Self.post, row, at: 1)
    }
    #expect(unknown == 0)
  }

  @Test("Nothing is known of versions before the horizon")
  func horizon() {
    var versions = RowVersions(horizon: 5)
    #expect(!versions.isUnchanged(Self.post, 1, since: 4))
    #expect(!versions.isUnchanged(Self.post, 1, since: 0))
    versions.forget(before: 8)
    #expect(!versions.isUnchanged(Self.post, 1, since: 7))
    #expect(versions.isUnchanged(Self.post, 1, since: 8))
  }

  /// It may say false of a row that nobody has changed, when two rows share a slot.
  @Test("However many rows change, no changed row is said to be unchanged", arguments: 1...4)
  func randomChanges(seed: Int) {
    struct Row: Hashable {
      let type: ObjectIdentifier
      let rowid: Int64
    }
    var random = SeededGenerator(seed: UInt64(seed))
    var version: UInt64 = 1
    var horizon: UInt64 = 1
    var versions = RowVersions(horizon: horizon)
    var changed: [Row: UInt64] = [:]
    var wrong = 0
    var known = (unchanged: 0, said: 0)
    // Few rows at first, then as many as make the versions grow several times.
    for (changes, rows) in [(300, 40), (3000, 1000), (40_000, 100_000)] {
      func randomRow() -> Row {
        Row(
          type: Bool.random(using: &random) ? Self.post : Self.thing,
          rowid: Int64.random(in: 1...Int64(rows), using: &random))
      }
      func check(_ row: Row, since asked: UInt64) {
        let isUnchanged = asked >= horizon && (changed[row] ?? 0) < asked
        let said = versions.isUnchanged(row.type, row.rowid, since: asked)
        if said, !isUnchanged { wrong += 1 }
        if isUnchanged { known.unchanged += 1 }
        if isUnchanged, said { known.said += 1 }
      }
      for _ in 0..<changes {
        let row = randomRow()
        versions.noteChange(of: row.type, row.rowid, at: version)
        changed[row] = version
        if Int.random(in: 0..<3, using: &random) == 0 { version += 1 }
        if Int.random(in: 0..<5000, using: &random) == 0 {
          version += 1
          horizon = version
          versions.forget(before: version)
        }
        check(randomRow(), since: UInt64.random(in: 0...version, using: &random))
        check(row, since: version)
      }
      for (row, last) in changed {
        check(row, since: last)
        check(row, since: last + 1)
      }
    }
    #expect(wrong == 0)
    // Or else nobody would have to keep any versions.
    #expect(known.said * 2 > known.unchanged, "\(known)")
  }
}
