import Dflat
import Foundation
import GRDB
import RawSQLite
import SQLiteDflat

/// Fetching the objects of a range of dates in the order of the dates, beside the SQLite C API on the same index, and
/// beside GRDB with dates as texts, which is its default, and as numbers.
struct DateFetchBenchmark {
  private let folder: URL
  private let rounds: Int
  private let memory: MemoryPolicy
  private let reporter: Reporter
  private let count = 60_000
  /// A sixth of the visits.
  private let foundCount = 10_000

  init(_ measurement: Measurement, _ memory: MemoryPolicy) {
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
    self.memory = memory
  }

  func run() async throws {
    let visits = (0..<count).map { number in
      // Multiplied with a number that has no divisor in common with the count, so that neighbours differ by weeks.
      Visit(
        place: "place number \(number)", tag: "tag \(number % 100)", priority: Int32(number),
        at: Self.date(number * 7_919 % count))
    }
    let path = folder.appending(path: "visits.sqlite3").path
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    let isStored = await workspace.performChanges([Visit.self]) { transaction in
      for visit in visits { transaction.try(submit: VisitChangeRequest.creationRequest(visit)) }
    }
    guard isStored else { throw BenchmarkError(description: "the visits cannot be stored") }
    try await workspace.waitForIndexes(of: Visit.self)
    let table = raw_open(path, "visit", 0, 0)
    defer { raw_close(table.database) }
    guard table.database != nil else { throw BenchmarkError(description: "SQLite cannot read the store's file") }
    let texts = try GRDBVisit<GRDBDateText>.store(visits, at: folder.appending(path: "grdb-texts.sqlite3").path)
    let numbers = try GRDBVisit<GRDBDateNumber>.store(visits, at: folder.appending(path: "grdb-numbers.sqlite3").path)
    let dates = Self.date(count / 2)..<Self.date(count / 2 + foundCount)
    let expected = visits.filter { dates.contains($0.at) }.sorted { $0.at < $1.at }.map(\.place)
    var timings = Timings(.crud, memory)
    for _ in 0..<rounds {
      try raw(table.database, dates, &timings)
      try store(workspace, dates, expected, &timings)
      try grdb(GRDBVisit<GRDBDateText>.self, from: texts, Self.grdbTexts, dates, expected, &timings)
      try grdb(GRDBVisit<GRDBDateNumber>.self, from: numbers, Self.grdbNumbers, dates, expected, &timings)
    }
    try texts.close()
    try numbers.close()
    await workspace.shutdown()
    try reporter.add(timings.row(Self.job, to: Self.rawJob, reach: 1.4))
    try reporter.add(timings.row(Self.job, to: Self.grdbTexts))
    try reporter.add(timings.row(Self.job, to: Self.grdbNumbers))
  }

  private static let job = "fetch a sixth by a range of dates, in their order"
  private static let rawJob = "raw by a range of dates"
  private static let grdbTexts = "GRDB with dates as texts"
  private static let grdbNumbers = "GRDB with dates as numbers"

  /// One of the dates, which are a minute apart.
  private static func date(_ number: Int) -> Date { Date(timeIntervalSince1970: Double(seconds(number))) }

  private static func seconds(_ number: Int) -> Int { 1_700_000_000 + 60 * number }

  private func store(
    _ workspace: SQLiteWorkspace, _ dates: Range<Date>, _ expected: [String], _ timings: inout Timings
  ) throws {
    let query = Visit.at >= dates.lowerBound && Visit.at < dates.upperBound
    let found = timings.measure(Self.job) {
      workspace.fetch(for: Visit.self).where(query, orderBy: [Visit.at.ascending])
    }
    try check(found.map(\.place) == expected)
  }

  private func grdb<Form: GRDBDateForm>(
    _ type: GRDBVisit<Form>.Type, from pool: DatabasePool, _ name: String, _ dates: Range<Date>, _ expected: [String],
    _ timings: inout Timings
  ) throws {
    let found = try timings.measure(name) { try type.fetch(dates, from: pool) }
    try check(found.map(\.place) == expected)
  }

  private func check(_ isRight: Bool) throws {
    if !isRight { throw BenchmarkError(description: "a range of dates did not find what was put in") }
  }

  /// Has the C program fetch, and checks how many rows it finds.
  private func raw(_ database: UnsafeMutableRawPointer?, _ dates: Range<Date>, _ timings: inout Timings) throws {
    // The first date is bound as a text, which the column's affinity makes a number.
    let first = strdup("\(Self.milliseconds(dates.lowerBound))")
    defer { free(first) }
    let sql = """
      SELECT m.rowid, m.p FROM visit__f16 AS i JOIN visit AS m ON m.rowid = i.rowid \
      WHERE i.f16 >= ? AND i.f16 < \(Self.milliseconds(dates.upperBound)) ORDER BY i.f16
      """
    var found: UnsafeMutablePointer<raw_post>?
    let pointers: [UnsafePointer<CChar>?] = [UnsafePointer(first)]
    let number = timings.measure(Self.rawJob) { raw_fetch_by_texts(database, sql, pointers, 1, &found) }
    raw_posts_free(found, max(number, 0))
    guard number == foundCount else {
      throw BenchmarkError(description: "SQLite found \(number) visits, not \(foundCount)")
    }
  }

  private static func milliseconds(_ date: Date) -> Int { Int(date.timeIntervalSince1970) * 1_000 }
}
