/// Writes a FlatBuffer.
///
/// ```swift
/// var builder = FlatBufferBuilder()
/// let name = builder.create("Orc")
/// let monster = MonsterReader.create(in: &builder, name: name, hp: 80)
/// try builder.finish(monster, as: MonsterReader.self)
/// let buffer = builder.finishedBuffer()
/// ```
///
/// Strings, vectors and tables are written before the table that refers to them; `finish` ends the buffer. ``clear()``
/// keeps the memory: a builder that is reused allocates nothing once it has grown to the size of its largest buffer.
///
/// Wrong use, such as starting a table inside another, is a programming error and stops the program with a message.
/// Data that is too large is reported as an error: if the buffer exceeds 2 GiB, or a fixed array is given more elements
/// than it holds, `finish` throws. After the buffer has exceeded its limit, the builder drops everything written to it.
///
/// A builder cannot be copied. It may be sent to another thread, but only one uses it at a time.
///
/// See also: ``Offset``, ``FlatBufferTableView``, ``ByteBuffer``, Documentation/flatbuffers.md (Writing).
public struct FlatBufferBuilder: ~Copyable, @unchecked Sendable {
  // Unchecked because of the pointers: this value cannot be copied, so that it alone owns the memory behind them.

  @usableFromInline
  enum Phase: UInt8 {
    case idle, table, finished
  }

  /// `capacity` bytes that are filled from the end towards the front: the first `space` bytes are free.
  @usableFromInline var memory: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  @usableFromInline var space: Int
  @usableFromInline let sizeLimit: Int
  /// The largest alignment of anything written so far.
  @usableFromInline var minimumAlignment = 1
  @usableFromInline var phase = Phase.idle
  /// The number of bytes of the objects with 64-bit offsets: the last ones of the buffer, written before all others.
  @usableFromInline var count64 = 0
  /// Whether scalars are written even if they equal their default.
  public var forceDefaults: Bool

  /// The vtable of the table being written. Until `endTable()`, the entry of a present field is the field's distance in
  /// bytes from `tableStart`, that of an absent field is 0. The index of an entry is the field's slot / 2.
  @usableFromInline var vtable: UnsafeMutablePointer<UInt16>
  @usableFromInline var vtableCapacity: Int
  @usableFromInline var vtableCount = 0
  @usableFromInline var tableStart = 0

  /// The state that is not needed for each field. It is behind a pointer to shorten the compilation of generated code:
  /// for a value that cannot be copied, the Swift compiler checks each use against everything that the value stores,
  /// down to the associated values of an error.
  let state: UnsafeMutablePointer<BuilderState>

  /// Creates a builder with memory for `initialCapacity` bytes, which grows as needed.
  ///
  /// - Parameters:
  ///   - initialCapacity: how many bytes the builder has room for at first.
  ///   - forceDefaults: whether scalars are written even if they equal their default, so that a reader can tell them
  ///     from absent ones.
  public init(initialCapacity: Int = 1024, forceDefaults: Bool = false) {
    self.init(
      initialCapacity: initialCapacity, forceDefaults: forceDefaults, sizeLimit: FlatBufferWindow.maximumCount)
  }

  /// Creates a builder that fails if its buffer exceeds `sizeLimit` bytes. Tests pass less than 2 GiB.
  package init(initialCapacity: Int = 1024, forceDefaults: Bool = false, sizeLimit: Int) {
    // Positions are counted from the end of the memory, so that end should be aligned like its start, to 16 bytes.
    let limit = sizeLimit & ~15
    capacity = (min(max(initialCapacity, 64), limit - 15) + 15) & ~15
    space = capacity
    self.sizeLimit = limit
    self.forceDefaults = forceDefaults
    memory = .allocate(byteCount: capacity, alignment: 16)
    vtableCapacity = 64
    vtable = .allocate(capacity: vtableCapacity)
    state = .allocate(capacity: 1)
    state.initialize(to: BuilderState())
  }

