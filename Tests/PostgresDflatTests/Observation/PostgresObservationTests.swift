import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import TestSupport
import Testing

@Suite("Observing a database of PostgreSQL")
struct PostgresObservationTests {
  private func store(_ titles: [String], priority: Int32 = 0, in workspace: PostgresWorkspace) {
    let isStored = TestDatabase.perform([Post.self], in: workspace) { transaction in
      for title in titles {
        transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: title, priority: priority)))
      }
    }
    #expect(isStored)
  }

  @Test("A result's subscriber gets each commit before its completion handler, with the difference")
  func resultOfOwnCommits() throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    store(["a"], in: workspace)
    let told = Collected<[String]>()
    let result = workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending])
    let subscription = workspace.subscribe(fetchedResult: result) { told.append($0.map(\.title)) }
    for number in 0..<10 {
      store(["b\(number)"], in: workspace)
      #expect(told.values.last == ["a"] + (0...number).map { "b\($0)" }, "after commit \(number)")
    }
    subscription.cancel()
    store(["c"], in: workspace)
    #expect(told.values.last?.contains("c") == false)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A row that is damaged while a result is observed is left out, and reported once, however often it is fetched")
  func damagedRow() throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    func delete(_ title: String) {
      database.perform([Post.self]) { transaction in
        guard let request = PostChangeRequest.deletionRequest(Post(title: title)) else { return }
        transaction.try(submit: request)
      }
    }
    store(["a", "b", "c", "d"], in: workspace)
    let told = Collected<[String]>()
    let result = workspace.fetch(for: Post.self).all(limit: .limit(2), orderBy: [Post.title.ascending])
    let subscription = workspace.subscribe(fetchedResult: result) { told.append($0.map(\.title)) }
    try database.sql("UPDATE post SET p = '\\xffffffff' WHERE __pk0 = 'b'")
    #expect(eventually { told.values.last == ["a", "c"] })
    // Each time, the next object has to be fetched.
    delete("a")
    #expect(told.values.last == ["c", "d"])
    store(["a"], in: workspace)
    delete("c")
    #expect(told.values.last == ["a", "d"])
    #expect(database.errors.count == 1, "\(database.errors.values)")
    subscription.cancel()
  }

  @Test("Commits of other workspaces reach subscribers of results and objects")
  func commitsOfOthers() throws {
    let database = try TestDatabase()
    let (workspace, other) = (database.workspace, database.other())
    store(["a", "b"], in: workspace)
    let told = Collected<[String]>()
    let states = Collected<String>()
    let result = workspace.fetch(for: Post.self).where(Post.priority >= 0)
    let results = workspace.subscribe(fetchedResult: result) { told.append($0.map { "\($0.title)\($0.priority)" }) }
    let post = try #require(result.first)
    let objects = workspace.subscribe(object: post) { (state: SubscribedObject<Post>) in
      switch state {
      case .updated(let post): states.append("\(post.priority)")
      case .deleted: states.append("deleted")
      }
    }
    // Until the streams have begun, what is told is how the result has changed since it was fetched.
    store(["a"], priority: 5, in: other)
    #expect(eventually { told.values.last == ["a5", "b0"] && states.values == ["5"] })
    store(["b"], priority: -1, in: other)
    #expect(eventually { told.values.last == ["a5"] })
    let isDeleted = TestDatabase.perform([Post.self], in: other) { transaction in
      guard let post = other.fetch(for: Post.self).first(where: Post.title == "a"),
        let request = PostChangeRequest.deletionRequest(post)
      else { return }
      transaction.try(submit: request)
    }
    #expect(isDeleted)
    #expect(eventually { told.values.last == [] && states.values == ["5", "deleted"] })
    withExtendedLifetime((results, objects)) {}
    other.shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test(
    "Rows whose numbers another program changes leave nothing behind in results, whatever the table's replica identity",
    arguments: ["DEFAULT", "FULL", "USING INDEX post___pk0_key"])
  func changedRowNumbers(identity: String) throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    store(["a", "b", "c"], in: workspace)
    try database.sql("ALTER TABLE post ALTER __pk0 SET NOT NULL; ALTER TABLE post REPLICA IDENTITY \(identity)")
    let told = Collected<[String]>()
    let result = workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending])
    let subscription = workspace.subscribe(fetchedResult: result) {
      told.append($0.map { "\($0.title) \($0._rowid)" })
    }
    store(["d"], in: workspace)
    let expected = { try database.sql("SELECT convert_from(__pk0, 'UTF8') || ' ' || rowid FROM post ORDER BY __pk0") }
    for change in ["rowid = rowid + 100", "rowid = rowid * 2 WHERE __pk0 = 'b'", "rowid = 101 WHERE __pk0 = 'b'"] {
      if change.contains("= 101") { try database.sql("DELETE FROM post WHERE rowid = 101") }
      try database.sql("UPDATE post SET \(change)")
      let rows = try expected().split(separator: "\n").map(String.init)
      #expect(eventually { told.values.last == rows }, "\(told.values), \(rows)")
    }
    withExtendedLifetime(subscription) {}
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A type without stored objects can be observed")
  func beforeTheTable() throws {
    let database = try TestDatabase()
    let (workspace, other) = (database.workspace, database.other())
    let told = Collected<[String]>()
    let subscription = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) {
      told.append($0.map(\.title))
    }
    store(["a"], in: other)
    #expect(eventually { told.values.last == ["a"] })
    withExtendedLifetime(subscription) {}
    other.shutdown()
  }

  @Test(
    "Random standing queries show what a fetch finds, whoever commits",
    arguments: LongForm.seeds(ofConditions: 12, sample: 3))
  func standingQueries(seeds: Range<Int>) throws {
    for seed in seeds { try compare(seed: seed) }
  }

  private func compare(seed: Int) throws {
    let database = try TestDatabase()
    let workspaces = [database.workspace, database.other()]
    var generator = PostGenerator(random: SeededGenerator(seed: seed))
    store(["first"], in: workspaces[0])
    struct Standing {
      let description: String
      let fetch: () -> FetchedResult<Post>
      let latest: Locked<[String]>
      let subscription: any WorkspaceSubscription
    }
    @Sendable func shown(_ result: FetchedResult<Post>) -> [String] { result.map { "\($0)" } }
    var standing: [Standing] = []
    for _ in 0..<12 {
      let condition = generator.condition(depth: Int.random(in: 0...2, using: &generator.random))
      let keys = generator.keys()
      let limit = generator.chance(50) ? Limit.noLimit : .limit(Int.random(in: 1...4, using: &generator.random))
      let observed = workspaces[standing.count % 2]
      let fetch = {
        observed.fetch(for: Post.self).where(condition.query, limit: limit, orderBy: keys.map(\.orderBy))
      }
      let result = fetch()
      let latest = Locked(shown(result))
      let subscription = observed.subscribe(fetchedResult: result) { latest.value = shown($0) }
      standing.append(
        Standing(
          description: "\(condition) by \(keys), \(limit)", fetch: fetch, latest: latest, subscription: subscription))
    }
    for step in 0..<LongForm.standingCommits.size / 2 {
      let changed = (0..<Int.random(in: 1...3, using: &generator.random)).map { _ in
        generator.post(title: generator.title())
      }
      let isDeletion = generator.chance(30)
      let workspace = generator.pick(workspaces)
      let isStored = TestDatabase.perform([Post.self], in: workspace) { transaction in
        for post in changed {
          if isDeletion {
            guard let request = PostChangeRequest.deletionRequest(post) else { continue }
            transaction.try(submit: request)
          } else {
            transaction.try(submit: PostChangeRequest.upsertRequest(post))
          }
        }
      }
      #expect(isStored)
      for each in standing {
        let isSame = eventually { each.latest.value == shown(each.fetch()) }
        #expect(isSame, "seed \(seed), step \(step): \(each.description)")
      }
    }
    LongForm.record(LongForm.standingCommits.size / 2, "commits to PostgreSQL that standing queries follow")
    for each in standing { each.subscription.cancel() }
    workspaces[1].shutdown()
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Without the right to replicate, the error says so, and own commits are observed")
  func withoutTheRight() throws {
    let database = try TestDatabase()
    let role = "watcher_\(database.name)"
    try database.sql("CREATE ROLE \(role) LOGIN; GRANT ALL ON SCHEMA public TO \(role)")
    let errors = Collected<any Error>()
    var options = PostgresOptions(connection: database.server.connection(to: database.name, user: role))
    options.retry = .limited(5)
    let workspace = PostgresWorkspace(options, errorHandler: { errors.append($0) })
    store(["a"], in: workspace)
    let told = Collected<[String]>()
    let subscription = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) {
      told.append($0.map(\.title))
    }
    store(["b"], in: workspace)
    #expect(eventually { told.values.last == ["a", "b"] })
    // The workspace tells of its own commits before the thread of the stream reports why it has none.
    #expect(
      eventually { errors.values.contains { ($0 as? PostgresError)?.cause == .missingPermission } }, "\(errors.values)")
    withExtendedLifetime(subscription) {}
    workspace.shutdown()
    try database.sql("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)")
  }

  @Test("A stream that breaks is begun again, and nothing stays untold")
  func brokenStream() throws {
    let database = try TestDatabase()
    let (workspace, other) = (database.workspace, database.other())
    store(["a"], in: workspace)
    let told = Collected<[String]>()
    let subscription = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) {
      told.append($0.map(\.title))
    }
    store(["b"], in: workspace)
    for round in 0..<3 {
      try database.server.psql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database.name)' AND backend_type = 'walsender'"
      )
      store(["c\(round)"], in: other)
      #expect(eventually { told.values.last?.contains("c\(round)") == true })
    }
    withExtendedLifetime(subscription) {}
    other.shutdown()
  }
}
