/// An object whose class `dflatc` generates. It keeps its fields' values in one struct, which is also its builder.
public protocol GeneratedAtom: Atom {
  /// The struct with a property for each field.
  associatedtype _Values: ObjectBuilder where _Values._Object == Self

  /// The values of the fields.
  var _values: _Values { get }

  /// Creates an object with these values that the store has not read.
  init(_values: _Values, _rowid: Int64)
}

extension GeneratedAtom {
  /// The struct that the object keeps its values in.
  @inlinable
  public var _fieldValues: Any { _values }

  /// Returns whether all fields are equal. The rows of the objects do not count.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs._values == rhs._values }
}

/// A builder of an object: set the properties that differ, then call `build()`. Generated builders conform to it.
///
/// ```swift
/// var draft = PostBuilder(post)
/// draft.tag = "draft"
/// let changed = draft.build()
/// ```
///
/// It makes objects in memory, for previews, forms and tests. It changes no stored object: a change request does.
///
/// See also: ``GeneratedChangeRequest``, Documentation/using-the-store.md (Objects).
public protocol ObjectBuilder: Equatable, Sendable {
  /// The class of the object.
  associatedtype _Object: GeneratedAtom where _Object._Values == Self
}

extension ObjectBuilder {
  /// Creates a builder that starts with the values of `object`.
  @inlinable
  public init(_ object: _Object) { self = object._values }

  /// Creates a builder that starts with the values of `object`.
  @inlinable
  public init(from object: _Object) { self = object._values }

  /// Returns a new object with the present values.
  @inlinable
  public func build() -> _Object { _Object(_values: self, _rowid: 0) }
}
