#if compiler(>=6.3) && os(Linux)
  import EngineTestSupport
  import CSQLite
  import Dflat
  import Foundation
  import Golden_post
  import SQLiteDflat
  import Testing

  @Suite("On a full disk only those transactions fail that have no room", .serialized)
  struct FullDiskTests {
    /// Whether this process may make a file system in memory: only the administrator may, and not in every container.
    static let canMount: Bool = {
      let folder = NSTemporaryDirectory() + "dflat-mount-" + UUID().uuidString
      do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
        return false
      }
      defer { try? FileManager.default.removeItem(atPath: folder) }
      guard mount("tmpfs", folder, "tmpfs", 0, "size=64k") == 0 else { return false }
      return umount2(folder, 2) == 0
    }()

    /// A file on a small disk. It has room for small objects, and none for a large transaction.
    private final class SmallDisk {
      let base: TestStore
      let folder: String
      let workspace: SQLiteWorkspace
      let errors = Collected<any Error>()

      init() throws {
        base = try TestStore()
        folder = base.folder + "/small"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try #require(mount("tmpfs", folder, "tmpfs", 0, "size=1500k") == 0)
        workspace = SQLiteWorkspace(
          filePath: folder + "/store.sqlite3", fileProtectionLevel: .noProtection,
          errorHandler: { [errors] in errors.append($0) })
      }

      func makeRoom() throws {
        try #require(mount("tmpfs", folder, "tmpfs", UInt(MS_REMOUNT), "size=64m") == 0)
      }

      deinit {
        workspace.shutdown()
        // Lazily: what is open is unmounted when it is closed.
        _ = umount2(folder, 2)
      }
    }

    /// How the transaction that needs too much room writes.
    enum Much: CaseIterable {
      /// It fails before its closure returns, at the latest when it has written much.
      case manyObjects
      case oneObject
      /// It goes on submitting after it has failed.
      case withoutLooking

      /// Far more than the disk holds.
      static let size = 6_000_000
    }

    @Test(
      "Small transactions that are queued beside one that fills the disk are stored",
      .enabled(if: canMount, "nobody may mount a file system here"), arguments: Much.allCases)
    func smallOnesBesideALargeOne(much: Much) throws {
      let disk = try SmallDisk()
      let workspace = disk.workspace
      let gate = Gate()
      // Tables are made while there is room.
      let first = PendingTransaction([Post.self, Thing.self], in: workspace) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "first")))
        context.try(submit: ThingChangeRequest.creation(Thing(id: -1)))
      }
      #expect(first.outcome() == true)
      let blocker = PendingTransaction([Post.self, Thing.self], in: workspace) { _ in gate.wait() }
      var small: [PendingTransaction] = []
      var large: [PendingTransaction] = []
      for number in 0..<40 {
        if number % 16 == 8 {
          large.append(PendingTransaction([Post.self], in: workspace) { Self.write(much, number, $0) })
        }
        // Of the same type, and of another one, whose closures run beside.
        small.append(
          PendingTransaction([number % 2 == 0 ? Post.self : Thing.self], in: workspace) { context in
            if number % 2 == 0 {
              context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: "small")))
            } else {
              context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number))))
            }
          })
      }
      gate.open()
      #expect(blocker.outcome() == true)
      let smallOutcomes = small.map { $0.outcome() }
      #expect(smallOutcomes.allSatisfy { $0 == true }, "\(smallOutcomes.count { $0 != true }) of 40 fail")
      #expect(large.map { $0.outcome() } == Array(repeating: false, count: large.count))
      let areReported = eventually { disk.errors.values.contains { ($0 as? SQLiteError)?.code == SQLITE_FULL } }
      #expect(areReported, "\(disk.errors.values)")
      try check(
        disk, posts: Set(["first"] + (0..<20).map { "\($0 * 2)" }), things: Set([-1] + (0..<20).map { $0 * 2 + 1 }))
    }

    private static func write(_ much: Much, _ number: Int, _ context: any TransactionContext) {
      let parts = much == .oneObject ? 1 : 100
      let tag = String(repeating: "x", count: Much.size / parts)
      for part in 0..<parts {
        do throws(TransactionError) {
          try context.typedSubmit(PostChangeRequest.creationRequest(Post(title: "large \(number) \(part)", tag: tag)))
        } catch {
          #expect(error == .diskFull)
          if much != .withoutLooking { return }
        }
      }
    }

    /// What has completed with true is stored, and nothing else; and the workspace goes on once there is room.
    private func check(_ disk: SmallDisk, posts: Set<String>, things: Set<Int64>) throws {
      let workspace = disk.workspace
      #expect(Set(workspace.fetch(for: Post.self).all().map(\.title)) == posts)
      #expect(Set(workspace.fetch(for: Thing.self).all().map(\.id)) == things)
      try disk.makeRoom()
      let later = PendingTransaction([Post.self], in: workspace) { Self.write(.manyObjects, 99, $0) }
      #expect(later.outcome() == true)
      #expect(workspace.fetch(for: Post.self).count() == posts.count + 100)
      workspace.shutdown()
      #expect(try PlainSQL.run("PRAGMA integrity_check", in: disk.folder + "/store.sqlite3") == [["ok"]])
    }

    @Test(
      "If transactions fill the disk together, those that complete with true are stored",
      .enabled(if: canMount, "nobody may mount a file system here"))
    func manyThatFillTheDiskTogether() throws {
      let disk = try SmallDisk()
      let workspace = disk.workspace
      let gate = Gate()
      let first = PendingTransaction([Post.self, Thing.self], in: workspace) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "first")))
        context.try(submit: ThingChangeRequest.creation(Thing(id: -1)))
      }
      #expect(first.outcome() == true)
      let blocker = PendingTransaction([Post.self], in: workspace) { _ in gate.wait() }
      // Each alone has room, and some of them together; all would take 4 MB.
      let tag = String(repeating: "x", count: 40_000)
      let transactions = (0..<100).map { number in
        PendingTransaction([Post.self], in: workspace) { context in
          _ = try? context.submit(PostChangeRequest.creationRequest(Post(title: "\(number)", tag: tag)))
        }
      }
      gate.open()
      #expect(blocker.outcome() == true)
      let outcomes = transactions.map { $0.outcome() }
      let stored = outcomes.indices.filter { outcomes[$0] == true }
      #expect(!outcomes.contains { $0 == nil })
      // The log and the database have the same pages, at worst: so less than half of the disk can be used.
      #expect(stored.count >= 8 && stored.count < 40, "\(stored.count) are stored")
      // There was room for those that came first.
      #expect(Array(stored.prefix(8)) == Array(0..<8))
      try check(disk, posts: Set(["first"] + stored.map(String.init)), things: [-1])
    }
  }
#endif
