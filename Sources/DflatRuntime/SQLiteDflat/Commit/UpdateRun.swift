import Dflat

/// A row that is to be written. It does not own its bytes.
struct EncodedRow {
  let rowid: Int64
  let bytes: UnsafeRawBufferPointer
}

/// A run of rows of one type that one `UPDATE` replaces, in ascending order of their numbers. It takes a third of the
/// time of one statement for each.
///
/// The statement visits a range of rows, and calls a function for the bytes of each: see `UpdateFunctions`.
struct UpdateRun {
  private(set) var rows: ContiguousArray<EncodedRow> = []

  /// The most rows of a run: more save nothing.
  private static let capacity = 256
  /// The largest distance between two rows of a run. To visit a row that stays as it is takes about an eighth of a
  /// statement.
  private static let largestStep: UInt64 = 8

  var isEmpty: Bool { rows.isEmpty }

  /// Returns whether the row may be updated, alone or as a part of this run, before the run has been written.
  func mayBeFollowed(by rowid: Int64) -> Bool {
    guard let last = rows.last?.rowid else { return true }
    // The difference of two row numbers may exceed `Int64.max`, but no unsigned number.
    return rowid > last && UInt64(bitPattern: rowid &- last) <= UpdateRun.largestStep
      && rows.count < UpdateRun.capacity
  }

  mutating func append(_ row: EncodedRow) { rows.append(row) }

  mutating func removeAll() { rows.removeAll(keepingCapacity: true) }
}
