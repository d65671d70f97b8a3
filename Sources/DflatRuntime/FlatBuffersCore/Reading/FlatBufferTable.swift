/// A table in a buffer, read in place.
///
/// The positions of the table and of its vtable are checked once, when the value is created; a field is checked when it
/// is read. Whatever the bytes are, nothing outside the buffer is read and nothing traps: a field that exceeds the
/// buffer reads as absent. Untrusted bytes may thus be read unverified; verify them to learn of damage. Tables nested
/// more than ``FlatBufferWindow/maximumDepth`` deep read as absent.
@frozen
public struct FlatBufferTable: Sendable {
  /// The FlatBuffer that holds the table. It keeps the size of the vtable, too.
  public let window: FlatBufferWindow
  /// `start` in the lower 32 bits, and `vtable` in the upper ones. `FlatBufferWindow` explains why they are one value.
  @usableFromInline let startAndVtable: UInt64

  // The vtable's second entry, the table's size, is deliberately ignored: the C++ library neither checks nor reads it.
  // Only the end of the buffer bounds a field.

  /// The position of a table, and the position and size in bytes of its vtable. These are plain numbers, so that
  /// passing them around counts no references; the table made of them retains the window's owner once.
  @usableFromInline
  typealias Location = (start: UInt32, vtable: UInt32, vtableSize: UInt16)

  // Inlined for the benchmark row "read every field, strings by their bytes", and for "one scalar of a buffer in
  // hand": each table, and each of its fields, is read here.
  @inlinable @inline(__always)
  init(in window: FlatBufferWindow, _ location: Location) {
    self.window = FlatBufferWindow(
      base: window.base, owner: window.owner, size: window.size, depth: window.depth &+ 1,
      vtableSize: location.vtableSize)
    self.startAndVtable = UInt64(location.start) | UInt64(location.vtable) << 32
  }

  @inlinable @inline(__always)
  var start: UInt32 { UInt32(truncatingIfNeeded: startAndVtable) }

  @inlinable @inline(__always)
  var vtable: UInt32 { UInt32(truncatingIfNeeded: startAndVtable >> 32) }

  /// Returns the location of the table at `position`, whose first 4 bytes are inside `window`; nil if its vtable exceeds the
  /// window, or it is nested too deep.
  @inlinable @inline(__always)
  static func location(in window: FlatBufferWindow, startingAt position: Int) -> Location? {
    guard _fastPath(window.depth & ~ReadingBudget.depthFlag < FlatBufferWindow.maximumDepth) else { return nil }
    // Computed in 64 bits, where no 32-bit distance overflows. As an unsigned number, a negative position exceeds every
    // size, so that one comparison checks both bounds.
    let vtable = UInt64(
      bitPattern: Int64(truncatingIfNeeded: position) &- Int64(window.load(Int32.self, at: position)))
    guard _fastPath(vtable <= UInt64(truncatingIfNeeded: window.count &- 2)) else { return nil }
    let vtableStart = Int(truncatingIfNeeded: vtable)
    let vtableSize = window.load(UInt16.self, at: vtableStart)
    guard _fastPath(Int(vtableSize) <= window.count &- vtableStart) else { return nil }
    return (UInt32(truncatingIfNeeded: position), UInt32(truncatingIfNeeded: vtable), vtableSize)
  }

  /// Returns the location of the table at `position`; nil if it or its vtable exceeds `window`.
  @inlinable @inline(__always)
  static func location(in window: FlatBufferWindow, at position: Int) -> Location? {
    guard window.containsFourBytes(at: position) else { return nil }
    return location(in: window, startingAt: position)
  }

  /// Returns the location of the table that the offset at `position` refers to; nil if it cannot be read.
  @inlinable @inline(__always)
  static func location(in window: FlatBufferWindow, referredToAt position: Int) -> Location? {
    guard window.containsFourBytes(at: position), let target = window.reference(at: position) else { return nil }
    return location(in: window, startingAt: target)
  }

  /// Returns the location of the table that the vector element at `position`, an offset, refers to; nil if it cannot be read.
  @inlinable @inline(__always)
  static func location(in window: FlatBufferWindow, elementAt position: Int) -> Location? {
    guard window.containsFourBytes(at: position), let target = window.elementReference(at: position) else {
      return nil
    }
    return location(in: window, startingAt: target)
  }

  /// The table at `position`; nil if it or its vtable exceeds `window`.
  @inlinable @inline(__always)
  public init?(in window: FlatBufferWindow, at position: Int) {
    guard let location = Self.location(in: window, at: position) else { return nil }
    self.init(in: window, location)
  }

