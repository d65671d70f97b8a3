import Dflat
import EngineTestSupport
import Foundation
import Golden_codable
import TestSupport
import Testing

@testable import SQLiteDflat

/// `Photo` has no index.
@Suite(
  "A large transaction writes the pages to the log that it leaves behind",
  // With one processor, nothing is written beside the closure.
  .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
struct ChangedPagesTests {
  private static let count = 4_000

  private func storeWithPhotos() throws -> TestStore {
    let store = try TestStore()
    store.perform([Photo.self]) { context in
      for number in 0..<UInt32(Self.count) {
        let photo = Photo(title: "photo \(number)", number: number, origin: Point(x: 1, y: 2), count: -1)
        context.try(submit: PhotoChangeRequest.creationRequest(photo))
      }
    }
    return store
  }

  /// Updates photos, and tells `body` before the transaction ends by how many bytes the log has grown.
  private func update(
    _ photos: some Sequence<Photo>, in store: TestStore, aborting: Bool = false,
    _ body: @escaping (_ growth: Int) -> Void
  ) {
    let size = logSize(of: store)
    store.perform([Photo.self], completing: !aborting) { context in
      for photo in photos {
        guard let request = PhotoChangeRequest.changeRequest(photo) else {
          Issue.record("\(photo.title) is not there")
          continue
        }
        request.count = Int32(photo.number) + 1
        context.try(submit: request)
      }
      // A fetch waits until all is applied.
      let last = store.workspace.fetch(for: Photo.self).where(Photo.number == UInt32(Self.count) - 1)
      #expect(last.first?.count == Int32(Self.count))
      body(logSize(of: store) - size)
      if aborting { context.abort() }
    }
  }

  private func logSize(of store: TestStore) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: store.path + "-wal")
    return attributes?[.size] as? Int ?? 0
  }

  @Test("The log grows while the closure runs, and holds each page about once in the end")
  func growth() throws {
    let store = try storeWithPhotos()
    let former = logSize(of: store)
    var early = 0
    update(store.workspace.fetch(for: Photo.self).all(), in: store) { early = $0 }
    let pages = try #require(try store.sql("PRAGMA page_count")[0][0].flatMap { Int($0) })
    let size = try #require(try store.sql("PRAGMA page_size")[0][0].flatMap { Int($0) })
    #expect(early > pages * size / 4, "\(early) bytes of \(pages) pages")
    #expect(logSize(of: store) - former <= (pages + 16) * (size + 24))
    #expect(store.workspace.fetch(for: Photo.self).all().allSatisfy { $0.count == Int32($0.number) + 1 })
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("Pages that are changed again and again are left to the commit")
  func disorder() throws {
    let store = try storeWithPhotos()
    var generator = SeededGenerator(seed: 1)
    var early = 0
    update(store.workspace.fetch(for: Photo.self).all().shuffled(using: &generator), in: store) { early = $0 }
    #expect(early == 0)
    #expect(store.workspace.fetch(for: Photo.self).all().allSatisfy { $0.count == Int32($0.number) + 1 })
  }

  @Test("An abort, and a reader meanwhile, see nothing of them")
  func abort() throws {
    let store = try storeWithPhotos()
    let other = store.reopened()
    update(store.workspace.fetch(for: Photo.self).all(), in: store, aborting: true) { early in
      #expect(early > 0)
      // On another thread, since this one is in the transaction.
      let seen = Collected<Int>()
      let thread = Thread { seen.append(other.fetch(for: Photo.self).count(where: Photo.count == -1)) }
      thread.start()
      while seen.values.isEmpty { usleep(1_000) }
      #expect(seen.values == [Self.count])
    }
    #expect(store.workspace.fetch(for: Photo.self).count(where: Photo.count == -1) == Self.count)
    other.shutdown()
    // What an aborted transaction has left in the log is written over.
    update(store.workspace.fetch(for: Photo.self).all(), in: store) { _ in }
    #expect(store.workspace.fetch(for: Photo.self).all().allSatisfy { $0.count == Int32($0.number) + 1 })
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }
}
