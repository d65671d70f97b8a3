import CSQLite
import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A backup is the state of one commit, or there is none")
struct BackupTests {
  private func insert(_ numbers: Range<Int>, in store: TestStore, length: Int = 10) {
    store.perform([Post.self]) { context in
      for number in numbers {
        let title = String(repeating: "x", count: length) + "\(number)"
        context.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: Int32(number))))
      }
    }
  }

  private func count(_ path: String) -> Int {
    let workspace = SQLiteWorkspace(readOnly: path)
    defer { workspace.shutdown() }
    return workspace.fetch(for: Post.self).count()
  }

  private func names(_ store: TestStore) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: store.folder)
    return names.sorted().filter { !$0.hasPrefix("store.sqlite3-") }
  }

  /// A backup that has copied a part of the store, and goes on when the gate is opened.
  private func begunBackup(
    of store: TestStore, to path: String, copied fraction: Double = 0
  ) async -> (backup: Task<Void, any Error>, gate: Gate) {
    let (begun, gate) = (Gate(), Gate())
    let backup = Task { [workspace = store.workspace] in
      try await workspace.backup(to: path) { progress in
        if progress.fraction < fraction { return }
        begun.open()
        gate.wait()
      }
    }
    #expect(await onThread { begun.wait() })
    return (backup, gate)
  }

  @Test("A backup is one file, with all objects, indexes and keys, that a workspace can open")
  func oneFile() async throws {
    let store = try TestStore()
    insert(0..<2000, in: store)
    store.workspace.dictionary["key"] = 5
    #expect(store.workspace.dictionary.synchronize())
    let progress = Collected<BackupProgress>()
    let path = store.folder + "/copy"
    try await store.workspace.backup(to: path) { progress.append($0) }
    #expect(try names(store) == ["copy", "store.sqlite3"])
    let last = try #require(progress.values.last)
    #expect(last.fraction == 1 && last.totalBytes > 100_000)
    let sizes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(sizes[.size] as? Int64 == last.totalBytes)
    let copy = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    #expect(copy.fetch(for: Post.self).where(Post.priority >= 1990).count == 10)
    #expect(copy.dictionary["key", Int.self] == 5)
    await copy.shutdown(flags: [])
    #expect(store.errors.values.isEmpty)
  }

  @Test("Writers go on, and what they write together is in the copy together")
  func whileWriting() async throws {
    let store = try TestStore()
    insert(0..<20, in: store, length: 2000)
    let isOver = Gate()
    let longest = Locked(0.0)
    let threads = BackgroundThreads(2) { thread in
      for round in 1... {
        if isOver.isOpen { return }
        let begin = Date()
        let first = (round * 2 + thread) * 1000
        self.insert(first..<first + 20, in: store, length: 2000)
        longest.change { $0 = max($0, Date().timeIntervalSince(begin)) }
      }
    }
    var counts: [Int] = []
    for round in 0..<10 {
      let path = store.folder + "/copy"
      try await store.workspace.backup(to: path, replacing: round > 0)
      counts.append(count(path))
      #expect(try PlainSQL.run("PRAGMA integrity_check", in: path) == [["ok"]])
    }
    isOver.open()
    #expect(threads.end())
    #expect(counts.allSatisfy { $0 % 20 == 0 } && counts == counts.sorted(), "\(counts)")
    print("the longest transaction beside backups took \(longest.value * 1000) ms")
    #expect(store.errors.values.isEmpty)
  }

  @Test("A cancelled one leaves nothing, and the next is complete, also over what a killed process has left")
  func cancelled() async throws {
    let store = try TestStore()
    insert(0..<2000, in: store, length: 2000)
    let path = store.folder + "/copy"
    let (backup, gate) = await begunBackup(of: store, to: path)
    backup.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await backup.value }
    #expect(try names(store) == ["store.sqlite3"])
    try Data(repeating: 7, count: 50_000).write(to: URL(fileURLWithPath: path + ".dflat-partial"))
    try await store.workspace.backup(to: path)
    #expect(try names(store) == ["copy", "store.sqlite3"] && count(path) == 2000)
  }

  @Test("A suspension and a shutdown end a backup", arguments: [true, false])
  func ended(bySuspension: Bool) async throws {
    let store = try TestStore()
    insert(0..<2000, in: store, length: 2000)
    let path = store.folder + "/copy"
    let (backup, gate) = await begunBackup(of: store, to: path)
    let core = store.workspace.core
    if bySuspension {
      async let suspension: Void = store.workspace.suspend(within: .seconds(patience))
      #expect(await onThread { eventually { core.committer.withState { $0.suspension.phase == .beginning } } })
      gate.open()
      try await suspension
      await #expect(throws: SuspensionError.suspended) { try await backup.value }
      #expect(try names(store) == ["store.sqlite3"])
      await #expect(throws: SuspensionError.suspended) { try await store.workspace.backup(to: path) }
      store.workspace.resume()
      try await store.workspace.backup(to: path)
      #expect(count(path) == 2000)
    } else {
      async let shutdown: Void = store.workspace.shutdown(flags: [])
      #expect(await onThread { eventually { core.database.isShutDown } })
      gate.open()
      await shutdown
      await #expect(throws: StoreError.self) { try await backup.value }
      await #expect(throws: StoreError.self) { try await store.workspace.backup(to: path) }
      #expect(try names(store) == ["store.sqlite3"])
    }
  }

  enum End: CaseIterable { case suspension, shutdown, cancellation }

  @Test("A suspension, a shutdown and a cancellation end a backup that verifies its copy", arguments: End.allCases)
  func endedWhileVerifying(by end: End) async throws {
    let store = try TestStore()
    insert(0..<10, in: store)
    // Each row takes long to verify, and all of them many minutes.
    try PlainSQL.run(
      """
      PRAGMA ignore_check_constraints = ON;
      CREATE TABLE slow(a CHECK (instr(zeroblob(60000 + a), zeroblob(30000) || x'01') = 0));
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
        INSERT INTO slow SELECT 0 FROM numbers;
      """, in: store.path)
    let core = store.workspace.core
    let (backup, gate) = await begunBackup(of: store, to: store.folder + "/copy", copied: 1)
    switch end {
    case .suspension:
      async let suspension: Void = store.workspace.suspend(within: .seconds(patience))
      #expect(await onThread { eventually { core.committer.withState { $0.suspension.phase == .beginning } } })
      gate.open()
      try await suspension
      await #expect(throws: SuspensionError.suspended) { try await backup.value }
    case .shutdown:
      async let shutdown: Void = store.workspace.shutdown(flags: [])
      #expect(await onThread { eventually { core.database.isShutDown } })
      gate.open()
      await shutdown
      await #expect(throws: StoreError.self) { try await backup.value }
    case .cancellation:
      backup.cancel()
      gate.open()
      await #expect(throws: CancellationError.self) { try await backup.value }
    }
    #expect(try names(store) == ["store.sqlite3"])
  }

  @Test("Two backups at once to one path do not mix")
  func twoAtOnce() async throws {
    let (store, other) = (try TestStore(), try TestStore())
    insert(0..<2000, in: store, length: 2000)
    insert(0..<5, in: other)
    let path = store.folder + "/copy"
    let (backup, gate) = await begunBackup(of: store, to: path)
    await #expect(throws: BackupError.destinationInUse(path: path)) { try await other.workspace.backup(to: path) }
    gate.open()
    try await backup.value
    #expect(try names(store) == ["copy", "store.sqlite3"] && count(path) == 2000)
    try await other.workspace.backup(to: path, replacing: true)
    #expect(count(path) == 5)
  }

  // MARK: Bad input

  @Test("Onto itself, also by a link, it is refused")
  func ontoItself() async throws {
    let store = try TestStore()
    insert(0..<10, in: store)
    let files = FileManager.default
    try files.createSymbolicLink(atPath: store.folder + "/symbolic", withDestinationPath: store.path)
    try files.linkItem(atPath: store.path, toPath: store.folder + "/hard")
    for name in ["store.sqlite3", "symbolic", "hard", "store.sqlite3-wal", "store.sqlite3-shm"] {
      let path = store.folder + "/" + name
      await #expect(throws: BackupError.destinationIsSource(path: path)) {
        try await store.workspace.backup(to: path, replacing: true)
      }
    }
    insert(10..<20, in: store)
    #expect(store.workspace.fetch(for: Post.self).count() == 20 && store.errors.values.isEmpty)
  }

  @Test("A destination whose copy would be made in a file of the store is refused, whether that file exists or not")
  func besidesItself() async throws {
    for (name, destination) in [
      ("x.dflat-partial", "x"), ("x-wal.dflat-partial", "x-wal"), ("x-wal", "x"), ("x", "x-journal"),
      ("x", "./x-journal"),
      ("x.dflat-partial-wal", "x"),
    ] {
      let store = try TestStore()
      let folder = store.folder
      let workspace = SQLiteWorkspace(filePath: folder + "/" + name, fileProtectionLevel: .noProtection)
      let isStored = await workspace.performChanges([Post.self]) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
      }
      #expect(isStored)
      let path = folder + "/" + destination
      await #expect(throws: BackupError.destinationIsSource(path: path)) { try await workspace.backup(to: path) }
      #expect(workspace.fetch(for: Post.self).count() == 1, "\(name)")
      try await workspace.suspend(within: .seconds(patience))
      await #expect(throws: BackupError.destinationIsSource(path: path)) {
        try await SQLiteWorkspace.restore(from: folder + "/" + name, to: path)
      }
      #expect(count(folder + "/" + name) == 1, "\(name)")
      await workspace.shutdown(flags: [])
    }
  }

  @Test("A log that was left where a store was removed is not taken for that of the copy")
  func logWithoutStore() async throws {
    let (store, other) = (try TestStore(), try TestStore())
    insert(0..<10, in: store)
    insert(0..<3, in: other)
    // As after a crash: the log holds what is stored.
    let files = FileManager.default
    try files.copyItem(atPath: other.path + "-wal", toPath: store.folder + "/copy-wal")
    try await store.workspace.backup(to: store.folder + "/copy")
    #expect(count(store.folder + "/copy") == 10)
  }

  @Test("A destination that exists, is open, is no store, or lacks its folder is left alone")
  func destinations() async throws {
    let (store, other) = (try TestStore(), try TestStore())
    insert(0..<10, in: store)
    insert(0..<3, in: other)
    await #expect(throws: BackupError.destinationExists(path: other.path)) {
      try await store.workspace.backup(to: other.path)
    }
    await #expect(throws: BackupError.destinationInUse(path: other.path)) {
      try await store.workspace.backup(to: other.path, replacing: true)
    }
    insert(3..<5, in: other)
    #expect(other.workspace.fetch(for: Post.self).count() == 5 && other.errors.values.isEmpty)
    let text = store.folder + "/text"
    try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: text))
    await #expect(throws: BackupError.destinationIsNoStore(path: text)) {
      try await store.workspace.backup(to: text, replacing: true)
    }
    #expect(FileManager.default.contents(atPath: text)?.count == 5000)
    await #expect(throws: BackupError.noFolder(path: store.folder + "/missing")) {
      try await store.workspace.backup(to: store.folder + "/missing/copy")
    }
    await #expect(throws: SQLiteError.self) { try await store.workspace.backup(to: "") }
    await #expect(throws: BackupError.self) { try await store.workspace.backup(to: store.folder) }
    await #expect(throws: SQLiteError.self) { try await store.workspace.backup(to: store.folder, replacing: true) }
    // A log that was left behind belongs to the store that is replaced.
    try await other.workspace.suspend(within: .seconds(patience))
    try await store.workspace.backup(to: other.path, replacing: true)
    #expect(count(other.path) == 10)
    #expect(try names(store) == ["store.sqlite3", "text"])
  }

  @Test("A store without objects, and a damaged store, cannot be backed up")
  func sources() async throws {
    let store = try TestStore()
    let path = store.folder + "/copy"
    await #expect(throws: BackupError.nothingStored(path: store.path)) { try await store.workspace.backup(to: path) }
    insert(0..<3000, in: store)
    await store.workspace.shutdown(flags: .truncate)
    let file = try #require(FileHandle(forUpdatingAtPath: store.path))
    try file.seek(toOffset: 4096 * 20)
    try file.write(contentsOf: Data(repeating: 0xff, count: 4096 * 10))
    try file.close()
    let workspace = store.reopened()
    await #expect(throws: BackupError.self) { try await workspace.backup(to: path) }
    await workspace.shutdown(flags: [])
    await #expect(throws: BackupError.self) { try await SQLiteWorkspace.restore(from: store.path, to: path) }
    #expect(try names(store) == ["store.sqlite3"])
  }

  #if compiler(>=6.3) && os(Linux)
    @Test(
      "A backup on a full disk fails and leaves nothing", .enabled(if: FullDiskTests.canMount, "nobody may mount here"))
    func fullDisk() async throws {
      let store = try TestStore()
      insert(0..<2000, in: store, length: 2000)
      let folder = store.folder + "/small"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      try #require(mount("tmpfs", folder, "tmpfs", 0, "size=1500k") == 0)
      defer { _ = umount2(folder, 2) }
      do {
        try await store.workspace.backup(to: folder + "/copy")
        Issue.record("It had room.")
      } catch let error as SQLiteError {
        #expect(error.code == SQLITE_FULL, "\(error)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
      insert(2000..<2010, in: store)
      #expect(store.workspace.fetch(for: Post.self).count() == 2010 && store.errors.values.isEmpty)
    }
  #endif

  // MARK: Restoring

  @Test("A restored store is the backup; one that is open is not replaced")
  func restoring() async throws {
    let store = try TestStore()
    insert(0..<100, in: store)
    let path = store.folder + "/copy"
    try await store.workspace.backup(to: path)
    insert(100..<200, in: store)
    await #expect(throws: BackupError.destinationExists(path: store.path)) {
      try await SQLiteWorkspace.restore(from: path, to: store.path)
    }
    await #expect(throws: BackupError.destinationInUse(path: store.path)) {
      try await SQLiteWorkspace.restore(from: path, to: store.path, replacing: true)
    }
    #expect(store.workspace.fetch(for: Post.self).count() == 200)
    await store.workspace.shutdown(flags: [])
    try await SQLiteWorkspace.restore(from: path, to: store.path, replacing: true)
    let restored = store.reopened()
    #expect(restored.fetch(for: Post.self).where(Post.priority >= 90).count == 10)
    #expect(restored.fetch(for: Post.self).count() == 100)
    insert(100..<101, in: store, restored)
    await restored.shutdown(flags: [])
    try await SQLiteWorkspace.restore(from: path, to: store.folder + "/new")
    #expect(count(store.folder + "/new") == 100 && count(path) == 100)
    await #expect(throws: BackupError.self) {
      try await SQLiteWorkspace.restore(from: store.folder + "/missing", to: store.folder + "/newer")
    }
    await #expect(throws: BackupError.destinationIsSource(path: path)) {
      try await SQLiteWorkspace.restore(from: path, to: path, replacing: true)
    }
    #expect(try names(store) == ["copy", "new", "store.sqlite3"] && store.errors.values.isEmpty)
  }

  private func insert(_ numbers: Range<Int>, in store: TestStore, _ workspace: SQLiteWorkspace) {
    store.perform([Post.self], in: workspace) { context in
      for number in numbers {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "new \(number)")))
      }
    }
  }
}
