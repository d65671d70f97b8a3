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
    for _ in 0..<2000 where errors.count == 0 { usleep(5000) }
    #expect(!errors.values.isEmpty && errors.values.allSatisfy { $0 is SQLiteError }, sourceLocation: sourceLocation)
  }

  /// To SQLite, the first is a file that nobody else can open and that goes away, and the second ends at the NUL.
  @Test(
    "What SQLite would take for another file is refused",
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

  /// In a program of its own, whose working folder can be changed.
  #if compiler(>=6.3) && os(Linux)
    @Test func namesThatMeanSomethingElseToSQLite() async {
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

    @Test func aRelativePathKeepsItsMeaningInAnotherFolder() async {
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

  @Test func aFolderInPlaceOfTheFileOrItsLog() async throws {
    for suffix in ["", "-wal", "-journal"] {
      let store = try TestStore()
      let path = store.folder + "/other.sqlite3"
      try FileManager.default.createDirectory(atPath: path + suffix + "/inside", withIntermediateDirectories: true)
      let errors = Collected<any Error>()
      let workspace = workspace(path, errors)
      let stored = await self.store("a", in: workspace)
      // A journal is not needed where there is a log.
      #expect(stored == (suffix == "-journal") || !stored)
      if !stored { waitForErrors(errors) }
      _ = workspace.fetch(for: Post.self).all()
      // Once it is gone, the same workspace goes on.
      try FileManager.default.removeItem(atPath: path + suffix)
      #expect(await self.store("b", in: workspace), "\(suffix)")
      #expect(workspace.fetch(for: Post.self).all().map(\.title) == (stored ? ["a", "b"] : ["b"]))
      await workspace.shutdown()
      #expect(try PlainSQL.run("PRAGMA integrity_check", in: path) == [["ok"]])
    }
  }

  #if compiler(>=6.3) && os(Linux)
    /// A small file system in memory, which only the administrator can make: without one, `FaultTests` fills a disk.
    @Test("A disk that is really full", .enabled(if: geteuid() == 0, "only the administrator mounts a file system"))
    func aFullDisk() async throws {
      let base = try TestStore()
      let folder = base.folder + "/small"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      guard mount("tmpfs", folder, "tmpfs", 0, "size=600k") == 0 else { return }
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
      "A disk that is full from the start", .enabled(if: geteuid() == 0, "only the administrator mounts a file system"))
    func aFullDiskFromTheStart() async throws {
      let base = try TestStore()
      let folder = base.folder + "/small"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      for size in stride(from: 4, through: 80, by: 4) {
        guard mount("tmpfs", folder, "tmpfs", 0, "size=\(size)k") == 0 else { return }
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
