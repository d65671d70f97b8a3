/// Verifies that bytes are a FlatBuffer of a given type, before anything is read from them.
///
/// ```swift
/// let options = FlatBufferVerifier.Options(maximumDepth: 8, maximumTableCount: 1_000)
/// let monster = try MonsterReader(verifying: buffer, options: options)
/// ```
///
/// The rules are those of the C++ library: every offset points into the buffer, scalars and structs are aligned,
/// strings end with a zero byte, required fields are present, and neither the nesting depth nor the number of tables
/// exceeds its limit, so that a small buffer cannot cause unbounded work. Every accessor can read bytes that have been
/// accepted. Generated code drives a verifier: `verify` of a ``FlatBufferTableView``.
///
/// Readers are safe on bytes that were not verified: verify to be told of damage, and to limit the work that hostile
/// bytes cause. The time grows with the tables, vectors and strings that it visits, and nothing is allocated.
///
/// See also: ``FlatBufferError``, Documentation/flatbuffers.md (Reading).
public struct FlatBufferVerifier {
  /// The limits of a verification, and the checks that it includes.
  public struct Options: Hashable, Sendable {
    /// The maximum nesting depth of tables. The root has depth 1.
    public var maximumDepth: Int
    /// The maximum number of tables visited. A table that is referred to twice counts twice.
    ///
    /// Vectors of strings and of unions may have a hundred times as many elements, and 20 million in any case. A buffer
    /// in which no tables share such a vector has never too many.
    public var maximumTableCount: Int
    /// The maximum size of the buffer in bytes; ``FlatBufferWindow/maximumCount`` applies in any case.
    public var maximumByteCount: Int
    /// Whether misaligned values are errors. This library's readers accept them; those of other languages may not.
    public var checksAlignment: Bool
    /// Whether nested FlatBuffers are verified, too.
    public var checksNestedBuffers: Bool

    /// Creates options. The default limits are those of the C++ library.
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

  /// A table whose position and vtable have been verified.
  @frozen
  public struct Table: Sendable {
    /// The table's position, in bytes from the start of the buffer.
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

  // All methods are mutating, even those that change nothing: the verifier is then passed by its address, where
  // otherwise each call would copy it.

  @usableFromInline let window: FlatBufferWindow
  /// The limits of the verification, and the checks that it includes.
  public let options: Options
  @usableFromInline var depth = 0
  @usableFromInline var tableCount = 0
  /// How many more elements of vectors of strings and of unions may be visited. Many tables may share such a vector:
  /// without this limit, that on the tables would not bound the work.
  package var remainingElements: Int
  /// The table whose fields are checked without throwing; see ``beginFields(ofTableAt:)``.
  @usableFromInline var fields = Table(position: 0, vtable: 0, vtableSize: 0)
  /// The first error found in those fields.
  var fieldError: FlatBufferError?

  /// Creates a verifier of `buffer`.
  ///
  /// - Throws: ``FlatBufferError/bufferTooLarge(count:limit:)``.
  public init(_ buffer: ByteBuffer, options: Options = Options()) throws(FlatBufferError) {
    let limit = min(options.maximumByteCount, FlatBufferWindow.maximumCount)
    guard buffer.count <= limit, let window = FlatBufferWindow(buffer) else {
      throw .bufferTooLarge(count: buffer.count, limit: limit)
    }
    self.window = window
    self.options = options
    remainingElements = Self.elementLimit(options, byteCount: buffer.count)
  }

  /// Returns the maximum number of elements of vectors of strings and of unions that are visited in a buffer. One in which no
  /// vector is shared never exceeds it: each element takes at least 4 bytes.
  private static func elementLimit(_ options: Options, byteCount: Int) -> Int {
    let (count, isOverflow) = options.maximumTableCount.multipliedReportingOverflow(by: 100)
    return max(isOverflow && options.maximumTableCount > 0 ? .max : count, 20_000_000, byteCount / 4)
  }

