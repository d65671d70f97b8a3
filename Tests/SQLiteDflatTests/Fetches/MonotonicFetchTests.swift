import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

/// Others only insert, a post and a thing in each transaction: so no count may be lower than one that was returned before.
@Suite("After a workspace has shown a commit of another one, it shows no earlier state")
struct MonotonicFetchTests {
  /// Counts what readers see, in one workspace.
  private final class Reader: Sendable {
    private let workspace: SQLiteWorkspace
    /// The highest count that a fetch has returned.
    private let highest = Locked(0)
    /// How many transactions of the other workspace have completed.
    let published = Locked(0)
    let violations = Collected<String>()
    let fetches = Locked(0)

    init(_ workspace: SQLiteWorkspace) {
      self.workspace = workspace
    }

    /// Checks a count against all that were returned, on any thread, before its fetch began.
    private func check(_ name: String, _ count: () -> Int) {
      let before = highest.value
      let found = count()
      if found < before { violations.append("\(name): \(found) after \(before)") }
      highest.change { $0 = max($0, found) }
      fetches.change { $0 += 1 }
    }

    func read(_ number: Int) {
      let posts = workspace.fetch(for: Post.self)
      let things = workspace.fetch(for: Thing.self)
      switch number % 6 {
      case 0: check("all posts") { posts.all().count }
      case 1: check("count of things") { things.count() }
      case 2: check("posts by an index") { posts.where(Post.priority == 7).count }
      case 3:
        check("snapshot") {
          workspace.fetchWithinASnapshot {
            let counts = (posts.count(), things.all().count)
            if counts.0 != counts.1 { violations.append("torn: \(counts)") }
            return counts.0
          }
        }
      case 4: check("things") { things.where(Thing.big == 7).count }
      default:
        let last = published.value
        let count = posts.where(Post.title == "workspace \(last)").count
        if last > 0, count != 1 { violations.append("a completed transaction of another workspace is not seen") }
      }
    }

    func expectNoViolation(sourceLocation: SourceLocation = #_sourceLocation) {
      let first = violations.values.prefix(5)
      #expect(
        first.isEmpty, "\(violations.count) violations in \(fetches.value) fetches", sourceLocation: sourceLocation)
    }

    func readInATransaction() {
      check("transaction") {
        let count = Locked(0)
        let transaction = PendingTransaction([Post.self, Thing.self], in: workspace) { [workspace] _ in
          count.value = workspace.fetch(for: Post.self).count()
        }
        if transaction.outcome() != true { violations.append("a transaction that only reads fails") }
        return count.value
      }
    }
  }

  private static func insert(_ title: String, _ id: Int64, _ workspace: SQLiteWorkspace) -> Bool? {
    PendingTransaction([Post.self, Thing.self], in: workspace) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: 7)))
      context.try(submit: ThingChangeRequest.creation(Thing(id: id, big: 7)))
    }.outcome()
  }

  private static func read(_ reader: Reader, until stop: Gate) -> BackgroundThreads {
    BackgroundThreads(4) { thread in
      var number = thread
      while !stop.isOpen {
        if thread == 0, number % 8 == 0 { reader.readInATransaction() } else { reader.read(number) }
        number += 1
        // They leave some of the processor to those who write.
        usleep(200)
      }
    }
  }

  @Test("Counts do not decrease while another workspace inserts")
  func anotherWorkspace() throws {
    let store = try TestStore()
    let other = store.reopened()
    defer { other.shutdown() }
    let reader = Reader(store.workspace)
    #expect(MonotonicFetchTests.insert("workspace 0", 0, other) == true)
    let stop = Gate()
    let threads = MonotonicFetchTests.read(reader, until: stop)
    for number in 1...300 {
      #expect(MonotonicFetchTests.insert("workspace \(number)", Int64(number), other) == true)
      reader.published.value = number
      // Fetches between commits make and keep connections of different age.
      if number % 3 == 0 { usleep(300) }
    }
    stop.open()
    #expect(threads.end())
    reader.expectNoViolation()
    #expect(store.workspace.fetch(for: Post.self).count() == 301)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  #if compiler(>=6.3) && os(Linux)
    private static let count = LongForm.foreignInserts.size

    @Test("Counts do not decrease while another process and another workspace insert", arguments: [false, true])
    func anotherProcess(besideAWorkspace: Bool) async throws {
      let store = try TestStore()
      let other = store.reopened()
      #expect(MonotonicFetchTests.insert("first", -1, other) == true)
      let reader = Reader(store.workspace)
      let stop = Gate()
      let threads = MonotonicFetchTests.read(reader, until: stop)
      let inserted = Locked(0)
      let writer = BackgroundThreads { _ in
        while besideAWorkspace, !stop.isOpen, inserted.value < 2000 {
          let number = inserted.value + 1
          #expect(MonotonicFetchTests.insert("workspace \(number)", Int64(number), other) == true)
          inserted.value = number
          reader.published.value = number
          usleep(2000)
        }
      }
      // The end of the other process reaches this task late while other tests run. Those who read should not go on until then.
      let watcher = BackgroundThreads { [end = store.path + "-end"] _ in
        while !stop.isOpen, !FileManager.default.fileExists(atPath: end) { usleep(5000) }
        stop.open()
      }
      await #expect(processExitsWith: .success) {
        [path = store.path as String, count = MonotonicFetchTests.count as Int] in
        let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
        for number in 0..<count {
          #expect(MonotonicFetchTests.insert("process \(number)", Int64(1_000_000 + number), workspace) == true)
          usleep(UInt32.random(in: 0..<1500))
        }
        await workspace.shutdown()
        _ = FileManager.default.createFile(atPath: path + "-end", contents: nil)
      }
      stop.open()
      #expect(await onThread { watcher.end() && writer.end() && threads.end() })
      reader.expectNoViolation()
      let total = 1 + MonotonicFetchTests.count + inserted.value
      #expect(eventually { store.workspace.fetch(for: Post.self).count() == total })
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
      await other.shutdown()
    }
  #endif
}
