import FlatBuffersCore
import TestSupport
import Testing

/// `table Far { text: string (offset64); numbers: [ushort] (vector64); count: int; near: string; points: [Vec3] (vector64);
/// halves: [double] (offset64); inner: [ubyte] (vector64, nested_flatbuffer: "Far");
/// other: [ubyte] (offset64, nested_flatbuffer: "Far"); }`
private struct FarView: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  var text: String? { _table.string(offset64At: 4) }
  var textBytes: FlatBufferVector<UInt8>? { _table.bytes(offset64At: 4) }
  var numbers: FlatBufferVector<UInt16> { _table.vector(vector64At: 6) }
  var count: Int32 { _table.scalar(at: 8, default: 0) }
  var near: String? { _table.string(at: 10) }
  var points: FlatBufferVector<FlatBufferTestPoint> { _table.vector(vector64At: 12) }
  var halves: FlatBufferVector<Double> { _table.vector(offset64At: 14) }
  var inner: FarView? { _table.nestedRoot(vector64At: 16) }
  var other: FarView? { _table.nestedRoot(offset64At: 18) }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.string(in: table, offset64At: 4)
    try verifier.vector(of: UInt16.self, in: table, vector64At: 6)
    try verifier.scalar(Int32.self, in: table, at: 8)
    try verifier.string(in: table, at: 10)
    try verifier.vector(of: FlatBufferTestPoint.self, in: table, vector64At: 12)
    try verifier.vector(of: Double.self, in: table, offset64At: 14)
    try verifier.nestedBuffer(of: FarView.self, in: table, vector64At: 16)
    try verifier.nestedBuffer(of: FarView.self, in: table, offset64At: 18)
    verifier.endTable()
  }
}

/// `struct Point { x: double; y: int; }`
private struct FlatBufferTestPoint: FlatBufferStructView {
  static var byteSize: Int { 16 }
  static var byteAlignment: Int { 8 }
  let _structure: FlatBufferStruct
  init(_ structure: FlatBufferStruct) { _structure = structure }
  var x: Double { _structure.scalar(at: 0) }
  var y: Int32 { _structure.scalar(at: 8) }
}

private struct PointValue: FlatBufferStructWritable, Hashable {
  var x: Double
  var y: Int32
  static var byteSize: Int { 16 }
  static var byteAlignment: Int { 8 }
  func write(to writer: inout FlatBufferStructWriter) {
    writer.set(x, at: 0)
    writer.set(y, at: 8)
  }
}

/// The values of a `Far`.
private struct Far: Equatable {
  var text: String?
  var numbers: [UInt16]?
  var count: Int32 = 0
  var near: String?
  var points: [PointValue]?
  var halves: [Double]?
  var inner: ByteBuffer?
  var other: ByteBuffer?

  init() {}

  init(_ view: FarView) {
    text = view.text
    numbers = view._table.hasField(at: 6) ? view.numbers.array : nil
    count = view.count
    near = view.near
    points = view._table.hasField(at: 12) ? view.points.map { PointValue(x: $0.x, y: $0.y) } : nil
    halves = view._table.hasField(at: 14) ? view.halves.array : nil
    inner = view._table.nestedBuffer(vector64At: 16)
    other = view._table.nestedBuffer(offset64At: 18)
  }

  init(using random: inout SeededGenerator, depth: Int = 0) {
    func sometimes() -> Bool { random.chance(2, in: 3) }
    func size() -> Int { random.chance(1, in: 4) ? 0 : Int.random(in: 1...9, using: &random) }
    if sometimes() { text = String(repeating: "é", count: size()) }
    if sometimes() { numbers = (0..<size()).map { _ in .random(in: 0 ... .max, using: &random) } }
    if sometimes() { count = .random(in: .min ... .max, using: &random) }
    if sometimes() { near = String(repeating: "n", count: size()) }
    if sometimes() {
      points = (0..<size()).map { PointValue(x: Double($0), y: .random(in: 0...9, using: &random)) }
    }
    if sometimes() { halves = (0..<size()).map { Double($0) / 2 } }
    guard depth < 2 else { return }
    if sometimes() { inner = Far(using: &random, depth: depth + 1).buffer() }
    if sometimes() { other = Far(using: &random, depth: depth + 1).buffer() }
  }

