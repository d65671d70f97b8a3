// Fields with 64-bit offsets: `(offset64)` strings and vectors, and `(vector64)` vectors, whose length has 64 bits, too.
//
// A window has less than 2 GiB, so that a position still fits its 32 bits: only the numbers in the buffer are wider. Each
// is compared with the window's size as an unsigned 64-bit number before it becomes an `Int`.

extension FlatBufferWindow {
  /// Returns the target of the 64-bit offset at `position`; nil if fewer than `size` bytes, at most 8, are at the target, or the
  /// offset is 0 and thus refers to itself. The caller guarantees that the offset's own 8 bytes are inside.
  @inlinable
  func reference64(at position: Int, size: Int) -> Int? {
    let offset = load(UInt64.self, at: position)
    // The bound is not negative, because the offset's own 8 bytes are inside. 0 - 1 exceeds every bound.
    guard _fastPath(offset &- 1 < UInt64(truncatingIfNeeded: count &- size &- position)) else { return nil }
    return position &+ Int(truncatingIfNeeded: offset)
  }

  /// Returns the start position and number of the elements of the vector at `position`, whose length has 64 bits; nil if they
  /// exceed the window. The caller guarantees that the length's 8 bytes are inside.
  @inlinable
  func elements64(lengthAt position: Int, stride: Int) -> (start: Int, count: Int)? {
    let length = load(UInt64.self, at: position)
    let start = position &+ 8
    // Divided, where the 32-bit reader multiplies: a product with a hostile length would exceed 64 bits.
    guard stride > 0,
      _fastPath(length <= UInt64(truncatingIfNeeded: count &- start) / UInt64(truncatingIfNeeded: stride))
    else { return nil }
    return (start, Int(truncatingIfNeeded: length))
  }
}

extension FlatBufferTable {
  /// Returns the target of the 64-bit offset in the field at `slot`; nil if the field is absent, or fewer than `size` bytes, 4 or
  /// 8, are at the target.
  @inlinable
  func target64(at slot: VTableOffset, size: Int) -> Int? {
    guard let field = field(at: slot, size: 8) else { return nil }
    return window.reference64(at: field, size: size)
  }

  /// Returns the start position and number of the elements of the `(offset64)` vector in the field at `slot`; nil if it is absent
  /// or exceeds the buffer.
  @inlinable
  func elements(offset64At slot: VTableOffset, stride: Int) -> (start: Int, count: Int)? {
    guard let target = target64(at: slot, size: 4) else { return nil }
    return window.elements(lengthAt: target, stride: stride)
  }

  /// Returns the start position and number of the elements of the `(vector64)` vector in the field at `slot`; nil if it is absent
  /// or exceeds the buffer.
  @inlinable
  func elements(vector64At slot: VTableOffset, stride: Int) -> (start: Int, count: Int)? {
    guard let target = target64(at: slot, size: 8) else { return nil }
    return window.elements64(lengthAt: target, stride: stride)
  }

  /// Returns the `(offset64)` string in the field at `slot`; nil if it is absent. Invalid UTF-8 is replaced by U+FFFD.
  @inlinable
  public func string(offset64At slot: VTableOffset) -> String? {
    guard let target = target64(at: slot, size: 4) else { return nil }
    return window.string(lengthAt: target)
  }

  /// Returns the bytes of the `(offset64)` string in the field at `slot`, without a copy; nil if it is absent. The pointer is
  /// valid as long as that of ``utf8(at:)``.
  @inlinable
  public func utf8(offset64At slot: VTableOffset) -> UnsafeRawBufferPointer? {
    guard let target = target64(at: slot, size: 4) else { return nil }
    return window.utf8(lengthAt: target)
  }

  /// Returns the bytes of the `(offset64)` string in the field at `slot` as a vector, without a copy; nil if it is absent. They
  /// may be invalid UTF-8.
  @inlinable
  public func bytes(offset64At slot: VTableOffset) -> FlatBufferVector<UInt8>? {
    guard let bytes = elements(offset64At: slot, stride: 1) else { return nil }
    return FlatBufferVector(window: window, start: bytes.start, count: bytes.count)
  }

