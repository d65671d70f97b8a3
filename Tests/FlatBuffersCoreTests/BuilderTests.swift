import FlatBuffersCore
import TestSupport
import Testing

@testable import BufferJobs

@Suite("A written FlatBuffer reads back unchanged")
struct RoundTripTests {
  @Test("A random object verifies and reads back equal")
  func roundTrip() throws {
    for seed in 0..<500 as Range<UInt64> {
      let object = Everything(seed: seed)
      let buffer = object.buffer(forceDefaults: seed % 3 == 0)
      try buffer.verify(as: EverythingView.self, fileIdentifier: "EVRY")
      let view = try #require(EverythingView(root: buffer))
      #expect(Everything(view) == object, "seed \(seed)")
    }
  }

  @Test("A cleared builder writes the same bytes as a new one, and does not grow for objects written before")
  func reuse() throws {
    var builder = FlatBufferBuilder(initialCapacity: 0)
    for seed in 0..<50 as Range<UInt64> {
      builder.clear()
      _ = Everything(seed: seed).write(&builder)
    }
    let capacity = builder.memoryCapacity
    for seed in 0..<50 as Range<UInt64> {
      builder.clear()
      let root = Everything(seed: seed).write(&builder)
      #expect(bytesOf(&builder, root: root, fileIdentifier: "EVRY") == Everything(seed: seed).buffer().array)
    }
    #expect(builder.memoryCapacity == capacity)
  }

  @Test("The memory of a builder ends at a multiple of 16, so that finished bytes are aligned, however large it gets")
  func alignment() throws {
    for initialCapacity in [0, 65, 100, 1_000, 1_024] {
      for length in [0, 1, 3_000, 3_001, 100_003] {
        var builder = FlatBufferBuilder(initialCapacity: initialCapacity)
        #expect(builder.memoryCapacity.isMultiple(of: 16))
        let text = builder.create(String(repeating: "a", count: length))
        builder.startTable(fieldCount: 2)
        builder.add(text, at: 4)
        builder.add(1.5 as Double, default: 0, at: 6)
        try builder.finish(builder.endTable())
        #expect(builder.memoryCapacity.isMultiple(of: 16), "\(initialCapacity), \(length)")
        builder.withFinishedBytes { bytes in
          #expect(Int(bitPattern: bytes.baseAddress).isMultiple(of: 8), "\(initialCapacity), \(length)")
        }
      }
    }
  }

  /// Builds a FlatBuffer whose root table has one field, which `write` adds at the given slot, and returns the root.
  private func table(_ write: (inout FlatBufferBuilder, VTableOffset) -> Void) throws -> FlatBufferTable {
    var builder = FlatBufferBuilder()
    builder.startTable(fieldCount: 1)
    write(&builder, 4)
    let root = builder.endTable()
    return try #require(FlatBufferTable(rootOf: ByteBuffer(bytesOf(&builder, root: root))))
  }

  @Test("A scalar is omitted if and only if it equals its default")
  func defaults() throws {
    #expect(try !table { $0.add(7 as Int32, default: 7, at: $1) }.hasField(at: 4))
    #expect(try table { $0.add(8 as Int32, default: 7, at: $1) }.scalar(at: 4, default: 7 as Int32) == 8)
    #expect(try !table { $0.add(true, default: true, at: $1) }.hasField(at: 4))
    #expect(try table { $0.add(false, default: true, at: $1) }.scalar(at: 4, default: true) == false)
  }

  @Test("Negative zeros and NaNs with a payload keep their bits")
  func floatingPointBits() throws {
    let negativeZero = try table { $0.add(-0.0 as Double, default: 0, at: $1) }
    #expect(negativeZero.scalar(at: 4, default: 0.0 as Double).sign == .minus)
    #expect(try !table { $0.add(-0.0 as Float, default: -0.0, at: $1) }.hasField(at: 4))
    #expect(try !table { $0.add(Double.nan, default: .nan, at: $1) }.hasField(at: 4))
    let payload = Float(nan: 5, signaling: false)
    let read = try table { $0.add(payload, default: .nan, at: $1) }.scalar(at: 4, default: 0 as Float)
    #expect(read.bitPattern == payload.bitPattern)
    let infinity = try table { $0.add(-Double.infinity, default: 0, at: $1) }
    #expect(infinity.scalar(at: 4, default: 0.0 as Double) == -.infinity)
  }

