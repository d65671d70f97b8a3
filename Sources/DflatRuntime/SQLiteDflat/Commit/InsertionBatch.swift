/// Encoded objects of one type that are to be stored as new rows by one statement, with their bytes.
struct InsertionBatch {
  /// The largest object, in bytes. Of storing a larger one, the statement is a small part.
  static let largestObject = 1 << 10

  /// Where each object's bytes are in `memory`.
  private var ranges: [Range<Int>] = []
  private var memory: [UInt8] = []

  var count: Int { ranges.count }
  var isEmpty: Bool { ranges.isEmpty }
  var isFull: Bool { ranges.count == RowStatement.batchCount }

  /// Adds an object, whose bytes are copied.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    ranges.append(memory.count..<memory.count + bytes.count)
    memory.append(contentsOf: bytes)
  }

  /// Calls `body` with the bytes of each object, which are good until this call returns.
  func withBytes<Result>(_ body: ([UnsafeRawBufferPointer]) throws -> Result) rethrows -> Result {
    try memory.withUnsafeBytes { memory in try body(ranges.map { UnsafeRawBufferPointer(rebasing: memory[$0]) }) }
  }

  mutating func removeAll() {
    ranges.removeAll(keepingCapacity: true)
    memory.removeAll(keepingCapacity: true)
  }
}
