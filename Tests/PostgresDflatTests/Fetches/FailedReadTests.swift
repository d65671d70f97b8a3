import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("A read that fails never counts as an empty result")
struct FailedReadTests {
  /// Why a workspace gets no connection at first.
  enum Obstacle: CaseIterable, CustomTestStringConvertible {
    case poolIsExhausted
    case roleHasNoConnections
    case databaseAcceptsNone
    case serverIsAway

    var testDescription: String { "\(self)" }
  }

  /// What is read, and what is made of it where it is not there.
  enum Read: CaseIterable {
    case objects
    case count
    case key

    func callAsFunction(_ workspace: PostgresWorkspace, _ transaction: (any TransactionContext)?) -> Int {
      let posts = workspace.fetch(for: Post.self)
      switch self {
      case .objects: return posts.first(where: Post.title == "account").map { Int($0.priority) } ?? 0
      case .count: return posts.count(where: Post.priority > 50) * 100
      case .key: return (transaction?.dictionary ?? workspace.dictionary)["balance", default: 0]
      }
    }
  }

  /// A workspace that gets no connection until the obstacle is gone.
  private final class Hindered {
    let database: TestDatabase
    let workspace: PostgresWorkspace
    let errors = Collected<any Error>()
    private let obstacle: Obstacle
    private let role: String
    private let folder = "/tmp/dflat-away-\(UUID().uuidString.prefix(8))"
    private let gate = Gate()
    private var holder: BackgroundThreads?

    init(by obstacle: Obstacle) throws {
      self.obstacle = obstacle
      database = try TestDatabase()
      role = "hindered_\(database.name)"
      database.perform([Post.self]) { transaction in
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "account", priority: 100)))
        transaction.dictionary["balance"] = 100
      }
      let server = database.server
      var options = PostgresOptions(connection: server.connection(to: database.name, user: role))
      options.poolTimeout = 0.05
      options.connectionLimit = 1
      options.retry = .limited(3)
      if obstacle == .serverIsAway {
        options.connection = server.connection(to: database.name, user: role, through: folder)
      }
      workspace = PostgresWorkspace(options, errorHandler: { [errors] in errors.append($0) })
      workspace.waitForCallbacks()
      try server.psql(
        """
        CREATE ROLE \(role) LOGIN;
        GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role);
        GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(role);
        """, in: database.name)
      try setLimits(true)
      if obstacle == .poolIsExhausted {
        let isHeld = Gate()
        let (workspace, gate) = (workspace, gate)
        holder = BackgroundThreads { _ in
          workspace.fetchWithinASnapshot {
            isHeld.open()
            gate.wait()
          }
        }
        isHeld.wait()
      }
    }

    private func setLimits(_ isOn: Bool) throws {
      switch obstacle {
      case .roleHasNoConnections:
        try database.server.psql("ALTER ROLE \(role) CONNECTION LIMIT \(isOn ? 0 : -1)")
      case .databaseAcceptsNone:
        try database.server.psql("ALTER DATABASE \(database.name) ALLOW_CONNECTIONS \(!isOn)")
      case .poolIsExhausted, .serverIsAway: break
      }
    }

    /// Has the workspace get connections from now on.
    func clear() {
      try? setLimits(false)
      gate.open()
      _ = holder?.end()
      holder = nil
      if obstacle == .serverIsAway {
        try? FileManager.default.createSymbolicLink(
          atPath: folder, withDestinationPath: database.server.socketFolder)
      }
    }

    func close() throws {
      clear()
      workspace.shutdown()
      try? FileManager.default.removeItem(atPath: folder)
      try database.sql("DROP OWNED BY \(role); DROP ROLE \(role)")
    }
  }

  @Test(
    "A read that fails makes its transaction fail, so that no closure decides by an empty result",
    arguments: Obstacle.allCases, Read.allCases)
  func transaction(obstacle: Obstacle, read: Read) throws {
    let hindered = try Hindered(by: obstacle)
    let (database, workspace) = (hindered.database, hindered.workspace)
    let balances = Collected<Int>()
    let isStored = TestDatabase.perform([Post.self], in: workspace) { transaction in
      let balance = read(workspace, transaction)
      balances.append(balance)
      hindered.clear()
      _ = transaction.try(
        submit: PostChangeRequest.upsertRequest(Post(title: "account", priority: Int32(balance + 1))))
      transaction.dictionary["balance"] = balance + 1
    }
    // The read has failed, and was not repeated.
    #expect(balances.values == [0])
    #expect(!isStored)
    #expect(!hindered.errors.values.isEmpty)
    #expect(try database.sql("SELECT count(*) FROM post") == "1")
    #expect(database.workspace.fetch(for: Post.self).all().map(\.priority) == [100])
    #expect(database.workspace.dictionary["balance", Int.self] == 100)
    // The workspace goes on.
    database.perform([Post.self], in: workspace) { transaction in
      let balance = read(workspace, transaction)
      transaction.try(
        submit: PostChangeRequest.upsertRequest(Post(title: "account", priority: Int32(balance + 1))))
    }
    #expect(database.workspace.fetch(for: Post.self).all().map(\.priority) == [101])
    try hindered.close()
  }

  @Test("A read that fails makes every later fetch of its snapshot fail", arguments: Obstacle.allCases)
  func snapshotThatCannotBegin(obstacle: Obstacle) throws {
    let hindered = try Hindered(by: obstacle)
    let workspace = hindered.workspace
    workspace.fetchWithinASnapshot {
      hindered.clear()
      let count = hindered.errors.values.count
      #expect(throws: StoreError.self) { try workspace.fetch(for: Post.self).throwing.all() }
      #expect(throws: StoreError.self) { try workspace.fetch(for: Post.self).throwing.count() }
      #expect(workspace.fetch(for: Post.self).all().isEmpty)
      #expect(workspace.dictionary["balance", Int.self] == nil)
      // Those that cannot throw have been reported.
      #expect(hindered.errors.values.count == count + 2)
    }
    #expect(workspace.fetchWithinASnapshot { workspace.fetch(for: Post.self).count() } == 1)
    try hindered.close()
  }

  @Test("After a read of a snapshot has lost its connection, every later fetch of the snapshot fails")
  func snapshotThatBreaks() throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    workspace.fetchWithinASnapshot {
      #expect(workspace.fetch(for: Post.self).count() == 1)
      let sessions = "FROM pg_stat_activity WHERE datname = '\(database.name)'"
      _ = try? database.server.psql("SELECT pg_terminate_backend(pid) \(sessions)")
      // They end a moment later.
      #expect(eventually { (try? database.server.psql("SELECT count(*) \(sessions)")) == "0" })
      for _ in 0..<3 {
        #expect(throws: StoreError.self) { try workspace.fetch(for: Post.self).throwing.all() }
      }
    }
    #expect(workspace.fetchWithinASnapshot { workspace.fetch(for: Post.self).count() } == 1)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
