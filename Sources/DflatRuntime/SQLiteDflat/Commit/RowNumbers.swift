import Dflat
import DflatEngine

/// The counters of new row numbers, and the rows that got another number than was proposed. Guarded by the committer.
struct RowNumbers {
  /// The highest number that each type has handed out.
  private var lastRows: [ObjectIdentifier: Int64] = [:]
  /// How many commits of others had been noticed when it was looked up which numbers each type's table has used.
  private var lookUps: [ObjectIdentifier: Int] = [:]
  /// The actual row numbers of new objects whose proposed number another process had used, by the proposed row.
  private var movedRows: [RowID: Int64] = [:]

  /// The most moved rows that are remembered, some megabytes. If there are more, all are forgotten.
  private static let limit = 1 << 15

  /// Returns the number that the next new object will get; nil while it is unknown which numbers the table has used.
  ///
  /// - Parameter foreignCommits: how many commits of others have been noticed. Any of them may have used numbers.
  func next(of record: RecordDescription, after foreignCommits: Int) -> Int64? {
    guard lookUps[ObjectIdentifier(record)] ?? 0 >= foreignCommits else { return nil }
    return lastRows[ObjectIdentifier(record)].map { $0 + 1 }
  }

  /// Returns the highest number that was handed out; 0 if none was.
  func last(of record: RecordDescription) -> Int64 { lastRows[ObjectIdentifier(record)] ?? 0 }

  /// Takes the next number for a new object.
  mutating func take(for record: RecordDescription) -> Int64 {
    let row = last(of: record) + 1
    lastRows[ObjectIdentifier(record)] = row
    return row
  }

  /// Records that the numbers up to `row` are used.
  mutating func raise(to row: Int64, of record: RecordDescription) {
    lastRows[ObjectIdentifier(record)] = max(last(of: record), row)
  }

  /// Records that the table has used the numbers up to `row`.
  ///
  /// - Parameter foreignCommits: how many commits of others had been noticed before that was looked up.
  mutating func noteLookUp(_ row: Int64, of record: RecordDescription, after foreignCommits: Int) {
    raise(to: row, of: record)
    lookUps[ObjectIdentifier(record)] = max(lookUps[ObjectIdentifier(record)] ?? 0, foreignCommits)
  }

  /// Takes a number above `last` to replace `row`, which another process has used.
  mutating func move(_ row: Int64, above last: Int64, of record: RecordDescription) -> Int64 {
    raise(to: last, of: record)
    let actual = take(for: record)
    if movedRows.count >= RowNumbers.limit { movedRows = [:] }
    movedRows[RowID(record, row)] = actual
    return actual
  }

  /// Returns the actual row of an object whose proposed number was `row`; nil if it was not moved.
  func actualRow(_ row: Int64, of record: RecordDescription) -> Int64? {
    movedRows.isEmpty ? nil : movedRows[RowID(record, row)]
  }
}
