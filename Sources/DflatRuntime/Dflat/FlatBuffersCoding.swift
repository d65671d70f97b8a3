import FlatBuffersCore
import Foundation

/// A value that can be read from a FlatBuffer whose root it is.
public protocol FlatBuffersDecodable {
  /// Reads the value. What `byteBuffer` does not hold, or holds in a form that cannot be read, takes its default:
  /// this neither traps nor reads outside the buffer, whatever the bytes say. Use `verify(byteBuffer:)` to tell.
  static func from(byteBuffer: ByteBuffer) -> Self

  /// Whether `byteBuffer` holds a well-formed value of this type.
  static func verify(byteBuffer: ByteBuffer) -> Bool

  /// The version that the schema gives the type (`v: "..."`); nil when it gives none.
  static var flatBuffersSchemaVersion: String? { get }
}

extension FlatBuffersDecodable {
  /// None.
  public static var flatBuffersSchemaVersion: String? { nil }

  /// Reads the value from `data`; nil when `data` is not a well-formed value of this type.
  public static func from(data: Data) -> Self? {
    let buffer = ByteBuffer(Array(data))
    return verify(byteBuffer: buffer) ? from(byteBuffer: buffer) : nil
  }
}

/// A value that is read from a table: generated types that are not root tables.
public protocol FlatBufferTableDecodable: FlatBuffersDecodable {
  /// Reads the value in place of the view.
  init(_ table: FlatBufferTable)
}

extension FlatBufferTableDecodable {
  /// Reads the value; see `FlatBuffersDecodable`.
  public static func from(byteBuffer: ByteBuffer) -> Self {
    Self(FlatBufferTable(rootOf: byteBuffer) ?? .empty)
  }
}

/// A value that is read from a struct of fixed size: generated types for structs.
public protocol FlatBufferStructDecodable: FlatBuffersDecodable {
  /// The bytes that the struct takes.
  static var byteSize: Int { get }

  /// What the struct's position in a buffer is a multiple of.
  static var byteAlignment: Int { get }

  /// Reads the value in place of the view.
  init(_ structure: FlatBufferStruct)
}

extension FlatBufferStructDecodable {
  /// Reads the value; see `FlatBuffersDecodable`. The format has no root structs: the buffer's root offset leads to the
  /// bytes of the struct, as `to(flatBufferBuilder:)` writes them.
  public static func from(byteBuffer: ByteBuffer) -> Self {
    Self(FlatBufferStruct(rootOf: byteBuffer, size: byteSize) ?? .empty)
  }

  /// Whether the buffer's root offset leads to the bytes of a struct of this size.
  public static func verify(byteBuffer: ByteBuffer) -> Bool {
    guard let structure = FlatBufferStruct(rootOf: byteBuffer, size: byteSize) else { return false }
    return structure.position % byteAlignment == 0
  }
}

/// A value that can be written into a FlatBuffer.
public protocol FlatBuffersEncodable {
  /// Writes the value, and what it refers to, and returns where it is.
  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset
}

/// A union that can be written into a FlatBuffer: its member, and apart from that the member's type code.
public protocol FlatBuffersUnionEncodable: FlatBuffersEncodable {
  /// The member's type code, as it is stored.
  var _typeCode: UInt8 { get }
}

/// A value that can be written into a FlatBuffer and read from one.
public typealias FlatBuffersCodable = FlatBuffersDecodable & FlatBuffersEncodable

extension FlatBuffersEncodable {
  /// The value as a finished FlatBuffer whose root it is.
  ///
  /// - Throws: `FlatBufferError` when the value is too large for the format.
  public func toData() throws -> Data {
    var builder = FlatBufferBuilder()
    let root = to(flatBufferBuilder: &builder)
    try builder.finish(root)
    return builder.withFinishedBytes { Data($0) }
  }
}

extension FlatBufferBuilder {
  /// Writes values as tables, and a vector of them.
  public mutating func create(tables values: [some FlatBuffersEncodable]) -> Offset {
    let mark = startOffsets()
    for value in values { append(value.to(flatBufferBuilder: &self)) }
    return endOffsets(from: mark)
  }

  /// Writes unions, and a vector of them: one of type codes, and one of members. A nil takes its place in both.
  public mutating func create(unions values: [(some FlatBuffersUnionEncodable)?]) -> (types: Offset, members: Offset) {
    var members: [(code: UInt8, member: Offset)] = []
    members.reserveCapacity(values.count)
    for value in values {
      members.append(value.map { ($0._typeCode, $0.to(flatBufferBuilder: &self)) } ?? (0, .null))
    }
    return create(unionVector: members)
  }
}

extension FlatBuffersDecodable {
  /// Reads the value from the bytes of a FlatBuffer that is nested in another; nil when they are not a well-formed value
  /// of this type, as no bytes are.
  public static func from(nested bytes: [UInt8]) -> Self? {
    let buffer = ByteBuffer(bytes)
    return verify(byteBuffer: buffer) ? from(byteBuffer: buffer) : nil
  }
}
