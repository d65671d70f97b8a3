import Dflat
import FlatBuffersCore

/// Writes objects as the bytes of rows, always in the same memory.
final class RowEncoder {
  /// Behind a pointer, because each access to a variable is checked. `encode` alone reaches it, and what it calls does not
  /// call it again: objects write themselves.
  private let builder = UnsafeMutablePointer<FlatBufferBuilder>.allocate(capacity: 1)

  init() {
    builder.initialize(to: FlatBufferBuilder())
  }

  deinit {
    builder.deinitialize(count: 1)
    builder.deallocate()
  }

  /// Calls `body` with the bytes of `object` and their root. Both are good until it returns.
  ///
  /// - Throws: `FlatBufferError` when the object is too large, and what `body` throws.
  func encode<Result>(
    _ object: some FlatBuffersEncodable, _ body: (UnsafeRawBufferPointer, FlatBufferTable) throws -> Result
  ) throws -> Result {
    builder.pointee.clear()
    let root = object.to(flatBufferBuilder: &builder.pointee)
    try builder.pointee.finish(root)
    return try builder.pointee.withFinishedBytes { bytes in
      // The root was just written; only an object too large to be finished has none.
      try body(bytes, FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes)) ?? .empty)
    }
  }
}
