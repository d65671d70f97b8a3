import EngineTestSupport
import Dflat
import FlatBuffersCore
import Foundation
import Golden_post
import Golden_scalars
import SQLiteDflat
import Testing

@Suite("Runs of updates are right for rows that were changed without the store")
struct StrangeRowUpdateTests {
  private func store(_ count: Int = 12) throws -> TestStore {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<count {
        context.try(
          submit: PostChangeRequest.creationRequest(Post(title: "\(number + 10)", tag: "aaaa", priority: 1)))
      }
    }
    return store
  }

  private func expectSound(_ store: TestStore, _ priorities: [Int32]) throws {
    let expected = priorities.enumerated().map { Post(title: "\($0.offset + 10)", tag: "aaaa", priority: $0.element) }
    try StoredRows.expect(
      Dictionary(uniqueKeysWithValues: zip(Int64(1)..., expected)), StoredRows.posts, in: store.path, "")
    #expect(store.workspace.fetch(for: Post.self).all().map(\.priority) == priorities)
  }

  /// What replaces a row's bytes.
  private static let strangeBytes = [
    "NULL", "x''", "zeroblob(length(p))", "randomblob(length(p))", "x'04'", "'text'", "17", "2.5",
    "CAST(replace(hex(zeroblob(length(p))), '00', 'a') AS TEXT)", "zeroblob(100000)",
  ]

  @Test("An upsert replaces bytes that are no object", arguments: strangeBytes, [3, 4, 8])
  func replacingStrangeBytes(_ bytes: String, row: Int) throws {
    let store = try store()
    try store.damage("UPDATE post SET p = \(bytes) WHERE rowid IN (\(row), \(row + 2))")
    store.perform([Post.self]) { context in
      for number in 0..<12 {
        let post = Post(title: "\(number + 10)", tag: "aaaa", priority: Int32(number + 2))
        guard case .updated? = context.try(submit: PostChangeRequest.upsertRequest(post)) else {
          Issue.record("\(number) was not updated")
          continue
        }
      }
    }
    try expectSound(store, (2...13).map { $0 })
    #expect(store.errors.values.isEmpty)
  }

  @Test("A wrong index entry becomes right when its field is changed")
  func wrongEntry() throws {
    let store = try store()
    try store.sql("UPDATE post__f10 SET f10 = 77 WHERE rowid % 2 = 0")
    store.perform([Post.self]) { context in
      for number in 0..<12 {
        let request = PostChangeRequest.changeRequest(Post(title: "\(number + 10)"))
        request?.priority = Int32(number + 2)
        request.map { _ = context.try(submit: $0) }
      }
    }
    try expectSound(store, (2...13).map { $0 })
  }

  @Test("An update adds no index entry for a row that has none")
  func missingEntry() throws {
    let store = try store()
    // The index is behind: an entry beyond those that there are would make it look complete.
    try store.sql("DELETE FROM post__f10 WHERE rowid > 6")
    store.perform([Post.self]) { context in
      for number in 0..<12 {
        let request = PostChangeRequest.changeRequest(Post(title: "\(number + 10)"))
        request?.priority = Int32(number + 2)
        request.map { _ = context.try(submit: $0) }
      }
      #expect(store.workspace.fetch(for: Post.self).where(Post.priority > 6).count == 7)
    }
    #expect(store.workspace.fetch(for: Post.self).where(Post.priority > 6).count == 7)
    // It is completed in the background.
    let missing = "SELECT count(*) FROM post WHERE rowid NOT IN (SELECT rowid FROM post__f10)"
    #expect(try eventually { try store.sql(missing) == [["0"]] })
    try expectSound(store, (2...13).map { $0 })
  }

  @Test("Rows that were deleted or replaced between two transactions are not mistaken for what they were")
  func rowsChangedByOthersBetweenTwoRuns() throws {
    let store = try store()
    let posts = store.workspace.fetch(for: Post.self)
    func run(_ priority: Int32, completing: Bool = true, _ numbers: [Int]) {
      store.perform([Post.self], completing: completing) { context in
        for number in numbers {
          guard let request = PostChangeRequest.changeRequest(fetched[number]) else {
            Issue.record("\(number) is gone")
            continue
          }
          request.priority = priority
          context.try(submit: request)
        }
      }
    }
    let fetched = posts.all()
    run(2, Array(0..<12))
    // Row 5 goes, row 6 becomes another object of the same size, and row 7 one of another.
    func hex(_ post: Post) throws -> String {
      var builder = FlatBufferBuilder()
      let root = post.to(flatBufferBuilder: &builder)
      try builder.finish(root)
      return builder.withFinishedBytes { bytes in bytes.map { String(format: "%02X", $0) }.joined() }
    }
    let six = Post(title: "96", tag: "bbbb", priority: 6)
    let seven = Post(title: "97", tag: "more than before", priority: 7)
    try store.sql(
      """
      DELETE FROM post WHERE rowid = 5; DELETE FROM post__f10 WHERE rowid = 5;
      UPDATE post SET __pk0 = '96', p = x'\(try hex(six))' WHERE rowid = 6;
      UPDATE post__f10 SET f10 = 6 WHERE rowid = 6;
      UPDATE post SET __pk0 = '97', p = x'\(try hex(seven))' WHERE rowid = 7;
      UPDATE post__f10 SET f10 = 7 WHERE rowid = 7;
      """)
    // What is in rows 6 and 7 are other objects now.
    store.perform([Post.self]) { _ in
      for number in 4...6 { #expect(PostChangeRequest.changeRequest(fetched[number]) == nil) }
    }
    run(3, Array(0..<4) + Array(7..<12))
    let expected = [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12].map { (rowid: Int64) in
      switch rowid {
      case 6: (rowid, six)
      case 7: (rowid, seven)
      default: (rowid, Post(title: "\(rowid + 9)", tag: "aaaa", priority: 3))
      }
    }
    let model = Dictionary(uniqueKeysWithValues: expected)
    try StoredRows.expect(model, StoredRows.posts, in: store.path, "")
    #expect(store.errors.values.isEmpty)
    // A change of one that is gone, asked for before it went: the whole transaction is undone.
    let gate = DispatchSemaphore(value: 0)
    let begun = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let outcome = Collected<Bool>()
    store.workspace.performChanges([Post.self]) { context in
      let requests = [0, 1, 2, 3, 8, 9].compactMap { PostChangeRequest.changeRequest(fetched[$0]) }
      begun.signal()
      gate.wait()
      for request in requests {
        request.priority = 4
        context.try(submit: request)
      }
    } completionHandler: {
      outcome.append($0)
      done.signal()
    }
    begun.wait()
    try store.sql("DELETE FROM post WHERE rowid = 9; DELETE FROM post__f10 WHERE rowid = 9")
    gate.signal()
    done.wait()
    #expect(outcome.values == [false] && eventually { store.errors.count == 1 })
    try StoredRows.expect(model.filter { $0.key != 9 }, StoredRows.posts, in: store.path, "")
  }

  @Test("The index entry of a number that an enum does not know is the number in the bytes", arguments: [false, true])
  func unknownNumbers(isShown: Bool) throws {
    let store = try TestStore()
    func sample(_ number: Int, _ distance: Distance, name: String) -> Sample {
      Sample(
        sensorId: UInt64(number + 1), level: .LOW, name: name, serial: UInt32(number + 1), distance: distance)
    }
    func bytes(_ sample: Sample) throws -> [UInt8] {
      var builder = FlatBufferBuilder()
      let root = sample.to(flatBufferBuilder: &builder)
      try builder.finish(root)
      return builder.withFinishedBytes { Array($0) }
    }
    // One that shows the default and is written as that takes no bytes for the number: a longer name makes up for it.
    let former = sample(0, .far, name: "name")
    let size = try bytes(former).count
    let name = try #require(
      try (0..<64).map { String(repeating: "n", count: $0) }.first {
        try bytes(sample(0, isShown ? .near : .far, name: $0)).count == size && $0.count > 4
      })
    store.perform([Sample.self]) { context in
      for number in 0..<8 {
        context.try(submit: SampleChangeRequest.creationRequest(sample(number, .far, name: "name")))
      }
    }
    // 4,000,000,000 becomes 3,999,999,999, as a newer schema may name it, in the bytes and in the index.
    let (known, unknown) = ("00286BEE", "FF276BEE")
    for rowid in 1...8 {
      let hex = try #require(try store.sql("SELECT hex(p) FROM sample_v1_1 WHERE rowid = \(rowid)").first?.first ?? nil)
      #expect(hex.contains(known))
      try store.sql(
        """
        UPDATE sample_v1_1 SET p = x'\(hex.replacingOccurrences(of: known, with: unknown))' WHERE rowid = \(rowid);
        UPDATE sample_v1_1__f40 SET f40 = 3999999999 WHERE rowid = \(rowid)
        """)
    }
    let samples = store.workspace.fetch(for: Sample.self)
    #expect(samples.all().map(\.distance) == Array(repeating: .near, count: 8))
    store.perform([Sample.self]) { context in
      for sample in samples.all() {
        let request = SampleChangeRequest.changeRequest(sample)
        request?.name = name
        if !isShown { request?.distance = .far }
        request.map { _ = context.try(submit: $0) }
      }
    }
    let number = isShown ? "1" : "4000000000"
    #expect(try store.sql("SELECT f40 FROM sample_v1_1__f40") == Array(repeating: [number], count: 8))
    #expect(try store.sql("SELECT f44 FROM sample_v1_1__f44") == Array(repeating: [name], count: 8))
    #expect(try store.sql("SELECT DISTINCT length(p) FROM sample_v1_1") == [["\(size)"]])
    #expect(samples.where(Sample.distance == (isShown ? .near : .far)).count == 8)
    #expect(samples.where(Sample.name == name).count == 8)
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    #expect(store.errors.values.isEmpty)
  }
}
