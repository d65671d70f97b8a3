import EngineTestSupport
import CSQLite
import Dflat
import FlatBuffersCore
import Foundation
import Golden_codable
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Values that are too large or look alike are stored unchanged or refused, and the store goes on")
struct HardValueTests {
  private func codes(_ store: TestStore) -> [Int32?] { store.errors.values.map { ($0 as? SQLiteError)?.code } }

  private func create(_ title: String, _ context: any TransactionContext, tag: String? = nil) {
    context.try(submit: PostChangeRequest.creationRequest(Post(title: title, tag: tag)))
  }

  /// The titles of all posts, their bytes and not what Swift takes for the same.
  private func titles(_ store: TestStore) -> [[UInt8]] {
    store.workspace.fetch(for: Post.self).all().map { Array($0.title.utf8) }
  }

  // MARK: Too large

  /// SQLite takes no value of more than 1e9 bytes; a connection can be told to take even less.
  private func limitLength(_ store: TestStore, _ limit: Int32) throws {
    let writer = try store.workspace.core.database.writer()
    sqlite3_limit(writer.connection.handle, SQLITE_LIMIT_LENGTH, limit)
  }

  @Test("A value larger than SQLite takes fails the transaction", arguments: ["key", "row"])
  func largerThanSQLiteTakes(part: String) throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("a", $0) }
    try limitLength(store, 100_000)
    let long = String(repeating: "x", count: 100_001)
    // The key is bound before the row is, and the row alone is too long with the other.
    let post = part == "key" ? Post(title: long) : Post(title: "b", tag: long)
    store.perform([Post.self], completing: false) { context in
      create("c", context)
      #expect(throws: TransactionError.others) { try context.submit(PostChangeRequest.creationRequest(post)) }
      #expect(throws: TransactionError.others) {
        try context.submit(PostChangeRequest.creationRequest(Post(title: "d")))
      }
    }
    #expect(codes(store) == [SQLITE_TOOBIG])
    // An update, an upsert and a look-up by such a key, too.
    store.perform([Post.self], completing: false) { context in
      let request = PostChangeRequest.changeRequest(Post(title: "a"))
      request?.title = post.title
      request?.tag = post.tag
      request.map { _ = context.try(submit: $0) }
    }
    store.perform([Post.self], completing: false) { $0.try(submit: PostChangeRequest.upsertRequest(post)) }
    #expect(codes(store) == [SQLITE_TOOBIG, SQLITE_TOOBIG, SQLITE_TOOBIG])
    store.perform([Post.self]) { context in
      create("e", context)
      // The writer's connection answers, whose limit is the low one: nothing of such a length can be stored.
      _ = store.workspace.fetch(for: Post.self).where(Post.title == post.title && Post.tag == post.tag ?? "")
      #expect(store.workspace.fetch(for: Post.self).where(Post.title == "a").count == 1)
    }
    #expect(store.workspace.fetch(for: Post.self).all().map(\.title) == ["a", "e"])
    // A statement that has refused a value takes the next one.
    store.perform([Post.self]) { context in
      let request = PostChangeRequest.changeRequest(Post(title: "a"))
      request?.tag = "t"
      request.map { _ = context.try(submit: $0) }
    }
    #expect(store.workspace.fetch(for: Post.self).where(Post.tag == "t").map(\.title) == ["a"])
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }

  @Test("An index refuses a text that it cannot take, and nothing of the object is stored")
  func largerThanAnIndexTakes() throws {
    let store = try TestStore()
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 1, note: "a"))) }
    try limitLength(store, 100_000)
    let long = String(repeating: "x", count: 100_001)
    for thing in [Thing(id: 2, note: long), Thing(id: 2, name: long)] {
      store.perform([Thing.self], completing: false) { context in
        #expect(throws: TransactionError.others) { try context.submit(ThingChangeRequest.creation(thing)) }
      }
    }
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 3, note: "b"))) }
    #expect(store.workspace.fetch(for: Thing.self).all().map(\.id) == [1, 3])
    #expect(try store.sql("SELECT f14 FROM test__thing_v1_1__f14") == [["a"], ["b"]])
  }

  /// DFLAT_LARGE=1 runs what needs some gigabytes.
  private static let isLarge = ProcessInfo.processInfo.environment["DFLAT_LARGE"] != nil

  @Test("A string of 2 GiB, and a shorter one that SQLite does not take, fail the transaction", .enabled(if: isLarge))
  func twoGibibytes() throws {
    for (count, code) in [(1 << 31, nil), (1_000_000_001, SQLITE_TOOBIG)] as [(Int, Int32?)] {
      let store = try TestStore()
      store.perform([Post.self]) { create("a", $0) }
      let long = String(unsafeUninitializedCapacity: count) { bytes in
        bytes.initialize(repeating: 0x78)
        return count
      }
      store.perform([Post.self], completing: false) { context in
        #expect(throws: TransactionError.others) {
          try context.submit(PostChangeRequest.creationRequest(Post(title: "b", tag: long)))
        }
      }
      #expect(store.errors.count == 1)
      if let code { #expect(codes(store) == [code]) } else { #expect(store.errors.values[0] is FlatBufferError) }
      if code == nil {
        // As what a page starts after.
        store.errors.removeAll()
        #expect(store.workspace.fetch(for: Post.self).all(after: Post(title: "b", tag: long)).isEmpty)
        #expect(store.errors.count == 1 && store.errors.values[0] is FlatBufferError)
      }
      // As what is asked for: SQLite is not asked, or refuses it.
      #expect(store.workspace.fetch(for: Post.self).where(Post.tag == long).isEmpty)
      #expect(store.workspace.fetch(for: Post.self).where(Post.title == long).isEmpty)
      store.perform([Post.self]) { create("c", $0) }
      #expect(store.workspace.fetch(for: Post.self).all().map(\.title) == ["a", "c"])
    }
  }

  @Test("Vectors of a million elements come back as they were stored")
  func aMillionElements() throws {
    let store = try TestStore()
    let images = (0..<1_000_000).map { $0 % 3 == 0 ? "" : "\($0)" }
    let post = Post(title: "a", content: .imageContent(ImageContent(images: images)))
    let photo = Photo(
      title: "p", number: 1, origin: Point(), moods: (0..<1_000_000).map { $0 % 2 == 0 ? .calm : .stormy })
    store.perform([Post.self, Photo.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(post))
      context.try(submit: PhotoChangeRequest.creationRequest(photo))
    }
    let stored = try #require(store.workspace.fetch(for: Post.self).first())
    guard case .imageContent(let content)? = stored.content else {
      Issue.record("no images")
      return
    }
    #expect(content.images == images)
    #expect(try #require(store.workspace.fetch(for: Photo.self).first()).moods == photo.moods)
    // The same again is no change.
    store.perform([Post.self]) { context in
      guard case .identity? = context.try(submit: PostChangeRequest.upsertRequest(post)) else {
        Issue.record("written again")
        return
      }
    }
    #expect(store.errors.values.isEmpty)
  }

  // MARK: Alike

  @Test("An empty primary key is a key like any other")
  func anEmptyPrimaryKey() throws {
    let store = try TestStore()
    let posts = store.workspace.fetch(for: Post.self)
    store.perform([Post.self, Thing.self]) { context in
      create("", context)
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(PostChangeRequest.creationRequest(Post(title: "")))
      }
      create("\0", context)
      context.try(submit: ThingChangeRequest.creation(Thing(id: 0, name: "")))
    }
    #expect(posts.where(Post.title == "").count == 1 && posts.where(Post.title > "").count == 1)
    #expect(posts.count(where: Post.title.isNull) == 0)
    #expect(store.workspace.fetch(for: Thing.self).where(Thing.name == "" && Thing.id == 0).count == 1)
    store.perform([Post.self]) { context in
      guard case .updated? = context.try(submit: PostChangeRequest.upsertRequest(Post(title: "", priority: 7))) else {
        Issue.record("not updated")
        return
      }
    }
    #expect(posts.where(Post.title == "").map(\.priority) == [7])
    #expect(posts.all(orderBy: [Post.title.ascending], after: posts.where(Post.title == "").first).count == 1)
    store.perform([Post.self]) { context in
      PostChangeRequest.deletionRequest(Post(title: "")).map { _ = context.try(submit: $0) }
    }
    #expect(titles(store) == [[0]])
    #expect(try store.sql("SELECT typeof(__pk0), length(CAST(__pk0 AS BLOB)) FROM post") == [["text", "1"]])
  }

  /// Keys that Swift takes for the same, or that end early for code that looks for a NUL.
  private static let alike = [
    "é", "e\u{301}", "a", "a\0", "a\0b", "a\0c", "Å", "\u{212B}", "A\u{30A}", "ﬁ", "fi", "\u{FEFF}a",
  ]

  @Test("Keys that differ in their Unicode form, or behind a NUL, are different", arguments: [true, false])
  func keysThatLookAlike(inOneTransaction: Bool) throws {
    let store = try TestStore()
    let posts = store.workspace.fetch(for: Post.self)
    let keys = HardValueTests.alike
    func perform(_ body: @escaping (String, any TransactionContext) -> Void) {
      if inOneTransaction {
        store.perform([Post.self, Thing.self]) { context in for key in keys { body(key, context) } }
      } else {
        for key in keys { store.perform([Post.self, Thing.self]) { body(key, $0) } }
      }
    }
    perform { key, context in
      create(key, context)
      context.try(submit: ThingChangeRequest.creation(Thing(id: 1, name: key, note: key)))
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(PostChangeRequest.creationRequest(Post(title: key)))
      }
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(ThingChangeRequest.creation(Thing(id: 2, name: key, note: key)))
      }
    }
    #expect(titles(store) == keys.map { Array($0.utf8) })
    #expect(Set(posts.all().map(\._rowid)).count == keys.count)
    // Each is changed by its own key, in a transaction that knows the others.
    perform { key, context in
      _ = posts.all()
      let request = PostChangeRequest.changeRequest(Post(title: key))
      request?.tag = key
      request.map { _ = context.try(submit: $0) }
      guard
        case .updated? = context.try(submit: PostChangeRequest.upsertRequest(Post(title: key, tag: key, priority: 5)))
      else {
        Issue.record("\(key.debugDescription) not updated")
        return
      }
    }
    let sorted = keys.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    for (index, key) in keys.enumerated() {
      let bytes = Array(key.utf8)
      for found in [
        posts.where(Post.title == key), posts.where(Post.tag == key), posts.where(Post.title.in([key, "none"])),
        posts.where(Post.title == key && Post.priority == 5), posts.where(Post.tag.in([key])),
      ] {
        #expect(found.map { Array($0.title.utf8) } == [bytes], "\(key.debugDescription)")
        #expect(found.first.map { Array($0.tag?.utf8 ?? "".utf8) } == bytes)
        #expect(found.first?._rowid == Int64(index + 1))
      }
      let things = store.workspace.fetch(for: Thing.self)
      #expect(things.where(Thing.note == key).map { Array($0.name.utf8) } == [bytes])
      #expect(things.where(Thing.name == key && Thing.id == 1).map { Array($0.note?.utf8 ?? "".utf8) } == [bytes])
      #expect(posts.count(where: Post.title < key) == sorted.firstIndex(of: bytes))
      // By a list of values: each is compared by itself.
      #expect(
        posts.first(orderBy: [keys.firstIndex(of: Post.title).descending])?.title.utf8.elementsEqual("\u{FEFF}a".utf8)
          == true)
    }
    // Pages, one object each.
    var pages: [[UInt8]] = []
    var last: Post?
    repeat {
      let page = posts.all(limit: .limit(1), orderBy: [Post.tag.ascending], after: last)
      pages += page.map { Array($0.title.utf8) }
      last = page.last
    } while last != nil && pages.count <= keys.count
    #expect(pages == sorted)
    // To become another that looks the same is a change.
    store.perform([Post.self]) { context in
      PostChangeRequest.deletionRequest(Post(title: "é")).map { _ = context.try(submit: $0) }
      let request = PostChangeRequest.changeRequest(Post(title: "e\u{301}"))
      request?.title = "é"
      guard case .updated? = request.flatMap({ context.try(submit: $0) }) else {
        Issue.record("no change")
        return
      }
    }
    #expect(posts.where(Post.title == "é").map(\._rowid) == [2] && posts.where(Post.title == "e\u{301}").isEmpty)
    #expect(store.errors.values.isEmpty)
  }

  @Test("Transactions that are committed together keep keys apart that look alike")
  func keysThatLookAlikeInSeveralTransactions() throws {
    let store = try TestStore()
    let done = DispatchGroup()
    let gate = DispatchSemaphore(value: 0)
    let outcomes = Collected<Bool>()
    store.workspace.performChanges([Post.self]) { _ in gate.wait() }
    for key in HardValueTests.alike {
      done.enter()
      store.workspace.performChanges([Post.self]) { context in
        create(key, context)
        // So long that those before are committed in the middle of this one.
        usleep(8000)
        let request = PostChangeRequest.changeRequest(Post(title: key))
        request?.tag = key
        request.map { _ = context.try(submit: $0) }
      } completionHandler: {
        outcomes.append($0)
        done.leave()
      }
    }
    gate.signal()
    #expect(done.wait(timeout: .now() + patience) == .success)
    #expect(outcomes.values == HardValueTests.alike.map { _ in true })
    #expect(titles(store) == HardValueTests.alike.map { Array($0.utf8) })
    #expect(
      store.workspace.fetch(for: Post.self).all().allSatisfy { $0.tag?.utf8.elementsEqual($0.title.utf8) == true })
    #expect(store.errors.values.isEmpty)
  }
}
