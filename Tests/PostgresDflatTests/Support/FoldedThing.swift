import Dflat
import EngineTestSupport
import FlatBuffersCore

/// A thing in a table with indexes over foldings: of its name, and, unique, of its note.
final class FoldedThing: Atom, FlatBuffersEncodable {
  let thing: Thing
  var id: Int64 { thing.id }
  var _rowid: Int64 { thing._rowid }
  var _commitVersion: UInt64 { thing._commitVersion }

  init(_ thing: Thing) { self.thing = thing }

  init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    thing = Thing(table, _rowid: _rowid, _commitVersion: _commitVersion)
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset { thing.to(flatBufferBuilder: &builder) }

  static func verify(byteBuffer: ByteBuffer) -> Bool { Thing.verify(byteBuffer: byteBuffer) }

  static let _record = RecordDescription(
    table: "folded_thing", primaryKeys: [Thing.fields.id],
    indexes: [
      RecordIndex(Thing.fields.name, folded: true, name: "name"),
      RecordIndex(Thing.fields.note, folded: true, unique: true, name: "note"),
    ])

  static let name = QueryExpression<String, FoldedThing>(Thing.fields.name)
  static let note = QueryExpression<String, FoldedThing>(Thing.fields.note)
}

/// A change to the stored things.
final class FoldedThingChangeRequest: ChangeRequest {
  var _change: RecordChange<FoldedThing>
  private let thing: Thing

  init(_ change: RecordChange<FoldedThing>, _ thing: Thing) {
    _change = change
    self.thing = thing
  }

  func _object(_rowid: Int64) -> FoldedThing {
    FoldedThing(
      Thing(
        id: thing.id, name: thing.name, big: thing.big, ratio: thing.ratio, flag: thing.flag, note: thing.note,
        _rowid: _rowid))
  }
}
