/// Checks that bytes are a FlatBuffer of a given type, before anything is read from them.
///
/// The rules are those of the C++ library: whatever is referred to is inside the buffer, scalars and structs stand
/// where their alignment asks, strings end with a zero byte, required fields are present, and neither the depth nor the
/// number of tables exceeds a limit, so that a few bytes cannot make a reader work for ever. Bytes that are accepted
/// can be read by every accessor. A verifier is driven by generated code: `verify` of a ``FlatBufferTableView``.
public struct FlatBufferVerifier {
  /// What is checked, and how far.
  public struct Options: Hashable, Sendable {
    /// How deep tables may be nested.
    public var maximumDepth: Int
    /// How many tables may be visited. One that is referred to twice counts twice.
    public var maximumTableCount: Int
    /// How many bytes the buffer may have; never more than ``FlatBufferWindow/maximumCount``.
    public var maximumByteCount: Int
    /// Whether everything must stand at a multiple of its alignment. Readers here do not need it; others do.
    public var checksAlignment: Bool
    /// Whether nested FlatBuffers are checked too.
    public var checksNestedBuffers: Bool

    /// The limits of the C++ library, where they are not given.
    public init(
      maximumDepth: Int = 64, maximumTableCount: Int = 1_000_000,
      maximumByteCount: Int = FlatBufferWindow.maximumCount, checksAlignment: Bool = true,
      checksNestedBuffers: Bool = true
    ) {
      self.maximumDepth = maximumDepth
      self.maximumTableCount = maximumTableCount
      self.maximumByteCount = maximumByteCount
      self.checksAlignment = checksAlignment
      self.checksNestedBuffers = checksNestedBuffers
    }
  }

  /// A table whose place and vtable have been checked.
  @frozen
  public struct Table: Sendable {
    /// Where the table starts.
    public let position: Int
    @usableFromInline let vtable: Int
    @usableFromInline let vtableSize: Int

    @inlinable
    init(position: Int, vtable: Int, vtableSize: Int) {
      self.position = position
      self.vtable = vtable
      self.vtableSize = vtableSize
    }
  }

  // All methods are mutating, even those that change nothing: so the verifier is passed by its address, where otherwise
  // each call would copy it.

  @usableFromInline let window: FlatBufferWindow
  /// What is checked, and how far.
  public let options: Options
  @usableFromInline var depth = 0
  @usableFromInline var tableCount = 0

  /// Gets ready to check `buffer`.
  ///
  /// - Throws: ``FlatBufferError/bufferTooLarge(count:limit:)``.
  public init(_ buffer: ByteBuffer, options: Options = Options()) throws(FlatBufferError) {
    let limit = min(options.maximumByteCount, FlatBufferWindow.maximumCount)
    guard buffer.count <= limit, let window = FlatBufferWindow(buffer) else {
      throw .bufferTooLarge(count: buffer.count, limit: limit)
    }
    self.window = window
    self.options = options
  }

  // MARK: Ranges and offsets

  /// Whether `count` bytes from `position` on are inside. As in C++, no one thing may fill the whole buffer.
  @inline(__always)
  mutating func contains(_ position: Int, count: Int) -> Bool {
    // What is negative is larger than every size.
    let last = window.count &- count
    return last > 0 && UInt(bitPattern: position) <= UInt(bitPattern: last)
  }

  @inline(__always)
  mutating func isAligned(_ position: Int, to alignment: Int) -> Bool {
    position & (alignment &- 1) == 0 || !options.checksAlignment
  }

  /// Checks that `count` bytes from `position` on are inside and aligned.
  @inline(__always)
  mutating func check(_ position: Int, count: Int, alignment: Int) throws(FlatBufferError) {
    if _fastPath(isAligned(position, to: alignment) && contains(position, count: count)) { return }
    try refuse(position, count: count, alignment: alignment)
  }

  /// Says what is wrong with `count` bytes from `position` on. A function of its own, as are those below: where all is
  /// well, what makes an error only takes room.
  @inline(never)
  mutating func refuse(_ position: Int, count: Int, alignment: Int) throws(FlatBufferError) {
    throw isAligned(position, to: alignment)
      ? .outOfBounds(position: position, count: count) : .misaligned(position: position, alignment: alignment)
  }

  @inline(never)
  mutating func refuse(_ error: FlatBufferError) throws(FlatBufferError) {
    throw error
  }

  @inline(never)
  mutating func refuseAbsence(of slot: VTableOffset, at position: Int) throws(FlatBufferError) {
    throw .missingRequiredField(slot: slot, position: position)
  }

  /// Checks the offset at `position` and returns where it leads to, which is inside.
  @inline(__always)
  mutating func checkedTarget(ofOffsetAt position: Int) throws(FlatBufferError) -> Int {
    try check(position, count: 4, alignment: 4)
    let offset = window.load(UInt32.self, at: position)
    guard offset != 0, offset < window.size &- UInt32(truncatingIfNeeded: position) else {
      throw .invalidOffset(position: position)
    }
    return position &+ Int(truncatingIfNeeded: offset)
  }

  /// Where the offset of a vector's element leads to. As in C++ this offset may be zero; what it leads to is checked.
  @inline(__always)
  mutating func elementTarget(ofOffsetAt position: Int) throws(FlatBufferError) -> Int {
    guard let target = window.target(ofOffsetAt: position) else { throw .invalidOffset(position: position) }
    return target
  }

