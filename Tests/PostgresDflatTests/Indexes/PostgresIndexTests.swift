import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("Indexes that are built while the store is in use")
struct PostgresIndexTests {
  private static func store<Tag: RegisterTag>(
    _ keys: Range<Int64>, _: Tag.Type, in workspace: PostgresWorkspace, areNew: Bool = false,
    value: (Int64) -> Int64
  ) -> Bool {
    let registers = keys.map { (key: $0, value: value($0)) }
    return TestDatabase.perform([Register<Tag>.self], in: workspace) { transaction in
      for register in registers {
        transaction.try(
          submit: RegisterRequest<Tag>(areNew ? .create : .upsert, key: register.key, value: register.value))
      }
    }
  }

  /// Returns how many seconds the building of an index of few rows may take: a minute, and many times what the server takes for one now,
  /// since the machine may be slow, or become so.
  private static func buildingTime(_ database: TestDatabase) throws -> Double {
    let begun = ContinuousClock.now
    try database.sql("CREATE TABLE witness AS SELECT generate_series(1, 10) AS n")
    try database.sql("CREATE INDEX CONCURRENTLY ON witness (n)")
    return 60 + 100 * (begun.duration(to: .now) / .seconds(1))
  }

  /// Waits for the indexes of a type, and cancels the wait after so many seconds. It counts how often the wait asks the server, ten times
  /// a second: other tests may keep it from running.
  private static func waitForIndexes<Tag: RegisterTag>(
    of _: Tag.Type, in workspace: PostgresWorkspace, atMost seconds: Double
  ) async throws {
    let count = Locked(0)
    try await workspace.waitForIndexes(of: Register<Tag>.self) { _ in
      let isOver = count.change { count in
        count += 1
        return count > Int(10 * seconds)
      }
      if isOver { withUnsafeCurrentTask { $0?.cancel() } }
    }
  }

  private static func indexes(_ database: TestDatabase) throws -> String {
    try database.sql(
      """
      SELECT count(*), bool_and(indisvalid) FROM pg_index JOIN pg_class c ON c.oid = indexrelid
      WHERE indrelid = 'register_versions'::regclass AND c.relname LIKE '%dflat_%'
      """)
  }

