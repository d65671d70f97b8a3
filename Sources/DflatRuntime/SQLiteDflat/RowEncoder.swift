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

  /// The bytes of `object`: good until the encoder is used again, or goes away.
  ///
  /// - Throws: `FlatBufferError` when the object is too large.
  func encode(_ object: some FlatBuffersEncodable) throws -> UnsafeRawBufferPointer {
    builder.pointee.clear()
    let root = object.to(flatBufferBuilder: &builder.pointee)
    try builder.pointee.finish(root)
    return builder.pointee.finishedBytes
  }
}

extension FlatBufferTable {
  /// The root of bytes that an encoder has written, good as long as they are.
  init(ofEncoded bytes: UnsafeRawBufferPointer) {
    // Only an object too large to be finished has none.
    self = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes)) ?? .empty
  }
}
