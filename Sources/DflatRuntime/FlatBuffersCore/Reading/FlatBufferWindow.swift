/// The bytes of one FlatBuffer. Tables, structs and vectors are positions in a window.
///
/// A window has less than 2 GiB, so that every position in it fits an `Int` of 32 bits.
@frozen
public struct FlatBufferWindow: @unchecked Sendable {
  // Unchecked for the same reason as `ByteBuffer`, to which `base` and `owner` belong.

  @usableFromInline let base: UnsafeRawPointer
  @usableFromInline let owner: ByteBuffer.Storage?
  /// `size`, above it `depth`, and in the upper 16 bits the `vtableSize` of the table whose window this is.
  @usableFromInline let sizeAndDepth: UInt64
  // A table and a struct add one number of 64 bits each. So they are four values, which four registers hold as they are.
  // Were `size` and `depth` values of their own, code that is compiled without optimization would put the registers
  // together in memory before each call.

  /// The maximum nesting depth: tables nested deeper read as absent. The nesting of recursive types in damaged bytes is
  /// bounded only by the size of the buffer, and following it would overflow the stack. 128 is twice the default limit
  /// of the verifier.
  @inlinable
  public static var maximumDepth: Int { 128 }

  /// The maximum size of a FlatBuffer in bytes, 2 GiB - 1: offsets to vtables are signed and have 32 bits.
  @inlinable
  public static var maximumCount: Int { Int(Int32.max) }

  // Inlined for the benchmark rows "read every field, strings by their bytes" and "read every field, strings as
  // String": each access to the bytes passes here. The copy of a string stays out of line.
  @inlinable @inline(__always)
  init(base: UnsafeRawPointer, owner: ByteBuffer.Storage?, size: UInt32, depth: UInt16 = 0, vtableSize: UInt16 = 0) {
    self.base = base
    self.owner = owner
    self.sizeAndDepth = UInt64(size) | UInt64(depth) << 32 | UInt64(vtableSize) << 48
  }

  @inlinable @inline(__always)
  var size: UInt32 { UInt32(truncatingIfNeeded: sizeAndDepth) }

  /// The number of tables on the path from the root to the holder of this window; plus `ReadingBudget.depthFlag` while
  /// the buffer is read within a budget.
  @inlinable @inline(__always)
  var depth: UInt16 { UInt16(truncatingIfNeeded: sizeAndDepth >> 32) }

  /// The size in bytes of the vtable of the table whose window this is.
  @inlinable @inline(__always)
  var vtableSize: UInt16 { UInt16(truncatingIfNeeded: sizeAndDepth >> 48) }

  /// A window of all bytes of `buffer`; nil if it has more than ``maximumCount``.
  @inlinable
  public init?(_ buffer: ByteBuffer) {
    guard buffer.count <= FlatBufferWindow.maximumCount else { return nil }
    self.init(base: buffer.base, owner: buffer.owner, size: UInt32(truncatingIfNeeded: buffer.count))
  }

  /// A window of all bytes of `buffer`; nil if it has more than ``maximumCount``, or less than the 4 bytes of a root
  /// offset.
  @inlinable @inline(__always)
  init?(ofFourBytesOrMore buffer: ByteBuffer) {
    // One comparison checks both bounds: as an unsigned number, a negative one exceeds every size.
    guard _fastPath(UInt(bitPattern: buffer.count &- 4) <= UInt(bitPattern: FlatBufferWindow.maximumCount &- 4)) else {
      return nil
    }
    self.init(base: buffer.base, owner: buffer.owner, size: UInt32(truncatingIfNeeded: buffer.count))
  }

  @inlinable @inline(__always)
  static var empty: FlatBufferWindow { FlatBufferWindow(base: ByteBuffer.emptyAddress, owner: nil, size: 0) }

  /// The number of bytes.
  @inlinable @inline(__always)
  public var count: Int { Int(truncatingIfNeeded: size) }

  /// The bytes as a buffer.
  @inlinable
  public var buffer: ByteBuffer { ByteBuffer(base: base, owner: owner, count: count) }

  /// Returns whether the `count` bytes at `position` are inside the window.
  @inlinable @inline(__always)
  public func contains(_ position: Int, count bytes: Int) -> Bool {
    bytes >= 0 && position >= 0 && bytes <= count && position <= count - bytes
  }

  /// Returns whether the 4 bytes at `position` are inside: an offset, a length, or the start of a table.
  @inlinable @inline(__always)
  func containsFourBytes(at position: Int) -> Bool {
    // As an unsigned number, a negative position exceeds every size.
    count >= 4 && UInt(bitPattern: position) <= UInt(bitPattern: count &- 4)
  }

  /// Returns the little-endian integer at `position`, which need not be aligned. The caller guarantees that it is inside.
  @inlinable @inline(__always)
  func load<Bits: FixedWidthInteger & BitwiseCopyable>(_: Bits.Type, at position: Int) -> Bits {
    // Only an assertion: each caller has compared the position with the size.
    assert(contains(position, count: MemoryLayout<Bits>.size))
    let bits = base.loadUnaligned(fromByteOffset: position, as: Bits.self)
    // Otherwise the optimizer could release the owner before its memory is read.
    withExtendedLifetime(owner) {}
    return Bits(littleEndian: bits)
  }

