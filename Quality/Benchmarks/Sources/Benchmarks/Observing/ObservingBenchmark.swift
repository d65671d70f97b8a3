import Dflat
import Foundation
import RawSQLite
import SQLiteDflat

/// How long it takes until subscribers are told what a transaction has changed, beside the SQLite C API asking every query
/// again.
///
/// What is timed is the transaction with its subscribers, until all are told, less the same transaction with none.
struct ObservingBenchmark {
  private let folder: URL
  private let rounds: Int
  private let isBesideGRDB: Bool
  private let reporter: Reporter
  private let count = 10_000
  private let subscriptionCount = 1_000
  /// How many objects a range has.
  private let width = 1_000

  init(_ measurement: Measurement) {
    folder = measurement.folder
    rounds = measurement.rounds
    isBesideGRDB = measurement.isBesideGRDB && measurement.rounds > 1
    reporter = measurement.reporter
  }

  func run() async throws {
    reporter.print("observing \(subscriptionCount) of \(count) documents, beside SQLite's C API asking again")
    let path = folder.appending(path: "observed.sqlite3").path
    let documents = (0..<count).map { BenchDoc.sample($0, priority: Int32($0)) }
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    guard await BenchDoc.insert(documents, into: workspace), let database = raw_docs_open(path) else {
      throw BenchmarkError(description: "the documents cannot be stored")
    }
    defer { raw_close(database) }
    var grdb = try isBesideGRDB ? GRDBObserving(documents, folder: folder) : nil
    var timings = Timings(.subscriptions)
    for round in 0..<rounds {
      // The order of the rounds is that of the table, so that each side meets the same state of the processor.
      try await update(workspace, Change.rotation.rawValue, by: .rotation, &timings) { [] }
      try await observe(Results.byKey, in: workspace, database, &timings)
      try await observe(Results.objects, in: workspace, database, &timings)
      try await observe(Results.ranges, in: workspace, database, &timings)
      try await update(workspace, Change.reversal.rawValue, by: .reversal, &timings) { [] }
      try await observe(Results.exchanged, in: workspace, database, &timings)
      try await updateOne(workspace, &timings)
      // Once: it takes minutes.
      if round == 0 { try observe(with: &grdb, &timings) }
    }
    let latencies = try await otherCommits(in: workspace, path)
    await workspace.shutdown()
    try grdb?.close()
    for results in Results.allCases { try reporter.add(row(of: results, timings)) }
    try reporter.add(
      timings.row("update beside 10,000 others", to: "update all", called: "without them", reach: 1.15))
    try reporter.add(
      timings.row("update one beside 10,000 others", to: "update one", called: "without them", reach: 1.2))
    var row = ReportRow(
      .subscriptions, "a commit of another workspace, as of another process, is told", .seconds, latencies)
    row.reach = 0.1
    row.note = "the last of \(latencies.count) after \(ReportRow.Unit.seconds.text(latencies.last ?? .nan))"
    try reporter.add(row)
  }

  /// What the subscribers add to a transaction, beside asking each query again.
  private func row(of results: Results, _ timings: Timings) -> ReportRow {
    let job = results.rawValue
    let raw = timings.series("raw: \(job)")
    let added = zip(timings.series(job), timings.series(results.change.rawValue)).map { $0 - $1 }
    var row = ReportRow(.subscriptions, job, .seconds, added, besides: "raw", raw)
    row.reach = results.reach
    let grdb = timings.median(Timings.grdb + job) - timings.median(Timings.grdb + Change.rotation.rawValue)
    if grdb.isFinite { row.grdb = grdb / Spread(raw).median }
    return row
  }

  private func observe(with grdb: inout GRDBObserving?, _ timings: inout Timings) throws {
    try grdb?.update(Change.rotation.rawValue, titles: [], ranges: [], 0, &timings)
    try grdb?.update(Results.byKey.rawValue, titles: titles, ranges: [], 1, &timings)
    try grdb?.update(Results.ranges.rawValue, titles: [], ranges: ranges(), 2, &timings)
  }

  /// What is subscribed to.
  private enum Results: String, CaseIterable {
    case byKey = "results by primary key, all objects updated"
    case objects = "objects, all updated"
    case ranges = "results of 1,000 objects, all rotated"
    /// Each two neighbours have 999 objects in common, and none of the objects that they get was in a result before.
    case exchanged = "ordered results of 1,000 objects, all exchanged"

