import FlatBuffersCore

/// An object that a workspace stores: the immutable class that is generated for a root table.
public protocol Atom: AnyObject, Sendable, FlatBuffersDecodable {
  /// How objects of this type are stored.
  static var _record: RecordDescription { get }

  /// The row that holds the object; 0 when the object has not been stored.
  var _rowid: Int64 { get }

  /// The moment at which the store read the object, as far as it tells moments apart; 0 when it has none.
  ///
  /// For the store alone, which sets it before anybody else has the object: as long as nothing has been committed since,
  /// the object need not be read again before it is changed.
  var _moment: UInt64 { get set }

  /// Reads the object from its row.
  init(_ table: FlatBufferTable, _rowid: Int64)
}

extension Atom {
  /// An object that does not keep its moment is read again before it is changed.
  public var _moment: UInt64 {
    get { 0 }
    set {}
  }

  /// Reads the object, which is not stored; see `FlatBuffersDecodable`.
  public static func from(byteBuffer: ByteBuffer) -> Self {
    Self(FlatBufferTable(rootOf: byteBuffer) ?? .empty, _rowid: 0)
  }
}
