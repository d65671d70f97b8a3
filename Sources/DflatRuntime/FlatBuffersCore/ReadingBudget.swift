#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How much may be copied out of a FlatBuffer whose bytes may lead to far more than they are: tables that share others,
/// strings and vectors that are one. Whoever copied all of it would never be done, or run out of memory.
///
/// Objects of the data model that are read within a budget pay for what may be shared and then multiplies: for each table
/// below those that the root has, for each element of a vector in one of these, and for each string that is not short.
/// When the budget is used up, the rest reads as absent. What is read without a budget pays nothing.
///
/// A thread has one budget, for one FlatBuffer at a time.
@usableFromInline
package struct ReadingBudget {
  @usableFromInline let rest: UnsafeMutablePointer<Int>

  /// The bit in a window's depth that says that it is read within a budget.
  @inlinable static var mark: UInt16 { 0x8000 }

  /// The depth of a root that is read within a budget.
  @inlinable static var rootDepth: UInt16 { mark + 1 }

  /// Strings and vectors of fewer bytes cost nothing. What they take is a multiple of what is counted for their table.
  @inlinable static var freeBytes: Int { 64 }

  /// What a table costs, and again as the element of a vector. It has at least 8 bytes with the offset to it, if it shares
  /// its vtable.
  @inlinable static var tableCost: Int { 24 }

  /// What `rest` is while nothing is read within a budget.
  @inlinable static var none: Int { .max }

  /// The budget of the calling thread, which must not hand it to another.
  package init() {
    if let rest = ReadingBudget.current {
      self.rest = rest
      return
    }
    rest = .allocate(capacity: 1)
    rest.initialize(to: ReadingBudget.none)
    // Fails only without memory, which traps wherever Swift needs some.
    let failure = pthread_setspecific(ReadingBudget.key, rest)
    precondition(failure == 0, "There is no memory for a thread's variable.")
  }

  /// Begins anew with eight times the bytes of a FlatBuffer, and some: what shares nothing costs no more than that, and
  /// others may write only once what they say several times.
  @inlinable @inline(__always)
  func begin(byteCount: Int) {
    rest.pointee = 8 * byteCount + 1 << 18
  }

  /// Ends the reading of a FlatBuffer. What is read later pays nothing.
  ///
  /// - Returns: whether the budget sufficed. If not, what was read is not all that the bytes say.
  @inlinable @inline(__always) @discardableResult
  package func end() -> Bool {
    let isKept = rest.pointee >= 0
    rest.pointee = ReadingBudget.none
    return isKept
  }

  /// Whether what has so many bytes, or costs as much, may be copied.
  @usableFromInline @inline(never)
  static func allows(bytes: Int) -> Bool {
    guard let rest = current, rest.pointee != none else { return true }
    return take(bytes, from: rest)
  }

  /// A copy of the bytes of a string that is not short; an empty string when that is not allowed. A function of its own, so
  /// that short ones need not get ready to call `allows(bytes:)`. It takes no notice of `mark`, which to hand over would make
  /// every reading of a string longer: what is read without a budget pays a look at the thread's variable here.
  @usableFromInline @inline(never)
  static func string(ofUTF8 bytes: UnsafeRawBufferPointer) -> String {
    guard allows(bytes: bytes.count) else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Nothing is so large that this overflows: a FlatBuffer has less than 2 GiB, and nothing is taken from what is used up.
  private static func take(_ cost: Int, from rest: UnsafeMutablePointer<Int>) -> Bool {
    guard rest.pointee >= 0 else { return false }
    // On 32 bits what costs more than there may be at all is cut off, and refused the same.
    let difference = rest.pointee.subtractingReportingOverflow(cost)
    rest.pointee = difference.overflow ? -1 : difference.partialValue
    return rest.pointee >= 0
  }

  private static var current: UnsafeMutablePointer<Int>? {
    pthread_getspecific(key)?.assumingMemoryBound(to: Int.self)
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key) { variable in
      // The parameter is an optional on some systems only.
      let variable: UnsafeMutableRawPointer? = variable
      variable?.deallocate()
    }
    precondition(failure == 0, "No thread-specific key is left in this process.")
    return key
  }()
}

extension FlatBufferTable {
  /// The root table of the FlatBuffer that `bytes` hold, to be read within a budget until that ends, and as long as the
  /// bytes are there; nil when there can be none.
  @inlinable @inline(__always)
  package init?(rootOf bytes: UnsafeRawBufferPointer, within budget: ReadingBudget) {
    guard let base = bytes.baseAddress, bytes.count <= FlatBufferWindow.maximumCount else { return nil }
    budget.begin(byteCount: bytes.count)
    let window = FlatBufferWindow(
      base: base, owner: nil, size: UInt32(truncatingIfNeeded: bytes.count), depth: ReadingBudget.mark)
    guard let place = Self.place(in: window, referredToAt: 0) else { return nil }
    self.init(in: window, place)
  }

  // What a vector may be copied for is found out before it is made: made on one of two ways, its owner would be counted.

  /// The vector in the field of `slot`, whose elements take `size` bytes each when they are copied: an empty one when it is
  /// absent, or they may not be copied. Those of a root may: it has only so many vectors.
  @inlinable @inline(__always)
  package func copyableVector<Element>(at slot: VTableOffset, size: Int) -> FlatBufferVector<Element> {
    let place = elements(at: slot, stride: Element.vectorStride)
    let isCopyable =
      window.depth <= ReadingBudget.rootDepth || place.count &* size < ReadingBudget.freeBytes
      || ReadingBudget.allows(bytes: place.count &* size)
    return FlatBufferVector(window: window, start: place.start, count: isCopyable ? place.count : 0)
  }

  /// The vector of tables, or of offsets to what else a union holds, in the field of `slot`: an empty one when it is absent,
  /// or they may not be copied.
  @inlinable @inline(__always)
  package func copyableTables<Element>(
    of _: Element.Type = FlatBufferTable.self, at slot: VTableOffset
  ) -> FlatBufferVector<Element> {
    let place = elements(at: slot, stride: 4)
    let isCopyable =
      window.depth <= ReadingBudget.rootDepth || ReadingBudget.allows(bytes: place.count &* ReadingBudget.tableCost)
    return FlatBufferVector(window: window, start: place.start, count: isCopyable ? place.count : 0)
  }

  /// The vector of unions whose members are in the field of `slot`: an empty one when it is absent, or they may not be
  /// copied.
  @inlinable @inline(__always)
  package func copyableUnions<View: FlatBufferUnionView>(at slot: VTableOffset) -> FlatBufferUnionVector<View> {
    FlatBufferUnionVector(
      codes: vector(at: slot &- 2), members: copyableTables(of: FlatBufferUnionMember.self, at: slot))
  }

  /// Whether a table or union that the table has in a field may be copied. That of a root may.
  @inlinable @inline(__always)
  package var mayCopyTable: Bool {
    window.depth <= ReadingBudget.rootDepth || ReadingBudget.allows(bytes: ReadingBudget.tableCost)
  }

  /// The table, or one with no field present when the budget that it is read within does not allow for another.
  @inlinable @inline(__always)
  package var withinBudget: FlatBufferTable {
    mayCopyTable ? self : .empty
  }
}
