import Dflat

/// What a transaction has written, so that it can be undone and done again after those before it have been committed.
final class ChangeLog {
  private var changes: [(record: RecordDescription, change: Change)] = []
  private var byteCount = 0

  private enum Change {
    case insert(Int64, [UInt8])
    case update(Int64, [UInt8])
    case delete(Int64)
  }

  /// Whether it costs too much to note more.
  var isFull: Bool { changes.count >= 64 || byteCount >= 1 << 16 }

  func insert(_ record: RecordDescription, _ rowid: Int64, _ bytes: UnsafeRawBufferPointer) {
    byteCount += bytes.count
    changes.append((record, .insert(rowid, Array(bytes))))
  }

  func update(_ record: RecordDescription, _ rowid: Int64, _ bytes: UnsafeRawBufferPointer) {
    byteCount += bytes.count
    changes.append((record, .update(rowid, Array(bytes))))
  }

  func delete(_ record: RecordDescription, _ rowid: Int64) {
    changes.append((record, .delete(rowid)))
  }

  /// Does the changes again, in a write transaction on a database in which nothing else has changed.
  ///
  /// - Parameter prepare: what writes a record's rows, with its tables made.
  func replay(_ prepare: (RecordDescription) throws -> RecordWriter) throws {
    for (record, change) in changes {
      let writer = try prepare(record)
      let isSame: Bool
      switch change {
      case .insert(let rowid, let bytes):
        isSame = try bytes.withUnsafeBytes { try writer.insert($0) == rowid }
      case .update(let rowid, let bytes):
        isSame = try bytes.withUnsafeBytes { try writer.update(rowid, $0) }
      case .delete(let rowid):
        try writer.delete(rowid)
        isSame = true
      }
      if !isSame { throw SubmissionError.notRepeatable }
    }
  }
}
