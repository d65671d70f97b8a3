import Testing

@testable import FlatBuffersCore
@testable import BufferJobs

@Suite("Readers return the stored values, and defaults for absent or damaged ones")
struct ReaderTests {
  @Test("An empty table reads as defaults")
  func emptyTable() {
    let view = EverythingView(.empty)
    var expected = Everything()
    expected.name = "<absent>"
    #expect(Everything(view) == expected)
    #expect(!view._table.hasField(at: 4))
  }

  @Test("Bytes that are too few for a FlatBuffer have no root table", arguments: [0, 1, 3, 4, 7])
  func tooShort(count: Int) {
    #expect(FlatBufferTable(rootOf: ByteBuffer([UInt8](repeating: 0, count: count))) == nil)
    #expect(FlatBufferTable(rootOf: ByteBuffer([UInt8](repeating: 255, count: count))) == nil)
    #expect(FlatBufferTable(rootOf: ByteBuffer([UInt8](repeating: 4, count: count)), sizePrefixed: true) == nil)
  }

  @Test("The root is nil if the root or its vtable is outside the buffer, in either direction")
  func rootsOutside() {
    func root(_ offset: UInt32, _ distance: Int32, vtableSize: UInt32 = 4) -> FlatBufferTable? {
      var bytes: [UInt8] = []
      for word in [offset, UInt32(bitPattern: distance), vtableSize] {
        for shift in 0..<4 as Range<UInt32> { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * shift))) }
      }
      return FlatBufferTable(rootOf: ByteBuffer(bytes))
    }
    #expect(root(4, -4) != nil)
    // A vtable of odd size is readable, although the verifier refuses it: its incomplete last entry is ignored.
    #expect(root(4, -4, vtableSize: 3)?.hasField(at: 4) == false)
    #expect(root(4, -4, vtableSize: 6) == nil)
    #expect(root(4, -8) == nil)
    #expect(root(4, 4) != nil)
    #expect(root(4, 5) == nil)
    #expect(root(4, .min) == nil)
    #expect(root(4, .max) == nil)
    #expect(root(9, 0) == nil)
    #expect(root(12, 0) == nil)
    #expect(root(.max, 0) == nil)
    #expect(root(0x8000_0004, 0) == nil)
  }

  @Test("A buffer of 2 GiB is refused before any byte is read")
  func tooLarge() {
    let byte = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
    defer { byte.deallocate() }
    byte.initializeMemory(as: UInt8.self, repeating: 0, count: 16)
    // Only the first 16 bytes are allocated: reading further could crash.
    let huge = ByteBuffer(unsafeBorrowing: UnsafeRawBufferPointer(start: byte, count: Int(Int32.max) + 1))
    #expect(FlatBufferTable(rootOf: huge) == nil)
    #expect(LeafView(root: huge) == nil)
    #expect(throws: FlatBufferError.bufferTooLarge(count: 1 << 31, limit: Int(Int32.max))) {
      try huge.verify(as: LeafView.self)
    }
  }

  @Test("Invalid UTF-8 is replaced by U+FFFD in strings, and unchanged in raw bytes")
  func invalidUTF8() throws {
    var builder = FlatBufferBuilder()
    let bytes: [UInt8] = [0x61, 0xFF, 0xC3, 0x00, 0x62]
    let name = bytes.withUnsafeBytes { builder.create(utf8: $0) }
    builder.startTable(fieldCount: 1)
    builder.add(name, at: 4)
    let root = builder.endTable()
    let buffer = ByteBuffer(bytesOf(&builder, root: root))
    try buffer.verify(as: LeafView.self)
    let view = try #require(LeafView(root: buffer))
    #expect(view.name == "a\u{FFFD}\u{FFFD}\u{0}b")
    #expect(view._table.withUTF8(at: 4) { $0.map { [UInt8]($0) } } == bytes)
  }

  @Test("A vector keeps its bytes alive after the buffer has been released")
  func lifetime() throws {
    func leaves() throws -> FlatBufferVector<LeafView> {
      var object = Everything()
      object.leaves = (0..<100).map { Leaf(name: "leaf number \($0)", value: $0) }
      return try #require(EverythingView(root: object.buffer())).leaves
    }
    let vector = try leaves()
    let noise = (0..<1000).map { [UInt8](repeating: UInt8($0 & 255), count: $0) }
    #expect(vector.map(\.name) == (0..<100).map { "leaf number \($0)" })
    #expect(noise.count == 1000)
  }

  @Test("A vector works with the standard collection methods")
  func vectorAsCollection() throws {
    var object = Everything()
    object.shorts = [5, -1, 32767, -32768, 0]
    object.strings = ["b", "a", "", "c\u{0}d"]
    object.bools = [true, false, true]
    let view = try #require(EverythingView(root: object.buffer()))
    #expect(Array(view.shorts) == [5, -1, 32767, -32768, 0])
    #expect(view.shorts.reversed() == [0, -32768, 32767, -1, 5])
    #expect(Array(view.shorts[1..<3]) == [-1, 32767])
    #expect(view.shorts.first == 5 && view.shorts.last == 0)
    #expect(view.strings.sorted() == ["", "a", "b", "c\u{0}d"])
    #expect(view.bools.array == [true, false, true])
    #expect(view.longs.isEmpty && view.longs.first == nil)
  }

  @Test("A Bool is false if its byte is 0, else true")
  func bools() throws {
    var builder = FlatBufferBuilder()
    let vector = builder.create(vector: [0, 1, 2, 255] as [UInt8])
    builder.startTable(fieldCount: 2)
    builder.add(vector, at: 4)
    builder.add(2 as UInt8?, at: 6)
    let root = builder.endTable()
    let table = try #require(FlatBufferTable(rootOf: ByteBuffer(bytesOf(&builder, root: root))))
    #expect(table.array(of: Bool.self, at: 4) == [false, true, true, true])
    #expect(Array(table.vector(of: Bool.self, at: 4)) == [false, true, true, true])
    #expect(table.scalar(at: 6, default: false) == true)
  }

  @Test("A field that exceeds the buffer when it is read as a larger type is absent")
  func scalarAtTheEnd() throws {
    // The root's field is the buffer's last byte.
    let bytes: [UInt8] = [12, 0, 0, 0, 6, 0, 5, 0, 4, 0, 0, 0, 8, 0, 0, 0, 77]
    let table = try #require(FlatBufferTable(rootOf: ByteBuffer(bytes)))
    #expect(table.scalar(at: 4, default: 0 as UInt8) == 77)
    #expect(table.scalar(at: 4, default: 9 as UInt16) == 9)
    #expect(table.optionalScalar(UInt64.self, at: 4) == nil)
    #expect(table.structure(at: 4, size: 2) == nil)
    #expect(table.string(at: 4) == nil && table.table(at: 4) == nil)
    #expect(table.vector(of: UInt8.self, at: 4).isEmpty)
    #expect(table.scalar(at: 5, default: 9 as UInt8) == 9)
    #expect(table.scalar(at: .max, default: 9 as UInt8) == 9)
  }

  @Test("Reading outside a struct returns zero or an empty value")
  func structBounds() throws {
    var object = Everything()
    object.position = Vec3(x: 1, y: 2, z: 3)
    object.i64 = -1
    let structure = try #require(EverythingView(root: object.buffer())?.position?._structure)
    #expect(structure.byteCount == 12)
    #expect(structure.scalar(Float.self, at: 8) == 3)
    #expect(structure.scalar(Float.self, at: 9) == 0)
    #expect(structure.scalar(UInt8.self, at: -1) == 0)
    #expect(structure.scalar(UInt8.self, at: .max) == 0)
    #expect(structure.structure(at: 8, size: 5).byteCount == 0)
    #expect(structure.structure(at: 8, size: 4).scalar(Float.self, at: 0) == 3)
    #expect(structure.fixedArray(of: Float.self, at: 0, count: 3).array == [1, 2, 3])
    #expect(structure.fixedArray(of: Float.self, at: 0, count: 4).isEmpty)
    #expect(structure.fixedArray(of: Float.self, at: 0, count: .max).isEmpty)
  }

  @Test("Editing outside a struct changes nothing, and its arrays there are empty")
  func structEditorBounds() throws {
    var object = Everything()
    object.position = Vec3(x: 1, y: 2, z: 3)
    let bytes = try EditableFlatBuffer(copying: object.buffer())
    let view = try #require(EverythingView(root: bytes.buffer)?.position?._structure)
    let editor = FlatBufferStructEditor(view, of: bytes)
    let before = bytes.buffer.array
    for (offset, count) in [
      (-1, 1), (-4, 3), (0, -1), (0, 4), (9, 1), (13, 0), (.max, 1), (.min, 1), (0, .max), (4, .min),
    ] {
      let array = editor.fixedArray(of: Float.self, at: offset, count: count)
      #expect(array.isEmpty, "\(count) at \(offset)")
    }
    for offset in [-4, -1, 9, 12, .max, .min] { editor.set(7 as Float, at: offset) }
    #expect(bytes.buffer.array == before)
    #expect(Array(editor.fixedArray(of: Float.self, at: 4, count: 2)) == [2, 3])
    #expect(editor.fixedArray(of: Float.self, at: 12, count: 0).isEmpty)
    editor.set(7 as Float, at: 8)
    #expect(EverythingView(root: bytes.buffer)?.position?.z == 7)
  }

  @Test("A slice has the bytes in its range, and is nil if the range exceeds the buffer")
  func slices() {
    let buffer = ByteBuffer([1, 2, 3, 4])
    #expect(buffer.slice(1..<3)?.array == [2, 3])
    #expect(buffer.slice(4..<4)?.count == 0)
    #expect(buffer.slice(3..<5) == nil)
    #expect(ByteBuffer([]).array.isEmpty)
  }
}
