/// Writes a FlatBuffer.
///
/// What a table refers to (strings, vectors, other tables) is written before the table itself; `finish` ends the
/// buffer. After ``clear()`` the memory is used again, so that a builder which is kept allocates nothing once it has
/// grown to the size of what it writes.
///
/// Wrong use, such as a table begun inside another, is a mistake of the program and stops it with a message. A buffer
/// that grows beyond 2 GiB is not: what is written from then on is dropped, and `finish` throws. So does it when a struct
/// was given more elements for a fixed array than that holds.
public struct FlatBufferBuilder: ~Copyable, @unchecked Sendable {
  // Unchecked because of the pointers: the memory behind them belongs to this value alone, which cannot be copied.

  @usableFromInline
  enum Phase: UInt8 {
    case idle, table, finished
  }

  /// `capacity` bytes, which are filled from their end: the first `space` ones are free.
  @usableFromInline var memory: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  @usableFromInline var space: Int
  @usableFromInline let sizeLimit: Int
  /// The largest alignment of anything written so far.
  @usableFromInline var minimumAlignment = 1
  @usableFromInline var phase = Phase.idle
  /// Why nothing is written any more. All of `capacity` then counts as used, so that every offset stays plausible.
  @usableFromInline var failure: FlatBufferError?
  /// How many objects are being written, one within the other; see ``descend()``.
  var depth = 0
  /// Whether scalars are written although they equal their default.
  public var forceDefaults: Bool

  /// The vtable of the table being written. Until that ends, a present field's entry is its distance from
  /// `tableStart`; an absent field's is 0. The index is the field's slot / 2.
  @usableFromInline var vtable: UnsafeMutablePointer<UInt16>
  @usableFromInline var vtableCapacity: Int
  @usableFromInline var vtableCount = 0
  @usableFromInline var tableStart = 0

  /// The vtables written so far; those after the first few are found through `vtableIndex`.
  var vtables: NumberList
  var vtableIndex = OffsetIndex()
  var sharedStrings = OffsetIndex()
  /// Offsets that wait to become a vector.
  var pendingOffsets: NumberList

  /// A builder with room for `initialCapacity` bytes, which grows as needed.
  ///
  /// - Parameter forceDefaults: whether scalars are written although they equal their default, so that a reader can
  ///   tell them from absent ones.
  public init(initialCapacity: Int = 1024, forceDefaults: Bool = false) {
    self.init(
      initialCapacity: initialCapacity, forceDefaults: forceDefaults, sizeLimit: FlatBufferWindow.maximumCount)
  }

  /// A builder that fails when its buffer grows beyond `sizeLimit` bytes: 2 GiB are too many for a test.
  package init(initialCapacity: Int = 1024, forceDefaults: Bool = false, sizeLimit: Int) {
    // The memory's end is aligned for everything, and positions are counted from it.
    let limit = sizeLimit & ~15
    capacity = min(max(initialCapacity, 64), limit - 15) + 15 & ~15
    space = capacity
    self.sizeLimit = limit
    self.forceDefaults = forceDefaults
    memory = .allocate(byteCount: capacity, alignment: 16)
    vtableCapacity = 64
    vtable = .allocate(capacity: vtableCapacity)
    vtables = NumberList(capacity: 16)
    pendingOffsets = NumberList(capacity: 16)
  }

  deinit {
    memory.deallocate()
    vtable.deallocate()
  }

  /// Forgets all that was written, and keeps the memory. Offsets returned before mean nothing any more.
  public mutating func clear() {
    space = capacity
    minimumAlignment = 1
    phase = .idle
    failure = nil
    depth = 0
    vtables.removeAll(after: 0)
    vtableIndex.removeAll()
    sharedStrings.removeAll()
    pendingOffsets.removeAll(after: 0)
  }

  /// The number of bytes written so far, which is the size of the buffer once it is finished.
  @inlinable
  public var count: Int { capacity &- space }

  /// The number of bytes that can be written before memory is allocated again.
  package var memoryCapacity: Int { capacity }

  // MARK: Writing towards the front

  /// Makes room for `bytes`, and fills up with zeros such that they start at a multiple of `alignment`, a power of
  /// two. False when the buffer would become too large, or something else has failed before.
  @inlinable @inline(__always)
  mutating func reserve(_ bytes: Int, alignment: Int) -> Bool {
    if alignment > 8 { return reserveWidelyAligned(bytes, alignment: alignment) }
    if alignment > minimumAlignment { minimumAlignment = alignment }
    // There are always 8 bytes more than asked for, so that the padding is one store.
    guard bytes &+ 8 <= space || grow(for: bytes, padding: 8) else { return false }
    (memory + (space &- 8)).storeBytes(of: 0, as: UInt64.self)
    space &-= (0 &- (count &+ bytes)) & (alignment &- 1)
    return true
  }

