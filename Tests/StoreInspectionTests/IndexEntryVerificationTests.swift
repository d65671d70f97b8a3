import ConformanceSupport
import Dflat
import FBSParser
import FBSSchema
import FlatBuffersJSON
import Foundation
import Golden_indexes
import SQLiteDflat
import StoreInspection
import TestSupport
import Testing

@Suite("The verification of the entries that the runtime has made in indexes of every kind")
struct IndexEntryVerificationTests {
  private static let key = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  /// A note with something in every index, one with nothing but its title, and one of NaN, equal and extreme elements.
  private static let notes = [
    Note(
      title: "Été", slug: "Ab", code: "X", body: "Straße", tags: ["swift", "Swift", "c"],
      words: ["Café", "CAFE", "tea"], scores: [1, -1], sizes: [.max], ratios: [0.5, .nan], flags: [true],
      moods: [.busy], days: [Date(timeIntervalSince1970: 43_200)], keys: [key], waveform: [7],
      author: Author(name: "Łódź", aliases: ["Ó"]), enclosure: .letter(Letter(languages: ["pl"])),
      place: Place(x: 3), others: ["z"]),
    Note(title: "empty"),
    Note(
      title: "İ", slug: "", kind: "", tags: ["a", "", "a", "\0"], sizes: [0, 1 << 63, .max, UInt64(Int64.max)],
      ratios: [-0.0, 0, .nan, -.infinity], flags: [true, false, true],
      enclosure: .author(Author(name: "É", aliases: ["", "é", "E\u{301}"]))),
  ]

  private static func noteSchema() throws -> Schema {
    let file = packageFolder.appendingPathComponent("Fixtures/indexes/schema.fbs")
    return try schema(String(contentsOf: file, encoding: .utf8))
  }

  /// Calls `body` with the file of a store that has the notes, and complete indexes.
  private func withNotes(_ body: (String) throws -> Void) async throws {
    try await withStoreFile { path in
      let workspace = openWorkspace(path)
      let isStored = await workspace.performChanges([Note.self]) { transaction in
        for note in Self.notes { transaction.try(submit: NoteChangeRequest.creationRequest(note)) }
      }
      #expect(isStored)
      await workspace.shutdown()
      try body(path)
    }
  }

  private func faults(after damage: String) async throws -> [StoreFault] {
    var faults: [StoreFault] = []
    try await withNotes { path in
      try runSQL(damage, on: path, firingTriggers: false)
      faults = try StoreInspector(path, Self.noteSchema()).faults()
    }
    return faults
  }

  @Test("Nothing is reported of a store that the runtime has written, and each of its indexes is verified")
  func rightEntries() async throws {
    try await withNotes { path in
      let inspector = try StoreInspector(path, Self.noteSchema())
      let indexes = try #require(inspector.overview().entries.first { $0.type.name == "Note" }).indexes
      #expect(indexes.count == 23 && indexes.filter { $0.state != .complete }.isEmpty)
      #expect(try inspector.faults().map(\.description) == [])
    }
  }

