import Foundation
import RawSQLite

/// The floor of a job that reads: what SQLite's C API takes for it inside one read transaction.
///
/// The C program that the store is compared with opens a read transaction for each statement. A store may keep one open,
/// and then it can be faster than that program, but not than its floor.
extension Timings {
  private static let floor = "floor: "

  /// Runs `body` inside a read transaction of `database`, and records the time as the floor of a job.
  ///
  /// Beginning and ending the transaction is not timed. It is run after another side has done the job, as the C program
  /// that the job is compared with is: whoever does the same work twice in a row finds it in the processor's cache.
  mutating func measureFloor<T>(
    of name: String, _ database: UnsafeMutableRawPointer?, _ body: () -> T
  ) throws -> T {
    try Self.check(raw_begin_reading(database))
    let result = measure(Self.floor + name, body)
    try Self.check(raw_end_reading(database))
    return result
  }

  /// A job's row as `row` makes it, with its floor as a ratio to the same `other`.
  func rowWithFloor(
    _ name: String, to other: String, reach: Double, dependsOnSystemCalls: Bool = false
  ) -> ReportRow {
    var row = row(name, to: other, reach: reach, dependsOnSystemCalls: dependsOnSystemCalls)
    let floor = median(Self.floor + name)
    row.floor = ReportRow.Floor(
      name: "floor, C inside one read transaction", median: floor, ratio: floor / median(other))
    return row
  }

  private static func check(_ code: Int32) throws {
    if code != 0 { throw BenchmarkError(description: "SQLite cannot read in one transaction (\(code))") }
  }
}
