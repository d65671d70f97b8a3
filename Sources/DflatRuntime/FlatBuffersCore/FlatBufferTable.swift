/// A table in a buffer, read in place.
///
/// The place of the table and of its vtable is checked once, when the value is made; a field is checked when it is
/// read. Whatever the bytes say, nothing outside the buffer is read and nothing traps: a field that is not all inside
/// the buffer reads as absent. Bytes of unknown origin may thus be read unverified; verify them to be told that they
/// are damaged. Tables nested more than ``FlatBufferWindow/maximumDepth`` deep read as absent.
@frozen
public struct FlatBufferTable: Sendable {
  /// The FlatBuffer that the table stands in.
  public let window: FlatBufferWindow
  @usableFromInline let vtableSize: UInt16
  @usableFromInline let startAndVtable: UInt64
  // Two positions in one number: the optimizer takes apart no value of more than six numbers, and counts references to
  // the owner of one that it has not taken apart.

  // The vtable's second entry, the table's size, is deliberately not relied upon: the C++ library neither checks nor
  // reads it. What bounds a field is the end of the buffer.

  /// Where a table is and where its vtable is. Plain numbers: what is made of them refers to the window's owner once.
  @usableFromInline
  typealias Place = (start: UInt32, vtable: UInt32, vtableSize: UInt16)

  @inlinable @inline(__always)
  init(in window: FlatBufferWindow, _ place: Place) {
    self.window = FlatBufferWindow(
      base: window.base, owner: window.owner, size: window.size, depth: window.depth &+ 1)
    self.vtableSize = place.vtableSize
    self.startAndVtable = UInt64(place.start) | UInt64(place.vtable) << 32
  }

  @inlinable @inline(__always)
  var start: UInt32 { UInt32(truncatingIfNeeded: startAndVtable) }

  @inlinable @inline(__always)
  var vtable: UInt32 { UInt32(truncatingIfNeeded: startAndVtable >> 32) }

  /// The place of the table at `position`, of which the first four bytes are inside; nil when its vtable would not be
  /// inside `window`, or it is nested too deep.
  @inlinable @inline(__always)
  static func place(in window: FlatBufferWindow, startingAt position: Int) -> Place? {
    guard _fastPath(window.depth & ~ReadingBudget.mark < FlatBufferWindow.maximumDepth) else { return nil }
    // In 64 bits neither an extreme distance nor its sign can overflow. What is negative is larger than every size.
    let vtable = UInt64(
      bitPattern: Int64(truncatingIfNeeded: position) &- Int64(window.load(Int32.self, at: position)))
    guard _fastPath(vtable <= UInt64(truncatingIfNeeded: window.count &- 2)) else { return nil }
    let vtableStart = Int(truncatingIfNeeded: vtable)
    let vtableSize = window.load(UInt16.self, at: vtableStart)
    guard _fastPath(Int(vtableSize) <= window.count &- vtableStart) else { return nil }
    return (UInt32(truncatingIfNeeded: position), UInt32(truncatingIfNeeded: vtable), vtableSize)
  }

  /// The place of the table at `position`; nil when it or its vtable would not be inside `window`.
  @inlinable @inline(__always)
  static func place(in window: FlatBufferWindow, at position: Int) -> Place? {
    guard window.containsFourBytes(at: position) else { return nil }
    return place(in: window, startingAt: position)
  }

  /// The place of the table that the offset at `position` leads to; nil when there can be none.
  @inlinable @inline(__always)
  static func place(in window: FlatBufferWindow, referredToAt position: Int) -> Place? {
    guard window.containsFourBytes(at: position), let target = window.reference(at: position) else { return nil }
    return place(in: window, startingAt: target)
  }

  /// The same for an offset in a vector.
  @inlinable @inline(__always)
  static func place(in window: FlatBufferWindow, elementAt position: Int) -> Place? {
    guard window.containsFourBytes(at: position), let target = window.elementReference(at: position) else {
      return nil
    }
    return place(in: window, startingAt: target)
  }

  /// The table at `position`; nil when there can be none, because it or its vtable would not be inside `window`.
  @inlinable @inline(__always)
  public init?(in window: FlatBufferWindow, at position: Int) {
    guard let place = Self.place(in: window, at: position) else { return nil }
    self.init(in: window, place)
  }

