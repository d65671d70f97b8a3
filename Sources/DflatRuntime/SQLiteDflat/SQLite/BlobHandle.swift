import CSQLite

/// The column `p` of one row after another, open for writing through SQLite's incremental blob I/O: a fifth of the work of an
/// `UPDATE` where an object takes as many bytes as before, as it mostly does.
///
/// While it is open, SQLite takes it for a statement that is still writing: close it before a savepoint begins or ends, and
/// before the transaction does (https://www.sqlite.org/c3ref/blob_open.html).
final class BlobHandle {
  private let handle: OpaquePointer
  private unowned let connection: SQLiteConnection
  /// Holds the row's bytes as they are stored.
  private var stored: UnsafeMutableRawBufferPointer
  private static let purpose: StaticString = "Updating an object"

  /// The largest object, in bytes, that is written this way: `stored` is as large as the largest.
  static let largestRow = 1 << 20

  /// Opens a row's bytes for writing; nil if the row is gone, or holds no bytes.
  ///
  /// - Throws: `SQLiteError`, after which SQLite may have rolled the transaction back.
  init?(_ table: String, _ rowid: Int64, on connection: SQLiteConnection) throws {
    var handle: OpaquePointer?
    let status = sqlite3_blob_open(connection.handle, "main", table, "p", rowid, 1, &handle)
    guard status == SQLITE_OK, let handle else {
      try BlobHandle.check(status, on: connection)
      return nil
    }
    self.handle = handle
    self.connection = connection
    stored = .allocate(byteCount: 256, alignment: 8)
  }

  deinit {
    stored.deallocate()
    // The status is that of the last operation, which has been looked at.
    sqlite3_blob_close(handle)
  }

  /// Goes on to another row.
  ///
  /// - Returns: false if the row is gone, or holds no bytes. The handle is of no more use then.
  func move(to rowid: Int64) throws -> Bool {
    let status = sqlite3_blob_reopen(handle, rowid)
    if status == SQLITE_OK { return true }
    try BlobHandle.check(status, on: connection)
    return false
  }

  /// Throws unless `status` says that this row, and no more than this row, cannot be opened.
  private static func check(_ status: Int32, on connection: SQLiteConnection) throws {
    // After SQLite has rolled the transaction back, whatever is tried next would be committed alone.
    guard status & 0xff == SQLITE_ERROR, connection.isInTransaction else {
      throw connection.error(status, during: purpose)
    }
  }

  /// How many bytes the row holds.
  var count: Int { Int(sqlite3_blob_bytes(handle)) }

  /// Reads the row's bytes, which are good until the row is written or left.
  func read() throws -> UnsafeRawBufferPointer {
    let count = count
    if stored.count < count {
      stored.deallocate()
      stored = .allocate(byteCount: count, alignment: 8)
    }
    let status = sqlite3_blob_read(handle, stored.baseAddress, Int32(truncatingIfNeeded: count), 0)
    guard status == SQLITE_OK else { throw connection.error(status, during: BlobHandle.purpose) }
    return UnsafeRawBufferPointer(rebasing: stored[..<count])
  }

  /// Writes `bytes`, as many as the row holds, but for those at both ends that are as `stored` has them.
  func write(_ bytes: UnsafeRawBufferPointer, over stored: UnsafeRawBufferPointer) throws {
    func isSame(_ range: Range<Int>) -> Bool {
      UnsafeRawBufferPointer(rebasing: bytes[range]).isSame(as: UnsafeRawBufferPointer(rebasing: stored[range]))
    }
    // In steps of 512 bytes, since SQLite writes whole pages: it matters only not to touch a large object's other pages.
    let step = 512
    var start = 0
    var end = bytes.count
    while start < end, isSame(start..<min(start + step, end)) { start += step }
    guard start < end else { return }
    while end - step > start, isSame(end - step..<end) { end -= step }
    let status = sqlite3_blob_write(
      handle, bytes.baseAddress.map { $0 + start }, Int32(truncatingIfNeeded: end - start),
      Int32(truncatingIfNeeded: start))
    guard status == SQLITE_OK else { throw connection.error(status, during: BlobHandle.purpose) }
    connection.overwrittenRows &+= 1
  }
}