    /// The most that subscribers may add, as a ratio to asking again.
    var reach: Double {
      switch self {
      case .byKey: 2
      case .objects: 1.5
      case .ranges: 0.35
      case .exchanged: 0.8
      }
    }

    var change: Change { self == .exchanged ? .reversal : .rotation }
  }

  /// What a transaction makes of the priorities, which are those below the number of documents. Names the time of one that nobody
  /// observes.
  private enum Change: String {
    case rotation = "update"
    case reversal = "update, reversed"

    func priority(after priority: Int32, of count: Int) -> Int32 {
      switch self {
      case .rotation: (priority + 1) % Int32(count)
      case .reversal: Int32(count) - 1 - priority
      }
    }
  }

  private var titles: [String] { (0..<subscriptionCount).map { "title \($0 * 10)" } }

  private func ranges(of results: Results = .ranges) -> [ClosedRange<Int32>] {
    let step = results == .exchanged ? 1 : (count - width) / subscriptionCount
    return (0..<subscriptionCount).map { Int32($0 * step)...Int32($0 * step + width - 1) }
  }

  private func observe(
    _ results: Results, in workspace: SQLiteWorkspace, _ database: UnsafeMutableRawPointer, _ timings: inout Timings
  ) async throws {
    let told = Counter()
    try await update(workspace, results.rawValue, by: results.change, &timings) {
      let docs = workspace.fetch(for: BenchDoc.self)
      switch results {
      case .byKey:
        return titles.map { title in
          workspace.subscribe(fetchedResult: docs.where(BenchDoc.title == title)) { _ in
            told.increment()
          }
        }
      case .objects:
        return docs.all().prefix(subscriptionCount).map { document in
          workspace.subscribe(object: document) { _ in told.increment() }
        }
      case .ranges, .exchanged:
        return ranges(of: results).map { range in
          let query = BenchDoc.priority >= range.lowerBound && BenchDoc.priority <= range.upperBound
          let found = docs.where(query, orderBy: results == .exchanged ? [BenchDoc.priority.ascending] : [])
          return workspace.subscribe(fetchedResult: found) { _ in told.increment() }
        }
      }
    }
    guard told.count == subscriptionCount else {
      throw BenchmarkError(description: "\(told.count) of \(subscriptionCount) subscribers were told")
    }
    try askAgain(results, database, &timings)
  }

  /// The C program, which has every result fetched again.
  private func askAgain(
    _ results: Results, _ database: UnsafeMutableRawPointer, _ timings: inout Timings
  ) throws {
    var found: UnsafeMutablePointer<raw_doc>?
    var number: Int32 = 0
    switch results {
    case .byKey, .objects:
      let titles = titles.map { UnsafePointer(strdup($0)) }
      defer {
        for title in titles { free(UnsafeMutablePointer(mutating: title)) }
      }
      number = timings.measure("raw: \(results.rawValue)") {
        raw_docs_by_title(database, titles, Int32(titles.count), &found)
      }
      raw_docs_free(found, max(number, 0))
    case .ranges:
      timings.measure("raw: \(results.rawValue)") {
        for range in ranges(of: results) {
          number += raw_docs_between(database, Int64(range.lowerBound) + 1, Int64(range.upperBound) + 1, &found)
          raw_docs_free(found, Int32(width))
        }
      }
    case .exchanged:
      // C has an index by the order, which it need not keep up to date.
      guard raw_docs_index_priorities(database) == 0 else {
        throw BenchmarkError(description: "the priorities cannot be indexed")
      }
      timings.measure("raw: \(results.rawValue)") {
        for range in ranges(of: results) {
          number += raw_docs_by_priority(
            database, Int64(range.lowerBound), Int64(range.upperBound), Int32(width), &found)
          raw_docs_free(found, Int32(width))
        }
      }
    }
    let isByRange = results == .ranges || results == .exchanged
    guard number == (isByRange ? subscriptionCount * width : subscriptionCount) else {
      throw BenchmarkError(description: "SQLite found \(number) documents")
    }
  }

