/// What a ``FlatBufferVector`` may hold: scalars, enums, strings, structs, tables and union members.
///
/// A table type of an app may conform too: `vectorStride` is 4, and `vectorElement(in:at:)` makes the object from
/// `FlatBufferTable(referredToAt: position, in: window) ?? .empty`.
public protocol FlatBufferVectorElement {
  /// The bytes that one element takes in a vector: its size, or 4 where an offset to it stands there.
  static var vectorStride: Int { get }

  /// The element whose `vectorStride` bytes start at `position`, which are inside `window`. Where an offset leads to
  /// nothing that can be read, the element is an empty one.
  static func vectorElement(in window: FlatBufferWindow, at position: Int) -> Self
}

/// A vector in a buffer, read in place.
///
/// All its elements are inside the buffer: one whose length says otherwise is empty.
@frozen
public struct FlatBufferVector<Element: FlatBufferVectorElement>: RandomAccessCollection, Sendable {
  /// The FlatBuffer that the vector stands in.
  public let window: FlatBufferWindow
  @usableFromInline let start: UInt32
  @usableFromInline let length: UInt32

  /// The caller has made sure that the elements are inside.
  @inlinable @inline(__always)
  init(window: FlatBufferWindow, start: Int, count: Int) {
    self.window = window
    self.start = UInt32(truncatingIfNeeded: start)
    self.length = UInt32(truncatingIfNeeded: count)
  }

  /// The vector at `position`, where its length stands; an empty one when it is not all inside `window`.
  @inlinable @inline(__always)
  public init(in window: FlatBufferWindow, at position: Int) {
    let place = window.elements(at: position, stride: Element.vectorStride)
    self.init(window: window, start: place?.start ?? 0, count: place?.count ?? 0)
  }

  /// A vector without elements.
  @inlinable @inline(__always)
  public static var empty: FlatBufferVector { FlatBufferVector(window: .empty, start: 0, count: 0) }

  /// Always 0.
  @inlinable
  public var startIndex: Int { 0 }

  /// The number of elements.
  @inlinable
  public var endIndex: Int { Int(truncatingIfNeeded: length) }

  /// The number of elements.
  @inlinable
  public var count: Int { Int(truncatingIfNeeded: length) }

  /// The element at `index`, from 0 to `count - 1`.
  @inlinable @inline(__always)
  public subscript(index: Int) -> Element {
    Swift.precondition(index >= 0 && index < count, "The index is outside the FlatBuffer vector.")
    return Element.vectorElement(
      in: window, at: Int(truncatingIfNeeded: start) &+ index &* Element.vectorStride)
  }

  /// Reads the elements in their order.
  @frozen
  public struct Iterator: IteratorProtocol {
    @usableFromInline let window: FlatBufferWindow
    @usableFromInline var position: Int
    @usableFromInline var remaining: Int

    @inlinable @inline(__always)
    init(_ vector: consuming FlatBufferVector) {
      window = vector.window
      position = Int(truncatingIfNeeded: vector.start)
      remaining = vector.count
    }

    /// The next element; nil after the last.
    @inlinable @inline(__always)
    public mutating func next() -> Element? {
      guard remaining > 0 else { return nil }
      let element = Element.vectorElement(in: window, at: position)
      position &+= Element.vectorStride
      remaining &-= 1
      return element
    }
  }

  /// Starts to read the elements in their order.
  @inlinable @inline(__always)
  public consuming func makeIterator() -> Iterator { Iterator(self) }

  /// All elements, read one by one.
  @inlinable
  public var array: [Element] { Array(self) }

  /// Calls `body` with the bytes of all elements as they stand in the buffer, which are valid until it returns.
  @inlinable
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = UnsafeRawBufferPointer(
      start: window.base + Int(truncatingIfNeeded: start), count: count &* Element.vectorStride)
    let result = try body(bytes)
    withExtendedLifetime(window.owner) {}
    return result
  }
}

extension String: FlatBufferVectorElement {
  /// An offset takes 4 bytes.
  @inlinable
  public static var vectorStride: Int { 4 }

  /// The string that the offset at `position` leads to; empty when it cannot be read.
  @inlinable @inline(__always)
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> String {
    guard window.containsFourBytes(at: position), let target = window.elementReference(at: position) else { return "" }
    return window.string(lengthAt: target) ?? ""
  }
}

extension FlatBufferVector where Element == String {
  /// The bytes of the string at `index`, without a copy. The pointer is good for as long as the one of
  /// ``FlatBufferTable/utf8(at:)``.
  @inlinable @inline(__always)
  public func utf8(at index: Int) -> UnsafeRawBufferPointer {
    Swift.precondition(index >= 0 && index < count, "The index is outside the FlatBuffer vector.")
    guard let target = window.elementReference(at: Int(truncatingIfNeeded: start) &+ index &* 4),
      let bytes = window.utf8(lengthAt: target)
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return bytes
  }
}

extension FlatBufferTable: FlatBufferVectorElement {
  /// An offset takes 4 bytes.
  @inlinable
  public static var vectorStride: Int { 4 }

  /// The table that the offset at `position` leads to; one with no field present when it cannot be read.
  @inlinable @inline(__always)
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> FlatBufferTable {
    FlatBufferTable(in: window, place(in: window, elementAt: position) ?? (0, 0, 0))
  }
}
