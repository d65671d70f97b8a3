import Dflat
import FlatBuffersCore

/// A stored object with a field of every kind that a query can use.
final class Sample: Atom, InfallibleFlatBuffersEncodable {
  let id: Int64
  let name: String?
  let _rowid: Int64
  let _commitVersion: UInt64

  init(id: Int64, name: String? = nil, _rowid: Int64 = 0) {
    self.id = id
    self.name = name
    self._rowid = _rowid
    _commitVersion = 0
  }

  init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    id = table.scalar(at: 4, default: 0)
    name = table.string(at: 6)
    self._rowid = _rowid
    self._commitVersion = _commitVersion
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    let name = builder.create(name)
    builder.startTable(fieldCount: 2)
    builder.add(id, default: 0, at: 4)
    builder.add(name, at: 6)
    return builder.endTable()
  }

  static func verify(byteBuffer: ByteBuffer) -> Bool { FlatBufferTable(rootOf: byteBuffer) != nil }

  static let _record = RecordDescription(table: "sample", primaryKeys: [RecordField(.root, .int64, at: 4)])

  static let id = QueryExpression<Int64, Sample>(RecordField(.root, .int64, at: 4, default: .integer(0)))
  static let name = QueryExpression<String, Sample>(RecordField(.root, .string, at: 6))
  static let ratio = QueryExpression<Double, Sample>(RecordField(.root, .double, at: 8, default: .real(0)))
  static let flag = QueryExpression<Bool, Sample>(RecordField(.root, .bool, at: 10, default: .integer(0)))
  static let kind = QueryExpression<Kind, Sample>(RecordField(.root, .int8, at: 12, default: .integer(0)))
  static let part = UnionField<Void, Sample>(.root, at: 26)
}

enum Kind: Int8, DflatFriendlyValue, CaseIterable {
  case small = 0
  case large = 3
  case medium = 2
}

/// A struct of 16 bytes.
struct Point: FlatBufferStructWritable {
  let number: Int32
  let ratio: Float
  let big: UInt64

  static let byteSize = 16
  static let byteAlignment = 8

  func write(to writer: inout FlatBufferStructWriter) {
    writer.set(number, at: 0)
    writer.set(ratio, at: 4)
    writer.set(big, at: 8)
  }
}