  /// Times a transaction that updates all objects, from its call until its completion handler, before which subscribers are
  /// told.
  private func update(
    _ workspace: SQLiteWorkspace, _ name: String, by change: Change, _ timings: inout Timings,
    _ subscribe: () -> [any Workspace.Subscription]
  ) async throws {
    let documents = workspace.fetch(for: BenchDoc.self).all()
    let subscriptions = subscribe()
    let isStored = await timings.measure(name) { await perform(change, of: documents, in: workspace) }
    for subscription in subscriptions { subscription.cancel() }
    if !isStored { throw BenchmarkError(description: "the documents could not be updated") }
  }

  private func perform(
    _ change: Change, of documents: FetchedResult<BenchDoc>, in workspace: SQLiteWorkspace
  ) async -> Bool {
    await workspace.performChanges([BenchDoc.self]) { [count] transaction in
      for document in documents {
        guard let request = BenchDocChangeRequest.changeRequest(document) else { continue }
        request.priority = change.priority(after: request.priority, of: count)
        transaction.try(submit: request)
      }
    }
  }

  /// How long after they are stored the commits of another workspace are told, in seconds, the shortest first.
  private func otherCommits(in workspace: SQLiteWorkspace, _ path: String) async throws -> [Double] {
    let other = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    let observed = workspace.fetch(for: BenchDoc.self).where(BenchDoc.title == "title 0")
    var updates = workspace.subscribe(fetchedResult: observed).makeAsyncIterator()
    var latencies: [Double] = []
    for number in 0..<50 {
      await other.performChanges([BenchDoc.self]) { transaction in
        let documents = other.fetch(for: BenchDoc.self).where(BenchDoc.title == "title 0")
        guard let document = documents.first, let request = BenchDocChangeRequest.changeRequest(document) else {
          return
        }
        request.tag = "other \(number)"
        transaction.try(submit: request)
      }
      let start = ContinuousClock.now
      while let result = await updates.next(), result.first?.tag != "other \(number)" {}
      latencies.append((ContinuousClock.now - start) / .seconds(1))
      // At any moment within what the watcher does.
      try await Task.sleep(for: .milliseconds(number * 3))
    }
    await other.shutdown()
    return latencies.sorted()
  }

  /// Times updates beside standing queries that do not match.
  private func updateOne(_ workspace: SQLiteWorkspace, _ timings: inout Timings) async throws {
    try await updateAll(workspace, "update all", &timings)
    try await updateEach(workspace, "update one", &timings)
    let docs = workspace.fetch(for: BenchDoc.self)
    let subscriptions = (0..<count).map { number -> any Workspace.Subscription in
      let query =
        number % 2 == 0
        ? BenchDoc.title == "none \(number)"
        : BenchDoc.priority > Int32(count + number) && BenchDoc.priority < Int32(2 * count + number)
      return workspace.subscribe(fetchedResult: docs.where(query)) { _ in }
    }
    try await updateAll(workspace, "update beside 10,000 others", &timings)
    try await updateEach(workspace, "update one beside 10,000 others", &timings)
    for subscription in subscriptions { subscription.cancel() }
  }

  /// Times eight transactions of all objects, since about every second one has SQLite put the log into the file.
  private func updateAll(_ workspace: SQLiteWorkspace, _ name: String, _ timings: inout Timings) async throws {
    var duration = Duration.zero
    for _ in 0..<8 {
      let documents = workspace.fetch(for: BenchDoc.self).all()
      let start = ContinuousClock.now
      guard await perform(.rotation, of: documents, in: workspace) else {
        throw BenchmarkError(description: "the documents could not be updated")
      }
      duration += ContinuousClock.now - start
    }
    timings.record(name, duration)
  }

  /// Times 1,000 transactions, one after another, of one object each.
  private func updateEach(_ workspace: SQLiteWorkspace, _ name: String, _ timings: inout Timings) async throws {
    let documents = workspace.fetch(for: BenchDoc.self).all(limit: .limit(1_000))
    await timings.measure(name) {
      for document in documents {
        await workspace.performChanges([BenchDoc.self]) { transaction in
          guard let request = BenchDocChangeRequest.changeRequest(document) else { return }
          request.tag = request.tag == "a" ? "b" : "a"
          transaction.try(submit: request)
        }
      }
    }
  }
}

/// Counts calls from several threads.
private final class Counter: @unchecked Sendable {
  // Unchecked because the variable is guarded by the lock.
  private let lock = NSLock()
  private var value = 0

  var count: Int { lock.withLock { value } }

  func increment() { lock.withLock { value += 1 } }
}
