import Dflat
import FlatBuffersCore

/// An object with a unique number that is NaN unless it is set, as of `depth: double = nan (unique)`.
package final class Probe: Atom, FlatBuffersEncodable, Sendable {
  package let id: Int64
  package let depth: Double
  package let _rowid: Int64
  package let _commitVersion: UInt64

  package init(id: Int64, depth: Double = .nan, _rowid: Int64 = 0) {
    self.id = id
    self.depth = depth
    self._rowid = _rowid
    _commitVersion = 0
  }

  package init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    id = table.scalar(at: 4, default: 0)
    depth = table.scalar(at: 6, default: .nan)
    self._rowid = _rowid
    self._commitVersion = _commitVersion
  }

  package func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    builder.startTable(fieldCount: 2)
    builder.add(id, default: 0, at: 4)
    builder.add(depth, default: .nan, at: 6)
    return builder.endTable()
  }

  package static func verify(byteBuffer: ByteBuffer) -> Bool { FlatBufferTable(rootOf: byteBuffer) != nil }

  /// The schema of these objects.
  package static let schema = "table Probe { id: long (primary); depth: double = nan (unique); }\nroot_type Probe;"

  package static let _record = RecordDescription(
    table: "probe", primaryKeys: [RecordField(.root, .int64, at: 4, default: .integer(0))],
    indexes: [RecordIndex(RecordField(.root, .double, at: 6, default: .real(.nan)), unique: true, name: "depth")])

  /// As in generated code, queries have a field of their own, and not the one of the index.
  package static var depth: QueryExpression<Double, Probe> {
    QueryExpression(RecordField(.root, .double, at: 6, default: .real(.nan)))
  }
}

package final class ProbeRequest: ChangeRequest {
  package var _change: RecordChange<Probe>
  package let id: Int64
  package let depth: Double

  package init(_ change: RecordChange<Probe>, id: Int64, depth: Double = .nan) {
    (_change, self.id, self.depth) = (change, id, depth)
  }

  package func _object(_rowid: Int64) -> Probe { Probe(id: id, depth: depth, _rowid: _rowid) }
}