  @usableFromInline
  mutating func reserveWidelyAligned(_ bytes: Int, alignment: Int) -> Bool {
    precondition(alignment > 0 && alignment & (alignment - 1) == 0, "An alignment must be a power of two.")
    if alignment > minimumAlignment { minimumAlignment = alignment }
    guard bytes + alignment <= space || grow(for: bytes, padding: alignment) else { return false }
    let padding = (0 &- (count &+ bytes)) & (alignment - 1)
    space -= padding
    (memory + space).initializeMemory(as: UInt8.self, repeating: 0, count: padding)
    return true
  }

  @usableFromInline @inline(never)
  mutating func grow(for bytes: Int, padding: Int) -> Bool {
    guard failure == nil else {
      space = 0
      return false
    }
    guard bytes <= sizeLimit - padding - count else {
      fail(.builderTooLarge(limit: sizeLimit))
      return false
    }
    let needed = count + bytes + padding
    let doubled = capacity > sizeLimit / 2 ? sizeLimit : capacity * 2
    let newCapacity = needed > doubled ? needed + min(15, sizeLimit - needed) & ~15 : doubled
    let larger = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
    (larger + (newCapacity - count)).copyMemory(from: memory + space, byteCount: count)
    memory.deallocate()
    memory = larger
    space = newCapacity - count
    capacity = newCapacity
    return true
  }

  /// Drops what is written from now on: `finish` will throw `error`.
  @usableFromInline
  mutating func fail(_ error: FlatBufferError) {
    if failure == nil { failure = error }
    space = 0
  }

  /// Lets `finish` throw `error`. What has been reserved can be filled.
  @usableFromInline
  mutating func note(_ error: FlatBufferError) {
    if failure == nil { failure = error }
  }

  /// What is returned for something that was not written, since `finish` will throw.
  @inlinable
  public var dropped: Offset { Offset(rawValue: 1) }

  @inlinable
  var here: Offset { Offset(rawValue: UInt32(truncatingIfNeeded: count)) }

  /// Writes `bits` into room that was reserved.
  @inlinable @inline(__always)
  mutating func push<Bits: FixedWidthInteger & BitwiseCopyable>(_ bits: Bits) {
    space &-= MemoryLayout<Bits>.size
    (memory + space).storeBytes(of: bits.littleEndian, as: Bits.self)
  }

  /// Writes `count` bytes into room that was reserved.
  @inlinable @inline(__always)
  mutating func push(_ bytes: UnsafeRawPointer, count: Int) {
    space &-= count
    (memory + space).copyMemory(from: bytes, byteCount: count)
  }

  /// Writes the distance to `offset` into room that was reserved.
  @inlinable @inline(__always)
  mutating func push(distanceTo offset: Offset) {
    let here = UInt32(truncatingIfNeeded: count)
    precondition(
      offset.rawValue <= here && offset.rawValue != 0,
      "The offset does not come from this builder, or from before it was cleared.")
    push(here &- offset.rawValue &+ 4)
  }

  @inlinable @inline(__always)
  func requireIdle() {
    precondition(phase != .table, "Strings, vectors and tables are written before the table that refers to them.")
    precondition(phase != .finished, "The buffer is finished: clear the builder before writing another.")
  }

  // MARK: Finishing

  /// Ends the buffer, whose root table is `root`.
  ///
  /// - Parameters:
  ///   - fileIdentifier: four bytes of UTF-8 that tell the kind of file; nil for none.
  ///   - sizePrefixed: whether the buffer's size, in four bytes, stands before it.
  /// - Throws: ``FlatBufferError/builderTooLarge(limit:)``, ``FlatBufferError/tableTooLarge`` or
  ///   ``FlatBufferError/arrayTooLong(count:limit:)`` when something could not be written. The builder can be cleared and
  ///   used again.
  public mutating func finish(
    _ root: Offset, fileIdentifier: String? = nil, sizePrefixed: Bool = false
  ) throws(FlatBufferError) {
    requireIdle()
    precondition(!root.isNull, "A FlatBuffer needs a root table.")
    precondition(
      fileIdentifier.map { $0.utf8.count == 4 } ?? true, "A file identifier has four bytes.")
    let header = 4 + (fileIdentifier == nil ? 0 : 4) + (sizePrefixed ? 4 : 0)
    if reserve(header, alignment: max(4, minimumAlignment)) {
      if let fileIdentifier {
        for byte in fileIdentifier.utf8.reversed() { push(byte) }
      }
      push(distanceTo: root)
      if sizePrefixed { push(UInt32(truncatingIfNeeded: count)) }
    }
    if let failure { throw failure }
    phase = .finished
  }

  /// The bytes of the finished buffer, which are valid until the builder is used again, or goes away.
  package var finishedBytes: UnsafeRawBufferPointer {
    precondition(phase == .finished, "The buffer is not finished.")
    return UnsafeRawBufferPointer(start: memory + space, count: count)
  }

  /// Calls `body` with the bytes of the finished buffer, which are valid until it returns.
  @inlinable
  public borrowing func withFinishedBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(phase == .finished, "The buffer is not finished.")
    return try body(UnsafeRawBufferPointer(start: memory + space, count: count))
  }

  /// A copy of the finished buffer.
  public borrowing func finishedBuffer() -> ByteBuffer {
    withFinishedBytes { bytes in ByteBuffer(copying: bytes) }
  }
}
