import Dflat
import EngineTestSupport
import Foundation
import Golden_bytes
import PostgresDflat
import TestSupport
import Testing

@Suite("A struct of bytes is found by its bytes in PostgreSQL")
struct PostgresBytesTests {
  private func change(_ database: TestDatabase, _ changes: @escaping (any TransactionContext) -> Void) {
    database.perform([Document.self], changes)
  }

  @Test("Random conditions find what the rows find, after changes, with all indexes and with some", arguments: 1...4)
  func randomConditions(seed: Int) async throws {
    let database = try TestDatabase { $0.buildsIndexes = false }
    var generator = BytesGenerator(seed: seed)
    let documents = (0..<60).map { generator.document($0) }
    change(database) { context in
      for document in documents { context.try(submit: DocumentChangeRequest.creationRequest(document)) }
    }
    for round in 0..<3 {
      if round == 2 {
        let names = try database.sql(
          """
          SELECT quote_ident(indexname) FROM pg_indexes WHERE tablename = 'document' AND indexdef LIKE '%dflat_%' ORDER BY 1
          """
        ).split(separator: "\n")
        #expect(names.count >= Document._record.indexes.count)
        for (number, name) in names.enumerated() where number % 2 == 0 { try database.sql("DROP INDEX \(name)") }
      }
      // A workspace that has not seen the dropped indexes.
      let workspace = database.other { $0.buildsIndexes = false }
      defer { workspace.shutdown() }
      let problems = BytesChecks.problems(
        &generator, conditions: 40, in: workspace, "seed \(seed), round \(round)")
      for problem in problems { Issue.record("\(problem)") }
      change(database) { context in
        for number in 0..<70 where generator.random.chance(30) {
          context.try(submit: DocumentChangeRequest.upsertRequest(generator.document(number)))
        }
      }
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Keys are the bytes, a second object of a key or of a unique struct is refused, and NULL is not")
  func keys() async throws {
    let database = try TestDatabase()
    let ids = (1...5).map(BytesGenerator.id)
    let digest = BytesGenerator.hashes[3]
    change(database) { context in
      context.try(submit: DocumentChangeRequest.creationRequest(Document(id: ids[0], owner: ids[0], digest: digest)))
      for id in ids[1...2] { context.try(submit: DocumentChangeRequest.creationRequest(Document(id: id, owner: id))) }
    }
    #expect(
      try database.sql("SELECT pg_typeof(__pk0), encode(__pk0, 'hex') FROM document ORDER BY rowid LIMIT 1")
        .contains("bytea|01ab0000000000000000000000000080"))
    for (second, field) in [
      (Document(id: ids[1], owner: ids[0]), "id"), (Document(id: ids[4], owner: ids[0], digest: digest), "digest"),
    ] {
      let refused = Locked<[String]>([])
      change(database) { context in
        // Of a closure that has run again, the last run counts.
        refused.value = []
        do {
          try context.submit(DocumentChangeRequest.creationRequest(second))
        } catch TransactionError.objectAlreadyExists(let key) {
          refused.value = key.fields.map(\.name)
        } catch {
          Issue.record("\(error)")
        }
      }
      #expect(refused.value == [field])
    }
    let documents = database.workspace.fetch(for: Document.self)
    #expect(documents.where(Document.id == ids[1]).map(\.id) == [ids[1]])
    #expect(documents.where(Document.digest == digest).map(\.id) == [ids[0]])
    #expect(documents.all(limit: .limit(2), orderBy: Document.id.descending).map(\.id) == [ids[2], ids[1]])
    #expect(documents.all().count == 3)
    for condition in [Document.parent == ids[0], Document.friends.contains(ids[0])] {
      guard case .index = try documents.explain(where: condition).access else {
        Issue.record("no index answers \(condition._node.description)")
        continue
      }
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A view shows bytes as bytea and UUIDs as uuid, and searches an index of bytes")
  func views() throws {
    let database = try TestDatabase()
    try database.run(try setupScript("--views", fixture("bytes")))
    let id = BytesGenerator.id(1)
    var document = DocumentBuilder(Document(id: id, owner: id, digest: BytesGenerator.hashes[1]))
    document.tiny = Tiny(raw: [0xAB])
    document.edge = Edge(from: id, to: id)
    document.friends = [id]
    change(database) { [document] context in
      context.try(submit: DocumentChangeRequest.creationRequest(document.build()))
      let other = Document(id: BytesGenerator.id(2), owner: id)
      context.try(submit: DocumentChangeRequest.creationRequest(other))
    }
    let text = id.uuidString.lowercased()
    #expect(
      try database.sql(
        """
        SELECT id, parent IS NULL, pg_typeof(parent), tiny, pg_typeof(tiny), "edge.from", pg_typeof("edge.from")
        FROM document_view WHERE id = '\(text)'
        """) == "\(text)|t|uuid|\\xab|bytea|\(text)|uuid")
    #expect(try database.sql("SELECT count(*) FROM document_view WHERE tiny IS NULL") == "1")
    let plan = try database.sql(
      "SET enable_seqscan = off; EXPLAIN SELECT * FROM document_view WHERE digest = '\\x01'::bytea")
    #expect(plan.contains("Index Scan"), "\(plan)")
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