  deinit {
    memory.deallocate()
    vtable.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Discards everything written and keeps the memory. Offsets returned before become invalid.
  ///
  /// ```swift
  /// var builder = FlatBufferBuilder()
  /// for hp in 1...3 as ClosedRange<Int16> {
  ///   builder.clear()
  ///   try builder.finish(MonsterReader.create(in: &builder, hp: hp), as: MonsterReader.self)
  ///   builder.withFinishedBytes { bytes in print(bytes.count) }
  /// }
  /// ```
  public mutating func clear() {
    space = capacity
    minimumAlignment = 1
    count64 = 0
    phase = .idle
    state.pointee.clear()
  }

  /// The number of bytes written so far. After `finish`, this is the size of the buffer.
  @inlinable
  public var count: Int { capacity &- space }

  /// The number of bytes that can be written before memory is allocated again.
  package var memoryCapacity: Int { capacity }

  // MARK: Writing towards the front

  // Inlined for the benchmark row "build, builder reused": all bytes of a buffer are written here. What makes room
  // stays out of line.
  /// Reserves `bytes` bytes, and writes zero padding behind them so that they start at a multiple of `alignment`, a
  /// power of two. Returns false if the buffer would become too large, or writing has failed before.
  @inlinable @inline(__always)
  mutating func reserve(_ bytes: Int, alignment: Int) -> Bool {
    if alignment > 8 { return reserveWidelyAligned(bytes, alignment: alignment) }
    if alignment > minimumAlignment { minimumAlignment = alignment }
    // 8 more bytes are always free, so that one store writes the padding, which is at most 7 bytes.
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
    guard state.pointee.failure == nil else {
      space = 0
      return false
    }
    guard bytes <= sizeLimit - padding - count else {
      fail(.builderTooLarge(limit: sizeLimit))
      return false
    }
    let needed = count + bytes + padding
    let doubled = capacity > sizeLimit / 2 ? sizeLimit : capacity * 2
    let newCapacity = needed > doubled ? (needed + min(15, sizeLimit - needed)) & ~15 : doubled
    let larger = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
    (larger + (newCapacity - count)).copyMemory(from: memory + space, byteCount: count)
    memory.deallocate()
    memory = larger
    space = newCapacity - count
    capacity = newCapacity
    return true
  }

  /// Makes `finish` throw `error`, unless another error came first, and drops everything written from now on.
  @usableFromInline
  mutating func fail(_ error: FlatBufferError) {
    if state.pointee.failure == nil { state.pointee.failure = error }
    space = 0
  }

  /// Makes `finish` throw `error`, unless another error came first. Reserved bytes can still be written.
  @usableFromInline
  mutating func note(_ error: FlatBufferError) {
    if state.pointee.failure == nil { state.pointee.failure = error }
  }

  /// Makes `finish` throw `FlatBufferError.unstorableValue`, unless another error came first.
  package mutating func note(unstorable field: String, reason: String) {
    note(.unstorableValue(field: field, reason: reason))
  }

  /// The offset returned for an object that was not written because an error occurred: `finish` will throw that error.
  @inlinable
  public var dropped: Offset { Offset(rawValue: 1) }

  /// The offset of the bytes written last.
  @inlinable
  var currentOffset: Offset { Offset(rawValue: UInt32(truncatingIfNeeded: count)) }

  /// Writes `bits` into reserved bytes.
  @inlinable @inline(__always)
  mutating func push<Bits: FixedWidthInteger & BitwiseCopyable>(_ bits: Bits) {
    space &-= MemoryLayout<Bits>.size
    (memory + space).storeBytes(of: bits.littleEndian, as: Bits.self)
  }

  /// Writes `count` bytes into reserved bytes.
  @inlinable @inline(__always)
  mutating func push(_ bytes: UnsafeRawPointer, count: Int) {
    space &-= count
    (memory + space).copyMemory(from: bytes, byteCount: count)
  }

  /// Writes a forward reference to the object at `offset` into 4 reserved bytes: the distance from these bytes to it.
  /// Stops the program if the builder has written no object at `offset`.
  @inlinable @inline(__always)
  mutating func push(distanceTo offset: Offset) {
    let position = UInt32(truncatingIfNeeded: count)
    precondition(
      offset.rawValue <= position && offset.rawValue != 0,
      "The offset does not come from this builder, or from before it was cleared.")
    push(position &- offset.rawValue &+ 4)
  }

  @inlinable @inline(__always)
  func requireIdle() {
    precondition(phase != .table, "Strings, vectors and tables are written before the table that refers to them.")
    precondition(phase != .finished, "The buffer is finished: call clear() before another one is written.")
  }

  // MARK: Finishing

  /// Ends the buffer and makes `root` its root table.
  ///
  /// - Parameters:
  ///   - root: the root table. ``Offset/null`` stops the program.
  ///   - fileIdentifier: four bytes of UTF-8 that identify the kind of file; nil for none. Any other number of bytes
  ///     stops the program.
  ///   - sizePrefixed: whether the buffer is preceded by its size in 4 bytes.
  /// - Throws: ``FlatBufferError/builderTooLarge(limit:)``, ``FlatBufferError/tableTooLarge``,
  ///   ``FlatBufferError/tooDeep(position:limit:)``, ``FlatBufferError/arrayTooLong(count:limit:)`` or
  ///   ``FlatBufferError/unstorableValue(field:reason:)`` if an object was not written. The builder can be cleared and
  ///   used again.
  public mutating func finish(
    _ root: Offset, fileIdentifier: String? = nil, sizePrefixed: Bool = false
  ) throws(FlatBufferError) {
    requireIdle()
    precondition(!root.isNull, "A FlatBuffer needs a root table: `Offset.null` is not allowed.")
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
    if let failure = state.pointee.failure { throw failure }
    phase = .finished
  }

  /// The bytes of the finished buffer, valid until the builder is changed or destroyed. A use before `finish` stops the
  /// program.
  package var finishedBytes: UnsafeRawBufferPointer {
    precondition(phase == .finished, "The buffer is not finished: call finish before its bytes are used.")
    return UnsafeRawBufferPointer(start: memory + space, count: count)
  }

  /// Calls `body` with the bytes of the finished buffer, which are not copied. The pointer is valid until `body`
  /// returns.
  ///
  /// A call before `finish` stops the program.
  @inlinable
  public borrowing func withFinishedBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(phase == .finished, "The buffer is not finished: call finish before its bytes are used.")
    return try body(UnsafeRawBufferPointer(start: memory + space, count: count))
  }

  /// Returns a copy of the finished buffer. A call before `finish` stops the program.
  public borrowing func finishedBuffer() -> ByteBuffer {
    withFinishedBytes { bytes in ByteBuffer(copying: bytes) }
  }
}
