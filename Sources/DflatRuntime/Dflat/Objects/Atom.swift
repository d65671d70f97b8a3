import FlatBuffersCore

/// An object that a workspace stores: the immutable class that is generated for a root table.
///
/// ```swift
/// let post = Post(title: "Hello", priority: 3)
/// print(post)  // Post(title: "Hello", color: App.Color.red, tag: nil, priority: 3, content: nil)
/// ```
///
/// Make one with the initializer that `dflatc` generates; it is stored by a ``GeneratedChangeRequest``. It may be kept
/// for as long as you like, and used by any thread: it holds no lock, and does not follow the store.
///
/// `print`, `dump`, `String(describing:)` and a debugger show an object as they show a struct, with its fields by name:
/// `Post(title: "a", priority: 3)`. An app may conform the class to `CustomStringConvertible` to print something else.
///
/// See also: ``ObjectBuilder``, ``FetchedResult``, Documentation/using-the-store.md (Objects).
public protocol Atom: AnyObject, Sendable, FlatBuffersDecodable, CustomReflectable {
  /// The description of how objects of this type are stored.
  static var _record: RecordDescription { get }

  /// The row that holds the object; 0 when the object has not been stored.
  var _rowid: Int64 { get }

  /// The commit version at which the store has read the object; 0 if it has not read it, or does not know the
  /// version.
  ///
  /// Only the store uses it: before a change, it need not read an object whose row has not changed since that
  /// version.
  var _commitVersion: UInt64 { get }

  /// A struct with the object's fields and nothing else, whose properties mirrors of the object show.
  ///
  /// The properties of the object itself would include `_rowid` and `_commitVersion`.
  var _fieldValues: Any { get }

  /// Reads the object from its row at a commit version.
  init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64)
}

extension Atom {
  /// Reads an object that is part of another one, or whose commit version is not known.
  @inlinable
  public init(_ table: FlatBufferTable, _rowid: Int64) {
    self.init(table.withinBudget, _rowid: _rowid, _commitVersion: 0)
  }

  /// Reads an object that is not stored; see `FlatBuffersDecodable`.
  public static func from(byteBuffer: ByteBuffer) -> Self {
    FlatBufferTable.withRoot(of: byteBuffer) { Self($0, _rowid: 0) }.value
  }

  /// Reads an object that is not stored; see `FlatBuffersDecodable`.
  public static func _complete(byteBuffer: ByteBuffer) -> Self? {
    let (value, isComplete) = FlatBufferTable.withRoot(of: byteBuffer) { Self($0, _rowid: 0) }
    return isComplete ? value : nil
  }
}

extension Atom {
  /// A value without fields, for a class that is not generated.
  public var _fieldValues: Any { () }

  /// A mirror with the object's fields, in the style of a struct: `print` would show a class by its name alone.
  public var customMirror: Mirror {
    let fields = Mirror(reflecting: _fieldValues).children
    return Mirror(self, children: fields, displayStyle: .struct, ancestorRepresentation: .suppressed)
  }
}

extension Atom {
  /// Returns whether a store keeps both objects as the same bytes; false if one cannot be encoded.
  ///
  /// `==` may hold for objects that are stored as different bytes, such as two Unicode forms of a text, and never holds
  /// for an object with a NaN.
  package func isStored(like other: Self) -> Bool {
    guard let lhs = self as? any FlatBuffersEncodable, let rhs = other as? any FlatBuffersEncodable,
      let mine = try? lhs.rowBytes(), let others = try? rhs.rowBytes()
    else { return false }
    return mine.withUnsafeBytes { mine in others.withUnsafeBytes { mine.isSame(as: $0) } }
  }
}