  /// Statements that damage an index of the store, the end of its name, and the row and message of the first fault.
  private static let damages: [(sql: String, index: String, row: Int64, message: String)] = [
    // Folded texts.
    ("UPDATE note__f4__folded15 SET f4__folded15 = 'été' WHERE rowid = 1", "f4__folded15", 1, entry("title")),
    ("UPDATE note__f12__folded15 SET f12__folded15 = 'straße' WHERE rowid = 1", "f12__folded15", 1, entry("body")),
    ("UPDATE note__f12__folded15 SET f12__folded15 = NULL WHERE rowid = 1", "f12__folded15", 1, entry("body")),
    ("UPDATE note__f12__folded15 SET f12__folded15 = '' WHERE rowid = 2", "f12__folded15", 2, entry("body")),
    ("UPDATE note__f6__folded15 SET f6__folded15 = 'Ab' WHERE rowid = 1", "f6__folded15", 1, entry("slug")),
    ("UPDATE note__f6__folded15 SET f6__folded15 = NULL WHERE rowid = 3", "f6__folded15", 3, entry("slug")),
    ("UPDATE note__f10__folded15 SET f10__folded15 = 'x' WHERE rowid = 2", "f10__folded15", 2, entry("kind")),
    ("DELETE FROM note__f4__folded15 WHERE rowid = 2", "f4__folded15", 2, lacking("title")),
    ("INSERT INTO note__f4__folded15 VALUES (-7, 'x')", "f4__folded15", -7, "the entry has no row"),
    (
      "UPDATE note__f34__f4__folded15 SET f34__f4__folded15 = 'lodz' WHERE rowid = 1", "f34__f4__folded15", 1,
      entry("author.name")
    ),
    (
      "UPDATE note__f38__u2__f4__folded15 SET f38__u2__f4__folded15 = 'é' WHERE rowid = 3", "f38__u2__f4__folded15",
      3, entry("enclosure.Author.name")
    ),
    // Elements: a missing entry, one too many, and wrong ones.
    ("DELETE FROM note__f14__elements WHERE row = 1 AND position = 2", "f14__elements", 1, missing("tags")),
    (
      "DELETE FROM note__f14__elements WHERE row = 1 AND position > 0", "f14__elements", 1,
      "2 elements of `tags` have no entry"
    ),
    ("DELETE FROM note__f14__elements WHERE row = 1", "f14__elements", 1, lacking("tags")),
    ("DELETE FROM note__f14__elements WHERE row = 2", "f14__elements", 2, lacking("tags")),
    ("INSERT INTO note__f14__elements VALUES (1, 3, 'x')", "f14__elements", 1, surplus("tags")),
    ("INSERT INTO note__f14__elements VALUES (1, 3, 'swift')", "f14__elements", 1, surplus("tags")),
    ("INSERT INTO note__f14__elements VALUES (2, 1, '')", "f14__elements", 2, surplus("tags")),
    ("INSERT INTO note__f14__elements VALUES (1, 3, NULL), (1, 4, x'00')", "f14__elements", 1, surplus("tags", 2)),
    ("INSERT INTO note__f14__elements VALUES (-9, 0, 'x')", "f14__elements", -9, "the entry has no row"),
    (
      "INSERT INTO note__f14__elements VALUES (-9, 0, 'x'), (-9, 1, 'y')", "f14__elements", -9,
      "2 entries have no row"
    ),
    (
      "UPDATE note__f14__elements SET position = 5 WHERE row = 1 AND position = 2", "f14__elements", 1,
      "an entry of `tags` is at a wrong position"
    ),
    (
      "UPDATE note__f14__elements SET position = 'x' WHERE row = 2", "f14__elements", 2,
      "an entry of `tags` is at a wrong position"
    ),
    (
      "UPDATE note__f14__elements SET position = position + 1 WHERE row = 3 AND position = 2;"
        + "UPDATE note__f14__elements SET position = 2 WHERE row = 3 AND position = 1;", "f14__elements", 3,
      "2 entries of `tags` are at wrong positions"
    ),
    (
      "UPDATE note__f28__elements SET f28__elements = 1 WHERE row = 1", "f28__elements", 1, missing("days"),
    ),
    (
      "UPDATE note__f20__elements SET f20__elements = x'8000000000000001' WHERE row = 3 AND position = 2",
      "f20__elements", 3, missing("sizes")
    ),
    (
      "UPDATE note__f22__elements SET f22__elements = NULL WHERE row = 3 AND position = 0", "f22__elements", 3,
      missing("ratios")
    ),
    (
      "UPDATE note__f14__elements SET f14__elements = 'x' WHERE row = 2", "f14__elements", 2,
      "the entry NULL of `tags`, which has no values, is missing"
    ),
    // Folded elements.
    (
      "UPDATE note__f16__elements__folded15 SET f16__elements__folded15 = 'café' WHERE row = 1 AND position = 0",
      "f16__elements__folded15", 1, missing("words")
    ),
    (
      "INSERT INTO note__f16__elements__folded15 VALUES (1, 2, 'CAFE')", "f16__elements__folded15", 1,
      surplus("words")
    ),
    (
      "UPDATE note__f38__u2__f6__elements__folded15 SET f38__u2__f6__elements__folded15 = 'é' WHERE row = 3 "
        + "AND position = 1", "f38__u2__f6__elements__folded15", 3, missing("enclosure.Author.aliases")
    ),
    // A row that is gone.
    ("DELETE FROM note WHERE rowid = 2", "f14__elements", 2, "the entry has no row"),
  ]

