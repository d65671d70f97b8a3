import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import Testing

@Suite("An error handler may wait for a transaction that shares a type with the one that it is told of")
struct WaitingErrorHandlerTests {
  /// What goes wrong in a transaction.
  enum Failure: CaseIterable, CustomTestStringConvertible {
    /// The server refuses a row, which it says before the commit.
    case commit
    /// It says so in answer to a fetch.
    case fetch
    /// It says so in answer to the look-up of an object that is to be replaced.
    case submission
    case damagedRow
    case unreadableKey

    var testDescription: String { "\(self)" }

    /// Whether the transaction is stored all the same.
    var isHarmless: Bool { self == .damagedRow || self == .unreadableKey }

    func happen(in transaction: any TransactionContext, of workspace: PostgresWorkspace) {
      if !isHarmless { transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "refused"))) }
      switch self {
      case .commit: break
      case .fetch: _ = workspace.fetch(for: Post.self).count(where: Post.priority > 3)
      case .submission: transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: "b")))
      case .damagedRow: _ = workspace.fetch(for: Post.self).all()
      case .unreadableKey: _ = transaction.dictionary["text", Int.self]
      }
    }
  }

  @Test("A handler may wait, whatever the server refuses, and whatever cannot be read", arguments: Failure.allCases)
  func waiting(failure: Failure) throws {
    let database = try TestDatabase()
    database.perform([Post.self]) { transaction in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
      transaction.dictionary["text"] = "no number"
    }
    try database.sql(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.__pk0 = 'refused' THEN RAISE EXCEPTION 'not today'; END IF; RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON post FOR EACH ROW EXECUTE FUNCTION refuse();
      """)
    if failure == .damagedRow { try database.sql("UPDATE post SET p = '\\xffffffff'") }
    let held = Locked<PostgresWorkspace?>(nil)
    let hasWaited = Gate()
    let workspace = PostgresWorkspace(
      connection: database.server.connection(to: database.name),
      errorHandler: { _ in
        guard let workspace = held.value else { return }
        let next = PendingTransaction([Post.self], in: workspace) { _ in }
        if next.outcome() == true { hasWaited.open() }
      })
    held.value = workspace
    let transaction = PendingTransaction([Post.self], in: workspace) { failure.happen(in: $0, of: workspace) }
    #expect(hasWaited.wait())
    #expect(transaction.outcome() == failure.isHarmless)
    held.value = nil
    workspace.shutdown()
  }

  @Test("A handler may wait if a subscriber to a key cannot read it, also if the closure has set it")
  func subscribedKey() throws {
    let database = try TestDatabase()
    let held = Locked<PostgresWorkspace?>(nil)
    let hasWaited = Gate()
    let workspace = PostgresWorkspace(
      connection: database.server.connection(to: database.name),
      errorHandler: { error in
        guard error is DictionaryError, let workspace = held.value else { return }
        let next = PendingTransaction([Post.self], in: workspace) { _ in }
        if next.outcome() == true { hasWaited.open() }
      })
    held.value = workspace
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { _ in }
    let transaction = PendingTransaction([Post.self], in: workspace) { _ in
      workspace.dictionary["key"] = "no number"
    }
    #expect(hasWaited.wait())
    #expect(transaction.outcome() == true)
    subscription.cancel()
    held.value = nil
    workspace.shutdown()
  }

  @Test("The handler of another workspace, which cannot read a key, may wait for a transaction of the first")
  func otherWorkspace() throws {
    let database = try TestDatabase()
    database.workspace.dictionary["text"] = "no number"
    #expect(database.workspace.dictionary.synchronize())
    let hasWaited = Gate()
    let other = PostgresWorkspace(
      connection: database.server.connection(to: database.name),
      errorHandler: { _ in
        let next = PendingTransaction([Post.self], in: database.workspace) { _ in }
        if next.outcome() == true { hasWaited.open() }
      })
    let transaction = PendingTransaction([Post.self], in: database.workspace) { _ in
      _ = other.dictionary["text", Int.self]
    }
    #expect(hasWaited.wait())
    #expect(transaction.outcome() == true)
    other.shutdown()
  }

  @Test("An error handler that is told that keys cannot be written may wait for a thread that writes keys")
  func keys() {
    let held = Locked<PostgresWorkspace?>(nil)
    let hasWaited = Gate()
    let workspace = PostgresWorkspace(
      connection: "host=/nonexistent dbname=none",
      errorHandler: { _ in
        // The error of the other thread calls the handler, too.
        guard let workspace = held.value else { return }
        held.value = nil
        let other = BackgroundThreads { _ in #expect(!workspace.dictionary.synchronize()) }
        if other.end() { hasWaited.open() }
      })
    held.value = workspace
    workspace.dictionary["key"] = 1
    #expect(hasWaited.wait())
    workspace.shutdown()
  }
}
