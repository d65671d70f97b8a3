import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Snapshots whose fetches fail")
struct CheckedSnapshotTests {
  private struct OwnError: Error {}

  /// A workspace of a file that is no database.
  private func broken(_ store: TestStore, _ errors: Locked<[any Error]>) throws -> SQLiteWorkspace {
    let path = store.path + ".broken"
    try Data(repeating: 7, count: 4096).write(to: URL(fileURLWithPath: path))
    return SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection) { error in
      errors.change { $0.append(error) }
    }
  }

  @Test("A snapshot that cannot be taken fails each fetch in it, by whatever method, and is reported")
  func failedSnapshot() throws {
    let store = try TestStore()
    let errors = Locked<[any Error]>([])
    let workspace = try broken(store, errors)
    defer { workspace.shutdown() }
    let posts = workspace.fetch(for: Post.self)
    workspace.fetchWithinASnapshot {
      #expect(throws: StoreError.self) { try posts.throwing.all() }
      #expect(throws: StoreError.self) { try posts.throwing.count() }
      #expect(posts.all().isEmpty)
      #expect(errors.value.count == 1)
      #expect(workspace.dictionary["key", default: 7] == 7)
      #expect(errors.value.count == 2)
    }
  }

  @Test("A closure that may throw and fetches by methods that do not, throws what has failed")
  func swallowedFailure() throws {
    let store = try TestStore()
    let errors = Locked<[any Error]>([])
    let workspace = try broken(store, errors)
    defer { workspace.shutdown() }
    #expect(throws: StoreError.self) {
      try workspace.fetchWithinASnapshot { () throws -> Int in workspace.fetch(for: Post.self).count() }
    }
    #expect(throws: StoreError.self) {
      try workspace.fetchWithinASnapshot { () throws -> Int in workspace.dictionary["key", default: 3] }
    }
    // The error of the closure comes first.
    #expect(throws: OwnError.self) {
      try workspace.fetchWithinASnapshot { () throws -> Int in
        _ = workspace.fetch(for: Post.self).count()
        throw OwnError()
      }
    }
  }

  @Test("A snapshot whose fetches all succeed returns its value, and its fetches show one state")
  func value() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
    }
    let workspace = store.workspace
    let counts = try workspace.fetchWithinASnapshot { () throws -> [Int] in
      let before = try workspace.fetch(for: Post.self).throwing.count()
      store.perform([Post.self]) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
      }
      return [before, workspace.fetch(for: Post.self).count()]
    }
    #expect(counts == [1, 1])
    #expect(store.errors.values.isEmpty)
    // A failure in an error handler, or after the closure, is of no closure.
    workspace.shutdown()
    #expect(throws: StoreError.self) {
      try workspace.fetchWithinASnapshot { () throws -> Int in try workspace.fetch(for: Post.self).throwing.count() }
    }
  }
}
