import Dflat
import DflatEngine
import FlatBuffersCore
import Testing

extension Atom where Self: FlatBuffersEncodable {
  /// The primary key and the unique values that are not NULL.
  package func keys() throws -> [RowKey] {
    try RowEncoder.with { RowKey.all(of: FlatBufferTable(ofEncoded: try $0.encode(self)), Self._record) }
  }

  package func primaryKey() throws -> RowKey {
    let key = try RowEncoder.with {
      RowKey.primaryKey(of: FlatBufferTable(ofEncoded: try $0.encode(self)), Self._record)
    }
    return try #require(key)
  }
}

extension RowEncoder {
  package func bytes(of object: some FlatBuffersEncodable) throws -> [UInt8] { Array(try encode(object)) }
}

extension WriteSet {
  /// Adds a change of the row that `thing` names.
  package func add(_ kind: RowChange.Kind, _ thing: Thing) throws {
    let bytes = kind == .deleted ? [] : try RowEncoder().bytes(of: thing)
    bytes.withUnsafeBytes {
      append(kind, Thing._record, thing._rowid, $0, keepsKeys: false, from: nil, to: thing)
    }
  }
}

extension RowState {
  /// The key of the thing that the row holds.
  package var id: Int64? {
    if case .stored(let object) = self { (object as? Thing)?.id } else { nil }
  }
}