  @Test("Two versions of a schema write while the newer one's index is built, and its entries are those of all rows")
  func twoVersions() throws {
    let database = try TestDatabase { $0.buildsIndexes = false }
    let (older, newer) = (database.workspace, database.other())
    #expect(Self.store(0..<6_000, TagOld.self, in: older, areNew: true) { $0 % 100 })
    let isBuilt = Gate()
    let threads = BackgroundThreads(3) { number in
      var round: Int64 = 0
      // Some more after the index is there, too.
      var left = 5
      while left > 0 {
        if isBuilt.isOpen { left -= 1 }
        round += 1
        let first = Int64(number) * 2_000 + round * 7 % 1_900
        let isStored =
          number == 0
          ? Self.store(first..<first + 20, TagOld.self, in: older) { ($0 + round) % 100 }
          : Self.store(first..<first + 20, TagNew.self, in: newer) { ($0 + round) % 100 }
        #expect(isStored, "\(database.errors.values)")
        if round % 10 == 0 {
          let isDeleted = TestDatabase.perform([Register<TagOld>.self], in: older) { transaction in
            guard let object = older.fetch(for: Register<TagOld>.self).first(where: Register<TagOld>.key == first)
            else {
              return
            }
            transaction.try(submit: RegisterRequest<TagOld>(.delete(object), key: first, value: 0))
          }
          #expect(isDeleted)
        }
      }
    }
    #expect(try eventually { try Self.indexes(database) == "1|t" }, "\(database.errors.values)")
    isBuilt.open()
    #expect(threads.end())
    // The newer version asks the index, and the older one looks at each row.
    for value in Int64(0)..<100 {
      let found = newer.fetch(for: Register<TagNew>.self).where(Register<TagNew>.value == value).map(\.key)
      let expected = older.fetch(for: Register<TagOld>.self).where(Register<TagOld>.value == value).map(\.key)
      #expect(found == expected && !found.isEmpty)
    }
    let plan = try database.sql(
      "SET enable_seqscan = off; EXPLAIN SELECT 1 FROM register_versions m WHERE \(try function(database))(m.p) = 5")
    #expect(plan.contains("Index"), "\(plan)")
    newer.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  private func function(_ database: TestDatabase) throws -> String {
    try database.sql("SELECT quote_ident(proname) FROM pg_proc WHERE proname LIKE 'dflat_%'")
  }

  @Test("A shutdown cancels an index that is being built, and the next workspace builds it")
  func shutdownWhileBuilding() throws {
    let database = try TestDatabase(on: PostgresServer.held.get()) { $0.buildsIndexes = false }
    #expect(Self.store(0..<2_000, TagOld.self, in: database.workspace, areNew: true) { $0 })
    // An index is not complete before the transactions have ended that are older, so that this one holds it up.
    let (isOpen, isOver) = (Gate(), Gate())
    let holder = BackgroundThreads { [workspace = database.workspace] _ in
      let isStored = TestDatabase.perform([Register<TagOld>.self], in: workspace) { transaction in
        transaction.try(submit: RegisterRequest<TagOld>(.upsert, key: 6_000, value: 1))
        _ = workspace.fetch(for: Register<TagOld>.self).count()
        isOpen.open()
        isOver.wait()
      }
      #expect(isStored)
    }
    #expect(isOpen.wait())
    let newer = database.other()
    _ = newer.fetch(for: Register<TagNew>.self).where(Register<TagNew>.value == 5)
    // Other tests use other databases of the server.
    func buildCount() throws -> String {
      try database.sql(
        """
        SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND state = 'active' \
        AND datname = current_database()
        """)
    }
    #expect(try eventually { try buildCount() == "1" })
    newer.shutdown()
    // The server answers that the build is cancelled before it notes that the session is idle. Only then may the build end.
    #expect(try eventually { try buildCount() == "0" })
    isOver.open()
    #expect(holder.end())
    let next = database.other()
    _ = next.fetch(for: Register<TagNew>.self).where(Register<TagNew>.value == 5)
    #expect(try eventually { try Self.indexes(database) == "1|t" })
    #expect(next.fetch(for: Register<TagNew>.self).where(Register<TagNew>.value == 5).map(\.key) == [5])
    next.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test(
    "A unique index that rows violate is reported once, and built once the rows are repaired and the index is waited for"
  )
  func violatedUniqueIndex() async throws {
    let database = try TestDatabase { $0.buildsIndexes = false }
    #expect(Self.store(0..<10, TagOld.self, in: database.workspace, areNew: true) { $0 % 5 })
    let time = try Self.buildingTime(database)
    let newer = database.other()
    func find() -> [Int64] {
      newer.fetch(for: Register<TagUnique>.self).where(Register<TagUnique>.value == 3).map(\.key)
    }
    #expect(find() == [3, 8])
    try #require(
      eventually(within: time) { database.errors.count == 1 },
      "no single error within \(time) s says that rows violate the index: \(database.errors.values)")
    // Neither fetches nor the time that passes start another build.
    for _ in 0..<25 {
      #expect(find() == [3, 8])
      try await Task.sleep(for: .milliseconds(100))
    }
    let violation = database.errors.values.first as? PostgresError
    #expect(violation?.sqlState == "23505" && database.errors.values.count == 1, "\(database.errors.values)")
    for _ in 0..<2 {
      let error = await #expect(throws: StoreError.self) {
        try await Self.waitForIndexes(of: TagUnique.self, in: newer, atMost: time)
      }
      guard case .failed(let cause) = error else { return #expect(Bool(false), "\(String(describing: error))") }
      try #require((cause as? PostgresError)?.sqlState == "23505", "not refused within \(time) s, but: \(cause)")
    }
    #expect(Self.store(5..<10, TagOld.self, in: database.workspace) { 100 + $0 })
    try await Self.waitForIndexes(of: TagUnique.self, in: newer, atMost: time)
    #expect(try newer.indexesAreComplete(Register<TagUnique>.self))
    #expect(find() == [3])
    await newer.shutdown()
  }

  @Test("A unique index that is missing is built for a workspace that only reads")
  func missingUniqueIndex() async throws {
    let database = try TestDatabase { $0.buildsIndexes = false }
    #expect(Self.store(0..<10, TagOld.self, in: database.workspace, areNew: true) { $0 })
    let time = try Self.buildingTime(database)
    let newer = database.other()
    #expect(newer.fetch(for: Register<TagUnique>.self).where(Register<TagUnique>.value == 3).map(\.key) == [3])
    #expect(
      try eventually(within: time) { try Self.indexes(database) == "1|t" },
      "no index is valid after \(time) s: \(database.errors.values)")
    await newer.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("While an index is built, other tables are made, and what waits for its table is in no deadlock with it")
  func othersMeanwhile() throws {
    // Of its own: while a transaction is open, no stream of commits begins on its server.
    let server = try PostgresServer("indexes")
    defer { try? server.stop() }
    let database = try TestDatabase(on: server) { $0.buildsIndexes = false }
    #expect(Self.store(0..<2_000, TagOld.self, in: database.workspace, areNew: true) { $0 })
    let (isOpen, isOver) = (Gate(), Gate())
    let holder = BackgroundThreads { [workspace = database.workspace] _ in
      let isStored = TestDatabase.perform([Register<TagOld>.self], in: workspace) { transaction in
        transaction.try(submit: RegisterRequest<TagOld>(.upsert, key: 6_000, value: 1))
        _ = workspace.fetch(for: Register<TagOld>.self).count()
        isOpen.open()
        isOver.wait()
      }
      #expect(isStored)
    }
    #expect(isOpen.wait())
    let (newer, other) = (database.other(), database.other { $0.buildsIndexes = false })
    _ = newer.fetch(for: Register<TagNew>.self).where(Register<TagNew>.value == 5)
    func count(_ sessions: String) throws -> String {
      try database.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND \(sessions)")
    }
    #expect(
      try eventually { try count("query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'") == "1" })
    // The table is another one.
    let post = PendingTransaction([Post.self], in: other) { transaction in
      transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
    }
    #expect(post.outcome() == true)
    // Observing needs the table of the index.
    let told = Locked(0)
    let subscription = other.subscribe(fetchedResult: other.fetch(for: Register<TagOld>.self).all()) {
      told.value = $0.count
    }
    // Right after the publication is made, the lock of the table is tried.
    #expect(try eventually { try database.sql("SELECT count(*) FROM pg_publication") == "1" })
    isOver.open()
    #expect(holder.end())
    #expect(try eventually { try Self.indexes(database) == "1|t" })
    #expect(Self.store(7_000..<7_001, TagOld.self, in: other, areNew: true) { $0 })
    #expect(eventually { told.value == 2_002 })
    #expect(
      try database.sql("SELECT pg_stat_get_db_deadlocks(oid) FROM pg_database WHERE datname = current_database()")
        == "0")
    subscription.cancel()
    newer.shutdown()
    other.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("An index that cannot be built is tried again after a pause, and its reason is reported once")
  func lastingFailure() throws {
    let database = try TestDatabase { $0.buildsIndexes = false }
    #expect(Self.store(0..<10, TagOld.self, in: database.workspace, areNew: true) { $0 })
    try database.sql(
      """
      CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no index today'; END $$;
      CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION refuse()
      """)
    let newer = database.other()
    func find() -> [Int64] {
      newer.fetch(for: Register<TagNew>.self).where(Register<TagNew>.value == 3).map(\.key)
    }
    #expect(find() == [3])
    #expect(eventually { database.errors.values.count == 1 }, "\(database.errors.values)")
    // The reason lasts: each fetch would start another build.
    for _ in 0..<20 {
      #expect(find() == [3])
      Thread.sleep(forTimeInterval: 0.01)
    }
    try database.sql("DROP EVENT TRIGGER refuse")
    #expect(
      try eventually {
        _ = find()
        return try Self.indexes(database) == "1|t"
      })
    newer.shutdown()
    #expect(database.errors.values.count == 1, "\(database.errors.values)")
    #expect("\(try #require(database.errors.values.first))".contains("no index today"))
  }
}
