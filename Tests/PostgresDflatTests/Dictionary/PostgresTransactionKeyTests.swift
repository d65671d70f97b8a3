import EngineTestSupport
import Testing

@Suite("Keys that a transaction sets on PostgreSQL commit and roll back with it")
struct PostgresTransactionKeyTests {
  private func check(_ body: (DictionaryTransactionChecks) -> Void) throws {
    let database = try TestDatabase()
    let other = database.other()
    defer { other.shutdown() }
    body(DictionaryTransactionChecks(database.workspace, other, database.errors))
  }

  @Test("A transaction sees the keys that it has set, and nobody else sees them before its commit")
  func ownWrites() throws { try check { $0.checkOwnWrites() } }

  @Test("An abort leaves no trace, and after it nothing can be set")
  func abort() throws { try check { $0.checkAbort() } }

  @Test("Removing all in a transaction removes what is stored and its own")
  func removeAll() throws { try check { $0.checkRemoveAll() } }

  @Test("A value that cannot be encoded fails the transaction")
  func encodingFails() throws { try check { $0.checkEncodingFails() } }

  @Test("A value of another type is absent, and is reported once until its key is set")
  func unreadable() throws { try check { $0.checkUnreadable() } }
}
