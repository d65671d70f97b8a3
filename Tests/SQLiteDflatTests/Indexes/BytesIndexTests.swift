import Dflat
import EngineTestSupport
import Foundation
import Golden_bytes
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("A struct of bytes is found by its bytes")
struct BytesIndexTests {
  private func fill(_ store: TestStore, _ documents: [Document]) {
    store.perform([Document.self]) { context in
      for document in documents { context.try(submit: DocumentChangeRequest.upsertRequest(document)) }
    }
  }

  @Test(
    "Random conditions find what the rows find, after changes, with a full index, a half one and none",
    arguments: 1...6)
  func randomConditions(seed: Int) async throws {
    let store = try TestStore()
    var generator = BytesGenerator(seed: seed)
    fill(store, (0..<60).map { generator.document($0) })
    var observers: [BytesObserver] = []
    for _ in 0..<30 { observers.append(BytesObserver(generator.condition(depth: 2), in: store.workspace)) }
    for round in 0..<6 {
      switch round % 3 {
      case 1:
        // The last rows lack their entries, as they do while an index is filled.
        for key in ["f6", "f12", "f16", "f22__f8", "f28__u2__f8", "f30__elements"] {
          let column = key.hasSuffix("elements") ? "row" : "rowid"
          try store.damage("DELETE FROM document__\(key) WHERE \(column) > 30")
        }
      case 2: try await store.workspace.waitForIndexes(of: Document.self)
      default: break
      }
      let problems = BytesChecks.problems(
        &generator, conditions: 60, in: store.workspace, "seed \(seed), round \(round)")
      for problem in problems { Issue.record("\(problem)") }
      store.perform([Document.self]) { context in
        for number in 0..<70 where generator.random.chance(30) {
          let document = generator.document(number)
          if generator.random.chance(15) {
            guard let request = DocumentChangeRequest.deletionRequest(document) else { continue }
            context.try(submit: request)
          } else {
            context.try(submit: DocumentChangeRequest.upsertRequest(document))
          }
        }
      }
      for observer in observers {
        if let problem = observer.problem { Issue.record("seed \(seed), round \(round): \(problem)") }
      }
    }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("Keys and entries are blobs of the struct's bytes, and NULL where there is no struct")
  func columns() async throws {
    let store = try TestStore()
    let id = try #require(UUID(uuidString: "0E37DF36-F698-11E6-8DD4-CB9CED3DF976"))
    var document = DocumentBuilder(Document(id: id, owner: id))
    document.parent = id
    document.tiny = Tiny(raw: [0])
    document.friends = [id]
    fill(store, [document.build(), Document(id: UUID(.empty), owner: id)])
    try await store.workspace.waitForIndexes(of: Document.self)
    let bytes = "0E37DF36F69811E68DD4CB9CED3DF976"
    let zeros = String(repeating: "0", count: 32)
    #expect(
      try store.sql("SELECT typeof(__pk0), hex(__pk0) FROM document ORDER BY rowid")
        == [["blob", bytes], ["blob", zeros]])
    #expect(
      try store.sql("SELECT typeof(f6), hex(f6) FROM document__f6 ORDER BY rowid") == [["blob", bytes], ["null", ""]])
    #expect(try store.sql("SELECT hex(f16) FROM document__f16 ORDER BY rowid") == [["00"], [""]])
    #expect(
      try store.sql("SELECT row, hex(f30__elements) FROM document__f30__elements ORDER BY row")
        == [["1", bytes], ["2", ""]])
    let types = try store.sql("SELECT type FROM pragma_table_info('document') WHERE name = '__pk0'")
    #expect(types == [["BLOB"]])
  }

  @Test("An object is found, changed and deleted by its key, and a second one of the key is refused")
  func keys() throws {
    let store = try TestStore()
    let (first, second) = (BytesGenerator.id(1), BytesGenerator.id(2))
    fill(store, [Document(id: first, owner: first), Document(id: second, owner: first)])
    let documents = store.workspace.fetch(for: Document.self)
    #expect(documents.where(Document.id == first).map(\.id) == [first])
    #expect(try documents.explain(where: Document.id == first).access == .key)
    #expect(documents.all(orderBy: Document.id.descending).map(\.id) == [second, first])
    store.perform([Document.self]) { context in
      do {
        try context.submit(DocumentChangeRequest.creationRequest(Document(id: first, owner: second)))
        Issue.record("a second object of the key is stored")
      } catch {
        #expect("\(error)".contains("0x01ab"), "\(error)")
      }
      guard let object = store.workspace.fetch(for: Document.self).where(Document.id == second).first,
        let request = DocumentChangeRequest.changeRequest(object)
      else {
        Issue.record("the object is not found")
        return
      }
      request.id = BytesGenerator.id(3)
      context.try(submit: request)
    }
    #expect(documents.where(Document.id == second).isEmpty)
    #expect(documents.where(Document.id == BytesGenerator.id(3)).count == 1)
    store.perform([Document.self]) { context in
      guard let request = DocumentChangeRequest.deletionRequest(Document(id: first, owner: first)) else { return }
      context.try(submit: request)
    }
    #expect(documents.all().map(\.id) == [BytesGenerator.id(3)])
  }

  @Test("A unique struct of bytes is refused twice, in one transaction and in two, and NULL is not")
  func uniqueness() async throws {
    let store = try TestStore()
    let digest = BytesGenerator.hashes[3]
    func document(_ number: Int, _ digest: Hash?) -> Document {
      Document(id: BytesGenerator.id(number), owner: BytesGenerator.id(0), digest: digest)
    }
    store.perform([Document.self]) { context in
      context.try(submit: DocumentChangeRequest.creationRequest(document(1, digest)))
      #expect(throws: TransactionError.self) {
        try context.submit(DocumentChangeRequest.creationRequest(document(2, digest)))
      }
      for number in 3..<5 { context.try(submit: DocumentChangeRequest.creationRequest(document(number, nil))) }
    }
    store.perform([Document.self]) { context in
      #expect(throws: TransactionError.self) {
        try context.submit(DocumentChangeRequest.creationRequest(document(5, digest)))
      }
      context.try(submit: DocumentChangeRequest.creationRequest(document(6, BytesGenerator.hashes[4])))
    }
    #expect(store.workspace.fetch(for: Document.self).where(Document.digest == digest).count == 1)
    #expect(store.workspace.fetch(for: Document.self).count(where: Document.digest == nil) == 2)
  }

  @Test("A struct in hand with too few bytes is found as it is stored, padded with zeros; with too many, never")
  func otherLengths() throws {
    let store = try TestStore()
    let id = BytesGenerator.id(1)
    fill(store, [Document(id: id, owner: id, digest: Hash(bytes: [7]), sum: Hash(bytes: [7]))])
    let documents = store.workspace.fetch(for: Document.self)
    let padded = Hash(bytes: [7] + Array(repeating: 0, count: 31))
    let long = Hash(bytes: [7] + Array(repeating: 0, count: 32))
    for field in [Document.digest, Document.sum] {
      #expect(documents.where(field == Hash(bytes: [7])).first?.digest == padded)
      #expect(documents.where(field == padded).count == 1)
      #expect(documents.where(field == long).isEmpty)
      #expect(documents.where(field != long).count == 1)
    }
    store.perform([Document.self], completing: false) { context in
      #expect(throws: (any Error).self) {
        try context.submit(
          DocumentChangeRequest.creationRequest(Document(id: BytesGenerator.id(2), owner: id, digest: long)))
      }
    }
  }

  @Test("Another workspace that writes beside this one is followed, in the keys and in the indexes")
  func otherWriters() async throws {
    let store = try TestStore()
    let other = store.reopened()
    defer { other.shutdown() }
    let (first, second) = (BytesGenerator.id(1), BytesGenerator.id(2))
    fill(store, [Document(id: first, parent: second, owner: first)])
    store.perform([Document.self], in: other) { context in
      context.try(submit: DocumentChangeRequest.creationRequest(Document(id: second, parent: second, owner: first)))
    }
    #expect(store.workspace.fetch(for: Document.self).where(Document.parent == second).count == 2)
    store.perform([Document.self]) { context in
      #expect(throws: TransactionError.self) {
        try context.submit(DocumentChangeRequest.creationRequest(Document(id: second, owner: first)))
      }
    }
    #expect(other.fetch(for: Document.self).where(Document.id.in([first, second])).count == 2)
  }

  @Test("A writer that knows no index of the type, as an older version does, spoils no answer")
  func olderWriters() async throws {
    let store = try TestStore()
    let ids = (1...3).map(BytesGenerator.id)
    fill(store, ids.map { Document(id: $0, parent: $0, owner: $0) })
    try await store.workspace.waitForIndexes(of: Document.self)
    #expect(store.workspace.fetch(for: Document.self).where(Document.parent == ids[0]).count == 1)
    // The first row gets the bytes of the second, and the index is not told.
    try store.sql("DELETE FROM document WHERE rowid = 3")
    try store.sql("UPDATE document SET p = (SELECT o.p FROM document AS o WHERE o.rowid = 2) WHERE rowid = 1")
    let changed = store.reopened()
    defer { changed.shutdown() }
    #expect(changed.fetch(for: Document.self).where(Document.parent == ids[0]).isEmpty)
    #expect(changed.fetch(for: Document.self).where(Document.parent == ids[1]).count == 2)
    #expect(changed.fetch(for: Document.self).where(Document.parent == ids[2]).isEmpty)
  }

  @Test("Two fields that keep UUIDs in different forms are compared by the UUIDs")
  func formsOfUUIDs() throws {
    let store = try TestStore()
    let ids = (1...3).map(BytesGenerator.id)
    fill(
      store,
      [
        Document(id: ids[0], owner: ids[0], name: ids[0]), Document(id: ids[1], owner: ids[0], name: ids[2]),
        Document(id: ids[2], owner: ids[0]),
      ])
    let documents = store.workspace.fetch(for: Document.self)
    #expect(documents.where(Document.id == Document.name).map(\.id) == [ids[0]])
    #expect(documents.where(Document.name == Document.id).map(\.id) == [ids[0]])
    #expect(documents.where(Document.id < Document.name).map(\.id) == [ids[1]])
    #expect(documents.where(Document.name != Document.id).map(\.id) == [ids[1]])
  }
}
