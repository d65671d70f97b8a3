import Dflat
import FlatBuffersCore

// The entries of rows in an index over the elements of a vector. Each row has one for each different element, in
// ascending order, or else the entry NULL. So each row has an entry, and an index that lacks rows is noticed as it is in
// an index with one entry for each row.

extension RowStatements {
  /// Stores the entries of a row that has none in the index with the number `index`.
  mutating func insertElements(_ rowid: Int64, _ index: Int, of object: FlatBufferTable) throws {
    let insert = try prepared(.insertEntry(index: index))
    try record.withElements(ofIndex: index, in: object) { values in
      for (position, value) in values.enumerated() {
        insert.bind(rowid, at: 1)
        insert.bind(Int64(position), at: 2)
        insert.bind(borrowing: value, at: 3)
        try insert.run()
      }
    }
  }

  /// Replaces the entries of a row in the index with the number `index` if they differ from those that it should have.
  ///
  /// - Parameter insertsMissing: whether a row without entries gets them.
  mutating func updateElements(
    _ rowid: Int64, _ index: Int, of object: FlatBufferTable, insertsMissing: Bool
  ) throws {
    let read = try prepared(.readElements(index: index))
    let (isMissing, isRight) = try record.withElements(ofIndex: index, in: object) { values in
      defer { read.reset() }
      read.bind(rowid, at: 1)
      var count = 0
      while try read.step() {
        guard count < values.count, read.holds(values[count], at: 0) else { return (false, false) }
        count += 1
      }
      return (count == 0, count == values.count)
    }
    if isRight || isMissing && !insertsMissing { return }
    if !isMissing {
      let delete = try prepared(.deleteEntry(index: index))
      delete.bind(rowid, at: 1)
      try delete.run()
    }
    try insertElements(rowid, index, of: object)
  }
}

extension IndexVerifier {
  /// Verifies the entries of the next rows in an index over elements, and removes entries without a row.
  ///
  /// - Parameters:
  ///   - first: the number of the first row.
  ///   - limit: the most rows that are visited.
  func verifyElements(from first: Int64, limit: Int) throws -> Outcome {
    let rows = try prepare("SELECT rowid, p FROM \(rows) WHERE rowid >= ? ORDER BY rowid")
    defer { rows.reset() }
    rows.bind(first, at: 1)
    var statements = RowStatements(record, on: connection)
    var count = 0
    var next: Int64?
    while try rows.step() {
      let number = rows.integer(at: 0)
      guard count < limit else {
        next = number
        break
      }
      count += 1
      // A row that cannot be read has the entry NULL; a fetch reports it.
      let bytes = rows.bytes(at: 1)
      let object = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes))
      try statements.updateElements(number, index, of: object ?? .empty, insertsMissing: true)
    }
    try removeEntriesWithoutRow(from: first, below: next)
    return next.map { .reached(next: $0) } ?? .complete
  }

  /// Removes the entries of a range that have no row.
  /// - Parameter end: the number after the last row; nil if there is no further row.
  private func removeEntriesWithoutRow(from first: Int64, below end: Int64?) throws {
    let delete = try prepare(
      """
      DELETE FROM \(entries) WHERE row >= ?1 AND (?2 IS NULL OR row < ?2) \
      AND NOT EXISTS (SELECT 1 FROM \(rows) AS m WHERE m.rowid = row)
      """)
    delete.bind(first, at: 1)
    if let end { delete.bind(end, at: 2) }
    try delete.run()
  }
}
