/// A view of the tables of one schema type. Generated code conforms to it.
///
/// ```swift
/// if let monster = MonsterReader(buffer) { print(monster.name ?? "nameless", monster.hp) }
/// ```
///
/// A view reads in place: making one copies nothing, and each property reads its field from the bytes. The view keeps
/// the bytes of its buffer alive, unless they were borrowed. Any thread may use it.
///
/// See also: ``ByteBuffer``, ``FlatBufferVector``, Documentation/flatbuffers.md (Reading).
public protocol FlatBufferTableView: FlatBufferVectorElement, Sendable {
  /// Wraps `table` as this type.
  init(_ table: FlatBufferTable)

  /// The wrapped table. The underscore avoids a clash with a field of the schema.
  var _table: FlatBufferTable { get }

  /// Verifies the table of this type at `position`, and everything that it refers to.
  ///
  /// - Throws: the first error found.
  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError)

  /// The `file_identifier` of the schema, if it has one and this is its root type; else nil.
  static var fileIdentifier: String? { get }

  /// The `file_extension` of the schema without a dot, if it has one and this is its root type; else nil.
  static var fileExtension: String? { get }
}

extension FlatBufferTableView {
  /// Nil, unless generated code defines it.
  @inlinable
  public static var fileIdentifier: String? { nil }

  /// Nil, unless generated code defines it.
  @inlinable
  public static var fileExtension: String? { nil }

  // Inlined here and below for the benchmark row "read every field, strings by their bytes": it reads a root, vectors
  // of tables and of structs, and the table of a union.
  /// Wraps the root table of the FlatBuffer in `buffer`; nil if it cannot be read. Nothing else is verified; see
  /// ``ByteBuffer/verify(as:fileIdentifier:sizePrefixed:options:)``.
  @inlinable @inline(__always)
  public init?(root buffer: ByteBuffer, sizePrefixed: Bool = false) {
    guard let table = FlatBufferTable(rootOf: buffer, sizePrefixed: sizePrefixed) else { return nil }
    self.init(table)
  }

  /// 4, the size of an offset.
  @inlinable
  public static var vectorStride: Int { 4 }

  /// Returns the table that the offset at `position` refers to; an empty table if it cannot be read.
  @inlinable @inline(__always)
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> Self {
    Self(FlatBufferTable.vectorElement(in: window, at: position))
  }
}

/// A view of the structs of one schema type. Generated code conforms to it.
public protocol FlatBufferStructView: FlatBufferVectorElement, Sendable {
  /// The size of the struct in bytes, including trailing padding: at least 1.
  static var byteSize: Int { get }

  /// The alignment of the struct in bytes: a power of two.
  static var byteAlignment: Int { get }

  /// Wraps `structure` as this type.
  init(_ structure: FlatBufferStruct)

  /// The wrapped struct. The underscore avoids a clash with a field of the schema.
  var _structure: FlatBufferStruct { get }
}

extension FlatBufferStructView {
  /// The size of the struct in bytes.
  @inlinable
  public static var vectorStride: Int { byteSize }

  /// Returns the struct at `position`.
  @inlinable @inline(__always)
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> Self {
    let isInside = window.contains(position, count: byteSize)
    return Self(FlatBufferStruct(unchecked: window, at: isInside ? position : 0, size: isInside ? byteSize : 0))
  }
}

/// A value of an enum of the schema as a buffer stores it: every raw value is valid, even if no case has it.
public protocol FlatBufferEnumValue: RawRepresentable, FlatBufferVectorElement, NonisolatedByDefault
where RawValue: FlatBufferScalar {
  /// Creates the value with the raw value `rawValue`.
  init(rawValue: RawValue)
}

extension FlatBufferEnumValue {
  /// The size of the raw value in bytes.
  @inlinable
  public static var vectorStride: Int { RawValue.vectorStride }

  /// Returns the value at `position`.
  @inlinable
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> Self {
    Self(rawValue: window.scalar(at: position))
  }
}

/// A member of a union in a buffer, before its type code is applied.
@frozen
public struct FlatBufferUnionMember: FlatBufferVectorElement, Sendable {
  /// The FlatBuffer that holds the member.
  public let window: FlatBufferWindow
  /// The member's position, in bytes from the start of its window.
  public let position: Int

  @inlinable @inline(__always)
  init(window: FlatBufferWindow, position: Int) {
    self.window = window
    self.position = position
  }

  /// The member as a table; nil if it cannot be read as one.
  @inlinable @inline(__always)
  public var table: FlatBufferTable? { FlatBufferTable(in: window, at: position) }

  /// The member as a string; nil if it cannot be read as one.
  @inlinable
  public var string: String? { window.string(at: position) }

  /// The member as the bytes of a string, without a copy; nil if it cannot be read as one. The pointer is valid as long
  /// as that of ``FlatBufferTable/utf8(at:)``.
  @inlinable
  public var utf8: UnsafeRawBufferPointer? { window.utf8(at: position) }

  /// Returns the member as a struct of `size` bytes; nil if it cannot be read as one.
  @inlinable
  public func structure(size: Int) -> FlatBufferStruct? {
    FlatBufferStruct(in: window, at: position, size: size)
  }

  /// Returns the member as a struct; nil if it cannot be read as one.
  @inlinable
  public func structure<View: FlatBufferStructView>(_: View.Type = View.self) -> View? {
    guard let structure = structure(size: View.byteSize) else { return nil }
    return View(structure)
  }

  /// 4, the size of an offset.
  @inlinable
  public static var vectorStride: Int { 4 }

  /// Returns the member that the offset at `position` refers to. If the offset points outside the buffer, the member cannot be
  /// read as any type.
  @inlinable
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> FlatBufferUnionMember {
    let target = window.containsFourBytes(at: position) ? window.target(ofOffsetAt: position) : nil
    // Nothing can be read at the end of the window.
    return FlatBufferUnionMember(window: window, position: target ?? window.count)
  }
}
