/// An element of a ``FlatBufferVector``: a scalar, an enum, a string, a struct, a table or a union member.
///
/// An app's own table type may conform, too: `vectorStride` is 4, and `vectorElement(in:at:)` creates the object from
/// `FlatBufferTable(referredToAt: position, in: window) ?? .empty`.
public protocol FlatBufferVectorElement {
  /// The distance between two elements of a vector in bytes: the element's size, or 4 if the vector holds offsets.
  static var vectorStride: Int { get }

  /// Returns the element whose `vectorStride` bytes, which are inside `window`, start at `position`. If these bytes are an
  /// offset whose target cannot be read, the element is empty.
  static func vectorElement(in window: FlatBufferWindow, at position: Int) -> Self
}

/// A vector in a buffer, read in place.
///
/// ```swift
/// if let monster = MonsterReader(buffer) {
///   for item in monster.inventory { print(item.name ?? "", item.price) }
///   print(monster.inventory.first(withKey: "axe")?.price ?? 0)
/// }
/// ```
///
/// All its elements are inside the buffer: a vector whose length exceeds the buffer reads as empty.
///
/// See also: ``FlatBufferTableView``, Documentation/flatbuffers.md (Reading).
@frozen
public struct FlatBufferVector<Element: FlatBufferVectorElement>: RandomAccessCollection, Sendable {
  /// The FlatBuffer that holds the vector.
  public let window: FlatBufferWindow
  @usableFromInline let firstPosition: UInt32
  @usableFromInline let length: UInt32
  // Two values, where `FlatBufferTable` and `FlatBufferStruct` have one. An absent vector is an empty one, and where it
  // meets one that is present, the optimizer would put start and length together only to take them apart again.

  // Inlined for the benchmark row "read every field, strings by their bytes": each vector, and each of its elements,
  // is read here.
  /// Creates the vector of `count` elements, the first at position `start`, without a check of bounds: the caller
  /// guarantees that the elements are inside `window`.
  @inlinable @inline(__always)
  init(window: FlatBufferWindow, start: Int, count: Int) {
    self.window = window
    self.firstPosition = UInt32(truncatingIfNeeded: start)
    self.length = UInt32(truncatingIfNeeded: count)
  }

  /// The position of the first element.
  @inlinable @inline(__always)
  var start: Int { Int(truncatingIfNeeded: firstPosition) }

  /// The vector at `position`, which is the position of its length; an empty one if it exceeds `window`.
  @inlinable
  public init(in window: FlatBufferWindow, at position: Int) {
    let range = window.elements(at: position, stride: Element.vectorStride)
    self.init(window: window, start: range?.start ?? 0, count: range?.count ?? 0)
  }

  /// A vector without elements.
  @inlinable
  public static var empty: FlatBufferVector { FlatBufferVector(window: .empty, start: 0, count: 0) }

  /// Always 0.
  @inlinable
  public var startIndex: Int { 0 }

  /// The number of elements.
  @inlinable @inline(__always)
  public var endIndex: Int { count }

  /// The number of elements.
  @inlinable @inline(__always)
  public var count: Int { Int(truncatingIfNeeded: length) }

  /// The element at `index`, from 0 to `count - 1`. Any other index stops the program.
  @inlinable @inline(__always)
  public subscript(index: Int) -> Element {
    precondition(index >= 0 && index < count, "The index is outside the FlatBuffer vector: it is from 0 to count - 1.")
    return Element.vectorElement(
      in: window, at: start &+ index &* Element.vectorStride)
  }

  /// Reads the elements in order.
  @frozen
  public struct Iterator: IteratorProtocol {
    @usableFromInline let window: FlatBufferWindow
    @usableFromInline var position: Int
    @usableFromInline var remaining: Int

    @inlinable @inline(__always)
    init(_ vector: consuming FlatBufferVector) {
      window = vector.window
      position = vector.start
      remaining = vector.count
    }

    /// Returns the next element; nil after the last.
    @inlinable @inline(__always)
    public mutating func next() -> Element? {
      guard remaining > 0 else { return nil }
      let element = Element.vectorElement(in: window, at: position)
      position &+= Element.vectorStride
      remaining &-= 1
      return element
    }
  }

  /// Returns an iterator over the elements, in order.
  @inlinable @inline(__always)
  public consuming func makeIterator() -> Iterator { Iterator(self) }

  /// All elements, read one by one.
  @inlinable
  public var array: [Element] { Array(self) }

  /// Calls `body` with the elements' bytes in the buffer. The pointer is valid until `body` returns.
  @inlinable
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = UnsafeRawBufferPointer(
      start: window.base + start, count: count &* Element.vectorStride)
    let result = try body(bytes)
    withExtendedLifetime(window.owner) {}
    return result
  }
}

extension String: FlatBufferVectorElement {
  /// 4, the size of an offset.
  @inlinable
  public static var vectorStride: Int { 4 }

  /// Returns the string that the offset at `position` refers to; an empty one if it cannot be read.
  @inlinable @inline(__always)
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> String {
    guard window.containsFourBytes(at: position), let target = window.elementReference(at: position) else { return "" }
    return window.string(lengthAt: target) ?? ""
  }
}

extension FlatBufferVector where Element == String {
  /// Returns the bytes of the string at `index`, from 0 to `count - 1`, without a copy. Any other index stops the program. The
  /// pointer is valid as long as that of ``FlatBufferTable/utf8(at:)``.
  @inlinable @inline(__always)
  public func utf8(at index: Int) -> UnsafeRawBufferPointer {
    precondition(index >= 0 && index < count, "The index is outside the FlatBuffer vector: it is from 0 to count - 1.")
    guard let target = window.elementReference(at: start &+ index &* 4),
      let bytes = window.utf8(lengthAt: target)
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return bytes
  }
}

extension FlatBufferTable: FlatBufferVectorElement {
  /// 4, the size of an offset.
  @inlinable
  public static var vectorStride: Int { 4 }

  /// Returns the table that the offset at `position` refers to; an empty table if it cannot be read.
  @inlinable @inline(__always)
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> FlatBufferTable {
    FlatBufferTable(in: window, location(in: window, elementAt: position) ?? (0, 0, 0))
  }
}
