import Foundation
import GRDB

/// GRDB's `ValueObservation`s of what `ObservingBenchmark` subscribes to. Each asks its query again after a commit that may
/// have changed its result.
struct GRDBObserving {
  private let pool: DatabasePool
  private var documents: [GRDBDoc]
  /// Where values are handed over.
  private let queue = DispatchQueue(label: "observing")

  init(_ documents: [BenchDoc], folder: URL) throws {
    pool = try DatabasePool.benchmarked(path: folder.appending(path: "grdb-observed.sqlite3").path)
    let records = documents.map { GRDBDoc($0) }
    try GRDBDoc.insert(records, into: pool)
    self.documents = try pool.read { try GRDBDoc.order(Column("id")).fetchAll($0) }
  }

  func close() throws { try pool.close() }

  /// Times an update of all documents, until all observers have been told.
  mutating func update(
    _ name: String, titles: [String], ranges: [ClosedRange<Int32>], _ step: Int32, _ timings: inout Timings
  ) throws {
    let told = ValueCounter(expected: titles.count + ranges.count)
    let byTitle = titles.map { title in
      observe(told) { try GRDBDoc.filter(key: ["title": title]).fetchAll($0) }
    }
    // By number, as the C program does it.
    let byRange = ranges.map { range in
      observe(told) { database in
        let numbers = Int64(range.lowerBound) + 1...Int64(range.upperBound) + 1
        return try GRDBDoc.filter(numbers.contains(Column("id"))).fetchAll(database)
      }
    }
    guard told.wait(for: 1) else { throw BenchmarkError(description: "GRDB observed nothing") }
    let isTold = try timings.measure(Timings.grdb + name) {
      try GRDBDoc.update(&documents, step, in: pool)
      return told.wait(for: 2)
    }
    if !isTold { throw BenchmarkError(description: "GRDB told nothing") }
    for each in byTitle + byRange { each.cancel() }
  }

  private func observe(
    _ told: ValueCounter, _ fetch: @escaping @Sendable (Database) throws -> [GRDBDoc]
  ) -> AnyDatabaseCancellable {
    let number = told.makeNumber()
    return ValueObservation.tracking(fetch).start(in: pool, scheduling: .async(onQueue: queue)) { error in
      print("GRDB: \(error)")
    } onChange: { _ in
      told.count(number)
    }
  }
}

/// Counts the values of observers, from several threads.
private final class ValueCounter: @unchecked Sendable {
  // Unchecked because the variables are guarded by the condition.
  private let condition = NSCondition()
  private let expected: Int
  private var counts: [Int] = []
  /// How many observers have got so many values.
  private var reached: [Int: Int] = [:]

  init(expected: Int) { self.expected = expected }

  func makeNumber() -> Int {
    condition.withLock {
      counts.append(0)
      return counts.count - 1
    }
  }

  func count(_ observer: Int) {
    condition.withLock {
      counts[observer] += 1
      reached[counts[observer], default: 0] += 1
      condition.broadcast()
    }
  }

  /// Waits until each observer has got so many values.
  ///
  /// - Returns: false if that takes more than a minute.
  func wait(for values: Int) -> Bool {
    let end = Date() + 60
    return condition.withLock {
      while reached[values, default: 0] < expected {
        if !condition.wait(until: end) { return false }
      }
      return true
    }
  }
}
