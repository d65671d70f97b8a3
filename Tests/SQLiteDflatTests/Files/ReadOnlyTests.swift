import EngineTestSupport
import CSQLite
import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import Testing

/// The administrator may write everywhere. So these run in programs of their own, which are nobody's in particular; where
/// there are none, as a user, or not at all.
@Suite("A file that cannot be written can still be read")
struct ReadOnlyTests {
  /// Gives up the administrator's rights, for good.
  static func becomeNobody() {
    #if os(Linux)
      if geteuid() == 0 {
        precondition(setgid(65534) == 0 && setuid(65534) == 0)
      }
    #endif
    precondition(geteuid() != 0)
  }

  private static func setPermissions(_ permissions: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
  }

  private static func create(_ title: String, in workspace: SQLiteWorkspace) async -> Bool {
    await workspace.performChanges([Post.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
    }
  }

  private static func titles(_ workspace: SQLiteWorkspace) -> [String] {
    workspace.fetch(for: Post.self).all().map(\.title)
  }

  private static func codes(_ store: TestStore) -> [Int32?] {
    store.errors.values.map { ($0 as? SQLiteError)?.code }
  }

  // MARK: What is checked

  /// A file that is read-only, or in a folder that is, too.
  static func readOnly(folderToo: Bool) async throws {
    let store = try TestStore()
    #expect(await create("a", in: store.workspace))
    // In the state in which a file in use is left: with a log that is empty.
    await store.workspace.shutdown()
    try setPermissions(0o444, store.path)
    if folderToo { try setPermissions(0o555, store.folder) }
    defer {
      do { try setPermissions(0o755, store.folder) } catch { Issue.record(error) }
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: store.folder)
    let workspace = store.reopened()
    #expect(titles(workspace) == ["a"])
    #expect(workspace.fetchWithinASnapshot { workspace.fetch(for: Post.self).where(Post.priority == 0).count } == 1)
    #expect(workspace.fetch(for: Post.self).count(where: Post.priority == 0) == 1)
    #expect(store.errors.values.isEmpty)
    for _ in 0..<2 { #expect(!(await create("b", in: workspace))) }
    #expect(eventually { codes(store) == [SQLITE_READONLY, SQLITE_READONLY] })
    #expect(titles(workspace) == ["a"])
    // An index that is missing stays so, and its query is answered from the rows.
    if folderToo { #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder) == before) }
    // The workspace goes on once it may write: also the files beside, which SQLite makes with the file's permissions.
    try setPermissions(0o755, store.folder)
    for name in try FileManager.default.contentsOfDirectory(atPath: store.folder) {
      try setPermissions(0o644, store.folder + "/" + name)
    }
    store.errors.removeAll()
    #expect(await create("c", in: workspace))
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    #expect(titles(workspace) == ["a", "c"])
    await workspace.shutdown()
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }

  /// A file of an older schema, without the index.
  static func missingIndex() async throws {
    let store = try TestStore()
    #expect(await create("a", in: store.workspace))
    await store.workspace.shutdown()
    try store.sql("DROP TABLE post__f10")
    try setPermissions(0o444, store.path)
    try setPermissions(0o555, store.folder)
    defer {
      do { try setPermissions(0o755, store.folder) } catch { Issue.record(error) }
    }
    let workspace = store.reopened()
    for _ in 0..<3 { #expect(workspace.fetch(for: Post.self).where(Post.priority == 0).map(\.title) == ["a"]) }
    #expect(workspace.fetch(for: Post.self).all(limit: .limit(1), orderBy: [Post.priority.descending]).count == 1)
    // Nobody tries in vain to fill it.
    await workspace.shutdown()
    #expect(store.errors.values.isEmpty)
  }

  /// A file with an index that Dflat 0.6 has left wrong.
  static func wrongIndex(isMarked: Bool) async throws {
    let store = try TestStore()
    for title in ["a", "b"] { #expect(await create(title, in: store.workspace)) }
    await store.workspace.shutdown()
    if !isMarked { try store.sql("DROP TRIGGER verified__post__f10") }
    try store.sql("UPDATE post__f10 SET f10 = 7 WHERE rowid = 1")
    try setPermissions(0o444, store.path)
    try setPermissions(0o555, store.folder)
    defer {
      do { try setPermissions(0o755, store.folder) } catch { Issue.record(error) }
    }
    let workspace = store.reopened()
    let posts = workspace.fetch(for: Post.self)
    for _ in 0..<3 {
      #expect(posts.where(Post.priority == 7).isEmpty)
      // An index with a mark is relied on: it is only known that what it leads to is right.
      #expect(posts.where(Post.priority == 0).map(\.title) == (isMarked ? ["b"] : ["a", "b"]))
      if !isMarked { #expect(posts.count(where: Post.priority == 0) == 2) }
    }
    // Nobody tries in vain to verify it.
    await workspace.shutdown()
    #expect(store.errors.values.isEmpty)
  }

  /// A file that may not even be read, and a folder in which nothing may be made.
  static func forbidden(_ place: String) async throws {
    let store = try TestStore()
    if place == "file" {
      #expect(await create("a", in: store.workspace))
      await store.workspace.shutdown(flags: .truncate)
      try setPermissions(0, store.path)
    } else {
      try setPermissions(place == "folder" ? 0o555 : 0, store.folder)
    }
    defer {
      do { try setPermissions(0o755, store.folder) } catch { Issue.record(error) }
    }
    let workspace = store.reopened()
    // In a folder that may be looked into there is nothing, and that is no failure.
    #expect(titles(workspace).isEmpty)
    #expect(codes(store) == (place == "folder" ? [] : [SQLITE_CANTOPEN]))
    #expect(!(await create("b", in: workspace)))
    #expect(eventually { codes(store).last == SQLITE_CANTOPEN })
    try setPermissions(0o755, store.folder)
    if place == "file" { try setPermissions(0o644, store.path) }
    #expect(await create("c", in: workspace))
    #expect(titles(workspace) == (place == "file" ? ["a", "c"] : ["c"]))
    await workspace.shutdown()
  }

  /// A path that a URI would have to spell in another way.
  static func oddName() async throws {
    let store = try TestStore()
    let folder = store.folder + "/é e\u{301}%41?a=b#c"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let errors = Collected<any Error>()
    func open(_ path: String) -> SQLiteWorkspace {
      SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection, errorHandler: { errors.append($0) })
    }
    let path = folder + "/%3F?mode=memory"
    let workspace = open(path)
    #expect(await create("a", in: workspace))
    await workspace.shutdown()
    try setPermissions(0o555, folder)
    defer {
      do { try setPermissions(0o755, folder) } catch { Issue.record(error) }
    }
    #expect(FileManager.default.changeCurrentDirectoryPath(folder))
    for path in [path, "/" + path, "%3F?mode=memory", "./%3F?mode=memory"] {
      let workspace = open(path)
      #expect(titles(workspace) == ["a"], "\(path)")
      await workspace.shutdown()
    }
    #expect(errors.values.isEmpty, "\(errors.values)")
  }

  /// The files beside the database's own are beside the file that a link leads to.
  static func link() async throws {
    let store = try TestStore()
    #expect(await create("a", in: store.workspace))
    await store.workspace.shutdown()
    let links = try TestStore()
    try FileManager.default.createSymbolicLink(atPath: links.path, withDestinationPath: store.path)
    try setPermissions(0o444, store.path)
    try setPermissions(0o555, store.folder)
    defer {
      do { try setPermissions(0o755, store.folder) } catch { Issue.record(error) }
    }
    #expect(titles(links.workspace) == ["a"])
    #expect(links.errors.values.isEmpty, "\(links.errors.values)")
    await links.workspace.shutdown()
  }

  /// What a crash has left in the log is not lost, and not passed over, because nobody can write now.
  static func logLeftByACrash() async throws {
    let store = try TestStore()
    #expect(await create("a", in: store.workspace))
    // While a workspace has the file open, its log is what a crash would leave.
    let crashed = store.folder + "/crashed"
    try FileManager.default.createDirectory(atPath: crashed, withIntermediateDirectories: false)
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: store.path + suffix, toPath: crashed + "/store.sqlite3" + suffix)
    }
    try setPermissions(0o555, crashed)
    defer {
      do { try setPermissions(0o755, crashed) } catch { Issue.record(error) }
    }
    let errors = Collected<any Error>()
    let workspace = SQLiteWorkspace(
      filePath: crashed + "/store.sqlite3", fileProtectionLevel: .noProtection, errorHandler: { errors.append($0) })
    let found = titles(workspace)
    #expect(found == ["a"] || found.isEmpty && errors.values.contains { $0 is SQLiteError })
    try setPermissions(0o755, crashed)
    #expect(titles(workspace) == ["a"])
    #expect(await create("b", in: workspace))
    await workspace.shutdown()
  }

  #if os(Linux)
    /// That this process cannot write a folder does not mean that nobody can.
    static func writtenByTheAdministrator() async throws {
      let store = try TestStore()
      #expect(await create("a", in: store.workspace))
      await store.workspace.shutdown()
      try setPermissions(0o755, store.folder)
      // Nobody in particular from now on, by whom the administrator's rights can be taken up.
      #expect(setreuid(65534, 0) == 0)
      #expect(seteuid(65534) == 0)
      let workspace = store.reopened()
      #expect(titles(workspace) == ["a"])
      for title in ["b", "c"] {
        let before = titles(workspace)
        #expect(seteuid(0) == 0)
        let administrator = store.reopened()
        #expect(await create(title, in: administrator))
        // Once in the log, and once without one.
        if title == "b" { await administrator.shutdown() }
        #expect(seteuid(65534) == 0)
        #expect(titles(workspace) == before + [title])
        #expect(seteuid(0) == 0)
        await administrator.shutdown()
        #expect(seteuid(65534) == 0)
        #expect(titles(workspace) == before + [title])
      }
      await workspace.shutdown()
      #expect(seteuid(0) == 0)
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    }
  #endif

  // MARK: Where it is checked

  #if compiler(>=6.3) && os(Linux)
    @Test(
      "A read-only file, or one in a read-only folder, can be read, and is written once that is allowed",
      arguments: [false, true])
    func aReadOnlyFile(folderToo: Bool) async {
      await #expect(processExitsWith: .success) { [folderToo = folderToo as Bool] in
        ReadOnlyTests.becomeNobody()
        try await ReadOnlyTests.readOnly(folderToo: folderToo)
      }
    }

    @Test("A query of an index that is missing from a read-only file is answered from the rows")
    func anIndexIsMissing() async {
      await #expect(processExitsWith: .success) {
        ReadOnlyTests.becomeNobody()
        try await ReadOnlyTests.missingIndex()
      }
    }

    @Test("A query by a wrong index of a read-only file returns no wrong object", arguments: [false, true])
    func anIndexIsWrong(isMarked: Bool) async {
      await #expect(processExitsWith: .success) { [isMarked = isMarked as Bool] in
        ReadOnlyTests.becomeNobody()
        try await ReadOnlyTests.wrongIndex(isMarked: isMarked)
      }
    }