  /// Returns the `(offset64)` vector in the field at `slot`; an empty one if it is absent or exceeds the buffer.
  @inlinable
  public func vector<Element>(
    of _: Element.Type = Element.self, offset64At slot: VTableOffset
  ) -> FlatBufferVector<Element> {
    let range = elements(offset64At: slot, stride: Element.vectorStride) ?? (0, 0)
    return FlatBufferVector(window: window, start: range.start, count: range.count)
  }

  /// Returns the `(vector64)` vector in the field at `slot`; an empty one if it is absent or exceeds the buffer.
  @inlinable
  public func vector<Element>(
    of _: Element.Type = Element.self, vector64At slot: VTableOffset
  ) -> FlatBufferVector<Element> {
    let range = elements(vector64At: slot, stride: Element.vectorStride) ?? (0, 0)
    return FlatBufferVector(window: window, start: range.start, count: range.count)
  }

  /// Returns the bytes of the FlatBuffer nested in the field at `slot`, an `(offset64)` vector of bytes, without a copy; nil if it
  /// is absent.
  @inlinable
  public func nestedBuffer(offset64At slot: VTableOffset) -> ByteBuffer? {
    guard let (start, count) = elements(offset64At: slot, stride: 1) else { return nil }
    return window.buffer.slice(start..<start &+ count)
  }

  /// Returns the bytes of the FlatBuffer nested in the field at `slot`, a `(vector64)` vector of bytes, without a copy; nil if it
  /// is absent.
  @inlinable
  public func nestedBuffer(vector64At slot: VTableOffset) -> ByteBuffer? {
    guard let (start, count) = elements(vector64At: slot, stride: 1) else { return nil }
    return window.buffer.slice(start..<start &+ count)
  }

  /// Returns the root table of the FlatBuffer that is nested in the field at `slot`, an `(offset64)` vector of bytes; nil if there
  /// is none.
  @inlinable
  public func nestedRoot<View: FlatBufferTableView>(
    _: View.Type = View.self, offset64At slot: VTableOffset
  ) -> View? {
    guard let buffer = nestedBuffer(offset64At: slot) else { return nil }
    return View(root: buffer)
  }

  /// Returns the root table of the FlatBuffer that is nested in the field at `slot`, a `(vector64)` vector of bytes; nil if there
  /// is none.
  @inlinable
  public func nestedRoot<View: FlatBufferTableView>(
    _: View.Type = View.self, vector64At slot: VTableOffset
  ) -> View? {
    guard let buffer = nestedBuffer(vector64At: slot) else { return nil }
    return View(root: buffer)
  }
}

extension FlatBufferTable {
  /// Returns the `(offset64)` vector in the field at `slot`, charged to the reading budget as ``copyableVector(at:size:)`` is.
  @inlinable
  package func copyableVector<Element>(offset64At slot: VTableOffset, size: Int) -> FlatBufferVector<Element> {
    copyableVector(elements(offset64At: slot, stride: Element.vectorStride) ?? (0, 0), size: size)
  }

  /// Returns the `(vector64)` vector in the field at `slot`, charged to the reading budget as ``copyableVector(at:size:)`` is.
  @inlinable
  package func copyableVector<Element>(vector64At slot: VTableOffset, size: Int) -> FlatBufferVector<Element> {
    copyableVector(elements(vector64At: slot, stride: Element.vectorStride) ?? (0, 0), size: size)
  }

  @inlinable
  func copyableVector<Element>(_ range: (start: Int, count: Int), size: Int) -> FlatBufferVector<Element> {
    let isCopyable =
      window.depth <= ReadingBudget.rootDepth || range.count &* size < ReadingBudget.freeBytes
      || ReadingBudget.charge(bytes: range.count &* size)
    return FlatBufferVector(window: window, start: range.start, count: isCopyable ? range.count : 0)
  }
}
