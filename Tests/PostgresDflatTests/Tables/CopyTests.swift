import CSQLite
import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Golden_scalars
import SQLiteDflat
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("Objects of another workspace are copied to PostgreSQL")
struct CopyTests {
  /// Calls `body` with a workspace on a file, which it may open as well.
  private func withFile(
    _ body: (_ source: SQLiteWorkspace, _ path: String) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dflat-copy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("posts.sqlite3").path
    let source = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    do {
      try await body(source, path)
    } catch {
      await source.shutdown()
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    await source.shutdown()
    try FileManager.default.removeItem(at: folder)
  }

  private func store(_ titles: some Sequence<String>, in workspace: any Workspace) async {
    let posts = titles.map { Post(title: $0, tag: "tag \($0.count)", priority: Int32($0.utf8.count)) }
    let isStored = await workspace.performChanges([Post.self]) { transaction in
      for post in posts { transaction.try(submit: PostChangeRequest.creationRequest(post)) }
    }
    #expect(isStored)
  }

  private func titles(_ range: Range<Int>) -> [String] { range.map { "post \($0)" } }

  private func post(_ summary: CopySummary) throws -> CopySummary.Table { try #require(summary.tables.first) }

  /// The result of plain SQL on a file, a line for each row, its columns in hexadecimal digits.
  private func sqlite(_ path: String, _ sql: String) throws -> [String] {
    var handle: OpaquePointer?
    try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    defer { sqlite3_close_v2(handle) }
    sqlite3_busy_timeout(handle, 10_000)
    var statement: OpaquePointer?
    try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
    defer { sqlite3_finalize(statement) }
    var lines: [String] = []
    while true {
      let status = sqlite3_step(statement)
      guard status == SQLITE_ROW else {
        try #require(status == SQLITE_DONE)
        return lines
      }
      lines.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
    }
  }

  @Test("Random objects keep their bytes and their order, and the second time nothing is written", arguments: 0..<4)
  func randomObjects(seed: Int) async throws {
    let database = try TestDatabase()
    try await withFile { source, path in
      var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
      var history = PostHistory(in: source)
      for round in 0..<6 { history.change(&generator, "seed \(seed), round \(round)") }
      await store([String(repeating: "long", count: 400), String(repeating: "long", count: 400) + "er"], in: source)
      source.dictionary["count"] = 7
      source.dictionary.namespace("\0näme")["text"] = "é"

      let summary = try await database.workspace.copy([Post.self], from: source)
      let objects = source.fetch(for: Post.self).all()
      #expect(objects.count > 10)
      #expect(Array(database.workspace.fetch(for: Post.self).all()) == Array(objects))
      let table = try post(summary)
      #expect(table.name == "post" && table.insertedCount == objects.count && table.copiedCount == objects.count)
      #expect(table.additionalCount == 0 && table.damagedRows.isEmpty)
      #expect(summary.tables.last?.insertedCount == 2)
      // Byte for byte, so that nothing is lost that this version of the schema does not know.
      #expect(
        try database.sql("SELECT upper(encode(p, 'hex')) FROM post ORDER BY rowid").split(separator: "\n").map(
          String.init) == sqlite(path, "SELECT hex(p) FROM post ORDER BY rowid"))
      let count: Int? = database.workspace.dictionary["count"]
      let text: String? = database.workspace.dictionary.namespace("\0näme")["text"]
      #expect(count == 7 && text == "é")

      let again = try await database.workspace.copy([Post.self], from: source)
      #expect(try post(again).unchangedCount == objects.count && post(again).copiedCount == objects.count)
      #expect(again.tables.last?.unchangedCount == 2)
      #expect(database.workspace.fetch(for: Post.self).count() == objects.count)
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A second copy replaces objects that the source has changed, and leaves those that it lacks")
  func replacing() async throws {
    let database = try TestDatabase()
    try await withFile { source, _ in
      await store(titles(0..<300), in: source)
      try await database.workspace.copy([Post.self], from: source)
      await store(["only there"], in: database.workspace)
      await source.performChanges([Post.self]) { transaction in
        for post in source.fetch(for: Post.self).where(Post.title == "post 7" || Post.title == "post 299") {
          let request = PostChangeRequest.changeRequest(post)
          request?.priority = -1
          if let request { transaction.try(submit: request) }
        }
      }
      await store(titles(300..<310), in: source)
      let table = try post(try await database.workspace.copy([Post.self], from: source))
      #expect(table.insertedCount == 10 && table.replacedCount == 2 && table.unchangedCount == 298)
      #expect(table.additionalCount == 1)
      #expect(database.workspace.fetch(for: Post.self).where(Post.priority == -1).count == 2)
      #expect(database.workspace.fetch(for: Post.self).where(Post.title == "only there").count == 1)
    }
  }

  @Test("Calling copy again resumes a copy that was cancelled")
  func cancelling() async throws {
    let database = try TestDatabase()
    try await withFile { source, _ in
      await store(titles(0..<1_000), in: source)
      let workspace = database.workspace
      let seen = Collected<CopyProgress>()
      let isReached = AsyncStream<Void>.makeStream()
      let isCancelled = Gate()
      let task = Task {
        // Also if the copy fails before, or the test would wait for ever.
        defer { isReached.continuation.finish() }
        try await workspace.copy([Post.self], from: source) { progress in
          seen.append(progress)
          guard progress.rowCount == 400 else { return }
          isReached.continuation.finish()
          isCancelled.wait()
        }
      }
      for await _ in isReached.stream {}
      task.cancel()
      isCancelled.open()
      await #expect(throws: CancellationError.self) { try await task.value }
      let stored = workspace.fetch(for: Post.self).count()
      #expect(stored == 400)
      #expect(seen.values.first == CopyProgress(phase: .copying, table: "post", rowCount: 200, totalRowCount: 1_000))

      let table = try post(try await workspace.copy([Post.self], from: source))
      #expect(table.unchangedCount == stored && table.insertedCount == 1_000 - stored)
      #expect(workspace.fetch(for: Post.self).all().map(\.title) == titles(0..<1_000))
    }
  }

  @Test("Connections that are killed meanwhile do not stop a copy")
  func killedConnections() async throws {
    let database = try TestDatabase { $0.retry = .limited(200) }
    try await withFile { source, _ in
      await store(titles(0..<2_000), in: source)
      let killCount = Locked(0)
      let table = try post(
        try await database.workspace.copy([Post.self], from: source) {
          [server = database.server, name = database.name] _ in
          guard
            killCount.change({ count in
              count += 1
              return count
            }) <= 12
          else { return }
          _ = try? server.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)' AND pid <> pg_backend_pid()"
          )
        })
      #expect(table.copiedCount == 2_000 && table.additionalCount == 0)
      #expect(killCount.value > 12)
      #expect(database.workspace.fetch(for: Post.self).all().map(\.title) == titles(0..<2_000))
    }
  }

  @Test("Rows that hold no object, or no key, are named and left out")
  func damagedRows() async throws {
    let database = try TestDatabase()
    try await withFile { source, path in
      await store(titles(0..<5), in: source)
      await source.shutdown()
      _ = try sqlite(path, "UPDATE post SET p = x'ffffff7f00' WHERE __pk0 = 'post 1'")
      // A table without fields: its key is NULL.
      _ = try sqlite(path, "UPDATE post SET p = x'080000000400040004000000' WHERE __pk0 = 'post 3'")
      let reopened = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
      let table = try post(try await database.workspace.copy([Post.self], from: reopened))
      await reopened.shutdown()
      #expect(table.damagedRows == [2, 4] && table.insertedCount == 3)
      #expect(database.workspace.fetch(for: Post.self).all().map(\.title) == ["post 0", "post 2", "post 4"])
    }
  }

  @Test("A change of another program during a copy is noticed")
  func verification() async throws {
    let database = try TestDatabase()
    try await withFile { source, _ in
      await store(titles(0..<300), in: source)
      await #expect(throws: CopyError.differs(table: "post", rowCount: 2)) {
        try await database.workspace.copy([Post.self], from: source) {
          [server = database.server, name = database.name] progress in
          guard progress.phase == .copying, progress.rowCount == 300 else { return }
          _ = try? server.psql(
            "DELETE FROM post WHERE __pk0 = 'post 5'; UPDATE post SET p = p || '\\x00' WHERE __pk0 = 'post 290'",
            in: name)
        }
      }
    }
  }

