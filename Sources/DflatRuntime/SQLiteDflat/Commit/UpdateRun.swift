import Dflat

/// A row that is to be written. The bytes are somebody else's.
struct EncodedRow {
  let rowid: Int64
  let bytes: UnsafeRawBufferPointer
}

/// Rows of one type that one `UPDATE` replaces, in the order of their numbers: a third of the work of a statement for each.
///
/// The statement goes over a range of rows, and asks for the bytes of each: see `UpdateFunctions`.
struct UpdateRun {
  private(set) var rows: ContiguousArray<EncodedRow> = []

  /// How many rows are replaced at most: more save nothing.
  private static let capacity = 256
  /// How far two rows may be apart. To go over a row that stays as it is takes about an eighth of a statement.
  private static let largestStep: Int64 = 8

  var isEmpty: Bool { rows.isEmpty }

  /// Whether the row may be updated, alone or as one of these, before these have been written.
  func mayBeFollowed(by rowid: Int64) -> Bool {
    guard let last = rows.last?.rowid else { return true }
    // The difference of two row numbers may be too large for a number.
    return rowid > last && rowid - UpdateRun.largestStep <= last && rows.count < UpdateRun.capacity
  }

  mutating func append(_ row: EncodedRow) { rows.append(row) }

  mutating func removeAll() { rows.removeAll(keepingCapacity: true) }
}