  @Test("Each kind of wrong entry is reported once, with its row and its field")
  func wrongEntries() async throws {
    try await withNotes { path in
      let store = try Data(contentsOf: URL(fileURLWithPath: path))
      for (number, damage) in Self.damages.enumerated() {
        let path = "\(path)-\(number)"
        try store.write(to: URL(fileURLWithPath: path))
        try runSQL(damage.sql, on: path, firingTriggers: false)
        let faults = try StoreInspector(path, Self.noteSchema()).faults()
        #expect(faults.contains { !$0.isFault } == false, "\(damage.sql)")
        let found = faults.filter { $0.table == "note__" + damage.index }
        #expect(
          found.first?.row == damage.row && found.first?.message == damage.message, "\(damage.sql): \(faults)")
        // A changed value is missing, and one entry is too many.
        let isReplaced =
          damage.sql.hasPrefix("UPDATE") && damage.index.contains("elements") && !damage.message.contains("position")
        #expect(found.count == (isReplaced ? 2 : 1), "\(damage.sql): \(faults)")
        if isReplaced { #expect(found.last?.message.hasPrefix("an entry of `") == true, "\(faults)") }
        // A row that is gone has entries in all indexes.
        let isRowGone = damage.sql.hasPrefix("DELETE FROM note WHERE")
        #expect(isRowGone || found.count == faults.count, "\(damage.sql): \(faults)")
      }
    }
  }

  private static func entry(_ field: String) -> String { "the entry of `\(field)` is not that of the object's bytes" }
  private static func lacking(_ field: String) -> String { "the row has no entry in the index of `\(field)`" }
  private static func missing(_ field: String) -> String { "an element of `\(field)` has no entry" }
  private static func surplus(_ field: String, _ count: Int = 1) -> String {
    count == 1
      ? "an entry of `\(field)` is not that of an element" : "\(count) entries of `\(field)` are not those of elements"
  }

  @Test("A wrong entry of an element is a remark while the runtime does not rely on the index")
  func unverifiedIndex() async throws {
    let faults = try await faults(
      after: """
        DELETE FROM note__f14__elements WHERE row = 2;
        UPDATE note__f14__elements SET f14__elements = 'x' WHERE row = 1 AND position = 0;
        DROP TRIGGER verified__note__f14__elements;
        """)
    #expect(
      faults.map(\.description) == [
        "note__f14__elements, row 1: \(Self.missing("tags")), in an index that is unverified and so not used",
        "note__f14__elements, row 1: \(Self.surplus("tags")), in an index that is unverified and so not used",
      ])
    #expect(faults.contains { $0.isFault } == false)
  }

  @Test("An index of elements whose table lacks the position cannot be read, and nothing else is concerned")
  func missingColumn() async throws {
    try await withNotes { path in
      try runSQL(
        """
        DROP TABLE note__f14__elements;
        CREATE TABLE note__f14__elements (row INTEGER, f14__elements TEXT);
        """, on: path)
      let overview = try StoreInspector(path, Self.noteSchema()).overview()
      #expect(overview.failures.map(\.table) == ["note__f14__elements"])
      #expect(overview.failures.first?.error.description.contains("no column `position`") == true)
    }
  }

  @Test("A string that its row lacks has its default, and so has its folded entry")
  func defaults() async throws {
    try await withNotes { path in
      let schema = try Self.noteSchema()
      let converter = FlatBufferJSON(schema)
      let root = try #require(converter.layouts.table(named: "Note"))
      let text = try String(
        contentsOf: packageFolder.appendingPathComponent("Fixtures/indexes/schema.fbs"), encoding: .utf8)
      let resolver = ObjectResolver(inputs: ["schema.fbs"], provider: SchemaTexts([("schema.fbs", text)]))
      let object = resolver.resolve(json: Array("{ title: \"empty\" }".utf8), path: "data.json", as: root).object
      let bytes = try converter.binary(from: #require(object)).bytes
      let hexadecimal = bytes.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
      try runSQL("UPDATE note SET p = x'\(hexadecimal)' WHERE rowid = 2", on: path, firingTriggers: false)
      #expect(try StoreInspector(path, schema).faults().map(\.description) == [])
      let member = try #require(converter.layouts[root].member(named: "kind"))
      let kind = try converter.object(bytes, as: root).value(at: FlatBuffersJSON.FieldPath([.field(root, member)]))
      #expect(kind == .text(Array("draft".utf8)))
    }
  }
}