  @Test("An optional scalar is present if it is zero, and absent if it is nil")
  func optionalScalars() throws {
    #expect(try table { $0.add(0 as Int32?, at: $1) }.optionalScalar(Int32.self, at: 4) == 0)
    #expect(try table { $0.add(nil as Int32?, at: $1) }.optionalScalar(Int32.self, at: 4) == nil)
    #expect(try table { $0.add(false as Bool?, at: $1) }.optionalScalar(Bool.self, at: 4) == false)
  }

  @Test("Empty strings and vectors are present; a nil string is absent")
  func emptyAndAbsent() throws {
    var builder = FlatBufferBuilder()
    let string = builder.create("")
    let vector = builder.create(vector: [] as [Double])
    let strings = builder.create(vector: [] as [String])
    let none = builder.create(nil as String?)
    builder.startTable(fieldCount: 4)
    builder.add(string, at: 4)
    builder.add(vector, at: 6)
    builder.add(strings, at: 8)
    builder.add(none, at: 10)
    let root = builder.endTable()
    let table = try #require(FlatBufferTable(rootOf: ByteBuffer(bytesOf(&builder, root: root))))
    #expect(table.string(at: 4) == "")
    #expect(table.utf8(at: 4)?.count == 0)
    #expect(table.hasField(at: 6) && table.vector(of: Double.self, at: 6).isEmpty)
    #expect(table.array(of: Double.self, at: 6).isEmpty)
    #expect(table.hasField(at: 8) && table.array(of: String.self, at: 8).isEmpty)
    #expect(!table.hasField(at: 10) && table.string(at: 10) == nil)
    #expect(table.withUTF8(at: 10) { $0 == nil })
  }
}

@Suite("A builder writes the layout that the format requires")
struct LayoutTests {
  @Test("Scalars, vectors and structs are aligned, whatever surrounds them")
  func alignment() throws {
    // The verifier checks the alignment of every value; random objects vary the surrounding bytes.
    for seed in 0..<300 as Range<UInt64> {
      #expect(Everything(seed: seed).buffer().isValid(as: EverythingView.self), "seed \(seed)")
    }
    for length in 0..<17 {
      var builder = FlatBufferBuilder(initialCapacity: 64)
      let text = builder.create(String(repeating: "x", count: length))
      let doubles = builder.create(vector: [1.5, 2.5])
      let bytes = builder.create(vector: [1, 2, 3] as [UInt8], alignment: 32)
      builder.startTable(fieldCount: 3)
      builder.add(text, at: 4)
      builder.add(doubles, at: 6)
      builder.add(bytes, at: 8)
      let root = builder.endTable()
      let written = bytesOf(&builder, root: root)
      let table = try #require(FlatBufferTable(rootOf: ByteBuffer(written)))
      #expect(written.count % 32 == 0)
      #expect(position(of: table.vector(of: Double.self, at: 6), in: table) % 8 == 0)
      #expect(position(of: table.vector(of: UInt8.self, at: 8), in: table) % 32 == 0)
      #expect(table.array(of: UInt8.self, at: 8) == [1, 2, 3])
      #expect(table.string(at: 4)?.count == length)
    }
  }

