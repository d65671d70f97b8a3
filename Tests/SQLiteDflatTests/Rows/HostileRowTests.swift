import Dflat
import FlatBuffersCore
import Foundation
import Golden_contents
import Golden_post
import Golden_recursive
import Testing

@testable import SQLiteDflat

@Suite("A row of few bytes that lead to too much is reported, and the others come")
struct HostileRowTests {
  private func hex(_ builder: inout FlatBufferBuilder, _ root: Offset) throws -> String {
    try builder.finish(root)
    return builder.withFinishedBytes { bytes in bytes.map { String(format: "%02X", $0) }.joined() }
  }

  /// An outline whose nodes have each two children, which are one and the same: 2 to the power of `levels` in all.
  private func sharedNodes(levels: Int) throws -> String {
    var builder = FlatBufferBuilder()
    builder.startTable(fieldCount: 3)
    var node = builder.endTable()
    for _ in 0..<levels {
      let mark = builder.startOffsets()
      builder.append(node)
      builder.append(node)
      let children = builder.endOffsets(from: mark)
      builder.startTable(fieldCount: 3)
      builder.add(children, at: 8)
      node = builder.endTable()
    }
    builder.startTable(fieldCount: 6)
    builder.add(Int32(2), default: 0, at: 4)
    builder.add(node, at: 6)
    let root = builder.endTable()
    return try hex(&builder, root)
  }

  /// A post whose 50,000 images are one and the same string of 100,000 bytes: 5 gigabytes in all.
  private func sharedStrings() throws -> String {
    var builder = FlatBufferBuilder()
    let title = builder.create("b")
    let image = builder.create(String(repeating: "x", count: 100_000))
    let mark = builder.startOffsets()
    for _ in 0..<50_000 { builder.append(image) }
    let images = builder.endOffsets(from: mark)
    builder.startTable(fieldCount: 1)
    builder.add(images, at: 4)
    let content = builder.endTable()
    builder.startTable(fieldCount: 6)
    builder.add(title, at: 4)
    builder.add(UInt8(2), default: 0, at: 12)
    builder.add(content, at: 14)
    let root = builder.endTable()
    return try hex(&builder, root)
  }

  @Test("A table that is referred to many times over makes the row an error")
  func sharedTables() throws {
    let store = try TestStore()
    store.perform([Outline.self]) { context in
      for id in 1...3 { context.try(submit: OutlineChangeRequest.creationRequest(Outline(id: Int32(id)))) }
    }
    try store.sql("UPDATE outline SET p = x'\(try sharedNodes(levels: 50))' WHERE __pk0 = 2")
    let outlines = store.workspace.fetch(for: Outline.self)
    #expect(outlines.all().map(\.id) == [1, 3])
    #expect(outlines.where(Outline.id == 2).isEmpty)
    #expect(outlines.all(limit: .limit(2), orderBy: [Outline.id.descending]).map(\.id) == [3, 1])
    #expect(store.errors.values.map { ($0 as? SQLiteError)?.code } == [11, 11, 11])
    store.perform([Outline.self]) { _ in
      #expect(OutlineChangeRequest.changeRequest(Outline(id: 2)) == nil)
    }
    // What is asked of its bytes is still answered.
    #expect(outlines.exists(where: Outline.id == 2))
  }

  @Test("A string that is referred to many times over makes the row an error")
  func sharedString() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for title in ["a", "b"] { context.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
    try store.damage("UPDATE post SET p = x'\(try sharedStrings())' WHERE __pk0 = 'b'")
    #expect(store.workspace.fetch(for: Post.self).all().map(\.title) == ["a"])
    #expect(store.errors.values.map { ($0 as? SQLiteError)?.code } == [11])
  }

  @Test(
    "A member of unions that is referred to many times over makes the row an error",
    arguments: [SharedItem.note, .text])
  func sharedUnionMembers(_ item: SharedItem) throws {
    let store = try TestStore()
    store.perform([Page.self]) { context in
      for number in 1...2 { context.try(submit: PageChangeRequest.creationRequest(page(Int32(number)))) }
    }
    try store.damage("UPDATE page SET p = x'\(try pageOfSharedItems(item))' WHERE __pk0 = 2")
    #expect(store.workspace.fetch(for: Page.self).all().map(\.number) == [1])
    #expect(store.errors.values.map { ($0 as? SQLiteError)?.code } == [11])
  }

  enum SharedItem { case note, text }

  private func page(_ number: Int32) -> Page { Page(number: number, extras: [], letter: []) }

