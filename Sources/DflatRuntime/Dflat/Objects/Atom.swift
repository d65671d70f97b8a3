import FlatBuffersCore

/// An object that a workspace stores: the immutable class that is generated for a root table.
///
/// `print`, `dump`, `String(describing:)` and a debugger show an object as they show a struct, with its fields by name:
/// `Post(title: "a", priority: 3)`. An app may conform the class to `CustomStringConvertible` to print something else.
public protocol Atom: AnyObject, Sendable, FlatBuffersDecodable, CustomReflectable {
  /// How objects of this type are stored.
  static var _record: RecordDescription { get }

  /// The row that holds the object; 0 when the object has not been stored.
  var _rowid: Int64 { get }

  /// The commit version at which the store has read the object; 0 if it has not read it, or does not know.
  ///
  /// For the store alone: an object whose row has not been changed since need not be read again before it is changed.
  var _commitVersion: UInt64 { get }

  /// A struct with the object's fields and nothing else. Mirrors of the object show its properties.
  ///
  /// The properties of the object itself would include `_rowid` and `_commitVersion`.
  var _fieldValues: Any { get }

  /// Reads the object from its row, at a commit version.
  init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64)
}

extension Atom {
  /// Reads the object, which is part of another, or whose commit version is not known.
  @inlinable
  public init(_ table: FlatBufferTable, _rowid: Int64) {
    self.init(table.withinBudget, _rowid: _rowid, _commitVersion: 0)
  }

  /// Reads the object, which is not stored; see `FlatBuffersDecodable`.
  public static func from(byteBuffer: ByteBuffer) -> Self {
    FlatBufferTable.withRoot(of: byteBuffer) { Self($0, _rowid: 0) }
  }
}

extension Atom {
  /// A struct without fields, for a class that is not generated.
  public var _fieldValues: Any { () }

  /// A mirror with the object's fields, in the style of a struct: of a class, `print` would write the name alone.
  public var customMirror: Mirror {
    let fields = Mirror(reflecting: _fieldValues).children
    return Mirror(self, children: fields, displayStyle: .struct, ancestorRepresentation: .suppressed)
  }
}
