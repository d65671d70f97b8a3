import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("A workspace whose file was replaced or removed stores nothing more, and reports that")
struct ReplacedFileTests {
  enum Replacement: CaseIterable {
    case renamedOver
    /// As a careful program does it: the files beside it belonged to the old one.
    case renamedOverWithoutTheFilesBeside
    case unlinked
    case unlinkedWithTheFilesBeside
    case movedAway
    case removedAndWrittenAnew

    /// Whether there is a file afterwards that a new workspace opens as one of its own.
    var leavesAFile: Bool { self == .renamedOverWithoutTheFilesBeside || self == .removedAndWrittenAnew }
  }

  private static let change: @Sendable (any TransactionContext) -> Void = { context in
    // Whether this says so already, or the completion does, is not promised.
    _ = try? context.submit(PostChangeRequest.creationRequest(Post(title: "lost")))
  }

  /// A file with one post, "new", and nothing beside it.
  private func makeNewFile(_ path: String) throws {
    let source = try TestStore()
    source.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "new"))) }
    source.workspace.shutdown(flags: .truncate)
    try FileManager.default.copyItem(atPath: source.path, toPath: path)
  }

  private func replace(_ store: TestStore, _ replacement: Replacement) throws {
    let files = FileManager.default
    let removeFilesBeside = {
      for suffix in ["-wal", "-shm"] where files.fileExists(atPath: store.path + suffix) {
        try files.removeItem(atPath: store.path + suffix)
      }
    }
    switch replacement {
    case .renamedOver, .renamedOverWithoutTheFilesBeside:
      try makeNewFile(store.path + ".new")
      if replacement == .renamedOverWithoutTheFilesBeside { try removeFilesBeside() }
      guard rename(store.path + ".new", store.path) == 0 else { throw POSIXError(.EIO) }
    case .unlinked: try files.removeItem(atPath: store.path)
    case .unlinkedWithTheFilesBeside:
      try files.removeItem(atPath: store.path)
      try removeFilesBeside()
    case .movedAway: try files.moveItem(atPath: store.path, toPath: store.folder + "/moved")
    case .removedAndWrittenAnew:
      try files.removeItem(atPath: store.path)
      try removeFilesBeside()
      try makeNewFile(store.path)
    }
  }

  private func titles(_ workspace: SQLiteWorkspace) -> [String] {
    workspace.fetch(for: Post.self).all().map(\.title).sorted()
  }

  /// What is in the file and, if there is one, in the log beside it.
  private func bytes(_ store: TestStore) -> [Data?] {
    ["", "-wal"].map { FileManager.default.contents(atPath: store.path + $0) }
  }

  private func storeWithAPost() throws -> TestStore {
    let store = try TestStore()
    store.perform([Post.self, Thing.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "old")))
      context.try(submit: ThingChangeRequest.creation(Thing(id: 1)))
    }
    return store
  }

  @Test("Later transactions complete with false and the error handler is told", arguments: Replacement.allCases)
  func laterTransactions(replacement: Replacement) throws {
    let store = try storeWithAPost()
    let workspace = store.workspace
    let post = try #require(workspace.fetch(for: Post.self).first())
    try replace(store, replacement)
    let before = bytes(store)
    #expect(PendingTransaction([Post.self], in: workspace, ReplacedFileTests.change).outcome() == false)
    #expect(eventually { store.errors.count > 0 })
    store.errors.removeAll()
    let later: [PendingTransaction] = [
      PendingTransaction([Thing.self], in: workspace) { context in
        for id in 0..<200 { _ = try? context.submit(ThingChangeRequest.upsert(Thing(id: Int64(id), big: 7))) }
      },
      PendingTransaction([Post.self], in: workspace) { context in
        guard let request = PostChangeRequest.deletionRequest(post) else { return }
        _ = try? context.submit(request)
      },
      // A type that has no table yet.
      PendingTransaction([RegisterType.all[0].type], in: workspace) { context in
        try? RegisterType.all[0].create(context, 1, 1)
      },
    ]
    #expect(later.map { $0.outcome() } == [false, false, false])
    #expect(eventually { store.errors.count > 0 })
    // Neither is the new file written, or made, nor a log beside it. One that is left of the old file does not matter.
    #expect(bytes(store)[0] == before[0])
    if replacement.leavesAFile { #expect(bytes(store) == before) }
    workspace.shutdown()
    if replacement.leavesAFile { try expectNewFileWorks(store) }
  }

  private func expectNewFileWorks(_ store: TestStore) throws {
    // An error of before may come late: so those from now on are collected apart.
    let laterErrors = Collected<any Error>()
    let other = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection, errorHandler: { laterErrors.append($0) })
    #expect(titles(other) == ["new"])
    let added = PendingTransaction([Post.self], in: other) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "added")))
    }
    #expect(added.outcome() == true)
    #expect(titles(other) == ["added", "new"])
    other.shutdown()
    #expect(laterErrors.values.isEmpty, "\(laterErrors.values)")
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }

  @Test("A new workspace opens the new file, beside the old workspace and after it")
  func newWorkspaceBesideTheOldOne() throws {
    let store = try storeWithAPost()
    try replace(store, .renamedOverWithoutTheFilesBeside)
    let other = store.reopened()
    #expect(titles(other) == ["new"])
    let added = PendingTransaction([Post.self], in: other) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "beside")))
    }
    #expect(added.outcome() == true)
    #expect(PendingTransaction([Post.self], in: store.workspace, ReplacedFileTests.change).outcome() == false)
    #expect(titles(other) == ["beside", "new"])
    // Closing the old one takes nothing of the new file away.
    store.workspace.shutdown()
    #expect(titles(other) == ["beside", "new"])
    let last = PendingTransaction([Post.self], in: other) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "last")))
    }
    #expect(last.outcome() == true)
    other.shutdown()
    let again = store.reopened()
    #expect(titles(again) == ["beside", "last", "new"])
    again.shutdown()
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }

  @Test("A fetch that needs another reader finds nothing of the new file, and the error handler is told")
  func newReader() throws {
    let store = try storeWithAPost()
    store.workspace.shutdown()
    let workspace = store.reopened()
    try workspace.fetchWithinASnapshot {
      #expect(titles(workspace) == ["old"])
      try replace(store, .renamedOverWithoutTheFilesBeside)
      // The only reader is lent to the snapshot.
      let found = Collected<[String]>()
      let thread = BackgroundThreads { _ in found.append(titles(workspace)) }
      #expect(thread.end())
      #expect(found.values == [[]])
      #expect(titles(workspace) == ["old"])
    }
    #expect(store.errors.values.contains { $0 is SQLiteError })
    workspace.shutdown()
  }

  @Test("A transaction during which the file is replaced completes with false", arguments: Replacement.allCases)
  func duringATransaction(replacement: Replacement) throws {
    let store = try storeWithAPost()
    let transaction = PendingTransaction([Post.self], in: store.workspace) { context in
      _ = try? context.submit(PostChangeRequest.creationRequest(Post(title: "before")))
      do { try replace(store, replacement) } catch { Issue.record(error) }
      _ = try? context.submit(PostChangeRequest.creationRequest(Post(title: "after")))
    }
    #expect(transaction.outcome() == false)
    #expect(eventually { store.errors.count > 0 })
    store.workspace.shutdown()
    if replacement.leavesAFile { try expectNewFileWorks(store) }
  }

  @Test("Transactions that complete with true while the file is replaced are in the old file")
  func queuedTransactions() throws {
    let store = try storeWithAPost()
    let (gate, replaced) = (Gate(), Gate())
    let blocker = PendingTransaction([Post.self], in: store.workspace) { _ in gate.wait() }
    let queued = (0..<60).map { number in
      PendingTransaction([Post.self], in: store.workspace) { context in
        if number == 30 {
          do { try replace(store, .movedAway) } catch { Issue.record(error) }
          replaced.open()
        }
        _ = try? context.submit(PostChangeRequest.creationRequest(Post(title: "\(number)")))
      }
    }
    gate.open()
    #expect(blocker.outcome() == true && replaced.wait())
    let outcomes = queued.map { $0.outcome() }
    #expect(outcomes[30...].allSatisfy { $0 == false }, "\(outcomes[30...].count { $0 == true }) are lost")
    #expect(eventually { store.errors.count > 0 })
    // As if it had been moved with its log, in which the last ones may be.
    for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: store.path + suffix) {
      try FileManager.default.copyItem(atPath: store.path + suffix, toPath: store.folder + "/moved" + suffix)
    }
    store.workspace.shutdown()
    let moved = SQLiteWorkspace(filePath: store.folder + "/moved", fileProtectionLevel: .noProtection)
    let found = Set(titles(moved))
    moved.shutdown()
    for (number, outcome) in outcomes.enumerated() where outcome == true { #expect(found.contains("\(number)")) }
  }
}