  /// A page with 1,000 notes in each of 1,000 sections, or with 50,000 texts of 20,000 bytes. All of them are one.
  private func pageOfSharedItems(_ item: SharedItem) throws -> String {
    var builder = FlatBufferBuilder()
    var items = (types: Offset.null, members: Offset.null)
    var section = Offset.null
    switch item {
    case .note:
      builder.startTable(fieldCount: 2)
      let note = builder.endTable()
      let notes = builder.create(unionVector: Array(repeating: (1, note), count: 1_000))
      builder.startTable(fieldCount: 4)
      builder.add(notes.types, at: 6)
      builder.add(notes.members, at: 8)
      let inner = builder.endTable()
      let mark = builder.startOffsets()
      for _ in 0..<1_000 { builder.append(inner) }
      let sections = builder.endOffsets(from: mark)
      builder.startTable(fieldCount: 4)
      builder.add(sections, at: 10)
      section = builder.endTable()
    case .text:
      let text = builder.create(String(repeating: "x", count: 20_000))
      items = builder.create(unionVector: Array(repeating: (9, text), count: 50_000))
    }
    builder.startTable(fieldCount: 12)
    builder.add(Int32(2), default: 0, at: 4)
    builder.add(items.types, at: 10)
    builder.add(items.members, at: 12)
    builder.add(section, at: 18)
    let root = builder.endTable()
    return try hex(&builder, root)
  }

  /// A root that holds two more of its kind.
  private final class Twin: Atom {
    let left: Twin?
    let right: Twin?
    let _rowid: Int64
    let _commitVersion: UInt64
    static let _record = RecordDescription(table: "twin", primaryKeys: [RecordField(.root, .int32, at: 4)])

    init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
      left = table.table(at: 4).map { Twin($0, _rowid: 0) }
      right = table.table(at: 6).map { Twin($0, _rowid: 0) }
      self._rowid = _rowid
      self._commitVersion = _commitVersion
    }

