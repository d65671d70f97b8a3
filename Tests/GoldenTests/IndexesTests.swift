import Dflat
import FBSSchema
import Foundation
import Golden_indexes
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
}
