import Dflat
import FlatBuffersCore
import Foundation
import Golden_wide_unions
import SQLiteDflat
import TestSupport
import Testing

@Suite("The output for unions whose type codes take more than a byte, stored and queried")
struct WideUnionsTests {
  private var full: Page {
    Page(
      number: 1, isOpen: true, cover: .warning(Note(text: "gap", stars: 5)),
      items: [.note(Note(stars: 1)), .warning(Note(stars: 2)), .point(Point(x: 1, y: 2)), .text("text")],
      small: .text("small"), signed: .note(Note(text: "signed")), signs: [.note(Note(stars: 3)), .point(Point(y: 4))],
      far: .link("far"), fars: [.link("a"), .note(Note(text: "b")), .link("c")])
  }

  private let covers: [Item?] = [
    .note(Note(text: "a", stars: 1)), .warning(Note(text: "a", stars: 5)), .point(Point(x: 3)), .text("a"), nil,
  ]

  private func reader(of page: Page) throws -> PageReader {
    try PageReader(verifying: ByteBuffer([UInt8](page.toData())))
  }

  @Test("Objects read back equal from their bytes and from JSON")
  func roundTrips() throws {
    for page in [full, Page(number: 2)] + covers.map({ Page(number: 3, cover: $0) }) {
      _ = try reader(of: page)
      #expect(Page.from(data: page.toData()) == page)
      #expect(try JSONDecoder().decode(Page.self, from: JSONEncoder().encode(page)) == page)
    }
  }

  @Test("A type code is stored in the bytes of its type, as is a vector of them")
  func widths() throws {
    let table = try reader(of: full)._table
    #expect(table.scalar(at: 8, default: 0 as UInt16) == 257)
    #expect(table.vector(of: UInt16.self, at: 12).map { $0 } == [1, 257, 258, 65535])
    #expect(table.scalar(at: 16, default: 0 as Int8) == 127)
    #expect(table.scalar(at: 20, default: 0 as Int32) == 70000)
    #expect(table.vector(of: Int32.self, at: 24).map { $0 } == [70000, 70001])
    #expect(table.scalar(at: 28, default: 0 as UInt64) == .max)
    #expect(table.vector(of: UInt64.self, at: 32).map { $0 } == [.max, 1, .max])
  }

  /// The schema for flatc 2.0.8, which knows no such unions: their type codes and members are fields of their own.
  private static let twin = """
    table Note { text: string; stars: int; }
    table Page {
      number: int; isOpen: bool;
      cover_type: ushort; cover: Note; items_type: [ushort]; items: [Note]; small_type: byte; small: string;
      signed_type: int; signed: Note; signs_type: [int]; signs: [Note];
      far_type: ulong; far: string; fars_type: [ulong]; fars: [string];
    }
    root_type Page;
    """

  private static let twinJSON = """
    {"number":7,"isOpen":true,"cover_type":257,"cover":{"text":"gap","stars":5},"items_type":[1,257],\
    "items":[{"stars":1},{"stars":2}],"small_type":127,"small":"small","signed_type":70000,"signed":{"text":"signed"},\
    "signs_type":[70000],"signs":[{"stars":3}],"far_type":18446744073709551615,"far":"far",\
    "fars_type":[18446744073709551615],"fars":["a"]}
    """

  private var twinPage: Page {
    Page(
      number: 7, isOpen: true, cover: .warning(Note(text: "gap", stars: 5)),
      items: [.note(Note(stars: 1)), .warning(Note(stars: 2))], small: .text("small"),
      signed: .note(Note(text: "signed")), signs: [.note(Note(stars: 3))], far: .link("far"), fars: [.link("a")])
  }

