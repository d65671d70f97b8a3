import CSQLite
import Dflat
@testable import DflatEngine
import EngineTestSupport
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A snapshot shows the objects and the keys of one moment")
struct DictionarySnapshotTests {
  /// Calls a function when a reader next begins a read transaction, or each time. A snapshot has captured the pending
  /// values of the dictionary then, and has not read the file. Keep it as long as the reader is open.
  private final class BeforeReading: Sendable {
    private let next = Locked<(@Sendable () -> Void)?>(nil)
    private let always = Locked<(@Sendable () -> Void)?>(nil)

    init(_ reader: SQLiteConnection) {
      sqlite3_trace_v2(
        reader.handle, UInt32(SQLITE_TRACE_STMT),
        { _, context, statement, _ in
          guard let context, let statement, let sql = sqlite3_sql(OpaquePointer(statement)) else { return 0 }
          if String(cString: sql) == "BEGIN" {
            Unmanaged<BeforeReading>.fromOpaque(context).takeUnretainedValue().call()
          }
          return 0
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Calls a function each time; with nil, no more.
    func callAlways(_ body: (@Sendable () -> Void)?) { always.value = body }

    func callOnce(_ body: @escaping @Sendable () -> Void) { next.value = body }

    var hasCalled: Bool { next.value == nil }

    private func call() {
      always.value?()
      let body = next.change { (next: inout (@Sendable () -> Void)?) in
        defer { next = nil }
        return next
      }
      body?()
    }
  }

  /// Stores an object, and hooks the reader that the next snapshot uses: in a new read transaction, since there is a commit
  /// before.
  private func hookNextSnapshot(of posts: PostStore) throws -> BeforeReading {
    posts.insert("a")
    let database = posts.workspace.core.database
    let reader = try #require(try database.acquireReader(.fetch, inTransaction: false))
    let hook = BeforeReading(reader)
    database.release(reader, .fetch)
    posts.setPriority("a", 1)
    return hook
  }

  @Test("A key that is set while a snapshot begins shows if an object that was stored after it does")
  func setWhileItBegins() throws {
    let posts = try PostStore()
    let (workspace, dictionary) = (posts.workspace, posts.workspace.dictionary)
    let hook = try hookNextSnapshot(of: posts)
    dictionary["n"] = 1
    #expect(dictionary.synchronize())
    let other = posts.store.reopened()
    // The key stays pending, and the object is stored by another workspace.
    let seen = workspace.whileCommitsWait {
      hook.callOnce {
        dictionary["n"] = 2
        posts.store.perform([Post.self], in: other) { context in
          let request = PostChangeRequest.changeRequest(Post(title: "a"))
          request?.priority = 2
          request.map { _ = context.try(submit: $0) }
        }
      }
      return workspace.fetchWithinASnapshot {
        [Int(workspace.fetch(for: Post.self).first()?.priority ?? -1), dictionary["n", default: -1]]
      }
    }
    #expect(hook.hasCalled)
    #expect(seen == [2, 2])
    other.shutdown()
    withExtendedLifetime(hook) { workspace.shutdown() }
    #expect(posts.store.errors.values.isEmpty)
  }

  @Test("A snapshot whose objects and keys are never those of one moment fails, and the next one succeeds")
  func neverOneMoment() throws {
    let posts = try PostStore()
    let (workspace, dictionary) = (posts.workspace, posts.workspace.dictionary)
    let hook = try hookNextSnapshot(of: posts)
    let other = posts.store.reopened()
    let priority = Locked<Int32>(1)
    let snapshot = {
      try workspace.fetchWithinASnapshot { () throws -> Int32 in
        workspace.fetch(for: Post.self).first()?.priority ?? -1
      }
    }
    // The key stays pending, and an object is stored by another workspace at each attempt.
    try workspace.whileCommitsWait { () throws in
      dictionary["n"] = 1
      hook.callAlways {
        posts.store.perform([Post.self], in: other) { context in
          let request = PostChangeRequest.changeRequest(Post(title: "a"))
          request?.priority = priority.change { (priority: inout Int32) in
            priority += 1
            return priority
          }
          request.map { _ = context.try(submit: $0) }
        }
      }
      let error = #expect(throws: StoreError.self) { try snapshot() }
      #expect((error?.cause as? SQLiteError)?.code == SQLITE_BUSY)
      #expect((error?.cause as? SQLiteError)?.purpose == "Taking a snapshot")
      hook.callAlways(nil)
      let seen = try snapshot()
      #expect(seen == priority.value)
    }
    other.shutdown()
    withExtendedLifetime(hook) { workspace.shutdown() }
  }

  @Test("Values that were captured before the file was opened are captured again, unless there are none")
  func capturedBeforeOpening() throws {
    let posts = try PostStore()
    posts.insert("a")
    let database = posts.workspace.core.database
    let reader = try #require(try database.acquireReader(.snapshot, inTransaction: false))
    defer { database.release(reader, .snapshot) }
    try reader.takeSnapshot()
    let cache = DictionaryCache()
    let (namespace, key) = (cache.namespace(""), DictionaryKey("n"))
    let none = cache.capturePending()
    #expect(cache.isCurrent(none, on: reader))
    _ = cache.set(.integer(1), for: key, of: namespace, isUpdated: false)
    #expect(!cache.isCurrent(none, on: reader))
    let early = cache.capturePending()
    #expect(!cache.isCurrent(early, on: reader))
    let index = try #require(reader.walIndex)
    cache.watch(index)
    #expect(cache.isCurrent(cache.capturePending(), on: reader))
    cache.watch(nil)
  }
}
