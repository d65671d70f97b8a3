import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

@Suite("During a commit, the dictionary shows its values before or after it, and waits for no disk")
struct DictionaryDuringCommitTests {
  @Test("A value that another process has replaced is not shown, though COMMIT has not returned")
  func replacedByOthers() throws {
    let store = try TestStore()
    let (own, other) = (store.workspace.dictionary, store.reopened())
    own["n"] = 1
    #expect(own.synchronize())
    let seen = Collected<Int>()
    let hook = try AfterCommit(store.workspace) {
      // What this workspace writes is on disk now, and it does not know yet.
      seen.append(own["n", default: -1])
      other.dictionary["n"] = 3
      _ = other.dictionary.synchronize()
      seen.append(own["n", default: -1])
      store.workspace.fetchWithinASnapshot { seen.append(own["n", default: -1]) }
    }
    own["n"] = 2
    #expect(own.synchronize())
    #expect(seen.values == [2, 3, 3])
    #expect(own["n"] == 3)
    other.shutdown()
    withExtendedLifetime(hook) { store.workspace.shutdown() }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A snapshot does not wait for a COMMIT of keys, and shows what was before it", arguments: [false, true])
  func snapshotDuringCommit(isTransaction: Bool) throws {
    let store = try TestStore()
    let (workspace, dictionary) = (store.workspace, store.workspace.dictionary)
    store.perform([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "a", priority: 1)))
      context.dictionary["n"] = 1
    }
    let hook = try BlockingCommitHook(workspace)
    hook.blockNextCommit()
    let writer = BackgroundThreads { _ in
      if isTransaction {
        store.perform([Post.self]) { context in
          let request = PostChangeRequest.changeRequest(Post(title: "a"))
          request?.priority = 2
          request.map { _ = context.try(submit: $0) }
          context.dictionary["n"] = 2
        }
      } else {
        dictionary["n"] = 2
        dictionary.synchronize()
      }
    }
    #expect(hook.hasBlocked.wait())
    let seen = Collected<Int>()
    let reader = BackgroundThreads { _ in
      workspace.fetchWithinASnapshot {
        seen.append(dictionary["n", default: -1])
        seen.append(Int(workspace.fetch(for: Post.self).first()?.priority ?? -1))
      }
    }
    // It ends while the COMMIT waits.
    #expect(reader.end())
    #expect(seen.values == (isTransaction ? [1, 1] : [2, 1]))
    hook.mayGoOn.open()
    #expect(writer.end())
    #expect(dictionary["n"] == 2)
    withExtendedLifetime(hook) { workspace.shutdown() }
  }

  @Test("A subscriber to a key that is not in memory sleeps while a COMMIT of other keys waits")
  func subscribingDuringCommit() throws {
    let store = try TestStore()
    let (workspace, dictionary) = (store.workspace, store.workspace.dictionary)
    store.perform([Post.self]) { $0.dictionary["n"] = 1 }
    let hook = try BlockingCommitHook(workspace)
    hook.blockNextCommit()
    let writer = BackgroundThreads { _ in store.perform([Post.self]) { $0.dictionary["n"] = 2 } }
    #expect(hook.hasBlocked.wait())
    let told = Collected<Int?>()
    let time = Locked(Duration.zero)
    let subscriber = BackgroundThreads { _ in
      time.value = processorTime {
        dictionary.subscribe("other", of: Int.self) { told.append($0.value) }.cancel()
      }
    }
    // Long enough, as a rule, for thousands of reads.
    usleep(500_000)
    hook.mayGoOn.open()
    #expect(writer.end() && subscriber.end())
    #expect(told.values == [nil])
    #expect(time.value < .milliseconds(100))
    withExtendedLifetime(hook) { workspace.shutdown() }
  }
}