  func write(_ builder: inout FlatBufferBuilder) -> Offset {
    let textOffset = builder.createOffset64(text)
    let numbersOffset = numbers.map { builder.createVector64($0) } ?? .null
    let pointsOffset = points.map { builder.createVector64($0) } ?? .null
    let halvesOffset = halves.map { builder.createOffset64(vector: $0) } ?? .null
    let innerOffset = inner.map { builder.createVector64(nested: $0) } ?? .null
    let otherOffset = other.map { builder.createOffset64(nested: $0) } ?? .null
    let nearOffset = builder.create(near)
    builder.startTable(fieldCount: 8)
    builder.add(otherOffset, at: 18)
    builder.add(innerOffset, at: 16)
    builder.add(halvesOffset, at: 14)
    builder.add(pointsOffset, at: 12)
    builder.add(numbersOffset, at: 6)
    builder.add(textOffset, at: 4)
    builder.add(nearOffset, at: 10)
    builder.add(count, default: 0, at: 8)
    return builder.endTable()
  }

  func buffer(sizePrefixed: Bool = false) -> ByteBuffer {
    var builder = FlatBufferBuilder(initialCapacity: 64)
    let root = write(&builder)
    do throws(FlatBufferError) {
      try builder.finish(root, sizePrefixed: sizePrefixed)
    } catch {
      Issue.record("\(error)")
    }
    return builder.finishedBuffer()
  }

  static func == (lhs: Far, rhs: Far) -> Bool {
    lhs.text == rhs.text && lhs.numbers == rhs.numbers && lhs.count == rhs.count && lhs.near == rhs.near
      && lhs.points == rhs.points && lhs.halves == rhs.halves && lhs.inner?.array == rhs.inner?.array
      && lhs.other?.array == rhs.other?.array
  }
}

/// No flatc is at hand that knows these fields: Debian's is 2.0.8. The layouts below are worked out by hand from
/// FlatBuffers' own annotated example, `tests/64bit/test_64bit.afb`.
@Suite("Strings and vectors with 64-bit offsets")
struct Offset64Tests {
  /// The buffer of `{ text: "hi", numbers: [1, 2, 3], count: 7, near: "t" }`, written from its end: first the objects with
  /// 64-bit offsets, so that they stand last.
  private static let expected: [UInt8] = [
    20, 0, 0, 0,  // 0: the offset to the root table
    0, 0, 0, 0,  // 4: padding, since the table has fields of 8 bytes
    12, 0, 28, 0,  // 8: the vtable: its size, and that of the table
    12, 0, 20, 0, 4, 0, 8, 0,  // 12: where text, numbers, count and near are in the table
    12, 0, 0, 0,  // 20: the table: the distance back to its vtable
    7, 0, 0, 0,  // 24: count
    20, 0, 0, 0,  // 28: near, at 28 + 20
    40, 0, 0, 0, 0, 0, 0, 0,  // 32: text, at 32 + 40: 64 bits, a multiple of 8
    16, 0, 0, 0, 0, 0, 0, 0,  // 40: numbers, at 40 + 16
    1, 0, 0, 0, 0x74, 0, 0, 0,  // 48: "t", its end, and padding
    3, 0, 0, 0, 0, 0, 0, 0,  // 56: the length of numbers: 64 bits, a multiple of 8
    1, 0, 2, 0, 3, 0, 0, 0,  // 64: numbers, and padding
    2, 0, 0, 0, 0x68, 0x69, 0, 0,  // 72: "hi": its length has 32 bits
  ]

  private static var example: Far {
    var far = Far()
    (far.text, far.numbers, far.count, far.near) = ("hi", [1, 2, 3], 7, "t")
    return far
  }

  @Test("Objects with 64-bit offsets stand behind all others, each with the layout of the FlatBuffers example")
  func bytes() throws {
    let buffer = Self.example.buffer()
    #expect(buffer.array == Self.expected)
    #expect(buffer.isValid(as: FarView.self))
    let view = try #require(FarView(root: buffer))
    #expect(Far(view) == Self.example)
    #expect(view.textBytes?.array == Array("hi".utf8))
    #expect(view._table.utf8(offset64At: 4).map { Array($0) } == Array("hi".utf8))
  }

