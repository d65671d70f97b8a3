import EngineTestSupport
import CSQLite
import Dflat
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A path means one file, or is refused")
struct BadPathTests {
  private func workspace(_ path: String, _ errors: Collected<any Error>) -> SQLiteWorkspace {
    SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection, errorHandler: { errors.append($0) })
  }

  private func store(_ title: String, in workspace: SQLiteWorkspace) async -> Bool {
    await workspace.performChanges([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
    }
  }

  /// The handler may be told of a failed commit just after the transaction's completion.
  private func waitForErrors(_ errors: Collected<any Error>, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(eventually { errors.count > 0 }, sourceLocation: sourceLocation)
    #expect(errors.values.allSatisfy { $0 is SQLiteError }, sourceLocation: sourceLocation)
  }

  /// To SQLite, the first is a file that nobody else can open and that goes away, and the second ends at the NUL.
  @Test(
    "A path that SQLite would take for another file is refused",
    arguments: ["", "FOLDER/a\0b", "\0", "/", "///", ".", ".."])
  func noFile(path: String) async throws {
    let folder = try TestStore()
    let errors = Collected<any Error>()
    let path = path.replacingOccurrences(of: "FOLDER", with: folder.folder)
    let workspace = workspace(path, errors)
    #expect(!(await store("a", in: workspace)))
    #expect(workspace.fetch(for: Post.self).all().isEmpty)
    waitForErrors(errors)
    #expect(errors.values.allSatisfy { ($0 as? SQLiteError)?.code == SQLITE_CANTOPEN })
    await workspace.shutdown()
    #expect(!FileManager.default.fileExists(atPath: folder.folder + "/a"))
  }

  @Test("Why a file cannot be opened, which SQLite does not say, the error says: a path too long, a missing folder")
  func reasons() async throws {
    let folder = try TestStore()
    let long = folder.folder + String(repeating: "/" + String(repeating: "x", count: 100), count: 6)
    try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: true)
    for (path, reason) in [
      (long + "/store.sqlite3", "bytes, and SQLite opens paths of up to 512"),
      (folder.folder + "/none/store.sqlite3", "there is no folder \(folder.folder)/none/"),
    ] {
      let errors = Collected<any Error>()
      let workspace = workspace(path, errors)
      #expect(!(await store("a", in: workspace)))
      waitForErrors(errors)
      #expect(errors.values.contains { "\($0)".contains(reason) }, "\(errors.values)")
      await workspace.shutdown()
    }
  }

  /// In a program of its own, whose working folder can be changed.
  #if compiler(>=6.3) && os(Linux)
    @Test("A path with a special meaning for SQLite is the name of an ordinary file")
    func namesWithAMeaning() async {
      await #expect(processExitsWith: .success) {
        let store = try TestStore()
        #expect(FileManager.default.changeCurrentDirectoryPath(store.folder))
        for name in [":memory:", "file:a?mode=memory", "file::memory:", "é?#%41.db", "e\u{301}?#%41.db"] {
          let errors = Collected<any Error>()
          let tests = BadPathTests()
          let workspace = tests.workspace(name, errors)
          #expect(await tests.store("a", in: workspace))
          #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["a"])
          await workspace.shutdown()
          #expect(FileManager.default.fileExists(atPath: store.folder + "/" + name))
          #expect(errors.values.isEmpty, "\(name): \(errors.values)")
        }
      }
    }

    @Test("A relative path means the same file after the working folder has changed")
    func relativePaths() async {
      await #expect(processExitsWith: .success) {
        let store = try TestStore()
        let errors = Collected<any Error>()
        let tests = BadPathTests()
        for folder in ["here", "there"] {
          try FileManager.default.createDirectory(
            atPath: store.folder + "/" + folder, withIntermediateDirectories: false)
        }
        let other = tests.workspace(store.folder + "/there/a.sqlite3", errors)
        #expect(await tests.store("of another file", in: other))
        #expect(FileManager.default.changeCurrentDirectoryPath(store.folder + "/here"))
        let workspace = tests.workspace("a.sqlite3", errors)
        let unused = tests.workspace("./b.sqlite3", errors)
        #expect(await tests.store("a", in: workspace))
        #expect(FileManager.default.changeCurrentDirectoryPath(store.folder + "/there"))
        // The connection that reads is opened only now.
        #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["a"])
        #expect(await tests.store("b", in: unused))
        #expect(unused.fetch(for: Post.self).all().map(\.title) == ["b"])
        #expect(FileManager.default.fileExists(atPath: store.folder + "/here/b.sqlite3"))
        #expect(errors.values.isEmpty, "\(errors.values)")
        for each in [workspace, unused, other] { await each.shutdown() }
      }
    }
  #endif

  /// Also a journal: SQLite needs one to make a new file one with a log.
  @Test(
    "A workspace whose file or log is a folder stores nothing, and goes on once the folder is removed",
    arguments: ["", "-wal", "-journal"])
  func folderInsteadOfAFile(suffix: String) async throws {
    let store = try TestStore()
    let path = store.folder + "/other.sqlite3"
    try FileManager.default.createDirectory(atPath: path + suffix + "/inside", withIntermediateDirectories: true)
    let errors = Collected<any Error>()
    let workspace = workspace(path, errors)
    #expect(!(await self.store("a", in: workspace)))
    waitForErrors(errors)
    #expect(workspace.fetch(for: Post.self).all().isEmpty)
    // Once it is gone, the same workspace goes on.
    try FileManager.default.removeItem(atPath: path + suffix)
    #expect(await self.store("b", in: workspace), "\(suffix)")
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["b"])
    await workspace.shutdown()
    #expect(try PlainSQL.run("PRAGMA integrity_check", in: path) == [["ok"]])
  }

  #if compiler(>=6.3) && os(Linux)
    /// On a file system in memory, which few processes may make. Elsewhere `FaultTests` fills a disk.
    @Test(
      "On a disk that is really full a transaction fails, and the next one succeeds once there is room",
      .enabled(if: FullDiskTests.canMount, "this process may not mount a file system"))
    func aFullDisk() async throws {
      let base = try TestStore()
      let folder = base.folder + "/small"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      try #require(mount("tmpfs", folder, "tmpfs", 0, "size=600k") == 0)
      defer { #expect(umount2(folder, 2) == 0) }
      let errors = Collected<any Error>()
      let workspace = workspace(folder + "/store.sqlite3", errors)
      var stored = 0
      let long = String(repeating: "x", count: 20_000)
      func store(_ title: String, tag: String) async -> Bool {
        await workspace.performChanges([Post.self]) { context in
          context.try(submit: PostChangeRequest.creationRequest(Post(title: title, tag: tag)))
        }
      }
      while stored < 1000, await store("\(stored)", tag: long) { stored += 1 }
      #expect(stored > 3 && stored < 1000)
      waitForErrors(errors)
      #expect(errors.count == 1 && (errors.values.first as? SQLiteError)?.code == SQLITE_FULL, "\(errors.values)")
      #expect(workspace.fetch(for: Post.self).all().count == stored)
      for _ in 0..<3 { #expect(!(await store("no", tag: long))) }
      // Somebody makes room.
      #expect(mount("tmpfs", folder, "tmpfs", UInt(MS_REMOUNT), "size=4m") == 0)
      #expect(await store("yes", tag: long))
      #expect(workspace.fetch(for: Post.self).all().count == stored + 1)
      await workspace.shutdown()
      #expect(try PlainSQL.run("PRAGMA integrity_check", in: folder + "/store.sqlite3") == [["ok"]])
    }

    /// A disk with no room for anything at all.
    @Test(
      "On a disk that is full from the start nothing is half-made, and all is made once there is room",
      .enabled(if: FullDiskTests.canMount, "this process may not mount a file system"))
    func aFullDiskFromTheStart() async throws {
      let base = try TestStore()
      let folder = base.folder + "/small"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      for size in stride(from: 4, through: 80, by: 4) {
        try #require(mount("tmpfs", folder, "tmpfs", 0, "size=\(size)k") == 0)
        defer { #expect(umount2(folder, 2) == 0) }
        let errors = Collected<any Error>()
        let workspace = workspace(folder + "/store.sqlite3", errors)
        let stored = await store("a", in: workspace)
        if !stored { waitForErrors(errors) }
        let found = workspace.fetch(for: Post.self).all().map(\.title)
        #expect(found == (stored ? ["a"] : []), "\(size) KiB")
        #expect(mount("tmpfs", folder, "tmpfs", UInt(MS_REMOUNT), "size=1m") == 0)
        #expect(await store("b", in: workspace), "\(size) KiB")
        #expect(workspace.fetch(for: Post.self).all().map(\.title) == (stored ? ["a", "b"] : ["b"]))
        await workspace.shutdown()
      }
    }
  #endif
}
