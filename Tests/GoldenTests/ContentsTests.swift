import Dflat
import FlatBuffersCore
import Foundation
import Golden_contents
import SQLiteDflat
import Testing

@Suite("The output for vectors of unions, members of one type and nested FlatBuffers, stored and queried")
struct ContentsTests {
  private let items: [Item] = [
    .note(Note(text: "plain", stars: 1)), .warning(Note(text: "mind the gap", stars: 5)), .point(Point(x: 1, y: 2)),
    .text("text"), .link("https://example.com"), .text(""),
  ]

  /// A note as a FlatBuffer.
  private static let sealed: [UInt8] = {
    var builder = FlatBufferBuilder()
    let root = Note(text: "sealed", stars: 2).to(flatBufferBuilder: &builder)
    // A test without it fails.
    return (try? builder.finish(root)) == nil ? [] : builder.withFinishedBytes { Array($0) }
  }()

  private func page(_ number: Int32, cover: Item? = nil) -> Page {
    Page(number: number, extras: [], letter: Self.sealed, cover: cover)
  }

  private func full() throws -> Page {
    let section = Section(title: "top", items: items, sections: [Section(items: [.text("deep")]), Section()])
    return Page(
      number: 1, extras: Array(items.reversed()), letter: Self.sealed, cover: .warning(Note(stars: 3)), items: items,
      section: section, letterRoot: 11, copy: [UInt8](try page(7).toData()),
      wide: [UInt8](Holder(wide: Wide(value: 1.5)).toData()))
  }

  @Test("Objects are unchanged after encoding and decoding")
  func objectsSurviveTheirBytes() throws {
    for object in [try full(), page(2), page(3, cover: .text("")), page(4, cover: .point(Point()))] {
      #expect(Page.from(data: try object.toData()) == object)
    }
  }

  @Test("Objects are unchanged after encoding to JSON and decoding")
  func objectsSurviveJSON() throws {
    let object = try full()
    #expect(try JSONDecoder().decode(Page.self, from: JSONEncoder().encode(object)) == object)
  }

  @Test("An empty vector takes no bytes unless it is required")
  func anEmptyVectorTakesNoBytesUnlessItIsRequired() throws {
    let bytes = ByteBuffer([UInt8](try page(1).toData()))
    let table = try #require(PageReader(root: bytes))._table
    #expect(!table.hasField(at: 10) && !table.hasField(at: 12))
    #expect(table.hasField(at: 14) && table.hasField(at: 16))
  }

  @Test("A union member that only a newer schema knows is left out")
  func aMemberThatOnlyANewerVersionKnowsIsLeftOut() throws {
    let buffer = try PageReader.buffer { builder in
      let text = builder.create("x")
      let items = builder.create(unionVector: [(9, text), (77, text), (10, text)])
      let none = builder.create(unionVector: [])
      let letter = builder.create(vector: Self.sealed, alignment: 8)
      return PageReader.create(
        in: &builder, number: 1, coverType: 77, cover: text, itemsType: items.types, items: items.members,
        extrasType: none.types, extras: none.members, letter: letter)
    }
    let page = Page.from(byteBuffer: buffer)
    #expect(page.items == [.text("x"), .link("x")])
    #expect(page.cover == nil)
  }

  @Test("Nested FlatBuffers are read as objects, and damaged ones as nil")
  func nestedFlatBuffersAreReadAsObjects() throws {
    let object = try full()
    #expect(object.letterRoot_ == Note(text: "sealed", stars: 2))
    #expect(object.copyRoot == page(7))
    #expect(object.wideRoot?.wide?.value == 1.5)
    #expect(page(1).copyRoot == nil)
    var builder = PageBuilder(object)
    builder.letter[0] = 0xFF
    #expect(builder.build().letterRoot_ == nil)
    // Where they stand in the object, they are aligned for what they hold.
    let reader = try PageReader(verifying: ByteBuffer([UInt8](try object.toData())))
    #expect(reader.wideRoot?.wide?.value == 1.5)
    #expect(reader.letterRoot_?.text == "sealed")
  }