  @Test("The elements of a 64-bit vector start at a multiple of 8, or of their own alignment")
  func alignment() throws {
    var builder = FlatBufferBuilder()
    // A string of one byte leaves the end of the buffer at an odd multiple of 4.
    _ = builder.createOffset64("")
    let bytes = builder.createVector64([1, 2, 3] as [UInt8])
    let wide = builder.createVector64(bytes: UnsafeRawBufferPointer(start: nil, count: 0), alignment: 32)
    let aligned = [UInt8](repeating: 7, count: 5).withUnsafeBytes { builder.createVector64(bytes: $0, alignment: 32) }
    builder.startTable(fieldCount: 3)
    builder.add(aligned, at: 8)
    builder.add(wide, at: 6)
    builder.add(bytes, at: 4)
    try builder.finish(builder.endTable())
    let buffer = builder.finishedBuffer()
    #expect(buffer.count % 32 == 0)
    let table = try #require(FlatBufferTable(rootOf: buffer))
    buffer.withUnsafeBytes { whole in
      func position(_ vector: FlatBufferVector<UInt8>) -> Int? {
        vector.withUnsafeBytes { part in
          part.baseAddress.flatMap { start in whole.baseAddress.map { start - $0 } }
        }
      }
      #expect(position(table.vector(vector64At: 4)).map { $0 % 8 } == 0)
      #expect(position(table.vector(vector64At: 6)).map { $0 % 8 } == 0)
      #expect(position(table.vector(vector64At: 8)).map { $0 % 32 } == 0)
    }
    #expect((table.vector(vector64At: 8) as FlatBufferVector<UInt8>).array == [7, 7, 7, 7, 7])
  }

  @Test("Random objects are read as they were written, in plain and in size-prefixed buffers")
  func roundTrip() throws {
    var random = SeededGenerator(seed: 6400)
    for index in 0..<400 {
      let far = Far(using: &random)
      let buffer = far.buffer(sizePrefixed: index % 2 == 1)
      let view = try FarView(verifying: buffer, sizePrefixed: index % 2 == 1)
      #expect(Far(view) == far, "\(index)")
      #expect((view.inner == nil) == (far.inner == nil) && (view.other == nil) == (far.other == nil))
    }
  }

  /// Reads everything. Returns whether each field that is present could be read.
  private func isReadable(_ view: FarView) -> Bool {
    var isReadable = true
    for (slot, value) in [(4, view.text), (10, view.near)] as [(VTableOffset, String?)]
    where view._table.hasField(at: slot) {
      isReadable = isReadable && value != nil
    }
    _ = view.numbers.reduce(0) { $0 ^ $1 }
    _ = view.points.reduce(0) { $0 + $1.x + Double($1.y) }
    _ = view.halves.reduce(0) { $0 + $1 }
    for (slot, root) in [(16, view.inner), (18, view.other)] as [(VTableOffset, FarView?)]
    where view._table.hasField(at: slot) {
      guard let root else { return false }
      isReadable = self.isReadable(root) && isReadable
    }
    return isReadable
  }

