import FlatBuffersCore
import Foundation

/// A struct of the data model that is one fixed array of bytes: `struct Hash { bytes: [ubyte:32]; }`. `dflatc` makes such structs
/// conform.
///
/// It is a value as a whole. A query compares it by its bytes, from the first to the last.
public protocol FixedBytes: QueryConstant, FlatBufferStructDecodable {
  /// The elements of the array. If there are fewer than `byteSize`, the others are written as zeros.
  var _bytes: [UInt8] { get }
}

extension FixedBytes {
  /// Returns the bytes as they are written. More bytes than the array holds cannot be written, so they equal no stored
  /// value.
  public func _constant(perOne: Int64) -> FieldValue {
    let bytes = _bytes
    return .bytes(bytes + Array(repeating: 0, count: max(0, Self.byteSize - bytes.count)))
  }
}

/// The conformances of UUIDs: a UUID is read and written as a struct of 16 bytes, for fields with `(uuid)`.
extension UUID: FlatBufferStructDecodable, FlatBufferStructEncodable, InfallibleFlatBuffersEncodable {
  /// The size of a UUID in bytes.
  public static var byteSize: Int { 16 }

  /// The alignment of a UUID in bytes.
  public static var byteAlignment: Int { 1 }

  /// Reads the UUID from a struct of its bytes. Each half of 8 bytes that exceeds the struct reads as zeros.
  public init(_ structure: FlatBufferStruct) {
    self.init(
      high: structure.scalar(UInt64.self, at: 0).byteSwapped, low: structure.scalar(UInt64.self, at: 8).byteSwapped)
  }

  /// The bytes, from the first to the last.
  public var _bytes: [UInt8] {
    let bytes = uuid
    return [
      bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8, bytes.9, bytes.10, bytes.11,
      bytes.12, bytes.13, bytes.14, bytes.15,
    ]
  }

  /// The UUID as it is written.
  public var _value: _UUIDValue { _UUIDValue(bytes: _bytes) }
}

/// The bytes of a UUID as a struct that can be written.
public struct _UUIDValue: FlatBufferStructWritable {
  let bytes: [UInt8]

  /// The size of the struct in bytes.
  public static var byteSize: Int { UUID.byteSize }

  /// The alignment of the struct in bytes.
  public static var byteAlignment: Int { UUID.byteAlignment }

  /// Writes the bytes.
  public func write(to writer: inout FlatBufferStructWriter) { writer.set(bytes, at: 0, count: Self.byteSize) }
}
