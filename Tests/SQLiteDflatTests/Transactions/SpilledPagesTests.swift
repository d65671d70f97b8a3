import Dflat
import EngineTestSupport
import Foundation
import Golden_codable
import TestSupport
import Testing

@testable import SQLiteDflat

/// A transaction that changes more pages than SQLite's cache holds (2 MB) has some of them written to the log before its commit.
@Suite("Pages that SQLite writes to the log before the commit")
struct SpilledPagesTests {
  private static let count = 4_000

  private func logSize(of store: TestStore) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: store.path + "-wal")
    return attributes?[.size] as? Int ?? 0
  }

  @Test("A reader sees no spilled page before the commit, and nobody sees one after an abort")
  func abort() throws {
    let store = try TestStore()
    let padding = String(repeating: "x", count: 1_000)
    store.perform([Photo.self]) { context in
      for number in 0..<UInt32(Self.count) {
        let photo = Photo(title: "\(number) \(padding)", number: number, origin: Point(x: 1, y: 2), count: -1)
        context.try(submit: PhotoChangeRequest.creationRequest(photo))
      }
    }
    #expect(try store.sql("PRAGMA wal_checkpoint(TRUNCATE)") == [["0", "0", "0"]])
    let other = store.reopened()
    let photos = store.workspace.fetch(for: Photo.self).all()
    store.perform([Photo.self], completing: false) { context in
      for photo in photos {
        guard let request = PhotoChangeRequest.changeRequest(photo) else {
          Issue.record("\(photo.number) is not there")
          continue
        }
        request.count = Int32(photo.number) + 1
        context.try(submit: request)
      }
      // A fetch has everything applied.
      #expect(store.workspace.fetch(for: Photo.self).count(where: Photo.count > 0) == Self.count)
      #expect(self.logSize(of: store) > 1_000_000)
      // On another thread, since this one is in the transaction.
      let seen = Collected<Int>()
      let thread = Thread { seen.append(other.fetch(for: Photo.self).count(where: Photo.count == -1)) }
      thread.start()
      while seen.values.isEmpty { usleep(1_000) }
      #expect(seen.values == [Self.count])
      context.abort()
    }
    #expect(store.workspace.fetch(for: Photo.self).count(where: Photo.count == -1) == Self.count)
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }
}
