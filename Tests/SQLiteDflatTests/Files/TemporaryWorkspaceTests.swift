import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("A temporary workspace has a file of its own, which is removed with it")
struct TemporaryWorkspaceTests {
  private static func path(of workspace: SQLiteWorkspace) -> String { workspace.core.database.opener.path.text }

  private static func store(_ title: String, in workspace: SQLiteWorkspace) -> Bool? {
    PendingTransaction([Post.self], in: workspace) {
      $0.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
    }.outcome()
  }

  private func folder(of path: String) -> String { String(path.dropLast("/store.sqlite3".utf8.count)) }

  @Test("Each has its own objects, and leaves nothing when it is shut down")
  func shutDown() {
    let errors = Collected<any Error>()
    let workspaces = (0..<3).map { _ in SQLiteWorkspace.temporary(errorHandler: { errors.append($0) }) }
    let paths = workspaces.map(Self.path(of:))
    #expect(Set(paths).count == 3)
    for (number, workspace) in workspaces.enumerated() {
      #expect(Self.store("\(number)", in: workspace) == true)
      #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["\(number)"])
    }
    for workspace in workspaces {
      workspace.shutdown()
      workspace.shutdown()
    }
    #expect(paths.allSatisfy { !FileManager.default.fileExists(atPath: folder(of: $0)) })
    #expect(errors.values.isEmpty, "\(errors.values)")
  }

  @Test("A temporary workspace that is released without a shutdown leaves no file")
  func release() {
    var workspace: SQLiteWorkspace? = SQLiteWorkspace.temporary()
    let path = workspace.map(Self.path(of:)) ?? ""
    #expect(workspace.map { Self.store("a", in: $0) } == true)
    #expect(FileManager.default.fileExists(atPath: path))
    workspace = nil
    #expect(eventually { !FileManager.default.fileExists(atPath: folder(of: path)) })
  }

  @Test("A transaction that is pending when a temporary workspace is released is stored, and then the file is removed")
  func releaseWhilePending() {
    let errors = Collected<any Error>()
    var workspace: SQLiteWorkspace? = SQLiteWorkspace.temporary(errorHandler: { errors.append($0) })
    let path = workspace.map(Self.path(of:)) ?? ""
    #expect(workspace.map { Self.store("a", in: $0) } == true)
    weak var core: SQLiteCore?
    core = workspace?.core
    var committer = workspace?.core.committer
    // Nothing is committed until the writer is released.
    committer?.acquireWriter(.background)
    let transaction = workspace.map { workspace in
      PendingTransaction([Post.self], in: workspace) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
      }
    }
    let isPending = eventually { committer?.withState { !$0.pending.isEmpty } == true }
    workspace = nil
    let isReleased = eventually { core == nil }
    #expect(isPending && isReleased)
    committer?.releaseWriter()
    #expect(transaction?.outcome() == true)
    committer = nil
    #expect(eventually { !FileManager.default.fileExists(atPath: folder(of: path)) })
    #expect(errors.values.isEmpty, "\(errors.values)")
  }

  #if compiler(>=6.3) && os(Linux)
    @Test("A process that ends leaves nothing; what a killed one leaves, the next removes", arguments: [false, true])
    func otherProcesses(isKilled: Bool) async throws {
      let root = NSTemporaryDirectory() + "dflat-tests-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: root) }
      let first: ExitTest.Condition = isKilled ? .signal(SIGKILL) : .success
      await #expect(processExitsWith: first) { [root = root as String, isKilled = isKilled as Bool] in
        setenv("TMPDIR", root, 1)
        let workspace = SQLiteWorkspace.temporary()
        #expect(TemporaryWorkspaceTests.store("a", in: workspace) == true)
        if isKilled { kill(getpid(), SIGKILL) }
        // The workspace is in use until the end.
        withExtendedLifetime(workspace) { exit(0) }
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: root)
      #expect(left.count == (isKilled ? 1 : 0), "\(left)")
      // What a process leaves that is killed before it has locked its folder, and one that is just about to lock it.
      for (name, age) in [("old", -7200.0), ("new", 0)] {
        let path = root + "/making-dflat-temporary-" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let date = Date(timeIntervalSinceNow: age)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
      }
      await #expect(processExitsWith: .success) { [root = root as String] in
        setenv("TMPDIR", root, 1)
        let workspace = SQLiteWorkspace.temporary()
        #expect(TemporaryWorkspaceTests.store("a", in: workspace) == true)
        // Its own, and the one that is not locked yet.
        let folders = try FileManager.default.contentsOfDirectory(atPath: root)
        #expect(folders.count == 2 && folders.contains("making-dflat-temporary-new"))
        // What is in use is left alone.
        let other = SQLiteWorkspace.temporary()
        #expect(workspace.fetch(for: Post.self).count() == 1)
        await other.shutdown()
        await workspace.shutdown()
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: root) == ["making-dflat-temporary-new"])
    }
  #endif

  @Test("If no folder can be made, the first use of a temporary workspace reports it")
  func noFolder() {
    let errors = Collected<any Error>()
    let folder = TemporaryFolder()
    folder.remove()
    let workspace = SQLiteWorkspace(
      folder.path + "/store.sqlite3", .noProtection, .normal, .concurrent, nil, .writer, { errors.append($0) }, folder)
    #expect(Self.store("a", in: workspace) == false)
    #expect(eventually { errors.values.contains { "\($0)".contains("there is no folder") } }, "\(errors.values)")
    workspace.shutdown()
  }
}
