import FlatBuffersCore

/// An object that a workspace stores: the immutable class that is generated for a root table.
public protocol Atom: AnyObject, Sendable, FlatBuffersDecodable {
  /// How objects of this type are stored.
  static var _record: RecordDescription { get }

  /// The row that holds the object; 0 when the object has not been stored.
  var _rowid: Int64 { get }

  /// The commit version at which the store has read the object; 0 if it has not read it, or does not know.
  ///
  /// For the store alone: an object whose row has not been changed since need not be read again before it is changed.
  var _commitVersion: UInt64 { get }

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