  @Test("A unique value that another object of the database has ends the copy, and nothing is replaced")
  func uniqueValues() async throws {
    let database = try TestDatabase()
    try await withFile { source, _ in
      let sample = Sample(sensorId: .max, level: .HIGH, name: "a", serial: 9)
      let other = Sample(sensorId: 1, level: .HIGH, name: "b", serial: 9)
      await source.performChanges([Sample.self]) {
        $0.try(submit: SampleChangeRequest.creationRequest(sample))
      }
      let workspace = database.workspace
      await workspace.performChanges([Sample.self]) { $0.try(submit: SampleChangeRequest.creationRequest(other)) }
      let error = await #expect(throws: PostgresError.self) {
        try await workspace.copy([Sample.self], from: source)
      }
      #expect(error?.sqlState == "23505")
      #expect(workspace.fetch(for: Sample.self).all().map(\.name) == ["b"])
      await workspace.performChanges([Sample.self]) { transaction in
        for each in workspace.fetch(for: Sample.self).all() {
          if let request = SampleChangeRequest.deletionRequest(each) { transaction.try(submit: request) }
        }
      }
      try await workspace.copy([Sample.self], from: source)
      #expect(workspace.fetch(for: Sample.self).all().map(\.sensorId) == [.max])
    }
  }

  @Test("A copy from one database to another has all objects")
  func otherDatabase() async throws {
    let (first, second) = (try TestDatabase(), try TestDatabase())
    await store(titles(0..<450), in: first.workspace)
    let table = try post(try await second.workspace.copy([Post.self], from: first.workspace))
    #expect(table.insertedCount == 450)
    #expect(second.workspace.fetch(for: Post.self).all().map(\.title) == titles(0..<450))
  }

  @Test("A source without a file has nothing, and one that was shut down is an error")
  func noSource() async throws {
    let database = try TestDatabase()
    try await withFile { source, _ in
      let summary = try await database.workspace.copy([Post.self], from: source)
      #expect(try post(summary).copiedCount == 0)
      await source.shutdown()
      await #expect(throws: (any Error).self) { try await database.workspace.copy([Post.self], from: source) }
    }
  }
}
