import CSQLite
import ConformanceSupport
import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import StoreInspection
import Synchronization
import TestSupport
import Testing

@Suite("The inspector shows the objects, indexes and keys of a store")
struct StoreTests {
  @Test(
    "The overview counts objects, indexes and the dictionary, also while the store is open", arguments: [false, true])
  func overview(_ isOpen: Bool) async throws {
    try await withStore(isOpen: isOpen) { path in
      let inspector = try StoreInspector(path, postSchema())
      let overview = try inspector.overview()
      let post = try #require(overview.entries.first { $0.type.name == "Post" })
      #expect(post.count == 10 && post.byteCount > 500)
      #expect(post.indexes.map(\.index.name) == ["priority"])
      #expect(overview.entries.last?.type.sqlName == "dictitem_v_dflat_internal__" && overview.entries.last?.count == 1)
      #expect(overview.unknown.isEmpty && overview.failures.isEmpty)
      #expect(try inspector.faults().map(\.description) == [])
    }
  }

  @Test("An index is complete, unverified, behind or not built, as its table and mark say")
  func indexStates() async throws {
    func state(_ path: String) throws -> StoreOverview.IndexState? {
      try StoreInspector(path, postSchema()).overview().entries.first?.indexes.first?.state
    }
    try await withStore { path in
      #expect(try state(path) == .complete)
      try runSQL("DROP TRIGGER \"verified__post__f10\"", on: path)
      #expect(try state(path) == .unverified)
      try runSQL("DELETE FROM post__f10 WHERE rowid > 5", on: path)
      #expect(try state(path) == .behind)
      try runSQL("DROP TABLE post__f10", on: path)
      #expect(try state(path) == .missing)
      // None of these is a fault: the runtime knows what to do.
      #expect(try StoreInspector(path, postSchema()).faults().isEmpty)
    }
  }

