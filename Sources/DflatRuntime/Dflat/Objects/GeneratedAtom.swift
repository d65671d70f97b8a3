/// An object whose class `dflatc` generates: it keeps the values of its fields in one struct, which is its builder as well.
public protocol GeneratedAtom: Atom {
  /// The struct with a property for each field.
  associatedtype _Values: ObjectBuilder where _Values._Object == Self

  /// The values of the fields.
  var _values: _Values { get }

  /// An object with these values that the store has not read.
  init(_values: _Values, _rowid: Int64)
}

extension GeneratedAtom {
  /// The struct that the object keeps its values in.
  @inlinable
  public var _fieldValues: Any { _values }

  /// Whether all fields are equal. Where a store keeps the objects does not count.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs._values == rhs._values }
}

/// An object in the making: set what differs, then `build()`. Generated builders conform to it.
public protocol ObjectBuilder: Equatable, Sendable {
  /// The class of the object.
  associatedtype _Object: GeneratedAtom where _Object._Values == Self
}

extension ObjectBuilder {
  /// Starts with the values of `object`.
  @inlinable
  public init(_ object: _Object) { self = object._values }

  /// Starts with the values of `object`.
  @inlinable
  public init(from object: _Object) { self = object._values }

  /// A new object with the values as they are now.
  @inlinable
  public func build() -> _Object { _Object(_values: self, _rowid: 0) }
}
