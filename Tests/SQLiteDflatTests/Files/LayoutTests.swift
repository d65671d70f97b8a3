import Dflat
import EngineTestSupport
import Golden_post
import SQLiteDflat
import Testing

@Suite("The file is laid out as documented")
struct LayoutTests {
  @Test("The tables and indexes have the documented names, columns and types")
  func tablesAndIndexes() throws {
    let store = try TestStore()
    store.perform([Post.self, Thing.self]) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "a", priority: 5)))
      context.try(submit: ThingChangeRequest.creation(Thing(id: 7, name: "n", big: 1, ratio: 0.5, flag: true)))
    }
    let tables = try store.sql(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1")
    #expect(
      tables.map { $0[0] } == [
        "dflat-foreign-writes", "post", "post__f10", "test__thing_v1_1", "test__thing_v1_1__f10",
        "test__thing_v1_1__f12", "test__thing_v1_1__f14", "test__thing_v1_1__f8",
      ])
    #expect(
      try store.sql("SELECT name, type, pk FROM pragma_table_info('test__thing_v1_1')") == [
        ["rowid", "INTEGER", "1"], ["__pk0", "INTEGER", "0"], ["__pk1", "TEXT", "0"], ["p", "BLOB", "0"],
      ])
    #expect(tables[3][1]?.contains("AUTOINCREMENT") == true)
    let columns = try store.sql(
      "SELECT t.name, c.name, c.type FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.name LIKE '%\\_\\_f%' ESCAPE '\\' AND t.type = 'table' AND c.name <> 'rowid' ORDER BY 1"
    )
    #expect(
      columns == [
        ["post__f10", "f10", "INTEGER"], ["test__thing_v1_1__f10", "f10", "REAL"],
        ["test__thing_v1_1__f12", "f12", "INTEGER"], ["test__thing_v1_1__f14", "f14", "TEXT"],
        ["test__thing_v1_1__f8", "f8", "INTEGER"],
      ])
    #expect(
      try store.sql("SELECT name, \"unique\" FROM pragma_index_list('test__thing_v1_1__f14')")
        == [["index__test__thing_v1_1__f14", "1"]])
    #expect(
      try store.sql("SELECT name, \"unique\" FROM pragma_index_list('post__f10')") == [["index__post__f10", "0"]])
    #expect(
      try store.sql("SELECT sql FROM sqlite_master WHERE tbl_name LIKE 'post%' AND type = 'trigger' ORDER BY name") == [
        [#"CREATE TRIGGER "verified__post__f10" BEFORE UPDATE OF rowid ON "post__f10" BEGIN SELECT 1; END"#],
        [trigger("delete")], [trigger("insert")], [trigger("update")],
      ])
    #expect(try store.sql("SELECT rowid, f10 FROM post__f10") == [["1", "5"]])
    #expect(try store.sql("SELECT rowid, __pk0, __pk1 FROM test__thing_v1_1") == [["1", "7", "n"]])
    #expect(try store.sql("PRAGMA journal_mode") == [["wal"]])
  }

  /// The trigger that tells of writes of others to posts.
  private func trigger(_ operation: String) -> String {
    """
    CREATE TRIGGER "written__post__\(operation)" AFTER \(operation.uppercased()) ON "post" BEGIN \
    UPDATE "dflat-foreign-writes" SET written = 1 WHERE type = 'post' AND written = 0; END
    """
  }

  @Test("A fetch, an empty transaction and a change request create no table")
  func neitherAFetchNorAnEmptyTransactionMakesATable() throws {
    let store = try TestStore()
    #expect(store.workspace.fetch(for: Post.self).where(Post.priority > 3).isEmpty)
    store.perform([Post.self]) { _ in }
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 1))) }
    #expect(store.workspace.fetch(for: Post.self).where(Post.title == "a", limit: .limit(1)).isEmpty)
    store.perform([Post.self]) { _ in
      #expect(PostChangeRequest.changeRequest(Post(title: "a")) == nil)
    }
    #expect(try store.sql("SELECT name FROM sqlite_master WHERE name LIKE 'post%'").isEmpty)
    #expect(store.errors.values.isEmpty)
  }

  @Test("A row number is not used again after its row is deleted")
  func aRowNumberIsNeverUsedTwice() throws {
    let store = try TestStore()
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    store.perform([Post.self]) { context in
      PostChangeRequest.deletionRequest(Post(title: "a")).map { _ = context.try(submit: $0) }
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))
    }
    #expect(store.workspace.fetch(for: Post.self).all().map(\._rowid) == [2])
  }

  @Test("A row number is not used again after the file has been opened anew")
  func rowNumbersAfterReopening() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for title in ["a", "b"] { context.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
    store.perform([Post.self]) { context in
      PostChangeRequest.deletionRequest(Post(title: "b")).map { _ = context.try(submit: $0) }
    }
    store.workspace.shutdown()
    let workspace = store.reopened()
    store.perform([Post.self], in: workspace) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "c")))
    }
    #expect(workspace.fetch(for: Post.self).all().map(\._rowid) == [1, 3])
    workspace.shutdown()
  }
}