    @Test("A read-only file opens whatever characters its path holds, also those that a URI would escape")
    func aPathThatNoURIHas() async {
      await #expect(processExitsWith: .success) {
        ReadOnlyTests.becomeNobody()
        try await ReadOnlyTests.oddName()
      }
    }

    @Test(
      "A missing permission for the file or its folder is reported, and the file is used once it is given",
      arguments: ["file", "folder", "look"])
    func noPermission(place: String) async {
      await #expect(processExitsWith: .success) { [place = place as String] in
        ReadOnlyTests.becomeNobody()
        try await ReadOnlyTests.forbidden(place)
      }
    }

    @Test("A read-only file can be read through a symbolic link in another folder")
    func aLinkToAReadOnlyFile() async {
      await #expect(processExitsWith: .success) {
        ReadOnlyTests.becomeNobody()
        try await ReadOnlyTests.link()
      }
    }

    @Test(
      "A process that cannot write a folder reads each commit of a process that can",
      .enabled(if: geteuid() == 0, "only the administrator is two users"))
    func aFileThatSomebodyElseWrites() async {
      await #expect(processExitsWith: .success) {
        try await ReadOnlyTests.writtenByTheAdministrator()
      }
    }

    @Test("A log that a crash left in a read-only folder is read or reported, and is not lost")
    func aLogThatACrashHasLeft() async {
      await #expect(processExitsWith: .success) {
        ReadOnlyTests.becomeNobody()
        try await ReadOnlyTests.logLeftByACrash()
      }
    }
  #else
    private static let isUser = geteuid() != 0

    @Test(
      "A read-only file, or one in a read-only folder, can be read, and is written once that is allowed",
      .enabled(if: isUser), arguments: [false, true])
    func aReadOnlyFile(folderToo: Bool) async throws { try await ReadOnlyTests.readOnly(folderToo: folderToo) }

    @Test("A query of an index that is missing from a read-only file is answered from the rows", .enabled(if: isUser))
    func anIndexIsMissing() async throws { try await ReadOnlyTests.missingIndex() }

    @Test(
      "A missing permission for the file or its folder is reported, and the file is used once it is given",
      .enabled(if: isUser), arguments: ["file", "folder", "look"])
    func noPermission(place: String) async throws { try await ReadOnlyTests.forbidden(place) }

    @Test(
      "A query by a wrong index of a read-only file returns no wrong object", .enabled(if: isUser),
      arguments: [false, true])
    func anIndexIsWrong(isMarked: Bool) async throws { try await ReadOnlyTests.wrongIndex(isMarked: isMarked) }

    @Test("A read-only file can be read through a symbolic link in another folder", .enabled(if: isUser))
    func aLinkToAReadOnlyFile() async throws { try await ReadOnlyTests.link() }

    @Test("A log that a crash left in a read-only folder is read or reported, and is not lost", .enabled(if: isUser))
    func aLogThatACrashHasLeft() async throws {
      try await ReadOnlyTests.logLeftByACrash()
    }
  #endif
}
