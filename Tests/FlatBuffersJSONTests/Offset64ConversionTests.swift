import Dflat
import FBSSchema
import FlatBuffersCore
import FlatBuffersJSON
import Foundation
import Golden_offset64
import TestSupport
import Testing

/// No flatc is at hand that knows these fields: Debian's is 2.0.8.
@Suite("Strings and vectors with 64-bit offsets in JSON")
struct Offset64ConversionTests {
  @Test("Objects stand where FlatBuffers' own example has them")
  func publishedExample() throws {
    let schema = try JSONSchema(
      """
      struct LeafStruct { a: int; b: double; }
      table Wrapper { vector: [int8] (offset64); }
      table RootTable {
        far_vector: [ubyte] (offset64);
        a: int;
        far_string: string (offset64);
        big_bool_vector: [ubyte] (vector64);
        big_vector: [ubyte] (vector64);
        near_string: string;
        nested_root: [ubyte] (vector64, nested_flatbuffer: "RootTable");
        far_struct_vector: [LeafStruct] (offset64);
        big_struct_vector: [LeafStruct] (vector64);
        many_vectors: [Wrapper];
      }
      root_type RootTable;
      """)
    let bytes = try #require(
      schema.binary(
        """
        {
          far_vector: [1, 2, 3], a: 1234, far_string: "this is a far string which has a 64-bit offset",
          big_vector: [5, 6, 7, 8], big_bool_vector: [1, 0, 1, 1, 0, 0, 1],
          near_string: "this is a near string which has a 32-bit offset",
          big_struct_vector: [{ a: 12, b: 3.456 }, { a: 78, b: 9.10 }]
        }
        """
      ).bytes)
    // The positions in FlatBuffers' tests/64bit/test_64bit.afb, the annotated buffer that its flatc made of this object.
    #expect(bytes.count == 0x110)
    let root = try #require(FlatBufferTable(rootOf: ByteBuffer(bytes)))
    #expect(root.position == 0x1C)
    // The fields in the table, by slot: as in the vtable at 0x06.
    #expect(Array(bytes[0x06..<0x1C]) == [22, 0, 60, 0, 4, 0, 16, 0, 20, 0, 36, 0, 44, 0, 32, 0, 0, 0, 0, 0, 52, 0])
    func number(at position: Int, size: Int) -> UInt64 {
      (0..<size).reduce(0) { $0 | UInt64(bytes[position + $1]) << UInt64(8 * $1) }
    }
    for (field, target, length, size) in [
      (0x20, 0x108, 3, 4), (0x30, 0xD4, 46, 4), (0x40, 0xB8, 7, 8), (0x48, 0xC8, 4, 8), (0x50, 0x58, 2, 8),
    ] {
      #expect(field + Int(number(at: field, size: 8)) == target)
      #expect(number(at: target, size: size) == UInt64(length))
    }
    #expect(0x3C + Int(number(at: 0x3C, size: 4)) == 0x84)
  }

  private func schema() throws -> JSONSchema {
    let text = try String(
      contentsOf: packageFolder.appending(path: "Fixtures/offset64/schema.fbs"), encoding: .utf8)
    return try JSONSchema(text)
  }

  private let sealed = [UInt8](Chapter(title: "sealed", samples: [3, 4]).toData())

  private func archive() -> Archive {
    Archive(
      id: 1, blob: [1, 2], text: "far", label: "other", far: [4], reals: [0.5], points: [Point(x: 1, y: 2)],
      farPoints: [Point(x: 3, y: 4)], letter: sealed, copy: sealed, near: "near", chapter: Chapter(title: "one"),
      chapters: [Chapter(samples: [1]), Chapter(title: "two")], part: .chapter(Chapter(title: "three")),
      parts: [.plain(Plain(text: "plain")), .chapter(Chapter(samples: [2])), .note("note")],
      entries: [Entry(name: "a", next: Entry(name: "b")), Entry(name: "c", children: [Entry(name: "d")])])
  }

  @Test("Bytes that generated Swift writes become JSON, and that JSON reads the same in Swift")
  func generatedSwift() throws {
    let schema = try schema()
    let bytes = [UInt8](try archive().toData())
    let json = try schema.json(bytes).get()
    for part in ["text: \"far\"", "title: \"sealed\"", "name: \"d\"", "reals: [\n    0.5\n  ]"] {
      #expect(json.contains(part), "\(part) in \(json)")
    }
    let converted = try #require(schema.binary(json).bytes)
    #expect(Archive.verify(byteBuffer: ByteBuffer(converted)))
    let object = Archive.from(byteBuffer: ByteBuffer(converted))
    // The nested buffers are written anew, in flatc's order.
    #expect(object.letterRoot == archive().letterRoot && object.copyRoot == archive().copyRoot)
    var builder = ArchiveBuilder(object)
    (builder.letter, builder.copy) = (sealed, sealed)
    #expect(builder.build() == archive())
    #expect(try schema.json(converted).get() == json)
  }

  @Test("Bytes that the schema's verifier accepts are those that the generated one accepts")
  func damage() throws {
    let schema = try schema()
    let bytes = [UInt8](try archive().toData())
    var random = SeededGenerator(seed: 640)
    var (accepted, refused) = (0, 0)
    for round in 0..<6000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let position = Int.random(in: 0..<changed.count, using: &random)
        changed[position] = ([0, 1, 4, 8, 0x7F, 0x80, 0xFF] as [UInt8]).randomElement(using: &random) ?? 0
      }
      let isValid = Archive.verify(byteBuffer: ByteBuffer(changed))
      // A union's unknown code and text that is no UTF-8 are no matter of layout, and JSON refuses the latter.
      var isReadable = false
      switch schema.json(changed) {
      case .success: isReadable = true
      case .failure: break
      }
      if isReadable { #expect(isValid, "round \(round)") }
      accepted += isValid ? 1 : 0
      refused += isValid ? 0 : 1
    }
    #expect(accepted > 500 && refused > 500, "\(accepted) accepted, \(refused) refused")
  }
}