  /// The root table of the FlatBuffer that `buffer` holds; nil when there can be none, or the buffer is 2 GiB or more.
  ///
  /// - Parameter sizePrefixed: whether the FlatBuffer stands behind its size, in four bytes. The size is not checked.
  @inlinable @inline(__always)
  public init?(rootOf buffer: ByteBuffer, sizePrefixed: Bool = false) {
    guard let window = FlatBufferWindow(ofFourBytesOrMore: buffer), !sizePrefixed || window.containsFourBytes(at: 4),
      let target = window.reference(at: sizePrefixed ? 4 : 0),
      let place = Self.place(in: window, startingAt: target)
    else { return nil }
    self.init(in: window, place)
  }

  /// The table that the offset at `position` leads to; nil when there can be none.
  @inlinable @inline(__always)
  public init?(referredToAt position: Int, in window: FlatBufferWindow) {
    guard let place = Self.place(in: window, referredToAt: position) else { return nil }
    self.init(in: window, place)
  }

  /// A table with no field present.
  @inlinable @inline(__always)
  public static var empty: FlatBufferTable {
    FlatBufferTable(in: .empty, (0, 0, 0))
  }

  /// Where the table starts, in bytes from the start of its window.
  @inlinable
  public var position: Int { Int(truncatingIfNeeded: start) }

  /// Where the field of `slot` starts; nil when it is absent, or its `size` bytes are not all inside the window.
  @inlinable @inline(__always)
  func field(at slot: VTableOffset, size: Int) -> Int? {
    guard Int(slot) &+ 2 <= Int(vtableSize) else { return nil }
    let offset = window.load(UInt16.self, at: Int(truncatingIfNeeded: vtable) &+ Int(slot))
    // One comparison for both: an absent field's offset is 0, and 0 less 1 is beyond every buffer. From a table's start on
    // there are four bytes at least; a larger field may have no place at all.
    let places = window.count &- position &- size
    guard UInt(offset) &- 1 < UInt(bitPattern: size <= 4 ? places : Swift.max(places, 0)) else { return nil }
    return position &+ Int(offset)
  }

  /// Where the offset in the field of `slot` leads to, to at least four bytes; nil when the field is absent or leads
  /// nowhere.
  @inlinable @inline(__always)
  func target(at slot: VTableOffset) -> Int? {
    guard let field = field(at: slot, size: 4) else { return nil }
    return window.reference(at: field)
  }

  /// Whether the field of `slot` is present. A scalar equal to its default is usually not.
  @inlinable @inline(__always)
  public func hasField(at slot: VTableOffset) -> Bool {
    field(at: slot, size: 1) != nil
  }

  /// The scalar in the field of `slot`, or `default` when it is absent.
  @inlinable @inline(__always)
  public func scalar<T: FlatBufferScalar>(at slot: VTableOffset, default: T) -> T {
    guard let field = field(at: slot, size: MemoryLayout<T.Bits>.size) else { return `default` }
    return T(flatBufferBits: window.load(T.Bits.self, at: field))
  }

  /// The scalar in the field of `slot`, or nil when it is absent.
  @inlinable @inline(__always)
  public func optionalScalar<T: FlatBufferScalar>(_: T.Type = T.self, at slot: VTableOffset) -> T? {
    guard let field = field(at: slot, size: MemoryLayout<T.Bits>.size) else { return nil }
    return T(flatBufferBits: window.load(T.Bits.self, at: field))
  }

  /// The string in the field of `slot`, or nil when it is absent. Bytes that are not UTF-8 read as U+FFFD.
  @inlinable @inline(__always)
  public func string(at slot: VTableOffset) -> String? {
    guard let target = target(at: slot) else { return nil }
    return window.string(lengthAt: target)
  }

  /// The bytes of the string in the field of `slot`, without a copy, or nil when it is absent.
  ///
  /// The pointer is good only while something keeps the buffer's bytes alive: for owned bytes, while a `ByteBuffer`,
  /// table, struct or vector of this buffer is held (use `withExtendedLifetime`); for borrowed ones, as long as their
  /// lender promised. ``withUTF8(at:_:)`` takes care of this by itself. The bytes may be no valid UTF-8.
  @inlinable @inline(__always)
  public func utf8(at slot: VTableOffset) -> UnsafeRawBufferPointer? {
    guard let target = target(at: slot) else { return nil }
    return window.utf8(lengthAt: target)
  }

