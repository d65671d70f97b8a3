import Dflat
import FlatBuffersCore

/// An object whose primary key is a text and two floating-point numbers, and that has such a number outside of the key.
package final class Sighting: Atom, Equatable, FlatBuffersEncodable, Sendable {
  package let species: String
  package let longitude: Double
  package let latitude: Float
  package let altitude: Double
  package let _rowid: Int64
  package let _commitVersion: UInt64

  package init(_ species: String, _ longitude: Double, _ latitude: Float, altitude: Double = 0, _rowid: Int64 = 0) {
    (self.species, self.longitude, self.latitude, self.altitude) = (species, longitude, latitude, altitude)
    self._rowid = _rowid
    _commitVersion = 0
  }

  package init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    species = table.string(at: 4) ?? ""
    longitude = table.scalar(at: 6, default: 0)
    latitude = table.scalar(at: 8, default: 0)
    altitude = table.scalar(at: 10, default: 0)
    self._rowid = _rowid
    self._commitVersion = _commitVersion
  }

  package func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    let species = builder.create(species)
    builder.startTable(fieldCount: 4)
    builder.add(species, at: 4)
    builder.add(longitude, default: 0, at: 6)
    builder.add(latitude, default: 0, at: 8)
    builder.add(altitude, default: 0, at: 10)
    return builder.endTable()
  }

  package static func verify(byteBuffer: ByteBuffer) -> Bool { FlatBufferTable(rootOf: byteBuffer) != nil }

  package static func == (lhs: Sighting, rhs: Sighting) -> Bool {
    lhs.species == rhs.species && lhs.longitude.bitPattern == rhs.longitude.bitPattern
      && lhs.latitude.bitPattern == rhs.latitude.bitPattern && lhs.altitude.bitPattern == rhs.altitude.bitPattern
  }

  private static let keys = [
    RecordField(.root, .string, at: 4), RecordField(.root, .double, at: 6, default: .real(0)),
    RecordField(.root, .float, at: 8, default: .real(0)),
  ]

  package static let _record = RecordDescription(
    table: "sighting", primaryKeys: keys, primaryKeyNames: ["species", "longitude", "latitude"])

  package static let species = QueryExpression<String, Sighting>(keys[0])
}

package final class SightingRequest: ChangeRequest {
  package var _change: RecordChange<Sighting>
  package var sighting: Sighting

  package init(_ change: RecordChange<Sighting>, _ sighting: Sighting) {
    (_change, self.sighting) = (change, sighting)
  }

  package func _object(_rowid: Int64) -> Sighting {
    Sighting(
      sighting.species, sighting.longitude, sighting.latitude, altitude: sighting.altitude, _rowid: _rowid)
  }
}
