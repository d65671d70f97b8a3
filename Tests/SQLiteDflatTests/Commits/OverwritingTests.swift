import Dflat
import FlatBuffersCore
import Foundation
import Golden_post
import Golden_scalars
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Updates that overwrite rows in place leave what they were told to store")
struct OverwritingTests {
  @Test("Random runs of updates leave what a dictionary holds", arguments: 1...6)
  func randomRuns(seed: Int) throws {
    try RandomOverwriting(seed: seed).run(rounds: 8)
  }

  /// SQLite counts what statements change, and does not count what is written over.
  @Test("Few rows of many are written by statements")
  func fewRowsOfARunAreWrittenByStatements() throws {
    let store = try TestStore()
    func changes(_ body: (any TransactionContext) -> Void) throws -> Int {
      let handle = try store.workspace.core.database.writer().connection.handle
      func total() throws -> Int { try Int(PlainSQL.run("SELECT total_changes()", on: handle)[0][0] ?? "") ?? 0 }
      let before = try total()
      withoutActuallyEscaping(body) { body in store.perform([Post.self, Thing.self]) { body($0) } }
      return try total() - before
    }
    store.perform([Post.self, Thing.self]) { context in
      for number in 1...20 {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: "a", priority: 1)))
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number), big: 1, note: "\(number)")))
      }
    }
    let posts = store.workspace.fetch(for: Post.self).all()
    let things = store.workspace.fetch(for: Thing.self).all()
    func update(_ post: Post, _ context: any TransactionContext, tag: String, priority: Int32 = 1) {
      let request = PostChangeRequest.changeRequest(post)
      request?.tag = tag
      request?.priority = priority
      request.map { _ = context.try(submit: $0) }
    }
    func update(_ thing: Thing, _ context: any TransactionContext, big: UInt64) {
      let request = ThingChangeRequest.change(thing)
      request?.thing = Thing(id: thing.id, big: big, note: thing.note)
      request.map { _ = context.try(submit: $0) }
    }
    // The first two of each run, and the index entries that change.
    #expect(try changes { context in for post in posts { update(post, context, tag: "b") } } == 2)
    #expect(try changes { context in for post in posts { update(post, context, tag: "c", priority: 2) } } == 2 + 20)
    #expect(try changes { context in for thing in things { update(thing, context, big: 2) } } == 2 + 20)
    // Two types that take turns: each has a run of its own.
    #expect(
      try changes { context in
        for (post, thing) in zip(posts, things) {
          update(post, context, tag: "d", priority: 2)
          update(thing, context, big: 3)
        }
      } == 2 + 2 + 20)
    // A creation after each: new rows and their index entries are stored together later.
    #expect(
      try changes { context in
        for (number, post) in posts.enumerated() {
          update(post, context, tag: "e", priority: 2)
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "new \(number)")))
        }
      } == 2 + 40)
    // A deletion after each: what is open for writing over is closed before.
    let others = store.workspace.fetch(for: Post.self).all().suffix(20)
    #expect(
      try changes { context in
        for (post, other) in zip(posts, others) {
          update(post, context, tag: "f", priority: 2)
          PostChangeRequest.deletionRequest(other).map { _ = context.try(submit: $0) }
        }
      } == 20 + 40)
    // A size that changes each time: it is tried, and then left alone. One that fits again is not noticed.
    let strings = (1...20).map { String(repeating: "x", count: $0 * 10) }
    #expect(
      try changes { context in
        for (post, string) in zip(posts, strings) { update(post, context, tag: string, priority: 2) }
        for post in posts { update(post, context, tag: "g", priority: 2) }
        for post in posts { update(post, context, tag: "h", priority: 2) }
      } == 60)
    // The next transaction begins anew.
    #expect(try changes { context in for post in posts { update(post, context, tag: "i", priority: 2) } } == 2)
  }

  // MARK: Large objects

  private static let sizes = [2_000, 4_050, 8_192, 40_000, 300_000, 1 << 20 - 200, 1 << 20 + 200]

  @Test("Any part of a large object may change", arguments: sizes)
  func partsOfLargeObjects(size: Int) throws {
    let store = try TestStore()
    let posts = store.workspace.fetch(for: Post.self)
    var tags = (0..<5).map { String(repeating: "\($0)", count: size) }
    store.perform([Post.self]) { context in
      for (number, tag) in tags.enumerated() {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: tag, priority: 1)))
      }
    }
    let stored = posts.all()
    store.perform([Post.self]) { context in
      for (round, offsets) in [
        [], [0], [size - 1], [size / 2], [], [0, size - 1], [511], [512], [size - 512], [size - 513],
        [size / 3, size / 2],
      ].enumerated() {
        // The last two are changed in each round: the first two begin a run.
        for number in tags.indices where number > 2 || round == 0 {
          var bytes = Array(tags[number].utf8)
          for offset in offsets { bytes[offset] = UInt8(97 + round) }
          let tag = String(decoding: bytes, as: UTF8.self)
          let request = PostChangeRequest.changeRequest(stored[number])
          request?.tag = tag
          request?.priority = number % 2 == 0 ? Int32(round + 1) : 1
          let isSame = request.map { $0.tag == tags[number] && $0.priority == (number % 2 == 0 ? Int32(round) : 1) }
          tags[number] = tag
          switch request.flatMap({ context.try(submit: $0) }) {
          case .updated: break
          case .identity: #expect(isSame == true || number % 2 == 0 && round == 0)
          default: Issue.record("\(number) was not updated")
          }
          // The transaction sees what it has written.
          #expect(posts.first(where: Post.title == "\(number)")?.tag == tag, "\(size), \(offsets)")
        }
      }
    }
    let model = posts.all()
    #expect(model.map(\.tag) == tags)
    try StoredRows.expect(
      Dictionary(uniqueKeysWithValues: model.map { ($0._rowid, $0) }), StoredRows.posts, in: store.path, "\(size)")
    let other = store.reopened()
    #expect(other.fetch(for: Post.self).all().map(\.tag) == tags)
    other.shutdown()
    #expect(store.errors.values.isEmpty)
  }

  @Test func anyByteAndAnyRangeMayChange() throws {
    let store = try TestStore()
    let posts = store.workspace.fetch(for: Post.self)
    let size = 1700
    var bytes = (0..<2).map { Array(repeating: UInt8(97 + $0), count: size) }
    store.perform([Post.self]) { context in
      for number in 0..<2 {
        let tag = String(decoding: bytes[number], as: UTF8.self)
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: tag)))
      }
    }
    var random = SeededGenerator(seed: 1)
    let stored = Array(posts.all())
    store.perform([Post.self]) { context in
      func change(_ range: Range<Int>, of number: Int) {
        for offset in range { bytes[number][offset] = UInt8(97 + (Int(bytes[number][offset]) - 96) % 26) }
        let tag = String(decoding: bytes[number], as: UTF8.self)
        let request = PostChangeRequest.changeRequest(stored[number])
        request?.tag = tag
        request.map { _ = context.try(submit: $0) }
        // What a fetch reads is what has been written.
        #expect(posts.first(where: Post.title == "\(number)")?.tag == tag, "\(range)")
      }
      for offset in 0..<size { change(offset..<offset + 1, of: 0) }
      for _ in 0..<300 {
        let ends = [Int.random(in: 0...size, using: &random), Int.random(in: 0...size, using: &random)].sorted()
        change(ends[0]..<ends[1], of: Int.random(in: 0...1, using: &random))
      }
    }
    #expect(posts.all().map { $0.tag } == bytes.map { String(decoding: $0, as: UTF8.self) })
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }

  @Test func aSmallChangeOfALargeObjectWritesFewPages() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<10 {
        let tag = String(repeating: "x", count: 300_000)
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: tag, priority: 1)))
      }
    }
    let stored = store.workspace.fetch(for: Post.self).all()
    // The log begins anew, so that its size tells what is written from now on.
    store.workspace.shutdown()
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    store.perform([Post.self], in: workspace) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "small")))
    }
    func logSize() throws -> Int {
      try #require(FileManager.default.attributesOfItem(atPath: store.path + "-wal")[.size] as? Int)
    }
    let before = try logSize()
    #expect(before < 20 * 4120)
    store.perform([Post.self], in: workspace) { context in
      for (number, post) in stored.enumerated() {
        let request = PostChangeRequest.changeRequest(post)
        var bytes = Array((post.tag ?? "").utf8)
        bytes[number * 30_000 + 15_000] = 0x79
        request?.tag = String(decoding: bytes, as: UTF8.self)
        request.map { _ = context.try(submit: $0) }
      }
    }
    // A page of each object, where each has 74.
    let pages = (try logSize() - before) / 4120
    #expect((10...20).contains(pages), "\(pages) pages")
    #expect(workspace.fetch(for: Post.self).all().filter { $0.tag?.contains("y") ?? false }.count == 10)
  }
}