  /// The root table of the FlatBuffer in `buffer`; nil if it cannot be read, or the buffer has 2 GiB or more.
  ///
  /// - Parameters:
  ///   - buffer: the FlatBuffer.
  ///   - sizePrefixed: whether the FlatBuffer is preceded by its size in 4 bytes. The size is not checked.
  @inlinable @inline(__always)
  public init?(rootOf buffer: ByteBuffer, sizePrefixed: Bool = false) {
    guard let window = FlatBufferWindow(ofFourBytesOrMore: buffer), !sizePrefixed || window.containsFourBytes(at: 4),
      let target = window.reference(at: sizePrefixed ? 4 : 0),
      let location = Self.location(in: window, startingAt: target)
    else { return nil }
    self.init(in: window, location)
  }

  /// The table that the offset at `position` refers to; nil if it cannot be read.
  @inlinable @inline(__always)
  public init?(referredToAt position: Int, in window: FlatBufferWindow) {
    guard let location = Self.location(in: window, referredToAt: position) else { return nil }
    self.init(in: window, location)
  }

  /// A table with no field present.
  @inlinable @inline(__always)
  public static var empty: FlatBufferTable {
    FlatBufferTable(in: .empty, (0, 0, 0))
  }

  /// The table's position, in bytes from the start of its window.
  @inlinable
  public var position: Int { Int(truncatingIfNeeded: start) }

  /// Returns the position of the field at `slot`; nil if it is absent, or its `size` bytes exceed the window.
  @inlinable @inline(__always)
  func field(at slot: VTableOffset, size: Int) -> Int? {
    guard Int(slot) &+ 2 <= Int(window.vtableSize) else { return nil }
    let offset = window.load(UInt16.self, at: Int(truncatingIfNeeded: vtable) &+ Int(slot))
    // One comparison checks presence and bounds: an absent field has the offset 0, and 0 - 1 exceeds every bound. The
    // bound is not negative if `size` is at most 4, because the table's first 4 bytes are inside.
    let lastOffset = window.count &- position &- size
    guard UInt(offset) &- 1 < UInt(bitPattern: size <= 4 ? lastOffset : Swift.max(lastOffset, 0)) else { return nil }
    return position &+ Int(offset)
  }

  /// Returns the target of the offset in the field at `slot`; nil if the field is absent, or fewer than 4 bytes are at the
  /// target.
  @inlinable @inline(__always)
  func target(at slot: VTableOffset) -> Int? {
    guard let field = field(at: slot, size: 4) else { return nil }
    return window.reference(at: field)
  }

  /// Returns whether the field at `slot` is present. A scalar that was written with its default is usually absent.
  @inlinable @inline(__always)
  public func hasField(at slot: VTableOffset) -> Bool {
    field(at: slot, size: 1) != nil
  }

  /// Returns the scalar in the field at `slot`; `default` if it is absent.
  @inlinable @inline(__always)
  public func scalar<T: FlatBufferScalar>(at slot: VTableOffset, default: T) -> T {
    guard let field = field(at: slot, size: MemoryLayout<T.Bits>.size) else { return `default` }
    return T(flatBufferBits: window.load(T.Bits.self, at: field))
  }

  /// Returns the scalar in the field at `slot`; nil if it is absent.
  @inlinable @inline(__always)
  public func optionalScalar<T: FlatBufferScalar>(_: T.Type = T.self, at slot: VTableOffset) -> T? {
    guard let field = field(at: slot, size: MemoryLayout<T.Bits>.size) else { return nil }
    return T(flatBufferBits: window.load(T.Bits.self, at: field))
  }

  /// Returns the string in the field at `slot`; nil if it is absent. Invalid UTF-8 is replaced by U+FFFD.
  ///
  /// Not inlined: copying a string takes more time than a call, and a schema has many strings.
  @inline(never)
  public func string(at slot: VTableOffset) -> String? {
    guard let target = target(at: slot) else { return nil }
    return window.string(lengthAt: target)
  }

  /// Returns the bytes of the string in the field at `slot`, without a copy; nil if it is absent. They may be invalid UTF-8.
  ///
  /// The pointer is valid only while the buffer's bytes are: for owned bytes, while a `ByteBuffer`, table, struct or
  /// vector of this buffer is retained (use `withExtendedLifetime`); for borrowed bytes, as long as the caller of
  /// ``ByteBuffer/init(unsafeBorrowing:)`` guarantees. ``withUTF8(at:_:)`` extends the lifetime by itself.
  @inlinable @inline(__always)
  public func utf8(at slot: VTableOffset) -> UnsafeRawBufferPointer? {
    guard let target = target(at: slot) else { return nil }
    return window.utf8(lengthAt: target)
  }

