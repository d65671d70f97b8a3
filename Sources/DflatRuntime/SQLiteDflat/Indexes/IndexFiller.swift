import Dflat
import FlatBuffersCore

/// Brings an index up to date, some rows at a time. In a write transaction.
struct IndexFiller {
  /// How many rows a step of the background job reads at most.
  static let batch = 500

  enum Outcome {
    case complete
    case behind
    /// Two rows have the same value in a unique index. The index has been emptied: it is of no use.
    case violated(SQLiteError)
  }

  let record: RecordDescription
  let index: Int
  let connection: SQLiteConnection

  /// Adds the entries of the next rows.
  ///
  /// - Parameter limit: how many rows to read at most.
  func fill(limit: Int) throws -> Outcome {
    let tables = RecordTables(record: record)
    let entries = tables.indexTable(index).quoted
    let rows = tables.main.quoted
    // An entry beyond the last row belongs to none: it would stand in the way.
    try connection.run(
      "DELETE FROM \(entries) WHERE rowid > (SELECT IFNULL(MAX(rowid), 0) FROM \(rows))", for: "Filling an index")
    let select = try SQLiteStatement(
      """
      SELECT rowid, p FROM \(rows) WHERE rowid > (SELECT IFNULL(MAX(rowid), \(Int64.min)) FROM \(entries)) \
      ORDER BY rowid LIMIT \(limit)
      """, for: "Filling an index", on: connection)
    defer { select.reset() }
    let insert = try SQLiteStatement(
      "INSERT INTO \(entries) (rowid, \(record.indexes[index].key.quoted)) VALUES (?, ?)", for: "Filling an index",
      on: connection)
    var count = 0
    while try select.step() {
      count += 1
      let row = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: select.bytes(at: 1)))
      insert.bind(select.integer(at: 0), at: 1)
      // A row that cannot be read has no values; a fetch reports it.
      insert.bind(
        borrowing: row.map { record.columns.value(at: record.primaryKeys.count + index, in: $0) } ?? .null, at: 2)
      do {
        try insert.run()
      } catch let error as SQLiteError where error.isConflict {
        select.reset()
        try connection.run("DELETE FROM \(entries)", for: "Emptying an index")
        return .violated(error)
      }
    }
    return count < limit ? .complete : .behind
  }
}
