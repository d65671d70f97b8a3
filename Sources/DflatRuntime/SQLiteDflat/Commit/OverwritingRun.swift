/// A run of updates of one type, which are written over the rows' bytes where objects keep their size.
struct OverwritingRun {
  private var blob: BlobHandle?
  private var updateCount = 0
  /// How many more updates may fail to be overwritten before the run gives up. Objects that change their size are not for it.
  private var remainingMisses = OverwritingRun.allowedMisses
  private static let allowedMisses = 8
  /// Opening a blob handle costs as much as two statements: it does not pay for fewer updates.
  private static let leastUpdates = 3

  /// Overwrites a row in place.
  ///
  /// - Returns: false if nothing has been done.
  mutating func overwrite(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, keepsKeys: Bool, _ rows: RowWriter
  ) throws -> Bool {
    updateCount += 1
    guard remainingMisses > 0, updateCount >= OverwritingRun.leastUpdates, bytes.count <= BlobHandle.largestRow else {
      return false
    }
    if try move(to: rowid, rows), let blob, try rows.overwrite(blob, rowid, bytes, keepsKeys: keepsKeys) {
      remainingMisses = OverwritingRun.allowedMisses
      return true
    }
    remainingMisses -= 1
    if remainingMisses == 0 { blob = nil }
    return false
  }

  private mutating func move(to rowid: Int64, _ rows: RowWriter) throws -> Bool {
    if let blob {
      if try blob.move(to: rowid) { return true }
      self.blob = nil
    }
    blob = try BlobHandle(rows.record.table, rowid, on: rows.connection)
    return blob != nil
  }

  /// Ends the run, as has to be done before other rows are written, and before the transaction ends.
  mutating func end() {
    blob = nil
    updateCount = 0
    remainingMisses = OverwritingRun.allowedMisses
  }
}
