import Dflat
import Dispatch
import Foundation
import PostgresDflat
import RawPostgres

/// The store on PostgreSQL, beside a C program on libpq that does the same work on the same socket.
struct PostgresBenchmark {
  private let rounds: Int
  private let reporter: Reporter
  private let count: Int
  /// Where a document's priority is in its table.
  private static let prioritySlot: Int32 = 16
  private static let connections = 8
  /// How often the updates of a round change from one side to the other, and how often each object is updated then.
  private static let (turns, cycles) = (20, 4)
  /// How many transactions each of them makes.
  private var perConnection: Int { count / Self.connections }

  init(_ measurement: Measurement) {
    rounds = measurement.rounds
    reporter = measurement.reporter
    count = measurement.extent == .quick ? 2_000 : 10_000
  }

  func run() async throws {
    reporter.print("PostgreSQL, beside libpq from C on the same socket")
    let cluster = try PostgresCluster()
    let workspace = PostgresWorkspace(connection: cluster.connection)
    guard let raw = raw_pg_open(cluster.connection, 1) else {
      throw BenchmarkError(description: "libpq cannot connect to \(cluster.connection)")
    }
    defer { raw_pg_close(raw) }
    var timings = Timings(.postgres)
    var retries = (own: 0, raw: 0)
    // The first transaction makes the table.
    guard await BenchDoc.insert([BenchDoc.sample(rounds * count, priority: 0)], into: workspace) else {
      throw BenchmarkError(description: "the documents cannot be stored")
    }
    for round in 0..<rounds {
      let documents = (0..<count).map { BenchDoc.sample(round * count + $0, priority: Int32($0)) }
      let rows = try PostgresRows(documents)
      try await insert(documents, into: workspace, &timings)
      let failures = timings.measure("raw insert") {
        raw_pg_insert(raw, rows.rows, Int32(count), Int64(round * count + 1))
      }
      guard failures == 0 else { throw BenchmarkError(description: "libpq has not inserted all rows") }
      try read(documents, rows, workspace, raw, &timings)
      try update(documents, rows, workspace, cluster, &timings, &retries)
      try updateInOneWorkspace(documents, cluster, &timings)
    }
    await workspace.shutdown()
    try reporter.add(
      timings.row("insert \(count), one transaction", to: "raw insert", reach: 1.3, dependsOnSystemCalls: true))
    try reporter.add(
      timings.row("read one by one by primary key", to: "raw read", reach: 1.3, dependsOnSystemCalls: true))
    try reporter.add(timings.row("scan without index", to: "raw scan", reach: 1.3))
    try reporter.add(
      timings.row(
        "read, change and write on \(Self.connections) connections", to: "raw update", reach: 1.35,
        dependsOnSystemCalls: true))
    try reporter.add(timings.row(Self.unordered, to: Self.ordered, called: "in the order of the calls"))
    let transactions = rounds * perConnection * Self.cycles * Self.connections
    reporter.print(
      "  run again after conflicts, of \(transactions) transactions: \(retries.own) by dflat, \(retries.raw) by C")
  }

  private func insert(
    _ documents: [BenchDoc], into workspace: PostgresWorkspace, _ timings: inout Timings
  ) async throws {
    let isStored = await timings.measure("insert \(count), one transaction") {
      await BenchDoc.insert(documents, into: workspace)
    }
    guard isStored else { throw BenchmarkError(description: "the documents cannot be stored") }
  }

  private func read(
    _ documents: [BenchDoc], _ rows: PostgresRows, _ workspace: PostgresWorkspace, _ raw: UnsafeMutableRawPointer,
    _ timings: inout Timings
  ) throws {
    let found = timings.measure("read one by one by primary key") {
      documents.count { workspace.fetch(for: BenchDoc.self).where(BenchDoc.title == $0.title).count == 1 }
    }
    let rawFound = timings.measure("raw read") { raw_pg_by_title(raw, rows.rows, Int32(rows.rows.count)) }
    guard found == documents.count, rawFound == Int32(found) else {
      throw BenchmarkError(description: "found \(found) and \(rawFound) of \(documents.count) documents")
    }
    // A scan takes milliseconds, and twice as many while the system has client and server share a processor, as it does after
    // the reads: it notices during one of the first scans that both are busy at once.
    for _ in 0..<8 { try scan(workspace, raw, &timings) }
  }

  private func scan(_ workspace: PostgresWorkspace, _ raw: UnsafeMutableRawPointer, _ timings: inout Timings) throws {
    let least = Int32(count) * 5 / 6 | 1
    let found = timings.measure("scan without index") {
      workspace.fetch(for: BenchDoc.self).count(where: BenchDoc.priority > least)
    }
    let rawFound = timings.measure("raw scan") { raw_pg_scan(raw, Self.prioritySlot, least) }
    guard found == Int(rawFound) else {
      throw BenchmarkError(description: "\(found) documents were found by dflat, and \(rawFound) by C")
    }
  }

  private static let ordered = "read, change and write in one workspace, in order"
  private static let unordered = "read, change and write in one workspace, unordered"

