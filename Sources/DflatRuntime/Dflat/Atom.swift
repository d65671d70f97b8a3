import FlatBuffersCore

/// An object that a workspace stores: the immutable class that is generated for a root table.
public protocol Atom: AnyObject, Sendable, FlatBuffersDecodable {
  /// How objects of this type are stored.
  static var _record: RecordDescription { get }

  /// The row that holds the object; 0 when the object has not been stored.
  var _rowid: Int64 { get }

  /// Reads the object from its row.
  init(_ table: FlatBufferTable, _rowid: Int64)
}

extension Atom {
  /// Reads the object, which is not stored; see `FlatBuffersDecodable`.
  public static func from(byteBuffer: ByteBuffer) -> Self {
    Self(FlatBufferTable(rootOf: byteBuffer) ?? .empty, _rowid: 0)
  }
}
