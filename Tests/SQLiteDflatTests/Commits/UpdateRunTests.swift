import EngineTestSupport
import Dflat
import FlatBuffersCore
import Foundation
import Golden_post
import Golden_scalars
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Runs of updates leave what they were told to store")
struct UpdateRunTests {
  @Test("Random runs of updates leave what a dictionary holds", arguments: 1...6)
  func randomRuns(seed: Int) throws {
    try RandomUpdates(seed: seed).run(rounds: 8)
  }

  @Test(
    "A row may follow another up to 8 numbers later, at both ends of the row numbers, too",
    arguments: [.min, -4, 0, .max - 9] as [Int64])
  func distances(first: Int64) {
    let run: ContiguousArray = [EncodedRow(rowid: first, bytes: UnsafeRawBufferPointer(start: nil, count: 0))]
    let followers = [0, 1, 8, 9].map { WriteMerger.mayFollow(first + $0, run) }
    #expect(followers == [false, true, true, false])
    #expect(!WriteMerger.mayFollow(.min, run) && !WriteMerger.mayFollow(.max, run))
  }

  @Test("Rows with the lowest numbers that SQLite has are updated in one transaction")
  func lowestRows() throws {
    let posts = try PostStore()
    posts.insert("0", "1", "2", "3")
    try posts.store.sql("UPDATE post SET rowid = -9223372036854775808 + rowid - 1")
    // The first transaction after a commit of others verifies each row, so that it merges no updates.
    posts.setPriority("0", 9)
    posts.store.perform([Post.self]) { context in
      for number in 0..<4 {
        let request = PostChangeRequest.changeRequest(Post(title: "\(number)"))
        request?.priority = Int32(number + 1)
        request.map { _ = context.try(submit: $0) }
      }
    }
    let rows = try posts.store.sql("SELECT rowid FROM post ORDER BY rowid LIMIT 1")
    #expect(rows == [["-9223372036854775808"]])
    #expect(try (0..<4).map { try posts.post("\($0)").priority } == [1, 2, 3, 4])
    #expect(posts.store.errors.values.isEmpty)
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

  @Test("Any byte and any range of an object may change, again and again")
  func anyByteAndAnyRange() throws {
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
}
