import Foundation
import Dflat
import FlatBuffersCore

/// Writes objects as the bytes of rows, always in the same memory.
final class RowEncoder {
  private var builder = FlatBufferBuilder()

  /// Calls `body` with the bytes of `object` and their root. Both are good until it returns.
  ///
  /// - Throws: `FlatBufferError` when the object is too large, and what `body` throws.
  func encode<Result>(
    _ object: some FlatBuffersEncodable, _ body: (UnsafeRawBufferPointer, FlatBufferTable) throws -> Result
  ) throws -> Result {
    // One access to the variable, not one for each call: each is checked when it begins and ends.
    try RowEncoder.encode(object, &builder, body)
  }

  @inline(__always)
  private static func encode<Result>(
    _ object: some FlatBuffersEncodable, _ builder: inout FlatBufferBuilder,
    _ body: (UnsafeRawBufferPointer, FlatBufferTable) throws -> Result
  ) throws -> Result {
    builder.clear()
    let root = object.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    return try builder.withFinishedBytes { bytes in
      // The root was just written; only an object too large to be finished has none.
      try body(bytes, FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes)) ?? .empty)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are the same.
  func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let lhs = baseAddress, let rhs = other.baseAddress else { return true }
    return memcmp(lhs, rhs, count) == 0
  }
}