  /// Returns the bytes of the string in the field at `slot` as a vector, without a copy; nil if it is absent. They may be
  /// invalid UTF-8.
  @inlinable @inline(__always)
  public func bytes(at slot: VTableOffset) -> FlatBufferVector<UInt8>? {
    guard let target = target(at: slot), let bytes = window.elements(lengthAt: target, stride: 1) else { return nil }
    return FlatBufferVector(window: window, start: bytes.start, count: bytes.count)
  }

  /// Calls `body` with the bytes of the string in the field at `slot`, without a copy, or with nil if it is absent. The
  /// pointer is valid until `body` returns. The bytes may be invalid UTF-8.
  @inlinable
  public func withUTF8<Result, Failure: Error>(
    at slot: VTableOffset, _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = try body(utf8(at: slot))
    withExtendedLifetime(window.owner) {}
    return result
  }

  /// Returns the table in the field at `slot`; nil if it is absent.
  @inlinable @inline(__always)
  public func table(at slot: VTableOffset) -> FlatBufferTable? {
    guard let target = target(at: slot), let location = Self.location(in: window, startingAt: target) else {
      return nil
    }
    return FlatBufferTable(in: window, location)
  }

  /// Returns the table in the field at `slot` as a `View`; nil if it is absent.
  @inlinable @inline(__always)
  public func view<View: FlatBufferTableView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    guard let table = table(at: slot) else { return nil }
    return View(table)
  }

  /// Returns the struct of `size` bytes in the field at `slot`; nil if it is absent.
  @inlinable @inline(__always)
  public func structure(at slot: VTableOffset, size: Int) -> FlatBufferStruct? {
    guard size >= 0, size <= window.count, let field = field(at: slot, size: size) else { return nil }
    return FlatBufferStruct(unchecked: window, at: field, size: size)
  }

  /// Returns the struct in the field at `slot` as a `View`; nil if it is absent.
  @inlinable @inline(__always)
  public func structure<View: FlatBufferStructView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    guard let structure = structure(at: slot, size: View.byteSize) else { return nil }
    return View(structure)
  }

  /// Returns the start position and number of the elements of the vector in the field at `slot`; (0, 0) if it is absent or
  /// exceeds the buffer.
  @inlinable @inline(__always)
  func elements(at slot: VTableOffset, stride: Int) -> (start: Int, count: Int) {
    guard let target = target(at: slot) else { return (0, 0) }
    return window.elements(lengthAt: target, stride: stride) ?? (0, 0)
  }

  /// Returns the vector in the field at `slot`; an empty one if it is absent or exceeds the buffer.
  @inlinable @inline(__always)
  public func vector<Element>(
    of _: Element.Type = Element.self, at slot: VTableOffset
  ) -> FlatBufferVector<Element> {
    // One initializer call for both cases: if two control-flow paths created the vector, merging them would retain the
    // window's owner.
    let range = elements(at: slot, stride: Element.vectorStride)
    return FlatBufferVector(window: window, start: range.start, count: range.count)
  }

  /// Returns the elements of the vector in the field at `slot` as an array; empty if it is absent or exceeds the buffer.
  @inlinable
  public func array<Element: FlatBufferVectorElement>(
    of _: Element.Type = Element.self, at slot: VTableOffset
  ) -> [Element] {
    vector(of: Element.self, at: slot).array
  }

  /// Returns the scalars of the vector in the field at `slot` as an array; empty if it is absent or exceeds the buffer.
  @inlinable
  public func array<Element: FlatBufferScalar>(of _: Element.Type = Element.self, at slot: VTableOffset) -> [Element] {
    vector(of: Element.self, at: slot).array
  }

  /// Returns the member of the union in the field at `slot`, of any type; nil if the field is absent or leads out of the buffer.
  /// The caller reads the type code, which is in the slot before: this method returns a member even if the code is 0.
  @inlinable @inline(__always)
  public func unionMember(at slot: VTableOffset) -> FlatBufferUnionMember? {
    // Only the offset is checked: a struct at the end of the buffer may have fewer than the 4 bytes that a table or
    // string needs.
    guard let field = field(at: slot, size: 4), let target = window.target(ofOffsetAt: field), target != field else {
      return nil
    }
    return FlatBufferUnionMember(window: window, position: target)
  }

  /// Returns the bytes of the FlatBuffer nested in the field at `slot`, a vector of bytes, without a copy; nil if it is absent.
  @inlinable
  public func nestedBuffer(at slot: VTableOffset) -> ByteBuffer? {
    guard let target = target(at: slot), let (start, count) = window.elements(lengthAt: target, stride: 1) else {
      return nil
    }
    return window.buffer.slice(start..<start &+ count)
  }
}
