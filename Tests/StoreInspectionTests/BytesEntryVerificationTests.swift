import Dflat
import EngineTestSupport
import Foundation
import Golden_bytes
import SQLiteDflat
import StoreInspection
import TestSupport
import Testing

@Suite("The verification of keys and entries that are the bytes of structs")
struct BytesEntryVerificationTests {
  private func faults(after damage: String) async throws -> [String] {
    let file = packageFolder.appendingPathComponent("Fixtures/bytes/schema.fbs")
    let schema = try schema(String(contentsOf: file, encoding: .utf8))
    var generator = BytesGenerator(seed: 1)
    let documents = (0..<30).map { generator.document($0) }
    var faults: [String] = []
    try await withStoreFile { path in
      let workspace = openWorkspace(path)
      let isStored = await workspace.performChanges([Document.self]) { transaction in
        for document in documents { transaction.try(submit: DocumentChangeRequest.upsertRequest(document)) }
      }
      #expect(isStored)
      await workspace.shutdown()
      try runSQL(damage, on: path, firingTriggers: false)
      let inspector = try StoreInspector(path, schema)
      let indexes = try #require(inspector.overview().entries.first { $0.type.name == "Document" }).indexes
      #expect(indexes.count > 5 && indexes.allSatisfy { $0.state == .complete })
      faults = try inspector.faults().map(\.description)
    }
    return faults
  }

  @Test("Nothing is reported of a store that the runtime has written")
  func rightEntries() async throws {
    #expect(try await faults(after: "") == [])
  }

  @Test(
    "Other bytes, text and numbers in the place of the bytes are reported",
    arguments: [
      ("document__f6", "f6", "zeroblob(16)"), ("document__f30__elements", "f30__elements", "zeroblob(16)"),
      ("document__f30__elements", "f30__elements", "'0e37df36-f698-11e6-8dd4-cb9ced3df976'"),
      ("document__f30__elements", "f30__elements", "1"), ("document__f16", "f16", "x'0102'"),
    ])
  func wrongEntries(table: String, column: String, value: String) async throws {
    let (row, rest) = column.hasSuffix("elements") ? ("row", " AND position = 0") : ("rowid", "")
    let faults = try await faults(
      after: """
        UPDATE \(table) SET \(column) = \(value) \
        WHERE \(row) = (SELECT min(\(row)) FROM \(table) WHERE \(column) IS NOT NULL)\(rest)
        """)
    #expect(faults.contains { $0.contains(table) }, "\(faults)")
  }
}
