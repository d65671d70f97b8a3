/// Where a field's entry stands in a table's vtable: 4 + 2 × the field's id.
public typealias VTableOffset = UInt16

/// The place of something that a ``FlatBufferBuilder`` has written, counted from the end of its buffer.
///
/// It means something only to the builder that returned it, and only until that builder is cleared.
public struct Offset: Hashable, Sendable {
  /// The distance in bytes from the end of the buffer; 0 for ``null``.
  public var rawValue: UInt32

  /// Wraps a distance in bytes from the end of the buffer.
  @inlinable
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Refers to nothing: a field that is given it stays absent.
  @inlinable
  public static var null: Offset { Offset(rawValue: 0) }

  /// Whether this refers to nothing.
  @inlinable
  public var isNull: Bool { rawValue == 0 }
}
