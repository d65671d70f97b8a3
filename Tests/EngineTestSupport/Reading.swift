import Dflat
import FlatBuffersCore

/// An object whose primary key is a floating-point number.
package final class Reading: Atom, Equatable, FlatBuffersEncodable, Sendable {
  package let place: Double
  package let note: String
  package let _rowid: Int64
  package let _commitVersion: UInt64

  package init(place: Double, note: String = "", _rowid: Int64 = 0) {
    self.place = place
    self.note = note
    self._rowid = _rowid
    _commitVersion = 0
  }

  package init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    place = table.scalar(at: 4, default: 0)
    note = table.string(at: 6) ?? ""
    self._rowid = _rowid
    self._commitVersion = _commitVersion
  }

  package func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    let note = builder.create(note)
    builder.startTable(fieldCount: 2)
    builder.add(place, default: 0, at: 4)
    builder.add(note, at: 6)
    return builder.endTable()
  }

  package static func verify(byteBuffer: ByteBuffer) -> Bool { FlatBufferTable(rootOf: byteBuffer) != nil }

  package static func == (lhs: Reading, rhs: Reading) -> Bool {
    lhs.place.bitPattern == rhs.place.bitPattern && lhs.note == rhs.note
  }

  private static let placeField = RecordField(.root, .double, at: 4, default: .real(0))

  package static let _record = RecordDescription(
    table: "reading", primaryKeys: [placeField], primaryKeyNames: ["place"])

  package static let place = QueryExpression<Double, Reading>(placeField)
}

package final class ReadingRequest: ChangeRequest {
  package var _change: RecordChange<Reading>
  package var place: Double
  package var note: String

  package init(_ change: RecordChange<Reading>, place: Double, note: String = "") {
    (_change, self.place, self.note) = (change, place, note)
  }

  package func _object(_rowid: Int64) -> Reading { Reading(place: place, note: note, _rowid: _rowid) }
}
