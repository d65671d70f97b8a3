/// An object whose primary key is one field, which is its `id`: lists, and differences between lists, tell objects
/// apart by it.
///
/// ```swift
/// let byID = Dictionary(uniqueKeysWithValues: posts.map { ($0.id, $0) })
/// print(byID["Hello"]?.priority ?? 0)
/// ```
///
/// Generated classes conform to `Identifiable` by this protocol, and get `id` from the extension below. An app may
/// declare `extension Post: Identifiable` in the same module, with or without an `id` of its own: that takes
/// precedence, and compiles.
public protocol IdentifiableAtom: Atom, Identifiable {
  /// The type of the primary key.
  ///
  /// It is not called `ID`, so that an `id` that an app declares may have another type.
  associatedtype _PrimaryKey: Hashable & Sendable

  /// The value of the field that is the primary key.
  var _primaryKey: _PrimaryKey { get }

  /// The number of units of the primary key's field that make one second, or one whole: 1 for a key that is stored as it
  /// is, 0 for seconds with a fraction.
  static var _primaryKeyUnits: Int64 { get }
}

extension IdentifiableAtom {
  /// The primary key.
  @inlinable
  public var id: _PrimaryKey { _primaryKey }

  /// 1: most keys are stored as they are.
  @inlinable
  public static var _primaryKeyUnits: Int64 { 1 }
}
