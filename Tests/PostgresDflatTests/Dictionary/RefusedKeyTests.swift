import Dflat
import DflatEngine
import EngineTestSupport
import Foundation
import TestSupport
import Testing

@testable import PostgresDflat

@Suite("A key that the server refuses keeps no other key from being written")
struct RefusedKeyTests {
  private let database: TestDatabase
  private let other: PostgresWorkspace
  private var dictionary: any WorkspaceDictionary { database.workspace.dictionary }

  init() throws {
    database = try TestDatabase()
    other = database.other()
    dictionary["refused"] = 1
    #expect(dictionary.synchronize())
  }

  /// Has the server refuse a key.
  ///
  /// - Parameter state: the code of the server's error.
  private func refuse(_ state: String) throws {
    try database.sql(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.__pk0 = 'refused' THEN RAISE EXCEPTION 'not today' USING ERRCODE = '\(state)'; END IF; RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON dictitem_v_dflat_internal__ FOR EACH ROW EXECUTE FUNCTION refuse()
      """)
  }

  /// Sets the refused key among others, and synchronizes.
  private func set() -> Bool {
    for number in 0..<20 { dictionary["\(number)"] = number }
    dictionary["refused"] = 2
    for number in 20..<40 { dictionary["\(number)"] = number }
    return dictionary.synchronize()
  }

  private var areOthersStored: Bool { (0..<40).allSatisfy { (number: Int) in other.dictionary["\(number)"] == number } }

  @Test(
    "A value that is too large, or violates a rule of the database, is given up and reported",
    arguments: ["54000", "22023", "23514", "23505", "P0001"])
  func refusal(state: String) throws {
    let told = Collected<Int?>()
    let subscription = dictionary.subscribe("refused", of: Int.self) { told.append($0.value) }
    try refuse(state)
    // It may have been given up in the background before.
    _ = set()
    #expect(areOthersStored)
    #expect(dictionary["refused"] == 1 && other.dictionary["refused"] == 1)
    #expect(eventually { told.values == [1, 2, 1] }, "\(told.values)")
    #expect(eventually { !database.errors.values.isEmpty })
    let errors = database.errors.values.compactMap { $0 as? DictionaryError }
    #expect(errors.map(\.key) == ["refused"], "\(database.errors.values)")
    #expect(errors.allSatisfy { if case .refused = $0.reason { true } else { false } }, "\(errors)")
    // The key may be set again.
    try database.sql("DROP TRIGGER refuse ON dictitem_v_dflat_internal__")
    dictionary["refused"] = 3
    #expect(dictionary.synchronize())
    #expect(other.dictionary["refused"] == 3)
    subscription.cancel()
    other.shutdown()
  }

  /// Makes a role that may do everything with the tables, and a workspace of it whose errors are collected.
  private func makeLimited() throws -> (workspace: PostgresWorkspace, role: String, errors: Collected<any Error>) {
    let role = "limited_\(database.name)"
    try database.sql(
      """
      CREATE ROLE \(role) LOGIN;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role);
      GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(role);
      """)
    let errors = Collected<any Error>()
    let workspace = PostgresWorkspace(
      connection: database.server.connection(to: database.name, user: role), errorHandler: { errors.append($0) })
    workspace.waitForCallbacks()
    return (workspace, role, errors)
  }

  @Test("A key that row level security refuses is given up and reported")
  func rowLevelSecurity() throws {
    let (workspace, role, errors) = try makeLimited()
    try database.sql(
      """
      ALTER TABLE dictitem_v_dflat_internal__ ENABLE ROW LEVEL SECURITY;
      CREATE POLICY writing ON dictitem_v_dflat_internal__ USING (true) WITH CHECK (__pk0 <> 'refused');
      """)
    for number in 0..<20 { workspace.dictionary["\(number)"] = number }
    workspace.dictionary["refused"] = 2
    for number in 20..<40 { workspace.dictionary["\(number)"] = number }
    // The key may have been given up in the background before.
    _ = workspace.dictionary.synchronize()
    #expect(areOthersStored)
    #expect(workspace.dictionary["refused"] == 1)
    #expect(workspace.core.dictionary.state.withLock { $0.pending.isEmpty })
    workspace.shutdown()
    #expect(errors.values.compactMap { ($0 as? DictionaryError)?.key } == ["refused"], "\(errors.values)")
    other.shutdown()
    try database.sql("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  @Test("Keys that a role has no right to write are given up by none of its writes, and written once it has the right")
  func missingRight() throws {
    let (workspace, role, _) = try makeLimited()
    try database.sql("REVOKE INSERT, UPDATE ON dictitem_v_dflat_internal__ FROM \(role)")
    for number in 0..<40 { workspace.dictionary["\(number)"] = number }
    #expect(!workspace.dictionary.synchronize())
    #expect(workspace.core.dictionary.state.withLock { $0.pending.count } == 40)
    try database.sql("GRANT INSERT, UPDATE ON dictitem_v_dflat_internal__ TO \(role)")
    #expect(workspace.dictionary.synchronize())
    #expect(areOthersStored)
    workspace.shutdown()
    other.shutdown()
    try database.sql("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  @Test("A small value for which the server has no memory now is written later")
  func memory() throws {
    try refuse("53200")
    #expect(!set())
    #expect(areOthersStored)
    #expect(dictionary["refused"] == 2 && other.dictionary["refused"] == 1)
    try database.sql("DROP TRIGGER refuse ON dictitem_v_dflat_internal__")
    #expect(dictionary.synchronize())
    #expect(other.dictionary["refused"] == 2)
    other.shutdown()
  }

  @Test("An error handler that sets a key which the server refuses is told of that once, and not for ever")
  func settingErrorHandler() throws {
    try refuse("P0001")
    let (held, count) = (Locked<PostgresWorkspace?>(nil), Locked(0))
    let workspace = PostgresWorkspace(
      connection: database.server.connection(to: database.name),
      errorHandler: { _ in
        let number = count.change { count in
          count += 1
          return count
        }
        held.value?.dictionary["refused"] = 2 + number
      })
    held.value = workspace
    workspace.dictionary["refused"] = 2
    #expect(eventually { count.value == 2 })
    // The last error goes to standard error. Long enough, as a rule, for more calls.
    usleep(300_000)
    #expect(eventually { workspace.core.dictionary.state.withLock { $0.pending.isEmpty } })
    #expect(count.value == 2)
    held.value = nil
    workspace.shutdown()
    other.shutdown()
  }

  @Test(
    "A refused key counts as set by the code that has set it, whoever has begun its write",
    arguments: zip([0, 2], [1, 0]))
  func joinedWrite(first: Int, second: Int) throws {
    try refuse("P0001")
    let depths = Collected<Int>()
    let workspace = PostgresWorkspace(
      connection: database.server.connection(to: database.name),
      errorHandler: { _ in depths.append(HandlerDepth.current) })
    workspace.waitForCallbacks()
    let queue = workspace.core.dictionary.queue
    queue.suspend()
    HandlerDepth.$current.withValue(first) { workspace.dictionary["other"] = 1 }
    HandlerDepth.$current.withValue(second) { workspace.dictionary["refused"] = 2 }
    queue.resume()
    #expect(eventually { workspace.core.dictionary.state.withLock { $0.pending.isEmpty } })
    // A shutdown waits until the handler was told.
    workspace.shutdown()
    #expect(depths.values == [second + 1])
    other.shutdown()
  }

  @Test("A shutdown returns after the error handler was told of a key that was given up before")
  func shutdown() throws {
    try refuse("P0001")
    let errors = Collected<any Error>()
    let workspace = PostgresWorkspace(
      connection: database.server.connection(to: database.name),
      errorHandler: {
        // Longer than a shutdown takes, as a rule.
        usleep(300_000)
        errors.append($0)
      })
    workspace.waitForCallbacks()
    workspace.dictionary["refused"] = 2
    // The background gives it up, so that nothing is left for the shutdown to write.
    #expect(eventually { workspace.core.dictionary.state.withLock { $0.pending.isEmpty } })
    workspace.shutdown()
    #expect(errors.values.count { $0 is DictionaryError } == 1, "\(errors.values)")
    other.shutdown()
  }
}
