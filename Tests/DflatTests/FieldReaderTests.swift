import Dflat
import FlatBuffersCore
import Foundation
import Testing

@Suite("A field of a row is read from tables, structs and unions")
struct FieldReaderTests {
  /// A row; numbers before colons are slots:
  /// root { 4: table { 4: string, 6: bool = true }, 6: struct { int32 at 0, float at 4, uint64 at 8 },
  /// 8: union type, 10: union member (type code 1: a table { 4: int16 = 7 }), 12: double }
  private func row(unionCode: UInt8 = 1) throws -> ByteBuffer {
    var builder = FlatBufferBuilder()
    let text = builder.create("inner")
    builder.startTable(fieldCount: 2)
    builder.add(text, at: 4)
    let inner = builder.endTable()
    builder.startTable(fieldCount: 1)
    builder.add(-3 as Int16, default: 7, at: 4)
    let member = builder.endTable()
    builder.startTable(fieldCount: 5)
    builder.add(inner, at: 4)
    builder.add(Point(number: -5, ratio: 0.25, big: .max), at: 6)
    builder.add(unionCode, default: 0, at: 8)
    builder.add(member, at: 10)
    let root = builder.endTable()
    try builder.finish(root)
    return builder.finishedBuffer()
  }

  private func value(_ field: RecordField, in buffer: ByteBuffer) throws -> FieldValue {
    let table = try #require(FlatBufferTable(rootOf: buffer))
    let program = QueryProgram(.field(field))
    return withExtendedLifetime((buffer, program)) {
      switch program.value(for: table) {
      case .null: .null
      case .integer(let value): .integer(value)
      case .unsigned(let value): .unsigned(value)
      case .wide: .null
      case .real(let value): .real(value)
      case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
      case .bytes(let bytes): .bytes(Array(bytes))
      }
    }
  }

  @Test("A field of a nested table has its value, its default, or NULL if the table is absent")
  func fieldsOfNestedTables() throws {
    let row = try row()
    let inner = FieldPath.root.table(at: 4)
    #expect(try value(RecordField(inner, .string, at: 4), in: row) == .text("inner"))
    #expect(try value(RecordField(inner, .bool, at: 6, default: .integer(1)), in: row) == .integer(1))
    #expect(try value(RecordField(inner, .string, at: 8, default: .text("none")), in: row) == .text("none"))
    // The fields of an absent table are NULL: their defaults do not apply.
    #expect(try value(RecordField(.root.table(at: 20), .bool, at: 6, default: .integer(1)), in: row) == .null)
  }

  @Test("A field of a struct is read at its byte offset, and is NULL if the struct is absent")
  func fieldsOfStructs() throws {
    let row = try row()
    let point = FieldPath.root.structure(at: 6)
    #expect(try value(RecordField(point, .int32, at: 0), in: row) == .integer(-5))
    #expect(try value(RecordField(point, .float, at: 4), in: row) == .real(0.25))
    #expect(try value(RecordField(point, .uint64, at: 8), in: row) == .unsigned(.max))
    #expect(try value(RecordField(point.structure(at: 4), .float, at: 0), in: row) == .real(0.25))
    #expect(try value(RecordField(.root.structure(at: 12), .int32, at: 0, default: .integer(0)), in: row) == .null)
  }

  @Test(
    "Bytes are those of the struct, in a table and in another struct, and NULL if the struct is absent or too short")
  func structsOfBytes() throws {
    let row = try row()
    let number: [UInt8] = [0xFB, 0xFF, 0xFF, 0xFF]
    #expect(try value(RecordField(.root, .bytes(4), at: 6), in: row) == .bytes(number))
    #expect(try value(RecordField(.root, .bytes(6), at: 6), in: row) == .bytes(number + [0, 0]))
    #expect(
      try value(RecordField(.root.structure(at: 6), .bytes(8), at: 8), in: row)
        == .bytes(Array(repeating: 0xFF, count: 8)))
    #expect(try value(RecordField(.root, .bytes(4), at: 12), in: row) == .null)
    #expect(try value(RecordField(.root, .bytes(4), at: 40), in: row) == .null)
    #expect(try value(RecordField(.root, .bytes(60_000), at: 6), in: row) == .null)
    #expect(try value(RecordField(.root.structure(at: 6), .bytes(60_000), at: 8), in: row) == .null)
  }

  @Test("A field of a union member is NULL unless the union has the type code of that member")
  func fieldsOfUnionMembers() throws {
    let row = try row()
    #expect(try value(RecordField(.root, .unionType, at: 10), in: row) == .integer(1))
    #expect(try value(RecordField(.root.unionTable(at: 10, code: 1), .int16, at: 4), in: row) == .integer(-3))
    #expect(try value(RecordField(.root.unionTable(at: 10, code: 2), .int16, at: 4), in: row) == .null)
    #expect(try value(RecordField(.root, .unionType, at: 10), in: self.row(unionCode: 0)) == .null)
    #expect(try value(RecordField(.root, .unionType, at: 16), in: row) == .null)
  }

  @Test("An absent scalar has its default, or is NULL if it has none or the default is NaN")
  func absentScalars() throws {
    let row = try row()
    #expect(try value(RecordField(.root, .double, at: 12, default: .real(1.5)), in: row) == .real(1.5))
    #expect(try value(RecordField(.root, .double, at: 12), in: row) == .null)
    #expect(try value(RecordField(.root, .double, at: 12, default: .real(.nan)), in: row) == .null)
  }

  private struct Identified: InfallibleFlatBuffersEncodable {
    static var _fileIdentifier: String? { "TEST" }

    func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
      Sample(id: 5, name: "five").to(flatBufferBuilder: &builder)
    }
  }

  @Test("The file identifier stands behind the offset to the root")
  func fileIdentifier() {
    let data = Identified().toData()
    #expect(String(decoding: data[4..<8], as: UTF8.self) == "TEST")
    #expect(Sample.from(data: data).name == "five")
    #expect(data != Sample(id: 5, name: "five").toData())
    // A type whose schema names none takes any.
    #expect(throws: Never.self) { try Sample(verifying: data, checkingIdentifier: true) }
  }

  @Test("An object reads back equal from its data, and is refused if the data is damaged")
  func readingAnObjectFromData() throws {
    let data = Sample(id: 5, name: "five").toData()
    for sample in [Sample.from(data: data), try Sample(verifying: data)] {
      #expect(sample.id == 5 && sample.name == "five" && sample._rowid == 0)
    }
    #expect(throws: DamagedFlatBuffer.self) { try Sample(verifying: Data([1, 2, 3])) }
    // Without verification, damaged bytes read as an object with defaults.
    #expect(Sample.from(byteBuffer: ByteBuffer([1, 2, 3])).id == 0)
    #expect(Sample.from(data: Data([1, 2, 3])).id == 0)
  }
}
