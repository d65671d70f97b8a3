/// An object whose primary key is one field, which identifies it: lists, and differences between lists, tell objects apart
/// by it.
///
/// Generated classes conform to `Identifiable` by way of this protocol, and get `id` from the extension below. Both are
/// weaker than a conformance and a property that an app declares in the same module: there, `extension Post: Identifiable`
/// with or without an `id` of its own still compiles, and is what counts.
public protocol IdentifiableAtom: Atom, Identifiable {
  /// The type of the primary key.
  ///
  /// It is not `ID`, so that the `id` that an app declares may have another type.
  associatedtype _PrimaryKey: Hashable & Sendable

  /// The value of the field that is the primary key.
  var _primaryKey: _PrimaryKey { get }
}

extension IdentifiableAtom {
  /// The primary key.
  @inlinable
  public var id: _PrimaryKey { _primaryKey }
}