  /// The bytes of the string in the field of `slot`, without a copy, or nil when it is absent. They may be no valid UTF-8.
  @inlinable @inline(__always)
  public func bytes(at slot: VTableOffset) -> FlatBufferVector<UInt8>? {
    guard let target = target(at: slot), let place = window.elements(lengthAt: target, stride: 1) else { return nil }
    return FlatBufferVector(window: window, start: place.start, count: place.count)
  }

  /// Calls `body` with the bytes of the string in the field of `slot`, without a copy, or with nil when it is absent.
  /// The bytes are good until `body` returns, and may be no valid UTF-8.
  @inlinable
  public func withUTF8<Result, Failure: Error>(
    at slot: VTableOffset, _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = try body(utf8(at: slot))
    withExtendedLifetime(window.owner) {}
    return result
  }

  /// The table in the field of `slot`, or nil when it is absent.
  @inlinable @inline(__always)
  public func table(at slot: VTableOffset) -> FlatBufferTable? {
    guard let target = target(at: slot), let place = Self.place(in: window, startingAt: target) else { return nil }
    return FlatBufferTable(in: window, place)
  }

  /// The table in the field of `slot` seen as a `View`, or nil when it is absent.
  @inlinable @inline(__always)
  public func view<View: FlatBufferTableView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    guard let table = table(at: slot) else { return nil }
    return View(table)
  }

  /// The struct of `size` bytes in the field of `slot`, or nil when it is absent.
  @inlinable @inline(__always)
  public func structure(at slot: VTableOffset, size: Int) -> FlatBufferStruct? {
    guard size >= 0, size <= window.count, let field = field(at: slot, size: size) else { return nil }
    return FlatBufferStruct(unchecked: window, at: field, size: size)
  }

  /// The struct in the field of `slot` seen as a `View`, or nil when it is absent.
  @inlinable @inline(__always)
  public func structure<View: FlatBufferStructView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    guard let structure = structure(at: slot, size: View.byteSize) else { return nil }
    return View(structure)
  }

  /// Start and number of the elements of the vector in the field of `slot`: none when it is absent, or not all inside.
  @inlinable @inline(__always)
  func elements(at slot: VTableOffset, stride: Int) -> (start: Int, count: Int) {
    guard let target = target(at: slot) else { return (0, 0) }
    return window.elements(lengthAt: target, stride: stride) ?? (0, 0)
  }

  /// The vector in the field of `slot`: an empty one when it is absent, or not all inside the buffer.
  @inlinable @inline(__always)
  public func vector<Element>(
    of _: Element.Type = Element.self, at slot: VTableOffset
  ) -> FlatBufferVector<Element> {
    // Made in one place only: where two paths meet, the window's owner would be counted.
    let place = elements(at: slot, stride: Element.vectorStride)
    return FlatBufferVector(window: window, start: place.start, count: place.count)
  }

  /// The elements of the vector in the field of `slot`: none when it is absent, or not all inside the buffer.
  @inlinable @inline(__always)
  public func array<Element: FlatBufferVectorElement>(
    of _: Element.Type = Element.self, at slot: VTableOffset
  ) -> [Element] {
    vector(of: Element.self, at: slot).array
  }

  /// The values of the vector in the field of `slot`: none when it is absent, or not all inside the buffer.
  @inlinable @inline(__always)
  public func array<Element: FlatBufferScalar>(of _: Element.Type = Element.self, at slot: VTableOffset) -> [Element] {
    vector(of: Element.self, at: slot).array
  }

  /// The member of the union in the field of `slot`, whatever its kind; nil when it is absent. Its type code is the
  /// `UInt8` in the slot before.
  @inlinable @inline(__always)
  public func unionMember(at slot: VTableOffset) -> FlatBufferUnionMember? {
    // A struct may stand in the last bytes, fewer than a table or a string takes.
    guard let field = field(at: slot, size: 4), let target = window.target(ofOffsetAt: field), target != field else {
      return nil
    }
    return FlatBufferUnionMember(window: window, position: target)
  }

  /// The bytes of the FlatBuffer nested in the field of `slot`, a vector of bytes, without a copy; nil when it is
  /// absent.
  @inlinable
  public func nestedBuffer(at slot: VTableOffset) -> ByteBuffer? {
    guard let target = target(at: slot), let (start, count) = window.elements(lengthAt: target, stride: 1) else {
      return nil
    }
    return window.buffer.slice(start..<start &+ count)
  }
}