  @Test("Every change of a byte is refused by the verifier, or everything is still read inside the buffer")
  func changedBytes() throws {
    var far = Self.example
    far.points = [PointValue(x: 1, y: 2)]
    far.inner = Self.example.buffer()
    far.other = Self.example.buffer()
    let bytes = far.buffer().array
    var (accepted, refused) = (0, 0)
    for position in bytes.indices {
      for value in [0, 1, 2, 3, 4, 7, 8, 15, 16, 0x20, 0x40, 0x7F, 0x80, 0xF8, 0xFF] as [UInt8] {
        var changed = bytes
        changed[position] = value
        let buffer = ByteBuffer(changed)
        let isValid = buffer.isValid(as: FarView.self)
        // Bytes that are not verified are read safely, too.
        let wasRead = FarView(root: buffer).map { isReadable($0) }
        if isValid { #expect(wasRead == true, "\(value) at \(position)") }
        accepted += isValid ? 1 : 0
        refused += isValid ? 0 : 1
      }
    }
    #expect(accepted > 500 && refused > 500, "\(accepted) accepted, \(refused) refused")
  }

  @Test("A prefix of a buffer is refused by the verifier, and safe to read")
  func prefixes() {
    let bytes = Self.example.buffer().array
    for count in bytes.indices {
      let buffer = ByteBuffer(Array(bytes[..<count]))
      // The last byte is padding.
      #expect(!buffer.isValid(as: FarView.self) || count == bytes.count - 1, "\(count)")
      _ = FarView(root: buffer).map { isReadable($0) }
    }
  }

  /// The example with 8 bytes replaced.
  private func example(with number: UInt64, at position: Int) -> ByteBuffer {
    var bytes = Self.expected
    for index in 0..<8 { bytes[position + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))) }
    return ByteBuffer(bytes)
  }

  private func error(_ buffer: ByteBuffer) -> FlatBufferError? {
    do throws(FlatBufferError) {
      try buffer.verify(as: FarView.self)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "An offset beyond the buffer is refused, and reads as absent, whatever its 64 bits are",
    arguments: [
      0, 48, 1 << 31, 1 << 32 | 40, 1 << 32, .max, .max - 31, 1 << 63, 1 << 63 | 40, UInt64(UInt32.max), .max - 71,
    ] as [UInt64])
  func hostileOffsets(_ offset: UInt64) throws {
    let buffer = example(with: offset, at: 32)
    #expect(error(buffer) == .invalidOffset(position: 32))
    let view = try #require(FarView(root: buffer))
    #expect(view.text == nil && view.textBytes == nil && view._table.utf8(offset64At: 4) == nil)
    #expect(view._table.nestedBuffer(offset64At: 4) == nil)
  }

  @Test("An offset near the buffer's end reads as absent if its target's length exceeds the buffer")
  func offsetsToTheEnd() throws {
    for distance in 41...47 as ClosedRange<UInt64> {
      let view = try #require(FarView(root: example(with: distance, at: 32)))
      #expect(distance < 45 || view.text == nil, "\(distance)")
      #expect(!example(with: distance, at: 32).isValid(as: FarView.self), "\(distance)")
    }
    for distance in 33...39 as ClosedRange<UInt64> {
      let view = try #require(FarView(root: example(with: distance, at: 40)))
      #expect(view.numbers.isEmpty, "\(distance)")
      #expect(!example(with: distance, at: 40).isValid(as: FarView.self), "\(distance)")
    }
  }

  @Test(
    "A length of 64 bits beyond the buffer is refused, and reads as an empty vector",
    arguments: [
      9, 1 << 31, 1 << 32, 1 << 32 | 3, 1 << 62, 1 << 63, 1 << 63 | 3, .max, .max - 3, .max / 2, .max / 2 + 2,
      0x2000_0000_0000_0003, 0x8000_0000_0000_0001,
    ] as [UInt64])
  func hostileLengths(_ length: UInt64) throws {
    let buffer = example(with: length, at: 56)
    #expect([.vectorTooLong(position: 56), .outOfBounds(position: 56, count: 26)].contains(error(buffer)))
    let view = try #require(FarView(root: buffer))
    // 9 numbers exceed the buffer, 9 bytes do not.
    #expect(view.numbers.isEmpty && (length == 9 || view._table.nestedBuffer(vector64At: 6) == nil))
    #expect(view.points.isEmpty)
  }

  @Test("A misaligned 64-bit offset or length is refused, unless the alignment is not checked")
  func misalignment() throws {
    // In the table, `text` moves 4 bytes back, to 28.
    var bytes = Self.expected
    bytes[12] = 8
    #expect(error(ByteBuffer(bytes)) == .misaligned(position: 28, alignment: 8))
    // The length of `numbers` at 60, whose 64 bits are 0 and the elements 1 and 2.
    let buffer = example(with: 20, at: 40)
    #expect(error(buffer) == .misaligned(position: 60, alignment: 8))
    #expect(throws: FlatBufferError.vectorTooLong(position: 60)) {
      try buffer.verify(as: FarView.self, options: .init(checksAlignment: false))
    }
  }

  @Test("The elements of a vector with a 64-bit offset are overwritten in place")
  func editing() throws {
    var far = Self.example
    far.halves = [0.5, 1.5]
    let bytes = try EditableFlatBuffer(copying: far.buffer())
    let editor = try #require(FlatBufferTableEditor(rootOf: bytes))
    let numbers: FlatBufferVectorEditor<UInt16> = editor.vector(vector64At: 6)
    let halves: FlatBufferVectorEditor<Double> = editor.vector(offset64At: 14)
    #expect(Array(numbers) == [1, 2, 3] && Array(halves) == [0.5, 1.5])
    numbers[2] = 9
    halves[0] = -1
    #expect((editor.vector(vector64At: 12) as FlatBufferVectorEditor<Double>).isEmpty)
    (far.numbers, far.halves) = ([1, 2, 9], [-1, 1.5])
    #expect(Array(numbers) == [1, 2, 9] && Array(halves) == [-1, 1.5])
  }

  @Test("A builder that exceeds its limit in the 64-bit region fails in finish, and works again after clear")
  func sizeLimit() throws {
    var builder = FlatBufferBuilder(initialCapacity: 64, sizeLimit: 512)
    var random = SeededGenerator(seed: 6500)
    var (failures, successes) = (0, 0)
    for index in 0..<200 {
      builder.clear()
      let far = Far(using: &random, depth: 1)
      let root = far.write(&builder)
      do throws(FlatBufferError) {
        try builder.finish(root)
        successes += 1
        #expect(FarView(root: builder.finishedBuffer()).map { Far($0) } == far, "\(index)")
      } catch {
        failures += 1
        #expect(error == .builderTooLarge(limit: 512))
      }
    }
    #expect(failures > 10 && successes > 10, "\(failures) failures, \(successes) successes")
  }
}