  @Test("The structs of a vector are aligned as the caller asks, at least as their type needs", arguments: [1, 8, 32])
  func structAlignment(alignment: Int) throws {
    for length in 0..<17 {
      var builder = FlatBufferBuilder(initialCapacity: 64)
      let wide = builder.createVector64([Vec3(x: 4, y: 5, z: 6)], alignment: alignment)
      let text = builder.create(String(repeating: "x", count: length))
      let structs = builder.create(vector: [Vec3(x: 1, y: 2, z: 3)], alignment: alignment)
      builder.startTable(fieldCount: 3)
      builder.add(text, at: 4)
      builder.add(structs, at: 6)
      builder.add(wide, at: 8)
      let root = builder.endTable()
      let table = try #require(FlatBufferTable(rootOf: ByteBuffer(bytesOf(&builder, root: root))))
      // As numbers: the first number of the only struct.
      let first = table.vector(of: Float.self, at: 6)
      let wideFirst: FlatBufferVector<Float> = table.vector(vector64At: 8)
      #expect(first.array == [1] && position(of: first, in: table) % max(4, alignment) == 0)
      #expect(wideFirst.array == [4] && position(of: wideFirst, in: table) % max(8, alignment) == 0)
    }
  }

  private func position<Element>(of vector: FlatBufferVector<Element>, in table: FlatBufferTable) -> Int {
    table.window.buffer.withUnsafeBytes { all in
      vector.withUnsafeBytes { part in
        guard let start = all.baseAddress, let element = part.baseAddress else { return -1 }
        return element - start
      }
    }
  }

  /// A FlatBuffer with a vector of tables, one for each of `shapes`. Bit n of a shape says whether field n is present.
  private func tables(_ shapes: [Int]) -> [UInt8] {
    var builder = FlatBufferBuilder()
    let mark = builder.startOffsets()
    for shape in shapes {
      builder.startTable(fieldCount: 16)
      for field in 0..<16 where shape >> field & 1 == 1 { builder.add(1 as UInt16?, at: VTableOffset(4 + 2 * field)) }
      let table = builder.endTable()
      builder.append(table)
    }
    let vector = builder.endOffsets(from: mark)
    builder.startTable(fieldCount: 1)
    builder.add(vector, at: 4)
    let root = builder.endTable()
    return bytesOf(&builder, root: root)
  }

  @Test("Tables of one shape share a vtable, and trailing absent fields take no bytes")
  func vtableSharing() {
    // In bytes: offset to the vtable 4, field 2, padding 2, element of the vector 4.
    let perTable = 12
    #expect(tables([1, 1, 1, 1, 1]).count - tables([1, 1, 1, 1]).count == perTable)
    // One more vtable: 2 + 2 + 2 × 2 bytes, because only two of sixteen fields have an entry.
    #expect(tables([1, 1, 1, 1, 2]).count - tables([1, 1, 1, 1]).count == perTable + 8)
  }

  @Test("Each of many vtables is written once, and every table keeps its own fields")
  func manyVTables() throws {
    var random = SeededGenerator(seed: 7)
    let shapes = (0..<2000).map { _ in Int.random(in: 0..<300, using: &random) }
    let bytes = tables(shapes)
    let table = try #require(FlatBufferTable(rootOf: ByteBuffer(bytes)))
    let read = table.vector(of: FlatBufferTable.self, at: 4)
    #expect(read.count == shapes.count)
    for (shape, table) in zip(shapes, read) {
      for field in 0..<16 {
        #expect(table.hasField(at: VTableOffset(4 + 2 * field)) == (shape >> field & 1 == 1))
      }
    }
    var distinct = Set(shapes)
    distinct.insert(1)  // The root table has one field, too, but of another size.
    // In bytes, at most. Per table: element 4, offset to the vtable 4, nine fields 18, padding 2. Per vtable: 24.
    let largest = shapes.count * (4 + 4 + 18 + 2) + distinct.count * 24 + 64
    #expect(bytes.count < largest, "each shape's vtable is written once")
    #expect(tables(shapes + shapes).count - bytes.count < shapes.count * (4 + 4 + 18 + 2))
  }

  @Test("Vtables that differ in a single entry are not shared")
  func similarVTables() throws {
    for last in 2..<16 {
      for field in 0..<last - 1 {
        let pair = [1 << last | 1 << field, 1 << last | 1 << (field + 1)]
        // Repeated, because padding makes tables of one shape differ in size.
        let shapes = pair + pair + pair
        let table = try #require(FlatBufferTable(rootOf: ByteBuffer(tables(shapes))))
        for (shape, element) in zip(shapes, table.vector(of: FlatBufferTable.self, at: 4)) {
          for field in 0..<16 {
            #expect(element.hasField(at: VTableOffset(4 + 2 * field)) == (shape >> field & 1 == 1))
          }
        }
      }
    }
  }