  /// Changes 2,000 objects at most, in a transaction each, all of which are called for at once.
  private func updateInOneWorkspace(
    _ documents: [BenchDoc], _ cluster: PostgresCluster, _ timings: inout Timings
  ) throws {
    let titles = documents.prefix(2_000).map(\.title)
    // An even number of sides, after which the priorities are what they were.
    for (job, writeConcurrency) in [
      (Self.ordered, PostgresWorkspace.WriteConcurrency.concurrent), (Self.unordered, .unordered),
    ] {
      let workspace = PostgresWorkspace(
        PostgresOptions(connection: cluster.connection), writeConcurrency: writeConcurrency)
      let stored = Tally()
      timings.measure(job) {
        let group = DispatchGroup()
        for title in titles {
          group.enter()
          workspace.performChanges([BenchDoc.self]) { transaction in
            guard let document = workspace.fetch(for: BenchDoc.self).by(title),
              let request = BenchDocChangeRequest.changeRequest(document)
            else { return }
            request.priority ^= 1
            transaction.try(submit: request)
          } completionHandler: { isStored in
            if isStored { stored.add(1) }
            group.leave()
          }
        }
        group.wait()
      }
      workspace.shutdown()
      guard stored.total == titles.count else {
        throw BenchmarkError(description: "\(stored.total) of \(titles.count) documents were updated")
      }
    }
  }

  /// Each connection changes objects of its own, one transaction after the other.
  ///
  /// Both sides take turns several times in a round: eight threads and eight servers on few processors vary from one second to the
  /// next by more than what is to be told apart.
  private func update(
    _ documents: [BenchDoc], _ rows: PostgresRows, _ workspace: PostgresWorkspace, _ cluster: PostgresCluster,
    _ timings: inout Timings, _ retries: inout (own: Int, raw: Int)
  ) throws {
    // The closures of other threads take the number alone.
    let perConnection = perConnection
    let job = "read, change and write on \(Self.connections) connections"
    // A workspace orders transactions of one type, so that each connection has one of its own, as each process has.
    let workspaces = (0..<Self.connections).map { _ in PostgresWorkspace(connection: cluster.connection) }
    let (calls, rawRetries) = (Tally(), Tally())
    func updateObjects(_ objects: Range<Int>) {
      let group = DispatchGroup()
      for number in 0..<Self.connections {
        for index in objects {
          group.enter()
          let workspace = workspaces[number]
          let title = documents[number * perConnection + index].title
          workspace.performChanges([BenchDoc.self]) { transaction in
            calls.add(1)
            guard let document = workspace.fetch(for: BenchDoc.self).first(where: BenchDoc.title == title),
              let request = BenchDocChangeRequest.changeRequest(document)
            else { return }
            // The scans of the next round must find as many as the C side, whose rows stay as they are: `least` is odd.
            request.priority ^= 1
            transaction.try(submit: request)
          } completionHandler: { _ in
            group.leave()
          }
        }
      }
      group.wait()
    }
    let raws = RawConnections(count: Self.connections, to: cluster.connection)
    func updateRows(_ objects: Range<Int>) {
      // All connections are at work at once: `concurrentPerform` would use as many threads as there are processors.
      let group = DispatchGroup()
      for number in 0..<Self.connections {
        group.enter()
        Thread.detachNewThread {
          rows.rows.withUnsafeBufferPointer { rows in
            let first = rows.baseAddress.map { $0 + number * perConnection + objects.lowerBound }
            rawRetries.add(Int(raw_pg_update(raws.handles[number], first, Int32(objects.count))))
          }
          group.leave()
        }
      }
      group.wait()
    }
    // The first transaction of a connection has the server read its catalogs.
    updateObjects(0..<1)
    updateRows(0..<1)
    let parts = Self.turns / Self.cycles
    for turn in 0..<Self.turns {
      let part = turn % parts
      let objects = part * perConnection / parts..<(part + 1) * perConnection / parts
      timings.measure(job) { updateObjects(objects) }
      timings.measure("raw update") { updateRows(objects) }
    }
    for each in workspaces { each.shutdown() }
    retries.own += calls.total - (perConnection * Self.cycles + 1) * Self.connections
    retries.raw += rawRetries.total
  }
}

/// A number that threads count up.
private final class Tally: @unchecked Sendable {
  // Unchecked because the variable is guarded by the lock.
  private let lock = NSLock()
  private var sum = 0

  var total: Int { lock.withLock { sum } }

  func add(_ number: Int) { lock.withLock { sum += number } }
}

/// Connections of the C side, one for each thread.
private final class RawConnections: @unchecked Sendable {
  // Unchecked because of the pointers: each is used by one thread.
  let handles: [UnsafeMutableRawPointer?]

  init(count: Int, to connection: String) {
    handles = (0..<count).map { _ in raw_pg_open(connection, 0) }
  }

  deinit { for handle in handles { raw_pg_close(handle) } }
}

/// Rows for the C side, which borrows their bytes.
private final class PostgresRows: @unchecked Sendable {
  // Unchecked because of the pointers: the memory is constant.
  private(set) var rows: [raw_pg_row] = []
  private var memory: [UnsafeMutableBufferPointer<UInt8>] = []

  init(_ documents: [BenchDoc]) throws {
    let raw = try RawRows(documents, title: \.title, priority: \.priority)
    for row in raw.rows {
      let title = copy(UnsafeRawBufferPointer(start: row.title, count: Int(row.title_length)))
      let bytes = copy(UnsafeRawBufferPointer(start: row.bytes, count: Int(row.byte_count)))
      rows.append(
        raw_pg_row(
          title: UnsafeRawPointer(title.baseAddress)?.assumingMemoryBound(to: CChar.self),
          title_length: row.title_length, bytes: UnsafePointer(bytes.baseAddress), byte_count: row.byte_count))
    }
  }

  deinit { for bytes in memory { bytes.deallocate() } }

  private func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableBufferPointer<UInt8> {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
    _ = copy.initialize(from: bytes)
    memory.append(copy)
    return copy
  }
}
