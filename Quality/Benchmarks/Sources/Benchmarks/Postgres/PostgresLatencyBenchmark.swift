import Dflat
import Foundation
import PostgresDflat

/// How long a writer waits on PostgreSQL while the server is busy with something else of ours, or of others. There is nothing to compare
/// it with: it has to be bounded.
struct PostgresLatencyBenchmark {
  private let reporter: Reporter
  private let (indexedCount, unobservedCount): (Int, Int)

  init(_ measurement: Measurement) {
    reporter = measurement.reporter
    (indexedCount, unobservedCount) = measurement.extent == .quick ? (70_000, 150_000) : (700_000, 1_500_000)
  }

  func run() async throws {
    reporter.print("PostgreSQL, the waiting of writers")
    let cluster = try PostgresCluster(settings: "-c wal_level=logical -c max_wal_size=4GB")
    try await measureIndex(cluster)
    try await measureUnobserved(cluster)
  }

  // MARK: An index of a large table

  /// Several workspaces need the index of a table without one at the same time, as processes that start after a deployment, and one
  /// writes meanwhile.
  private func measureIndex(_ cluster: PostgresCluster) async throws {
    var options = PostgresOptions(connection: cluster.connection)
    options.buildsIndexes = false
    let first = PostgresWorkspace(options)
    guard await Self.store("first", priority: 1, in: first) != nil else { throw Self.notStored }
    await first.shutdown()
    // A new table has its indexes at once. All rows have the bytes of the first: the server builds an index of them as of any.
    try cluster.sql(
      """
      DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT indexrelid::regclass FROM pg_index
          WHERE indrelid = 'post'::regclass AND indexrelid::regclass::text LIKE '%dflat%'
        LOOP EXECUTE 'DROP INDEX ' || name; END LOOP;
      END $$;
      INSERT INTO post (__pk0, p) SELECT convert_to('copy ' || number, 'UTF8'), p
      FROM post, generate_series(1, \(indexedCount)) AS number
      """)
    let workspaces = (0..<4).map { _ in PostgresWorkspace(connection: cluster.connection) }
    let begun = ContinuousClock.now
    let writer = Task { try await Self.write(to: workspaces[0]) }
    for workspace in workspaces { _ = try workspace.fetch(for: Post.self).throwing.count(where: Post.priority > 5) }
    for workspace in workspaces { try await workspace.waitForIndexes(of: Post.self) }
    let duration = begun.duration(to: .now)
    writer.cancel()
    let waits = try await writer.value
    reporter.print(
      """
        an index of \(indexedCount) rows, wanted by \(workspaces.count) workspaces: complete after \(Self.text(duration)); \
      of \(waits.count) transactions meanwhile the slowest took \(Self.text(waits.max() ?? .zero))
      """)
    for workspace in workspaces { await workspace.shutdown() }
  }

  // MARK: Much that nobody observes

  /// Somebody writes to a table that nobody observes, in one transaction, which the server has to read past before it tells an observing
  /// process of that process's own commits.
  private func measureUnobserved(_ cluster: PostgresCluster) async throws {
    let workspace = PostgresWorkspace(connection: cluster.connection)
    let result = workspace.fetch(for: Post.self).where(Post.priority > 1_000)
    let subscription = workspace.subscribe(fetchedResult: result) { _ in }
    guard await Self.store("observed", priority: 1, in: workspace) != nil else { throw Self.notStored }
    try cluster.sql("CREATE TABLE unobserved (number int, text text)")
    let writer = Task { try await Self.write(to: workspace) }
    let begun = ContinuousClock.now
    try cluster.sql(
      "INSERT INTO unobserved SELECT number, repeat('x', 50) FROM generate_series(1, \(unobservedCount)) AS number")
    let duration = begun.duration(to: .now)
    // What is told late is told within some seconds of the commit.
    try await Task.sleep(for: .seconds(15))
    writer.cancel()
    let waits = try await writer.value.sorted()
    reporter.print(
      """
        \(unobservedCount) rows that nobody observes, written in \(Self.text(duration)): of \(waits.count) transactions of an \
      observing workspace, half took \(Self.text(waits.isEmpty ? .zero : waits[waits.count / 2])), the slowest \
      \(Self.text(waits.last ?? .zero))
      """)
    withExtendedLifetime(subscription) {}
    await workspace.shutdown()
  }

  // MARK: Writing

  private static let notStored = BenchmarkError(description: "an object cannot be stored")

  /// Writes until the task is cancelled, and gives how long each transaction took until it was completed.
  private static func write(to workspace: PostgresWorkspace) async throws -> [Duration] {
    var durations: [Duration] = []
    while !Task.isCancelled {
      // Not in this task: when it is cancelled, a transaction that has begun is to be waited for.
      let priority = Int32(durations.count % 100)
      let transaction = Task.detached { await store("written", priority: priority, in: workspace) }
      guard let duration = await transaction.value else { throw notStored }
      durations.append(duration)
      usleep(5_000)
    }
    return durations
  }

  /// Stores an object under a title.
  ///
  /// - Returns: how long that took; nil if it is not stored.
  private static func store(_ title: String, priority: Int32, in workspace: PostgresWorkspace) async -> Duration? {
    let begun = ContinuousClock.now
    let isStored = await workspace.performChanges([Post.self]) { transaction in
      transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: title, priority: priority)))
    }
    return isStored ? begun.duration(to: .now) : nil
  }

  private static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return String(format: "%.1f ms", Double(seconds) * 1_000 + Double(attoseconds) / 1e15)
  }
}
