import Dflat
import EngineTestSupport
import Golden_indexes
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("pg_dump")
struct DumpTests {
  private static func store(_ titles: [String], in database: TestDatabase) {
    database.perform([Post.self]) { transaction in
      for title in titles {
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: 5)))
      }
      transaction.dictionary["key"] = titles.count
    }
  }

  private static func check(_ database: TestDatabase, _ titles: [String]) throws {
    #expect(database.workspace.fetch(for: Post.self).where(Post.priority > 3).map(\.title) == titles)
    #expect(database.workspace.dictionary["key", Int.self] == titles.count)
    // New objects get numbers behind those of the restored rows.
    store(titles.map { $0 + " new" }, in: database)
    #expect(database.workspace.fetch(for: Post.self).all().map(\.title) == titles + titles.map { $0 + " new" })
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("The rows of single tables are restored into another database that the script has set up")
  func tables() throws {
    let (source, target) = (try TestDatabase(), try TestDatabase())
    let script = try setupScript("--views", fixture("post"))
    try source.run(script)
    Self.store(["a", "b", "c"], in: source)
    let dump = try source.server.dump(
      source.name, ["--data-only", "-t", "post", "-t", "dictitem_v_dflat_internal__"])
    try target.run(script)
    try target.run(dump)
    try Self.check(target, ["a", "b", "c"])
    let titles = try target.sql("SELECT string_agg(title, '' ORDER BY rowid) FROM post_view WHERE priority = 5")
    #expect(titles == "abca newb newc new")
  }

  @Test("A whole database is restored with its tables, indexes and views")
  func database() async throws {
    let (source, target) = (try TestDatabase(), try TestDatabase())
    try source.run(try setupScript("--views", fixture("post")))
    Self.store(["a", "b"], in: source)
    try target.run(try source.server.dump(source.name, []))
    #expect(try target.catalog() == source.catalog())
    #expect(try await target.workspace.check([Post.self]).isComplete)
    try Self.check(target, ["a", "b"])
    #expect(try target.sql("SELECT count(title) FROM post_view") == "4")
  }

  @Test("Indexes over foldings and elements are restored, and answer at once")
  func foldings() async throws {
    let (source, target) = (try TestDatabase(), try TestDatabase())
    let script = try setupScript(fixture("indexes"))
    try source.run(script)
    source.perform([Note.self]) { transaction in
      for number in 0..<20 {
        transaction.try(
          submit: NoteChangeRequest.creationRequest(
            Note(title: "Tïtle \(number)", slug: "É\(number)", tags: ["a", "b\(number)"], words: ["Wörd\(number)"])))
      }
    }
    try target.run(try source.server.dump(source.name, []))
    #expect(try target.catalog() == source.catalog())
    #expect(try await target.workspace.check([Note.self]).isComplete)
    let notes = target.workspace.fetch(for: Note.self)
    #expect(notes.where(Note.title.folded == "TITLE 3").map(\.slug) == ["É3"])
    #expect(notes.where(Note.tags.contains("b4")).map(\.slug) == ["É4"])
    #expect(notes.where(Note.words.contains { $0.folded == "WORD5" }).map(\.slug) == ["É5"])
    guard case .index = try notes.explain(where: Note.words.contains { $0.folded == "WORD5" }).access else {
      Issue.record("no index is used")
      return
    }
    let isRefused = Locked(false)
    target.perform([Note.self]) { transaction in
      // Of a closure that has run again, the last run counts.
      do {
        try transaction.submit(NoteChangeRequest.creationRequest(Note(title: "new", slug: "e7")))
        isRefused.value = false
      } catch {
        isRefused.value = true
      }
    }
    #expect(isRefused.value)
    #expect((source.errors.values + target.errors.values).isEmpty)
  }
}
