import FlatBuffersCore
import Foundation

/// A type whose schema may name a file identifier.
public protocol FlatBuffersIdentified: NonisolatedByDefault {
  /// The four characters that identify files of this type; nil if the schema names none.
  static var _fileIdentifier: String? { get }
}

extension FlatBuffersIdentified {
  /// Nil, unless generated code defines it.
  public static var _fileIdentifier: String? { nil }
}

/// A value that can be read from a FlatBuffer as its root: an object of the store, or a table or struct of its schema.
///
/// ```swift
/// let copy = Post.from(data: post.toData())
/// print(copy == post)
/// ```
///
/// Any thread may read. The value holds copies of what it has read, and does not refer to the bytes. To read single
/// fields in place, use the readers of the emitter `accessors`.
///
/// See also: ``FlatBuffersEncodable``, Documentation/flatbuffers.md.
public protocol FlatBuffersDecodable: FlatBuffersIdentified {
  /// Reads the value. Fields that are absent or damaged take their default.
  ///
  /// The call is safe on any bytes: it neither traps nor reads outside the buffer. It copies no more than some times
  /// the buffer's size: objects that are referred to more often are left out. Use `verify(byteBuffer:)` to detect
  /// damage.
  static func from(byteBuffer: ByteBuffer) -> Self

  /// Reads the value as `from(byteBuffer:)` does; nil if that would leave out a part of it, because the objects together are
  /// far larger than the buffer.
  static func _complete(byteBuffer: ByteBuffer) -> Self?

  /// Returns whether `byteBuffer` holds a well-formed value of this type.
  static func verify(byteBuffer: ByteBuffer) -> Bool

  /// The version of the type in the schema (`v: "..."`); nil if it has none.
  static var flatBuffersSchemaVersion: String? { get }
}

extension FlatBuffersDecodable {
  /// Nil, unless generated code defines it.
  public static var flatBuffersSchemaVersion: String? { nil }

  /// Reads the value as `from(byteBuffer:)` does; never nil. A value can be incomplete only if its type is read from a
  /// table, and such types have an implementation of their own.
  public static func _complete(byteBuffer: ByteBuffer) -> Self? { from(byteBuffer: byteBuffer) }

  /// Reads the value from `data`, whatever bytes it holds; see `from(byteBuffer:)`. For data that may be damaged or
  /// hostile, use `init(verifying:)`.
  public static func from(data: Data) -> Self { from(byteBuffer: ByteBuffer(Array(data))) }

  /// Verifies data that may be damaged or hostile, and reads the value from it.
  ///
  /// ```swift
  /// func post(in data: Data) throws -> Post { try Post(verifying: data) }
  /// ```
  ///
  /// Use it for data that comes from a network, or from a file that others have written. For bytes of your own,
  /// `from(data:)` is faster: it does not read them twice.
  ///
  /// See also: Documentation/flatbuffers.md (Reading).
  ///
  /// - Parameters:
  ///   - data: a FlatBuffer, as `toData()` and other FlatBuffers libraries write it.
  ///   - checkingIdentifier: whether data without the schema's `file_identifier` is refused, such as a file of
  ///     another type that happens to be well-formed for this one. A type whose schema names none accepts any. Data
  ///     of earlier versions of the app may lack it.
  /// - Throws: `FlatBufferError.wrongFileIdentifier` if the data has another identifier or none; `DamagedFlatBuffer`
  ///   if it does not hold a well-formed value of this type, or if `from(byteBuffer:)` would leave out a part of the value.
  public init(verifying data: Data, checkingIdentifier: Bool = false) throws {
    let buffer = ByteBuffer(Array(data))
    if checkingIdentifier, let identifier = Self._fileIdentifier, !buffer.hasFileIdentifier(identifier) {
      // The identifier follows the root offset of 4 bytes.
      throw FlatBufferError.wrongFileIdentifier(position: 4)
    }
    guard Self.verify(byteBuffer: buffer), let value = Self._complete(byteBuffer: buffer) else {
      throw DamagedFlatBuffer()
    }
    self = value
  }
}

/// The error of data that is not a well-formed FlatBuffer of the expected type. The reader's `init(verifying:)` tells
/// what is wrong.
public struct DamagedFlatBuffer: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error as an English sentence.
  public var description: String {
    """
    The data is not a well-formed FlatBuffer of the expected type, or refers to some of its parts so often that an \
    object would be far larger than the data.
    """
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
    FlatBufferTable.withRoot(of: byteBuffer) { Self($0) }.value
  }

  /// Reads the value; see `FlatBuffersDecodable`.
  public static func _complete(byteBuffer: ByteBuffer) -> Self? {
    let (value, isComplete) = FlatBufferTable.withRoot(of: byteBuffer) { Self($0) }
    return isComplete ? value : nil
  }
}

