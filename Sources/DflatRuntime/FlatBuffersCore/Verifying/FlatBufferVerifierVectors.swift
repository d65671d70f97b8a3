extension FlatBufferVerifier {
  // Inlined for the benchmark row "verify": each vector and each string of a buffer is checked here.
  /// Checks the length of the vector at `position`, and that its elements are inside the buffer. Returns their start
  /// position and number.
  @inline(__always)
  mutating func elements(at position: Int, stride: Int) throws(FlatBufferError) -> (start: Int, count: Int) {
    try check(position, count: 4, alignment: 4)
    let length = window.load(UInt32.self, at: position)
    guard stride > 0, length < UInt32(truncatingIfNeeded: FlatBufferWindow.maximumCount / stride) else {
      throw .vectorTooLong(position: position)
    }
    // The guard above keeps the product below 2 GiB, but adding 4 may exceed 32 bits: hence 64.
    let bytes = Int64(length) &* Int64(stride) &+ 4
    guard bytes < Int64(window.size), Int64(position) <= Int64(window.size) &- bytes else {
      throw .outOfBounds(position: position, count: Int(clamping: bytes))
    }
    return (position &+ 4, Int(truncatingIfNeeded: length))
  }

  /// Counts the elements of the vector at `position`, before they are visited one by one.
  ///
  /// - Throws: `FlatBufferError.tooManyTables` if all such vectors together have more elements than the limit allows.
  @inline(__always)
  mutating func countElements(_ count: Int, at position: Int) throws(FlatBufferError) {
    remainingElements &-= count
    if _slowPath(remainingElements < 0) { try refuseElements(at: position) }
  }

  @inline(never)
  mutating func refuseElements(at position: Int) throws(FlatBufferError) {
    throw .tooManyTables(position: position, limit: options.maximumTableCount)
  }

  @inline(__always)
  mutating func elements(
    stride: Int, in table: Table, at slot: VTableOffset, required: Bool
  ) throws(FlatBufferError) -> (start: Int, count: Int)? {
    guard let position = try checkedTarget(at: slot, in: table, required: required) else { return nil }
    return try elements(at: position, stride: stride)
  }

  /// Verifies the vector in the field at `slot`, if present. Its elements have `stride` bytes and hold no offsets.
  public mutating func vector(
    stride: Int, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    _ = try elements(stride: stride, in: table, at: slot, required: required)
  }

  /// Verifies the vector of scalars in the field at `slot`, if present.
  @inlinable
  public mutating func vector<T: FlatBufferScalar>(
    of _: T.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    try vector(stride: T.vectorStride, in: table, at: slot, required: required)
  }

  /// Verifies the vector of enum values in the field at `slot`, if present. Any value is accepted.
  @inlinable
  public mutating func vector<T: FlatBufferEnumValue>(
    of _: T.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    try vector(stride: T.vectorStride, in: table, at: slot, required: required)
  }

  /// Verifies the vector of structs in the field at `slot`, if present.
  @inlinable
  public mutating func vector<View: FlatBufferStructView>(
    of _: View.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    try vector(stride: View.byteSize, in: table, at: slot, required: required)
  }

  /// Verifies the vector of strings in the field at `slot`, if present, and the strings.
  public mutating func vector(
    of _: String.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    guard let (start, count) = try elements(stride: 4, in: table, at: slot, required: required) else { return }
    try countElements(count, at: start &- 4)
    for index in 0..<count {
      try checkString(at: elementTarget(ofOffsetAt: start &+ 4 &* index))
    }
  }

  /// Verifies the vector of tables in the field at `slot`, if present, and everything that the tables refer to.
  public mutating func vector<View: FlatBufferTableView>(
    of _: View.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    guard let (start, count) = try elements(stride: 4, in: table, at: slot, required: required) else { return }
    for index in 0..<count {
      let position = try elementTarget(ofOffsetAt: start &+ 4 &* index)
      try View.verify(&self, at: position)
    }
  }

  /// A union vector whose vectors of type codes and of offsets have been verified, but not its members.
  public struct UnionVector: Sendable {
    @usableFromInline let codes: Int
    @usableFromInline let codeSize: Int
    @usableFromInline let offsets: Int
    /// The number of members.
    public let count: Int

    @inlinable
    init(codes: Int, codeSize: Int, offsets: Int, count: Int) {
      self.codes = codes
      self.codeSize = codeSize
      self.offsets = offsets
      self.count = count
    }
  }

  /// Verifies the union vector whose members are in the field at `slot`, and whose type codes are in the slot before:
  /// either both are present and equally long, or both are absent. The caller then verifies each ``member(_:of:)``.
  ///
  /// A type code takes `codeSize` bytes: 1, 2, 4 or 8. With more than one, the members are those of ``wideMember(_:of:)``.
  public mutating func unionVector(
    codeSize: Int = 1, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) -> UnionVector {
    let codes = try elements(stride: codeSize, in: table, at: slot &- 2, required: required)
    let offsets = try elements(stride: 4, in: table, at: slot, required: required)
    switch (codes, offsets) {
    case (nil, nil):
      return UnionVector(codes: 0, codeSize: codeSize, offsets: 0, count: 0)
    case (let codes?, let offsets?) where codes.count == offsets.count:
      try countElements(offsets.count, at: offsets.start &- 4)
      return UnionVector(codes: codes.start, codeSize: codeSize, offsets: offsets.start, count: codes.count)
    default:
      throw .mismatchedUnionVector(position: table.position)
    }
  }

  /// Returns the type code and the position of the member at `index`, which the caller verifies; nil if its type code is 0.
  ///
  /// An index that is not from 0 to `count - 1` stops the program. So does a vector whose type codes take more than one
  /// byte: call ``wideMember(_:of:)`` for that.
  public mutating func member(
    _ index: Int, of vector: UnionVector
  ) throws(FlatBufferError) -> (code: UInt8, position: Int)? {
    precondition(
      vector.codeSize == 1,
      "The type codes of the union vector take more than a byte: call wideMember(_:of:).")
    guard let member = try wideMember(index, of: vector) else { return nil }
    return (UInt8(truncatingIfNeeded: member.code), member.position)
  }

  /// Returns the type code, whatever its size, and the position of the member at `index`, which the caller verifies; nil if its
  /// type code is 0. The upper bits of the code are 0. An index that is not from 0 to `count - 1` stops the program.
  public mutating func wideMember(
    _ index: Int, of vector: UnionVector
  ) throws(FlatBufferError) -> (code: UInt64, position: Int)? {
    precondition(
      index >= 0 && index < vector.count,
      "The index is outside the union vector: it is from 0 to count - 1.")
    let code = unionCode(size: vector.codeSize, at: vector.codes &+ vector.codeSize &* index)
    guard code != 0 else { return nil }
    // As in C++, the offset of a member with an unknown type code is not checked. An offset out of the buffer yields
    // the position of the buffer's end, at which every known type is refused.
    return (code, window.target(ofOffsetAt: vector.offsets &+ 4 &* index) ?? window.count)
  }

  /// Verifies the FlatBuffer with the root table `View` that is nested in the field at `slot`, a vector of bytes, if
  /// present. Its tables and its depth add to those of the enclosing buffer.
  public mutating func nestedBuffer<View: FlatBufferTableView>(
    of _: View.Type, in table: Table, at slot: VTableOffset, fileIdentifier: String? = nil, required: Bool = false
  ) throws(FlatBufferError) {
    guard let (start, count) = try elements(stride: 1, in: table, at: slot, required: required) else { return }
    try nestedBuffer(of: View.self, at: start, count: count, fileIdentifier: fileIdentifier)
  }

  /// Verifies the FlatBuffer in the `count` bytes at `start`, which are inside the buffer.
  mutating func nestedBuffer<View: FlatBufferTableView>(
    of _: View.Type, at start: Int, count: Int, fileIdentifier: String?
  ) throws(FlatBufferError) {
    guard options.checksNestedBuffers, let bytes = window.buffer.slice(start..<start &+ count) else { return }
    var nested = try FlatBufferVerifier(bytes, options: options)
    nested.depth = depth
    nested.tableCount = tableCount
    nested.remainingElements = remainingElements
    try nested.root(of: View.self, fileIdentifier: fileIdentifier, sizePrefixed: false)
    tableCount = nested.tableCount
    remainingElements = nested.remainingElements
  }
}