  /// Where the field of `slot` starts; nil when it is absent.
  @inline(__always)
  mutating func field(at slot: VTableOffset, in table: Table, required: Bool) throws(FlatBufferError) -> Int? {
    if Int(slot) &+ 2 <= table.vtableSize {
      let offset = window.load(UInt16.self, at: table.vtable &+ Int(slot))
      if offset != 0 { return table.position &+ Int(offset) }
    }
    if required { try refuseAbsence(of: slot, at: table.position) }
    return nil
  }

  /// Where the offset in the field of `slot` leads to, which is inside; nil when the field is absent.
  @inline(__always)
  mutating func checkedTarget(at slot: VTableOffset, in table: Table, required: Bool) throws(FlatBufferError) -> Int? {
    guard let field = try field(at: slot, in: table, required: required) else { return nil }
    return try checkedTarget(ofOffsetAt: field)
  }

  // MARK: Tables

  /// Checks the place and the vtable of the table at `position`, and goes one level down. Followed by ``endTable()``
  /// once the table's fields have been checked.
  public mutating func beginTable(at position: Int) throws(FlatBufferError) -> Table {
    try check(position, count: 4, alignment: 4)
    depth &+= 1
    tableCount &+= 1
    guard depth <= options.maximumDepth else { throw .tooDeep(position: position, limit: options.maximumDepth) }
    guard tableCount <= options.maximumTableCount else {
      throw .tooManyTables(position: position, limit: options.maximumTableCount)
    }
    let vtable = Int64(truncatingIfNeeded: position) &- Int64(window.load(Int32.self, at: position))
    guard vtable >= 0, vtable <= Int64(window.size) &- 2 else { throw .invalidVTable(position: position) }
    let vtableStart = Int(truncatingIfNeeded: vtable)
    try check(vtableStart, count: 2, alignment: 2)
    let vtableSize = Int(window.load(UInt16.self, at: vtableStart))
    guard vtableSize & 1 == 0, vtableSize < window.count, vtableStart <= window.count &- vtableSize else {
      throw .invalidVTable(position: position)
    }
    return Table(position: position, vtable: vtableStart, vtableSize: vtableSize)
  }

  /// Goes one level up, after the fields of a table.
  @inlinable
  public mutating func endTable() {
    depth &-= 1
  }

  // MARK: Fields

  /// Checks the scalar in the field of `slot`, if there is one.
  @inlinable @inline(__always)
  public mutating func scalar<T: FlatBufferScalar>(
    _: T.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    try scalar(size: MemoryLayout<T.Bits>.size, in: table, at: slot, required: required)
  }

  /// Checks the scalar of `size` bytes, a power of two, in the field of `slot`, if there is one.
  public mutating func scalar(
    size: Int, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    guard let field = try field(at: slot, in: table, required: required) else { return }
    try check(field, count: size, alignment: size)
  }

  /// Checks the struct of `size` bytes in the field of `slot`, if there is one.
  public mutating func structure(
    size: Int, alignment: Int, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    guard let field = try field(at: slot, in: table, required: required) else { return }
    try check(field, count: size, alignment: alignment)
  }

  /// Checks the struct in the field of `slot`, if there is one.
  @inlinable @inline(__always)
  public mutating func structure<View: FlatBufferStructView>(
    of _: View.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    try structure(
      size: View.byteSize, alignment: View.byteAlignment, in: table, at: slot, required: required)
  }

  /// Checks the struct of `size` bytes at `position`.
  public mutating func structure(size: Int, alignment: Int, at position: Int) throws(FlatBufferError) {
    try check(position, count: size, alignment: alignment)
  }

  /// Checks the string in the field of `slot`, if there is one.
  public mutating func string(in table: Table, at slot: VTableOffset, required: Bool = false) throws(FlatBufferError) {
    guard let position = try checkedTarget(at: slot, in: table, required: required) else { return }
    try checkString(at: position)
  }

  /// Checks the string at `position`.
  public mutating func string(at position: Int) throws(FlatBufferError) {
    try checkString(at: position)
  }

  @inline(__always)
  mutating func checkString(at position: Int) throws(FlatBufferError) {
    let (start, count) = try elements(at: position, stride: 1)
    let end = start &+ count
    guard contains(end, count: 1), window.load(UInt8.self, at: end) == 0 else {
      throw .unterminatedString(position: position)
    }
  }

  /// Checks the table in the field of `slot`, if there is one, and all that it refers to.
  @inlinable @inline(__always)
  public mutating func table<View: FlatBufferTableView>(
    of _: View.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    guard let position = try target(at: slot, in: table, required: required) else { return }
    try View.verify(&self, at: position)
  }

  /// Checks the offset in the field of `slot`, if there is one, and returns where it leads to.
  @usableFromInline
  mutating func target(at slot: VTableOffset, in table: Table, required: Bool) throws(FlatBufferError) -> Int? {
    try checkedTarget(at: slot, in: table, required: required)
  }

  /// Checks the type code and the offset of the union whose value is in the field of `slot`, and whose type code is in
  /// the slot before it. Returns where its member starts, for the caller to check; nil when there is none.
  public mutating func union(
    in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) -> (code: UInt8, position: Int)? {
    // As in C++, only the member of a required union must be there: without a type code it reads as absent.
    let codeField = try field(at: slot &- 2, in: table, required: false)
    if let codeField { try check(codeField, count: 1, alignment: 1) }
    guard let position = try checkedTarget(at: slot, in: table, required: required) else { return nil }
    var code: UInt8 = 0
    if let codeField { code = window.load(UInt8.self, at: codeField) }
    return code == 0 ? nil : (code, position)
  }
}
