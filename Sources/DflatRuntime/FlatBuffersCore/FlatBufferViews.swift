/// The type of a table in a schema, as a view of one in a buffer. Generated code conforms to it.
public protocol FlatBufferTableView: FlatBufferVectorElement, Sendable {
  /// Sees `table` as this type.
  init(_ table: FlatBufferTable)

  /// What is seen. The underscore keeps the name free for a field of the schema.
  var _table: FlatBufferTable { get }

  /// Checks the table of this type at `position`, and all that it refers to.
  ///
  /// - Throws: the first mistake found.
  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError)

  /// The `file_identifier` of the schema whose root type this is, if it has one.
  static var fileIdentifier: String? { get }

  /// The `file_extension` of the schema whose root type this is, if it has one, without a dot.
  static var fileExtension: String? { get }
}

extension FlatBufferTableView {
  /// None, unless generated code says otherwise.
  @inlinable
  public static var fileIdentifier: String? { nil }

  /// None, unless generated code says otherwise.
  @inlinable
  public static var fileExtension: String? { nil }

  /// The root table of the FlatBuffer in `buffer`; nil when there can be none. The rest is not verified, see
  /// ``ByteBuffer/verify(as:fileIdentifier:sizePrefixed:options:)``.
  @inlinable @inline(__always)
  public init?(root buffer: ByteBuffer, sizePrefixed: Bool = false) {
    guard let table = FlatBufferTable(rootOf: buffer, sizePrefixed: sizePrefixed) else { return nil }
    self.init(table)
  }

  /// An offset takes 4 bytes.
  @inlinable
  public static var vectorStride: Int { 4 }

  /// The table that the offset at `position` leads to; an empty one when it cannot be read.
  @inlinable @inline(__always)
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> Self {
    Self(FlatBufferTable.vectorElement(in: window, at: position))
  }
}

/// The type of a struct in a schema, as a view of one in a buffer. Generated code conforms to it.
public protocol FlatBufferStructView: FlatBufferVectorElement, Sendable {
  /// The bytes that the struct takes, padding at its end included: at least 1.
  static var byteSize: Int { get }

  /// What the struct's position in a buffer is a multiple of: a power of two.
  static var byteAlignment: Int { get }

  /// Sees `structure` as this type.
  init(_ structure: FlatBufferStruct)

  /// What is seen. The underscore keeps the name free for a field of the schema.
  var _structure: FlatBufferStruct { get }
}

extension FlatBufferStructView {
  /// The size of the struct.
  @inlinable
  public static var vectorStride: Int { byteSize }

  /// The struct at `position`.
  @inlinable @inline(__always)
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> Self {
    let isInside = window.contains(position, count: byteSize)
    return Self(FlatBufferStruct(unchecked: window, at: isInside ? position : 0, size: isInside ? byteSize : 0))
  }
}

/// The type of an enum in a schema, as it stands in a buffer: every raw value is one, known or not.
public protocol FlatBufferEnumValue: RawRepresentable, FlatBufferVectorElement where RawValue: FlatBufferScalar {
  /// The value that `rawValue` stands for.
  init(rawValue: RawValue)
}

extension FlatBufferEnumValue {
  /// The size of the raw value.
  @inlinable
  public static var vectorStride: Int { RawValue.vectorStride }

  /// The value at `position`.
  @inlinable @inline(__always)
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> Self {
    Self(rawValue: window.scalar(at: position))
  }
}

/// A member of a union in a buffer, before its type code says what it is.
@frozen
public struct FlatBufferUnionMember: FlatBufferVectorElement, Sendable {
  /// The FlatBuffer that the member stands in.
  public let window: FlatBufferWindow
  /// Where the member starts, in bytes from the start of its window.
  public let position: Int

  @inlinable @inline(__always)
  init(window: FlatBufferWindow, position: Int) {
    self.window = window
    self.position = position
  }

  /// The member as a table; nil when there can be none.
  @inlinable @inline(__always)
  public var table: FlatBufferTable? { FlatBufferTable(in: window, at: position) }

  /// The member as a string; nil when there can be none.
  @inlinable @inline(__always)
  public var string: String? { window.string(at: position) }

  /// The member as the bytes of a string, without a copy. The pointer is good for as long as the one of
  /// ``FlatBufferTable/utf8(at:)``.
  @inlinable @inline(__always)
  public var utf8: UnsafeRawBufferPointer? { window.utf8(at: position) }

  /// The member as a struct of `size` bytes; nil when there can be none.
  @inlinable @inline(__always)
  public func structure(size: Int) -> FlatBufferStruct? {
    FlatBufferStruct(in: window, at: position, size: size)
  }

  /// The member as a struct; nil when there can be none.
  @inlinable @inline(__always)
  public func structure<View: FlatBufferStructView>(_: View.Type = View.self) -> View? {
    guard let structure = structure(size: View.byteSize) else { return nil }
    return View(structure)
  }

  /// An offset takes 4 bytes.
  @inlinable @inline(__always)
  public static var vectorStride: Int { 4 }

  /// The member that the offset at `position` leads to; when it leads out of the buffer, one that is nothing.
  @inlinable @inline(__always)
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> FlatBufferUnionMember {
    let target = window.containsFourBytes(at: position) ? window.target(ofOffsetAt: position) : nil
    // At the window's end there is nothing.
    return FlatBufferUnionMember(window: window, position: target ?? window.count)
  }
}
