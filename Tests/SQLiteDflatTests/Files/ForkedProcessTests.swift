import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("A forked child of a process that has a store open")
struct ForkedProcessTests {
  // A process of its own, which has no threads that hold locks while it forks.
  @Test("A child gets an error for each use of the store, at once, and the parent's store is as it was")
  func child() async throws {
    let store = try TestStore()
    await store.workspace.shutdown()
    await #expect(processExitsWith: .success) { [path = store.path as String] in
      let errors = Locked<[any Error]>([])
      let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection) { error in
        errors.change { $0.append(error) }
      }
      let isStored = await workspace.performChanges([Post.self]) { transaction in
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "parent")))
      }
      guard isStored else { _exit(1) }
      _ = workspace.dictionary["key", default: 1]
      let status = forkedChildReturns {
        let posts = workspace.fetch(for: Post.self)
        func isRefused(_ use: () throws -> Void) -> Bool {
          do {
            try use()
            return false
          } catch StoreError.failed(let cause) {
            return cause is ForkedProcessError
          } catch {
            return false
          }
        }
        guard isRefused({ _ = try posts.throwing.all() }), isRefused({ _ = try posts.throwing.count() }) else {
          return 11
        }
        guard isRefused({ _ = try workspace.fetchWithinASnapshot { try posts.throwing.count() } }) else { return 12 }
        guard posts.all().isEmpty, errors.value.count == 1, errors.value[0] is ForkedProcessError else { return 13 }
        let answer = Locked<Bool?>(nil)
        let box = Locked<Bool?>(nil)
        workspace.performChanges([Post.self], changesHandler: { _ in box.change { $0 = true } }) { isStored in
          answer.change { $0 = isStored }
        }
        guard answer.value == false, box.value == nil, errors.value.count == 2 else { return 14 }
        workspace.dictionary["key"] = 2
        guard !workspace.dictionary.synchronize(), errors.value.last is ForkedProcessError else { return 15 }
        workspace.shutdown()
        return 16
      }
      guard status == 16 else {
        print("the child has returned \(status)")
        _exit(2)
      }
      let isChanged = await workspace.performChanges([Post.self]) { transaction in
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "parent again")))
      }
      guard isChanged, workspace.fetch(for: Post.self).count() == 2, errors.value.isEmpty else { _exit(3) }
      await workspace.shutdown()
    }
  }

  @Test("A temporary store outlives a child that ends")
  func temporaryStore() async throws {
    await #expect(processExitsWith: .success) {
      let workspace = SQLiteWorkspace.temporary()
      await workspace.performChanges([Post.self]) { transaction in
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "parent")))
      }
      // Functions that were registered with `atexit` run in the child, too.
      guard forkedChildReturns({ exit(17) }) == 17 else { _exit(1) }
      let isChanged = await workspace.performChanges([Post.self]) { transaction in
        transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: "parent again")))
      }
      guard isChanged, workspace.fetch(for: Post.self).count() == 2 else { _exit(2) }
      await workspace.shutdown()
    }
  }
}