  /// Returns the scalar at `position`. If not all of its bytes are inside the window, the program stops.
  @inlinable @inline(__always)
  public func scalar<T: FlatBufferScalar>(_: T.Type = T.self, at position: Int) -> T {
    precondition(
      contains(position, count: MemoryLayout<T.Bits>.size),
      "A scalar was asked for outside the FlatBuffer's bytes: ask contains(_:count:) before.")
    return T(flatBufferBits: load(T.Bits.self, at: position))
  }

  /// Returns the target of the offset at `position`, which may be the end of the window; nil if it is outside. The caller
  /// guarantees that the offset's own 4 bytes are inside.
  @inlinable @inline(__always)
  func target(ofOffsetAt position: Int) -> Int? {
    let offset = load(UInt32.self, at: position)
    guard offset <= size &- UInt32(truncatingIfNeeded: position) else { return nil }
    return position &+ Int(truncatingIfNeeded: offset)
  }

  /// Returns the target of the offset at `position`, a table or a length; nil if the target's first 4 bytes are not inside, or
  /// the offset is 0 and thus refers to itself. The caller guarantees that the offset's own 4 bytes are inside.
  @inlinable @inline(__always)
  func reference(at position: Int) -> Int? {
    let offset = load(UInt32.self, at: position)
    // One comparison checks both bounds: as an unsigned number, 0 - 1 exceeds every size. Damaged bytes are rare, here
    // and below: `_fastPath` moves the code that handles them out of the hot path.
    guard _fastPath(UInt64(offset) &- 1 < UInt64(truncatingIfNeeded: count &- 4 &- position)) else { return nil }
    return position &+ Int(truncatingIfNeeded: offset)
  }

  /// Returns the target of the vector element at `position`, an offset; nil if the target's first 4 bytes are not inside.
  /// Unlike in `reference(at:)`, the offset may be 0. The caller guarantees that the offset's own 4 bytes are inside.
  @inlinable @inline(__always)
  func elementReference(at position: Int) -> Int? {
    let offset = load(UInt32.self, at: position)
    guard _fastPath(UInt64(offset) <= UInt64(truncatingIfNeeded: count &- 4 &- position)) else { return nil }
    return position &+ Int(truncatingIfNeeded: offset)
  }

  /// Returns the content of the string at `position`, without its terminator; nil if it exceeds the window. The pointer is
  /// valid as long as the window's bytes are. The caller guarantees that the string's length, the first 4 bytes, is
  /// inside.
  @inlinable @inline(__always)
  func utf8(lengthAt position: Int) -> UnsafeRawBufferPointer? {
    guard let (start, count) = elements(lengthAt: position, stride: 1) else { return nil }
    return UnsafeRawBufferPointer(start: base + start, count: count)
  }

  /// Returns the content of the string at `position`, without its terminator; nil if the string, or its length of 4 bytes,
  /// exceeds the window. The pointer is valid as long as the window's bytes are.
  @inlinable
  func utf8(at position: Int) -> UnsafeRawBufferPointer? {
    containsFourBytes(at: position) ? utf8(lengthAt: position) : nil
  }

  @inlinable
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

  /// Returns a copy of `bytes` as a string, with invalid UTF-8 replaced by U+FFFD. It takes the bytes without their owner, and
  /// `_effects(releasenone)` declares that it releases no object of the caller, so that callers need not retain the
  /// owner.
  @inlinable @inline(never) @_effects(releasenone)
  static func string(ofUTF8 bytes: UnsafeRawBufferPointer) -> String {
    guard bytes.count < ReadingBudget.freeBytes else { return ReadingBudget.string(ofUTF8: bytes) }
    return String(decoding: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
  }

  /// Returns the start position and number of the elements of the vector at `position`, `stride` bytes each; nil if they exceed
  /// the window. The caller guarantees that the vector's length, the first 4 bytes, is inside.
  @inlinable @inline(__always)
  func elements(lengthAt position: Int, stride: Int) -> (start: Int, count: Int)? {
    let length = load(UInt32.self, at: position)
    let start = position &+ 4
    guard stride > 0,
      _fastPath(UInt64(length) &* UInt64(truncatingIfNeeded: stride) <= UInt64(truncatingIfNeeded: count &- start))
    else { return nil }
    return (start, Int(truncatingIfNeeded: length))
  }

  /// Returns the start position and number of the elements of the vector at `position`, `stride` bytes each; nil if they, or
  /// the vector's length of 4 bytes, exceed the window.
  @inlinable
  func elements(at position: Int, stride: Int) -> (start: Int, count: Int)? {
    containsFourBytes(at: position) ? elements(lengthAt: position, stride: stride) : nil
  }
}
