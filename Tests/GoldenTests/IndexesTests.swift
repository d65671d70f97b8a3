import Dflat
import FBSSchema
import Foundation
import Golden_indexes
import SQLiteDflat
import TestSupport
import Testing

@Suite("The output for indexes of values, of folded texts and of elements")
struct IndexesTests {
  private static let noon = Date(timeIntervalSince1970: 43_200)
  private static let key = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  private static let note = Note(
    title: "Été", slug: "Ab", code: "X", body: "Straße", tags: ["Swift", "swift"], words: ["Café"], scores: [1, -1],
    sizes: [.max], ratios: [0.5, .nan], flags: [true], moods: [.busy], days: [noon], keys: [key], waveform: [7],
    author: Author(name: "Łódź", aliases: ["Ó"]), enclosure: .letter(Letter(languages: ["pl"])), place: Place(x: 3),
    others: ["z"])

  @Test("The indexes are called on disk as the layout of files says, and those that are unique are three")
  func names() {
    let indexes = Note._record.indexes
    #expect(
      indexes.map(\.key) == [
        "f4__folded15", "f6", "f6__folded15", "f8", "f8__folded15", "f10__folded15", "f12__folded15", "f14__elements",
        "f16__elements__folded15", "f18__elements", "f20__elements", "f22__elements", "f24__elements", "f26__elements",
        "f28__elements", "f30__elements", "f32__elements", "f34__f4__folded15", "f34__f6__elements__folded15",
        "f38__u1__f6__elements", "f38__u2__f4__folded15", "f38__u2__f6__elements__folded15", "f40__f0",
      ])
    #expect(indexes.filter(\.isUnique).map(\.key) == ["f6__folded15", "f8"])
    #expect(indexes.first { $0.key == "f34__f6__elements__folded15" }?.name == "author.aliases")
  }

  @Test("The compiler gives indexes the names that the runtime gives them")
  func agreement() {
    let field = RecordField(.root, .string, at: 6)
    let vector = RecordVector(.root, .value(.string), at: 6)
    let names = [
      RecordIndex(field), RecordIndex(field, folded: true), RecordIndex(elementsOf: vector),
      RecordIndex(elementsOf: vector, folded: true),
    ].map(\.key)
    #expect(names == [IndexKind.Entries.value, .foldedText, .elements, .foldedElements].map { "f6" + $0.keySuffix })
  }

  @Test("A field that is unique by its folded text is a key: an object with another slug has other keys")
  func keys() {
    func hasSameKeys(_ change: (inout NoteBuilder) -> Void) -> Bool {
      var builder = NoteBuilder(Self.note)
      change(&builder)
      return NoteChangeRequest._hasSameKeys(Self.note, builder.build())
    }
    #expect(hasSameKeys { $0.body = "other" })
    #expect(hasSameKeys { $0.tags = [] })
    #expect(!hasSameKeys { $0.slug = "aB" })
    #expect(!hasSameKeys { $0.code = nil })
    #expect(!hasSameKeys { $0.title = "ete" })
  }

  @Test("A field or vector with an index is asked for as one without")
  func conditions() {
    func holds(_ query: QueryExpression<Bool, Note>) -> Bool? { query.evaluate(Self.note) }
    #expect(holds(Note.title.folded == "ete") == true)
    #expect(holds(Note.slug == "ab") == false)
    #expect(holds(Note.slug.folded == "ab") == true)
    #expect(holds(Note.code.folded.in(["x", "y"])) == true)
    #expect(holds(Note.kind.folded == "DRAFT") == true)
    #expect(holds(Note.body.folded.hasPrefix("STRASS")) == true)
    #expect(holds(Note.tags.contains("swift")) == true)
    #expect(holds(Note.tags.contains("SWIFT")) == false)
    #expect(holds(Note.words.contains { $0.folded == "cafe" }) == true)
    #expect(holds(Note.scores.contains { $0 > 1 || $0 < 0 }) == true)
    #expect(holds(Note.sizes.contains(.max)) == true)
    #expect(holds(Note.ratios.contains(anyOf: [0.25, 0.5])) == true)
    #expect(holds(Note.flags.contains(false)) == false)
    #expect(holds(Note.moods.contains(.busy)) == true)
    #expect(holds(Note.days.contains(Self.noon)) == true)
    #expect(holds(Note.keys.contains(Self.key)) == true)
    #expect(holds(Note.waveform.contains(7)) == true)
    #expect(holds(Note.author.name.folded == "łodz") == true)
    #expect(holds(Note.author.aliases.contains { $0.folded == "o" }) == true)
    #expect(holds(Note.enclosure.as(Letter.self).languages.contains("pl")) == true)
    #expect(holds(Note.enclosure.as(Letter.self).text == nil) == true)
    #expect(holds(Note.enclosure.as(Author.self).aliases.contains("Ó")) == false)
    #expect(holds(Note.place.x == 3 && Note.place.y == 0) == true)
    #expect(holds(Note.others.contains("z")) == true)
  }

  /// Random notes, of few texts, so that many hold equal ones.
  private func notes(_ count: Int) -> [Note] {
    var random = SeededGenerator(seed: 15)
    let texts = ["", "a", "A", "é", "E", "Straße", "STRASSE", "z"]
    func some<Value>(_ values: [Value]) -> [Value] {
      (0..<random.pick([0, 1, 2, 4])).map { _ in random.pick(values) }
    }
    return (0..<count).map { number in
      var builder = NoteBuilder(Note(title: "\(random.pick(texts)) \(number)"))
      builder.code = "code \(number)"
      builder.kind = random.pick(texts)
      builder.body = random.pick(texts + [nil])
      builder.tags = some(texts)
      builder.words = some(texts)
      builder.scores = some([.min, -1, 0, 1, .max])
      builder.sizes = some([0, 1 << 63, .max])
      builder.ratios = some([-0.0, 0, 0.5, .nan, .infinity])
      builder.flags = some([true, false])
      builder.moods = some([.calm, .busy])
      builder.days = some([Self.noon, Date(timeIntervalSince1970: 0)])
      builder.keys = some([Self.key])
      builder.waveform = some([-1, 0, 7])
      if random.once(in: 2) { builder.author = Author(name: random.pick(texts), aliases: some(texts)) }
      switch random.next(3) {
      case 0: builder.enclosure = .letter(Letter(languages: some(texts)))
      case 1: builder.enclosure = .author(Author(name: random.pick(texts), aliases: some(texts)))
      default: break
      }
      return builder.build()
    }
  }

  @Test("A store finds the same objects by every index as by looking at each object")
  func stored() async throws {
    let store = SQLiteWorkspace.temporary()
    defer { store.shutdown() }
    let notes = notes(300)
    let isStored = await store.performChanges([Note.self]) { transaction in
      for note in notes { transaction.try(submit: NoteChangeRequest.creationRequest(note)) }
    }
    #expect(isStored)
    let conditions: [QueryExpression<Bool, Note>] = [
      Note.title.folded.hasPrefix("STRASSE"), Note.slug.folded == "x", Note.slug.isNull, Note.code == "code 3",
      Note.code.folded == "CODE 3", Note.kind.folded == "e", Note.kind.folded.in(["E", "A"]), Note.kind == "E",
      Note.body.folded >= "a" && Note.body.folded < "F", Note.body.folded.isNull, Note.tags.contains("a"),
      Note.tags.contains(anyOf: ["a", "z"]), Note.tags.contains { $0 >= "a" && $0 < "b" },
      Note.tags.contains { $0.hasPrefix("S") || $0 == "z" }, Note.tags.contains { $0.folded == "strasse" },
      Note.words.contains("A"), Note.words.contains { $0.folded == "A" },
      Note.words.contains { $0.folded.in(["é", "straße"]) }, Note.words.contains { $0.folded.hasPrefix("STR") },
      Note.scores.contains(0), Note.scores.contains { $0 > 0 }, Note.scores.contains { $0 < -1 || $0 == 1 },
      Note.sizes.contains(.max), Note.sizes.contains { $0 >= 1 << 63 }, Note.ratios.contains(0),
      Note.ratios.contains(.nan), Note.ratios.contains { $0 > 0 }, Note.flags.contains(true),
      Note.moods.contains(.busy),
      Note.days.contains(Self.noon), Note.days.contains { $0 < Self.noon }, Note.keys.contains(Self.key),
      Note.waveform.contains { $0 <= 0 }, Note.author.name.folded == "e",
      Note.author.aliases.contains { $0.folded == "a" },
      Note.enclosure.as(Letter.self).languages.contains("a"), Note.enclosure.as(Author.self).name.folded == "E",
      Note.enclosure.as(Author.self).aliases.contains { $0.folded == "E" }, !Note.tags.contains("a"),
      Note.tags.contains("a") && Note.words.contains { $0.folded == "e" }, Note.tags.contains { $0 != "a" },
    ]
    for condition in conditions {
      let expected = notes.filter { condition.evaluate($0) == true }.map(\.title).sorted()
      // The first fetch may come before the index is filled.
      for _ in 0..<3 {
        #expect(store.fetch(for: Note.self).where(condition).map(\.title).sorted() == expected, "\(condition)")
      }
    }
    let folded = store.fetch(for: Note.self).all(orderBy: [Note.title.folded.ascending, Note.title.ascending])
    #expect(folded.count == notes.count)
  }

  @Test("A text that differs in case and accents alone is refused where the folded text is unique")
  func uniqueTexts() async throws {
    let store = SQLiteWorkspace.temporary()
    defer { store.shutdown() }
    func isTaken(_ note: Note) async throws -> Bool {
      try await store.performChanges([Note.self]) { transaction in
        do {
          try transaction.submit(NoteChangeRequest.creationRequest(note))
          return true
        } catch TransactionError.objectAlreadyExists {
          return false
        }
      }
    }
    #expect(try await isTaken(Note(title: "1", slug: "Été", code: "A")))
    #expect(try await !isTaken(Note(title: "2", slug: "ete", code: "B")))
    // The code is unique as it is written, and the title by itself.
    #expect(try await isTaken(Note(title: "3", slug: "Eté 3", code: "a")))
    #expect(try await !isTaken(Note(title: "4", slug: "4", code: "a")))
    #expect(try await isTaken(Note(title: "5")))
    #expect(try await isTaken(Note(title: "6")))
    #expect(store.fetch(for: Note.self).where(Note.slug.folded == "ÉTÉ").map(\.title) == ["1"])
  }
}