  @Test("Vectors of a program's own scalars, wider in memory than in a buffer, hold their bits")
  func scalarsOfAProgram() throws {
    let values = (0..<100).map { Percent(fraction: Double($0) / 100) }
    for alignment in [1, 8] {
      // No byte to spare, so that one written in front of the reserved ones would be outside of the builder's memory.
      var builder = FlatBufferBuilder(initialCapacity: 0)
      let wide = builder.createVector64(values, alignment: alignment)
      let vector = builder.create(vector: values, alignment: alignment)
      #expect(builder.count < 256)
      builder.startTable(fieldCount: 2)
      builder.add(vector, at: 4)
      builder.add(wide, at: 6)
      let root = builder.endTable()
      let table = try #require(FlatBufferTable(rootOf: ByteBuffer(bytesOf(&builder, root: root))))
      #expect((table.vector(at: 4) as FlatBufferVector<UInt8>).array == Array(0..<100))
      #expect((table.vector(at: 4) as FlatBufferVector<Percent>).array == values)
      #expect((table.vector(vector64At: 6) as FlatBufferVector<Percent>).array == values)
    }
  }

  @Test("A shared string is written once, even if the buffer grows in between, and other strings get other offsets")
  func sharedStrings() throws {
    var builder = FlatBufferBuilder(initialCapacity: 64)
    let words = (0..<200).map { "word \($0 % 50) \(String(repeating: "é", count: $0 % 50))" } + ["", "", "\0", "\0\0"]
    let offsets = words.map { builder.createShared($0) }
    #expect(Set(offsets).count == 53)
    #expect(builder.createShared(nil).isNull)
    let count = builder.count
    #expect(builder.createShared("word 7 \(String(repeating: "é", count: 7))") == offsets[7])
    #expect(builder.count == count)
    let vector = builder.create(vector: offsets)
    builder.startTable(fieldCount: 1)
    builder.add(vector, at: 4)
    let root = builder.endTable()
    let table = try #require(FlatBufferTable(rootOf: ByteBuffer(bytesOf(&builder, root: root))))
    #expect(table.array(at: 4) == words)

    builder.clear()
    // After clear, a string is written again.
    let again = builder.createShared("word 7 \(String(repeating: "é", count: 7))")
    #expect(again.rawValue == UInt32(builder.count))
  }

  @Test("The size prefix is at position 0 and the file identifier at position 8")
  func header() throws {
    var builder = FlatBufferBuilder()
    let root = Leaf(name: "x", value: 1).write(&builder)
    let bytes = bytesOf(&builder, root: root, fileIdentifier: "ABCD", sizePrefixed: true)
    #expect(Array(bytes[8..<12]) == Array("ABCD".utf8))
    #expect(Int(bytes[0]) | Int(bytes[1]) << 8 == bytes.count - 4)
    let buffer = ByteBuffer(bytes)
    #expect(buffer.hasFileIdentifier("ABCD", sizePrefixed: true))
    #expect(!buffer.hasFileIdentifier("ABCE", sizePrefixed: true))
    #expect(!buffer.hasFileIdentifier("ABCD"))
    #expect(!buffer.hasFileIdentifier("ABC", sizePrefixed: true))
    #expect(LeafView(root: buffer, sizePrefixed: true)?.name == "x")
  }
}

/// A scalar that takes 16 bytes in memory, and one in a buffer.
private struct Percent: FlatBufferScalar, Equatable {
  var fraction: Double
  var note: UInt64 = .max

  init(fraction: Double) {
    self.fraction = fraction
  }

  init(flatBufferBits bits: UInt8) {
    self.init(fraction: Double(bits) / 100)
  }

  var flatBufferBits: UInt8 { UInt8((fraction * 100).rounded()) }
}
