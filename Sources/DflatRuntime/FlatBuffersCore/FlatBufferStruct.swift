/// A struct in a buffer, read in place: fields at fixed places in a fixed number of bytes.
@frozen
public struct FlatBufferStruct: Sendable {
  /// The FlatBuffer that the struct stands in.
  public let window: FlatBufferWindow
  @usableFromInline let start: UInt32
  @usableFromInline let size: UInt32

  /// The caller has made sure that the bytes are inside.
  @inlinable @inline(__always)
  init(unchecked window: FlatBufferWindow, at position: Int, size: Int) {
    self.window = window
    self.start = UInt32(truncatingIfNeeded: position)
    self.size = UInt32(truncatingIfNeeded: size)
  }

  /// The struct of `size` bytes at `position`; nil when they are not all inside `window`.
  @inlinable @inline(__always)
  public init?(in window: FlatBufferWindow, at position: Int, size: Int) {
    guard window.contains(position, count: size) else { return nil }
    self.init(unchecked: window, at: position, size: size)
  }

  /// A struct of no bytes: every field reads as zero.
  @inlinable @inline(__always)
  public static var empty: FlatBufferStruct { FlatBufferStruct(unchecked: .empty, at: 0, size: 0) }

  /// Where the struct starts, in bytes from the start of its window.
  @inlinable
  public var position: Int { Int(truncatingIfNeeded: start) }

  /// The number of its bytes.
  @inlinable
  public var byteCount: Int { Int(truncatingIfNeeded: size) }

  @inlinable @inline(__always)
  func contains(_ offset: Int, count: Int) -> Bool {
    count >= 0 && offset >= 0 && count <= byteCount && offset <= byteCount &- count
  }

  /// The scalar `offset` bytes from the struct's start; zero when that is outside the struct.
  @inlinable @inline(__always)
  public func scalar<T: FlatBufferScalar>(_: T.Type = T.self, at offset: Int) -> T {
    guard contains(offset, count: MemoryLayout<T.Bits>.size) else { return T(flatBufferBits: 0) }
    return T(flatBufferBits: window.load(T.Bits.self, at: position &+ offset))
  }

  /// The struct of `size` bytes that starts `offset` bytes from this one's start; one of no bytes when it is
  /// not all inside.
  @inlinable @inline(__always)
  public func structure(at offset: Int, size: Int) -> FlatBufferStruct {
    guard contains(offset, count: size) else {
      return FlatBufferStruct(unchecked: window, at: 0, size: 0)
    }
    return FlatBufferStruct(unchecked: window, at: position &+ offset, size: size)
  }

  /// The struct that starts `offset` bytes from this one's start, seen as a `View`.
  @inlinable @inline(__always)
  public func structure<View: FlatBufferStructView>(_: View.Type = View.self, at offset: Int) -> View {
    View(structure(at: offset, size: View.byteSize))
  }

  /// The fixed array of `count` elements that starts `offset` bytes from the struct's start; an empty one when it is
  /// not all inside.
  @inlinable @inline(__always)
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
