/// The bytes of one FlatBuffer, of which there are less than 2 GiB, so that every position inside is a positive `Int`
/// even where that has 32 bits. Tables, structs and vectors are positions in one.
@frozen
public struct FlatBufferWindow: @unchecked Sendable {
  // Unchecked for the same reason as ByteBuffer, whose parts these are.

  @usableFromInline let base: UnsafeRawPointer
  @usableFromInline let owner: ByteBuffer.Storage?
  @usableFromInline let size: UInt32
  /// How many tables lie on the way from the root to what this window was handed to.
  @usableFromInline let depth: UInt16
  // 22 bytes: a table, a struct and a vector each add no more than 10, so that four registers hold them.

  /// Tables nested deeper than this read as absent: damaged bytes can nest a recursive type as deep as they are long,
  /// and whoever follows them would run out of stack. Twice what a verifier accepts when it is not told otherwise.
  @inlinable
  public static var maximumDepth: Int { 128 }

  /// The largest size of a FlatBuffer: offsets to vtables are signed and have 32 bits.
  @inlinable
  public static var maximumCount: Int { Int(Int32.max) }

  @inlinable
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
    precondition(
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

  /// The content of the string at `position`, without its length and terminator; nil when it is not all inside.
  /// The pointer is good for as long as the window's bytes are.
  @inlinable @inline(__always)
  func utf8(at position: Int) -> UnsafeRawBufferPointer? {
    guard let (start, count) = elements(at: position, stride: 1) else { return nil }
    return UnsafeRawBufferPointer(start: base + start, count: count)
  }

  @inlinable
  func string(at position: Int) -> String? {
    guard let bytes = utf8(at: position) else { return nil }
    // Bytes that are not UTF-8 are repaired with U+FFFD.
    let string = String(decoding: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
    withExtendedLifetime(owner) {}
    return string
  }

  /// Start and number of the elements, `stride` bytes each, of the vector at `position`; nil when not all are inside.
  @inlinable @inline(__always)
  func elements(at position: Int, stride: Int) -> (start: Int, count: Int)? {
    guard position <= count &- 4, stride > 0 else { return nil }
    let length = load(UInt32.self, at: position)
    let start = position &+ 4
    guard UInt64(length) &* UInt64(truncatingIfNeeded: stride) <= UInt64(truncatingIfNeeded: count &- start) else {
      return nil
    }
    return (start, Int(truncatingIfNeeded: length))
  }
}
