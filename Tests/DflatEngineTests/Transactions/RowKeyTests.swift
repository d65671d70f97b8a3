import DflatEngine
import EngineTestSupport
import Golden_post
import Testing

@Suite("Two row keys are equal when SQLite would not let two rows have them")
struct RowKeyTests {
  @Test("NULL is no key, and every other unique value is one")
  func keysOfAnObject() throws {
    #expect(try Thing(id: 1).keys().map(\.index) == [nil])
    // The unique index is the fourth.
    #expect(try Thing(id: 1, note: "").keys().map(\.index) == [nil, 3])
  }

  @Test("Keys differ by each of their columns, and by their bytes alone")
  func equality() throws {
    let things = [
      Thing(id: 1), Thing(id: 2), Thing(id: 1, name: "a"), Thing(id: 1, name: "a\0"), Thing(id: 1, name: "é"),
      Thing(id: 1, name: "e\u{301}"),
    ]
    #expect(try Set(things.map { try $0.primaryKey() }).count == things.count)
    #expect(try Thing(id: 1, big: 5, note: "n").primaryKey() == Thing(id: 1).primaryKey())
    let notes = try [Thing(id: 1, note: "n"), Thing(id: 2, note: "n")].map { try #require($0.keys().last) }
    #expect(notes[0] == notes[1])
    // A text of the primary key is no text of the index.
    #expect(try Post(title: "n").primaryKey() != notes[0])
  }
}
