import FlatBuffersCore

/// An object that a workspace stores: the immutable class that is generated for a root table.
public protocol Atom: AnyObject, Sendable, FlatBuffersDecodable {
  /// How objects of this type are stored.
  static var _record: RecordDescription { get }

  /// The row that holds the object; 0 when the object has not been stored.
  var _rowid: Int64 { get }

  /// The moment at which the store read the object, as far as it tells moments apart; 0 when it has none.
  ///
  /// For the store alone: as long as nothing has been committed since, the object need not be read again before it is
  /// changed.
  var _moment: UInt64 { get }

  /// Reads the object from its row, at a moment.
  init(_ table: FlatBufferTable, _rowid: Int64, _moment: UInt64)
}

extension Atom {
  /// Reads the object, which is part of another, or whose moment is not known.
  @inlinable
  public init(_ table: FlatBufferTable, _rowid: Int64) {
    self.init(table.withinBudget, _rowid: _rowid, _moment: 0)
  }

  /// Reads the object, which is not stored; see `FlatBuffersDecodable`.
  public static func from(byteBuffer: ByteBuffer) -> Self {
    Self(FlatBufferTable(rootOf: byteBuffer) ?? .empty, _rowid: 0)
  }
}
