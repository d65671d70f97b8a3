import Dflat
import DflatEngine

/// Hands out the numbers of new rows. Guarded by the committer.
struct RowNumbers {
  /// The highest numbers that were handed out.
  private var lastRows: [ObjectIdentifier: Int64] = [:]
  /// The rows of objects that were handed out under a number that another process has used before they were stored.
  private var movedRows: [RowID: Int64] = [:]

  /// How many moved rows are remembered at most, some megabytes.
  private static let limit = 1 << 15

  /// The number that the next new object will have; nil before it is known which numbers the table has used.
  func next(of record: RecordDescription) -> Int64? { lastRows[ObjectIdentifier(record)].map { $0 + 1 } }

  /// The highest number that was handed out; 0 before the first one.
  func last(of record: RecordDescription) -> Int64 { lastRows[ObjectIdentifier(record)] ?? 0 }

  /// Hands out the number of a new object.
  mutating func take(for record: RecordDescription) -> Int64 {
    let row = last(of: record) + 1
    lastRows[ObjectIdentifier(record)] = row
    return row
  }

  /// Notes that the numbers up to `row` are used.
  mutating func raise(to row: Int64, of record: RecordDescription) {
    lastRows[ObjectIdentifier(record)] = max(last(of: record), row)
  }

  /// Hands out a number above `last` in place of `row`, which another process has used.
  mutating func move(_ row: Int64, above last: Int64, of record: RecordDescription) -> Int64 {
    raise(to: last, of: record)
    let actual = take(for: record)
    if movedRows.count >= RowNumbers.limit { movedRows = [:] }
    movedRows[RowID(record, row)] = actual
    return actual
  }

  /// The row of an object that was handed out with the number `row`, if that is another one.
  func actualRow(_ row: Int64, of record: RecordDescription) -> Int64? {
    movedRows.isEmpty ? nil : movedRows[RowID(record, row)]
  }
}
