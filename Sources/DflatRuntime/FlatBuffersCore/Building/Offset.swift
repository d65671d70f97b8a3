/// The slot of a field: the offset of its entry in the table's vtable, in bytes: 4 + 2 × the field's id.
public typealias VTableOffset = UInt16

/// The offset of an object that a ``FlatBufferBuilder`` has written, counted from the end of its buffer.
///
/// It is valid only for the builder that returned it, and only until that builder is cleared. This is not checked.
///
/// See also: ``FlatBufferBuilder``.
public struct Offset: Hashable, Sendable {
  /// The distance in bytes from the end of the buffer; 0 for ``null``.
  public var rawValue: UInt32

  /// Creates an offset from a distance in bytes from the end of the buffer.
  @inlinable
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The offset that refers to no object: a field to which it is added stays absent.
  @inlinable
  public static var null: Offset { Offset(rawValue: 0) }

  /// Whether this is ``null``.
  @inlinable
  public var isNull: Bool { rawValue == 0 }
}
