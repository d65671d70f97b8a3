import Dflat
import Dispatch
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("Calls of Dflat 0.6 on a store")
struct StoreApiTests {
  private func withStore(_ body: (StoreApi) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-api-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("store.sqlite3").path
    let store = StoreApi(dflat: StoreApi.open(path, on: DispatchQueue(label: "store-api")))
    try await body(store)
    await store.closeAndWait()
  }

  @Test("Changes are stored, and reported as they were")
  func changes() async throws {
    try await withStore { store in
      let isDone = await withCheckedContinuation { continuation in
        store.create("first") { continuation.resume(returning: $0) }
      }
      #expect(isDone)
      store.touch()
      #expect(await store.createAndReport(Post(title: "second", priority: 2)))
      #expect(await !store.createAndReport(Post(title: "first")))
      let kept = await store.dflat.performChanges([Post.self]) { txnContext in
        let isNew = store.helper(txnContext, Post(title: "third", priority: 3))
        let isNewAgain = store.helper(txnContext, Post(title: "third", priority: 3))
        if !isNew || isNewAgain { txnContext.abort() }
      }
      #expect(kept)
      #expect(store.count(in: SharedStore(store.dflat)) == 3)
      let first = try #require(store.dflat.fetch(for: Post.self).where(Post.title == "first").first)
      #expect(StoreApi.describe(.updated(first)) == "updated first")
      #expect(StoreApi.describe(.inserted(first)) == "inserted first")
      #expect(StoreApi.describe(.identity(first)) == "left first")
      #expect(StoreApi.describe(.deleted(7)) == "deleted 7")
      #expect(StoreApi.isFinal(.aborted) && StoreApi.isFinal(.diskFull) && StoreApi.isFinal(.others))
      #expect(!StoreApi.isFinal(.objectAlreadyExists))
    }
  }

  /// What an app hands out instead of its workspace.
  private struct SharedStore: Queryable {
    let workspace: Workspace

    init(_ workspace: Workspace) { self.workspace = workspace }

    func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> { workspace.fetch(for: ofType) }

    func fetchWithinASnapshot<T>(_ closure: () -> T) -> T { workspace.fetchWithinASnapshot(closure) }
  }

  @Test("Stored objects are found, in order, and up to a limit")
  func reading() async throws {
    try await withStore { store in
      for number in 1...4 {
        #expect(await store.createAndReport(Post(title: "\(number)", priority: Int32(number % 3))))
      }
      #expect(store.read(.limit(1)).map { $0.map(\.title) } == [["2"], ["1", "2", "3", "4"], ["1", "2"]])
      #expect(store.read(.limit(-1)).map(\.count) == [1, 4, 2])
      let (all, ones) = store.snapshot()
      #expect(all == 4 && ones == 2)
      let posts = store.read(.noLimit)[1]
      #expect(store.walk(posts) == ["1", "2", "3", "4", "3 0..<4 [\"2\", \"3\", \"4\"]"])
      #expect(store.rebuilt(posts))
    }
  }

  @Test("A closed store completes and finds nothing, however often it is closed")
  func closing() async throws {
    try await withStore { store in
      #expect(await store.createAndReport(Post(title: "a")))
      await withCheckedContinuation { continuation in
        let calls = Calls(of: 2) { continuation.resume() }
        store.close { calls.count() }
      }
      store.close()
      #expect(store.dflat.fetch(for: Post.self).all().isEmpty)
      #expect(await !store.createAndReport(Post(title: "b")))
    }
  }

  /// Calls a closure when it has been counted so often.
  private final class Calls: @unchecked Sendable {
    // Unchecked because the variable is guarded by the lock.
    private let lock = NSLock()
    private var left: Int
    private let done: @Sendable () -> Void

    init(of number: Int, _ done: @escaping @Sendable () -> Void) {
      left = number
      self.done = done
    }

    func count() {
      let isLast = lock.withLock {
        left -= 1
        return left == 0
      }
      if isLast { done() }
    }
  }

  @Test("The options of a store have the names and numbers that they had")
  func options() {
    let levels = (1...4).compactMap(StoreApi.protection)
    #expect(levels.map(StoreApi.name) == ["A", "B", "C", "D"] && levels.map(StoreApi.number) == [1, 2, 3, 4])
    #expect(StoreApi.protection(5) == nil)
    #expect(StoreApi.isSafe(.full) && !StoreApi.isSafe(.normal))
    #expect(StoreApi.isSerial(.serial) && !StoreApi.isSerial(.concurrent))
    #expect(StoreApi.bits([.vacuum, .truncate]) == StoreApi.bits(.vacuum) + StoreApi.bits(.truncate))
  }
}