  @Test("flatc reads the bytes as scalars beside members, and what it writes so is read")
  func agreesWithFlatc() throws {
    try withTemporaryFolder { folder in
      try Self.twin.write(to: folder.appending(path: "twin.fbs"), atomically: true, encoding: .utf8)
      try twinPage.toData().write(to: folder.appending(path: "ours.bin"))
      try runTool("flatc", ["--json", "--strict-json", "--raw-binary", "twin.fbs", "--", "ours.bin"], in: folder)
      func object(_ data: Data) throws -> NSDictionary? {
        try JSONSerialization.jsonObject(with: data) as? NSDictionary
      }
      let ours = try object(Data(contentsOf: folder.appending(path: "ours.json")))
      #expect(try ours != nil && ours == object(Data(Self.twinJSON.utf8)))

      try Self.twinJSON.write(to: folder.appending(path: "theirs.json"), atomically: true, encoding: .utf8)
      try runTool("flatc", ["--binary", "twin.fbs", "theirs.json"], in: folder)
      let theirs = try Data(contentsOf: folder.appending(path: "theirs.bin"))
      _ = try PageReader(verifying: ByteBuffer([UInt8](theirs)))
      #expect(Page.from(data: theirs) == twinPage)
    }
  }

  @Test("A member that only a newer version knows is left out, and its code can be read")
  func unknownCodes() throws {
    let buffer = try PageReader.buffer { builder in
      let text = builder.create("x")
      let known = ItemReader.Code.text
      let members: [(code: UInt16, member: Offset)] = [
        (known, text), (259, text), (0, .null), (0xFF01, text), (known, text),
      ]
      let items = builder.create(unionVector: members)
      let fars = builder.create(unionVector: [(FarReader.Code.link, text), (FarReader.Code.link - 1, text)])
      return PageReader.create(
        in: &builder, number: 1, coverType: 0x0201, cover: text, itemsType: items.types, items: items.members,
        signedType: -1, signed: text, farType: 1 << 32 | 1, far: text, farsType: fars.types, fars: fars.members)
    }
    let reader = try PageReader(verifying: buffer)
    guard case .unknown(0x0201)? = reader.cover, case .unknown(-1)? = reader.signed,
      case .unknown(0x1_0000_0001)? = reader.far, case .unknown(259)? = reader.items[1], reader.items[2] == nil
    else {
      Issue.record("a code that no member has is taken for one")
      return
    }
    let page = Page.from(byteBuffer: buffer)
    #expect(page.items == [.text("x"), .text("x")] && page.fars == [.link("x")])
    #expect(page.cover == nil && page.signed == nil && page.far == nil)
  }

  @Test(
    "A member is verified as what the whole code says",
    arguments: [(65535 as UInt16, false), (255, true), (0xFF01, true)])
  func verifiedMembers(code: UInt16, isAccepted: Bool) throws {
    let buffer = try PageReader.buffer { builder in
      // As a string, a point would have the length 0x7F7FFFFF, which is more than there is.
      let point = builder.create(PointValue(x: .greatestFiniteMagnitude))
      let items = builder.create(unionVector: [(code, point)])
      return PageReader.create(in: &builder, number: 1, itemsType: items.types, items: items.members)
    }
    #expect(buffer.isValid(as: PageReader.self) == isAccepted)
    let alone = try PageReader.buffer { builder in
      let point = builder.create(PointValue(x: .greatestFiniteMagnitude))
      return PageReader.create(in: &builder, number: 1, coverType: code, cover: point)
    }
    #expect(alone.isValid(as: PageReader.self) == isAccepted)
  }

  @Test("Vectors of type codes and of members must be equally long, and codes inside the buffer")
  func mismatchedVectors() throws {
    let buffer = try PageReader.buffer { builder in
      let text = builder.create("x")
      let codes = builder.create(vector: [65535, 65535] as [UInt16])
      let members = builder.create(vector: [text])
      return PageReader.create(in: &builder, number: 1, itemsType: codes, items: members)
    }
    guard case .mismatchedUnionVector? = mistake(in: buffer, as: PageReader.self) else {
      Issue.record("accepted")
      return
    }
    #expect(PageReader(buffer)?.items.count == 1)
    // A vector of four bytes, which holds four codes of a byte and none of eight.
    let narrow = try PageReader.buffer { builder in
      let text = builder.create("x")
      let members = builder.create(vector: [text, text, text, text])
      let root = PageReader.create(in: &builder, number: 1, farsType: members, fars: members)
      return root
    }
    #expect(mistake(in: narrow, as: PageReader.self) != nil)
    #expect(PageReader(narrow)?.fars.isEmpty == true)
  }

