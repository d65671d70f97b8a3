import Dflat
import FlatBuffersCore

/// An object with the fields that `Post` lacks: two primary keys, a unique index, and values at the edges of SQL.
package final class Thing: Atom, Equatable, FlatBuffersEncodable, Sendable {
  package let id: Int64
  package let name: String
  package let big: UInt64
  package let ratio: Double
  package let flag: Bool
  package let note: String?
  package let _rowid: Int64
  package let _commitVersion: UInt64

  package init(
    id: Int64, name: String = "", big: UInt64 = 0, ratio: Double = 0, flag: Bool = false, note: String? = nil,
    _rowid: Int64 = 0
  ) {
    self.id = id
    self.name = name
    self.big = big
    self.ratio = ratio
    self.flag = flag
    self.note = note
    self._rowid = _rowid
    _commitVersion = 0
  }

  package init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    id = table.scalar(at: 4, default: 0)
    name = table.string(at: 6) ?? ""
    big = table.scalar(at: 8, default: 0)
    ratio = table.scalar(at: 10, default: 0)
    flag = table.scalar(at: 12, default: false)
    note = table.string(at: 14)
    self._rowid = _rowid
    self._commitVersion = _commitVersion
  }

  package func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    let name = builder.create(name)
    let note = builder.create(note)
    builder.startTable(fieldCount: 6)
    builder.add(id, default: 0, at: 4)
    builder.add(name, at: 6)
    builder.add(big, default: 0, at: 8)
    builder.add(ratio, default: 0, at: 10)
    builder.add(flag, default: false, at: 12)
    builder.add(note, at: 14)
    return builder.endTable()
  }

  package static func verify(byteBuffer: ByteBuffer) -> Bool { FlatBufferTable(rootOf: byteBuffer) != nil }

  package static func == (lhs: Thing, rhs: Thing) -> Bool {
    lhs.id == rhs.id && lhs.name == rhs.name && lhs.big == rhs.big && lhs.ratio.bitPattern == rhs.ratio.bitPattern
      && lhs.flag == rhs.flag && lhs.note == rhs.note
  }

  package static let fields = (
    id: RecordField(.root, .int64, at: 4, default: .integer(0)),
    name: RecordField(.root, .string, at: 6),
    big: RecordField(.root, .uint64, at: 8, default: .integer(0)),
    ratio: RecordField(.root, .double, at: 10, default: .real(0)),
    flag: RecordField(.root, .bool, at: 12, default: .integer(0)),
    note: RecordField(.root, .string, at: 14)
  )

  package static let _record = RecordDescription(
    table: "test__thing_v1_1", primaryKeys: [fields.id, fields.name],
    indexes: [
      RecordIndex(fields.big), RecordIndex(fields.ratio), RecordIndex(fields.flag),
      RecordIndex(fields.note, unique: true),
    ])

  package static let id = QueryExpression<Int64, Thing>(fields.id)
  package static let name = QueryExpression<String, Thing>(fields.name)
  package static let big = QueryExpression<UInt64, Thing>(fields.big)
  package static let ratio = QueryExpression<Double, Thing>(fields.ratio)
  package static let flag = QueryExpression<Bool, Thing>(fields.flag)
  package static let note = QueryExpression<String, Thing>(fields.note)
}

/// A change to the stored things. Only what the tests change is a variable.
package final class ThingChangeRequest: ChangeRequest {
  package var _change: RecordChange<Thing>
  package var thing: Thing

  package init(_ change: RecordChange<Thing>, _ thing: Thing) {
    _change = change
    self.thing = thing
  }

  package static func creation(_ thing: Thing) -> ThingChangeRequest { ThingChangeRequest(.create, thing) }
  package static func upsert(_ thing: Thing) -> ThingChangeRequest { ThingChangeRequest(.upsert, thing) }
  package static func change(_ thing: Thing) -> ThingChangeRequest? {
    CurrentTransaction.latest(thing).map { ThingChangeRequest(.update($0), $0) }
  }
  package static func deletion(_ thing: Thing) -> ThingChangeRequest? {
    CurrentTransaction.latest(thing).map { ThingChangeRequest(.delete($0), $0) }
  }

  package func _object(_rowid: Int64) -> Thing {
    Thing(
      id: thing.id, name: thing.name, big: thing.big, ratio: thing.ratio, flag: thing.flag, note: thing.note,
      _rowid: _rowid)
  }
}