  @Test("Objects are stored, queried by union member and content, changed and deleted")
  func everythingIsStoredQueriedChangedAndDeleted() async throws {
    try await withWorkspace { workspace in
      let covers: [Item?] = [
        .note(Note(text: "a", stars: 1)), .warning(Note(text: "a", stars: 5)), .point(Point(x: 3)), .text("a"),
        .link("a"), .text("b"), nil,
      ]
      let pages = covers.enumerated().map { page(Int32($0.offset + 10), cover: $0.element) } + [try full()]
      #expect(
        await workspace.performChanges([Page.self]) { transaction in
          for page in pages { transaction.try(submit: PageChangeRequest.creationRequest(page)) }
        })
      func numbers(_ query: QueryExpression<Bool, Page>) -> [Int32] {
        workspace.fetch(for: Page.self).where(query, orderBy: [Page.number.ascending]).map(\.number)
      }
      #expect(workspace.fetch(for: Page.self).all().map(\.number) == pages.map(\.number))
      #expect(Array(workspace.fetch(for: Page.self).where(Page.number == 1)) == [try full()])
      // By member, and by type.
      #expect(numbers(Page.cover.match(note: Note.self)) == [10])
      #expect(numbers(Page.cover.match(warning: Note.self)) == [1, 11])
      #expect(numbers(Page.cover.match(Note.self)) == [1, 10, 11])
      #expect(numbers(Page.cover.match(String.self)) == [13, 14, 15])
      #expect(numbers(!Page.cover.match(String.self)) == [1, 10, 11, 12])
      #expect(numbers(Page.cover.match(link: String.self)) == [14])
      #expect(numbers(Page.cover.match(Point.self)) == [12])
      // By what is in it.
      #expect(numbers(Page.cover.as(note: Note.self).text == "a") == [10])
      #expect(numbers(Page.cover.as(warning: Note.self).stars >= 3) == [1, 11])
      #expect(numbers(Page.cover.as(Point.self).x == 3) == [12])
      #expect(numbers(Page.cover.as(text: String.self) == "a") == [13])
      #expect(numbers(Page.cover.as(text: String.self) > "a") == [15])
      #expect(numbers(Page.cover.as(link: String.self) == "a") == [14])
      #expect(numbers(Page.cover.as(link: String.self).isNull) == [1, 10, 11, 12, 13, 15, 16])
      #expect(numbers(Page.section.title == "top") == [1])
      #expect(numbers(Page.section.title.isNull) == [10, 11, 12, 13, 14, 15, 16])
      #expect(numbers(Page.letterRoot == 11) == [1])
      let byText = workspace.fetch(for: Page.self).all(
        limit: .limit(2), orderBy: [Page.cover.as(text: String.self).descending])
      #expect(byText.map(\.number) == [15, 13])

      let outcome = await workspace.performChanges([Page.self]) { transaction in
        guard let first = workspace.fetch(for: Page.self).where(Page.number == 10).first,
          let last = workspace.fetch(for: Page.self).where(Page.number == 16).first
        else { return }
        let change = PageChangeRequest.changeRequest(first)
        change?.cover = .link("moved")
        change?.items = [.text("1"), .warning(Note(stars: 9))]
        change.map { _ = transaction.try(submit: $0) }
        PageChangeRequest.deletionRequest(last).map { _ = transaction.try(submit: $0) }
      }
      #expect(outcome)
      #expect(numbers(Page.cover.as(link: String.self) == "moved") == [10])
      #expect(numbers(Page.cover.as(note: Note.self).stars == 1) == [])
      #expect(
        workspace.fetch(for: Page.self).where(Page.number == 10).first?.items
          == [.text("1"), .warning(Note(stars: 9))])
      #expect(numbers(Page.number >= 16) == [])
    }
  }

  @Test("Both members of one type have an index of their own")
  func bothMembersOfOneTypeAreIndexed() {
    #expect(Page._record.indexes.map(\.key) == ["f8__type", "f8__u1__f6", "f8__u2__f6"])
  }

  @Test("Conditions on the vectors look at their elements")
  func vectors() throws {
    let full = try full()
    let count = items.count
    #expect((Page.items.count == count).evaluate(full))
    #expect((Page.extras.count == count && !Page.extras.isEmpty).evaluate(full))
    #expect((Page.letter.count == Self.sealed.count).evaluate(full))
    #expect((!Page.copy.isEmpty).evaluate(full))
    #expect((!Page.wide.isEmpty).evaluate(full))
  }
}
