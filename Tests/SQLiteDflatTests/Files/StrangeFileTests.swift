import CSQLite
import Dflat
import DflatEngine
import EngineTestSupport
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

@Suite("Files that other programs have made or changed are refused with a reason, or used rightly")
struct StrangeFileTests {
  private func create(_ title: String, in store: TestStore, _ workspace: SQLiteWorkspace? = nil, isStored: Bool = true)
  {
    store.perform([Post.self], in: workspace, completing: isStored) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
    }
  }

  @Test(
    "A file whose strings are UTF-16 is refused and left as it is", arguments: ["UTF-16le", "UTF-16be"], [false, true])
  func encoding(name: String, hasTable: Bool) throws {
    let store = try TestStore()
    try store.sql("PRAGMA encoding = '\(name)'; \(hasTable ? "CREATE TABLE t (a)" : "PRAGMA user_version = 1")")
    let isRefused = try store.sql("PRAGMA encoding") == [[name]]
    #expect(isRefused || !hasTable)
    create("a", in: store, isStored: !isRefused)
    #expect(store.workspace.fetch(for: Post.self).all().count == (isRefused ? 0 : 1))
    guard isRefused else { return }
    #expect(eventually { store.errors.count > 0 })
    #expect(store.errors.values.allSatisfy { "\($0)".contains(name) })
    #expect(try store.sql("PRAGMA journal_mode") == [["delete"]])
  }

  @Test(
    "Where no row number is left, a creation fails with a reason, and the rows that are there go on working",
    arguments: ["\(Int64.max)", "\(Int64.max - 5)", "9e99"])
  func lastNumbers(sequence: String) throws {
    let store = try TestStore()
    create("a", in: store)
    store.workspace.shutdown()
    try store.sql("UPDATE sqlite_sequence SET seq = \(sequence) WHERE name = 'post'")
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    create("b", in: store, workspace, isStored: false)
    #expect(eventually { store.errors.values.contains { ($0 as? SQLiteError)?.code == SQLITE_FULL } })
    #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["a"])
    try changeAndDelete(in: store, workspace)
  }

  @Test("An object in the last row of all can be fetched, changed and deleted; no other can be created meanwhile")
  func lastRow() throws {
    let store = try TestStore()
    create("a", in: store)
    store.workspace.shutdown()
    try store.sql("UPDATE post SET rowid = \(Int64.max)")
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    #expect(workspace.fetch(for: Post.self).all().map(\._rowid) == [Int64.max])
    create("b", in: store, workspace, isStored: false)
    try changeAndDelete(in: store, workspace)
  }

  @Test("Where the dictionary has no row number left, its keys can be changed and removed")
  func lastDictionaryRow() throws {
    let store = try TestStore()
    store.workspace.dictionary["a", Int.self] = 1
    store.workspace.dictionary.synchronize()
    store.workspace.shutdown()
    let table = DictionaryItem.record.table
    try store.sql("UPDATE sqlite_sequence SET seq = \(Int64.max) WHERE name = '\(table)'")
    let workspace = store.reopened()
    workspace.dictionary["a", Int.self] = 2
    workspace.dictionary.synchronize()
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
    workspace.dictionary["a", Int.self] = nil
    workspace.dictionary.synchronize()
    workspace.shutdown()
    #expect(try store.sql("SELECT count(*) FROM \(table)") == [["0"]])
  }

  /// Changes the only post, and deletes it.
  private func changeAndDelete(in store: TestStore, _ workspace: SQLiteWorkspace) throws {
    let post = try #require(workspace.fetch(for: Post.self).all().first)
    store.perform([Post.self], in: workspace) { context in
      let request = PostChangeRequest.changeRequest(post)
      request?.priority = 7
      if let request { context.try(submit: request) }
    }
    #expect(workspace.fetch(for: Post.self).all().map(\.priority) == [7])
    store.perform([Post.self], in: workspace) { context in
      if let request = PostChangeRequest.deletionRequest(post) { context.try(submit: request) }
    }
    #expect(workspace.fetch(for: Post.self).count() == 0)
  }

  @Test("A sequence that is stored as a text counts as the number that SQLite reads in it")
  func textSequence() throws {
    let store = try TestStore()
    create("a", in: store)
    store.workspace.shutdown()
    try store.sql("UPDATE sqlite_sequence SET seq = 'abc' WHERE name = 'post'")
    let workspace = store.reopened()
    defer { workspace.shutdown() }
    create("b", in: store, workspace)
    #expect(workspace.fetch(for: Post.self).all().map(\._rowid) == [1, 2])
  }
}