  @Test("An index of folded texts or of elements is found by its name, and each row needs an entry in it")
  func otherKinds() async throws {
    let schema = try schema(
      String(contentsOfFile: postSchemaPath, encoding: .utf8)
        .replacing("title: string (primary)", with: "title: string (primary, indexed: \"folded\")")
        .replacing("content: Content;", with: "content: Content; words: [string] (indexed);"))
    func states(_ path: String) throws -> [StoreOverview.IndexState] {
      let entry = try StoreInspector(path, schema).overview().entries.first { $0.type.name == "Post" }
      return entry?.indexes.filter { $0.index.kind.entries != .value }.map(\.state) ?? []
    }
    func faults(_ path: String) throws -> [String] {
      try StoreInspector(path, schema).faults().filter(\.isFault).map(\.description)
    }
    try await withStore { path in
      let type = try #require(try StoreInspector(path, schema).types.first { $0.name == "Post" })
      let folded = try #require(type.indexes.first { $0.kind.entries == .foldedText })
      let elements = try #require(type.indexes.first { $0.kind.entries == .elements })
      #expect([folded, elements].map(\.key) == ["f4__folded15", "f16__elements"])
      #expect([folded, elements].map(\.kind.summary) == ["folded", "elements"])
      #expect(try states(path) == [.missing, .missing])
      let (first, second) = (type.tableName(of: folded), type.tableName(of: elements))
      try runSQL(
        """
        CREATE TABLE \(first) (rowid INTEGER PRIMARY KEY, \(folded.key) TEXT);
        CREATE TABLE \(second) (row INTEGER, position INTEGER, \(elements.key) TEXT, PRIMARY KEY (row, position))
          WITHOUT ROWID;
        INSERT INTO \(first) SELECT rowid, __pk0 FROM post;
        INSERT INTO \(second) SELECT rowid, 0, NULL FROM post;
        CREATE TRIGGER "verified__\(first)" AFTER INSERT ON \(first) WHEN 0 BEGIN SELECT 1; END;
        CREATE TRIGGER "verified__\(second)" AFTER INSERT ON \(second) WHEN 0 BEGIN SELECT 1; END;
        """, on: path)
      #expect(try states(path) == [.complete, .complete])
      #expect(try faults(path) == [])
      try runSQL("DELETE FROM \(first) WHERE rowid = 2; DELETE FROM \(second) WHERE row = 4", on: path)
      #expect(
        try faults(path) == [
          "\(first), row 2: the row has no entry in the index of `title`",
          "\(second), row 4: the row has no entry in the index of `words`",
        ])
      try runSQL("DELETE FROM \(second) WHERE row > 5", on: path)
      #expect(try states(path) == [.complete, .behind])
    }
  }

  @Test("An index is unverified once somebody else has written to the objects, or that could not be noticed")
  func foreignWrites() async throws {
    for sql in [
      "INSERT INTO post (__pk0) VALUES ('new'); INSERT INTO post__f10 SELECT max(rowid), 7 FROM post",
      "UPDATE post SET p = (SELECT o.p FROM post AS o WHERE o.rowid = 2) WHERE rowid = 3",
      "DELETE FROM post WHERE rowid = 3",
      "DROP TRIGGER written__post__insert", "DROP TRIGGER written__post__update", "DROP TRIGGER written__post__delete",
      "DELETE FROM \"dflat-foreign-writes\"", "ALTER TABLE \"dflat-foreign-writes\" RENAME TO other",
      "DROP TABLE \"dflat-foreign-writes\"",
    ] {
      try await withStore { path in
        try runSQL(sql, on: path)
        let overview = try StoreInspector(path, postSchema()).overview()
        #expect(overview.entries.first?.indexes.map(\.state) == [.unverified], "\(sql)")
        #expect(overview.unknown.map(\.name) == (sql.hasSuffix("other") ? ["other"] : []) && overview.failures.isEmpty)
        // Wrong entries are no faults then.
        let faults = try StoreInspector(path, postSchema()).faults().filter { $0.table == "post__f10" }
        #expect(faults.allSatisfy { !$0.isFault }, "\(sql): \(faults)")
      }
    }
  }

  @Test("A verification finds wrong keys, wrong and missing entries, and damaged rows")
  func faults() async throws {
    for (damage, fault) in [
      (
        "UPDATE post SET __pk0 = 'other' WHERE rowid = 3",
        "post, row 3: the key `title` is not that of the object's bytes"
      ),
      (
        "UPDATE post__f10 SET f10 = 77 WHERE rowid = 4",
        "post__f10, row 4: the entry of `priority` is not that of the object's bytes"
      ),
      ("DELETE FROM post__f10 WHERE rowid = 5", "post__f10, row 5: the row has no entry in the index of `priority`"),
      ("DELETE FROM post WHERE rowid = 6", "post__f10, row 6: the entry has no row"),
      ("UPDATE post SET p = x'00' WHERE rowid = 7", "post, row 7: 1 bytes are too few for a FlatBuffer"),
      ("UPDATE post SET p = NULL WHERE rowid = 7", "post, row 7: 0 bytes are too few for a FlatBuffer"),
    ] {
      try await withStore { path in
        try runSQL(damage, on: path, firingTriggers: false)
        let faults = try StoreInspector(path, postSchema()).faults()
        #expect(faults.map(\.description) == [fault] && faults.allSatisfy(\.isFault), "\(damage)")
      }
    }
  }

  @Test("With an order or without one, a reader that ends at a damaged row gets no row after it, and none with limit 0")
  func readersThatEnd() async throws {
    try await withStore { path in
      try runSQL("UPDATE post SET p = x'00' WHERE rowid IN (3, 7)", on: path, firingTriggers: false)
      let inspector = try StoreInspector(path, postSchema())
      #expect(try inspector.rowsToFirstDamage(orderedBy: nil) == [1, 2, 3])
      #expect(try inspector.rowsToFirstDamage(orderedBy: "title") == [3])
      for name in [nil, "title"] { #expect(try inspector.rowsToFirstDamage(orderedBy: name, limit: 0).isEmpty) }
    }
  }

  @Test("A verification goes on after a damaged page, with the other types")
  func damagedPages() async throws {
    try await withStore { path in
      try runSQL(
        "UPDATE dictitem_v_dflat_internal__ SET __pk0 = 'other'; PRAGMA wal_checkpoint(TRUNCATE)", on: path,
        firingTriggers: false)
      // Whichever of the two trees the rows are counted by, it is damaged.
      for name in ["post", "sqlite_autoindex_post_1"] { try overwriteRoot(of: name, in: path) }
      let faults = try StoreInspector(path, postSchema()).faults()
      #expect(faults.contains { $0.table == "post" && $0.message.contains("the file is damaged") }, "\(faults)")
      let key = "the key `key` is not that of the object's bytes"
      #expect(faults.contains { $0.table == "dictitem_v_dflat_internal__" && $0.message == key }, "\(faults)")
    }
  }

  @Test("Tables and fields that the schema does not know are reported")
  func newerStores() async throws {
    try await withStore { path in
      try runSQL(
        "CREATE TABLE comment (rowid INTEGER PRIMARY KEY, __pk0, p); INSERT INTO comment VALUES (1, 2, x'')", on: path)
      let older = try schema("table Post { title: string (primary); } root_type Post;")
      let inspector = try StoreInspector(path, older)
      let unknown = try inspector.overview().unknown
      #expect(unknown.map(\.name) == ["comment", "post__f10"])
      #expect(unknown.map(\.indexOf) == [nil, "Post"] && unknown[0].count == 1)
      let notes = try inspector.faults()
      #expect(notes.count == 1 && notes[0].isFault == false)
      #expect(notes[0].message.contains("fields that the schema does not know"))
    }
  }

  @Test("The error for a file that is no store says what the file is")
  func noStores() throws {
    try withTemporaryFolder { folder in
      let schema = try postSchema()
      func message(_ name: String, _ content: [UInt8]?) throws -> String {
        let path = folder.appendingPathComponent(name).path
        if let content { try Data(content).write(to: URL(fileURLWithPath: path)) }
        do throws(InspectionError) {
          let inspector = try StoreInspector(path, schema)
          return try inspector.overview().failures.first?.error.description ?? inspector.notes.joined()
        } catch {
          return error.description
        }
      }
      #expect(try message("missing", nil) == "there is no such file")
      #expect(try message("empty", []).contains("the file is empty"))
      #expect(
        try message("text", Array(String(repeating: "text ", count: 500).utf8)).contains(
          "not a SQLite database, or it is encrypted"))
      #expect(try message("header", Array("SQLite format 3\0".utf8)).contains("cut off in its header"))
      let whole = folder.appendingPathComponent("whole").path
      try runSQL(
        "CREATE TABLE post (rowid INTEGER PRIMARY KEY, __pk0, p); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO post SELECT i, i, randomblob(500) FROM n",
        on: whole)
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: whole)))
      #expect(try message("cut", Array(bytes.prefix(bytes.count / 2))).isEmpty == false)
    }
  }

  @Test("A file that another process has locked is called so, and what is wrong with a table does not hide the others")
  func lockedFiles() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("store").path
      try runSQL("CREATE TABLE post (x); CREATE TABLE other (y); INSERT INTO other VALUES (1)", on: path)
      let overview = try StoreInspector(path, postSchema()).overview()
      #expect(overview.failures.map(\.table) == ["post"] && overview.unknown.map(\.name) == ["other"])
      var handle: OpaquePointer?
      #expect(sqlite3_open(path, &handle) == SQLITE_OK)
      defer { sqlite3_close(handle) }
      #expect(sqlite3_exec(handle, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
      let error = #expect(throws: InspectionError.self) { try StoreInspector(path, postSchema()) }
      #expect(error?.description == "another process has locked it: try again when that is done")
      #expect(error?.isDamage == false)
    }
  }

  @Test("A table that lacks a column of a store's is named with the column, and is a fault")
  func missingColumns() async throws {
    for (table, column, sql) in [
      ("post", "__pk0", "ALTER TABLE post RENAME COLUMN __pk0 TO key"), ("post", "p", "ALTER TABLE post DROP COLUMN p"),
      ("post__f10", "f10", "ALTER TABLE post__f10 RENAME COLUMN f10 TO entry"),
      ("post", "rowid", "DROP TABLE post; CREATE TABLE post (__pk0 TEXT PRIMARY KEY, p BLOB) WITHOUT ROWID"),
    ] {
      try await withStore { path in
        try runSQL(sql, on: path)
        let message = "the table `\(table)` has no column `\(column)`: another schema, or another program, has made it"
        let inspector = try StoreInspector(path, postSchema())
        let failures = try inspector.overview().failures
        #expect(failures.contains { $0.table == table && $0.error.description == message }, "\(failures)")
        let faults = try inspector.faults()
        #expect(faults.contains { $0.isFault && $0.message == message }, "\(faults)")
        guard table == "post" else { return }
        for order in [nil, ("title", false)] {
          let error = #expect(throws: InspectionError.self) {
            try inspector.titles(where: "priority = 3", order: order)
          }
          #expect(error?.description == message && error?.isDamage == true, "\(String(describing: order))")
        }
      }
    }
  }

  @Test("While an app writes, another process sees whole transactions, and no fault")
  func writingMeanwhile() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dflat-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let workspace = SQLiteWorkspace(
      filePath: folder.appendingPathComponent("store.sqlite3").path, fileProtectionLevel: .noProtection
    ) { error in Issue.record("the store reports: \(error)") }
    @Sendable func writePair(_ number: Int) {
      let isDone = DispatchSemaphore(value: 0)
      workspace.performChanges(
        [Post.self],
        changesHandler: { transaction in
          for title in ["a\(number)", "b\(number)"] {
            let post = Post(title: title, color: .red, priority: Int32(number % 100))
            transaction.try(submit: PostChangeRequest.creationRequest(post))
          }
        }, completionHandler: { _ in isDone.signal() })
      isDone.wait()
    }
    writePair(0)
    _ = workspace.fetch(for: Post.self).where(Post.priority > 100)
    // A thread of its own: tests that wait for programs may have all of those that tasks run on.
    let isOver = Mutex(false)
    defer { isOver.withLock { $0 = true } }
    let written = Mutex(0)
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      var number = 1
      while !isOver.withLock({ $0 }) {
        writePair(number)
        written.withLock { $0 = number }
        number += 1
      }
      hasEnded.signal()
    }
    func inspect(_ arguments: String...) throws -> String {
      let result = try runProgram(
        productsFolder.appendingPathComponent("dflatc").path,
        ["inspect", "store.sqlite3", "--schema", postSchemaPath] + arguments, in: folder)
      #expect(result.isSuccess, "\(String(decoding: result.error, as: UTF8.self))")
      return String(decoding: result.output, as: UTF8.self)
    }
    var counts: [Int] = []
    for _ in 0..<5 {
      let before = written.withLock { $0 }
      counts.append(try inspect("Post", "--format", "jsonl").split(separator: "\n").count)
      #expect(try inspect("--verify") == "no faults\n")
      // On a busy machine, the other thread may not have come to write anything.
      for _ in 0..<600_000 where written.withLock({ $0 }) == before { usleep(1_000) }
    }
    isOver.withLock { $0 = true }
    _ = await Task.detached { hasEnded.wait() }.value
    await workspace.shutdown()
    #expect(counts.allSatisfy { $0.isMultiple(of: 2) } && counts == counts.sorted(), "\(counts)")
    #expect(Set(counts).count > 1, "nothing was written meanwhile")
  }

  @Test("Damaged files are read as far as they can be, and none is a crash")
  func damagedFiles() async throws {
    try await withStore { path in
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      var random = SeededGenerator(seed: 9)
      var readable = 0
      for _ in 0..<60 {
        var damaged = bytes
        for _ in 0..<(1 + random.next(30)) { damaged[100 + random.next(bytes.count - 100)] = UInt8(random.next(256)) }
        let copy = path + ".damaged"
        try Data(damaged).write(to: URL(fileURLWithPath: copy))
        do {
          let inspector = try StoreInspector(copy, postSchema())
          _ = try inspector.overview()
          _ = try inspector.titles(where: "priority > 0")
          _ = try inspector.faults()
          readable += 1
        } catch is InspectionError {}
      }
      #expect(readable > 5)
    }
  }
}
