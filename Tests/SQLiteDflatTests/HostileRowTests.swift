import Dflat
import FlatBuffersCore
import Foundation
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

  @Test func tablesThatShareTables() throws {
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

  @Test func stringsThatAreOne() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for title in ["a", "b"] { context.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
    try store.sql("UPDATE post SET p = x'\(try sharedStrings())' WHERE __pk0 = 'b'")
    #expect(store.workspace.fetch(for: Post.self).all().map(\.title) == ["a"])
    #expect(store.errors.values.map { ($0 as? SQLiteError)?.code } == [11])
  }

  @Test func whatSharesALittleIsReadInFull() throws {
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

  @Test func aLargeObjectIsReadInFull() throws {
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
