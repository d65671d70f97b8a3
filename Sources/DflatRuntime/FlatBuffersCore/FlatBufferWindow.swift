/// The bytes of one FlatBuffer, of which there are less than 2 GiB, so that every position inside is a positive `Int`
/// even where that has 32 bits. Tables, structs and vectors are positions in one.
@frozen
public struct FlatBufferWindow: @unchecked Sendable {
  // Unchecked for the same reason as ByteBuffer, whose parts these are.

  @usableFromInline let base: UnsafeRawPointer
  @usableFromInline let owner: ByteBuffer.Storage?
  @usableFromInline let size: UInt32
  /// How many tables lie on the way from the root to what this window was handed to; and `ReadingBudget.mark`, when it is
  /// read within a budget.
  @usableFromInline let depth: UInt16
  // 22 bytes: a table, a struct and a vector each add no more than 10, so that four registers hold them.

  /// Tables nested deeper than this read as absent: damaged bytes can nest a recursive type as deep as they are long,
  /// and whoever follows them would run out of stack. Twice what a verifier accepts when it is not told otherwise.
  @inlinable
  public static var maximumDepth: Int { 128 }

  /// The largest size of a FlatBuffer: offsets to vtables are signed and have 32 bits.
  @inlinable
  public static var maximumCount: Int { Int(Int32.max) }

  @inlinable @inline(__always)
  init(base: UnsafeRawPointer, owner: ByteBuffer.Storage?, size: UInt32, depth: UInt16 = 0) {
    self.base = base
    self.owner = owner
    self.size = size
    self.depth = depth
  }

  /// All bytes of `buffer`; nil when they are more than ``maximumCount``.
  @inlinable
  public init?(_ buffer: ByteBuffer) {
    guard buffer.count <= FlatBufferWindow.maximumCount else { return nil }
    self.init(base: buffer.base, owner: buffer.owner, size: UInt32(truncatingIfNeeded: buffer.count))
  }

  /// The same; nil also when there is no room for the offset of a root.
  @inlinable @inline(__always)
  init?(ofFourBytesOrMore buffer: ByteBuffer) {
    // One comparison for both: what is negative is larger than every size.
    guard _fastPath(UInt(bitPattern: buffer.count &- 4) <= UInt(bitPattern: FlatBufferWindow.maximumCount &- 4)) else {
      return nil
    }
    self.init(base: buffer.base, owner: buffer.owner, size: UInt32(truncatingIfNeeded: buffer.count))
  }

  @inlinable @inline(__always)
  static var empty: FlatBufferWindow { FlatBufferWindow(base: ByteBuffer.nowhere, owner: nil, size: 0) }

  /// The number of bytes.
  @inlinable @inline(__always)
  public var count: Int { Int(truncatingIfNeeded: size) }

  /// The bytes as a buffer.
  @inlinable
  public var buffer: ByteBuffer { ByteBuffer(base: base, owner: owner, count: count) }

  /// Whether `count` bytes from `position` on are inside.
  @inlinable @inline(__always)
  public func contains(_ position: Int, count bytes: Int) -> Bool {
    bytes >= 0 && position >= 0 && bytes <= count && position <= count - bytes
  }

  /// Whether an offset, a length or the start of a table at `position` is inside.
  @inlinable @inline(__always)
  func containsFourBytes(at position: Int) -> Bool {
    // What is negative is larger than every size.
    count >= 4 && UInt(bitPattern: position) <= UInt(bitPattern: count &- 4)
  }

  /// The little-endian integer at `position`, which need not be aligned. The caller has made sure that it is inside.
  @inlinable @inline(__always)
  func load<Bits: FixedWidthInteger & BitwiseCopyable>(_: Bits.Type, at position: Int) -> Bits {
    assert(contains(position, count: MemoryLayout<Bits>.size))
    let bits = base.loadUnaligned(fromByteOffset: position, as: Bits.self)
    // Without this the last reference to the owner could be given up before its memory is read.
    withExtendedLifetime(owner) {}
    return Bits(littleEndian: bits)
  }

  /// The scalar at `position`, which must be inside the window.
  @inlinable @inline(__always)
  public func scalar<T: FlatBufferScalar>(_: T.Type = T.self, at position: Int) -> T {
    // Swift's own, which is no branch to the optimizer.
    Swift.precondition(
      contains(position, count: MemoryLayout<T.Bits>.size), "A scalar was asked for outside the FlatBuffer's bytes.")
    return T(flatBufferBits: load(T.Bits.self, at: position))
  }