    static func verify(byteBuffer: ByteBuffer) -> Bool { FlatBufferTable(rootOf: byteBuffer) != nil }
  }

  @Test("Nested roots that are one are read as long as they are few", arguments: [(8, true), (60, false)])
  func sharedRoots(levels: Int, isRead: Bool) throws {
    var builder = FlatBufferBuilder()
    builder.startTable(fieldCount: 2)
    var twin = builder.endTable()
    for _ in 0..<levels {
      builder.startTable(fieldCount: 2)
      builder.add(twin, at: 4)
      builder.add(twin, at: 6)
      twin = builder.endTable()
    }
    try builder.finish(twin)
    try builder.withFinishedBytes { bytes in
      let budget = ReadingBudget()
      let root = try #require(FlatBufferTable(rootOf: bytes, within: budget))
      var found: Twin? = Twin(root, _rowid: 1)
      #expect(budget.end() == isRead)
      guard isRead else { return }
      for _ in 0..<levels { found = found?.right }
      #expect(found != nil)
    }
  }

  @Test("Outside of a store, too, objects of few bytes that lead to too much are read in part, or refused if asked for")
  func decodingWithoutAStore() throws {
    func bytes(_ hex: String) -> [UInt8] {
      let digits = Array(hex.utf8)
      return stride(from: 0, to: digits.count, by: 2).map {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
      }
    }
    func count(_ node: Node) -> Int { node.children.reduce(1) { $0 + count($1) } }
    // So many levels that, without the bound, the test would fail rather than never end.
    let nodes = bytes(try sharedNodes(levels: 24))
    let strings = bytes(try sharedStrings())
    let page = bytes(try pageOfSharedItems(.text))
    // Each way to decode: what it gives takes at most some megabytes more than the bytes.
    let limit = 20_000_000
    let outlines = [Outline.from(data: Data(nodes)), .from(byteBuffer: ByteBuffer(nodes))]
    #expect(throws: DamagedFlatBuffer.self) { try Outline(verifying: Data(nodes)) }
    #expect(Outline.from(nested: nodes) == nil)
    for outline in outlines { #expect(outline.first.map(count) ?? 0 < limit / 16) }
    let posts = [Post.from(data: Data(strings)), .from(byteBuffer: ByteBuffer(strings))]
    #expect(Post.verify(byteBuffer: ByteBuffer(strings)))
    #expect(throws: DamagedFlatBuffer.self) { try Post(verifying: Data(strings)) }
    #expect(Post.from(nested: strings) == nil)
    for post in posts {
      guard case .imageContent(let content)? = post.content else { continue }
      #expect(content.images.reduce(0) { $0 + $1.utf8.count } < limit)
    }
    let pages = [Page.from(data: Data(page)), .from(byteBuffer: ByteBuffer(page))]
    #expect(throws: DamagedFlatBuffer.self) { try Page(verifying: Data(page)) }
    for page in pages {
      let texts = page.items.map { if case .text(let text) = $0 { text.utf8.count } else { 0 } }
      #expect(texts.reduce(0, +) < limit)
    }
  }

  @Test("A root's vector of tables is free, however often it is read; one below the root is not")
  func vectorsOfTables() throws {
    let count = 40_000
    var builder = FlatBufferBuilder()
    builder.startTable(fieldCount: 3)
    let leaf = builder.endTable()
    let vector = builder.create(vector: Array(repeating: leaf, count: count))
    builder.startTable(fieldCount: 1)
    builder.add(vector, at: 4)
    let inner = builder.endTable()
    builder.startTable(fieldCount: 2)
    builder.add(vector, at: 4)
    builder.add(inner, at: 6)
    let root = builder.endTable()
    try builder.finish(root)
    try builder.withFinishedBytes { bytes in
      let budget = ReadingBudget()
      let root = try #require(FlatBufferTable(rootOf: bytes, within: budget))
      for _ in 0..<100 { #expect(root.copyableTables(at: 4).count == count) }
      // 24 bytes for each offset of 4, where eight times the bytes may be read.
      let inner = try #require(root.table(at: 6))
      #expect(inner.copyableTables(at: 4).count == count)
      #expect(inner.copyableTables(at: 4).isEmpty)
      #expect(!budget.end())
    }
  }

  @Test("Rows that are read later on the same thread have no smaller limit")
  func whatIsReadOnTheSameThreadLaterIsNotLimited() throws {
    let text = String(repeating: "long ", count: 100_000)
    let whole = Post(title: "a", content: .imageContent(ImageContent(images: [text, text]))).toData()
    // Three times as many bytes as there are, which is allowed; and a hundred times as many, which is not.
    for (count, isAllowed) in [(3, true), (100, false)] {
      var builder = FlatBufferBuilder()
      let image = builder.create(text)
      let images = builder.create(unionVector: Array(repeating: (9, image), count: count))
      builder.startTable(fieldCount: 12)
      builder.add(images.types, at: 10)
      builder.add(images.members, at: 12)
      let root = builder.endTable()
      try builder.finish(root)
      try builder.withFinishedBytes { bytes in
        let budget = ReadingBudget()
        let root = try #require(FlatBufferTable(rootOf: bytes, within: budget))
        #expect(Page(root, _rowid: 0).items.count == count)
        #expect(budget.end() == isAllowed)
        #expect(Page(FlatBufferTable(rootOf: ByteBuffer(Array(bytes))) ?? .empty, _rowid: 0).items.last == .text(text))
      }
      guard case .imageContent(let content)? = Post.from(data: whole).content else {
        Issue.record("There is no content.")
        return
      }
      #expect(content.images == [text, text])
    }
  }

  @Test("An object that shares a little is read in full")
  func whatSharesALittleIsReadInFull() throws {
    let store = try TestStore()
    store.perform([Outline.self]) { $0.try(submit: OutlineChangeRequest.creationRequest(Outline(id: 2))) }
    try store.sql("UPDATE outline SET p = x'\(try sharedNodes(levels: 9))'")
    var node = try #require(store.workspace.fetch(for: Outline.self).first()?.first)
    for _ in 0..<9 {
      #expect(node.children.count == 2)
      node = try #require(node.children.last)
    }
    #expect(store.errors.values.isEmpty)
  }

  @Test("A large object is read in full")
  func aLargeObjectIsReadInFull() throws {
    let store = try TestStore()
    let images = (0..<100_000).map { _ in "" } + [String(repeating: "y", count: 1_000_000)]
    let post = Post(title: "a", content: .imageContent(ImageContent(images: images)))
    let children = Array(repeating: Node(), count: 100_000)
    let outline = Outline(id: 1, first: Node(children: [Node(children: children)]))
    store.perform([Post.self, Outline.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(post))
      context.try(submit: OutlineChangeRequest.creationRequest(outline))
    }
    #expect(Array(store.workspace.fetch(for: Post.self).all()) == [post])
    #expect(store.workspace.fetch(for: Outline.self).first()?.first == outline.first)
    #expect(store.errors.values.isEmpty)
  }
}
