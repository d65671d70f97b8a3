import FlatBuffersCore
import Foundation

/// A value that can be read from a FlatBuffer as its root.
public protocol FlatBuffersDecodable {
  /// Reads the value. Fields that are absent or damaged take their default. This is safe on any bytes: it neither traps
  /// nor reads outside the buffer. Use `verify(byteBuffer:)` to detect damage.
  static func from(byteBuffer: ByteBuffer) -> Self

  /// Whether `byteBuffer` holds a well-formed value of this type.
  static func verify(byteBuffer: ByteBuffer) -> Bool

  /// The version of the type in the schema (`v: "..."`); nil if it has none.
  static var flatBuffersSchemaVersion: String? { get }
}

extension FlatBuffersDecodable {
  /// Nil, unless generated code defines it.
  public static var flatBuffersSchemaVersion: String? { nil }

  /// Reads the value from `data`; nil if `data` does not hold a well-formed value of this type.
  public static func from(data: Data) -> Self? {
    let buffer = ByteBuffer(Array(data))
    return verify(byteBuffer: buffer) ? from(byteBuffer: buffer) : nil
  }
}

/// A value that is read from a table. Generated types for tables other than root tables conform to it.
public protocol FlatBufferTableDecodable: FlatBuffersDecodable {
  /// Reads the value from `table`.
  init(_ table: FlatBufferTable)
}

extension FlatBufferTableDecodable {
  /// Reads the value from the root table; see `FlatBuffersDecodable`.
  public static func from(byteBuffer: ByteBuffer) -> Self {
    Self(FlatBufferTable(rootOf: byteBuffer) ?? .empty)
  }
}

/// A value that is read from a struct. Generated types for structs conform to it.
public protocol FlatBufferStructDecodable: FlatBuffersDecodable {
  /// The size of the struct in bytes.
  static var byteSize: Int { get }

  /// The alignment of the struct in bytes.
  static var byteAlignment: Int { get }

  /// Reads the value from `structure`.
  init(_ structure: FlatBufferStruct)
}

extension FlatBufferStructDecodable {
  /// Reads the value; see `FlatBuffersDecodable`. The format has no root structs: the buffer's root offset refers to
  /// the bytes of the struct, as `to(flatBufferBuilder:)` writes them.
  public static func from(byteBuffer: ByteBuffer) -> Self {
    Self(FlatBufferStruct(rootOf: byteBuffer, size: byteSize) ?? .empty)
  }

  /// Whether the buffer's root offset refers to the aligned bytes of a struct of this size.
  public static func verify(byteBuffer: ByteBuffer) -> Bool {
    guard let structure = FlatBufferStruct(rootOf: byteBuffer, size: byteSize) else { return false }
    return structure.position % byteAlignment == 0
  }
}

/// A value that can be written into a FlatBuffer.
public protocol FlatBuffersEncodable {
  /// Writes the value and everything that it refers to, and returns its offset.
  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset
}

/// A union that can be written into a FlatBuffer. `to(flatBufferBuilder:)` writes its member; the type code is stored
/// separately.
public protocol FlatBuffersUnionEncodable: FlatBuffersEncodable {
  /// The type code of the member.
  var _typeCode: UInt8 { get }
}

/// A value that can be written into a FlatBuffer and read from one.
public typealias FlatBuffersCodable = FlatBuffersDecodable & FlatBuffersEncodable

extension FlatBuffersEncodable {
  /// Writes the value as the root of a FlatBuffer, and returns its bytes.
  ///
  /// - Throws: `FlatBufferError` if the value is too large for the format.
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

  /// Writes unions, a vector of their type codes, and a vector of their members.
  public mutating func create(unions values: [some FlatBuffersUnionEncodable]) -> (types: Offset, members: Offset) {
    var members: [(code: UInt8, member: Offset)] = []
    members.reserveCapacity(values.count)
    for value in values { members.append((value._typeCode, value.to(flatBufferBuilder: &self))) }
    return create(unionVector: members)
  }
}

extension FlatBuffersDecodable {
  /// Reads the value from the bytes of a nested FlatBuffer; nil if they are empty, or not a well-formed value of this
  /// type.
  public static func from(nested bytes: [UInt8]) -> Self? {
    let buffer = ByteBuffer(bytes)
    return verify(byteBuffer: buffer) ? from(byteBuffer: buffer) : nil
  }
}