  /// Where the offset at `position` leads to, which may be the very end of the window; nil when it leads out of it.
  /// The caller has made sure that the offset's own four bytes are inside.
  @inlinable @inline(__always)
  func target(ofOffsetAt position: Int) -> Int? {
    let offset = load(UInt32.self, at: position)
    guard offset <= size &- UInt32(truncatingIfNeeded: position) else { return nil }
    return position &+ Int(truncatingIfNeeded: offset)
  }

  /// Where the offset at `position` leads to, if at least four bytes are there: a table, a length. Nil when they are not
  /// inside, or the offset is 0, which leads to itself. The caller has made sure that the offset's own four bytes are.
  @inlinable @inline(__always)
  func reference(at position: Int) -> Int? {
    let offset = load(UInt32.self, at: position)
    // One comparison for both: 0 less 1 is larger than every size. That bytes are damaged is the exception, here and
    // below, and saying so (`_fastPath`) keeps what is then done out of the way.
    guard _fastPath(UInt64(offset) &- 1 < UInt64(truncatingIfNeeded: count &- 4 &- position)) else { return nil }
    return position &+ Int(truncatingIfNeeded: offset)
  }

  /// The same for an offset in a vector, which may be 0.
  @inlinable @inline(__always)
  func elementReference(at position: Int) -> Int? {
    let offset = load(UInt32.self, at: position)
    guard _fastPath(UInt64(offset) <= UInt64(truncatingIfNeeded: count &- 4 &- position)) else { return nil }
    return position &+ Int(truncatingIfNeeded: offset)
  }

  /// The content of the string whose length stands at `position`, without its terminator; nil when it is not all inside.
  /// The pointer is good for as long as the window's bytes are. The caller has made sure that the length is inside.
  @inlinable @inline(__always)
  func utf8(lengthAt position: Int) -> UnsafeRawBufferPointer? {
    guard let (start, count) = elements(lengthAt: position, stride: 1) else { return nil }
    return UnsafeRawBufferPointer(start: base + start, count: count)
  }

  /// The same, at a position of which nothing is known.
  @inlinable @inline(__always)
  func utf8(at position: Int) -> UnsafeRawBufferPointer? {
    containsFourBytes(at: position) ? utf8(lengthAt: position) : nil
  }

  @inlinable @inline(__always)
  func string(at position: Int) -> String? {
    containsFourBytes(at: position) ? string(lengthAt: position) : nil
  }

  @inlinable @inline(__always)
  func string(lengthAt position: Int) -> String? {
    guard let bytes = utf8(lengthAt: position) else { return nil }
    let string = FlatBufferWindow.string(ofUTF8: bytes)
    withExtendedLifetime(owner) {}
    return string
  }

  /// A copy of `bytes`, in which what is not UTF-8 is replaced by U+FFFD. Takes the bytes alone, and not what owns them,
  /// and says that it lets go of no object but its own, so that no caller has to count a reference for it.
  @inlinable @inline(never) @_effects(releasenone)
  static func string(ofUTF8 bytes: UnsafeRawBufferPointer) -> String {
    guard bytes.count < ReadingBudget.freeBytes else { return ReadingBudget.string(ofUTF8: bytes) }
    return String(decoding: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
  }

  /// Start and number of the elements, `stride` bytes each, of the vector whose length stands at `position`; nil when not
  /// all are inside. The caller has made sure that the length is.
  @inlinable @inline(__always)
  func elements(lengthAt position: Int, stride: Int) -> (start: Int, count: Int)? {
    let length = load(UInt32.self, at: position)
    let start = position &+ 4
    guard stride > 0,
      _fastPath(UInt64(length) &* UInt64(truncatingIfNeeded: stride) <= UInt64(truncatingIfNeeded: count &- start))
    else { return nil }
    return (start, Int(truncatingIfNeeded: length))
  }

  /// The same, at a position of which nothing is known.
  @inlinable @inline(__always)
  func elements(at position: Int, stride: Int) -> (start: Int, count: Int)? {
    containsFourBytes(at: position) ? elements(lengthAt: position, stride: stride) : nil
  }
}
