import Dflat
import Dispatch
import EngineTestSupport
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

#if compiler(>=6.3) && os(Linux)
  @Suite("Under load, no lock is held each time that a suspension has begun")
  struct SuspensionUnderLoadTests {
    /// What the threads that load the store have been told.
    private final class Load: Sendable {
      let workspace: SQLiteWorkspace
      let isOver = Gate()
      /// The titles of posts whose transactions completed with true, and how often each closure has run.
      let stored = Collected<String>()
      let runs = Locked<[String: Int]>([:])
      let failures = Locked(0)
      let increments = Locked(0)
      let outstanding = DispatchGroup()
      let room = DispatchSemaphore(value: 64)

      init(_ workspace: SQLiteWorkspace) { self.workspace = workspace }

      func perform(
        _ types: [Any.Type], _ name: String, storing count: Int,
        _ changes: @escaping @Sendable (any TransactionContext) -> Void
      ) {
        room.wait()
        outstanding.enter()
        workspace.performChanges(types) { context in
          self.runs.change { $0[name, default: 0] += 1 }
          changes(context)
        } completionHandler: { success in
          if success {
            for part in 0..<count { self.stored.append("\(name) \(part)") }
          } else {
            self.failures.change { $0 += 1 }
          }
          self.room.signal()
          self.outstanding.leave()
        }
      }

      func create(_ count: Int, _ name: String, _ context: any TransactionContext) {
        for part in 0..<count {
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(name) \(part)", priority: 1)))
        }
      }
    }

    private static func write(_ load: Load, _ seed: Int) {
      var random = SeededGenerator(seed: seed)
      for number in 0... {
        if load.isOver.isOpen { return }
        let name = "\(seed)-\(number)"
        // Some take the writer, since they submit much, or fetch what they have submitted.
        let count = random.once(in: 20) ? 100 : 1
        let fetches = random.once(in: 10)
        load.perform([Post.self], name, storing: count) { context in
          load.create(count, name, context)
          if fetches { _ = load.workspace.fetch(for: Post.self).where(Post.title == "\(name) 0").count }
        }
        // Or the store would become as large as the machine is fast.
        usleep(UInt32(200 + random.next(2000)))
      }
    }

    private static func increment(_ load: Load) {
      while !load.isOver.isOpen {
        load.room.wait()
        load.outstanding.enter()
        load.workspace.performChanges([Thing.self]) { context in
          let thing = load.workspace.fetch(for: Thing.self).where(Thing.id == 0).first ?? Thing(id: 0, name: "counter")
          context.try(
            submit: ThingChangeRequest.upsert(Thing(id: 0, name: "counter", big: thing.big + 1, note: "\(thing.big)")))
        } completionHandler: { success in
          if success { load.increments.change { $0 += 1 } } else { load.failures.change { $0 += 1 } }
          load.room.signal()
          load.outstanding.leave()
        }
        usleep(500)
      }
    }

    private static func read(_ load: Load, _ seed: Int) {
      var random = SeededGenerator(seed: seed)
      let workspace = load.workspace
      while !load.isOver.isOpen {
        switch random.next(5) {
        case 0: workspace.fetchWithinASnapshot { _ = workspace.fetch(for: Post.self).count() }
        case 1: workspace.dictionary["\(random.next(50))"] = random.next(1000)
        case 2: _ = workspace.dictionary["\(random.next(50))", Int.self]
        case 3: _ = workspace.fetch(for: Thing.self).where(Thing.note == "5").count
        default: _ = workspace.fetch(for: Post.self).where(Post.priority > 1, limit: .limit(10)).count
        }
        usleep(UInt32(random.next(500)))
      }
    }

    /// Has indexes filled again and again.
    private static func fillIndexes(_ load: Load) {
      let core = load.workspace.core
      while !load.isOver.isOpen {
        core.committer.acquireWriter(.background)
        if let writer = try? core.database.writer(), (try? writer.connection.hasTable("post")) == true {
          try? writer.removeMarks(Set(Post._record.indexes.indices), of: Post._record)
        }
        core.committer.releaseWriter()
        core.catchUp.request(Post._record)
        usleep(3000)
      }
    }

    /// What suspensions have shown.
    private struct Findings {
      /// Milliseconds until a suspension has begun, after which no lock is held.
      var times: [Double] = []
      /// How often the other process was asked while the store was suspended.
      var checks = 0
      /// Descriptions of the locks that it found then.
      var held: [String] = []
      /// How many locks it found at random moments between the suspensions.
      var heldBetween = 0

      var summary: String {
        let sorted = times.sorted()
        return """
          \(times.count) suspensions, \(checks) checks by another process, which found \(held.count) locks, and \(heldBetween) \
          between the suspensions; milliseconds until no lock is held: median \(sorted[sorted.count / 2]), \
          99 % \(sorted[sorted.count * 99 / 100]), most \(sorted[sorted.count - 1])
          """
      }
    }

    /// The suspensions of one store. A new one follows, or it would become so large that the threads only read.
    private static let stretch = 1000

    @Test("A suspension at a random time releases every lock, whatever other threads do")
    func atRandomMoments() async throws {
      let reader = try LockReader()
      async let end: Void = reader.serve()
      let outcome = await onThread {
        Result {
          defer { try? reader.close() }
          var findings = Findings()
          let size = LongForm.suspensions.size
          for first in stride(from: 0, to: size, by: Self.stretch) {
            try Self.suspend(min(size - first, Self.stretch), seed: LongForm.seed + first, reader, &findings)
          }
          return findings
        }
      }
      await end
      let findings = try outcome.get()
      #expect(findings.held.isEmpty, "\(findings.held.prefix(10))")
      // The other process can see locks: it saw those of the open store.
      #expect(findings.heldBetween > 0)
      print(findings.summary)
      LongForm.record(LongForm.suspensions.size, "suspensions under load")
      LongForm.record(findings.checks, "looks of another process for locks during suspensions")
    }

    /// Suspends and resumes a store at random times while threads use it, and verifies what it holds in the end.
    private static func suspend(_ rounds: Int, seed: Int, _ reader: LockReader, _ findings: inout Findings) throws {
      let store = try TestStore()
      let load = Load(store.workspace)
      // Also if the test fails: the threads would go on for as long as other tests run.
      defer { load.isOver.open() }
      let observed = Collected<Int>()
      let subscription = store.workspace.subscribe(
        fetchedResult: store.workspace.fetch(for: Post.self).where(Post.title == "nobody")
      ) { observed.append($0.count) }
      let threads = BackgroundThreads(7) { thread in
        switch thread {
        case 0, 1: write(load, seed + thread)
        case 2: increment(load)
        case 3: fillIndexes(load)
        default: read(load, seed + 100 + thread)
        }
      }
      var random = SeededGenerator(seed: seed)
      for round in 0..<rounds {
        usleep(UInt32(random.next(8000)))
        if random.once(in: 10) { findings.heldBetween += try reader.locks(of: store.path).count }
        let begin = DispatchTime.now()
        try store.workspace.suspend(within: .seconds(patience))
        findings.times.append(Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e6)
        for moment in ["at once", "later"] {
          let held = try reader.locks(of: store.path)
          findings.checks += 1
          findings.held += held.map { "seed \(seed), round \(round), \(moment): \($0)" }
          if moment == "at once" { usleep(UInt32(random.next(1500))) }
        }
        store.workspace.resume()
      }
      load.isOver.open()
      #expect(threads.end())
      #expect(load.outstanding.wait(timeout: .now() + patience) == .success)
      // Nothing that was told to be stored is lost, nothing else is there, and nothing has run twice.
      #expect(load.failures.value == 0)
      let titles = store.workspace.fetch(for: Post.self).all().map(\.title)
      #expect(Set(titles) == Set(load.stored.values) && titles.count == load.stored.count)
      #expect(load.runs.value.values.allSatisfy { $0 == 1 })
      let counter = store.workspace.fetch(for: Thing.self).all().first?.big ?? 0
      #expect(counter == UInt64(load.increments.value))
      #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
      let others = store.errors.values.filter { !"\($0)".contains("suspended") }
      #expect(others.isEmpty, "\(others.prefix(3))")
      subscription.cancel()
    }
  }
#endif