extension FlatBufferTable {
  /// Calls `body` with the root of a buffer, which is read within a `ReadingBudget`.
  ///
  /// - Returns: the result of `body`, and whether the budget has sufficed. If not, `body` has not seen everything.
  static func withRoot<Value>(
    of buffer: ByteBuffer, _ body: (FlatBufferTable) -> Value
  ) -> (value: Value, isComplete: Bool) {
    buffer.withUnsafeBytes { bytes in
      let budget = ReadingBudget()
      let value = body(FlatBufferTable(rootOf: bytes, within: budget) ?? .empty)
      return (value, budget.end())
    }
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
  /// the struct's bytes, as `to(flatBufferBuilder:)` writes them.
  public static func from(byteBuffer: ByteBuffer) -> Self {
    Self(FlatBufferStruct(rootOf: byteBuffer, size: byteSize) ?? .empty)
  }

  /// Returns whether the buffer's root offset refers to the aligned bytes of a struct of this size.
  public static func verify(byteBuffer: ByteBuffer) -> Bool {
    guard let structure = FlatBufferStruct(rootOf: byteBuffer, size: byteSize) else { return false }
    return structure.position % byteAlignment == 0
  }
}

/// A value that can be written into a FlatBuffer.
///
/// ```swift
/// func send(_ post: Post) throws -> Data { try (post as any FlatBuffersEncodable).toData() }
/// ```
///
/// Any thread may write a value.
///
/// See also: ``FlatBuffersDecodable``, ``InfallibleFlatBuffersEncodable``, Documentation/flatbuffers.md.
public protocol FlatBuffersEncodable: FlatBuffersIdentified {
  /// Writes the value and everything that it refers to, and returns its offset.
  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset
}

/// A value whose type sets no other limit to encoding than FlatBuffers' size of 2 GiB.
///
/// Generated types conform to it if their tables do not nest themselves, and they have neither fixed arrays nor fields
/// that cannot hold every value of their Swift type.
public protocol InfallibleFlatBuffersEncodable: FlatBuffersEncodable {}

/// A union that can be written into a FlatBuffer. `to(flatBufferBuilder:)` writes its member; the type code is stored
/// separately.
public protocol FlatBuffersUnionEncodable: FlatBuffersEncodable {
  /// The type of the type codes.
  associatedtype _TypeCode: FlatBufferUnionCode = UInt8

  /// The type code of the member.
  var _typeCode: _TypeCode { get }
}

extension Optional where Wrapped: FlatBuffersUnionEncodable {
  /// The type code of the member; 0 if there is no union.
  @inlinable
  public var _typeCode: Wrapped._TypeCode {
    guard let self else { return 0 }
    return self._typeCode
  }
}

/// A value that can be written into a FlatBuffer and read from one.
public typealias FlatBuffersCodable = FlatBuffersDecodable & FlatBuffersEncodable

extension FlatBuffersEncodable {
  /// Returns the value as the bytes of a FlatBuffer, with the file identifier that its schema names.
  ///
  /// Every FlatBuffers library reads them by the same schema. The bytes are built and then copied once.
  ///
  /// See also: ``FlatBuffersDecodable``, Documentation/flatbuffers.md.
  ///
  /// - Throws: `FlatBufferError` if objects are nested too deep, a fixed array has too many elements, a field cannot hold
  ///   its value, or the bytes take 2 GiB.
  public func toData() throws -> Data {
    var builder = FlatBufferBuilder()
    let root = to(flatBufferBuilder: &builder)
    try builder.finish(root, fileIdentifier: Self._fileIdentifier)
    return builder.withFinishedBytes { Data($0) }
  }
}

extension InfallibleFlatBuffersEncodable {
  /// Returns the value as the bytes of a FlatBuffer, with the file identifier that its schema names.
  ///
  /// ```swift
  /// try post.toData().write(to: URL(fileURLWithPath: "hello.post"))
  /// ```
  ///
  /// Every FlatBuffers library reads them by the same schema. The bytes are built and then copied once.
  ///
  /// - Precondition: the bytes are less than 2 GiB, the limit of the format. For a value that may be larger, call the
  ///   form that throws: `try (value as any FlatBuffersEncodable).toData()`.
  public func toData() -> Data {
    do {
      return try (self as any FlatBuffersEncodable).toData()
    } catch {
      // A programming error: only its size can keep such a value from being written.
      stopProgram(
        "\(Self.self).toData() was called for a value too large for a FlatBuffer: \(error) "
          + "Write try (value as any FlatBuffersEncodable).toData(), which throws this error.")
    }
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
  public mutating func create<Union: FlatBuffersUnionEncodable>(
    unions values: [Union]
  ) -> (types: Offset, members: Offset) {
    var members: [(code: Union._TypeCode, member: Offset)] = []
    members.reserveCapacity(values.count)
    for value in values { members.append((value._typeCode, value.to(flatBufferBuilder: &self))) }
    return create(unionVector: members)
  }
}

extension FlatBuffersDecodable {
  /// Reads the value from the bytes of a nested FlatBuffer; nil if they are empty, if they are no well-formed value of this
  /// type, or if `from(byteBuffer:)` would leave out a part of the value.
  public static func from(nested bytes: [UInt8]) -> Self? {
    let buffer = ByteBuffer(bytes)
    return verify(byteBuffer: buffer) ? _complete(byteBuffer: buffer) : nil
  }
}
