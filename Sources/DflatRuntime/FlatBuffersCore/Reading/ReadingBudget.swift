/// A limit on the number of bytes that are copied out of one FlatBuffer.
///
/// Many offsets may refer to the same table, string or vector. A small hostile buffer can thus expand to objects of
/// unbounded size: copying all of them would never end, or exhaust the memory.
///
/// While a FlatBuffer is read within a budget, its data model objects charge the budget for everything that may be
/// shared: for each table below the root's own tables, for each element of a vector in such a table, and for each
/// string and vector of at least `freeBytes`. When the budget is exhausted, the rest reads as absent. Reading without a
/// budget charges nothing.
///
/// Each thread has one budget, for one FlatBuffer at a time.
@usableFromInline
package struct ReadingBudget {
  /// The thread's remaining bytes: negative if the budget is exhausted, `none` while there is no budget.
  @usableFromInline let remaining: UnsafeMutablePointer<Int>

  /// The bit of a window's `depth` that is set while the buffer is read within a budget.
  @inlinable static var depthFlag: UInt16 { 0x8000 }

  /// The `depth` of a root table that is read within a budget.
  @inlinable static var rootDepth: UInt16 { depthFlag + 1 }

  /// Strings and vectors of fewer bytes are free: their number is bounded by the tables that hold them, which are
  /// charged.
  @inlinable static var freeBytes: Int { 64 }

  /// The cost of a table in bytes; as an element of a vector, it is charged twice. A table that shares its vtable takes
  /// at least 8 bytes, its own offset and the offset to it: twice 24 is less than the 8 × 8 bytes that it adds to the
  /// budget.
  @inlinable static var tableCost: Int { 24 }

  /// The value of `remaining` while the thread reads without a budget.
  @inlinable static var none: Int { .max }

  /// Creates a handle to the budget of the calling thread. It must not be used on another thread.
  @usableFromInline
  package init() {
    if let remaining = ReadingBudget.current {
      self.remaining = remaining
      return
    }
    remaining = .allocate(capacity: 1)
    remaining.initialize(to: ReadingBudget.none)
    ReadingBudget.local.pointer = UnsafeMutableRawPointer(remaining)
  }

  // Inlined, or kept out of line, for the benchmark rows "fetch all" and "decode into the data model": each row has a
  // budget, and each vector and table of the data model asks whether it is charged.
  /// Starts a new budget of 8 × `byteCount` + 256 KiB. A buffer without shared objects never costs more. The surplus
  /// allows for other writers, which may store equal objects once and refer to them several times.
  @inlinable @inline(__always)
  func begin(byteCount: Int) {
    remaining.pointee = 8 * byteCount + 1 << 18
  }

  /// Ends the budget. Later reads on this thread charge nothing.
  ///
  /// - Returns: whether the budget sufficed. If it did not, the objects read are incomplete.
  @inlinable @inline(__always) @discardableResult
  package func end() -> Bool {
    let sufficed = remaining.pointee >= 0
    remaining.pointee = ReadingBudget.none
    return sufficed
  }

  /// Charges the thread's budget, if there is one, for a copy that costs `bytes`.
  ///
  /// - Returns: whether the budget allows the copy.
  @usableFromInline @inline(never)
  static func charge(bytes: Int) -> Bool {
    guard let remaining = current, remaining.pointee != none else { return true }
    return take(bytes, from: remaining)
  }

  /// Returns a copy of the bytes of a string of at least `freeBytes`, charged to the budget; an empty string if the budget does
  /// not allow the copy. It is not inlined, so that reading a short string sets up no call to `charge(bytes:)`. It does
  /// not take the window's `depthFlag`, because passing it would slow down every read of a string: without a budget, a
  /// long string costs a lookup of the thread-specific value instead.
  @usableFromInline @inline(never)
  static func string(ofUTF8 bytes: UnsafeRawBufferPointer) -> String {
    guard charge(bytes: bytes.count) else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Subtracts `cost` from `remaining`, and returns whether the result is not negative. In 64 bits this cannot
  /// overflow: a cost is a small multiple of at most 2 GiB, and an exhausted budget is not charged further.
  private static func take(_ cost: Int, from remaining: UnsafeMutablePointer<Int>) -> Bool {
    guard remaining.pointee >= 0 else { return false }
    // In 32 bits the subtraction may overflow, which exhausts the budget, too.
    let difference = remaining.pointee.subtractingReportingOverflow(cost)
    remaining.pointee = difference.overflow ? -1 : difference.partialValue
    return remaining.pointee >= 0
  }

  private static var current: UnsafeMutablePointer<Int>? { local.pointer?.assumingMemoryBound(to: Int.self) }

  private static let local = ThreadLocal(destructor: ThreadLocal.deallocating)
}

extension FlatBufferTable {
  /// The root table of the FlatBuffer in `bytes`; nil if it cannot be read. Starts `budget`, within which the table is
  /// read until `end()`; without a table, the budget has ended. The table is valid as long as `bytes`.
  @inlinable @inline(__always)
  package init?(rootOf bytes: UnsafeRawBufferPointer, within budget: ReadingBudget) {
    guard let base = bytes.baseAddress, bytes.count <= FlatBufferWindow.maximumCount else { return nil }
    budget.begin(byteCount: bytes.count)
    let window = FlatBufferWindow(
      base: base, owner: nil, size: UInt32(truncatingIfNeeded: bytes.count), depth: ReadingBudget.depthFlag)
    guard let location = Self.location(in: window, referredToAt: 0) else {
      // The callers return without ending the budget if there is no table. Later reads of the thread would then be
      // charged to it.
      budget.end()
      return nil
    }
    self.init(in: window, location)
  }

  // The methods below charge the budget before they create a vector: if two control-flow paths created it, merging them
  // would retain the window's owner.

  /// Returns the vector in the field at `slot`; an empty one if it is absent, or the budget does not allow a copy of its
  /// elements, `size` bytes each. The vectors of a root are not charged: their number is bounded by the schema.
  @inlinable @inline(__always)
  package func copyableVector<Element>(at slot: VTableOffset, size: Int) -> FlatBufferVector<Element> {
    let range = elements(at: slot, stride: Element.vectorStride)
    let isCopyable =
      window.depth <= ReadingBudget.rootDepth || range.count &* size < ReadingBudget.freeBytes
      || ReadingBudget.charge(bytes: range.count &* size)
    return FlatBufferVector(window: window, start: range.start, count: isCopyable ? range.count : 0)
  }

  /// Returns the vector of tables or union members in the field at `slot`; an empty one if it is absent, or the budget does not
  /// allow a copy of its elements. The vectors of a root are not charged.
  @inlinable @inline(__always)
  package func copyableTables<Element>(
    of _: Element.Type = FlatBufferTable.self, at slot: VTableOffset
  ) -> FlatBufferVector<Element> {
    let range = elements(at: slot, stride: 4)
    let isCopyable =
      window.depth <= ReadingBudget.rootDepth || ReadingBudget.charge(bytes: range.count &* ReadingBudget.tableCost)
    return FlatBufferVector(window: window, start: range.start, count: isCopyable ? range.count : 0)
  }

  /// Returns the vector of unions whose members are in the field at `slot`; an empty one if it is absent, or the budget does
  /// not allow a copy of its members. The vectors of a root are not charged.
  @inlinable
  package func copyableUnions<View: FlatBufferUnionView>(at slot: VTableOffset) -> FlatBufferUnionVector<View> {
    FlatBufferUnionVector(
      codes: vector(at: slot &- 2), members: copyableTables(of: FlatBufferUnionMember.self, at: slot))
  }

  /// Charges the budget for a copy of a table or union in a field of this table. The fields of a root are not charged.
  ///
  /// - Returns: whether the budget allows the copy.
  @inlinable @inline(__always)
  package func chargeTable() -> Bool {
    window.depth <= ReadingBudget.rootDepth || ReadingBudget.charge(bytes: ReadingBudget.tableCost)
  }

  /// This table, charged to the budget; an empty table if the budget does not allow the copy.
  @inlinable @inline(__always)
  package var withinBudget: FlatBufferTable {
    chargeTable() ? self : .empty
  }
}
