import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("Texts are searched in PostgreSQL as they are in SQLite")
struct PostgresTextTests {
  @Test(
    "Texts are found in a database of any encoding and order, with indexes and without",
    arguments: ["ENCODING 'UTF8' LOCALE 'C.UTF-8'", "ENCODING 'LATIN1' LOCALE 'C'", "ENCODING 'SQL_ASCII' LOCALE 'C'"],
    [true, false])
  func texts(database: String, isIndexed: Bool) throws {
    try check(database: database, isIndexed: isIndexed)
  }

  /// Collations of ICU: one that orders letters otherwise than their code points, one that tells fewer letters apart,
  /// and one in another encoding.
  private static let collations = [
    "ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'de-u-co-phonebk' LOCALE 'C.UTF-8'",
    "ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'tr-u-ks-level1' LOCALE 'C.UTF-8'",
    "ENCODING 'LATIN1' LOCALE_PROVIDER icu ICU_LOCALE 'sv' LOCALE 'C'",
  ]

  @Test(
    "Texts are found in a database whose default collation is one of ICU, with indexes and without",
    arguments: collations, [true, false])
  func collationsOfICU(database: String, isIndexed: Bool) throws {
    let server = try PostgresServer.shared.get()
    // Such databases came with PostgreSQL 15. A server that was built without ICU has none of its collations, but for
    // one that each server lists since version 16.
    let canHave = try server.psql(
      """
      SELECT current_setting('server_version_num')::int >= 150000
        AND EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i' AND collname <> 'unicode')
      """)
    guard canHave == "t" else {
      print("notice: the server has no databases with collations of ICU, so texts are not tried in them")
      return
    }
    try check(database: database, isIndexed: isIndexed)
  }

  private func check(database: String, isIndexed: Bool) throws {
    let server = try PostgresServer.shared.get()
    let name = "texts_\(UUID().uuidString.prefix(8).lowercased())"
    try server.psql("CREATE DATABASE \(name) TEMPLATE template0 \(database)")
    defer { _ = try? server.psql("DROP DATABASE \(name) WITH (FORCE)") }
    let errors = Collected<any Error>()
    var options = PostgresOptions(connection: server.connection(to: name))
    options.buildsIndexes = isIndexed
    let workspace = PostgresWorkspace(options, errorHandler: { errors.append($0) })
    defer { workspace.shutdown() }
    let isStored = TestDatabase.perform([Thing.self], in: workspace) { transaction in
      for thing in TextConditionChecks.things { transaction.try(submit: ThingChangeRequest.creation(thing)) }
    }
    #expect(isStored, "\(errors.values)")
    for problem in TextConditionChecks.problems(in: workspace) { Issue.record("\(problem)") }
    #expect(errors.values.isEmpty, "\(errors.values)")
  }

  /// The server reads the row several times while it fills an index, and sends it with each fetch.
  @Test(
    "A part of 1 MB is found in a text of 100 MB",
    .enabled(if: ProcessInfo.processInfo.environment["DFLAT_LARGE"] != nil))
  func longTexts() throws {
    let database = try TestDatabase()
    database.perform([Thing.self]) { transaction in
      for thing in TextConditionChecks.longThings { transaction.try(submit: ThingChangeRequest.creation(thing)) }
    }
    for problem in try TextConditionChecks.problemsOfLongTexts(in: database.workspace) { Issue.record("\(problem)") }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A prefix is searched by key and index, up to the bytes that an index has of a text")
  func longPrefixes() throws {
    let database = try TestDatabase()
    let lengths = [0, 1, 999, 1_000, 1_001, 2_000]
    // Of the longer texts an index has 1,000 bytes and a hash.
    let titles = lengths.dropFirst().flatMap { length in
      ["é", "\u{10FFFF}", "z"].map { String(repeating: "k", count: length) + $0 + String(repeating: "k", count: 50) }
    }
    database.perform([Post.self]) { transaction in
      for title in titles { transaction.try(submit: PostChangeRequest.creationRequest(Post(title: title))) }
    }
    let posts = database.workspace.fetch(for: Post.self)
    for prefix in lengths.map({ String(repeating: "k", count: $0) }) + titles {
      let expected = titles.filter { $0.utf8.starts(with: prefix.utf8) }
      #expect(posts.where(Post.title.hasPrefix(prefix)).map(\.title) == expected, "\(prefix.utf8.count) bytes")
      #expect(posts.where(!Post.title.hasPrefix(prefix)).count == titles.count - expected.count)
      let isInSQL = prefix.utf8.count <= 1_000
      #expect(try posts.explain(where: Post.title.hasPrefix(prefix)).filter == nil || !isInSQL)
    }
    #expect(try posts.explain(where: Post.title.hasPrefix("k")).access == .key)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