  // MARK: Ranges and offsets

  // Inlined for the benchmark row "verify": each offset of a buffer is checked here. What refuses a buffer stays out
  // of line.
  /// Returns whether the `count` bytes at `position` are inside the buffer. As in C++, `count` must be less than the buffer's
  /// size.
  @inline(__always)
  mutating func contains(_ position: Int, count: Int) -> Bool {
    // As an unsigned number, a negative position exceeds every size.
    let last = window.count &- count
    return last > 0 && UInt(bitPattern: position) <= UInt(bitPattern: last)
  }

  @inline(__always)
  mutating func isAligned(_ position: Int, to alignment: Int) -> Bool {
    position & (alignment &- 1) == 0 || !options.checksAlignment
  }

  /// Checks that the `count` bytes at `position` are inside the buffer and aligned.
  @inline(__always)
  mutating func check(_ position: Int, count: Int, alignment: Int) throws(FlatBufferError) {
    if _fastPath(isAligned(position, to: alignment) && contains(position, count: count)) { return }
    try refuse(position, count: count, alignment: alignment)
  }

  /// Throws the reason why `check` refuses the `count` bytes at `position`. This function and those below are not
  /// inlined, to keep the code that creates errors out of the code for valid buffers.
  @inline(never)
  mutating func refuse(_ position: Int, count: Int, alignment: Int) throws(FlatBufferError) {
    throw isAligned(position, to: alignment)
      ? .outOfBounds(position: position, count: count) : .misaligned(position: position, alignment: alignment)
  }

  @inline(never)
  mutating func refuseAbsence(of slot: VTableOffset, at position: Int) throws(FlatBufferError) {
    throw .missingRequiredField(slot: slot, position: position)
  }

  /// Checks the offset at `position` and returns its target, which is inside the buffer.
  @inline(__always)
  mutating func checkedTarget(ofOffsetAt position: Int) throws(FlatBufferError) -> Int {
    try check(position, count: 4, alignment: 4)
    let offset = window.load(UInt32.self, at: position)
    guard offset != 0, offset < window.size &- UInt32(truncatingIfNeeded: position) else {
      throw .invalidOffset(position: position)
    }
    return position &+ Int(truncatingIfNeeded: offset)
  }

  /// Returns the target of the offset at `position`, a vector element. As in C++, this offset may be zero. The caller checks
  /// the target.
  @inline(__always)
  mutating func elementTarget(ofOffsetAt position: Int) throws(FlatBufferError) -> Int {
    guard let target = window.target(ofOffsetAt: position) else { throw .invalidOffset(position: position) }
    return target
  }

  /// Returns the position of the field at `slot`; nil if it is absent.
  @inline(__always)
  mutating func field(at slot: VTableOffset, in table: Table, required: Bool) throws(FlatBufferError) -> Int? {
    if Int(slot) &+ 2 <= table.vtableSize {
      let offset = window.load(UInt16.self, at: table.vtable &+ Int(slot))
      if offset != 0 { return table.position &+ Int(offset) }
    }
    if required { try refuseAbsence(of: slot, at: table.position) }
    return nil
  }

  /// Checks the offset in the field at `slot` and returns its target, which is inside the buffer; nil if the field is
  /// absent.
  @inline(__always)
  mutating func checkedTarget(at slot: VTableOffset, in table: Table, required: Bool) throws(FlatBufferError) -> Int? {
    guard let field = try field(at: slot, in: table, required: required) else { return nil }
    return try checkedTarget(ofOffsetAt: field)
  }

  // MARK: Tables

  /// Verifies the position and the vtable of the table at `position`, and increments the nesting depth. Call
  /// ``endTable()`` after verifying the table's fields.
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

  /// Decrements the nesting depth, after the fields of a table have been verified.
  @inlinable
  public mutating func endTable() {
    depth &-= 1
  }

