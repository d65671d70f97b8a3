/// A struct in a buffer, read in place: fields at fixed offsets in a fixed number of bytes.
@frozen
public struct FlatBufferStruct: Sendable {
  /// The FlatBuffer that holds the struct.
  public let window: FlatBufferWindow
  /// `position` in the lower 32 bits, and `byteCount` in the upper ones. `FlatBufferWindow` explains why they are one
  /// value.
  @usableFromInline let startAndSize: UInt64

  // Inlined for the benchmark row "read every field, strings by their bytes": each struct, and each of its fields, is
  // read here.
  /// Creates the struct of `size` bytes at `position` without a check of bounds: the caller guarantees that the bytes
  /// are inside `window`.
  @inlinable @inline(__always)
  init(unchecked window: FlatBufferWindow, at position: Int, size: Int) {
    self.window = window
    self.startAndSize = UInt64(UInt32(truncatingIfNeeded: position)) | UInt64(truncatingIfNeeded: size) << 32
  }

  /// The struct of `size` bytes at `position`; nil if it exceeds `window`.
  @inlinable @inline(__always)
  public init?(in window: FlatBufferWindow, at position: Int, size: Int) {
    guard window.contains(position, count: size) else { return nil }
    self.init(unchecked: window, at: position, size: size)
  }

  /// A struct of no bytes: every field reads as zero.
  @inlinable
  public static var empty: FlatBufferStruct { FlatBufferStruct(unchecked: .empty, at: 0, size: 0) }

  /// The struct's position, in bytes from the start of its window.
  @inlinable @inline(__always)
  public var position: Int { Int(truncatingIfNeeded: UInt32(truncatingIfNeeded: startAndSize)) }

  /// The size of the struct in bytes.
  @inlinable @inline(__always)
  public var byteCount: Int { Int(truncatingIfNeeded: startAndSize >> 32) }

  @inlinable @inline(__always)
  func contains(_ offset: Int, count: Int) -> Bool {
    count >= 0 && offset >= 0 && count <= byteCount && offset <= byteCount &- count
  }

  /// The struct of `size` bytes that the root offset of `buffer` refers to; nil if it exceeds the buffer. Roots are
  /// tables in the format; this initializer is for buffers that are known to hold a single struct.
  @inlinable
  public init?(rootOf buffer: ByteBuffer, size: Int) {
    guard let window = FlatBufferWindow(buffer), window.contains(0, count: 4),
      let position = window.target(ofOffsetAt: 0), position > 0
    else { return nil }
    self.init(in: window, at: position, size: size)
  }

  /// Returns the scalar at `offset`, in bytes from the struct's start; zero if it exceeds the struct.
  @inlinable @inline(__always)
  public func scalar<T: FlatBufferScalar>(_: T.Type = T.self, at offset: Int) -> T {
    guard contains(offset, count: MemoryLayout<T.Bits>.size) else { return T(flatBufferBits: 0) }
    return T(flatBufferBits: window.load(T.Bits.self, at: position &+ offset))
  }

  /// Returns the `count` bytes at `offset`, in bytes from the struct's start, without a copy; nil if they exceed the struct.
  ///
  /// The pointer is valid only while the buffer's bytes are; see ``FlatBufferTable/utf8(at:)``.
  package func bytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer? {
    guard contains(offset, count: count) else { return nil }
    return UnsafeRawBufferPointer(start: window.base + position + offset, count: count)
  }

  /// Returns the nested struct of `size` bytes at `offset`, in bytes from this struct's start; an empty struct if it exceeds
  /// this one.
  @inlinable
  public func structure(at offset: Int, size: Int) -> FlatBufferStruct {
    guard contains(offset, count: size) else {
      return FlatBufferStruct(unchecked: window, at: 0, size: 0)
    }
    return FlatBufferStruct(unchecked: window, at: position &+ offset, size: size)
  }

  /// Returns the nested struct at `offset`, in bytes from this struct's start, as a `View`.
  @inlinable
  public func structure<View: FlatBufferStructView>(_: View.Type = View.self, at offset: Int) -> View {
    View(structure(at: offset, size: View.byteSize))
  }

  /// Returns the fixed array of `count` elements at `offset`, in bytes from the struct's start; an empty array if it exceeds
  /// the struct.
  @inlinable
  public func fixedArray<Element>(
    of _: Element.Type = Element.self, at offset: Int, count: Int
  ) -> FlatBufferVector<Element> {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: Element.vectorStride)
    guard !overflow, count >= 0, contains(offset, count: bytes) else {
      return FlatBufferVector(window: window, start: 0, count: 0)
    }
    return FlatBufferVector(window: window, start: position &+ offset, count: count)
  }
}
