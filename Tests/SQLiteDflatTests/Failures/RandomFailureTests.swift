import EngineTestSupport
import CSQLite
import Dflat
import Dispatch
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Exactly those transactions are stored that complete with true, whatever happens meanwhile")
struct RandomFailureTests {
  /// Lets commits fail at random.
  private final class FailingCommits: @unchecked Sendable {
    // Unchecked because the variables are guarded by the lock.
    private let lock = NSLock()
    private var random: SeededGenerator
    private var failed = 0

    init(_ workspace: SQLiteWorkspace, seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      // Whoever makes this object keeps it until it ends.
      sqlite3_commit_hook(
        try workspace.core.database.writer().connection.handle,
        { commits in
          guard let commits else { return 0 }
          return Unmanaged<FailingCommits>.fromOpaque(commits).takeUnretainedValue().commit()
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func commit() -> Int32 {
      lock.withLock {
        guard Int.random(in: 0..<100, using: &random) < 25 else { return 0 }
        failed += 1
        return 1
      }
    }

    func end(_ workspace: SQLiteWorkspace) throws -> Int {
      sqlite3_commit_hook(try workspace.core.database.writer().connection.handle, nil, nil)
      return lock.withLock { failed }
    }
  }

  /// What a transaction has found.
  private struct Finding {
    let number: Int
    let titles: Set<String>
    let ids: Set<Int64>
  }

  private static let typeLists: [[Any.Type]] = [[Post.self], [Thing.self], [Post.self, Thing.self]]

  @Test("Every fourth commit fails", arguments: LongForm.seeds(2))
  func failingCommits(seed: Int) throws {
    let store = try TestStore()
    let workspace = store.workspace
    let failing = try FailingCommits(workspace, seed: UInt64(seed))
    var plan = PostGenerator(random: SeededGenerator(seed: UInt64(seed) << 20))
    let outcomes = Collected<(Int, Bool)>()
    let findings = Collected<Finding>()
    let done = DispatchGroup()
    let count = 150
    for number in 0..<count {
      let kind = plan.pick([0, 1, 2])
      // The long ones stand aside for those before them, and so do those that pause.
      let parts = plan.pick([0, 1, 1, 1, 1, 100])
      let pause = plan.pick([0, 0, 0, 0, 0, 0, 12_000])
      let reads = plan.chance(50)
      done.enter()
      workspace.performChanges(Self.typeLists[kind]) { context in
        if reads {
          findings.append(
            Finding(
              number: number, titles: kind == 1 ? [] : Set(workspace.fetch(for: Post.self).all().map(\.title)),
              ids: kind == 0 ? [] : Set(workspace.fetch(for: Thing.self).all().map(\.id))))
        }
        for part in 0..<parts {
          // After a failure of those before it, which it has seen, it fails, too.
          if kind != 1 { context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number).\(part)"))) }
          if kind != 0 { context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number * 1000 + part)))) }
          if part == 0, pause > 0 { usleep(UInt32(pause)) }
        }
      } completionHandler: {
        outcomes.append((number, $0))
        done.leave()
      }
    }
    #expect(done.wait(timeout: .now() + patience) == .success)
    let failures = try failing.end(workspace)
    #expect(outcomes.values.map(\.0).sorted() == Array(0..<count))
    let succeeded = Set(outcomes.values.filter(\.1).map(\.0))
    let titles = Set(workspace.fetch(for: Post.self).all().map(\.title))
    let ids = Set(workspace.fetch(for: Thing.self).all().map(\.id))
    let writers = Set(titles.compactMap { Int($0.prefix { $0 != "." }) }).union(ids.map { Int($0) / 1000 })
    #expect(writers.isSubset(of: succeeded), "seed \(seed)")
    for finding in findings.values where succeeded.contains(finding.number) {
      let isStored = finding.titles.isSubset(of: titles) && finding.ids.isSubset(of: ids)
      #expect(isStored, "seed \(seed): \(finding.number) has seen what is not stored")
    }
    #expect(failures > 0 && succeeded.count > 10)
    workspace.shutdown()
    // Whoever fails is told why. A commit of several that fails is no error yet: each is tried alone.
    #expect(eventually { store.errors.count >= count - succeeded.count })
    #expect(store.errors.count <= failures + count - succeeded.count)
  }

  @Test(
    "Exactly those transactions are stored that complete with true, also during a shutdown",
    arguments: LongForm.seeds(3))
  func shutdown(seed: Int) throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first"))) }
    store.workspace.shutdown()
    try store.sql("DROP TABLE post__f10")
    let workspace = store.reopened()
    let asked = Collected<String>()
    let outcomes = Collected<(String, Bool)>()
    let threads = DispatchGroup()
    for thread in 0..<4 {
      threads.enter()
      Thread.detachNewThread {
        var random = PostGenerator(random: SeededGenerator(seed: UInt64(seed * 10 + thread)))
        for number in 0..<60 {
          let posts = workspace.fetch(for: Post.self)
          switch random.pick([0, 0, 1, 2]) {
          case 0:
            let title = "\(thread).\(number)"
            asked.append(title)
            workspace.performChanges(number % 2 == 0 ? [Post.self] : [Post.self, Thing.self]) { context in
              _ = workspace.fetch(for: Post.self).where(Post.priority == 0, limit: .limit(3)).count
              context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
              if number % 7 == 0 { usleep(3000) }
            } completionHandler: {
              outcomes.append((title, $0))
            }
          case 1: _ = posts.where(Post.priority == 0).count
          default: workspace.fetchWithinASnapshot { _ = (posts.count(), posts.count()) }
          }
          if number == 40 { workspace.shutdown(flags: thread == 2 ? .truncate : []) }
        }
        threads.leave()
      }
    }
    var random = SeededGenerator(seed: seed)
    usleep(UInt32(random.next(5000)))
    workspace.shutdown(flags: seed % 2 == 0 ? .vacuum : [])
    // All that are stored have completed by now.
    let stored = outcomes.values.filter(\.1).map(\.0)
    #expect(threads.wait(timeout: .now() + patience) == .success)
    #expect(eventually { outcomes.count >= asked.count })
    #expect(outcomes.values.map(\.0).sorted() == asked.values.sorted())
    #expect(outcomes.values.count(where: \.1) == stored.count)
    let again = store.reopened()
    #expect(Set(again.fetch(for: Post.self).all().map(\.title)) == Set(stored + ["first"]))
    again.shutdown()
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