  // MARK: Fields

  /// Verifies the scalar in the field at `slot`, if present.
  @inlinable
  public mutating func scalar<T: FlatBufferScalar>(
    _: T.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    try scalar(size: MemoryLayout<T.Bits>.size, in: table, at: slot, required: required)
  }

  /// Verifies the scalar of `size` bytes, a power of two, in the field at `slot`, if present.
  public mutating func scalar(
    size: Int, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    guard let field = try field(at: slot, in: table, required: required) else { return }
    try check(field, count: size, alignment: size)
  }

  /// Verifies the struct of `size` bytes in the field at `slot`, if present.
  public mutating func structure(
    size: Int, alignment: Int, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    guard let field = try field(at: slot, in: table, required: required) else { return }
    try check(field, count: size, alignment: alignment)
  }

  /// Verifies the struct in the field at `slot`, if present.
  @inlinable
  public mutating func structure<View: FlatBufferStructView>(
    of _: View.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    try structure(
      size: View.byteSize, alignment: View.byteAlignment, in: table, at: slot, required: required)
  }

  /// Verifies the struct of `size` bytes at `position`.
  public mutating func structure(size: Int, alignment: Int, at position: Int) throws(FlatBufferError) {
    try check(position, count: size, alignment: alignment)
  }

  /// Verifies the string in the field at `slot`, if present.
  public mutating func string(in table: Table, at slot: VTableOffset, required: Bool = false) throws(FlatBufferError) {
    guard let position = try checkedTarget(at: slot, in: table, required: required) else { return }
    try checkString(at: position)
  }

  /// Verifies the string at `position`.
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

  /// Verifies the table in the field at `slot`, if present, and everything that it refers to.
  @inlinable
  public mutating func table<View: FlatBufferTableView>(
    of _: View.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    guard let position = try target(at: slot, in: table, required: required) else { return }
    try View.verify(&self, at: position)
  }

  /// Checks the offset in the field at `slot` and returns its target; nil if the field is absent.
  @usableFromInline
  mutating func target(at slot: VTableOffset, in table: Table, required: Bool) throws(FlatBufferError) -> Int? {
    try checkedTarget(at: slot, in: table, required: required)
  }

  /// Verifies the type code and the offset of the union whose member is in the field at `slot`, and whose type code is
  /// in the slot before. Returns the type code and the position of the member, which the caller verifies; nil if there
  /// is no member.
  public mutating func union(
    in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) -> (code: UInt8, position: Int)? {
    guard let member = try union(codeSize: 1, in: table, at: slot, required: required) else { return nil }
    return (UInt8(truncatingIfNeeded: member.code), member.position)
  }

  /// Verifies a union as ``union(in:at:required:)`` does, whose type code takes `codeSize` bytes: 1, 2, 4 or 8. The
  /// upper bits of the returned code are 0.
  public mutating func union(
    codeSize: Int, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) -> (code: UInt64, position: Int)? {
    // As in C++, only the member of a required union must be present: without a type code the union reads as absent.
    let codeField = try field(at: slot &- 2, in: table, required: false)
    if let codeField { try check(codeField, count: codeSize, alignment: codeSize) }
    guard let position = try checkedTarget(at: slot, in: table, required: required) else { return nil }
    var code: UInt64 = 0
    if let codeField { code = unionCode(size: codeSize, at: codeField) }
    return code == 0 ? nil : (code, position)
  }

  /// Returns the type code of `size` bytes at `position`, which the caller has checked to be inside the buffer.
  @inline(__always)
  mutating func unionCode(size: Int, at position: Int) -> UInt64 {
    switch size {
    case 1: UInt64(window.load(UInt8.self, at: position))
    case 2: UInt64(window.load(UInt16.self, at: position))
    case 4: UInt64(window.load(UInt32.self, at: position))
    default: window.load(UInt64.self, at: position)
    }
  }
}