  @Test("No bytes make a reader trap, and bytes that the verifier accepts can be read")
  func damagedBytes() throws {
    let bytes = [UInt8](full.toData())
    var accepted = 0
    for position in bytes.indices {
      for value: UInt8 in [0, 1, 2, 9, 0x7F, 0xFF] {
        var damaged = bytes
        damaged[position] = value
        let buffer = ByteBuffer(damaged)
        if buffer.isValid(as: PageReader.self) { accepted += 1 }
        let page = Page.from(byteBuffer: buffer)
        #expect(page.items.count <= bytes.count && page.fars.count <= bytes.count)
      }
    }
    #expect(accepted > 0)
  }

  @Test("Indexes are named by the whole code")
  func indexNames() {
    #expect(
      Page._record.indexes.map(\.key) == [
        "f10__type", "f10__u1__f6", "f10__u257__f6", "f18__u1__f6", "f22__u70000__f6", "f30__type", "f30__u1__f6",
      ])
  }

  @Test("A query tells members apart by the whole code, with indexes and without")
  func queries() async throws {
    try await withWorkspace { workspace in
      let pages =
        covers.enumerated().map { Page(number: Int32($0.offset + 10), cover: $0.element) }
        + [full, Page(number: 20, signed: .point(Point()), far: .note(Note(stars: 9)))]
      let isCreated = await workspace.performChanges([Page.self]) { transaction in
        for page in pages { transaction.try(submit: PageChangeRequest.creationRequest(page)) }
      }
      #expect(isCreated)
      func stored(_ query: QueryExpression<Bool, Page>) -> [Int32] {
        workspace.fetch(for: Page.self).where(query, orderBy: [Page.number.ascending]).map(\.number)
      }
      func numbers(_ query: QueryExpression<Bool, Page>) -> [Int32] {
        let found = stored(query)
        // Of an object in hand, without an index.
        #expect(found == pages.filter { query.evaluate($0) }.map(\.number).sorted())
        return found
      }
      #expect(numbers(Page.cover.match(note: Note.self)) == [10])
      #expect(numbers(Page.cover.match(warning: Note.self)) == [1, 11])
      #expect(numbers(Page.cover.match(Note.self)) == [1, 10, 11])
      #expect(numbers(Page.cover.match(Point.self)) == [12])
      #expect(numbers(Page.cover.match(String.self)) == [13])
      #expect(numbers(Page.cover.isNull) == [14, 20])
      #expect(numbers(Page.cover.as(note: Note.self).stars == 1) == [10])
      #expect(numbers(Page.cover.as(warning: Note.self).stars >= 3) == [1, 11])
      #expect(numbers(Page.cover.as(Point.self).x == 3) == [12])
      #expect(numbers(Page.cover.as(String.self) == "a") == [13])
      #expect(numbers(Page.signed.match(Note.self)) == [1] && numbers(Page.signed.match(Point.self)) == [20])
      #expect(numbers(Page.far.match(String.self)) == [1] && numbers(Page.far.match(Note.self)) == [20])
      #expect(numbers(Page.far.as(String.self) == "far") == [1])
      #expect(numbers(Page.far.as(Note.self).stars == 9) == [20])
      #expect(numbers(Page.small.match(String.self)) == [1])
      #expect(numbers(Page.isOpen == true) == [1])
      let isChanged = await workspace.performChanges([Page.self]) { transaction in
        guard let first = workspace.fetch(for: Page.self).where(Page.number == 10).first else { return }
        let change = PageChangeRequest.changeRequest(first)
        change?.cover = .warning(Note(stars: 4))
        change?.fars.append(.link("new"))
        change.map { _ = transaction.try(submit: $0) }
      }
      #expect(isChanged)
      #expect(stored(Page.cover.match(warning: Note.self)) == [1, 10, 11])
      #expect(stored(Page.cover.match(note: Note.self)) == [])
      #expect(workspace.fetch(for: Page.self).where(Page.number == 10).first?.fars == [.link("new")])
    }
  }

  @Test("Conditions on the vectors look at their elements")
  func vectors() throws {
    let full = full
    #expect((Page.items.contains { $0.as(String.self) == "text" }).evaluate(full))
    #expect((Page.signs.contains { $0.as(Note.self).stars == 3 }).evaluate(full))
    #expect((Page.fars.count == 3).evaluate(full))
  }
}
